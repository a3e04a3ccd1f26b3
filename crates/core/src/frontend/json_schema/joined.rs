//! Objects of which a value may be one, read together until the text tells which it is.
//!
//! Where a value may be one of a hundred objects, each of them has a place of its own, and a mask would have to read what
//! may come in each. So they are one place, *joined* of theirs: the object may end where one of them may, a key may come
//! that may come in one of them, and behind it those are left in which it may. Of these, objects with the same value
//! behind the key go on joined. So do those whose value is one of a few that can be read off their text, as the name of a kind is
//! that most such objects begin with: it is captured, and tells which objects are left. Those whose values differ in nothing but which
//! of these they exclude have all other values in common. So a text and its masks cost what those of one object do, whose keys and
//! values are those of all.
//!
//! Joined are objects of which all keys are alike but for those mentioned, and which nobody receives or compares. They have
//! read the same members, which one may mention and another not.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::completion::Plan;
use super::condition::{GoalId, NameId, ValueId};
use super::constant::Constant;
use super::members::NextKey;
use super::object::ObjectPlan;
use super::places::{Captured, MembersPlace, Place, PlaceId, ToldId};
use super::spelling::parse_value;
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{ExpressionId, ExpressionStore};

/// The values that may come, each with the place behind it in an object that may have it.
type Next = Vec<(GoalId, PlaceId)>;

/// Values that may come, each with the places behind it in those objects that may have it.
type Groups = Vec<(GoalId, Vec<PlaceId>)>;

/// Values, each with the places behind it in those objects that may have it.
type ToldValues = BTreeMap<ValueId, Vec<PlaceId>>;

impl Writer<'_> {
    /// What may come in one of some objects, before their first members.
    pub(super) fn one_of_places(&mut self, places: Vec<MembersPlace>) -> ExpressionId {
        let (mut all, mut joined) = (Vec::new(), Vec::new());
        for place in places {
            let can_be_joined = self.can_be_joined(&place);
            let place = self.places.number(Place::Members(Arc::new(place)));
            match can_be_joined {
                true => joined.push(place),
                false => all.push(self.expression_of(place)),
            }
        }
        if !joined.is_empty() {
            let joined = self.join(joined);
            all.push(self.expression_of(joined));
        }
        self.solver.expressions.alternatives(&all)
    }

    fn can_be_joined(&self, place: &MembersPlace) -> bool {
        let is_free = || self.plan_of(place).others.iter().all(|class| class.is_free);
        place.receiver.is_none() && place.state.candidates.are_none() && is_free()
    }

    /// The place in one of some objects, of which some are left.
    fn join(&mut self, mut places: Vec<PlaceId>) -> PlaceId {
        places.sort_unstable();
        places.dedup();
        match *places {
            [single] => single,
            _ => self.places.number(Place::Joined(places.into())),
        }
    }

    fn expression_of(&mut self, place: PlaceId) -> ExpressionId {
        self.solver.expressions.deferred(self.leaf, place.0)
    }

    /// The place in an object, or those of which a place is joined; none for places that are not in objects.
    pub(super) fn places_in(&self, id: PlaceId) -> SmallVec<[Arc<MembersPlace>; 1]> {
        match self.places.place(id) {
            Place::Members(place) => smallvec![Arc::clone(place)],
            Place::Joined(places) => self.each_joined(places),
            _ => SmallVec::new(),
        }
    }

    fn each_joined(&self, places: &[PlaceId]) -> SmallVec<[Arc<MembersPlace>; 1]> {
        let members = places.iter().filter_map(|&id| match self.places.place(id) {
            Place::Members(place) => Some(Arc::clone(place)),
            _ => None,
        });
        members.collect()
    }

    /// What may come at a joined place.
    pub(super) fn joined_members(&mut self, id: PlaceId, places: &[PlaceId]) -> Result<ExpressionId> {
        let places = self.each_joined(places);
        let Some(first) = places.first() else { return Ok(ExpressionStore::NOTHING) };
        let mut all = Vec::with_capacity(2);
        if places.iter().any(|place| self.plan_of(place).may_end(&place.state)) {
            all.push(self.end_of_container(first.is_first, first.depth, b"}"));
        }
        for place in &places {
            if self.next_key(&self.plan_of(place), place)? != NextKey::None {
                all.push(self.before_key(id, first));
                break;
            }
        }
        Ok(self.solver.expressions.alternatives(&all))
    }

    /// The keys that may come at a joined place, their first quote read, and what comes after each.
    pub(super) fn joined_keys(&mut self, id: PlaceId, places: &[PlaceId]) -> Result<ExpressionId> {
        let mut mentioned: Vec<NameId> = Vec::new();
        let mut names: FxHashSet<NameId> = FxHashSet::default();
        // Those in which a key may come that is not mentioned.
        let mut open: Vec<(Arc<MembersPlace>, Arc<ObjectPlan>)> = Vec::new();
        for place in self.each_joined(places) {
            let plan = self.plan_of(&place);
            mentioned.extend_from_slice(&plan.known);
            names.extend(self.open_names(&plan, &place)?);
            if self.any_other_can_come(&plan, &place)? {
                open.push((place, plan));
            }
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        for &name in &mentioned {
            // Since all have read the same members, it is the same for all that do not mention the name whether it has come.
            let is_other = |(_, plan): &&(Arc<MembersPlace>, Arc<ObjectPlan>)| !plan.mentions(name);
            if let Some((place, _)) = open.iter().find(is_other)
                && !self.has_come(place, name)
            {
                names.insert(name);
            }
        }
        let mut names: Vec<NameId> = names.into_iter().collect();
        names.sort_unstable();
        let names = self.contents_of(&names);
        let mut keys = vec![self.key(names, Captured::Key(id))];
        if let Some((place, plan)) = open.first() {
            let content = self.unmentioned(&mentioned, plan)?;
            let content = self.unused(content, place.others);
            keys.push(self.other_key(content, id, 0, place));
        }
        Ok(self.solver.expressions.alternatives(&keys))
    }

    /// The keys that are not among all that some plans mention, of which one is given.
    fn unmentioned(&mut self, mentioned: &[NameId], plan: &ObjectPlan) -> Result<ExpressionId> {
        if let [class] = &*plan.others
            && plan.known.len() == mentioned.len()
        {
            return Ok(class.content);
        }
        let names = self.contents_of(mentioned);
        let others = self.solver.expressions.complement(names);
        let any = self.solver.any_content();
        let content = self.solver.expressions.intersection(&[others, any]);
        self.solver.if_alive(content)
    }

    fn has_come(&self, place: &MembersPlace, name: NameId) -> bool {
        let others = self.places.keys.backwards(place.others);
        others.take_while(|&other| other >= name).any(|other| other == name)
    }

    /// Whether a key may come that the plan of a place does not mention.
    fn any_other_can_come(&mut self, plan: &ObjectPlan, place: &MembersPlace) -> Result<bool> {
        for class in self.solver.open_classes(plan, &place.state) {
            let next = self.solver.after_other(plan, &place.state, class);
            if self.any_can_come(plan, &next)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What comes after a key that one of some joined objects mentions.
    pub(super) fn after_joined_key(&mut self, places: &[PlaceId], name: NameId) -> Result<ExpressionId> {
        let mut next = Next::new();
        for place in self.each_joined(places) {
            self.solver.deadline.check()?;
            let plan = self.plan_of(&place);
            let Some(at) = plan.names.iter().position(|named| named.name == name) else {
                // It has not come, or it would be no key that may come.
                if !plan.mentions(name) {
                    self.add_after_other(&plan, &place, Some(name), &mut next)?;
                }
                continue;
            };
            if !plan.open_names(&place.state, self.solver.options.order).contains(&at) {
                continue;
            }
            for (goal, after) in self.solver.after_name(&plan, &place.state, at) {
                if self.can_come(&plan, goal, &after)? {
                    let after = Place::Members(Arc::new(place.after(after)));
                    next.push((goal, self.places.number(after)));
                }
            }
        }
        self.joined_values(places, next)
    }

    /// What comes after a key that none of some joined objects mentions; with `None`, after any such key.
    pub(super) fn after_joined_other_key(
        &mut self,
        places: &[PlaceId],
        name: Option<NameId>,
    ) -> Result<ExpressionId> {
        let mut next = Next::new();
        for place in self.each_joined(places) {
            self.solver.deadline.check()?;
            let plan = self.plan_of(&place);
            self.add_after_other(&plan, &place, name, &mut next)?;
        }
        self.joined_values(places, next)
    }

    /// Adds what may come after a key that the plan of a place does not mention.
    fn add_after_other(
        &mut self,
        plan: &ObjectPlan,
        place: &MembersPlace,
        name: Option<NameId>,
        next: &mut Next,
    ) -> Result<()> {
        for class in self.solver.open_classes(plan, &place.state) {
            for (goal, after) in self.solver.after_other(plan, &place.state, class) {
                if self.can_come(plan, goal, &after)? {
                    let mut after = place.after(after);
                    if let Some(name) = name.filter(|_| self.solver.options.track_keys) {
                        after.others = self.places.keys.insert(after.others, name);
                    }
                    next.push((goal, self.places.number(Place::Members(Arc::new(after)))));
                }
            }
        }
        Ok(())
    }

    /// The colons and values that may come, and the places behind them: one for all objects with a value.
    fn joined_values(&mut self, places: &[PlaceId], next: Next) -> Result<ExpressionId> {
        let depth = self.each_joined(places).first().map_or(0, |place| place.depth + 1);
        let mut found: FxHashMap<GoalId, usize> = FxHashMap::default();
        let mut groups = Groups::new();
        for (goal, after) in next {
            let goal = self.solver.representative(goal);
            let at = *found.entry(goal).or_insert_with(|| {
                groups.push((goal, Vec::new()));
                groups.len() - 1
            });
            groups[at].1.push(after);
        }
        let (mut told, mut others) = (ToldValues::new(), Vec::new());
        let are_several = groups.len() > 1;
        for (goal, after) in groups {
            match self.solver.legible_values(goal)? {
                Some(values) if are_several => values
                    .into_iter()
                    .for_each(|value| told.entry(value).or_default().extend_from_slice(&after)),
                _ => others.push((goal, after)),
            }
        }
        if others.len() > 1 {
            others = self.but_for_values(others, &mut told)?;
        }
        let mut members = Vec::with_capacity(others.len() + 1);
        for (goal, after) in others {
            let rule = self.member_rule(goal, depth)?;
            let member = self.solver.expressions.call(rule);
            let after = self.join(after);
            let after = self.expression_of(after);
            members.push(self.solver.expressions.concatenate(member, after));
        }
        if !told.is_empty() {
            members.push(self.telling(told));
        }
        Ok(self.solver.expressions.alternatives(&members))
    }

    /// The groups, of which those are one that differ only in values which they exclude: these are told, and all others
    /// are the same to them.
    fn but_for_values(&mut self, groups: Groups, told: &mut ToldValues) -> Result<Groups> {
        type Excluding = (Vec<ValueId>, GoalId, Vec<PlaceId>);
        let mut alike: BTreeMap<GoalId, Vec<Excluding>> = BTreeMap::new();
        for (goal, after) in groups {
            self.solver.deadline.check()?;
            let (rest, excluded) = self.solver.without_excluded(goal);
            alike.entry(rest).or_default().push((excluded, goal, after));
        }
        let mut groups = Groups::new();
        for (rest, mut members) in alike {
            if members.len() == 1 {
                groups.extend(members.pop().map(|(_, goal, after)| (goal, after)));
                continue;
            }
            let mut values: Vec<ValueId> =
                members.iter().flat_map(|(excluded, ..)| excluded).copied().collect();
            values.sort_unstable();
            values.dedup();
            for value in self.solver.satisfying(rest, &values)? {
                let has = |excluded: &[ValueId]| excluded.binary_search(&value).is_err();
                let after =
                    members.iter().filter(|(excluded, ..)| has(excluded)).flat_map(|(.., after)| after);
                let mut after = after.copied().peekable();
                if after.peek().is_some() {
                    told.entry(value).or_default().extend(after);
                }
            }
            let terms = &mut self.solver.tables.terms;
            let values = values.into_iter().map(|value| terms.constant(value).clone()).collect();
            let others = terms.one_of(values, false);
            let goal = self.solver.with_condition(rest, others);
            if self.solver.is_satisfiable(goal)? {
                groups.push((goal, members.into_iter().flat_map(|(.., after)| after).collect()));
            }
        }
        Ok(groups)
    }

    /// The colon and values that tell which objects are left, each with the places behind it in those.
    fn telling(&mut self, values: ToldValues) -> ExpressionId {
        let (mut words, mut contents) = (Vec::new(), Vec::new());
        for &value in values.keys() {
            match self.solver.tables.terms.constant(value) {
                Constant::String(content) => contents.push(content.clone()),
                Constant::Null => words.push(b"null".to_vec()),
                Constant::Boolean(true) => words.push(b"true".to_vec()),
                Constant::Boolean(false) => words.push(b"false".to_vec()),
                Constant::Number(_) | Constant::Array(_) | Constant::Object(_) => {}
            }
        }
        let told: Vec<_> = values.into_iter().map(|(value, after)| (value, self.join(after))).collect();
        let told = self.places.tell(told.into());
        let mut texts = vec![self.solver.expressions.literals(words)];
        if !contents.is_empty() {
            let contents = self.solver.contents(contents);
            texts.push(self.quoted(contents));
        }
        let texts = self.solver.expressions.alternatives(&texts);
        let texts = self.capture(texts, Captured::Telling(told));
        let colon = self.layout.expression(&self.layout.after_key(), self.solver.expressions);
        self.solver.expressions.concatenate(colon, texts)
    }

    /// What comes after a value that tells which objects are left.
    pub(super) fn after_telling(&mut self, told: ToldId, text: &[u8]) -> ExpressionId {
        let Some(value) = parse_value(text) else { return ExpressionStore::NOTHING };
        let value = self.solver.tables.terms.value(value);
        let told = self.places.told(told);
        let found = told.binary_search_by_key(&value, |&(known, _)| known).map(|at| told[at].1);
        found.map_or(ExpressionStore::NOTHING, |place| self.expression_of(place))
    }
}
