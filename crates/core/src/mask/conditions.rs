//! Steps of texts under several conditions, by those under each.
//!
//! Where conditions do not meet, tokens do to a text under all of them what they do to it under each (`recognizer/conditions`): those
//! inside are inside under each, and those that leave the text leave it under each. So each condition is walked once, in whatever company it
//! is asked for, and so is each match that was begun of what must not be found.

use smallvec::SmallVec;

use super::cache::MaskCache;
use super::exits::ExitNodes;
use super::pool::ExitSet;
use super::step::Step;
use super::walk::Ground;
use crate::error::Result;
use crate::recognizer::StateId;
use crate::vocabulary::NodeId;

impl MaskCache {
    /// What a state makes of an exit set, put together of what it makes of it under each of its conditions; `None` where it has
    /// none to be taken apart.
    pub(super) fn under_each_condition(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'_>,
        depth: usize,
    ) -> Result<Option<Step>> {
        let states = ground.automaton.conditions(state, ground.deadline)?;
        let mut inside: SmallVec<[_; 4]> = SmallVec::new();
        let (mut exits, mut ends): (Option<Vec<NodeId>>, Option<Vec<NodeId>>) = (None, None);
        for &state in states {
            let step = self.step_of(from, state, ground, depth + 1)?;
            let nodes = step.transition.exits.as_ref().map(|exits| &*exits.nodes);
            // A string ends with its quote alone, so slices are not among the nodes where it does.
            if !step.captures.is_empty() || nodes.is_some_and(|nodes| !nodes.slices.is_empty()) {
                return Ok(None);
            }
            inside.push(step.all_inside(ground.unions));
            keep_common(&mut exits, nodes.map_or(&[], |nodes| &nodes.listed));
            keep_common(&mut ends, &step.transition.ends);
        }
        let (Some(exits), Some(ends)) = (exits, ends) else { return Ok(None) };
        let inside = ground.unions.intersection(&inside);
        let transition = self.pool().transition(inside, ExitNodes::of(&exits), ends.into());
        Ok(Some(Step::of(transition.into())))
    }
}

/// Keeps of some nodes, or at first of all, those of a list. Both ascend.
fn keep_common(nodes: &mut Option<Vec<NodeId>>, list: &[NodeId]) {
    match nodes {
        Some(nodes) => nodes.retain(|node| list.binary_search(node).is_ok()),
        None => *nodes = Some(list.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::pool::{Pool, Transition};
    use super::super::walk::compared::{facts, of_schema, vocabulary_of};
    use super::super::walk::{Beginning, Reach, Walker};
    use super::*;
    use crate::budget::{Budget, Deadline};
    use crate::grammar::PreparedGrammar;
    use crate::recognizer::Automaton;

    const SCHEMAS: &[&str] = &[
        r#"{"patternProperties": {"net_[a-z]+[0-9]+": {}, "netdir_(ab|n)": {"type": "null"}, "netn([a-z]+)": false}}"#,
        r#"{"oneOf": [{"pattern": "^(net)|(a-)|(n1)|(X-[a-z0-9\\-]*)$"}, {"type": "string"}]}"#,
        r#"{"type": "string", "not": {"pattern": "^(net)|(a-)|(X-[a-z0-9\\-]*)$"}}"#,
        r#"{"type": "string", "allOf": [{"pattern": "an"}, {"not": {"pattern": "[0-9a-f]{3}"}}, {"not": {"pattern": "na$"}}]}"#,
        r#"{"type": "string", "allOf": [{"not": {"pattern": "1_?n"}}, {"not": {"enum": ["a", "net"]}}, {"not": {"pattern": "aa"}}]}"#,
        // One of these has to come at once.
        r#"{"type": "string", "pattern": "^n|ab", "not": {"pattern": "a"}}"#,
        // Together they leave none of sixteen characters.
        r#"{"type": "string", "allOf": [{"not": {"pattern": "[`-g]"}}, {"not": {"pattern": "[h-o]"}}]}"#,
        // Together they leave none of the characters that begin with one byte.
        r#"{"type": "string", "allOf": [{"not": {"pattern": "[À-ß]"}}, {"not": {"pattern": "[à-ÿ]"}}]}"#,
    ];

    /// A step as a walk would have found it.
    fn as_found(transition: &Transition) -> Reach {
        let Transition { inside, exits, ends, .. } = transition;
        let exits = exits.as_ref().map(|exits| ExitNodes::clone(&exits.nodes)).unwrap_or_default();
        Reach { inside: inside.clone(), exits, ends: ends.clone(), captures: Vec::new() }
    }

    #[test]
    fn a_step_under_each_condition_is_the_walk_under_all() {
        let pieces = ["n", "net", "_", "a", "b", "1", "\"", "-", " ", "X", "é"];
        let cut: &[&[u8]] = &[
            b"\\", b"a\\u00", b"\\u006", b"\\u00", b"\\n", b"\\u006e", b"a\xC3", b"\xC3", b"net_a1", b"X-a\"",
        ];
        let vocabulary = vocabulary_of(&pieces, cut);
        let budget = Budget::default();
        let deadline = Deadline::for_compile(&budget);
        let ends: Vec<NodeId> =
            [&b"\""[..], b"n", b"a_"].iter().filter_map(|text| vocabulary.trie().find(text)).collect();
        let mut compared = Vec::new();
        for schema in SCHEMAS {
            let prepared = PreparedGrammar::new(&of_schema(schema), &vocabulary, &budget, true).unwrap();
            let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
            let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
            let cache = MaskCache::new(budget.cache_bytes, &pool, true, true);
            let ground = cache.ground(&automaton, &vocabulary, &deadline);
            let mut slow = Walker::new(budget.cache_bytes);
            let mut count = 0;
            for state in automaton.some_states(*b" {\"net_a1b-X\\u006\xC3", 300, &deadline) {
                let captures = &automaton.parts(state, &deadline).unwrap().captures;
                let state = captures.first().map_or(state, |part| part.content);
                for from in [None, cache.exit_set(&ends)] {
                    let Some(step) = cache.under_each_condition(from.as_ref(), state, ground, 0).unwrap()
                    else {
                        continue;
                    };
                    let from = from.as_ref().map(|exits| &*exits.nodes);
                    let slowly = Ground { use_signatures: false, ..ground };
                    let reach = slow.walk(&slowly, Beginning { from, state, within: None }).unwrap();
                    let found = as_found(&step.transition);
                    assert_eq!(facts(&found, &vocabulary), facts(&reach, &vocabulary), "{schema} {state:?}");
                    count += 1;
                }
            }
            compared.push(count);
        }
        let (apart, together) = compared.split_at(5);
        assert!(apart.iter().all(|&count| count > 10) && together == [0, 0, 0], "{compared:?}");
    }
}
