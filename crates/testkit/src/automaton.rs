//! Regular expressions as complete deterministic automata, for intersection and complement.
//!
//! The textbook way: a nondeterministic automaton by Thompson's construction, its subset construction, the
//! product for an intersection, and exchanged acceptance for a complement. Counters are unrolled.

use std::collections::HashMap;
use std::hash::Hash;

use maskwright_core::expression::ByteSet;

use crate::ast::Expression;

/// A complete deterministic automaton over the bytes of one alphabet. State 0 is the start.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// For each byte its column in `transitions`; `None` outside the alphabet.
    columns: [Option<usize>; 256],
    transitions: Vec<Vec<usize>>,
    accepting: Vec<bool>,
    /// Whether an accepting state can be reached.
    live: Vec<bool>,
}

impl Automaton {
    /// The automaton of a regular expression, for texts over the alphabet.
    ///
    /// # Panics
    /// When the expression holds a call or an exact token.
    pub fn new(expression: &Expression, alphabet: &ByteSet) -> Self {
        let letters: Vec<u8> = alphabet.iter().collect();
        match expression {
            Expression::Intersection(operands) => {
                let operands: Vec<Self> =
                    operands.iter().map(|operand| Self::new(operand, alphabet)).collect();
                let start: Vec<usize> = vec![0; operands.len()];
                Self::explore(
                    &letters,
                    start,
                    |states, byte| {
                        operands
                            .iter()
                            .zip(states)
                            .map(|(operand, &state)| operand.step(state, byte))
                            .collect()
                    },
                    |states| operands.iter().zip(states).all(|(operand, &state)| operand.is_accepting(state)),
                )
            }
            Expression::Complement(operand) => {
                let operand = Self::new(operand, alphabet);
                let accepting = operand.accepting.iter().map(|accepting| !accepting).collect();
                Self::finish(operand.columns, operand.transitions, accepting)
            }
            _ => {
                let network = Network::new(expression, alphabet);
                Self::explore(
                    &letters,
                    network.closure([network.start]),
                    |states, byte| network.step(states, byte),
                    |states| states.contains(&network.end),
                )
            }
        }
    }

    /// The state after one more byte, which is of the alphabet.
    ///
    /// # Panics
    /// When the byte is not of the alphabet.
    pub fn step(&self, state: usize, byte: u8) -> usize {
        let column = self.columns[usize::from(byte)];
        assert!(column.is_some(), "the byte {byte} is not of the alphabet");
        self.transitions[state][column.unwrap_or_default()]
    }

    /// Whether the text that leads here is matched.
    pub fn is_accepting(&self, state: usize) -> bool {
        self.accepting[state]
    }

    /// Whether some text from here is matched.
    pub fn is_live(&self, state: usize) -> bool {
        self.live[state]
    }

    /// Numbers the states that can be reached from `start`.
    fn explore<S: Clone + Eq + Hash>(
        letters: &[u8],
        start: S,
        step: impl Fn(&S, u8) -> S,
        accepts: impl Fn(&S) -> bool,
    ) -> Self {
        let mut columns = [None; 256];
        for (column, &byte) in letters.iter().enumerate() {
            columns[usize::from(byte)] = Some(column);
        }
        let mut numbers = HashMap::from([(start.clone(), 0)]);
        let mut states = vec![start];
        let mut transitions = Vec::new();
        while let Some(state) = states.get(transitions.len()).cloned() {
            let row = letters.iter().map(|&byte| {
                let next = step(&state, byte);
                *numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() - 1
                })
            });
            transitions.push(row.collect());
        }
        let accepting = states.iter().map(accepts).collect();
        Self::finish(columns, transitions, accepting)
    }

    fn finish(columns: [Option<usize>; 256], transitions: Vec<Vec<usize>>, accepting: Vec<bool>) -> Self {
        let mut live = accepting.clone();
        loop {
            let before = live.clone();
            for (state, row) in transitions.iter().enumerate() {
                live[state] |= row.iter().any(|&next| live[next]);
            }
            if live == before {
                return Self { columns, transitions, accepting, live };
            }
        }
    }
}

/// A nondeterministic automaton with one start and one end.
#[derive(Debug, Default)]
struct Network {
    silent: Vec<Vec<usize>>,
    steps: Vec<Vec<(ByteSet, usize)>>,
    start: usize,
    end: usize,
}

impl Network {
    fn new(expression: &Expression, alphabet: &ByteSet) -> Self {
        let mut network = Self::default();
        network.start = network.state();
        network.end = network.add(expression, network.start, alphabet);
        network
    }

    fn state(&mut self) -> usize {
        self.silent.push(Vec::new());
        self.steps.push(Vec::new());
        self.silent.len() - 1
    }

    /// Adds what the expression matches after `from`; gives the state that is reached then.
    ///
    /// The state given back is new unless nothing is read, and no edge leads out of it yet.
    fn add(&mut self, expression: &Expression, from: usize, alphabet: &ByteSet) -> usize {
        match expression {
            Expression::Nothing => self.state(),
            Expression::Empty => {
                let end = self.state();
                self.silent[from].push(end);
                end
            }
            Expression::Bytes(set) => {
                let end = self.state();
                self.steps[from].push((*set, end));
                end
            }
            Expression::Literal(text) => self.add_literal(text, from),
            Expression::Literals(texts) => {
                let ends: Vec<usize> = texts.iter().map(|text| self.add_literal(text, from)).collect();
                self.join(&ends)
            }
            Expression::Characters(ranges) => {
                let ends: Vec<usize> = ranges
                    .iter()
                    .flat_map(|&(first, last)| first..=last)
                    .map(|character| self.add_literal(character.to_string().as_bytes(), from))
                    .collect();
                self.join(&ends)
            }
            Expression::Sequence(operands) => {
                operands.iter().fold(from, |at, operand| self.add(operand, at, alphabet))
            }
            Expression::Alternatives(operands) => {
                let ends: Vec<usize> = operands
                    .iter()
                    .map(|operand| {
                        let begin = self.add(&Expression::Empty, from, alphabet);
                        self.add(operand, begin, alphabet)
                    })
                    .collect();
                self.join(&ends)
            }
            Expression::Repetition { body, minimum, maximum } => {
                self.add_repetition(body, *minimum, *maximum, from, alphabet)
            }
            Expression::Intersection(_) | Expression::Complement(_) => {
                self.add_automaton(&Automaton::new(expression, alphabet), from, alphabet)
            }
            Expression::Call(_) | Expression::Tokens { .. } | Expression::FreeText { .. } => {
                assert!(expression.is_regular(), "calls, tokens and free text have no automaton");
                from
            }
        }
    }

    fn add_literal(&mut self, text: &[u8], from: usize) -> usize {
        let begin = self.state();
        self.silent[from].push(begin);
        text.iter().fold(begin, |at, &byte| {
            let next = self.state();
            self.steps[at].push((ByteSet::single(byte), next));
            next
        })
    }

    fn add_repetition(
        &mut self,
        body: &Expression,
        minimum: u32,
        maximum: Option<u32>,
        from: usize,
        alphabet: &ByteSet,
    ) -> usize {
        let mut at = self.join(&[from]);
        for _ in 0..minimum {
            at = self.add(body, at, alphabet);
        }
        let Some(maximum) = maximum else {
            let hub = self.join(&[at]);
            let back = self.add(body, hub, alphabet);
            self.silent[back].push(hub);
            return self.join(&[hub]);
        };
        let mut ends = vec![at];
        for _ in minimum..maximum {
            at = self.join(&[at]);
            at = self.add(body, at, alphabet);
            ends.push(at);
        }
        self.join(&ends)
    }

    fn add_automaton(&mut self, automaton: &Automaton, from: usize, alphabet: &ByteSet) -> usize {
        let states: Vec<usize> = automaton.transitions.iter().map(|_| self.state()).collect();
        self.silent[from].push(states[0]);
        for (state, row) in automaton.transitions.iter().enumerate() {
            for (byte, &next) in alphabet.iter().zip(row) {
                self.steps[states[state]].push((ByteSet::single(byte), states[next]));
            }
        }
        let ends: Vec<usize> = (0..states.len())
            .filter(|&state| automaton.accepting[state])
            .map(|state| states[state])
            .collect();
        self.join(&ends)
    }

    /// A new state that is reached silently from each of these.
    fn join(&mut self, ends: &[usize]) -> usize {
        let end = self.state();
        for &from in ends {
            self.silent[from].push(end);
        }
        end
    }

    /// The states reached silently from these, sorted.
    fn closure(&self, states: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut reached = vec![false; self.silent.len()];
        let mut open: Vec<usize> = states.into_iter().collect();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                open.extend(&self.silent[state]);
            }
        }
        (0..reached.len()).filter(|&state| reached[state]).collect()
    }

    fn step(&self, states: &[usize], byte: u8) -> Vec<usize> {
        let next = states.iter().flat_map(|&state| &self.steps[state]);
        self.closure(next.filter(|(set, _)| set.contains(byte)).map(|&(_, target)| target))
    }
}
