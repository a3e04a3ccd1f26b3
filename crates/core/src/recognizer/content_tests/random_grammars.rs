//! Contents of random grammars: copies that are written otherwise agree, and what agrees accepts the same.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::*;
use crate::matcher::Matcher;

/// The right side of a rule, as a tree.
enum Tree {
    Leaf(&'static str),
    Rule(usize),
    Sequence(Vec<Tree>),
    Choice(Vec<Tree>),
    Repeated(Box<Tree>, &'static str),
}

impl Tree {
    fn any(depth: usize, rules: usize, random: &mut Rng) -> Self {
        let choice = if depth == 0 { random.usize(..2) } else { random.usize(..7) };
        let operands =
            |random: &mut Rng| (0..random.usize(2..4)).map(|_| Self::any(depth - 1, rules, random)).collect();
        match choice {
            0 => Self::Leaf(["\"a\"", "\"b\"", "[ab]", "\"ab\"", "\"\""][random.usize(..5)]),
            1 => Self::Rule(random.usize(..rules)),
            2 | 3 => Self::Sequence(operands(random)),
            4 | 5 => Self::Choice(operands(random)),
            _ => {
                let times = ["*", "?", "+", "{2}", "{1,3}"][random.usize(..5)];
                Self::Repeated(Box::new(Self::any(depth - 1, rules, random)), times)
            }
        }
    }

    fn write(&self, names: &[String], random: &mut Rng, out: &mut String) {
        match self {
            Self::Leaf(text) => *out += text,
            Self::Rule(rule) => *out += &names[*rule],
            Self::Sequence(operands) => operands.iter().for_each(|operand| {
                operand.write(names, random, out);
                out.push(' ');
            }),
            Self::Choice(operands) => {
                let first = random.usize(..operands.len());
                out.push('(');
                for at in 0..operands.len() {
                    *out += if at > 0 { " | " } else { "" };
                    operands[(first + at) % operands.len()].write(names, random, out);
                }
                out.push(')');
            }
            Self::Repeated(body, times) => {
                out.push('(');
                body.write(names, random, out);
                out.push(')');
                *out += times;
            }
        }
    }
}

/// The rules as GBNF, with names, an order of rules and orders of alternatives of their own.
fn write(rules: &[Tree], random: &mut Rng) -> String {
    let names: Vec<String> = (0..rules.len()).map(|at| format!("r{at}x{}", random.usize(..1000))).collect();
    let mut lines: Vec<String> = Vec::new();
    for (name, rule) in names.iter().zip(rules) {
        let mut line = format!("{name} ::= ");
        rule.write(&names, random, &mut line);
        let at = random.usize(..lines.len() + 1);
        lines.insert(at, line);
    }
    format!("root ::= {}\n{}\n", names[0], lines.join("\n"))
}

/// Which texts of up to so many letters a grammar accepts.
fn language(constraint: &Arc<Constraint>, length: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![(Matcher::new(constraint), String::new())];
    while let Some((matcher, text)) = waiting.pop() {
        if matcher.is_complete() {
            found.push(text.clone());
        }
        for letter in ["a", "b"] {
            let mut next = matcher.clone();
            if text.len() < length && next.accept_bytes(letter.as_bytes()).unwrap() {
                waiting.push((next, text.clone() + letter));
            }
        }
    }
    found
}

#[test]
fn of_random_grammars_copies_agree_and_what_agrees_accepts_the_same() {
    let (mut copies, mut agreeing) = (0, 0);
    // In the second registry forms collide all the time.
    let (registry, crowded) = (registry(), ContentRegistry::colliding(0xFFF));
    let mut known: BTreeMap<u128, Vec<String>> = BTreeMap::new();
    let mut known_of_crowded = known.clone();
    for seed in 0..1500 {
        let mut random = Rng::with_seed(seed);
        let count = random.usize(1..5);
        let rules: Vec<Tree> = (0..count).map(|_| Tree::any(2, count, &mut random)).collect();
        let texts = [write(&rules, &mut random), write(&rules, &mut random)];
        let mut hashes = Vec::new();
        for text in &texts {
            let grammar = gbnf::compile(text, "root", &Budget::default()).unwrap();
            let Ok(contents) = Contents::of(&grammar) else { continue };
            let hash = contents.start(&registry).unwrap().hash.0;
            let language = language(&contents.constraint, 6);
            if let Some(other) = known.get(&hash) {
                agreeing += 1;
                assert_eq!(*other, language, "{text}");
            }
            // A constraint keeps to one registry.
            let contents = Contents::gbnf(text);
            if let Some(content) = contents.start(&crowded) {
                let other = known_of_crowded.entry(content.hash.0).or_insert_with(|| language.clone());
                assert_eq!(*other, language, "{text}");
            }
            let (by_and_by, _) = Contents::gbnf(text).start_by_and_by(random.usize(1..6), &registry);
            assert_eq!(by_and_by.unwrap().hash.0, hash, "{text}");
            known.insert(hash, language);
            hashes.push(hash);
        }
        if let [first, second] = hashes.as_slice() {
            copies += 1;
            assert_eq!(first, second, "{}\n{}", texts[0], texts[1]);
        }
    }
    assert!(copies > 500 && agreeing > copies && known.len() > 300, "{copies} {agreeing} {}", known.len());
}
