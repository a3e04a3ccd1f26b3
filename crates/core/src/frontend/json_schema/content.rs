//! What a place says, in a form that does not depend on where its schema stands.
//!
//! What `writer` makes of a place follows from the plans of its cases, the state in the plan, and the options. So
//! that is what is described, and nothing of the schemas that led to it: titles, references, the names of
//! definitions and the places of subschemas have left no trace in a plan. A goal is described by its cases, and
//! a plan by the goals of its members or items; goals may need one another.
//!
//! Every goal that `writer` can ask for is made here, too: those of members that are witnesses, and of items
//! that count. Where the goals depend on values that are only known from the text, there is no content: in objects
//! and arrays that must not equal a constant, and in arrays of other than scalars whose items are compared.

use super::array::{ArrayPlan, ArrayState};
use super::condition::{Condition, GoalId, Kind, NameId, ValueId};
use super::constant::Constant;
use super::decimal::Decimal;
use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::options::{Options, PropertyOrder, Whitespace};
use super::places::{Captured, CapturedId, ItemsPlace, MembersPlace, Place, PlaceId, Receiver, ReceiverId};
use super::shared_list::ListId;
use super::tables::Case;
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{DeferredId, Description, JSON_SCHEMA_TAG, LeafId, Part};

/// How many goals the choices of one plan are multiplied out to at most.
const MOST_CHOICES: usize = 1 << 12;
/// With so many cases described, no more goals are.
const MOST_CASES: usize = 50_000;

/// What labels of the front end go on with.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Tag {
    Options = 0,
    Value = 1,
    Items = 2,
    Members = 3,
    Key = 4,
    OtherKey = 5,
    Scalar = 6,
    ReceivedItem = 7,
    ReceivedMember = 8,
    Goal = 9,
    Null = 10,
    Boolean = 11,
    Number = 12,
    String = 13,
    Array = 14,
    Object = 15,
    BehindOtherKey = 16,
    Keys = 17,
    AnyValue = 18,
    ItemsSoFar = 19,
    KeysSoFar = 20,
    MembersSoFar = 21,
}

/// What a [`Part::Other`] of this front end is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    Options,
    Goal(GoalId),
    Case(Kind, u32),
    Receiver(ReceiverId),
    Items(ListId<ValueId>),
    Keys(ListId<NameId>),
    Members(ListId<(NameId, ValueId)>),
}

impl Other {
    /// The highest byte says what it is, the lowest four which.
    fn part(self, leaf: LeafId) -> Part {
        let (what, which) = match self {
            Self::Options => (0, 0),
            Self::Goal(goal) => (1, goal.0),
            Self::Receiver(receiver) => (2, receiver.0),
            Self::Items(list) => (3, list.number()),
            Self::Keys(list) => (4, list.number()),
            Self::Members(list) => (5, list.number()),
            Self::Case(kind, case) => (6 + kind as u64, case),
        };
        Part::Other(leaf, what << 56 | u64::from(which))
    }

    fn of(number: u64) -> Option<Self> {
        let which = number as u32;
        Some(match number >> 56 {
            0 => Self::Options,
            1 => Self::Goal(GoalId(which)),
            2 => Self::Receiver(ReceiverId(which)),
            3 => Self::Items(ListId::from_number(which)),
            4 => Self::Keys(ListId::from_number(which)),
            5 => Self::Members(ListId::from_number(which)),
            what => Self::Case(*Kind::ALL.iter().find(|&&kind| 6 + kind as u64 == what)?, which),
        })
    }
}

impl Writer<'_> {
    /// Adds the shallow form of a part; false where it has no content.
    pub(super) fn describe(&mut self, part: Part, out: &mut Description) -> Result<bool> {
        out.byte(JSON_SCHEMA_TAG);
        match part {
            Part::Deferred(id) => match self.place_of(id).clone() {
                // The options say all of it.
                Place::Value { goal: GoalId::ANYTHING, depth } => self.begin_place(Tag::AnyValue, depth, out),
                Place::Value { goal, depth } => {
                    self.begin_place(Tag::Value, depth, out);
                    out.part(Other::Goal(goal).part(self.leaf));
                }
                Place::Items(place) => self.describe_items(Tag::Items, &place, out),
                Place::Members(place) => self.describe_members(Tag::Members, &place, out),
                Place::Keys { object } => {
                    out.byte(Tag::Keys as u8);
                    let object = self.solver.expressions.deferred_id(self.leaf, object.0);
                    out.part(Part::Deferred(object));
                }
                // Its steps are put together of what others have, too, in less time than it takes to tell it from others.
                Place::Outline(_) => return Ok(false),
                // What compares arrays or objects has no content.
                Place::BehindContainer { .. } => return Ok(false),
                Place::BehindOtherKey { object, class } => {
                    out.byte(Tag::BehindOtherKey as u8);
                    out.number(u64::from(class));
                    let object = self.solver.expressions.deferred_id(self.leaf, object.0);
                    out.part(Part::Deferred(object));
                }
            },
            Part::Capture(id) => {
                match self.places.captured(CapturedId(self.solver.expressions.captured_by(id).number)) {
                    Captured::Key(place) => {
                        out.byte(Tag::Key as u8);
                        let place = self.solver.expressions.deferred_id(self.leaf, place.0);
                        out.part(Part::Deferred(place));
                    }
                    Captured::OtherKey(place, class) => {
                        out.byte(Tag::OtherKey as u8);
                        out.number(u64::from(class));
                        let place = self.solver.expressions.deferred_id(self.leaf, place.0);
                        out.part(Part::Deferred(place));
                    }
                    Captured::Scalar(receiver) => {
                        out.byte(Tag::Scalar as u8);
                        out.part(Other::Receiver(receiver).part(self.leaf));
                    }
                    Captured::Unread { .. } => return Ok(false),
                }
            }
            Part::Other(_, number) => match Other::of(number) {
                Some(Other::Options) => describe_options(self.solver.options, out),
                // Choices within choices can lead to ever more goals.
                Some(Other::Goal(_)) if self.places.case_count() > MOST_CASES => return Ok(false),
                Some(Other::Goal(goal)) => self.describe_goal(goal, out)?,
                Some(Other::Case(kind, case)) => return self.describe_case(kind, case, out),
                Some(Other::Items(items)) => {
                    out.byte(Tag::ItemsSoFar as u8);
                    self.describe_items_so_far(items, out);
                }
                Some(Other::Keys(keys)) => {
                    out.byte(Tag::KeysSoFar as u8);
                    self.describe_keys_so_far(keys, out);
                }
                Some(Other::Members(members)) => {
                    out.byte(Tag::MembersSoFar as u8);
                    self.describe_members_so_far(members, out);
                }
                Some(Other::Receiver(receiver)) => match self.places.receiver_of(receiver).clone() {
                    Receiver::Item { after: place, .. } => {
                        self.describe_items(Tag::ReceivedItem, &place, out);
                    }
                    Receiver::Member(name, place) => {
                        self.describe_members(Tag::ReceivedMember, &place, out);
                        out.text(self.solver.tables.terms.content(name));
                    }
                },
                None => return Ok(false),
            },
            Part::Expression(_) | Part::Rule(_) => return Ok(false),
        }
        Ok(true)
    }

    fn place_of(&self, id: DeferredId) -> &Place {
        self.places.place(PlaceId(self.solver.expressions.deferred_by(id).number))
    }

    fn begin_place(&mut self, tag: Tag, depth: u32, out: &mut Description) {
        out.byte(tag as u8);
        out.number(if self.layout.depends_on_depth() { u64::from(depth) } else { 0 });
        out.part(Other::Options.part(self.leaf));
    }

    fn describe_items(&mut self, tag: Tag, place: &ItemsPlace, out: &mut Description) {
        let ItemsPlace { plan, state, count, is_first, items, is_vague, depth, receiver } = place;
        self.begin_place(tag, *depth, out);
        let case = self.solver.tables.arrays.case(*plan);
        out.part(Other::Case(Kind::Array, self.places.case(case)).part(self.leaf));
        let ArrayState { index, counts, candidates, repeated } = state;
        out.number(u64::from(*index));
        counts.iter().for_each(|&count| out.number(u64::from(count)));
        out.number(candidates.len() as u64);
        candidates.iter().for_each(|candidate| out.number(u64::from(candidate.0)));
        out.flag(*repeated);
        out.number(*count);
        out.flag(*is_first);
        self.describe_items_so_far(*items, out);
        out.flag(*is_vague);
        self.describe_receiver(*receiver, out);
    }

    fn describe_members(&mut self, tag: Tag, place: &MembersPlace, out: &mut Description) {
        let MembersPlace { plan, state, is_first, others, members, is_vague, depth, receiver } = place;
        self.begin_place(tag, *depth, out);
        let case = self.solver.tables.objects.case(*plan);
        out.part(Other::Case(Kind::Object, self.places.case(case)).part(self.leaf));
        let ObjectState { seen, position, count, used, pending, candidates } = state;
        out.number(seen.len() as u64);
        seen.iter().for_each(|&bits| out.number(bits));
        out.number(u64::from(*position));
        out.number(u64::from(*count));
        out.number(used.len() as u64);
        used.iter().for_each(|&count| out.number(u64::from(count)));
        out.byte(*pending);
        out.number(candidates.len() as u64);
        candidates.iter().for_each(|candidate| out.number(u64::from(candidate.0)));
        out.flag(*is_first);
        self.describe_keys_so_far(*others, out);
        self.describe_members_so_far(*members, out);
        out.flag(*is_vague);
        self.describe_receiver(*receiver, out);
    }

    /// Adds the last block of a list of items, and the list before it as a part.
    fn describe_items_so_far(&self, items: ListId<ValueId>, out: &mut Description) {
        let lists = &self.places.items;
        let last = lists.last_block(items);
        out.number(last.len() as u64);
        last.into_iter().for_each(|item| describe_constant(self.solver.tables.terms.constant(item), out));
        self.describe_list_before(lists.before_block(items), Other::Items, out);
    }

    /// The same of keys: each block in an order of its own. Of more than one block it depends on the order in which they
    /// were met what is in which, and so whether places with the same keys are found to be the same.
    fn describe_keys_so_far(&self, keys: ListId<NameId>, out: &mut Description) {
        let lists = &self.places.keys;
        let terms = &self.solver.tables.terms;
        let mut last: Vec<&[u8]> =
            lists.last_block(keys).into_iter().map(|name| terms.content(name)).collect();
        last.sort_unstable();
        out.number(last.len() as u64);
        last.into_iter().for_each(|name| out.text(name));
        self.describe_list_before(lists.before_block(keys), Other::Keys, out);
    }

    /// The same of members.
    fn describe_members_so_far(&self, members: ListId<(NameId, ValueId)>, out: &mut Description) {
        let lists = &self.places.members;
        let terms = &self.solver.tables.terms;
        let last = lists.last_block(members).into_iter();
        let mut last: Vec<(&[u8], &Constant)> =
            last.map(|(name, value)| (terms.content(name), terms.constant(value))).collect();
        last.sort_unstable();
        out.number(last.len() as u64);
        for (name, value) in last {
            out.text(name);
            describe_constant(value, out);
        }
        self.describe_list_before(lists.before_block(members), Other::Members, out);
    }

    fn describe_list_before<T>(
        &self,
        list: ListId<T>,
        other: impl Fn(ListId<T>) -> Other,
        out: &mut Description,
    ) {
        out.flag(!list.is_empty());
        if !list.is_empty() {
            out.part(other(list).part(self.leaf));
        }
    }

    fn describe_receiver(&self, receiver: Option<ReceiverId>, out: &mut Description) {
        out.flag(receiver.is_some());
        if let Some(receiver) = receiver {
            out.part(Other::Receiver(receiver).part(self.leaf));
        }
    }

    fn describe_goal(&mut self, goal: GoalId, out: &mut Description) -> Result<()> {
        out.byte(Tag::Goal as u8);
        out.is_unordered = true;
        for kind in Kind::ALL {
            for case in self.solver.cases(goal, kind)?.iter() {
                out.part(Other::Case(kind, self.places.case(case)).part(self.leaf));
            }
        }
        Ok(())
    }

    fn describe_case(&mut self, kind: Kind, case: u32, out: &mut Description) -> Result<bool> {
        let case = Case::clone(self.places.case_of(case));
        match kind {
            Kind::Null => out.byte(Tag::Null as u8),
            Kind::Boolean => {
                out.byte(Tag::Boolean as u8);
                let values = self.solver.booleans(&case);
                out.flag(values.contains(&false));
                out.flag(values.contains(&true));
            }
            Kind::Number => self.describe_leaves(Tag::Number, kind, &case, out),
            Kind::String => self.describe_leaves(Tag::String, kind, &case, out),
            Kind::Array => {
                let plan = self.solver.array_plan(&case)?;
                return self.describe_array(&plan, out);
            }
            Kind::Object => {
                let plan = self.solver.object_plan(&case)?;
                return self.describe_object(&plan, out);
            }
        }
        Ok(true)
    }

    /// Adds the leaves of a case about strings or numbers, in an order of their own.
    fn describe_leaves(&mut self, tag: Tag, kind: Kind, case: &[Condition], out: &mut Description) {
        out.byte(tag as u8);
        out.is_unordered = true;
        let mut labels: Vec<Vec<u8>> = Vec::with_capacity(case.len());
        for &leaf in case {
            if let Condition::Language { language, .. } = leaf {
                out.part(Part::Expression(language));
                continue;
            }
            let mut label = Description::default();
            self.describe_leaf(leaf, kind, &mut label);
            labels.push(label.labels);
        }
        labels.sort_unstable();
        out.number(labels.len() as u64);
        labels.iter().for_each(|label| out.text(label));
    }

    fn describe_leaf(&self, leaf: Condition, kind: Kind, out: &mut Description) {
        let terms = &self.solver.tables.terms;
        match leaf {
            Condition::OneOf { constants, holds } => {
                out.byte(0);
                out.flag(holds);
                let constants = terms.constants(constants).iter().filter(|value| Kind::of(value) == kind);
                constants.for_each(|constant| describe_constant(constant, out));
            }
            Condition::Integer { holds } => {
                out.byte(1);
                out.flag(holds);
            }
            Condition::Whole { holds } => {
                out.byte(2);
                out.flag(holds);
            }
            Condition::Minimum { bound, exclusive } => {
                out.byte(3);
                out.flag(exclusive);
                describe_number(terms.decimal(bound), out);
            }
            Condition::Maximum { bound, exclusive } => {
                out.byte(4);
                out.flag(exclusive);
                describe_number(terms.decimal(bound), out);
            }
            Condition::MultipleOf { number, holds } => {
                out.byte(5);
                out.flag(holds);
                describe_number(terms.decimal(number), out);
            }
            Condition::MinimumLength(length) => {
                out.byte(6);
                out.number(length);
            }
            Condition::MaximumLength(length) => {
                out.byte(7);
                out.number(length);
            }
            Condition::Pattern { pattern, holds } => {
                out.byte(8);
                out.flag(holds);
                out.text(self.solver.schemas.patterns[pattern.0 as usize].text.as_bytes());
            }
            Condition::Format { format, holds } => {
                out.byte(9);
                out.flag(holds);
                out.text(terms.format_name(format).as_bytes());
            }
            // Leaves about other kinds say nothing of this one.
            _ => {}
        }
    }

    fn describe_object(&mut self, plan: &ObjectPlan, out: &mut Description) -> Result<bool> {
        // Which names are required is said with each of them.
        let ObjectPlan {
            names,
            declared,
            known: _,
            required: _,
            dependencies,
            others,
            witnesses,
            minimum,
            maximum,
            differs,
        } = plan;
        let members = names.iter().map(|named| named.witnesses);
        let members = members.chain(others.iter().map(|class| class.witnesses));
        if !differs.is_empty()
            || members.map(|witnesses| 1usize << witnesses.count_ones()).sum::<usize>() > MOST_CHOICES
        {
            return Ok(false);
        }
        out.byte(Tag::Object as u8);
        out.number(*minimum);
        out.number(*maximum);
        out.byte(witnesses.len() as u8);
        out.number(names.len() as u64);
        out.number(u64::from(*declared));
        for named in names {
            out.text(self.solver.tables.terms.content(named.name));
            out.flag(named.required);
            self.describe_witness(plan, named.goal, named.witnesses, out);
        }
        out.number(dependencies.of.len() as u64);
        for (name, needed) in &dependencies.of {
            out.number(u64::from(*name));
            out.number(needed.len() as u64);
            needed.iter().for_each(|&needed| out.number(u64::from(needed)));
        }
        out.number(others.len() as u64);
        for class in others {
            out.number(u64::from(class.count));
            out.flag(class.is_endless);
            out.part(Part::Expression(class.content));
            self.describe_witness(plan, class.goal, class.witnesses, out);
        }
        Ok(true)
    }

    /// Adds the goals that a member can have: its own, with those of each choice of the witnesses that it may be.
    fn describe_witness(&mut self, plan: &ObjectPlan, goal: GoalId, witnesses: u8, out: &mut Description) {
        out.byte(witnesses);
        for met in (0..=witnesses).filter(|met| met & witnesses == *met) {
            let bits = (0..plan.witnesses.len()).filter(|bit| met >> bit & 1 == 1);
            let goals: Vec<GoalId> = bits.map(|bit| plan.witnesses[bit]).chain([goal]).collect();
            out.part(Other::Goal(self.solver.tables.terms.all_of(&goals)).part(self.leaf));
        }
    }

    fn describe_array(&mut self, plan: &ArrayPlan, out: &mut Description) -> Result<bool> {
        let ArrayPlan { prefix, rest, counts, minimum, maximum, differs, unique, repeats, horizon, .. } =
            plan;
        let from = counts.iter().map(|counted| counted.from as usize).max().unwrap_or(0);
        let indices = prefix.len().max(from) + 1;
        let choices = 3usize.checked_pow(counts.len() as u32).unwrap_or(usize::MAX);
        if !differs.is_empty() || !counts.is_empty() && indices.saturating_mul(choices) > MOST_CHOICES {
            return Ok(false);
        }
        out.byte(Tag::Array as u8);
        out.number(*minimum);
        out.number(*maximum);
        out.flag(*unique);
        out.flag(*repeats);
        out.number(u64::from(*horizon));
        out.number(counts.len() as u64);
        for counted in counts {
            out.number(u64::from(counted.from));
            out.number(u64::from(counted.minimum));
            out.flag(counted.maximum.is_some());
            out.number(counted.maximum.map_or(0, |(most, _)| u64::from(most)));
        }
        out.number(prefix.len() as u64);
        for index in 0..indices {
            let goal = prefix.get(index).copied().unwrap_or(*rest);
            let mut goals = vec![vec![goal]];
            for counted in counts.iter().filter(|counted| index >= counted.from as usize) {
                let choices = [Some(counted.goal), counted.maximum.map(|(_, goal)| goal)];
                let with = |goals: &Vec<GoalId>, choice| goals.iter().copied().chain([choice]).collect();
                let more: Vec<Vec<GoalId>> = choices
                    .into_iter()
                    .flatten()
                    .flat_map(|choice| goals.iter().map(move |goals| with(goals, choice)))
                    .collect();
                goals.extend(more);
            }
            for goals in goals {
                let goal = self.solver.tables.terms.all_of(&goals);
                if (*unique || *repeats) && !self.is_scalar(goal)? {
                    return Ok(false);
                }
                out.part(Other::Goal(goal).part(self.leaf));
            }
        }
        Ok(true)
    }

    /// Whether only scalars satisfy a goal.
    fn is_scalar(&mut self, goal: GoalId) -> Result<bool> {
        Ok(self.solver.cases(goal, Kind::Array)?.is_empty()
            && self.solver.cases(goal, Kind::Object)?.is_empty())
    }
}

/// Adds the options on which texts depend; `default_draft` has done its work when a schema is loaded.
fn describe_options(options: &Options, out: &mut Description) {
    let Options {
        order,
        whitespace,
        ascii_only,
        minimal_escapes,
        lone_surrogates,
        track_keys,
        enforce_formats,
        formats,
        approximate,
        default_draft: _,
    } = options;
    out.byte(Tag::Options as u8);
    out.flag(*order == PropertyOrder::Declared);
    match whitespace {
        Whitespace::Free { maximum } => {
            out.byte(0);
            out.number(u64::from(*maximum));
        }
        Whitespace::Fixed { item_separator, key_separator, indent } => {
            out.byte(1);
            out.text(item_separator.as_bytes());
            out.text(key_separator.as_bytes());
            out.flag(indent.is_some());
            out.number(u64::from(indent.unwrap_or(0)));
        }
    }
    for flag in [ascii_only, minimal_escapes, lone_surrogates, track_keys, enforce_formats] {
        out.flag(*flag);
    }
    out.number(formats.len() as u64);
    for (name, pattern) in formats {
        out.text(name.as_bytes());
        out.text(pattern.as_bytes());
    }
    let mut names: Vec<&str> = approximate.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    out.number(names.len() as u64);
    names.into_iter().for_each(|name| out.text(name.as_bytes()));
}

/// What a schema is compiled from, as a label: equal labels mean the same schema, with the same options.
pub(super) fn label(text: &str, documents: &[(String, String)], options: &Options) -> Box<[u8]> {
    let mut out = Description::default();
    describe_options(options, &mut out);
    out.text(options.default_draft.as_bytes());
    // With room for the numbers around it, since else the text is copied again for the last of them.
    out.labels.reserve(text.len() + 64);
    out.text(text.as_bytes());
    out.number(documents.len() as u64);
    for (uri, document) in documents {
        out.text(uri.as_bytes());
        out.text(document.as_bytes());
    }
    out.labels.into()
}

fn describe_number(number: &Decimal, out: &mut Description) {
    out.flag(number.is_negative());
    out.text(number.digits());
    out.signed(number.exponent());
}

fn describe_constant(constant: &Constant, out: &mut Description) {
    match constant {
        Constant::Null => out.byte(0),
        Constant::Boolean(value) => {
            out.byte(1);
            out.flag(*value);
        }
        Constant::Number(number) => {
            out.byte(2);
            describe_number(number, out);
        }
        Constant::String(text) => {
            out.byte(3);
            out.text(text);
        }
        Constant::Array(items) => {
            out.byte(4);
            out.number(items.len() as u64);
            items.iter().for_each(|item| describe_constant(item, out));
        }
        Constant::Object(members) => {
            out.byte(5);
            out.number(members.len() as u64);
            for (name, value) in members.iter() {
                out.text(name);
                describe_constant(value, out);
            }
        }
    }
}
