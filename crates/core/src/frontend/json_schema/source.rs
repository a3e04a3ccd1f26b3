//! The grammar of a schema, written on demand.
//!
//! A schema is looked through when it is compiled (see [`look_through`](super::look_through)), so that what cannot
//! be enforced is refused then and not in the middle of a text. Plans and expressions are made when the text
//! gets there.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::condition::{GoalId, ScopeId};
use super::layout::Layout;
use super::options::Options;
use super::places::{Captured, Places};
use super::schema::Schemas;
use super::solver::{Solver, Tables};
use super::writer::Writer;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::{
    ByteSet, CaptureId, DeferredId, Description, Emptiness, ExpressionId, ExpressionStore, Part, RuleId,
};
use crate::grammar::{Beginning, Definitions, LazyGrammar, Workshop};
use crate::vocabulary::Vocabulary;

/// A compiled schema.
#[derive(Debug)]
pub(super) struct Source {
    shared: Arc<Shared>,
    tables: Tables,
    expressions: ExpressionStore,
    emptiness: Emptiness,
    root: GoalId,
}

#[derive(Debug)]
struct Shared {
    schemas: Schemas,
    options: Options,
    budget: Budget,
}

impl Source {
    /// Looks through a schema.
    pub(super) fn new(schemas: Schemas, options: Options, budget: &Budget) -> Result<Self> {
        let deadline = Deadline::for_compile(budget);
        let shared = Arc::new(Shared { schemas, options, budget: budget.clone() });
        let mut source = Self {
            tables: Tables::new(),
            expressions: ExpressionStore::new(),
            emptiness: Emptiness::new(ByteSet::ALL, budget),
            root: GoalId::ANYTHING,
            shared,
        };
        let mut solver = Solver {
            schemas: &source.shared.schemas,
            options: &source.shared.options,
            budget,
            tables: &mut source.tables,
            expressions: &mut source.expressions,
            emptiness: &mut source.emptiness,
            deadline: &deadline,
        };
        let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
        if !solver.is_satisfiable(root)? {
            return Err(Error::EmptyGrammar("no JSON value satisfies the schema".to_owned()));
        }
        solver.look_through(root)?;
        source.root = root;
        Ok(source)
    }
}

impl LazyGrammar for Source {
    fn begin(&self, vocabulary: &Vocabulary, _budget: &Budget, deadline: &Deadline) -> Result<Beginning> {
        let alphabet = vocabulary.alphabet();
        if let Some(missing) = (0x20..0x7F).find(|&byte| !alphabet.contains(byte)) {
            return Err(Error::Vocabulary(format!(
                "no token of the vocabulary holds the byte {:?}, so it cannot write every JSON text",
                char::from(missing)
            )));
        }
        let mut expressions = self.expressions.clone();
        let raw = if self.shared.options.ascii_only { ByteSet::range(0, 0x7F) } else { ByteSet::ALL };
        expressions.restrict_json_strings(&alphabet.intersection(&raw));
        if self.shared.options.minimal_escapes {
            expressions.minimize_escapes();
        }
        let layout = Layout::new(&self.shared.options, &alphabet, &mut expressions);
        let mut definitions = SchemaDefinitions {
            shared: Arc::clone(&self.shared),
            tables: self.tables.clone(),
            places: Places::default(),
            layout,
            rule_of: FxHashMap::default(),
        };
        let mut emptiness = self.emptiness.over(alphabet);
        let mut rules = Vec::new();
        let mut workshop = Workshop {
            expressions: &mut expressions,
            emptiness: &mut emptiness,
            rules: &mut rules,
            deadline,
        };
        let start = definitions.with_writer(&mut workshop, |writer| writer.rule(self.root, 0))?;
        Ok(Beginning { expressions, emptiness, rules, start, definitions: Box::new(definitions) })
    }
}

/// What writes the rules of a schema for one constraint.
struct SchemaDefinitions {
    shared: Arc<Shared>,
    tables: Tables,
    places: Places,
    layout: Layout,
    rule_of: FxHashMap<(GoalId, u32), RuleId>,
}

impl SchemaDefinitions {
    fn with_writer<T>(
        &mut self,
        workshop: &mut Workshop<'_>,
        run: impl FnOnce(&mut Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        // Work that a budget cut short leaves its marks behind.
        self.tables.in_progress.clear();
        let solver = Solver {
            schemas: &self.shared.schemas,
            options: &self.shared.options,
            budget: &self.shared.budget,
            tables: &mut self.tables,
            expressions: workshop.expressions,
            emptiness: workshop.emptiness,
            deadline: workshop.deadline,
        };
        run(&mut Writer {
            solver,
            places: &mut self.places,
            layout: &self.layout,
            rules: workshop.rules,
            rule_of: &mut self.rule_of,
        })
    }
}

impl Definitions for SchemaDefinitions {
    fn define(&mut self, deferred: DeferredId, workshop: &mut Workshop<'_>) -> Result<ExpressionId> {
        self.with_writer(workshop, |writer| writer.define(deferred))
    }

    fn after(
        &mut self,
        capture: CaptureId,
        text: Option<&[u8]>,
        workshop: &mut Workshop<'_>,
    ) -> Result<ExpressionId> {
        self.with_writer(workshop, |writer| writer.after(capture, text))
    }

    fn describe(&mut self, part: Part, out: &mut Description, workshop: &mut Workshop<'_>) -> Result<bool> {
        self.with_writer(workshop, |writer| writer.describe(part, out))
    }

    fn is_forgetful(&self, capture: CaptureId) -> bool {
        // Which mentioned key it is decides on the value; of others, only whether they come again.
        !matches!(self.places.captured(capture), Captured::Key(_))
    }
}
