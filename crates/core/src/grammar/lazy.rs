//! Grammars whose rules are written while the text is read.
//!
//! A front end that would have to write out far more than a text ever reaches hands over a
//! [`LazyGrammar`] instead: a *leaf* of the grammar. The passes see one deferred expression for all that it
//! matches, so it keeps their promises itself: whatever it defines matches something that the vocabulary can
//! spell, and none of it is nullable.
//!
//! Any number of leaves share the expressions and rules of one prepared grammar, each under a [`LeafId`]. A leaf
//! is *begun* when the text first reaches it, so that a set of a hundred tools costs those that are called. What
//! has to be known before that (that it matches something, with which bytes it begins, what it says), a leaf knows
//! from its construction.

use std::fmt;
use std::sync::Arc;

use super::prepare::PreparedRule;
use crate::budget::{Budget, Deadline};
use crate::error::Result;
use crate::expression::{
    ByteSet, Description, Emptiness, ExpressionId, ExpressionStore, LEAF_TAG, LeafId, Owned, Part, RuleId,
};
use crate::vocabulary::{Vocabulary, WholeStrings};

/// A grammar that is written on demand, independent of any vocabulary. Some text matches it, but not the empty
/// one, whatever the vocabulary that it takes. It names no exact tokens.
pub(crate) trait LazyGrammar: fmt::Debug + Send + Sync {
    /// Refuses a vocabulary with which not every text can be written.
    fn check(&self, vocabulary: &Vocabulary) -> Result<()>;

    /// The bytes with which its texts begin; possibly more, never fewer.
    fn first_bytes(&self) -> ByteSet;

    /// Adds what it says to a label: equal labels mean equal grammars.
    fn describe(&self, out: &mut Description);

    /// Expressions and verdicts that it can go on from, for texts over an alphabet, within the budget of a constraint.
    fn ground(&self, alphabet: ByteSet, budget: &Budget) -> (ExpressionStore, Emptiness);

    /// Begins to write it. `is_alone` says that the expressions of the workshop are its own
    /// [`ground`](Self::ground).
    fn begin(&self, leaf: LeafId, is_alone: bool, workshop: &mut Workshop<'_>) -> Result<Beginning>;
}

/// A leaf that is begun.
pub(crate) struct Beginning {
    /// The rule of all its texts.
    pub(crate) rule: RuleId,
    pub(crate) definitions: Box<dyn Definitions>,
}

/// Defines what is deferred. Every deferred expression is asked for once, and the answer is kept. The numbers are
/// those by which the leaf had it interned.
pub(crate) trait Definitions: Send {
    /// What a deferred expression stands for.
    fn define(&mut self, number: u32, workshop: &mut Workshop<'_>) -> Result<ExpressionId>;

    /// What it holds beside the expressions, in the size of expressions. It takes constant time.
    fn size(&self) -> usize;

    /// What messages call a rule that it wrote, which may depend on what has been defined so far: whoever shares a rule is
    /// named, too.
    fn name_of(&self, rule: RuleId) -> Option<String>;

    /// What comes after a captured text; with `None`, after any text: all that may come after some text of
    /// the capture, and possibly more, but only behind the next comma of the text.
    fn after(
        &mut self,
        capture: u32,
        text: Option<&[u8]>,
        workshop: &mut Workshop<'_>,
    ) -> Result<ExpressionId>;

    /// Whether it shows without writing it that what a deferred expression stands for is not regular, nor a choice among what
    /// is and calls. It need not show: then it is written to find out.
    fn plainly_nests(&self, _number: u32) -> bool {
        false
    }

    /// An expression that many deferred ones have in common, and from which no token of the vocabulary can tell this one
    /// unless it reads a text to its end that is *unread* in the outline ([`Dependence::Unread`]). `None` where there is
    /// none. The strings are those that single tokens read to their closing quote.
    fn outline(
        &mut self,
        _number: u32,
        _strings: &WholeStrings,
        _workshop: &mut Workshop<'_>,
    ) -> Result<Option<ExpressionId>> {
        Ok(None)
    }

    /// The outline of what comes after any text of a capture, where that is known before it is written; it is the one that would be
    /// found of it then.
    fn outline_after_any(
        &mut self,
        _capture: u32,
        _workshop: &mut Workshop<'_>,
    ) -> Result<Option<ExpressionId>> {
        Ok(None)
    }

    /// Adds the shallow form of what a deferred expression stands for, of where a capture leads, or of a part that
    /// such a form named; false where it has none. All that the answers of [`define`](Self::define) and
    /// [`after`](Self::after) depend on is in the form or in its parts, and as little as can be that depends on the order
    /// in which a text was met.
    fn describe(&mut self, part: Part, out: &mut Description, workshop: &mut Workshop<'_>) -> Result<bool>;

    /// Adds all that a deferred expression says, where it says little; false where it does not. What is deferred in any grammar
    /// and says the same is equal.
    fn sketch(&self, _number: u32, _out: &mut Description) -> bool {
        false
    }

    /// Adds all that is known of where a capture leads, where that is [`Unread`](Dependence::Unread); else false.
    fn sketch_unread(&self, _capture: u32, _out: &mut Description) -> bool {
        false
    }

    /// What of [`after`](Self::after) it depends on which text was captured.
    fn dependence(&self, capture: u32) -> Dependence;

    /// A text with which a writer may well go on where something deferred stands: the `choice`-th, the likeliest first;
    /// `None` where it has no more. It need not be possible: it is read as far as it can be.
    fn suggest(
        &mut self,
        _number: u32,
        _choice: u32,
        _workshop: &mut Workshop<'_>,
    ) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

/// What of that which comes after a captured text depends on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependence {
    /// All of it.
    Whole,
    /// What comes behind the next comma, at the soonest; so it can be asked what comes after any text.
    BehindComma(Others),
    /// The same; and of that only whether just this text may be captured again: the next one is of the same texts.
    SameText(Others),
    /// No text is ever captured: it stands in an outline for texts that are not read to their end.
    Unread,
}

/// What is known of that which may come behind the next comma, where a text there must be another than one that was captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Others {
    /// Whether the text is a part of an object, and only whether that comes again matters: nothing does before the brace that
    /// closes it.
    pub(crate) are_objects: bool,
    /// Whether there plainly is no end of them, where all printable characters can be written.
    pub(crate) are_endless: bool,
}

/// What definitions are built with.
pub(crate) struct Workshop<'a> {
    pub(crate) expressions: &'a mut ExpressionStore,
    pub(crate) emptiness: &'a mut Emptiness,
    pub(crate) rules: &'a mut Vec<PreparedRule>,
    pub(crate) deadline: &'a Deadline,
}

/// A leaf of a prepared grammar.
pub(super) struct Leaf {
    id: LeafId,
    source: Arc<dyn LazyGrammar>,
    beginning: Option<Beginning>,
}

impl Leaf {
    /// A leaf that is not begun.
    pub(super) fn new(id: LeafId, source: &Arc<dyn LazyGrammar>) -> Self {
        Self { id, source: Arc::clone(source), beginning: None }
    }

    /// A leaf that is the whole grammar, begun in its own ground; gives its rule, too.
    pub(super) fn alone(
        source: &Arc<dyn LazyGrammar>,
        workshop: &mut Workshop<'_>,
    ) -> Result<(Self, RuleId)> {
        let id = LeafId(0);
        let beginning = source.begin(id, true, workshop)?;
        let rule = beginning.rule;
        Ok((Self { id, source: Arc::clone(source), beginning: Some(beginning) }, rule))
    }

    fn begun(&mut self, workshop: &mut Workshop<'_>) -> Result<&mut Beginning> {
        let beginning = match self.beginning.take() {
            Some(beginning) => beginning,
            None => self.source.begin(self.id, false, workshop)?,
        };
        Ok(self.beginning.insert(beginning))
    }

    /// What a deferred expression of the leaf stands for.
    pub(super) fn define(&mut self, number: u32, workshop: &mut Workshop<'_>) -> Result<ExpressionId> {
        let beginning = self.begun(workshop)?;
        match number {
            Owned::WHOLE => Ok(workshop.rules[beginning.rule.index()].body),
            number => beginning.definitions.define(number, workshop),
        }
    }

    /// What a begun leaf holds beside the expressions, in the size of expressions.
    fn size(&self) -> usize {
        self.beginning.as_ref().map_or(0, |beginning| beginning.definitions.size())
    }

    /// Asks something of the leaf, and adds to a size what it came to hold more.
    pub(super) fn ask<T>(&mut self, size: &mut usize, question: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.size();
        let answer = question(self);
        *size += self.size().saturating_sub(before);
        answer
    }

    /// What messages call a rule of the leaf.
    pub(super) fn name_of(&self, rule: RuleId) -> Option<String> {
        self.beginning.as_ref()?.definitions.name_of(rule)
    }

    /// Whether a deferred expression of the leaf plainly has no regular definition.
    pub(super) fn plainly_nests(&self, number: u32) -> bool {
        let beginning = self.beginning.as_ref().filter(|_| number != Owned::WHOLE);
        beginning.is_some_and(|beginning| beginning.definitions.plainly_nests(number))
    }

    /// Adds what a deferred expression of the leaf says, where it is begun and that is little.
    pub(super) fn sketch(&self, number: u32, out: &mut Description) -> bool {
        let beginning = self.beginning.as_ref().filter(|_| number != Owned::WHOLE);
        beginning.is_some_and(|beginning| beginning.definitions.sketch(number, out))
    }

    /// Adds where a capture of the leaf leads, where that is unread.
    pub(super) fn sketch_unread(&self, number: u32, out: &mut Description) -> bool {
        self.beginning.as_ref().is_some_and(|beginning| beginning.definitions.sketch_unread(number, out))
    }

    /// The outline of a deferred expression of the leaf. What is not begun has none.
    pub(super) fn outline(
        &mut self,
        number: u32,
        strings: &WholeStrings,
        workshop: &mut Workshop<'_>,
    ) -> Result<Option<ExpressionId>> {
        match (number, &mut self.beginning) {
            (Owned::WHOLE, _) | (_, None) => Ok(None),
            (number, Some(beginning)) => beginning.definitions.outline(number, strings, workshop),
        }
    }

    /// The outline of what comes after any text of a capture of the leaf, where that is known before it is written.
    pub(super) fn outline_after_any(
        &mut self,
        capture: u32,
        workshop: &mut Workshop<'_>,
    ) -> Result<Option<ExpressionId>> {
        match &mut self.beginning {
            Some(beginning) => beginning.definitions.outline_after_any(capture, workshop),
            None => Ok(None),
        }
    }

    /// What comes after a captured text of the leaf.
    pub(super) fn after(
        &mut self,
        capture: u32,
        text: Option<&[u8]>,
        workshop: &mut Workshop<'_>,
    ) -> Result<ExpressionId> {
        self.begun(workshop)?.definitions.after(capture, text, workshop)
    }

    /// Adds the shallow form of a part of the leaf; false where it has none. The whole is described by what was
    /// written, since it is asked for long before the text gets there.
    pub(super) fn describe(
        &mut self,
        part: Part,
        number: u32,
        out: &mut Description,
        workshop: &mut Workshop<'_>,
    ) -> Result<bool> {
        if matches!(part, Part::Deferred(_)) && number == Owned::WHOLE {
            out.byte(LEAF_TAG);
            self.source.describe(out);
            return Ok(true);
        }
        self.begun(workshop)?.definitions.describe(part, out, workshop)
    }

    /// A text with which a writer may well go on where something deferred of the leaf stands, by [`Definitions::suggest`].
    pub(super) fn suggest(
        &mut self,
        number: u32,
        choice: u32,
        workshop: &mut Workshop<'_>,
    ) -> Result<Option<Vec<u8>>> {
        match number {
            Owned::WHOLE => Ok(None),
            number => self.begun(workshop)?.definitions.suggest(number, choice, workshop),
        }
    }

    /// What of that which comes after a capture depends on its text.
    pub(super) fn dependence(&self, capture: u32) -> Dependence {
        let beginning = self.beginning.as_ref();
        beginning.map_or(Dependence::Whole, |beginning| beginning.definitions.dependence(capture))
    }

    /// The bytes with which texts of the leaf begin.
    pub(super) fn first_bytes(&self) -> ByteSet {
        self.source.first_bytes()
    }
}
