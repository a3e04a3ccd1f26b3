//! The grammar of a schema, written on demand.
//!
//! A schema is looked through when it is compiled (see [`look_through`](super::look_through)), so that what cannot
//! be enforced is refused then and not in the middle of a text. Plans and expressions are made when the text
//! gets there.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::condition::{GoalId, Kind, ScopeId};
use super::content::Sketches;
use super::layout::Layout;
use super::names::name_of;
use super::options::Options;
use super::places::{Captured, CapturedId, Place, PlaceId, Places, ReceiverId};
use super::schema::Schemas;
use super::solver::Solver;
use super::tables::Tables;
use super::writer::Writer;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::{
    ByteSet, Description, Emptiness, ExpressionId, ExpressionStore, JSON_SCHEMA_TAG, LeafId, Part, RuleId,
    Spelling, SpellingId,
};
use crate::grammar::{Beginning, Definitions, Dependence, LazyGrammar, Others, Workshop};
use crate::vocabulary::{Vocabulary, WholeStrings};

/// A compiled schema.
#[derive(Debug)]
pub(super) struct Source {
    shared: Arc<Shared>,
    tables: Tables,
    expressions: ExpressionStore,
    emptiness: Emptiness,
    root: GoalId,
    first: ByteSet,
    /// What was compiled, as a label that no other schema has.
    label: Box<[u8]>,
}

#[derive(Debug)]
struct Shared {
    schemas: Schemas,
    options: Options,
    budget: Budget,
}

impl Source {
    /// Looks through a schema.
    pub(super) fn new(
        schemas: Schemas,
        options: Options,
        label: Box<[u8]>,
        budget: &Budget,
        deadline: &Deadline,
    ) -> Result<Self> {
        let shared = Arc::new(Shared { schemas, options, budget: budget.uninterrupted() });
        let mut source = Self {
            tables: Tables::new(),
            expressions: ExpressionStore::new(),
            emptiness: Emptiness::new(ByteSet::ALL, budget),
            root: GoalId::ANYTHING,
            first: ByteSet::EMPTY,
            label,
            shared,
        };
        let mut solver = Solver {
            schemas: &source.shared.schemas,
            options: &source.shared.options,
            budget,
            tables: &mut source.tables,
            expressions: &mut source.expressions,
            emptiness: &mut source.emptiness,
            deadline,
        };
        let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
        if !solver.is_satisfiable(root)? {
            let told = solver.contradiction(solver.schemas.root);
            return Err(Error::EmptyGrammar(format!("no JSON value satisfies the schema: {told}")));
        }
        solver.look_through(root)?;
        source.first = solver.first_bytes(root)?;
        if solver.expressions.is_full() {
            if solver.expressions.is_out_of_time() {
                return Err(deadline.exceeded());
            }
            let what = "by the patterns of the schema";
            return Err(Error::exceeded("expressions", budget.expressions, what));
        }
        source.root = root;
        Ok(source)
    }
}

impl LazyGrammar for Source {
    fn check(&self, vocabulary: &Vocabulary) -> Result<()> {
        let missing = ByteSet::range(0x20, 0x7E).difference(&vocabulary.alphabet());
        if let Some(missing) = missing.first() {
            return Err(Error::Vocabulary(format!(
                "no token of the vocabulary holds the byte {:?}, so it cannot write every JSON text",
                char::from(missing)
            )));
        }
        Ok(())
    }

    fn first_bytes(&self) -> ByteSet {
        self.first
    }

    fn describe(&self, out: &mut Description) {
        out.byte(JSON_SCHEMA_TAG);
        out.labels.extend_from_slice(&self.label);
    }

    fn ground(&self, alphabet: ByteSet, budget: &Budget) -> (ExpressionStore, Emptiness) {
        (self.expressions.copy_for_constraint(), self.emptiness.over(alphabet, budget))
    }

    fn begin(&self, leaf: LeafId, is_alone: bool, workshop: &mut Workshop<'_>) -> Result<Beginning> {
        let alphabet = *workshop.emptiness.alphabet();
        let options = &self.shared.options;
        let raw = if options.ascii_only { ByteSet::range(0, 0x7F) } else { ByteSet::ALL };
        let spelling = Spelling::over(&alphabet.intersection(&raw));
        let spelling = Spelling { minimal_escapes: options.minimal_escapes, ..spelling };
        let mut definitions = SchemaDefinitions {
            shared: Arc::clone(&self.shared),
            tables: if is_alone { self.tables.clone() } else { self.tables.without_expressions() },
            places: Places::default(),
            layout: Layout::new(options, &alphabet, workshop.expressions),
            leaf,
            spelling: workshop.expressions.intern_spelling(spelling),
            rule_of: FxHashMap::default(),
            member_rule_of: FxHashMap::default(),
            any_key_rule: None,
        };
        let rule = definitions.with_writer(workshop, |writer| {
            let root = writer.solver.goal_of(writer.solver.schemas.root, ScopeId::NONE);
            writer.rule(root, 0)
        })?;
        Ok(Beginning { rule, definitions: Box::new(definitions) })
    }
}

/// What writes the rules of a schema for one constraint.
struct SchemaDefinitions {
    shared: Arc<Shared>,
    tables: Tables,
    places: Places,
    layout: Layout,
    leaf: LeafId,
    spelling: SpellingId,
    rule_of: FxHashMap<(GoalId, Option<Kind>, u32), RuleId>,
    member_rule_of: FxHashMap<(GoalId, u32), RuleId>,
    any_key_rule: Option<RuleId>,
}

impl SchemaDefinitions {
    fn sketches(&self) -> Sketches<'_> {
        Sketches { schemas: &self.shared.schemas, options: &self.shared.options, terms: &self.tables.terms }
    }

    fn with_writer<T>(
        &mut self,
        workshop: &mut Workshop<'_>,
        run: impl FnOnce(&mut Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        // Work that a budget cut short leaves its marks behind.
        self.tables.in_progress.clear();
        self.tables.unknown.clear();
        let solver = Solver {
            schemas: &self.shared.schemas,
            options: &self.shared.options,
            budget: &self.shared.budget,
            tables: &mut self.tables,
            expressions: workshop.expressions,
            emptiness: workshop.emptiness,
            deadline: workshop.deadline,
        };
        let mut writer = Writer {
            solver,
            leaf: self.leaf,
            spelling: self.spelling,
            places: &mut self.places,
            layout: &self.layout,
            rules: workshop.rules,
            rule_of: &mut self.rule_of,
            member_rule_of: &mut self.member_rule_of,
            any_key_rule: &mut self.any_key_rule,
        };
        let written = run(&mut writer);
        writer.solver.placed_at_last(written)
    }
}

impl Definitions for SchemaDefinitions {
    fn define(&mut self, number: u32, workshop: &mut Workshop<'_>) -> Result<ExpressionId> {
        self.with_writer(workshop, |writer| writer.define(PlaceId(number)))
    }

    fn size(&self) -> usize {
        self.tables.size() + self.places.size()
    }

    fn name_of(&self, rule: RuleId) -> Option<String> {
        let Self { shared, tables, rule_of, .. } = self;
        name_of(rule, rule_of, tables, &shared.schemas)
    }

    fn after(
        &mut self,
        capture: u32,
        text: Option<&[u8]>,
        workshop: &mut Workshop<'_>,
    ) -> Result<ExpressionId> {
        self.with_writer(workshop, |writer| writer.after(CapturedId(capture), text))
    }

    fn plainly_nests(&self, number: u32) -> bool {
        match *self.places.place(PlaceId(number)) {
            Place::Value { goal, kind: None, .. } => {
                self.shared.schemas.plainly_nests(self.tables.terms.conditions(goal))
            }
            _ => true,
        }
    }

    fn outline(
        &mut self,
        number: u32,
        strings: &WholeStrings,
        workshop: &mut Workshop<'_>,
    ) -> Result<Option<ExpressionId>> {
        let id = PlaceId(number);
        if let Some(&known) = self.places.outlines.get(&id) {
            return Ok(known);
        }
        let outline = self.with_writer(workshop, |writer| writer.outline(id, strings))?;
        self.places.outlines.insert(id, outline);
        Ok(outline)
    }

    fn outline_after_any(
        &mut self,
        capture: u32,
        workshop: &mut Workshop<'_>,
    ) -> Result<Option<ExpressionId>> {
        match self.places.captured(CapturedId(capture)) {
            Captured::OtherKey(object, _) => {
                self.with_writer(workshop, |writer| writer.outline_after_any_key(object))
            }
            _ => Ok(None),
        }
    }

    fn sketch(&self, number: u32, out: &mut Description) -> bool {
        self.sketches().write(self.places.place(PlaceId(number)), out)
    }

    fn sketch_unread(&self, capture: u32, out: &mut Description) -> bool {
        match self.places.captured(CapturedId(capture)) {
            Captured::Unread { is_whole } => {
                self.sketches().write_unread(is_whole, out);
                true
            }
            _ => false,
        }
    }

    fn describe(&mut self, part: Part, out: &mut Description, workshop: &mut Workshop<'_>) -> Result<bool> {
        self.with_writer(workshop, |writer| writer.describe(part, out))
    }

    fn suggest(&mut self, number: u32, choice: u32, workshop: &mut Workshop<'_>) -> Result<Option<Vec<u8>>> {
        self.with_writer(workshop, |writer| writer.suggest(PlaceId(number), choice as usize))
    }

    fn dependence(&self, capture: u32) -> Dependence {
        let of_received = |receiver: Option<ReceiverId>, others: Others| match receiver
            .is_none_or(|receiver| self.places.only_repetition_matters(receiver))
        {
            true => Dependence::SameText(others),
            false => Dependence::BehindComma(others),
        };
        match self.places.captured(CapturedId(capture)) {
            // Which mentioned key it is decides on the value.
            Captured::Key(_) => Dependence::Whole,
            Captured::Telling(..) => Dependence::Whole,
            // Of others, only whether they come again, and so whether the object does.
            Captured::OtherKey(id, _) => of_received(self.places.receiver_of_object(id), Others::default()),
            Captured::Scalar(id) if self.places.receiver_of(id).is_compared() => Dependence::Whole,
            Captured::Scalar(id) => of_received(Some(id), self.places.others_of(id)),
            Captured::Unread { .. } => Dependence::Unread,
        }
    }
}
