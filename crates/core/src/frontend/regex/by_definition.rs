//! Random patterns with assertions, compared with what the syntax tree means by definition: where a match of a node
//! can end that begins at some place of a text, for all short texts.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::class_cache::{ClassCache, ClassId};
use super::parser::Parser;
use super::tree::{Anchor, Direction, Node, NodeId, Tree};
use super::{RegexOptions, compile};
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::frontend::{character_set, evaluate};

/// The places of a text, counted in code points, at which matches end.
type Ends = BTreeSet<usize>;

struct Definition<'a> {
    tree: &'a Tree,
    classes: &'a ClassCache,
    text: &'a [char],
}

impl Definition<'_> {
    fn is_in(&self, class: ClassId, at: Option<usize>) -> bool {
        let character = at.and_then(|at| self.text.get(at));
        character.is_some_and(|&character| character_set::contains(self.classes.set(class), character))
    }

    /// All ends of matches that begin at one of some places.
    fn ends_from(&self, id: NodeId, starts: &Ends) -> Ends {
        starts.iter().flat_map(|&start| self.ends(id, start)).collect()
    }

    fn ends(&self, id: NodeId, start: usize) -> Ends {
        let here = |holds: bool| if holds { Ends::from([start]) } else { Ends::new() };
        match *self.tree.get(id) {
            Node::Literal(ref range) => {
                let literal: Vec<char> = self.tree.literal(range).chars().collect();
                let is_there = self.text[start..].starts_with(&literal);
                if is_there { Ends::from([start + literal.len()]) } else { Ends::new() }
            }
            Node::Class(class) if self.is_in(class, Some(start)) => Ends::from([start + 1]),
            Node::Class(_) => Ends::new(),
            Node::Concatenation(list) => {
                let operands = self.tree.list(list).iter();
                operands.fold(here(true), |ends, &operand| self.ends_from(operand, &ends))
            }
            Node::Alternation(list) => {
                self.tree.list(list).iter().flat_map(|&operand| self.ends(operand, start)).collect()
            }
            Node::Repetition { body, minimum, maximum } => {
                // More rounds than there are places add nothing.
                let most = maximum.unwrap_or(minimum + self.text.len() as u32);
                let (mut ends, mut all) = (here(true), here(minimum == 0));
                for round in 1..=most {
                    ends = self.ends_from(body, &ends);
                    all.extend(ends.iter().filter(|_| round >= minimum));
                }
                all
            }
            Node::Look { body, direction, negative, .. } => {
                let holds = match direction {
                    Direction::Ahead => !self.ends(body, start).is_empty(),
                    Direction::Behind => (0..=start).any(|before| self.ends(body, before).contains(&start)),
                };
                here(holds != negative)
            }
            Node::Anchor { anchor, .. } => here(self.holds(anchor, start)),
        }
    }

    fn holds(&self, anchor: Anchor, at: usize) -> bool {
        let (before, length) = (at.checked_sub(1), self.text.len());
        let is_boundary = |word| self.is_in(word, before) != self.is_in(word, Some(at));
        match anchor {
            Anchor::TextStart => at == 0,
            Anchor::TextEnd => at == length,
            Anchor::TextEndOrFinalNewline => at == length || self.text[at..] == ['\n'],
            Anchor::LineStart { terminators } => at == 0 || self.is_in(terminators, before),
            Anchor::LineEnd { terminators } => at == length || self.is_in(terminators, Some(at)),
            Anchor::WordBoundary { word } => is_boundary(word),
            Anchor::NotWordBoundary { word } => !is_boundary(word),
        }
    }
}

const CHARACTERS: [char; 3] = ['a', 'é', '\n'];

/// All texts of up to four of the characters.
fn texts() -> Vec<Vec<char>> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..4 {
        let longer: Vec<Vec<char>> = all[from..]
            .iter()
            .flat_map(|text| CHARACTERS.map(|character| [text.as_slice(), &[character]].concat()))
            .collect();
        from = all.len();
        all.extend(longer);
    }
    all
}

fn one_of<'a>(random: &mut Rng, choices: &[&'a str]) -> &'a str {
    choices[random.usize(..choices.len())]
}

fn character(random: &mut Rng) -> &'static str {
    one_of(random, &["a", "é", r"\n", "[aé]", "[^a]", ".", r"\w", r"\s", "(?s:.)"])
}

fn assertion(random: &mut Rng, depth: usize) -> String {
    if random.usize(..5) < 2 {
        return one_of(random, &[r"\b", r"\b", r"\B", "^", "$", r"\Z", "(?m:^)", "(?m:$)"]).to_owned();
    }
    let body = match random.usize(..4) {
        0 => character(random).to_owned(),
        1 => (0..random.usize(1..4)).map(|_| character(random)).collect(),
        2 => format!("{}*{}", character(random), character(random)),
        _ => expression(random, depth.min(2)),
    };
    format!("{}{body})", one_of(random, &["(?=", "(?!", "(?<=", "(?<!"]))
}

fn count(random: &mut Rng) -> &'static str {
    one_of(random, &["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}"])
}

/// A pattern whose groups nest at most that deep.
fn expression(random: &mut Rng, depth: usize) -> String {
    if depth == 0 {
        return character(random).to_owned();
    }
    let many = |random: &mut Rng, between: &str| {
        let parts: Vec<String> = (0..random.usize(1..4)).map(|_| expression(random, depth - 1)).collect();
        parts.join(between)
    };
    match random.usize(..10) {
        0..=1 => character(random).to_owned(),
        2..=4 => many(random, ""),
        5 => format!("(?:{})", many(random, "|")),
        6..=7 => format!("(?:{}){}", expression(random, depth - 1), count(random)),
        _ => assertion(random, depth - 1),
    }
}

/// The same texts and assertions again and again, with something else between some of them.
fn row(random: &mut Rng) -> String {
    let mut unit = String::new();
    for _ in 0..random.usize(1..4) {
        unit += character(random);
        unit += if random.bool() { count(random) } else { "" };
        for _ in 0..random.usize(..3) {
            unit += &assertion(random, 1);
        }
    }
    let mut pattern = String::new();
    for _ in 0..random.usize(2..5) {
        pattern += &if random.u8(..5) > 0 { unit.clone() } else { expression(random, 2) };
    }
    pattern
}

/// The texts that the pattern matches by definition.
fn defined(pattern: &str, options: &RegexOptions, texts: &[Vec<char>]) -> Result<Vec<bool>> {
    let (budget, mut classes) = (Budget::default(), ClassCache::default());
    let deadline = Deadline::for_compile(&budget);
    let tree = Parser::new(pattern, options, &budget, &deadline, &mut classes).parse()?;
    let root = tree.nodes().last().map(|(id, _)| id);
    let is_matched = |text: &Vec<char>| {
        let definition = Definition { tree: &tree, classes: &classes, text };
        let starts = 0..=if options.search { text.len() } else { 0 };
        let mut ends =
            starts.flat_map(|start| root.map_or(Ends::from([start]), |root| definition.ends(root, start)));
        ends.any(|end| options.search || end == text.len())
    };
    Ok(texts.iter().map(is_matched).collect())
}

/// Rounds with assertions before and behind their texts, repeated more often than they would be written out.
fn rounds(random: &mut Rng) -> String {
    const ASSERTIONS: [&str; 16] = [
        r"\b",
        r"\b",
        r"\B",
        "(?m:^)",
        "(?m:$)",
        "$",
        r"\Z",
        "(?=a)",
        "(?!a)",
        "(?!aé)",
        "(?!é|aa)",
        "(?=[aé])",
        "(?=é?a)",
        "(?<=a)",
        r"(?<!\n)",
        "(?<!aé)",
    ];
    const TEXTS: [&str; 12] =
        ["a", "a", "é", "[^a]", "[^a]+", "[^é]", "[aé]*", r"a\n", "é+", r"aé?", r"a\n?", "a[^a]*"];
    let mut alternatives = Vec::new();
    for _ in 0..random.usize(1..4) {
        let mut beside = || if random.u8(..3) == 0 { one_of(random, &ASSERTIONS) } else { "" };
        let (before, behind) = (beside(), beside());
        let (text, rest) = (one_of(random, &TEXTS), one_of(random, &TEXTS));
        let rest = if random.u8(..4) == 0 { rest } else { "" };
        alternatives.push(format!("{before}{text}{behind}{rest}"));
    }
    let repeated = one_of(random, &["*", "+", "{2,}", "{0,6}", "{1,5}", "{3,7}"]);
    let (before, behind) =
        (one_of(random, &["", "", "a?", "é*"]), one_of(random, &["", "", "a?", r"[é\n]*"]));
    format!("{before}(?:{}){repeated}{behind}", alternatives.join("|"))
}

/// Compares random patterns with what they mean; all that are refused may be so many.
fn compare(patterns: usize, most_refused: usize, seed: u64, pattern: fn(&mut Rng, usize) -> String) {
    let mut random = Rng::with_seed(seed);
    let (texts, mut accepted, mut compared, mut refused) = (texts(), 0, 0, 0);
    for round in 0..patterns {
        let pattern = pattern(&mut random, round);
        let options = RegexOptions { search: random.u8(..5) == 0, ..RegexOptions::default() };
        let grammar = match compile(&pattern, &options, &Budget::default()) {
            Err(Error::Unsupported { .. }) => {
                refused += 1;
                continue;
            }
            result => result.unwrap(),
        };
        let body = grammar.rules()[grammar.start().index()].body;
        let expected = defined(&pattern, &options, &texts).unwrap();
        for (text, expected) in texts.iter().zip(expected) {
            let text: String = text.iter().collect();
            let matched = evaluate::matches(grammar.expressions(), body, text.as_bytes());
            assert_eq!(matched, expected, "{pattern} on {text:?} with search {}", options.search);
            accepted += usize::from(matched);
            compared += 1;
        }
    }
    assert!(
        accepted * 20 > compared && refused < most_refused,
        "{accepted} of {compared}, {refused} refused"
    );
}

#[test]
fn random_assertions_match_what_they_do_by_definition() {
    compare(3000, 1500, 11, |random, round| if round % 2 == 0 { row(random) } else { expression(random, 4) });
}

#[test]
fn random_rounds_with_assertions_match_what_they_do_by_definition() {
    compare(4000, 2000, 12, |random, _| rounds(random));
}
