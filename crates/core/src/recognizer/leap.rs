//! Several bytes of a key, or of another fixed string, at once.
//!
//! In the middle of a key each byte leads to a state of its own, and most tokens hold several. Where only the state
//! after all of them matters, as when a token is accepted, those between are never made. What a leap leads to is the very
//! state that moves byte by byte would.

use super::automaton::Automaton;
use super::growing::Growing;
use super::moves;
use super::state::StateId;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Derivatives, ExpressionStore};

/// The leaps from one state that are known.
#[derive(Debug, Default)]
pub(super) struct Leaps(boxcar::Vec<(Box<[u8]>, StateId)>);

impl Leaps {
    /// A state from which more texts go on is read byte by byte, since moves are sooner found.
    const MOST: usize = 16;

    fn get(&self, characters: &[u8]) -> Option<StateId> {
        self.0.iter().find(|(_, (known, _))| **known == *characters).map(|(_, &(_, state))| state)
    }
}

/// The characters at the beginning of some bytes that stand for themselves in JSON strings, as far as they are ASCII.
///
/// No more than tokens and most keys have: it is asked again wherever a byte leads to a new state.
fn plain_characters(bytes: &[u8]) -> &[u8] {
    const MOST: usize = 64;
    let bytes = &bytes[..bytes.len().min(MOST)];
    let is_plain = |byte: &u8| matches!(byte, 0x20..0x7F) && !matches!(byte, b'"' | b'\\');
    &bytes[..bytes.iter().take_while(|byte| is_plain(byte)).count()]
}

impl Automaton {
    /// The state after the plain characters at the beginning of some bytes, and their number, if that leap is known.
    /// Lock-free.
    pub(super) fn known_leap(&self, state: StateId, bytes: &[u8]) -> Option<(StateId, usize)> {
        let leaps = self.cell(state).leaps()?;
        let characters = plain_characters(bytes);
        let next = leaps.get(characters)?;
        Some((next, characters.len()))
    }

    /// The same for a leap that is not known yet; `None` where it is to be read byte by byte. Threads that find one leap
    /// at the same time each keep it: both lead to the same state.
    pub(super) fn leap(
        &self,
        growing: &mut Growing,
        state: StateId,
        bytes: &[u8],
        deadline: &Deadline,
    ) -> Result<Option<(StateId, usize)>> {
        let characters = plain_characters(bytes);
        let cell = self.cell(state);
        let is_full = cell.leaps().is_some_and(|leaps| leaps.0.count() >= Leaps::MOST);
        if characters.len() < 2 || is_full || !self.keeps_moves {
            return Ok(None);
        }
        let mut derivatives = Derivatives::new();
        let whole = growing.grammar.define(cell.expression, deadline)?;
        match growing.grammar.expressions.after_characters(whole, characters) {
            Some(rest) => derivatives.rest = rest,
            None => return Ok(None),
        }
        let expression = moves::stay(growing, &mut derivatives, deadline)?;
        // Where the frame is complete, its callers go on.
        if expression == ExpressionStore::NOTHING || growing.grammar.expressions.is_nullable(expression) {
            return Ok(None);
        }
        let next = self.intern(growing, expression)?;
        cell.leaps_to_add_to().0.push((characters.into(), next));
        Ok(Some((next, characters.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::byte_set::ByteSet;
    use crate::frontend::gbnf;
    use crate::frontend::json_schema::{self, Options, PropertyOrder};
    use crate::grammar::PreparedGrammar;
    use crate::recognizer::Move;
    use crate::vocabulary::Vocabulary;

    const SCHEMAS: &[&str] = &[
        r#"{"properties": {"name": {}, "names": {}, "nick": {"type": "null"}, "é": {}}}"#,
        r#"{"properties": {"a": {}, "ab": {}, "abc": {}, "b": {}}, "required": ["abc"], "additionalProperties": false}"#,
        r#"{"additionalProperties": {"type": "integer"}}"#,
        r#"{"properties": {"name": {}}, "patternProperties": {"^n.*e$": {"type": "string"}, "k{2,}": {}}}"#,
        r#"{"properties": {"name": {}}, "propertyNames": {"minLength": 2, "maxLength": 6}}"#,
        r#"{"propertyNames": {"enum": ["name", "names", "b"]}, "minProperties": 1}"#,
        r#"{"type": ["array", "object"], "items": {"enum": ["name", "names", "namely", 5]}, "additionalProperties": false}"#,
        r#"{"type": "array", "uniqueItems": true, "items": {"type": "string", "not": {"enum": ["name", "na"]}}}"#,
    ];

    #[test]
    fn of_a_long_text_no_more_is_looked_at_than_a_token_may_have() {
        let text = [b'a'; 10_000];
        assert!(plain_characters(&text).len() < 100);
        assert_eq!(plain_characters(b"ab c\n"), b"ab c");
    }

    const GRAMMARS: &[&str] = &[
        "root ::= \"get_name\" [a-c]+ | \"get_news\" \"x\" | \"set\" [0-9]* | \"getter\" root",
        "root ::= \"get\" | \"get_name\" [a-z] | \"gets\" \"et\" | \"s\" \"et1\" root",
        "root ::= \"get_name\" \"sé\" | \"get_\" ([a-n] | \"news\") \"x\" | \"seti\" | [st] [0-9]",
        "root ::= \"get_newsx\" | \"get_name\" \"s\"",
    ];

    #[test]
    fn a_leap_within_strings_that_choose_leads_where_moves_do() {
        let budget = Budget::default();
        let deadline = Deadline::for_compile(&budget);
        let vocabulary = Vocabulary::of_bytes();
        let mut leaps = 0;
        for grammar in GRAMMARS {
            let grammar = gbnf::compile(grammar, "root", &budget).unwrap();
            for text in [
                "get_name",
                "get_namesé",
                "get_newsx",
                "get",
                "gets",
                "getterset",
                "set1",
                "set12",
                "gexx",
                "ge",
                "get_",
                "get_n",
                "get_na",
                "gett",
                "se",
            ] {
                let prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
                let automaton = Automaton::new(prepared, &budget, 8, ByteSet::ALL, true).unwrap();
                let (text, start) = (text.as_bytes(), automaton.start());
                let first = automaton.stay(start, text, &deadline).unwrap();
                assert_eq!(first, automaton.stay_where_known(start, text));
                leaps += usize::from(automaton.known_leap(start, text).is_some());
                let states = byte_by_byte(&automaton, text, &deadline);
                assert_eq!(states.get(first.1), Some(&first.0));
            }
        }
        assert!(leaps > 4, "{leaps}");
    }

    /// The state after each byte.
    fn byte_by_byte(automaton: &Automaton, bytes: &[u8], deadline: &Deadline) -> Vec<StateId> {
        let mut states = vec![automaton.start()];
        for &byte in bytes {
            match automaton.step(states[states.len() - 1], byte, deadline).unwrap() {
                Move::Stay(next) => states.push(next),
                _ => break,
            }
        }
        states
    }

    #[test]
    fn a_leap_leads_where_moves_do() {
        let budget = Budget::default();
        let deadline = Deadline::for_compile(&budget);
        let vocabulary = Vocabulary::of_bytes();
        let mut leaps = 0;
        for schema in SCHEMAS {
            let options = Options { order: PropertyOrder::Any, ..Options::default() };
            let grammar = json_schema::compile(schema, &[], &options, &budget).unwrap();
            for text in [
                "{\"name", "{\"names", "{\"nick", "{\"abcd", "{\"kkk!", "[\"name", "[\"names", "[\"",
                "{\"ab", "{\"né",
            ] {
                let prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
                let automaton = Automaton::new(prepared, &budget, 8, ByteSet::ALL, true).unwrap();
                let (text, start) = (text.as_bytes(), automaton.start());
                // First with leaps, then with those that are known, then by moves alone.
                let first = automaton.stay(start, text, &deadline).unwrap();
                let again = automaton.stay_where_known(start, text);
                let states = byte_by_byte(&automaton, text, &deadline);
                assert_eq!(first, again, "{schema}");
                assert_eq!(states.get(first.1), Some(&first.0), "{schema}");
                leaps += usize::from(first.1 > 3 && automaton.known_leap(states[2], &text[2..]).is_some());
            }
        }
        assert!(leaps > 20, "{leaps}");
    }
}
