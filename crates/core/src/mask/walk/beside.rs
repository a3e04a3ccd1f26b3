//! Walks of states that differ little from others.
//!
//! In the middle of a tag of free text a state does to nearly all tokens what one of prose does, and at the beginning of a
//! text that must not begin with some word, what one does after any other. So both are walked together, as far as not the
//! same is alive: what lies below a node where it is the same is known.
//!
//! Where the two differ in nothing but how far free text has been read, that begins where one of them opens a tag and the other does not,
//! or may not go on: there are few such nodes, or none, and none above them takes a state. Free text of which nothing has been read is walked
//! beside any text: the two begin to differ where a token completes one of its strings. So is a JSON string in which something is looked
//! for, beside a string of any content; and a text of which parts may be so many at most, beside one in which they may be any number.

use std::ops::Range;

use super::{Found, Ground, Reach, Starts, Walk, Walker};
use crate::error::Result;
use crate::expression::{Both, Sought, TextPairs, TextTables};
use crate::mask::configurations::ConfigurationId;
use crate::mask::token_bits::TokenBits;
use crate::recognizer::{StateId, UnlimitedState};
use crate::vocabulary::{Counting, NodeId};

/// A state that makes nearly the same of the vocabulary as that of a walk.
#[derive(Debug)]
pub(in crate::mask) struct Neighbour {
    pub(in crate::mask) state: StateId,
    /// The two are not walked together where they differ at more nodes.
    pub(in crate::mask) most_nodes: usize,
    /// Where the two begin to differ, each below nodes at which the same goes on or completes the frame; `None` where that is not known.
    pub(in crate::mask) apart: Option<Vec<Place>>,
}

impl Neighbour {
    /// Whether it is known that the two make the same of the vocabulary.
    pub(in crate::mask) fn makes_the_same(&self) -> bool {
        self.apart.as_ref().is_some_and(Vec::is_empty)
    }
}

/// A node from which on the two differ.
#[derive(Clone, Copy, Debug)]
pub(in crate::mask) struct Place {
    node: NodeId,
    rest: Rest,
}

/// What is left of the state at a place.
#[derive(Clone, Copy, Debug)]
enum Rest {
    Nothing,
    /// Something that has little in common with what is left of its neighbour.
    Other,
    /// The free text of both goes on.
    Text,
}

/// Nodes at which two configurations are not the same, each with both.
type Waiting = Vec<(NodeId, ConfigurationId, ConfigurationId)>;

/// What a state makes of the vocabulary otherwise than its neighbour does.
#[derive(Debug)]
pub(in crate::mask) struct Differences {
    gone: Gone,
    /// What only the state reads.
    found: Found,
    pub(in crate::mask) visited: u64,
}

/// What only the neighbour reads. Both lists ascend.
#[derive(Debug, Default)]
struct Gone {
    /// Nodes below which the state reads nothing, each with all that is below it.
    below: Vec<Range<NodeId>>,
    /// Nodes at which both read on, but not the same.
    at: Vec<NodeId>,
}

impl Gone {
    /// The nodes of the neighbour that are left, of some that ascend.
    fn leave(&self, nodes: &[NodeId]) -> impl Iterator<Item = NodeId> {
        let is_left = |node: &NodeId| {
            let after = self.below.partition_point(|range| range.start <= *node);
            let is_below = after > 0 && *node < self.below[after - 1].end;
            !is_below && self.at.binary_search(node).is_err()
        };
        nodes.iter().copied().filter(is_left)
    }
}

impl Walker {
    /// Walks the whole trie from a state beside another one.
    ///
    /// Takes time in proportion to the nodes at which not the same is alive. `None` where those are too many, or texts are
    /// captured there.
    pub(in crate::mask) fn walk_beside(
        &mut self,
        ground: &Ground<'_>,
        state: StateId,
        neighbour: &Neighbour,
    ) -> Result<Option<Differences>> {
        let differences = self.walk_whole_beside(ground, state, neighbour);
        self.forget_too_much();
        differences
    }

    fn walk_whole_beside(
        &mut self,
        ground: &Ground<'_>,
        state: StateId,
        neighbour: &Neighbour,
    ) -> Result<Option<Differences>> {
        self.found.clear();
        let before = self.visited;
        let start = self.configurations.start(state, ground)?;
        let other = self.configurations.start(neighbour.state, ground)?;
        let mut walk = Walk::new(ground, state, start, Starts::new(&[]), self);
        let Some(gone) = walk.run_beside(other, neighbour)? else { return Ok(None) };
        Ok(Some(Differences { gone, found: std::mem::take(&mut self.found), visited: self.visited - before }))
    }
}

impl Differences {
    /// What the state makes of the vocabulary, by the sets whose union its neighbour reads and where that leaves its frame:
    /// at listed nodes only.
    pub(in crate::mask) fn applied(
        mut self,
        inside: &TokenBits,
        exits: &[NodeId],
        ends: &[NodeId],
        ground: &Ground<'_>,
    ) -> Reach {
        let trie = ground.vocabulary.trie();
        self.found.exits.extend(self.gone.leave(exits));
        self.found.ends.extend(self.gone.leave(ends));
        let gone = self.gone.below.iter().map(|range| range.start);
        let found = self.found.tokens(trie);
        let inside = ground.unions.changed_below(inside, gone, found, ground.vocabulary);
        self.found.inside.clear();
        self.found.more.clear();
        self.found.reach(ground, Some(&inside))
    }
}

impl Ground<'_> {
    /// Where two states that differ in how far free text has been read begin to make something else of tokens.
    ///
    /// Takes a look-up in the trie for each byte with which a string goes on that one of the two has begun, and no state.
    pub(in crate::mask) fn places_apart(&self, texts: &TextPairs) -> Result<Vec<Place>> {
        let trie = self.vocabulary.trie();
        self.automaton.with_expressions(|expressions| {
            let (mut apart, mut waiting) = (Vec::new(), vec![(NodeId::ROOT, texts.clone())]);
            while let Some((above, texts)) = waiting.pop() {
                self.deadline.check()?;
                for byte in expressions.bytes_apart(&texts).iter() {
                    let Some(node) = trie.child(above, byte) else { continue };
                    match expressions.read_both(&texts, byte) {
                        Both::Same => {}
                        Both::Alike(texts) if trie.has_children(node) => waiting.push((node, texts)),
                        Both::Alike(_) => {}
                        Both::Apart { goes_on: true } => apart.push(Place { node, rest: Rest::Text }),
                        Both::Apart { goes_on: false } => apart.push(Place { node, rest: Rest::Other }),
                    }
                }
            }
            Ok(apart)
        })?
    }

    /// Where free text of which nothing has been read begins to make something else of tokens than any text does: where they complete
    /// one of its strings. `None` where that is at more than some number of nodes.
    ///
    /// Takes a search for each string, and no state.
    pub(in crate::mask) fn places_with_strings(
        &self,
        texts: &TextTables,
        most: usize,
    ) -> Result<Option<Vec<Place>>> {
        let trie = self.vocabulary.trie();
        self.automaton.with_expressions(|expressions| {
            let Some(nodes) = self.ends(expressions.strings_of(texts), most)? else { return Ok(None) };
            let nodes = self.topmost(nodes);
            let place = |node| {
                let goes_on = expressions.goes_on_behind(texts, &trie.path(NodeId::ROOT, node));
                Place { node, rest: if goes_on { Rest::Other } else { Rest::Nothing } }
            };
            Ok(Some(nodes.into_iter().map(place).collect()))
        })?
    }

    /// Where a JSON string in which some strings are looked for begins to make something else of tokens than any string does: where
    /// they complete one of these, or begin with one that comes first, and where an escape begins, by which they may be spelled.
    /// `None` where that is at more than some number of nodes.
    pub(in crate::mask) fn places_with_sought(
        &self,
        sought: &Sought,
        most: usize,
    ) -> Result<Option<Vec<Place>>> {
        let strings = sought.anywhere.iter().map(|string| &**string).chain([&b"\\"[..]]);
        let Some(mut nodes) = self.ends(strings, most)? else { return Ok(None) };
        nodes.extend(sought.first.iter().filter_map(|string| self.vocabulary.trie().find(string)));
        let places = self.topmost(nodes).into_iter().map(|node| Place { node, rest: Rest::Other });
        Ok(Some(places.collect()))
    }

    /// Where a text of so many parts at most begins to make something else of tokens than one of any number does: where they hold more of what
    /// tells parts than makes no difference. `None` where the vocabulary can't tell.
    pub(in crate::mask) fn places_with_parts(&self, unlimited: &UnlimitedState) -> Option<Vec<Place>> {
        let &UnlimitedState { ref separators, is_string, count, .. } = unlimited;
        let class = self.vocabulary.class(&separators.characters)?;
        let counting = Counting { class, in_runs: separators.in_runs, with_escapes: is_string };
        let nodes = self.topmost(self.vocabulary.nodes_with_more_than(count, counting));
        Some(nodes.into_iter().map(|node| Place { node, rest: Rest::Other }).collect())
    }

    /// The nodes at which one of some strings ends. `None` where there are more than some number.
    fn ends<'s>(&self, strings: impl Iterator<Item = &'s [u8]>, most: usize) -> Result<Option<Vec<NodeId>>> {
        let (trie, endings) = (self.vocabulary.trie(), self.vocabulary.endings());
        let mut nodes = Vec::new();
        for string in strings {
            self.deadline.check()?;
            nodes.extend(endings.nodes(string, trie).take(most + 1 - nodes.len()));
            if nodes.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(nodes))
    }

    /// Those nodes that are not below others of some: what is below these is walked from them.
    fn topmost(&self, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
        let trie = self.vocabulary.trie();
        nodes.sort_unstable();
        let mut end = NodeId::ROOT;
        nodes.retain(|&node| {
            let is_topmost = node >= end;
            end = if is_topmost { trie.end(node) } else { end };
            is_topmost
        });
        nodes
    }
}

impl Walk<'_> {
    /// Walks from the root beside another configuration, as far as the two differ. Adds what is new to what was
    /// found, and returns what only the other one reads; `None` where the two differ at too many nodes.
    fn run_beside(&mut self, other: ConfigurationId, neighbour: &Neighbour) -> Result<Option<Gone>> {
        let limit = self.walker.visited + neighbour.most_nodes as u64;
        let (mut gone, mut waiting) = (Gone::default(), Waiting::new());
        match &neighbour.apart {
            None => waiting.push((NodeId::ROOT, self.start, other)),
            Some(places) => {
                for place in places {
                    self.begin_beside(place, other, &mut gone, &mut waiting)?;
                }
            }
        }
        while let Some((node, this, other)) = waiting.pop() {
            self.ground.deadline.check()?;
            let captures = [this, other].map(|id| self.walker.configurations.get(id).capture.is_some());
            if self.walker.visited > limit || captures.contains(&true) {
                return Ok(None);
            }
            let mut children = self.trie.children(node);
            while let Some((byte, child)) = self.trie.next_child(&mut children) {
                self.read_beside((child, byte), Some(this), Some(other), &mut gone, &mut waiting)?;
            }
        }
        gone.below.sort_unstable_by_key(|range| range.start);
        gone.at.sort_unstable();
        Ok(Some(gone))
    }

    /// Begins to walk beside another configuration at a place from which on the two differ.
    fn begin_beside(
        &mut self,
        &Place { node, rest }: &Place,
        other: ConfigurationId,
        gone: &mut Gone,
        waiting: &mut Waiting,
    ) -> Result<()> {
        let below = node..self.trie.end(node);
        if matches!(rest, Rest::Nothing) {
            gone.below.push(below);
            return Ok(());
        }
        let path = self.trie.path(NodeId::ROOT, node);
        let Some((&byte, before)) = path.split_last() else { return Ok(()) };
        let configurations = &mut self.walker.configurations;
        let this = configurations.read(self.start, before, self.ground)?;
        if matches!(rest, Rest::Text) {
            let other = configurations.read(other, before, self.ground)?;
            return self.read_beside((node, byte), this, other, gone, waiting);
        }
        gone.below.push(below);
        let after = this.map(|this| configurations.step(this, byte, self.ground)).transpose()?.flatten();
        if let Some(after) = after {
            self.visit(node, after)?;
            self.finish_path()?;
        }
        Ok(())
    }

    /// Notes what a byte that leads to a node makes of two configurations otherwise. Where something else goes on below in both, the
    /// node waits.
    fn read_beside(
        &mut self,
        (node, byte): (NodeId, u8),
        this: Option<ConfigurationId>,
        other: Option<ConfigurationId>,
        gone: &mut Gone,
        waiting: &mut Waiting,
    ) -> Result<()> {
        let mut after = |configuration: Option<ConfigurationId>| match configuration {
            Some(id) => self.walker.configurations.step(id, byte, self.ground),
            None => Ok(None),
        };
        match (after(this)?, after(other)?) {
            (this, other) if this == other => {}
            (None, _) => gone.below.push(node..self.trie.end(node)),
            (Some(this), None) => {
                self.visit(node, this)?;
                self.finish_path()?;
            }
            (Some(this), Some(other)) => {
                gone.at.push(node);
                if self.note(node, this) {
                    waiting.push((node, this, other));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::super::compared::{Compared, compare, vocabulary_of};
    use crate::budget::Budget;
    use crate::byte_set::ByteSet;
    use crate::expression::ExpressionId;
    use crate::frontend::gbnf;
    use crate::frontend::json_schema;
    use crate::grammar::{Grammar, GrammarBuilder};

    const GRAMMARS: &[&str] = &[
        "root ::= (name ws? op ws?)* name\nname ::= [a-z] [a-z0-9]*\nop ::= [-+=] | \"(\" root? \")\"\nws ::= [ \\n]+",
        "root ::= \"a\" [^b\\n]* \"b\" | [^a\\n] [^-]* \"-\"",
        "root ::= word (\", \" word)*\nword ::= [a-z]+ (\"-\" [a-z0-9]+)? | \"1\" [0-9]{0,3}",
    ];
    const SCHEMAS: &[&str] = &[
        r#"{"type": "string", "pattern": "^(?!ab|b-)"}"#,
        r#"{"type": "object", "patternProperties": {"^a": {"type": "array"}, "^[^b]": {"minItems": 1}}}"#,
        r#"{"type": "string", "pattern": "^[^a]|^a[^-]|é$"}"#,
    ];

    #[test]
    fn a_walk_beside_another_finds_what_one_by_itself_does() {
        let pieces = ["a", "b", "-", "\"", ": ", "[", "1", "é", "\\u", ", "];
        let vocabulary = vocabulary_of(&pieces, &[b"\": [", b"\": \"a", b"\\\\u0061", b"\\xC3"]);
        let budget = Budget::default();
        let grammars = GRAMMARS.iter().map(|&text| (gbnf::compile(text, "root", &budget).unwrap(), text));
        let schemas = SCHEMAS.iter().map(|&text| {
            let grammar = json_schema::compile(text, &[], &json_schema::Options::default(), &budget).unwrap();
            (grammar, text)
        });
        let mut beside = 0;
        for (grammar, text) in grammars.chain(schemas) {
            let compared: Compared = compare(&grammar, text, "ab-\": [1é\\u0,".as_bytes(), &vocabulary, &[]);
            beside += compared.beside;
        }
        assert!(beside > 60, "{beside} walks beside others");
    }

    /// Free text with some tags, in one of some places.
    #[derive(Debug)]
    struct Prose {
        /// The strings, each with which of some texts follows it; `None` is forbidden.
        tags: Vec<(String, Option<usize>)>,
        place: usize,
    }

    impl Prose {
        /// How many places there are.
        const PLACES: usize = 8;
        const PIECES: &[&str] = &["a", "b", "<", "é", "日", "日本", "ab", "<a", "!"];

        fn random(random: &mut Rng) -> Self {
            let piece = |random: &mut Rng| Self::PIECES[random.usize(..Self::PIECES.len())];
            let start = piece(random);
            let tags = (0..random.usize(1..7)).map(|_| {
                let mut tag: String = (0..random.usize(1..4)).map(|_| piece(random)).collect();
                // Many begin alike, as the calls of tools do.
                if random.bool() {
                    tag.insert_str(0, start);
                }
                (tag, (random.usize(..4) > 0).then(|| random.usize(..6)))
            });
            let mut tags: Vec<_> = tags.collect();
            // One opens, so that something is read everywhere.
            tags[0].1 = Some(random.usize(..6));
            Self { tags, place: random.usize(..Self::PLACES) }
        }

        fn grammar(&self) -> Grammar {
            let mut builder = GrammarBuilder::new(&Budget::default());
            let (start, inner) = (builder.declare_rule("start"), builder.declare_rule("inner"));
            let letters = builder.bytes(ByteSet::range(b'a', b'z'));
            let letters = builder.repetition(letters, 0, Some(2));
            let (mark, word) = (builder.literal(b"!"), builder.literal("a<日".as_bytes()));
            let call = builder.call(inner);
            let in_brackets = builder.concatenation(&[letters, call, mark]);
            let after = [GrammarBuilder::EMPTY, mark, word, letters, call, in_brackets];
            let tags: Vec<(&[u8], ExpressionId)> = self
                .tags
                .iter()
                .map(|(tag, then)| (tag.as_bytes(), then.map_or(GrammarBuilder::NOTHING, |then| after[then])))
                .collect();
            let none: Vec<(&[u8], ExpressionId)> =
                tags.iter().map(|&(tag, _)| (tag, GrammarBuilder::NOTHING)).collect();
            let alone = builder.free_text(&tags, true).unwrap();
            let up_to = builder.free_text(&tags, false).unwrap();
            let rest = builder.free_text(&none, true).unwrap();
            let some = builder.repetition(up_to, 0, [None, Some(2)][self.place % 2]);
            let prose = builder.concatenation(&[some, rest]);
            let body = match self.place {
                0 => alone,
                1 | 2 => prose,
                3 => builder.concatenation(&[alone, mark]),
                4 => up_to,
                5 => builder.alternatives(&[word, prose]),
                6 => builder.concatenation(&[rest, call]),
                _ => {
                    let word = builder.alternatives(&[word, GrammarBuilder::EMPTY]);
                    builder.concatenation(&[word, alone, letters])
                }
            };
            let bracket = builder.literal(b"<");
            let nested = builder.concatenation(&[bracket, rest, bracket]);
            let inner_body = builder.alternatives(&[nested, word]);
            builder.define_rule(inner, inner_body);
            builder.define_rule(start, body);
            builder.finish(start).unwrap()
        }
    }

    #[test]
    fn states_of_free_text_are_told_from_others_by_where_strings_end() {
        let tokens: &[&[u8]] =
            &[b"\xE6\x97", b"\xC3", b"a\xC3", b"\xA9<", b"\xA5!", b"<a<a<ab", b"abababa", b"!!!!"];
        let vocabulary = vocabulary_of(&["a", "b", "<", "é", "日", "本", "!"], tokens);
        let mut random = Rng::with_seed(5);
        let (mut walks, mut beside, mut same, mut beside_any) = (0, 0, 0, 0);
        for _ in 0..150 {
            let prose = Prose::random(&mut random);
            let name = format!("{prose:?}");
            let compared = compare(&prose.grammar(), &name, "ab<é日本!".as_bytes(), &vocabulary, &[]);
            walks += compared.walks;
            beside += compared.beside_unread[0];
            same += compared.beside_unread[1];
            beside_any += compared.beside_any_text[0];
        }
        assert!(
            walks > 1000 && beside > 300 && same > 50 && beside_any > 200,
            "{beside} of {walks} walks beside others, {same} alike; {beside_any} beside any text"
        );
    }

    /// A schema of strings, or of keys, in which some patterns are looked for.
    fn random_searches(random: &mut Rng) -> String {
        const PIECES: &[&str] = &["a", "b", "-", "é", "日本", "ab", "a-", "a b", "\\\"", "\\\\\\\\"];
        const BEHIND: &[&str] = &["", "", "[ab]", "b+", "[^é]", "-?", "(a|日)", "{2}"];
        let mut pattern = || {
            let piece = |random: &mut Rng| PIECES[random.usize(..PIECES.len())];
            let behind = BEHIND[random.usize(..BEHIND.len())];
            match random.usize(..8) {
                0 => format!("({}|{}){behind}", piece(random), piece(random)),
                1 => format!("[ab-]{behind}{}", piece(random)),
                2 => format!("^{}", piece(random)),
                _ => format!("{}{behind}", piece(random)),
            }
        };
        let [one, two, three]: [String; 3] = std::array::from_fn(|_| pattern());
        match random.usize(..6) {
            0 => format!(r#"{{"type": "string", "pattern": "{one}"}}"#),
            1 => format!(r#"{{"type": "string", "not": {{"pattern": "{one}"}}}}"#),
            2 => {
                format!(r#"{{"type": "string", "pattern": "{one}", "not": {{"pattern": "{two}"}}}}"#)
            }
            3 => {
                format!(r#"{{"type": "string", "oneOf": [{{"pattern": "{one}"}}, {{"pattern": "{two}"}}]}}"#)
            }
            4 => format!(
                r#"{{"type": "object", "patternProperties": {{"{one}": {{"const": 1}}, "{two}": {{"type": "null"}}}}}}"#
            ),
            _ => format!(
                r#"{{"type": "array", "items": {{"type": "string", "anyOf": [{{"pattern": "{one}"}}, {{"not": {{"pattern": "{two}"}}}}], "not": {{"pattern": "{three}"}}}}}}"#
            ),
        }
    }

    #[test]
    fn strings_in_which_something_is_looked_for_are_told_from_others_by_where_that_begins() {
        let pieces = ["a", "b", "-", " ", "é", "日", "本", "\"", "\\u0061", "\\\""];
        let more: &[&[u8]] = &[
            b"a\xC3",
            b"\xA9-",
            b"\xE6\x97",
            b"\xA5\xE6",
            b"b\": 1",
            b"-\": null, \"a",
            b"a\", \"",
            b"\\\\",
            b"a\\\\",
            b"\x01",
        ];
        let vocabulary = vocabulary_of(&pieces, more);
        let mut random = Rng::with_seed(11);
        let (mut walks, mut beside) = (0, 0);
        for _ in 0..60 {
            let text = random_searches(&mut random);
            let options = json_schema::Options::default();
            let Ok(grammar) = json_schema::compile(&text, &[], &options, &Budget::default()) else {
                continue;
            };
            let bytes = "{\"[ab- é日本\\u0061:1, n".as_bytes();
            let compared = compare(&grammar, &text, bytes, &vocabulary, &[]);
            walks += compared.walks;
            beside += compared.beside_any_string[0];
        }
        assert!(walks > 2000 && beside > 80, "{beside} of {walks} walks beside those of any string");
    }

    /// Made of so many parts at most: told by runs of characters, by each of them, by several; of a greatest length; in members' names.
    const OF_PARTS: &[&str] = &[
        r#"{"type": "string", "pattern": "^(?:\\S+\\s+){0,3}\\S+$"}"#,
        r#"{"type": "string", "pattern": "^(?:\\S+\\s+){1,5}\\S+$", "maxLength": 30}"#,
        r#"{"type": "string", "pattern": "^(?:\\S+ ){2,4}[ab]+$", "maxLength": 9}"#,
        r#"{"type": "string", "pattern": "^\\s*\\S+(?:\\s+\\S+){0,4}\\s*$"}"#,
        r#"{"type": "string", "pattern": "^([^-]+- ){0,4}[^-]+$", "minLength": 3}"#,
        r#"{"type": "string", "pattern": "^(-[ab]*){0,4}$"}"#,
        r#"{"type": "string", "pattern": "^(a*-){2,6}(b+ ){0,5}é*$"}"#,
        r#"{"type": "string", "pattern": "^(\\S+\\s*){1,4}$", "maxLength": 20}"#,
        r#"{"type": "string", "pattern": "^$|(^(?:\\S+\\s+){0,20}\\S+$)"}"#,
        r#"{"anyOf": [{"type": "string", "pattern": "^(\\w+ ){0,4}\\w+$"}, {"type": "array"}]}"#,
        r#"{"type": "array", "items": {"pattern": "^([ab]+\\s){0,5}$", "maxLength": 8}}"#,
        r#"{"type": "object", "patternProperties": {"^(\\w+-){0,3}\\w+$": {"const": 1}}, "additionalProperties": false}"#,
    ];

    #[test]
    fn a_text_of_few_parts_is_walked_beside_one_of_any_number() {
        let pieces = ["a", "b", "-", " ", "é", "\u{2003}", "\"", "\\n", "\\\\", "\\u0020"];
        let more: &[&[u8]] = &[
            b"a b a b a b",
            b"a- a- a- a",
            b"          ",
            b"a  b   a  b",
            b"a a a\", \"",
            b"-----a",
            b"a\\nb\\nc\\n",
            b" \\\\ \\\\ \\\\ ",
            b"\\\\\\\\ a \\\\ ",
            "é\u{2003}é \u{2003}é".as_bytes(),
            b"a\xC3",
            b" a \xE2",
            b" a\xE2\x80",
            b"\x80 a a",
            b"\x83a a a",
        ];
        let (vocabulary, mut beside) = (vocabulary_of(&pieces, more), [0; 2]);
        for text in OF_PARTS {
            let options = json_schema::Options::default();
            let grammar = json_schema::compile(text, &[], &options, &Budget::default()).unwrap();
            let bytes = "ab- é\u{2003}\"\\n[{".as_bytes();
            let compared = compare(&grammar, text, bytes, &vocabulary, &[]);
            beside = [0, 1].map(|at| beside[at] + compared.beside_unlimited[at]);
        }
        assert!(beside[0] > 70 && beside[1] > 3, "{beside:?}");
    }
}
