//! Steps put together of those of a state's pieces.
//!
//! What a state makes of an exit set is what its fronts make of it, and what the rests make of the exits of these. The
//! steps of the fronts are shared by all states with the same front, by way of the pool with those of other
//! constraints; a rest that no token reaches is never looked at.

use std::sync::Arc;

use smallvec::SmallVec;

use super::cache::MaskCache;
use super::exits::{ExitNodes, SliceNodes, sort};
use super::pool::{ExitSet, Pool};
use super::step::{Look, Step};
use super::token_bits::TokenBits;
use super::walk::Ground;
use crate::error::Result;
use crate::recognizer::{CapturePart, Piece, StateId};
use crate::vocabulary::NodeId;

/// What the pieces looked at so far make.
#[derive(Default)]
pub(super) struct Composition {
    inside: Vec<TokenBits>,
    exits: Vec<NodeId>,
    slices: Vec<SliceNodes>,
    ends: Vec<NodeId>,
    captures: Vec<(StateId, Option<ExitSet>)>,
    /// The exit sets of which that of the whole is put together, each once.
    parts: SmallVec<[ExitSet; 4]>,
}

impl Composition {
    pub(super) fn add(&mut self, step: &Step) {
        self.add_inside(step);
        if let Some(exits) = &step.transition.exits {
            self.exits.extend(&exits.nodes.listed);
            self.slices.extend(&exits.nodes.slices);
            for part in exits.parts() {
                if self.parts.iter().all(|known| known.id != part.id) {
                    self.parts.push(part.clone());
                }
            }
        }
        self.ends.extend_from_slice(&step.transition.ends);
        self.captures.extend_from_slice(&step.captures);
    }

    fn add_inside(&mut self, step: &Step) {
        self.inside.extend(step.inside().filter(|set| !set.is_empty()).cloned());
    }

    /// The step of what was collected.
    pub(super) fn finish(self, pool: &Pool) -> Step {
        /// More sets than this are put together at once, and not in each mask that they are part of.
        const MOST_SETS: usize = 12;
        /// More exit sets than this are not worth while to be told apart.
        const MOST_PARTS: usize = 8;
        let Self { mut inside, mut exits, mut slices, mut ends, captures, parts } = self;
        for nodes in [&mut exits, &mut ends] {
            sort(nodes, pool.vocabulary().trie());
        }
        slices.sort_unstable();
        slices.dedup();
        if inside.len() > MOST_SETS {
            inside = vec![pool.unions().union(&inside)];
        }
        let any = inside.pop().unwrap_or_else(TokenBits::empty);
        let exits = ExitNodes { listed: exits.into(), slices: slices.into() };
        let mut transition = pool.transition(any, exits, ends.into());
        if let Some(exits) = &mut transition.exits
            && (2..=MOST_PARTS).contains(&parts.len())
        {
            exits.parts = Some(parts.into_iter().collect());
        }
        let transition = Arc::new(transition);
        Step { transition, also_inside: inside.into(), captures: captures.into() }
    }
}

impl MaskCache {
    /// More steps than this are not put together within one another; a state deeper down is walked as a whole.
    const MOST_NESTED: usize = 16;

    /// What a state makes of an exit set, put together of what its pieces do; `None` where it has none.
    pub(super) fn compose(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'_>,
        depth: usize,
    ) -> Result<Option<Step>> {
        if depth == Self::MOST_NESTED {
            return Ok(None);
        }
        let pieces = self.pieces_from(from, state, ground)?;
        if pieces.is_empty() {
            return Ok(None);
        }
        let mut all = Composition::default();
        for piece in pieces {
            let Some(rest) = piece.rest else {
                for &whole in &piece.fronts {
                    all.add(&*self.step_in(from, whole, ground, depth + 1)?);
                }
                continue;
            };
            let fronts = self.read_fronts(from, &piece.fronts, ground, depth, &mut all)?;
            let Some(between) = fronts else { continue };
            let rest = match self.look_at(Some(&between), rest, ground, depth + 1)? {
                Look::Outline(step) => {
                    all.add(&step);
                    continue;
                }
                Look::State(rest) => rest,
            };
            let mut plain = Some(rest);
            if rest.captures() {
                if !self.add_unread(&between, rest, ground, depth, &mut all)? {
                    all.captures.push((rest, Some(between.clone())));
                }
                plain = ground.automaton.parts(rest, ground.deadline)?.plain;
            }
            if let Some(plain) = plain {
                all.add(&*self.step_of(Some(&between), plain, ground, depth + 1)?);
            }
        }
        Ok(Some(all.finish(self.pool())))
    }

    /// The pieces of a state; none where it is better walked as it is.
    fn pieces_from<'a>(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'a>,
    ) -> Result<&'a [Piece]> {
        /// What comes after an item of a list is read piece by piece from so many exits, as those of a string are: what a comma
        /// makes of these is known. From fewer it is soon walked.
        const MANY_EXITS: usize = 32;
        let pieces = ground.automaton.pieces(state, ground.deadline)?;
        let are_many =
            from.is_some_and(|from| from.nodes.listed.len() >= MANY_EXITS || self.pool().keeps_all());
        match pieces.is_empty() && are_many {
            true => ground.automaton.item_pieces(state, ground.deadline),
            false => Ok(pieces),
        }
    }

    /// Collects what is inside of texts that are captured in an outline, for others, where no token reads one of them to its
    /// end. Returns whether that is so.
    fn add_unread(
        &self,
        from: &ExitSet,
        state: StateId,
        ground: Ground<'_>,
        depth: usize,
        all: &mut Composition,
    ) -> Result<bool> {
        let captures = &ground.automaton.parts(state, ground.deadline)?.captures;
        if !captures.iter().all(|part| part.is_unread) {
            return Ok(false);
        }
        let mut steps: SmallVec<[Arc<Step>; 2]> = SmallVec::new();
        for part in captures {
            let step = self.step_in(Some(from), part.content, ground, depth + 1)?;
            // A slice holds nodes at which tokens end, too.
            let exits = step.transition.exits.as_ref();
            let may_end = exits.is_some_and(|exits| !exits.nodes.slices.is_empty());
            if may_end || !step.transition.ends.is_empty() || self.goes_on(&step, part, ground)? {
                return Ok(false);
            }
            steps.push(step);
        }
        steps.iter().for_each(|step| all.add_inside(step));
        Ok(true)
    }

    /// Whether a token may read on after a text that it has read to its end, or ends with that.
    fn goes_on(&self, step: &Step, part: &CapturePart, ground: Ground<'_>) -> Result<bool> {
        let Some(exits) = &step.transition.exits else { return Ok(false) };
        let Some(after) = part.after_any else { return Ok(true) };
        let first = ground.automaton.first_bytes(after, ground.deadline)?;
        let trie = ground.vocabulary.trie();
        Ok(exits.nodes.all(ground.vocabulary).iter().any(|&node| {
            let mut children = trie.children(node);
            let mut bytes = std::iter::from_fn(|| trie.next_child(&mut children).map(|(byte, _)| byte));
            !trie.tokens_at(node).is_empty() || bytes.any(|byte| first.contains(byte))
        }))
    }

    /// Collects what is inside of fronts that are read one after another, and gives the exits of the last.
    fn read_fronts(
        &self,
        from: Option<&ExitSet>,
        fronts: &[StateId],
        ground: Ground<'_>,
        depth: usize,
        all: &mut Composition,
    ) -> Result<Option<ExitSet>> {
        let mut at = from.cloned();
        for &front in fronts {
            let step = self.step_in(at.as_ref(), front, ground, depth + 1)?;
            all.add_inside(&step);
            at = step.transition.exits.clone();
            if at.is_none() {
                break;
            }
        }
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::walk::{Beginning, Walker};
    use super::*;
    use crate::budget::{Budget, Deadline};
    use crate::frontend::json_schema;
    use crate::grammar::PreparedGrammar;
    use crate::recognizer::Automaton;
    use crate::vocabulary::{TokenId, Vocabulary};

    const SCHEMAS: &[&str] = &[
        r#"{"properties": {"name": {"type": "string", "maxLength": 3}, "nick": {"type": "string", "maxLength": 3}},
            "required": ["name"], "additionalProperties": {"type": ["integer", "array"], "items": {"enum": [1, 12]}}}"#,
        r#"{"type": "array", "prefixItems": [{"type": "null"}], "items": {"type": "array", "items": {"type": "null"}}}"#,
        r#"{"type": "array", "items": {"type": "string", "maxLength": 2}, "minItems": 2, "maxItems": 4}"#,
        r#"{"type": "array", "items": {"type": ["string", "array"], "items": {"type": ["number", "string"]}}}"#,
        r#"{"anyOf": [{"type": "array", "items": {"type": "object"}}, {"required": ["a"], "type": "object"}]}"#,
        r#"{"type": "object", "maxProperties": 2, "patternProperties": {"^a": {"const": {"a": []}}}}"#,
        r#"{"properties": {"a": {"type": ["string", "null"], "maxLength": 3}, "n": {"type": ["integer", "boolean", "null"]}},
            "additionalProperties": {"enum": [1, 12, "n", null, true]}}"#,
        r#"{"type": "object", "properties": {"a": {"anyOf": [{"type": "array"}, {"type": "object"}, {"type": "number"}]},
            "n": {"properties": {"n": {"type": "null"}}, "additionalProperties": false}},
            "additionalProperties": {"type": ["array", "null"], "items": {"type": ["object", "array"], "required": ["a"]}}}"#,
        r#"{"properties": {"a": {"properties": {"a": {}}, "required": ["n"]}, "n": {"maxLength": 2, "items": {"type": "null"}}}}"#,
    ];

    fn vocabulary() -> Vocabulary {
        let more: &[&[u8]] = &[
            b"\": ",
            b"\":\"",
            b"\":{\"",
            b"\":1,",
            b"\":12,\"",
            b"{\"",
            b"{\"na",
            b"\",\"n",
            b"},{\"",
            b"[[",
            b"]]",
            b"],[",
            b"null",
            b",null]",
            b"  ",
            b"\n \"",
            b" ,",
            b": 1",
            b"\"}",
            b"1,12",
            b"true}",
            b"[null,",
        ];
        let bytes = (0..=255u8).map(|byte| Some(vec![byte]));
        // A string may end in many of them.
        let letters = (b'a'..=b'z').chain(b'A'..=b'Z');
        let quoted = letters.zip([&b"\","[..], b"\" ]", b"\", \"", b"\"]"].into_iter().cycle());
        let quoted = quoted.map(|(letter, end)| Some([&[letter], end].concat()));
        let tokens = bytes.chain(more.iter().map(|&token| Some(token.to_vec()))).chain(quoted).chain([None]);
        let tokens: Vec<_> = tokens.collect();
        let (count, stop) = (tokens.len(), TokenId(tokens.len() as u32 - 1));
        Vocabulary::new(tokens, vec![], vec![stop], count).unwrap()
    }

    #[test]
    fn a_composed_step_is_the_walk_of_the_state() {
        let budget = Budget::default();
        let deadline = Deadline::for_compile(&budget);
        let vocabulary = Arc::new(vocabulary());
        let (mut composed, mut outlined) = (0, 0);
        for schema in SCHEMAS {
            let grammar =
                json_schema::compile(schema, &[], &json_schema::Options::default(), &budget).unwrap();
            let prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
            let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
            let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
            let cache = MaskCache::new(budget.cache_bytes, &pool, true, true);
            let mut walker = Walker::new(budget.cache_bytes);
            let ground = Ground {
                automaton: &automaton,
                vocabulary: &vocabulary,
                use_signatures: true,
                unions: pool.unions(),
                deadline: &deadline,
            };
            let trie = vocabulary.trie();
            let quotes: Vec<NodeId> = trie.child(NodeId::ROOT, b'"').into_iter().collect();
            let ends = (b'A'..=b'z').filter_map(|letter| trie.find(&[letter, b'"'])).chain(quotes.clone());
            let mut ends: Vec<NodeId> = ends.collect();
            ends.sort_unstable();
            let colons = [&b"\":"[..], b": "].into_iter().filter_map(|text| trie.find(text)).collect();
            let starts = [vec![NodeId::ROOT], quotes, ends, colons];
            let states = automaton.some_states(*b" {}[]\":,nakilrsetu\\01", 300, &deadline);
            for state in states.into_iter().filter(|state| !state.captures()) {
                let state = automaton.canonical(state, &deadline).unwrap();
                for nodes in &starts {
                    let from = (nodes[0] != NodeId::ROOT).then(|| cache.exit_set(nodes)).flatten();
                    let Some(step) = cache.compose(from.as_ref(), state, ground, 0).unwrap() else {
                        continue;
                    };
                    composed += 1;
                    let reach = walker
                        .walk(
                            &ground,
                            Beginning { from: from.as_ref().map(|exits| &*exits.nodes), state, within: None },
                        )
                        .unwrap();
                    let inside: Vec<TokenBits> = step.inside().cloned().collect();
                    let inside = pool.unions().union(&inside);
                    let rows = [&inside, &reach.inside].map(|inside| {
                        let mut row = vec![0; vocabulary.mask_words()];
                        inside.write_to(&mut row);
                        row
                    });
                    if step.captures.is_empty() && !reach.captures.is_empty() {
                        // What the walk leaves to its captures is in the outline of what captures them; masks are compared
                        // elsewhere (`tests/unread/outlines.rs`).
                        let is_within = rows[1].iter().zip(&rows[0]).all(|(walked, all)| walked & !all == 0);
                        assert!(is_within, "{schema} {state:?}");
                        outlined += 1;
                        continue;
                    }
                    assert_eq!(rows[0], rows[1], "{schema} {state:?}");
                    let exits: Vec<NodeId> = step
                        .transition
                        .exits
                        .iter()
                        .flat_map(|exits| exits.nodes.all(&vocabulary).to_vec())
                        .collect();
                    assert_eq!(exits, *reach.exits.all(&vocabulary), "{schema} {state:?}");
                    assert_eq!(step.transition.ends, reach.ends, "{schema} {state:?}");
                    let captures = step.captures.iter().flat_map(|(state, exits)| {
                        let from = exits.as_ref().map_or(&[NodeId::ROOT][..], |exits| &exits.nodes.listed);
                        from.iter().map(move |&node| (*state, node))
                    });
                    let captures: BTreeSet<_> = captures.collect();
                    let walked = reach.captures.iter();
                    let walked =
                        walked.flat_map(|(state, nodes)| nodes.iter().map(move |&node| (*state, node)));
                    assert_eq!(captures, walked.collect(), "{schema} {state:?}");
                }
            }
        }
        assert!(composed > 100 + outlined, "{composed} steps were composed, {outlined} by outlines");
    }
}
