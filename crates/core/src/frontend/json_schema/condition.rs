//! Conditions and goals: what a value must satisfy, in terms that no longer depend on drafts or documents.
//!
//! A *goal* is a conjunction of *conditions*. A condition is either a schema that must hold or must not, a
//! choice between goals, or a *leaf*: one fact about values of one kind, such as "an object has this
//! member". Leaves name no schema, so that equal demands from different places of a schema are one.
//! Everything is interned: a goal is a number, and what was once found out of it is known for good.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::constant::{Constant, text_size};
use super::decimal::Decimal;
use super::schema::{PatternId, ResourceId, SchemaId};
use super::shared_list::SharedLists;
use crate::expression::{ByteSet, ExpressionId, size_of_bytes};
use crate::interner::{Interner, SliceInterner};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(super) struct $name(pub(super) u32);
    )*};
}

ids! {
    /// A goal of [`Terms`].
    GoalId,
    /// A choice between goals.
    ChoiceId,
    /// The resources through which a schema was reached, for dynamic references.
    ScopeId,
    /// The name of a member, by its content.
    NameId,
    /// The name of a format.
    FormatId,
    /// A set of keys.
    KeySetId,
    /// A sorted list of constants.
    ConstantsId,
    /// An exact number.
    NumberId,
    /// A constant.
    ValueId,
}

impl GoalId {
    /// Every value satisfies it.
    pub(super) const ANYTHING: Self = Self(0);
    /// No value satisfies it.
    pub(super) const NOTHING: Self = Self(1);
}

impl ScopeId {
    /// Where dynamic references do not occur.
    pub(super) const NONE: Self = Self(0);
}

/// The kinds of values that are looked at one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// All kinds, those first that are decided quickest.
    pub(super) const ALL: [Self; 6] =
        [Self::Null, Self::Boolean, Self::Number, Self::String, Self::Array, Self::Object];

    /// The kind of a constant.
    pub(super) fn of(constant: &Constant) -> Self {
        match constant {
            Constant::Null => Self::Null,
            Constant::Boolean(_) => Self::Boolean,
            Constant::Number(_) => Self::Number,
            Constant::String(_) => Self::String,
            Constant::Array(_) => Self::Array,
            Constant::Object(_) => Self::Object,
        }
    }

    /// The bytes with which JSON values of the kind begin.
    pub(super) fn first_bytes(self) -> ByteSet {
        let bytes: &[u8] = match self {
            Self::Null => b"n",
            Self::Boolean => b"tf",
            Self::Number => b"-0123456789",
            Self::String => b"\"",
            Self::Array => b"[",
            Self::Object => b"{",
        };
        bytes.iter().copied().collect()
    }

    /// Those of the kind among constants [in order](Constant::sorted).
    pub(super) fn among(self, constants: &[Constant]) -> &[Constant] {
        let first = constants.partition_point(|constant| Self::of(constant) < self);
        let from_first = &constants[first..];
        &from_first[..from_first.partition_point(|constant| Self::of(constant) == self)]
    }
}

/// Which keys a condition on members is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Keys {
    /// Those in which a pattern is found.
    Matching(PatternId),
    /// Those outside a set.
    Outside(KeySetId),
}

/// Some names, and all keys in which one of some patterns is found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct KeySet {
    /// Sorted.
    pub(super) names: Vec<NameId>,
    /// Sorted.
    pub(super) patterns: Vec<PatternId>,
}

/// One demand on a value. A leaf concerns values of one kind, and is asked about those only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Condition {
    /// A schema holds, or does not.
    Schema { schema: SchemaId, scope: ScopeId, holds: bool },
    /// One of several goals is satisfied.
    Either(ChoiceId),
    /// The value is one of some constants, or is none of them.
    OneOf { constants: ConstantsId, holds: bool },

    /// The string or number is in a regular language, given as what contents or texts it has.
    Language { kind: Kind, language: ExpressionId },

    /// The number is an integer, or is not.
    Integer { holds: bool },
    /// The number is written without a fraction or an exponent, or is not.
    Whole { holds: bool },
    /// The number is at least a bound, or greater.
    Minimum { bound: NumberId, exclusive: bool },
    /// The number is at most a bound, or less.
    Maximum { bound: NumberId, exclusive: bool },
    /// The number is a multiple, or is not.
    MultipleOf { number: NumberId, holds: bool },

    /// The string has at least so many code points.
    MinimumLength(u64),
    /// The string has at most so many code points.
    MaximumLength(u64),
    /// The pattern is found in the string, or is not.
    Pattern { pattern: PatternId, holds: bool },
    /// The string has a format, or has not.
    Format { format: FormatId, holds: bool },

    /// The array has at least so many items.
    MinimumItems(u64),
    /// The array has at most so many items.
    MaximumItems(u64),
    /// The item at an index, if there is one, satisfies a goal.
    ItemAt { index: u32, goal: GoalId },
    /// All items from an index on satisfy a goal.
    ItemsFrom { index: u32, goal: GoalId },
    /// Of the items from an index on, so many satisfy a goal.
    Count { index: u32, goal: GoalId, minimum: u64, maximum: Option<u64> },
    /// No two items are equal, or some are.
    UniqueItems { holds: bool },

    /// The object has at least so many members.
    MinimumMembers(u64),
    /// The object has at most so many members.
    MaximumMembers(u64),
    /// The object has a member of this name.
    Present(NameId),
    /// The object has no member of this name.
    Absent(NameId),
    /// The object has no member of this name, or it has members of all names of a set, which has no patterns.
    Needs { name: NameId, others: KeySetId },
    /// The member of a name, if there is one, satisfies a goal; `order` is where it was declared, or [`UNDECLARED`].
    Member { order: u32, name: NameId, goal: GoalId },
    /// All members with certain keys satisfy a goal.
    Members { keys: Keys, goal: GoalId },
    /// Some member with a certain key satisfies a goal.
    SomeMember { keys: Keys, goal: GoalId },
    /// All keys, as strings, satisfy a goal.
    AllKeys(GoalId),
    /// Some key, as a string, satisfies a goal.
    SomeKey(GoalId),
}

/// The position of a name that is mentioned and not declared.
pub(super) const UNDECLARED: u32 = u32::MAX;

/// The condition that one of no goals is satisfied. Of the choices, that of none is the first.
const NEVER: Condition = Condition::Either(ChoiceId(0));

/// The interned parts of conditions.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    goals: SliceInterner<Condition>,
    choices: SliceInterner<GoalId>,
    /// Each as the one around it and the resource entered last; the first, around which there is none, has none.
    scopes: Interner<(ScopeId, Option<ResourceId>)>,
    /// The scopes that others become where one more resource is entered.
    entered: FxHashMap<(ScopeId, ResourceId), ScopeId>,
    names: Interner<Box<[u8]>>,
    formats: Interner<Box<str>>,
    key_sets: Interner<KeySet>,
    constants: Interner<Arc<[Constant]>>,
    numbers: Interner<Decimal>,
    values: Interner<Constant>,
    /// The size of all constants, values, names, sets of keys and scopes.
    constants_size: usize,
}

impl Terms {
    pub(super) fn new() -> Self {
        let mut terms = Self {
            goals: SliceInterner::with_capacity(28),
            choices: SliceInterner::default(),
            scopes: Interner::default(),
            entered: FxHashMap::default(),
            names: Interner::with_capacity(28),
            formats: Interner::default(),
            key_sets: Interner::default(),
            constants: Interner::default(),
            numbers: Interner::default(),
            values: Interner::default(),
            constants_size: 0,
        };
        terms.scopes.intern((ScopeId::NONE, None));
        terms.choices.intern(&[]);
        terms.goals.intern(&[]);
        terms.goals.intern(&[NEVER]);
        terms
    }

    /// The size of what was multiplied out or read in texts, in conditions.
    pub(super) fn size(&self) -> usize {
        self.goals.elements() + self.choices.elements() / 6 + self.constants_size
    }

    /// The goal that just one condition is.
    pub(super) fn goal_of(&mut self, condition: Condition) -> GoalId {
        GoalId(self.goals.intern(&[condition]))
    }

    /// The conjunction of conditions.
    pub(super) fn goal(&mut self, mut conditions: Vec<Condition>) -> GoalId {
        conditions.sort_unstable();
        conditions.dedup();
        if conditions.contains(&NEVER) {
            return GoalId::NOTHING;
        }
        GoalId(self.goals.intern(&conditions))
    }

    /// The conjunction of goals.
    pub(super) fn all_of(&mut self, goals: &[GoalId]) -> GoalId {
        match goals {
            [] => GoalId::ANYTHING,
            [goal] => *goal,
            _ => {
                let conditions = goals.iter().flat_map(|&goal| self.conditions(goal)).copied().collect();
                self.goal(conditions)
            }
        }
    }

    /// The conditions of a goal, sorted.
    pub(super) fn conditions(&self, goal: GoalId) -> &[Condition] {
        self.goals.get(goal.0)
    }

    /// The condition that one of the goals is satisfied.
    pub(super) fn either(&mut self, goals: Vec<GoalId>) -> Condition {
        Condition::Either(self.choice(goals))
    }

    fn choice(&mut self, mut goals: Vec<GoalId>) -> ChoiceId {
        goals.sort_unstable();
        goals.dedup();
        goals.retain(|&goal| goal != GoalId::NOTHING);
        ChoiceId(self.choices.intern(&goals))
    }

    pub(super) fn alternatives(&self, choice: ChoiceId) -> &[GoalId] {
        self.choices.get(choice.0)
    }

    /// What a scope becomes where a resource is entered; `None` where that has not been told by [`enter`](Self::enter).
    pub(super) fn entered(&self, scope: ScopeId, resource: ResourceId) -> Option<ScopeId> {
        self.entered.get(&(scope, resource)).copied()
    }

    /// A scope in which a resource is entered: the same one where that does not matter.
    pub(super) fn enter(&mut self, scope: ScopeId, resource: ResourceId, matters: bool) -> ScopeId {
        let entered = match matters {
            true => {
                let entry = (scope, Some(resource));
                ScopeId(self.scopes.intern_sized(entry, &mut self.constants_size, |_| 1))
            }
            false => scope,
        };
        self.entered.insert((scope, resource), entered);
        entered
    }

    /// The resources of a scope that matter, the innermost first.
    pub(super) fn resources(&self, scope: ScopeId) -> impl Iterator<Item = ResourceId> {
        let mut at = scope;
        std::iter::from_fn(move || {
            let (around, resource) = *self.scopes.get(at.0);
            at = around;
            resource
        })
    }

    /// The condition that a member needs others; `None` where it needs none but itself.
    pub(super) fn needs(&mut self, name: NameId, needed: &[String]) -> Option<Condition> {
        let names: Vec<NameId> = needed.iter().map(|needed| self.name(needed)).collect();
        names.iter().any(|&needed| needed != name).then(|| {
            let others = self.key_set(KeySet { names, patterns: Vec::new() });
            Condition::Needs { name, others }
        })
    }

    /// The name of a member, by its content.
    pub(super) fn name(&mut self, content: impl AsRef<[u8]>) -> NameId {
        NameId(self.names.intern_slice_sized(content.as_ref(), &mut self.constants_size, text_size))
    }

    pub(super) fn content(&self, name: NameId) -> &[u8] {
        self.names.get(name.0)
    }

    pub(super) fn format(&mut self, name: &str) -> FormatId {
        FormatId(self.formats.intern(name.into()))
    }

    pub(super) fn format_name(&self, format: FormatId) -> &str {
        self.formats.get(format.0)
    }

    pub(super) fn key_set(&mut self, mut set: KeySet) -> KeySetId {
        set.names.sort_unstable();
        set.names.dedup();
        set.patterns.sort_unstable();
        set.patterns.dedup();
        let size = |set: &KeySet| size_of_bytes(size_of_val(&*set.names) + size_of_val(&*set.patterns));
        KeySetId(self.key_sets.intern_sized(set, &mut self.constants_size, size))
    }

    pub(super) fn keys(&self, set: KeySetId) -> &KeySet {
        self.key_sets.get(set.0)
    }

    pub(super) fn one_of(&mut self, constants: Vec<Constant>, holds: bool) -> Condition {
        Condition::OneOf { constants: self.constants_of(constants), holds }
    }

    /// A list of constants by number, whatever their order.
    pub(super) fn constants_of(&mut self, constants: Vec<Constant>) -> ConstantsId {
        self.sorted_constants(Constant::sorted(constants))
    }

    /// A list of constants [in order](Constant::sorted) by number.
    pub(super) fn sorted_constants(&mut self, constants: Arc<[Constant]>) -> ConstantsId {
        let size = |constants: &Arc<[Constant]>| constants.iter().map(Constant::size).sum();
        ConstantsId(self.constants.intern_sized(constants, &mut self.constants_size, size))
    }

    pub(super) fn constants(&self, id: ConstantsId) -> &[Constant] {
        self.constants.get(id.0)
    }

    /// Whether constants are so many that what is unlike all of them is made once: another condition of a goal may exclude
    /// others, and the next goal these and further ones.
    pub(super) fn are_many(&self, id: ConstantsId) -> bool {
        self.constants(id).len() >= SharedLists::<ValueId>::LEAST_BLOCK as usize
    }

    pub(super) fn number(&mut self, number: &Decimal) -> NumberId {
        NumberId(self.numbers.intern(number.clone()))
    }

    pub(super) fn decimal(&self, number: NumberId) -> &Decimal {
        self.numbers.get(number.0)
    }

    /// The number of a constant.
    pub(super) fn value(&mut self, constant: Constant) -> ValueId {
        let size = |constant: &Constant| constant.size() + constant.shared_size();
        ValueId(self.values.intern_sized(constant, &mut self.constants_size, size))
    }

    /// The constant of a number.
    pub(super) fn constant(&self, value: ValueId) -> &Constant {
        self.values.get(value.0)
    }

    /// Constants by number: sorted, each once.
    pub(super) fn values(&mut self, constants: &[Constant]) -> Vec<ValueId> {
        let mut values: Vec<ValueId> =
            constants.iter().map(|constant| self.value(constant.clone())).collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}
