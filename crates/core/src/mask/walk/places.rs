//! Where two states begin to make something else of tokens.
//!
//! States that [differ little](super::beside) often do so in a way of which it is known what tokens show it: how far free text has been read, strings
//! that are looked for, how many parts or characters a text may have at most. These nodes are looked up, or have been listed once for a
//! vocabulary, and no state is needed to find them.

use super::Ground;
use crate::error::Result;
use crate::expression::{Both, Sought, TextPairs, TextTables};
use crate::recognizer::{AnyLengthState, LengthLeft, StateId, UnlimitedState};
use crate::vocabulary::{Counting, NodeId, Separating};

/// A node from which on the two differ.
#[derive(Clone, Copy, Debug)]
pub(in crate::mask) struct PlaceApart {
    pub(super) node: NodeId,
    pub(super) rest: Rest,
}

/// What is left of the state at a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rest {
    Nothing,
    /// Just this state, which is not complete.
    State(StateId),
    /// Something that has little in common with what is left of its neighbour.
    Other,
    /// The free text of both goes on.
    Text,
}

impl Ground<'_> {
    /// Where two states that differ in how far free text has been read begin to make something else of tokens.
    ///
    /// Takes a look-up in the trie for each byte with which a string goes on that one of the two has begun, and no state.
    pub(in crate::mask) fn places_apart(&self, texts: &TextPairs) -> Result<Vec<PlaceApart>> {
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
                        Both::Apart { goes_on: true } => apart.push(PlaceApart { node, rest: Rest::Text }),
                        Both::Apart { goes_on: false } => apart.push(PlaceApart { node, rest: Rest::Other }),
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
    ) -> Result<Option<Vec<PlaceApart>>> {
        let trie = self.vocabulary.trie();
        self.automaton.with_expressions(|expressions| {
            let Some(nodes) = self.ends(expressions.strings_of(texts), most)? else { return Ok(None) };
            let nodes = self.topmost(nodes);
            let place = |node| {
                let goes_on = expressions.goes_on_behind(texts, &trie.path(NodeId::ROOT, node));
                PlaceApart { node, rest: if goes_on { Rest::Other } else { Rest::Nothing } }
            };
            Ok(Some(nodes.into_iter().map(place).collect()))
        })?
    }

    /// Where a text or a JSON string in which some strings are looked for begins to make something else of tokens than any string does: where
    /// they complete one of these, or begin with one that comes first, and where an escape begins, by which they may be spelled in a string.
    /// `None` where that is at more than some number of nodes.
    pub(in crate::mask) fn places_with_sought(
        &self,
        sought: &Sought,
        has_escapes: bool,
        most: usize,
    ) -> Result<Option<Vec<PlaceApart>>> {
        let strings = sought.anywhere.iter().map(|string| &**string).chain(has_escapes.then_some(&b"\\"[..]));
        let Some(mut nodes) = self.ends(strings, most)? else { return Ok(None) };
        nodes.extend(sought.first.iter().filter_map(|string| self.vocabulary.trie().find(string)));
        let places = self.topmost(nodes).into_iter().map(|node| PlaceApart { node, rest: Rest::Other });
        Ok(Some(places.collect()))
    }

    /// Where a text of so many parts at most begins to make something else of tokens than one of any number does: where they hold more of what
    /// tells parts than makes no difference. `None` where the vocabulary can't tell.
    pub(in crate::mask) fn places_with_parts(&self, unlimited: &UnlimitedState) -> Option<Vec<PlaceApart>> {
        let &UnlimitedState { ref separators, is_string, count, .. } = unlimited;
        let class = self.vocabulary.class(&separators.characters)?;
        let separating = Separating { class, in_runs: separators.in_runs, with_escapes: is_string };
        let nodes = self.vocabulary.nodes_with_more_than(count, Counting::Separators(separating))?;
        let places = self.topmost(nodes).into_iter().map(|node| PlaceApart { node, rest: Rest::Other });
        Some(places.collect())
    }

    /// Where a text of a bounded length begins to make something else of tokens than one of any length: where they have more characters than
    /// make no difference. `None` where these are not many.
    pub(in crate::mask) fn places_too_long(&self, any: &AnyLengthState) -> Result<Option<Vec<PlaceApart>>> {
        /// To read the strings of more nodes takes longer than a walk.
        const MOST_PLACES: usize = 64;
        let nodes = self.vocabulary.nodes_with_more_than(any.characters, Counting::Characters);
        let Some(nodes) = nodes.filter(|nodes| nodes.len() <= MOST_PLACES) else { return Ok(None) };
        let trie = self.vocabulary.trie();
        let place = |node| {
            let string = trie.path(NodeId::ROOT, node);
            let rest = match self.automaton.left_of_length(any, &string, self.deadline)? {
                LengthLeft::Nothing => Rest::Nothing,
                LengthLeft::State(state) => Rest::State(state),
                LengthLeft::Unknown => Rest::Other,
            };
            Ok(PlaceApart { node, rest })
        };
        self.topmost(nodes).into_iter().map(place).collect::<Result<_>>().map(Some)
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

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::super::compared::{compare, of_schema, vocabulary_of};
    use crate::Constraint;
    use crate::budget::Budget;
    use crate::byte_set::ByteSet;
    use crate::expression::ExpressionId;
    use crate::frontend::json_schema;
    use crate::frontend::regex::{self, RegexOptions};
    use crate::grammar::{Grammar, GrammarBuilder};

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
            match random.usize(..11) {
                0 => format!("({}|{}){behind}", piece(random), piece(random)),
                1 => format!("[ab-]{behind}{}", piece(random)),
                2 => format!("^{}", piece(random)),
                3 => format!("^(?!.*{}{behind})", piece(random)),
                4 => format!("^(?![ab]*{}{behind})", piece(random)),
                5 => format!("(?i:{}){behind}", piece(random)),
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

    /// A pattern under which some strings must not be found, and those.
    fn random_allowed_text(random: &mut Rng) -> (String, Vec<String>) {
        const TEXTS: &[&str] = &[
            "(?s).*",
            "[^\\n]*",
            "[^\\n]{1,9}",
            "[ab -]{3,40}",
            "(?s).{2,}",
            "\"[^\"]*\"",
            "<a>[^\\n]{0,5}</a>",
            "[^-]*(-|b-|é)",
            "(?s)(?!.*(ab|日a)).{2,9}",
            "(?!.*[ab]-).*",
            "(?s)(?!.*(?i:ba-)).{0,30}",
            "(?s)(?!.*[a-b]{2,3}-).{1,}",
            "[ab]+\"[^\"]{1,4}\"",
            "(a|[^-]{2,4})é?",
            "([^\\n]{1,5}|a[^-]*!)\\n",
        ];
        const PIECES: &[&str] = &["a", "b", "-", "ab", "ba-", "é", "aé日", "日本", "</a", "\"b", " a"];
        let text = TEXTS[random.usize(..TEXTS.len())].to_owned();
        let strings = (0..random.usize(1..5)).map(|_| {
            let piece = PIECES[random.usize(..PIECES.len())];
            match random.bool() {
                true => format!("{piece}{}", PIECES[random.usize(..PIECES.len())]),
                false => piece.to_owned(),
            }
        });
        (text, strings.collect())
    }

    #[test]
    fn text_in_which_strings_must_not_be_found_is_told_from_others_by_where_these_end() {
        let pieces = ["a", "b", "-", " ", "é", "日", "本", "\"", "</a>", "\n", "ab-", "A"];
        let more: &[&[u8]] =
            &[b"a\xC3", b"\xA9-", b"\xE6\x97", b"\xA5\xE6", b"a -b ab", b"b</a>\n", b"-\n", b"BA-a", b"a</"];
        let vocabulary = vocabulary_of(&pieces, more);
        let mut random = Rng::with_seed(5);
        let (mut walks, mut beside) = (0, 0);
        for _ in 0..120 {
            let (pattern, forbidden) = random_allowed_text(&mut random);
            let name = format!("{pattern} without {forbidden:?}");
            let options = RegexOptions { forbidden, ..RegexOptions::default() };
            let grammar = regex::compile(&pattern, &options, &Budget::default()).unwrap();
            // Some patterns match nothing but what is forbidden.
            if Constraint::compile(&grammar, &vocabulary, &Budget::default()).is_err() {
                continue;
            }
            let compared = compare(&grammar, &name, "ab- é日本<\"\nA".as_bytes(), &vocabulary, &[]);
            walks += compared.walks;
            beside += compared.beside_allowed_text[0];
        }
        assert!(walks > 2000 && beside > 500, "{beside} of {walks} walks beside those of any text");
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
            let grammar = of_schema(text);
            let bytes = "ab- é\u{2003}\"\\n[{".as_bytes();
            let compared = compare(&grammar, text, bytes, &vocabulary, &[]);
            beside = [0, 1].map(|at| beside[at] + compared.beside_unlimited[at]);
        }
        assert!(beside[0] > 70 && beside[1] > 3, "{beside:?}");
    }

    /// Of a greatest length, under conditions that remember what has been read.
    const OF_LENGTHS: &[&str] = &[
        r#"{"type": "string", "pattern": "^([ab]-?)*$", "maxLength": 21}"#,
        r#"{"type": "string", "pattern": "^(?:\\S+\\s+)*\\S+$", "maxLength": 19}"#,
        r#"{"type": "string", "pattern": "^[^b]*-[^b]*é?$", "maxLength": 24}"#,
        r#"{"type": "string", "pattern": "^(?=.*[a-b])(?=.*-).{0,26}$"}"#,
        r#"{"type": "string", "pattern": "^(?!.*(ab|- )).{0,22}$"}"#,
        r#"{"type": "string", "pattern": "^(a+b|日é)*$", "maxLength": 18, "minLength": 1}"#,
        r#"{"type": "array", "items": {"pattern": "^([ab]+[- ])*$", "maxLength": 20}}"#,
        r#"{"anyOf": [{"type": "string", "pattern": "^(\\w+ )*\\w+$", "maxLength": 19}, {"type": "null"}]}"#,
    ];

    #[test]
    fn a_text_of_a_bounded_length_is_walked_beside_one_of_any_length() {
        let pieces = ["a", "b", "-", " ", "é", "日", "\"", "\\n", "\\u0061"];
        let long: Vec<Vec<u8>> = ["a", "ab", "a-", "a b ", "日é", "\\n", "aa-b", "\\u0061b"]
            .iter()
            .flat_map(|piece| (3..12).map(|count| piece.repeat(2 * count).into_bytes()))
            .chain([
                b"aaaaaaaaaaaaaaaaaa\", ".to_vec(),
                [&b"a"[..]; 17].concat(),
                b"ab-ab-ab-ab-ab-ab\xC3".to_vec(),
            ])
            .collect();
        let long: Vec<&[u8]> = long.iter().map(Vec::as_slice).collect();
        let (vocabulary, mut beside) = (vocabulary_of(&pieces, &long), [0; 2]);
        for text in OF_LENGTHS {
            let grammar = of_schema(text);
            let compared = compare(&grammar, text, "ab- é日\"\\n[".as_bytes(), &vocabulary, &[]);
            beside = [0, 1].map(|at| beside[at] + compared.beside_any_length[at]);
        }
        assert!(beside[0] > 15, "{beside:?}");
    }
}
