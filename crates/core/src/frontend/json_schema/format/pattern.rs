//! Regular expressions of ECMA-262, as its grammar has them with the flag `u`.
//!
//! Groups nest without end, which no regular language does: those nested deeper than [`DEEPEST`] are refused,
//! and so are names of groups beyond ASCII, to keep the expression small. Some rules of the standard compare
//! distant parts of a pattern. They are checked as far as this says, and what is not checked passes:
//!
//! * the ends of a range such as `a-z` are in order: where neither is written by its number (`\x41`,
//!   `\u{1F600}`), and not both are beyond ASCII or control characters;
//! * the bounds of a quantifier such as `{2,10}` are in order: where the first has at most two digits;
//! * names of groups are distinct, references are to groups that exist, `\0` has no digit after it, and
//!   scripts of `\p{Script=...}` exist: not checked.

use super::Languages;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId};
use crate::frontend::regex::property_names::{BINARY_PROPERTIES, CATEGORIES};
use crate::grammar::GrammarBuilder;

/// How deep groups may nest.
const DEEPEST: usize = 4;

/// The name of a group.
const NAME: &str = "[A-Za-z_$][A-Za-z0-9_$]*";

/// What the escape of a control character has after its backslash, in brackets.
const CONTROL_ESCAPE: &str = "[bfnrtv0]|c[A-Za-z]";

/// What the escape of a character by its number has after its backslash.
const NUMERIC_ESCAPE: &str =
    r"x[0-9A-Fa-f]{2}|u(?:[0-9A-Fa-f]{4}|\{0*(?:10[0-9A-Fa-f]{4}|[0-9A-Fa-f]{1,5})\})";

/// The characters that have to be escaped to stand for themselves, and the slash, which may be; as members of
/// a class in brackets.
const SYNTAX_CHARACTERS: &str = r"\^$\\.*+?()\[\]{}|/";

/// Those that may be escaped in brackets.
const ESCAPABLE: &[u8] = br"^$\.*+?()[]{}|/-";

impl Languages<'_> {
    /// The patterns that are valid with the flag `u`.
    pub(super) fn regex(&mut self) -> Result<ExpressionId> {
        let class_escape = self.class_escape()?;
        let brackets = self.brackets(class_escape)?;
        let character = self.pattern(&format!(
            r"[^\^$\\*+?()\[\]{{}}|]|\\(?:[fnrtv0]|c[A-Za-z]|{NUMERIC_ESCAPE}|[{SYNTAX_CHARACTERS}]|k<{NAME}>|[1-9][0-9]*)"
        ))?;
        let atom = self.either(&[character, class_escape, brackets]);
        let quantifier = self.quantifier()?;
        let anchor = self.pattern(r"[\^$|]|\\[bB]")?;
        let open = self.pattern(&format!(r"\((?:\?:|\?<{NAME}>)?"))?;
        let open_assertion = self.pattern(r"\(\?<?[=!]")?;
        let close = self.builder.literal(b")");
        let mut pattern = GrammarBuilder::NOTHING;
        for _ in 0..=DEEPEST {
            let inner = self.sequence(&[pattern, close]);
            let group = self.sequence(&[open, inner]);
            let operand = self.either(&[atom, group]);
            let quantified = self.sequence(&[operand, quantifier]);
            let assertion = self.sequence(&[open_assertion, inner]);
            let term = self.either(&[anchor, quantified, assertion]);
            pattern = self.builder.repetition(term, 0, None);
        }
        Ok(pattern)
    }

    /// An escape that stands for a set of characters.
    fn class_escape(&mut self) -> Result<ExpressionId> {
        let script = "(?:Script|sc|Script_Extensions|scx)=[A-Z][A-Za-z]+(?:_[A-Z][A-Za-z]+)*";
        let category = format!("(?:(?:General_Category|gc)=)?(?:{CATEGORIES})");
        self.pattern(&format!(r"\\(?:[dDsSwW]|[pP]\{{(?:{category}|{BINARY_PROPERTIES}|{script})\}})"))
    }

    /// A class in brackets.
    ///
    /// A hyphen is a member where no range can be read: at the beginning, after a range, and at the end.
    fn brackets(&mut self, class_escape: ExpressionId) -> Result<ExpressionId> {
        let escape =
            self.pattern(&format!(r"\\(?:{CONTROL_ESCAPE}|{NUMERIC_ESCAPE}|[{SYNTAX_CHARACTERS}-])"))?;
        let plain = self.pattern(r"[^\\\]-]")?;
        let hyphen = self.builder.literal(b"-");
        let member = self.either(&[plain, escape, class_escape]);
        let first = self.either(&[member, hyphen]);
        let members = self.builder.repetition(member, 0, None);
        let range = self.range(true)?;
        let later_range = self.range(false)?;
        let up_to_range = self.sequence(&[first, members, later_range]);
        let up_to_range = self.either(&[range, up_to_range]);
        let ranges = self.builder.repetition(up_to_range, 0, None);
        let last = self.optional(hyphen);
        let end = self.sequence(&[first, members, last]);
        let end = self.optional(end);
        let open = self.pattern(r"\[\^?")?;
        let close = self.builder.literal(b"]");
        Ok(self.sequence(&[open, ranges, end, close]))
    }

    /// Two characters with a hyphen between them, the first of which can be a hyphen itself if `from_hyphen`.
    fn range(&mut self, from_hyphen: bool) -> Result<ExpressionId> {
        let hyphen = self.builder.literal(b"-");
        let backslash = self.builder.literal(b"\\");
        let control = self.pattern(CONTROL_ESCAPE)?;
        let control = self.sequence(&[backslash, control]);
        let numeric = self.pattern(NUMERIC_ESCAPE)?;
        let numeric = self.sequence(&[backslash, numeric]);
        let beyond_ascii = self.pattern(r"[^\x00-\x7F]")?;
        let late = self.either(&[beyond_ascii, numeric]);
        let beyond = self.sequence(&[beyond_ascii, hyphen, late]);
        let escapable = ESCAPABLE.iter().fold(ByteSet::EMPTY, |set, &byte| set.union(&ByteSet::single(byte)));
        let escaped_only = ByteSet::single(b'\\').union(&ByteSet::single(b']'));
        let plain = ByteSet::range(0, 0x7F).difference(&escaped_only);
        let mut ranges = vec![beyond];
        for first in 0..0x80 {
            let not_before = ByteSet::range(first, 0x7F);
            let plain_last = self.builder.bytes(plain.intersection(&not_before));
            let escaped_last = self.builder.bytes(escapable.intersection(&not_before));
            let escaped_last = self.sequence(&[backslash, escaped_last]);
            let mut last = vec![plain_last, escaped_last, late];
            if first < 0x20 {
                last.push(control);
            }
            let last = self.either(&last);
            if first == 0 {
                // Nothing comes before, so this is any character.
                let coded = self.either(&[control, numeric]);
                ranges.push(self.sequence(&[coded, hyphen, last]));
            }
            let mut begin = Vec::new();
            if plain.contains(first) && (from_hyphen || first != b'-') {
                begin.push(vec![first, b'-']);
            }
            if escapable.contains(first) {
                begin.push(vec![b'\\', first, b'-']);
            }
            if !begin.is_empty() {
                let begin = self.builder.literals(begin);
                ranges.push(self.sequence(&[begin, last]));
            }
        }
        Ok(self.either(&ranges))
    }

    /// Nothing, or a sign or bounds that say how often, and perhaps a `?`.
    fn quantifier(&mut self) -> Result<ExpressionId> {
        let mut bounds = vec!["[0-9]+,?".to_owned(), "0*[1-9][0-9]{2,},0*[1-9][0-9]{2,}".to_owned()];
        for digit in 0..=9 {
            bounds.push(format!("0*{digit},0*(?:[{digit}-9]|[1-9][0-9]+)"));
        }
        for tens in 1..=9 {
            let higher = if tens < 9 { format!("[{}-9][0-9]|", tens + 1) } else { String::new() };
            let numbers: Vec<String> = (0..=9)
                .map(|ones| format!("{ones},0*(?:{tens}[{ones}-9]|{higher}[1-9][0-9]{{2,}})"))
                .collect();
            bounds.push(format!("0*{tens}(?:{})", numbers.join("|")));
        }
        self.pattern(&format!(r"(?:(?:[*+?]|\{{(?:{})\}})\??)?", bounds.join("|")))
    }
}
