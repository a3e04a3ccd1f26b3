//! What a state captures.
//!
//! A state in the middle of a captured text is unlike every other such state, since it remembers the text.
//! For masks that would be ruinous: each would be walked on its own. But which tokens stay inside the text
//! depends on what may be *read*, not on what has been. So a state is taken apart into its captures and the
//! rest, and a capture into the state that reads the text, which many captures share, and what comes after
//! it.

use smallvec::SmallVec;

use super::growing::Growing;
use super::state::StateId;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{ByteSet, CaptureId, Expression, ExpressionId, ExpressionStore, TextId};
use crate::grammar::{Dependence, Others};

/// A state taken apart.
#[derive(Debug)]
pub(crate) struct Parts {
    /// What captures nothing.
    pub(crate) plain: Option<StateId>,
    pub(crate) captures: Box<[CapturePart]>,
}

/// One capture of a state.
#[derive(Debug)]
pub(crate) struct CapturePart {
    /// Reads what may be left of the text, and possibly some texts more.
    pub(crate) content: StateId,
    /// Reads those that it must not have been; each of its alternatives is sooner read by itself.
    pub(crate) excluded: Option<StateId>,
    /// What comes after any text, as far as no other capture is complete; `None` where it matters which
    /// text it is.
    pub(crate) after_any: Option<StateId>,
    /// How much may be read of another text, behind the next comma, before it matters which text this one was.
    pub(crate) room: Room,
    /// Whether it stands in an outline for texts that are not read to their end.
    pub(crate) is_unread: bool,
    text: TextId,
    capture: CaptureId,
    tail: ExpressionId,
    /// The capture with its tail.
    whole: ExpressionId,
}

/// How much may be read of another text before it matters which text one was that may not come again: however much of that is read
/// again, many others go on so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Room {
    /// How many bytes less one, as long as no other text is complete; zero where it matters at once.
    pub(crate) bytes: u32,
    /// Whether the text is surely not empty: then one that is empty is another.
    pub(crate) is_begun: bool,
    /// What is known of others whatever kinds of values they are.
    pub(crate) others: Others,
}

impl Room {
    /// That it matters at once, but for what is known of others.
    const fn none_beside(others: Others) -> Self {
        Self { bytes: 0, is_begun: false, others }
    }
}

impl Parts {
    pub(super) fn of(
        state: ExpressionId,
        alphabet: &ByteSet,
        growing: &mut Growing,
        deadline: &Deadline,
        mut intern: impl FnMut(&mut Growing, ExpressionId) -> Result<StateId>,
    ) -> Result<Self> {
        let mut plain = SmallVec::<[ExpressionId; 4]>::new();
        let mut begun = SmallVec::<[Begun; 2]>::new();
        for item in growing.grammar.expressions.alternatives_of(state) {
            match Begun::of(item, &growing.grammar.expressions) {
                Some(capture) => begun.push(capture),
                None => plain.push(item),
            }
        }
        let can_write_others = ByteSet::range(0x20, 0x7E).difference(alphabet).is_empty();
        let mut captures = Vec::with_capacity(begun.len());
        for one in &begun {
            let &Begun { whole, content, text, capture, tail } = one;
            let dependence = growing.grammar.dependence(capture);
            let room = match dependence {
                Dependence::SameText(others) => {
                    let others = Others { are_endless: others.are_endless && can_write_others, ..others };
                    let expressions = &mut growing.grammar.expressions;
                    expressions.within(deadline, |expressions| one.room(&begun, others, expressions))
                }
                Dependence::BehindComma(others) => Room::none_beside(others),
                Dependence::Whole | Dependence::Unread => Room::none_beside(Others::default()),
            };
            let (content, excluded) = growing.grammar.expressions.without_exclusion(content);
            let after_any = (dependence != Dependence::Whole).then(|| {
                let after = growing.grammar.expressions.captured(TextId::ANY, capture);
                growing.grammar.expressions.concatenate(after, tail)
            });
            captures.push(CapturePart {
                content: intern(growing, content)?,
                excluded: excluded.map(|excluded| intern(growing, excluded)).transpose()?,
                after_any: after_any.map(|after| intern(growing, after)).transpose()?,
                room,
                is_unread: dependence == Dependence::Unread,
                text,
                capture,
                tail,
                whole,
            });
        }
        let plain = growing.grammar.expressions.alternatives(&plain);
        let plain = match plain {
            ExpressionStore::NOTHING => None,
            plain => Some(intern(growing, plain)?),
        };
        Ok(Self { plain, captures: captures.into() })
    }
}

/// A text that is being captured, with what has been read of it.
struct Begun {
    /// The capture with its tail.
    whole: ExpressionId,
    content: ExpressionId,
    text: TextId,
    capture: CaptureId,
    tail: ExpressionId,
}

impl Begun {
    fn of(whole: ExpressionId, expressions: &ExpressionStore) -> Option<Self> {
        let (head, tail) = match expressions.get(whole) {
            Expression::Concatenation(head, tail) => (head, tail),
            _ => (whole, ExpressionStore::EMPTY),
        };
        let Expression::Capture { content, text, capture } = expressions.get(head) else { return None };
        Some(Self { whole, content, text, capture, tail })
    }

    /// What [`CapturePart::room`] says where only that the same text comes again matters: it can go on in all ways that are left
    /// to it, which may be several captures of one text.
    fn room(&self, all: &[Self], others: Others, expressions: &mut ExpressionStore) -> Room {
        let same = all.iter().filter(|other| (other.text, other.capture) == (self.text, self.capture));
        let contents: SmallVec<[ExpressionId; 2]> = same.map(|other| other.content).collect();
        let is_begun = expressions.is_begun(self.text);
        Room { bytes: expressions.room_for_others(&contents, is_begun), is_begun, others }
    }
}

impl CapturePart {
    /// The capture with its tail, without what else the state that it is a part of does.
    pub(super) fn whole(&self) -> ExpressionId {
        self.whole
    }

    /// What comes after the capture, when these bytes complete it.
    pub(super) fn after(&self, store: &mut ExpressionStore, more: &[u8]) -> ExpressionId {
        let after = store.captured_after(self.text, more, self.capture);
        store.concatenate(after, self.tail)
    }
}

impl ExpressionStore {
    /// How many texts are few enough to be enumerated.
    const FEW_TEXTS: u64 = 10_000;

    /// Whether a capture, with its tail, reads a JSON string of not too many contents, in any spelling.
    pub(super) fn captures_few_texts(&self, whole: ExpressionId) -> bool {
        let head = |id| match self.get(id) {
            Expression::Concatenation(head, _) => head,
            _ => id,
        };
        let Expression::Capture { content, .. } = self.get(head(whole)) else { return false };
        let content = match self.get(head(content)) {
            Expression::JsonString { content, .. } => content,
            _ => content,
        };
        self.count_of_strings(content).is_some_and(|count| count <= Self::FEW_TEXTS)
    }

    /// How many strings an expression without repetition matches at most; `None` where it repeats something.
    fn count_of_strings(&self, id: ExpressionId) -> Option<u64> {
        match self.get(id) {
            Expression::Empty => Some(1),
            Expression::Literals(range) => Some(u64::from(range.end - range.first)),
            Expression::Bytes(set) => Some(self.byte_set(set).len() as u64),
            Expression::Concatenation(head, tail) => {
                Some(self.count_of_strings(head)?.saturating_mul(self.count_of_strings(tail)?))
            }
            Expression::Alternatives(list) => self
                .list(list)
                .iter()
                .try_fold(0u64, |sum, &operand| Some(sum.saturating_add(self.count_of_strings(operand)?))),
            _ => None,
        }
    }

    /// Whether a text is being captured at the head of a state.
    pub(super) fn captures(&self, state: ExpressionId) -> bool {
        let is_capture = |id| {
            let head = match self.get(id) {
                Expression::Concatenation(head, _) => head,
                _ => id,
            };
            matches!(self.get(head), Expression::Capture { .. })
        };
        match self.get(state) {
            Expression::Alternatives(list) => self.list(list).iter().any(|&item| is_capture(item)),
            _ => is_capture(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::budget::{Budget, Deadline};
    use crate::frontend::json_schema::{self, Options};
    use crate::grammar::PreparedGrammar;
    use crate::recognizer::Automaton;
    use crate::vocabulary::Vocabulary;

    const SCHEMAS: &[&str] = &[
        r#"{"type": "object"}"#,
        r#"{"properties": {"a": {"type": "integer"}}, "required": ["a"]}"#,
        r#"{"properties": {"a": {}, "b": {}}, "additionalProperties": {"type": "string", "maxLength": 2}, "minProperties": 2}"#,
        r#"{"anyOf": [{"required": ["a"]}, {"properties": {"b": {"type": "null"}}}], "type": "object", "maxProperties": 3}"#,
        r#"{"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"}"#,
    ];

    #[test]
    fn what_comes_after_any_key_is_outlined_before_it_is_defined_as_it_is_then() {
        let budget = Budget::default();
        let deadline = Deadline::for_compile(&budget);
        let vocabulary = Vocabulary::of_bytes();
        let mut undefined = 0;
        for schema in SCHEMAS {
            let grammar = json_schema::compile(schema, &[], &Options::default(), &budget).unwrap();
            let prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
            let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
            for state in automaton.some_states(*b"{\"ax:1,", 1500, &deadline) {
                _ = automaton.outline(state, &deadline).unwrap();
                let opened = automaton.opened(state, &deadline).unwrap();
                for part in &automaton.parts(opened, &deadline).unwrap().captures {
                    let Some(after) = part.after_any else { continue };
                    let outlines = automaton.grow(|growing| {
                        let (grammar, after) = (&mut growing.grammar, automaton.cell(after).expression);
                        let (head, _) = grammar.expressions.head_and_rest(after);
                        let is_new = !grammar.is_defined(head);
                        let before = grammar.outline(after, &deadline)?;
                        undefined += usize::from(is_new && !grammar.is_defined(head));
                        grammar.define(head, &deadline)?;
                        Ok((before, grammar.outline(after, &deadline)?))
                    });
                    let (before, defined) = outlines.unwrap();
                    assert_eq!(before, defined, "{schema}");
                }
            }
        }
        assert!(undefined > 2, "{undefined}");
    }
}
