//! Texts that a model may well write, one after another.
//!
//! A text is written byte by byte beside the recogniser. Where there is a choice, the way is taken that was taken
//! least often, in this text and those before, and of these the likeliest: so the first text has a bit of everything on
//! its way, and each further one what is left. What a front end suggests goes before single bytes, since it knows
//! that properties come in their declared order.
//!
//! None of this decides on what is allowed. It is only about what is met first.

use rustc_hash::FxHashMap;

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

    /// Writes the next text, by some choices at most, or the beginning of one. `None` where no way was left on it that
    /// was not taken before. Asks now and then whether to go on.
    pub(super) fn write(
        &mut self,
        most: usize,
        check: &mut dyn FnMut() -> Outcome<()>,
    ) -> Outcome<Option<&[Symbol]>> {
        const CHOICES_PER_CHECK: usize = 32;
        let start = Pair { state: self.automaton.start(), frame: SharedFrame::bottom() };
        self.is_complete = start.state.is_nullable();
        self.now.clear();
        self.now.extend(start.state.continues().then_some(start));
        self.text.clear();
        self.added.clear();
        let mut is_new = false;
        for count in 1..=most {
            if count % CHOICES_PER_CHECK == 0 {
                check()?;
            }
            let Some(Choice { score, way, text }) = self.choose()? else { break };
            if self.is_complete && (score.is_unlikely || score.times > 0) {
                break;
            }
            is_new |= self.times(way) == 0;
            self.take(way)?;
            self.read(&text)?;
        }
        Ok(is_new.then_some(&self.text))
    }

    /// Counts a way as taken, and with it those that lead to the same.
    fn take(&mut self, way: Way) -> Result<()> {
        *self.taken.entry(way).or_default() += 1;
        if let Way::Byte(state, byte) = way {
            let first = self.automaton.first_bytes(state, self.deadline)?;
            let (_, alike) = self.automaton.step_class(state, byte, first, self.deadline)?;
            let kinds: ByteSet = alike.iter().chain([byte]).map(kind).collect();
            for kind in kinds.iter() {
                *self.taken.entry(Way::Kind(state, kind)).or_default() += 1;
            }
            if let Some(addition) = Addition::by(byte) {
                for pair in &self.now {
                    let key = (SharedGraph::key(&pair.frame), addition);
                    self.added.entry(key).or_insert_with(|| (pair.frame.clone(), 0)).1 += 1;
                }
            }
        }
        Ok(())
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
    fn choose(&mut self) -> Result<Option<Choice>> {
        self.deadline.check()?;
        let mut best = None;
        for pair in &self.now {
            let choice = match self.suggestion(pair.state)? {
                Some(suggested) => Some(suggested),
                None => self.choose_symbol(pair)?,
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
            for &set in automaton.exact_tokens(state) {
                let count = self.vocabulary.token_count();
                let token = automaton.with_expressions(|store| store.token_set(set).tokens(count).next());
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
            _ => self.times(Way::Kind(pair.state, kind(byte))) + self.excess(pair, byte),
        };
        let times_of_byte = self.times(Way::Byte(pair.state, byte));
        Score { is_unlikely: rank >= UNLIKELY, times, rank, times_of_byte }
    }

    /// How often a byte would add more to its frame than there should be.
    fn excess(&self, pair: &Pair<SharedFrame>, byte: u8) -> u32 {
        let Some(addition) = Addition::by(byte) else { return 0 };
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

/// What is written wherever it can be.
const FIRST: u8 = 0;
/// Bytes from this rank on are seldom written where others can be.
const UNLIKELY: u8 = 100;

/// The place of a byte among those that can be written after another symbol, the likeliest first.
fn rank(byte: u8, before: Option<Symbol>) -> u8 {
    let follows = |is: fn(&u8) -> bool| matches!(before, Some(Symbol::Byte(byte)) if is(&byte));
    match byte {
        b' ' if follows(|byte| matches!(byte, b',' | b':')) => FIRST,
        b' ' | b'\t' | b'\n' | b'\r' => UNLIKELY,
        b'e' | b'E' if follows(u8::is_ascii_digit) => UNLIKELY,
        b'a'..=b'z' if follows(|byte| *byte == b'"') => 5,
        b'"' => 10,
        b'a'..=b'z' => 20,
        b'1'..=b'9' => 30,
        b'A'..=b'Z' => 40,
        b'{' => 50,
        b',' => 60,
        b'0' => 70,
        b'+' | b'-' => 90,
        b'\\' | 0..=0x1F | 0x7F.. => UNLIKELY + 1,
        _ => 80,
    }
}

/// The kind of a byte, as one of its bytes: what comes after letters is mostly the same for all of them, as it is for
/// digits.
fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => b'a',
        b'0'..=b'9' => b'0',
        0x80.. => 0x80,
        other => other,
    }
}

/// What a byte adds to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Addition {
    /// A character of a word.
    Character,
    /// What stands between two items, or opens one within another.
    Mark(u8),
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
        let tokens = (0..=255u8).map(|byte| Some(vec![byte])).chain([None]).collect();
        let vocabulary = Vocabulary::new(tokens, vec![], vec![TokenId(256)], 257).unwrap();
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
                Symbol::Token(_) => unreachable!("no grammar of the test names tokens"),
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
        let word = regex::compile("a|b", &regex::RegexOptions::default(), &Budget::default()).unwrap();
        assert_eq!(texts_of(&word, 9), ["a", "b"]);
    }
}
