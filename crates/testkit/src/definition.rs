//! The meaning of a grammar by listing its sentences, to test the oracle itself.
//!
//! Every sentence up to some length is written down, by nothing but operations on finite sets of
//! sequences; a text is a prefix if a listed sentence begins with it. Only tiny grammars can be listed.

use std::collections::BTreeSet;

use crate::ast::{Description, Expression};
use crate::vocabulary::TestVocabulary;

/// A letter of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Letter {
    /// One byte of text.
    Byte(u8),
    /// One exact token.
    Token(u32),
}

type Sentence = Vec<Letter>;

/// All sentences of a grammar up to a length.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    vocabulary: &'a TestVocabulary,
    longest: usize,
    sentences: BTreeSet<Sentence>,
}

impl<'a> Listing<'a> {
    /// Lists the sentences of at most `longest` letters.
    pub fn new(description: &Description, vocabulary: &'a TestVocabulary, longest: usize) -> Self {
        let mut listing = Self { vocabulary, longest, sentences: BTreeSet::new() };
        let mut rules = vec![BTreeSet::new(); description.rules.len()];
        loop {
            let next: Vec<_> = description.rules.iter().map(|body| listing.list(body, &rules)).collect();
            if next == rules {
                break;
            }
            rules = next;
        }
        listing.sentences = rules.swap_remove(0);
        listing
    }

    /// The length up to which sentences are listed.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Whether the tokens are a sentence, in any reading. Exact if no reading is longer than the listing.
    pub fn is_sentence(&self, tokens: &[u32]) -> bool {
        self.readings(tokens).iter().any(|reading| self.sentences.contains(reading))
    }

    /// Whether a listed sentence begins with the tokens, in any reading.
    pub fn is_prefix(&self, tokens: &[u32]) -> bool {
        self.readings(tokens).iter().any(|reading| {
            let next = self.sentences.range(reading.clone()..).next();
            next.is_some_and(|sentence| sentence.starts_with(reading))
        })
    }

    /// All ways to read the tokens, each as its bytes or as itself.
    fn readings(&self, tokens: &[u32]) -> Vec<Sentence> {
        tokens.iter().fold(vec![Vec::new()], |readings, &id| {
            let text = self.vocabulary.text(id);
            let bytes = text.map(|text| text.iter().map(|&byte| Letter::Byte(byte)).collect::<Sentence>());
            let itself = self.vocabulary.is_symbol(id).then(|| vec![Letter::Token(id)]);
            let choices: Vec<Sentence> = bytes.into_iter().chain(itself).collect();
            readings
                .iter()
                .flat_map(|reading| choices.iter().map(|choice| [reading.as_slice(), choice].concat()))
                .collect()
        })
    }

    fn list(&self, expression: &Expression, rules: &[BTreeSet<Sentence>]) -> BTreeSet<Sentence> {
        let list = |operand| self.list(operand, rules);
        let as_sentence = |text: &[u8]| text.iter().map(|&byte| Letter::Byte(byte)).collect::<Sentence>();
        let alphabet = self.vocabulary.alphabet();
        let mut result: BTreeSet<Sentence> = match expression {
            Expression::Nothing => BTreeSet::new(),
            Expression::Empty => BTreeSet::from([Vec::new()]),
            Expression::Bytes(set) => set.iter().map(|byte| vec![Letter::Byte(byte)]).collect(),
            Expression::Literal(text) => BTreeSet::from([as_sentence(text)]),
            Expression::Literals(texts) => texts.iter().map(|text| as_sentence(text)).collect(),
            Expression::Characters(ranges) => ranges
                .iter()
                .flat_map(|&(first, last)| first..=last)
                .map(|character| as_sentence(character.to_string().as_bytes()))
                .collect(),
            Expression::Tokens { negated, ids } => (0..self.vocabulary.tokens.len() as u32)
                .filter(|id| self.vocabulary.is_symbol(*id) && ids.contains(id) != *negated)
                .map(|id| vec![Letter::Token(id)])
                .collect(),
            Expression::Call(rule) => rules[*rule].clone(),
            Expression::Sequence(operands) => operands
                .iter()
                .map(list)
                .fold(BTreeSet::from([Vec::new()]), |all, next| self.concatenate(&all, &next)),
            Expression::Alternatives(operands) => operands.iter().flat_map(list).collect(),
            Expression::Repetition { body, minimum, maximum } => self.repeat(&list(body), *minimum, *maximum),
            Expression::Intersection(operands) => operands
                .iter()
                .map(list)
                .reduce(|all, next| all.intersection(&next).cloned().collect())
                .unwrap_or_default(),
            Expression::Complement(operand) => {
                let letters = alphabet.iter().map(|byte| vec![Letter::Byte(byte)]).collect();
                self.repeat(&letters, 0, None).difference(&list(operand)).cloned().collect()
            }
            Expression::FreeText { strings, continuations, ends } => {
                let letters = alphabet.iter().map(|byte| vec![Letter::Byte(byte)]).collect();
                let texts = self.repeat(&letters, 0, None);
                let mut result = BTreeSet::new();
                for (tag, after) in strings.iter().zip(continuations) {
                    let opened =
                        texts.iter().filter(|text| opens(strings, tag, &as_bytes(text))).cloned().collect();
                    result.extend(self.concatenate(&opened, &list(after)));
                }
                result.extend(texts.into_iter().filter(|text| *ends && is_free(strings, &as_bytes(text))));
                result
            }
        };
        result.retain(|sentence| {
            sentence.len() <= self.longest
                && sentence.iter().all(|letter| match letter {
                    Letter::Byte(byte) => alphabet.contains(*byte),
                    Letter::Token(_) => true,
                })
        });
        result
    }

    fn concatenate(&self, first: &BTreeSet<Sentence>, second: &BTreeSet<Sentence>) -> BTreeSet<Sentence> {
        let pairs = first.iter().flat_map(|begin| second.iter().map(move |end| (begin, end)));
        pairs
            .filter(|(begin, end)| begin.len() + end.len() <= self.longest)
            .map(|(begin, end)| [begin.as_slice(), end].concat())
            .collect()
    }

    fn repeat(&self, body: &BTreeSet<Sentence>, minimum: u32, maximum: Option<u32>) -> BTreeSet<Sentence> {
        let mut exactly = BTreeSet::from([Vec::new()]);
        for _ in 0..minimum {
            exactly = self.concatenate(&exactly, body);
        }
        let mut all = exactly.clone();
        let mut times = minimum;
        while maximum.is_none_or(|maximum| times < maximum) {
            exactly = self.concatenate(&exactly, body);
            let before = all.len();
            all.extend(exactly.iter().cloned());
            times += 1;
            if maximum.is_none() && all.len() == before {
                break;
            }
        }
        all
    }
}

/// The bytes of a sentence without exact tokens.
fn as_bytes(sentence: &Sentence) -> Vec<u8> {
    let byte = |letter: &Letter| if let Letter::Byte(byte) = letter { Some(*byte) } else { None };
    sentence.iter().filter_map(byte).collect()
}

/// Where strings occur in a text.
fn occurrences(strings: &[Vec<u8>], text: &[u8]) -> impl Iterator<Item = usize> {
    (0..text.len()).filter(|&start| strings.iter().any(|string| text[start..].starts_with(string)))
}

/// Whether a text is free text up to and with a tag: no occurrence begins before that of the tag at its end.
fn opens(strings: &[Vec<u8>], tag: &[u8], text: &[u8]) -> bool {
    let is_text = std::str::from_utf8(text).is_ok() && text.ends_with(tag);
    is_text && occurrences(strings, text).all(|start| start >= text.len() - tag.len())
}

/// Whether a text is free text without any of the strings.
fn is_free(strings: &[Vec<u8>], text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok() && occurrences(strings, text).next().is_none()
}
