//! Texts that a model may well write, one after another.
//!
//! A text is written byte by byte beside the recogniser. Where there is a choice, the way is taken that was taken
//! least often, in this text and those before, and of these the likeliest: so the first text has a bit of everything on
//! its way, and each further one what is left. What a front end suggests goes before single bytes, since it knows
//! that properties come in their declared order. Where a text goes on for too long without it, the shortest way to an
//! end is taken.
//!
//! None of this decides on what is allowed. It is only about what is met first.

use rustc_hash::FxHashMap;

use super::likely_bytes::{FIRST, UNLIKELY, kind, rank};
use super::way_out::way_out;
use crate::budget::Deadline;
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::expression::Symbol;
use crate::mask::Outcome;
use crate::recognizer::{Advance, Automaton, Pair, SharedFrame, SharedGraph, StackGraph, StateId};
use crate::vocabulary::{TokenId, Vocabulary};

/// A way to go on from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    Suggested(StateId),
    /// Any byte of a kind, which is known by one of them.
    Kind(StateId, u8),
    Byte(StateId, u8),
    Token(StateId, TokenId),
    /// The shortest text that completes the frame.
    Out(StateId),
}

impl Way {
    fn state(self) -> StateId {
        match self {
            Self::Suggested(state)
            | Self::Kind(state, _)
            | Self::Byte(state, _)
            | Self::Token(state, _)
            | Self::Out(state) => state,
        }
    }
}

/// How soon something is taken; the least is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    /// Whether other ways are taken if there are any.
    is_unlikely: bool,
    /// How often such a way was taken.
    times: u32,
    /// Its rank among those that were taken as often.
    rank: u8,
    /// How often just this byte was taken.
    times_of_byte: u32,
}

/// A way with what is read on it.
struct Choice {
    score: Score,
    way: Way,
    text: Vec<Symbol>,
}

/// Writes likely texts of one constraint.
pub(super) struct LikelyTexts<'a> {
    automaton: &'a Automaton,
    vocabulary: &'a Vocabulary,
    deadline: &'a Deadline,
    /// How often each way was taken in all texts.
    taken: FxHashMap<Way, u32>,
    /// How often something that adds to the text was chosen in each frame of it: items and characters are not to go on for
    /// ever where each leads to a state of its own. The frames are kept, so that none is taken for another.
    added: FxHashMap<((usize, u32), Addition), (SharedFrame, u32)>,
    advance: Advance<SharedGraph>,
    now: Vec<Pair<SharedFrame>>,
    is_complete: bool,
    text: Vec<Symbol>,
}

impl<'a> LikelyTexts<'a> {
    pub(super) fn new(automaton: &'a Automaton, vocabulary: &'a Vocabulary, deadline: &'a Deadline) -> Self {
        Self {
            automaton,
            vocabulary,
            deadline,
            taken: FxHashMap::default(),
            added: FxHashMap::default(),
            advance: Advance::new(),
            now: Vec::new(),
            is_complete: false,
            text: Vec::new(),
        }
    }

    /// Writes the next text with something new on its way, by some choices at most, or the beginning of one. `None` where
    /// there was nothing new on the way of several texts. Asks before each choice whether to go on.
    pub(super) fn write(
        &mut self,
        most: usize,
        check: &mut dyn FnMut() -> Outcome<()>,
    ) -> Outcome<Option<&[Symbol]>> {
        /// What was taken least often is taken next, so what is new somewhere is soon met.
        const TEXTS: usize = 8;
        for _ in 0..TEXTS {
            if self.write_one(most, check)? {
                return Ok(Some(&self.text));
            }
        }
        Ok(None)
    }

    /// Writes one text, or the beginning of one that goes on for long with nothing new. Returns whether something was new on
    /// its way.
    fn write_one(&mut self, most: usize, check: &mut dyn FnMut() -> Outcome<()>) -> Outcome<bool> {
        /// After so many choices in a row with nothing new, more of the same is to be expected, such as the same bracket in
        /// each frame that it opens. Where that is ambiguous, each takes longer than the one before.
        const KNOWN_CHOICES: usize = 256;
        let start = Pair { state: self.automaton.start(), frame: SharedFrame::bottom() };
        self.is_complete = start.state.is_nullable();
        self.now.clear();
        self.now.extend(start.state.continues().then_some(start));
        self.text.clear();
        self.added.clear();
        let (mut is_new, mut known_choices) = (false, 0);
        for _ in 0..most {
            check()?;
            let Some(Choice { score, way, text }) = self.choose(check)? else { break };
            if self.is_complete && (score.is_unlikely || score.times > 0) {
                break;
            }
            known_choices = if self.is_new(way) { 0 } else { known_choices + 1 };
            if known_choices > KNOWN_CHOICES {
                break;
            }
            is_new |= known_choices == 0;
            self.take(way)?;
            self.read(&text)?;
        }
        Ok(is_new)
    }

    /// Whether nothing like it was taken before. What a front end suggests is another text each time.
    fn is_new(&self, way: Way) -> bool {
        match way {
            Way::Byte(state, byte) => self.times(Way::Kind(state, kind(byte))) == 0,
            Way::Suggested(_) => true,
            Way::Kind(..) | Way::Token(..) | Way::Out(_) => self.times(way) == 0,
        }
    }

    /// Counts a way as taken, and with it those that lead to the same.
    fn take(&mut self, way: Way) -> Result<()> {
        *self.taken.entry(way).or_default() += 1;
        let (automaton, deadline) = (self.automaton, self.deadline);
        let first = automaton.first_bytes(way.state(), deadline)?;
        match way {
            Way::Suggested(state) => self.forget_choices(state),
            _ if first.len() > 1 => self.add(way.state(), Addition::Choice),
            _ => {}
        }
        if let Way::Byte(state, byte) = way {
            let (_, alike) = automaton.step_class(state, byte, first, deadline)?;
            let kinds: ByteSet = alike.iter().chain([byte]).map(kind).collect();
            for kind in kinds.iter() {
                *self.taken.entry(Way::Kind(state, kind)).or_default() += 1;
            }
            if let Some(addition) = Addition::by(byte) {
                self.add(state, addition);
            }
        }
        Ok(())
    }

    /// Counts what is added in the frames that are in a state.
    fn add(&mut self, state: StateId, addition: Addition) {
        for pair in self.now.iter().filter(|pair| pair.state == state) {
            let key = (SharedGraph::key(&pair.frame), addition);
            self.added.entry(key).or_insert_with(|| (pair.frame.clone(), 0)).1 += 1;
        }
    }

    /// Counts the choices in the frames that are in a state from nought again: what is suggested comes to an end.
    fn forget_choices(&mut self, state: StateId) {
        for pair in self.now.iter().filter(|pair| pair.state == state) {
            self.added.remove(&(SharedGraph::key(&pair.frame), Addition::Choice));
        }
    }

    /// Reads some symbols, as far as they can be read.
    fn read(&mut self, text: &[Symbol]) -> Result<()> {
        for &symbol in text {
            let mut next = Vec::new();
            let Self { advance, now, deadline, .. } = self;
            let is_complete =
                advance.step(self.automaton, &mut SharedGraph, now, symbol, deadline, &mut next)?;
            if next.is_empty() && !is_complete {
                break;
            }
            (self.now, self.is_complete) = (next, is_complete);
            self.text.push(symbol);
        }
        Ok(())
    }

    /// The way to take; `None` where nothing goes on.
    fn choose(&mut self, check: &mut dyn FnMut() -> Outcome<()>) -> Outcome<Option<Choice>> {
        /// A frame that goes on after so many ways out of it is left as it is.
        const WAYS_OUT: u32 = 8;
        let mut best = None;
        for pair in &self.now {
            let choice = match self.suggestion(pair.state)? {
                Some(suggested) => Some(suggested),
                None => match self.excess(pair, Addition::Choice) {
                    0 => self.choose_symbol(pair)?,
                    1..=WAYS_OUT => self.way_out(pair, check)?,
                    _ => None,
                },
            };
            best = sooner(best, choice);
        }
        Ok(best)
    }

    /// What the front end suggests for a state.
    fn suggestion(&self, state: StateId) -> Result<Option<Choice>> {
        /// After single bytes that were not chosen before, lest every number has one digit, and every text one word.
        const RANK: u8 = 85;
        let way = Way::Suggested(state);
        let times = self.times(way);
        let suggested =
            self.automaton.suggestion(state, times, self.deadline)?.filter(|text| !text.is_empty());
        Ok(suggested.map(|text| Choice {
            score: Score { is_unlikely: false, times: 0, rank: RANK, times_of_byte: 0 },
            way,
            text: text.into_iter().map(Symbol::Byte).collect(),
        }))
    }

    /// The best single byte, or exact token, with which a state goes on.
    fn choose_symbol(&self, pair: &Pair<SharedFrame>) -> Result<Option<Choice>> {
        /// An exact token is the beginning or the end of something, as brackets are.
        const TOKEN_RANK: u8 = 50;
        let (automaton, state) = (self.automaton, pair.state);
        let before = self.text.last().copied();
        let mut left = automaton.first_bytes(state, self.deadline)?.intersection(&self.vocabulary.alphabet());
        let mut best = None;
        while let Some((score, byte)) = left.iter().map(|byte| (self.score(pair, byte, before), byte)).min() {
            if automaton.can_read(state, byte, self.deadline)? {
                let (way, text) = (Way::Byte(state, byte), vec![Symbol::Byte(byte)]);
                best = Some(Choice { score, way, text });
                break;
            }
            left = left.difference(&ByteSet::single(byte));
        }
        if automaton.names_tokens() {
            for &set in automaton.exact_tokens(state)? {
                let count = self.vocabulary.token_count();
                let token = automaton.with_expressions(|store| store.token_set(set).tokens(count).next())?;
                let Some(token) = token else { continue };
                let way = Way::Token(state, token);
                let times = self.times(way);
                let score = Score { is_unlikely: false, times, rank: TOKEN_RANK, times_of_byte: times };
                best = sooner(best, Some(Choice { score, way, text: vec![Symbol::Token(token)] }));
            }
        }
        Ok(best)
    }

    fn score(&self, pair: &Pair<SharedFrame>, byte: u8, before: Option<Symbol>) -> Score {
        let rank = rank(byte, before);
        let times = match rank {
            FIRST => 0,
            _ => {
                let excess = Addition::by(byte).map_or(0, |addition| self.excess(pair, addition));
                self.times(Way::Kind(pair.state, kind(byte))) + excess
            }
        };
        let times_of_byte = self.times(Way::Byte(pair.state, byte));
        Score { is_unlikely: rank >= UNLIKELY, times, rank, times_of_byte }
    }

    /// The shortest way on which the frame is complete, where a text has gone on in it for long enough; it is unlikely where
    /// the frame may be left as it is. `None` where there is none near.
    fn way_out(
        &self,
        pair: &Pair<SharedFrame>,
        check: &mut dyn FnMut() -> Outcome<()>,
    ) -> Outcome<Option<Choice>> {
        let text = way_out(self.automaton, pair.state, &self.vocabulary.alphabet(), self.deadline, check)?;
        Ok(text.map(|text| Choice {
            score: Score {
                is_unlikely: pair.state.is_nullable(),
                times: 0,
                rank: UNLIKELY,
                times_of_byte: 0,
            },
            way: Way::Out(pair.state),
            text: text.into_iter().map(Symbol::Byte).collect(),
        }))
    }

    /// How often something would be added to a frame more than there should be.
    fn excess(&self, pair: &Pair<SharedFrame>, addition: Addition) -> u32 {
        let added = self.added.get(&(SharedGraph::key(&pair.frame), addition)).map_or(0, |&(_, added)| added);
        (added + 1).saturating_sub(addition.enough())
    }

    fn times(&self, way: Way) -> u32 {
        self.taken.get(&way).copied().unwrap_or(0)
    }
}

fn sooner(best: Option<Choice>, other: Option<Choice>) -> Option<Choice> {
    match (best, other) {
        (Some(best), Some(other)) if other.score < best.score => Some(other),
        (None, other) => other,
        (best, _) => best,
    }
}

/// What a byte adds to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Addition {
    /// A character of a word.
    Character,
    /// What stands between two items, or opens one within another.
    Mark(u8),
    /// Any symbol that is one of several, and is not suggested.
    Choice,
}

impl Addition {
    /// What a byte adds; `None` for one that ends something, or may.
    fn by(byte: u8) -> Option<Self> {
        match byte {
            b'(' | b'[' | b'{' | b'<' | b',' | b';' => Some(Self::Mark(byte)),
            b')' | b']' | b'}' | b'>' | b':' | b'"' | b'\'' | b' ' | b'\t' | b'\n' | b'\r' => None,
            _ => Some(Self::Character),
        }
    }

    /// How often it may be added to one frame before all else goes first.
    fn enough(self) -> u32 {
        match self {
            Self::Character => 4,
            Self::Mark(_) => 2,
            Self::Choice => 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::frontend::{gbnf, json_schema, regex};
    use crate::grammar::{Grammar, PreparedGrammar};

    fn texts_of(grammar: &Grammar, count: usize) -> Vec<String> {
        let budget = Budget::default();
        let vocabulary = Vocabulary::of_bytes();
        let prepared = PreparedGrammar::new(grammar, &vocabulary, &budget, true).unwrap();
        let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
        let deadline = Deadline::for_compile(&budget);
        let mut texts = LikelyTexts::new(&automaton, &vocabulary, &deadline);
        let mut written = Vec::new();
        while written.len() < count
            && let Ok(Some(text)) = texts.write(1000, &mut || Ok(()))
        {
            let byte = |symbol: &Symbol| match symbol {
                Symbol::Byte(byte) => *byte,
                Symbol::Token(_) => panic!("no grammar of the test names tokens"),
            };
            written.push(String::from_utf8(text.iter().map(byte).collect()).unwrap());
        }
        written
    }

    #[test]
    fn texts_have_a_bit_of_everything_and_then_what_is_left() {
        let budget = Budget::default();
        let schema =
            |text| json_schema::compile(text, &[], &json_schema::Options::default(), &budget).unwrap();
        let object = r#"{"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"},
            "kind": {"enum": ["x", "y"]}}, "required": ["name", "kind"], "additionalProperties": false}"#;
        let counted = r#"{"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 500}"#;
        let word =
            regex::compile("(get|post)! [a-z]{1,200}", &regex::RegexOptions::default(), &budget).unwrap();
        let list =
            gbnf::compile("root ::= \"(\" root \")\" | [0-9]+ (\", \" [0-9]+)*", "root", &budget).unwrap();
        let cases: [(Grammar, &[&str]); 4] = [
            (
                schema(object),
                &[r#"{"name": "a", "age": 111.0, "kind": "x"}"#, r#"{"name": "b", "kind": "y"}"#],
            ),
            (schema(counted), &[r#"["a", "", "ba"]"#]),
            (word, &["get! a", "post! b"]),
            (list, &["11, 1", "(1)"]),
        ];
        for (grammar, expected) in cases {
            assert_eq!(texts_of(&grammar, expected.len()), expected);
        }
    }

    #[test]
    fn there_is_an_end_to_what_is_new() {
        let budget = Budget::default();
        for (pattern, expected) in [("a|b", &["a"][..]), ("ax|1y", &["ax", "1y"]), ("ax|by", &["ax", "by"])] {
            let word = regex::compile(pattern, &regex::RegexOptions::default(), &budget).unwrap();
            assert_eq!(texts_of(&word, 9), expected, "{pattern}");
        }
    }

    #[test]
    fn a_text_that_nests_the_same_without_end_is_left_unfinished() {
        let text = "root ::= x \"a\"\nx ::= \"\u{e9}\" | \"<\" x \"c\" | \"<\" x";
        let grammar = gbnf::compile(text, "root", &Budget::default()).unwrap();
        let written = texts_of(&grammar, 3);
        assert!(written.iter().all(|text| text.len() < 400), "{written:?}");
    }

    #[test]
    fn there_is_an_end_to_each_text_and_what_cannot_be_is_not_suggested() {
        let cases = [
            r#"{"properties": {"a": {"type": "string", "minLength": 40}, "z": {"const": 1}}, "required": ["a", "z"],
                "type": "object"}"#,
            r#"{"properties": {"n": {"type": "integer"}, "no": false, "z": {"const": 1}}, "required": ["z"],
                "type": "object"}"#,
            r#"{"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number"}}}"#,
            r#"{"type": "array", "items": {"type": "string", "pattern": "^[a-z0-9]{30,}-x$"}, "minItems": 1}"#,
        ];
        for schema in cases {
            let budget = Budget::default();
            let grammar =
                json_schema::compile(schema, &[], &json_schema::Options::default(), &budget).unwrap();
            for text in texts_of(&grammar, 6) {
                assert!(text.len() < 200 && text.ends_with(['}', ']']) && !text.contains("\"no"), "{text}");
            }
        }
    }
}
