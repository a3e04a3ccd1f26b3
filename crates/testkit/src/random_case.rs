//! Random grammars and the vocabularies to go with them.
//!
//! Both are made of the same few letters and words, so that tokens cut across literals, characters and the
//! borders of rules, and so that alternatives collide. Every shape of recursion is drawn on purpose.

use std::fmt;

use maskwright_core::expression::CharacterRange;

use crate::ast::{
    Description, Expression, alternatives, bytes_but, call, complement, empty, intersection, nothing,
    repetition, sequence,
};
use crate::free_text::prose;
use crate::random::Random;
use crate::vocabulary::TestVocabulary;

/// A grammar and a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The grammar.
    pub description: Description,
    /// The vocabulary.
    pub vocabulary: TestVocabulary,
}

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "let case = Case {{\n    description: {},\n    vocabulary: {},\n}};",
            self.description, self.vocabulary
        )
    }
}

/// How large the cases are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// So small that all short sentences can be listed: two letters, counters up to 3.
    Tiny,
    /// For comparisons with the engine: up to 60 tokens, counters up to 20, characters of up to 4 bytes.
    Small,
}

/// The case of a seed.
pub fn random_case(seed: u64, scale: Scale) -> Case {
    let mut random = Random::new(seed);
    let theme = Theme::new(&mut random, scale);
    let vocabulary = theme.vocabulary(&mut random);
    let symbols: Vec<u32> =
        (0..vocabulary.tokens.len() as u32).filter(|&id| vocabulary.is_symbol(id)).collect();
    let rules = random.between(1, if scale == Scale::Tiny { 3 } else { 6 });
    let exact_tokens = random.chance(35);
    let mut maker =
        Maker { symbols: if exact_tokens { symbols } else { Vec::new() }, random, theme, rules, scale };
    let description = Description::new((0..rules).map(|rule| maker.rule(rule)).collect::<Vec<_>>());
    Case { description, vocabulary }
}

/// The letters and words that a grammar and its vocabulary share.
struct Theme {
    scale: Scale,
    letters: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Theme {
    fn new(random: &mut Random, scale: Scale) -> Self {
        const LETTERS: [&[&str]; 7] = [
            &["a", "b"],
            &["a", "b", "c"],
            &["x", "1", "+", "("],
            &["a", "é"],
            &["日", "本", "a"],
            &["😀", "é", "\"", "a"],
            &["é", "è", "ê"],
        ];
        let kinds = if scale == Scale::Tiny { 1 } else { LETTERS.len() };
        let letters: Vec<Vec<u8>> =
            LETTERS[random.below(kinds)].iter().map(|letter| letter.as_bytes().to_vec()).collect();
        let longest = if scale == Scale::Tiny { 2 } else { 5 };
        let words = (0..5)
            .map(|_| {
                let length = random.between(1, longest);
                (0..length).filter_map(|_| random.pick(&letters).cloned()).flatten().collect()
            })
            .collect();
        Self { scale, letters, words }
    }

    fn vocabulary(&self, random: &mut Random) -> TestVocabulary {
        let mut texts: Vec<Option<Vec<u8>>> = Vec::new();
        let mut single: Vec<u8> = self.letters.iter().flatten().copied().collect();
        single.sort_unstable();
        single.dedup();
        let missing = random.chance(20);
        texts.extend(single.iter().filter(|_| !missing || random.chance(80)).map(|&byte| Some(vec![byte])));
        let (least, most) = if self.scale == Scale::Tiny { (1, 5) } else { (10, 45) };
        for _ in 0..random.between(least, most) {
            texts.push(Some(self.token(random)));
        }
        for _ in 0..random.below(4) {
            let twin = random.pick(&texts).cloned().flatten();
            texts.push(twin);
        }
        for _ in 0..random.between(1, 3) {
            texts.push(None);
        }
        for at in (1..texts.len()).rev() {
            texts.swap(at, random.below(at + 1));
        }
        let stops = random.between(1, 3);
        let mut stop_tokens: Vec<u32> = (0..stops).map(|_| random.below(texts.len()) as u32).collect();
        stop_tokens.sort_unstable();
        stop_tokens.dedup();
        let size = texts.len() + if random.chance(50) { random.below(70) } else { 0 };
        TestVocabulary { tokens: texts, stop_tokens, size }
    }

    /// A piece of a few words, cut anywhere, even within a character; or bytes in any order.
    fn token(&self, random: &mut Random) -> Vec<u8> {
        let longest = if self.scale == Scale::Tiny { 3 } else { 7 };
        let mut text: Vec<u8> = (0..3).filter_map(|_| random.pick(&self.words).cloned()).flatten().collect();
        if random.chance(10) {
            text.reverse();
        }
        let begin = random.below(text.len());
        let length = random.between(1, longest).min(text.len() - begin);
        text[begin..begin + length].to_vec()
    }
}

/// Draws expressions.
struct Maker {
    random: Random,
    theme: Theme,
    /// The exact tokens that the grammar may name.
    symbols: Vec<u32>,
    rules: usize,
    scale: Scale,
}

impl Maker {
    fn rule(&mut self, rule: usize) -> Expression {
        let itself = || call(rule);
        let (x, y) = (self.expression(1), self.expression(1));
        let other = call(self.random.below(self.rules));
        match self.random.below(26) {
            0 => alternatives([sequence([itself(), x]), y]),
            1 => alternatives([sequence([x, itself()]), y]),
            2 => alternatives([sequence([x, itself(), y]), self.expression(1)]),
            3 => alternatives([sequence([repetition(x, 0, Some(1)), itself(), y]), self.leaf()]),
            4 => alternatives([sequence([other, x]), y]),
            5 => alternatives([itself(), other, x]),
            6 => alternatives([sequence([itself(), itself()]), x, empty()]),
            7 => sequence([x, itself()]),
            8 => alternatives([sequence([itself(), x, itself()]), self.leaf()]),
            9 => alternatives([sequence([itself(), itself(), itself()]), self.leaf(), empty()]),
            10 => alternatives([sequence([other, itself(), y]), self.leaf(), empty()]),
            11 => repetition(other, 0, None),
            12 => alternatives([sequence([itself(), itself()]), x]),
            13 => {
                let (least, most) = self.bounds();
                alternatives([sequence([repetition(itself(), least, most), x]), self.leaf()])
            }
            14 | 15 => {
                let (least, most) = self.bounds();
                let (least_outer, most_outer) = self.bounds();
                let body = if self.random.chance(50) { self.text() } else { x };
                sequence([repetition(repetition(body, least, most), least_outer, most_outer), y])
            }
            16 | 17 => self.prose(rule),
            18 | 19 => {
                let (least, most) = self.bounds();
                sequence([repetition(self.free_text(1), least, most), self.free_text(1)])
            }
            _ => self.expression(3),
        }
    }

    fn expression(&mut self, depth: usize) -> Expression {
        if depth == 0 {
            return self.leaf();
        }
        match self.random.below(100) {
            0..30 => self.leaf(),
            30..55 => sequence(self.operands(depth)),
            55..75 => alternatives(self.operands(depth)),
            75..90 => {
                let (least, most) = self.bounds();
                repetition(self.expression(depth - 1), least, most)
            }
            90..93 => intersection([self.small_regular(depth), self.small_regular(depth)]),
            93..97 => self.free_text(depth),
            _ => complement(self.small_regular(depth)),
        }
    }

    /// Prose in which tags call rules, the one that it stands in among them, or tokens do instead of tags.
    fn prose(&mut self, rule: usize) -> Expression {
        let strings = self.strings();
        let bodies: Vec<Expression> = strings
            .iter()
            .map(|_| match self.random.below(5) {
                0 => nothing(),
                1 => call(self.random.below(self.rules)),
                2 => sequence([self.text(), call(rule), self.text()]),
                _ => self.expression(2),
            })
            .collect();
        let (least, most) = self.bounds();
        let least = least.min(if self.scale == Scale::Tiny { 1 } else { 3 });
        if self.symbols.is_empty() || self.random.chance(60) {
            return prose(&strings, &bodies, least, most);
        }
        let text = prose(&strings, &vec![nothing(); strings.len()], 0, Some(0));
        let rest = prose(&strings, &bodies, 0, None);
        let (token, body) = (self.exact_token(), self.expression(1));
        sequence([repetition(sequence([text, token, body]), least, most), rest])
    }

    fn free_text(&mut self, depth: usize) -> Expression {
        let strings = self.strings();
        let continuations = strings
            .iter()
            .map(|_| match self.random.below(5) {
                0 => nothing(),
                1 => empty(),
                _ => self.expression(depth - 1),
            })
            .collect();
        Expression::FreeText { strings, continuations, ends: self.random.chance(50) }
    }

    /// Strings that overlap and contain one another more often than not. Short, since the oracle determinises what
    /// they forbid.
    fn strings(&mut self) -> Vec<Vec<u8>> {
        const LONGEST: usize = 6;
        let longest = if self.scale == Scale::Tiny { 3 } else { 5 };
        let mut strings: Vec<Vec<u8>> = (0..self.random.between(1, 4))
            .map(|_| {
                let letters = (0..self.random.between(1, longest)).map(|_| self.letter());
                let mut string = Vec::new();
                for letter in letters {
                    if string.is_empty() || string.len() + letter.len() <= LONGEST {
                        string.extend(letter);
                    }
                }
                string
            })
            .collect();
        if self.random.chance(10) {
            strings.push(self.word());
            strings.retain(|string| string.len() <= LONGEST);
        }
        strings
    }

    fn operands(&mut self, depth: usize) -> Vec<Expression> {
        (0..self.random.between(2, 3)).map(|_| self.expression(depth - 1)).collect()
    }

    /// An operand of an intersection or complement. The oracle unrolls its counters and determinises it, so
    /// that counters within counters would be too large for it.
    fn small_regular(&mut self, depth: usize) -> Expression {
        const LARGEST: usize = 150;
        let drawn = self.regular(depth);
        if drawn.unrolled_size() <= LARGEST { drawn } else { self.regular(0) }
    }

    fn regular_operands(&mut self, depth: usize) -> Vec<Expression> {
        (0..self.random.between(2, 3)).map(|_| self.regular(depth - 1)).collect()
    }

    /// An expression without calls and exact tokens.
    fn regular(&mut self, depth: usize) -> Expression {
        if depth == 0 {
            return self.text();
        }
        match self.random.below(12) {
            0..2 => self.text(),
            2..5 => sequence(self.regular_operands(depth)),
            5..7 => alternatives(self.regular_operands(depth)),
            7..10 => {
                let (least, most) = self.bounds();
                let most = most.map(|most| most.min(least + 4));
                repetition(self.regular(depth - 1), least, most)
            }
            10 => intersection(self.regular_operands(depth)),
            _ => complement(self.regular(depth - 1)),
        }
    }

    fn bounds(&mut self) -> (u32, Option<u32>) {
        const SMALL: [(u32, Option<u32>); 12] = [
            (0, None),
            (0, None),
            (1, None),
            (0, Some(1)),
            (2, Some(3)),
            (2, None),
            (3, Some(3)),
            (0, Some(2)),
            (2, Some(5)),
            (0, Some(20)),
            (4, Some(11)),
            (9, Some(33)),
        ];
        let kinds = if self.scale == Scale::Tiny { 8 } else { SMALL.len() };
        SMALL[self.random.below(kinds)]
    }

    fn leaf(&mut self) -> Expression {
        if !self.symbols.is_empty() && self.random.chance(25) {
            return self.exact_token();
        }
        if self.random.chance(25) {
            return call(self.random.below(self.rules));
        }
        self.text()
    }

    fn exact_token(&mut self) -> Expression {
        let mut ids: Vec<u32> =
            (0..self.random.between(1, 3)).filter_map(|_| self.random.pick(&self.symbols).copied()).collect();
        ids.sort_unstable();
        ids.dedup();
        Expression::Tokens { negated: self.random.chance(25), ids }
    }

    fn text(&mut self) -> Expression {
        match self.random.below(20) {
            0..6 => Expression::Literal(self.word()),
            6..9 => {
                let texts = (0..self.random.between(1, 4)).map(|_| self.word()).collect();
                Expression::Literals(texts)
            }
            9..14 => {
                let members = self.random.between(1, 2);
                let bytes = (0..members).filter_map(|_| self.letter().last().copied()).collect();
                Expression::Bytes(bytes)
            }
            14..16 => Expression::Literal(self.letter()),
            16 => bytes_but(&self.letter()),
            17 if self.scale == Scale::Small => Expression::Characters(self.character_ranges()),
            18 => nothing(),
            _ => empty(),
        }
    }

    /// Ranges that cross a border between lengths of characters, or hold letters of the theme.
    fn character_ranges(&mut self) -> Vec<CharacterRange> {
        const RANGES: [CharacterRange; 9] = [
            ('a', 'c'),
            ('~', '\u{81}'),
            ('\u{7fe}', '\u{801}'),
            ('\u{d7fe}', '\u{e001}'),
            ('\u{fffe}', '\u{10001}'),
            ('è', 'ê'),
            ('日', '旦'),
            ('本', '本'),
            ('😀', '😂'),
        ];
        (0..self.random.between(1, 3)).filter_map(|_| self.random.pick(&RANGES).copied()).collect()
    }

    fn letter(&mut self) -> Vec<u8> {
        self.random.pick(&self.theme.letters).cloned().unwrap_or_default()
    }

    fn word(&mut self) -> Vec<u8> {
        self.random.pick(&self.theme.words).cloned().unwrap_or_default()
    }
}
