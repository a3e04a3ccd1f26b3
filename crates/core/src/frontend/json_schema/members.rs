//! The text of objects.

use std::sync::Arc;

use super::candidates::{Part, Step};
use super::completion::Plan;
use super::condition::{GoalId, Kind, NameId};
use super::constant::Content;
use super::dependencies::CompletionByNumber;
use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::places::{Captured, MembersPlace, Parts, Place, PlaceId, Receiver, ReceiverId};
use super::satisfy::Possible;
use super::shared_list::ListId;
use super::tables::Case;
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{ExpressionId, ExpressionStore};
use crate::spelling::content_of;

/// Which keys may come next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextKey {
    None,
    /// All of a class but finitely many, so that every text is the beginning of one; with what may come then.
    Any {
        class: usize,
        next: Vec<(GoalId, ObjectState)>,
    },
    /// Names that the schema mentions, and no others.
    Named,
    /// Some of those that patterns tell apart, or that candidates have.
    Patterns,
}

impl Writer<'_> {
    /// The place in an object that meets a case, behind its bracket.
    pub(super) fn object(
        &mut self,
        case: &Case,
        depth: u32,
        receiver: Option<ReceiverId>,
    ) -> Result<MembersPlace> {
        let plan = self.solver.object_plan_id(case)?;
        let excluded = self.solver.excluded(case, Kind::Object);
        Ok(MembersPlace {
            plan,
            state: self.solver.tables.objects.at(plan).start(excluded),
            is_first: true,
            others: ListId::EMPTY,
            members: ListId::EMPTY,
            is_vague: false,
            depth,
            receiver,
        })
    }

    /// What may come at a place in an object.
    pub(super) fn members(&mut self, id: PlaceId, place: &MembersPlace) -> Result<ExpressionId> {
        let plan = self.plan_of(place);
        let mut all = Vec::new();
        if plan.may_end(&place.state) {
            let end = self.end_of_container(place.is_first, place.depth, b"}");
            let after = self.deliver(place.receiver, place.is_vague, Parts::Members(place.members));
            all.push(self.solver.expressions.concatenate(end, after));
        }
        if self.next_key(&plan, place)? != NextKey::None {
            all.push(self.before_key(id, place));
        }
        Ok(self.solver.expressions.alternatives(&all))
    }

    /// What stands before the next key, and the keys, of the object at a place.
    pub(super) fn before_key(&mut self, id: PlaceId, place: &MembersPlace) -> ExpressionId {
        let before = self.before_value(place.is_first, place.depth);
        let quote = self.solver.expressions.literal(b"\"");
        let keys = self.deferred(Place::Keys { object: id });
        self.solver.expressions.concatenation(&[before, quote, keys])
    }

    /// Which keys may come at a place. Takes no longer than to find one that can.
    pub(super) fn next_key(&mut self, plan: &ObjectPlan, place: &MembersPlace) -> Result<NextKey> {
        for class in self.solver.open_classes(plan, &place.state) {
            if !plan.others[class].is_free {
                if self.keys_of_class(plan, place, class)?.is_some() {
                    return Ok(NextKey::Patterns);
                }
                continue;
            }
            let next = self.solver.after_other(plan, &place.state, class);
            if self.any_can_come(plan, &next)? {
                return Ok(NextKey::Any { class, next });
            }
        }
        for (name, class) in self.solver.compared_keys(plan, &place.state) {
            if self.compared_can_come(plan, &place.state, name, class)? {
                return Ok(NextKey::Patterns);
            }
        }
        let by_number = self.solver.completes_by_number(plan, &place.state)?;
        for at in plan.open_names(&place.state, self.solver.options.order) {
            if self.name_can_come(plan, &place.state, by_number.as_ref(), at)? {
                return Ok(NextKey::Named);
            }
        }
        Ok(NextKey::None)
    }

    /// The keys that may come at a place in an object, their first quote read, and what comes after each. They are listed
    /// only where a text or token comes to them.
    pub(super) fn keys(&mut self, id: PlaceId) -> Result<ExpressionId> {
        let (place, plan) = match self.places.place(id).clone() {
            Place::Members(place) => (Arc::clone(&place), self.plan_of(&place)),
            Place::Joined(places) => return self.joined_keys(id, &places),
            _ => return Ok(ExpressionStore::NOTHING),
        };
        let names = self.open_names(&plan, &place)?;
        let names = self.contents_of(&names);
        let mut keys = vec![self.key(names, Captured::Key(id))];
        for class in self.solver.open_classes(&plan, &place.state) {
            if let Some(content) = self.keys_of_class(&plan, &place, class)? {
                keys.push(self.other_key(content, id, class as u32, &place));
            }
        }
        Ok(self.solver.expressions.alternatives(&keys))
    }

    /// The keys of a class that may come at a place; `None` where none can.
    fn keys_of_class(
        &mut self,
        plan: &ObjectPlan,
        place: &MembersPlace,
        class: usize,
    ) -> Result<Option<ExpressionId>> {
        let next = self.solver.after_other(plan, &place.state, class);
        if !self.any_can_come(plan, &next)? {
            return Ok(None);
        }
        let compared = self.solver.compared_keys(plan, &place.state);
        let mut content = self.unused(plan.others[class].content, place.others);
        if !compared.is_empty() {
            let terms = &self.solver.tables.terms;
            let names = compared.into_iter().map(|(name, _)| terms.content(name).to_vec()).collect();
            let names = self.solver.contents(names);
            let unlike = self.solver.expressions.complement(names);
            content = self.solver.expressions.intersection(&[content, unlike]);
        }
        let content = self.solver.if_alive(content)?;
        Ok((content != ExpressionStore::NOTHING).then_some(content))
    }

    /// A key with some content, up to its closing quote, that is remembered.
    pub(super) fn key(&mut self, content: ExpressionId, captured: Captured) -> ExpressionId {
        let key = self.key_text(content);
        self.capture(key, captured)
    }

    pub(super) fn key_text(&mut self, content: ExpressionId) -> ExpressionId {
        let store = &mut *self.solver.expressions;
        let (quote, text) = (store.literal(b"\""), store.json_string(content, self.spelling));
        store.concatenate(text, quote)
    }

    /// A key that is not mentioned, of a class; remembered only where something depends on it.
    pub(super) fn other_key(
        &mut self,
        content: ExpressionId,
        id: PlaceId,
        class: u32,
        place: &MembersPlace,
    ) -> ExpressionId {
        if self.solver.options.track_keys || place.receiver.is_some() {
            return self.key(content, Captured::OtherKey(id, class));
        }
        let key = self.key_text(content);
        let rest = self.deferred(Place::BehindOtherKey { object: id, class });
        self.solver.expressions.concatenate(key, rest)
    }

    /// Some names, as contents.
    pub(super) fn contents_of(&mut self, names: &[NameId]) -> ExpressionId {
        let terms = &self.solver.tables.terms;
        let names = names.iter().map(|&name| terms.content(name).to_vec()).collect();
        self.solver.contents(names)
    }

    /// The names that may come next, those included that candidates have.
    pub(super) fn open_names(&mut self, plan: &ObjectPlan, place: &MembersPlace) -> Result<Vec<NameId>> {
        let by_number = self.solver.completes_by_number(plan, &place.state)?;
        let mut names = Vec::new();
        for at in plan.open_names(&place.state, self.solver.options.order) {
            let named = &plan.names[at];
            if self.name_can_come(plan, &place.state, by_number.as_ref(), at)? {
                names.push(named.name);
            }
        }
        for (name, class) in self.solver.compared_keys(plan, &place.state) {
            if self.compared_can_come(plan, &place.state, name, class)? {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Whether a name may come next, and the object be completed after it.
    fn name_can_come(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        by_number: Option<&CompletionByNumber>,
        at: usize,
    ) -> Result<bool> {
        self.solver.deadline.check()?;
        if let Some(number) = by_number {
            return Ok(number.after(plan, at) && self.solver.is_satisfiable(plan.names[at].goal)?);
        }
        let next = self.solver.after_name(plan, state, at);
        self.any_compared_can_come(plan, plan.names[at].name, next)
    }

    /// Whether a key that candidates have, of a class, may come next, and the object be completed after it.
    fn compared_can_come(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        name: NameId,
        class: usize,
    ) -> Result<bool> {
        let next = self.solver.after_compared(plan, state, class);
        self.any_compared_can_come(plan, name, next)
    }

    fn any_compared_can_come(
        &mut self,
        plan: &ObjectPlan,
        name: NameId,
        next: Vec<(GoalId, ObjectState)>,
    ) -> Result<bool> {
        for step in self.compared(plan, name, next)? {
            if self.solver.can_come(plan, &step, plan.room(&step.after))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Members of a name, compared with candidates.
    fn compared(
        &mut self,
        plan: &ObjectPlan,
        name: NameId,
        next: Vec<(GoalId, ObjectState)>,
    ) -> Result<Vec<Step<ObjectState>>> {
        let mut steps = Vec::with_capacity(next.len());
        for step in next {
            let room = plan.room(&step.1);
            steps.extend(self.solver.compare(plan, Part::Member(name), step, room)?);
        }
        Ok(steps)
    }

    /// Whether one of some members can come, and the object be completed after it.
    pub(super) fn any_can_come(&mut self, plan: &ObjectPlan, next: &[(GoalId, ObjectState)]) -> Result<bool> {
        for (goal, state) in next {
            if self.can_come(plan, *goal, state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn can_come(&mut self, plan: &ObjectPlan, goal: GoalId, after: &ObjectState) -> Result<bool> {
        Ok(self.solver.is_satisfiable(goal)?
            && self.solver.can_be_completed(plan, after, plan.room(after))? == Possible::Yes)
    }

    /// The keys of a class that have not come.
    pub(super) fn unused(&mut self, content: ExpressionId, others: ListId<NameId>) -> ExpressionId {
        let (places, solver) = (&mut *self.places, &mut self.solver);
        let mut operands = places.keys.of_blocks(others, &mut places.unlike_keys, |block| {
            let keys = block.into_iter().map(|name| solver.tables.terms.content(name).to_vec()).collect();
            let keys = solver.expressions.literals(keys);
            solver.expressions.complement(keys)
        });
        operands.push(content);
        self.solver.expressions.intersection(&operands)
    }

    /// What comes after a key that the schema mentions or a candidate has, of the object at a place.
    pub(super) fn after_key(&mut self, id: PlaceId, text: &[u8]) -> Result<ExpressionId> {
        let Some(content) = key_content(text) else { return Ok(ExpressionStore::NOTHING) };
        let name = self.solver.tables.terms.name(&content);
        if let Place::Joined(places) = self.places.place(id) {
            return self.after_joined_key(&Arc::clone(places), name);
        }
        let Some((place, plan)) = self.object_at(id) else { return Ok(ExpressionStore::NOTHING) };
        if let Some(at) = plan.names.iter().position(|named| named.name == name) {
            let next = self.solver.after_name(&plan, &place.state, at);
            return self.after_colon(&plan, name, next, &place);
        }
        let compared = self.solver.compared_keys(&plan, &place.state);
        let Some(&(_, class)) = compared.iter().find(|(known, _)| *known == name) else {
            return Ok(ExpressionStore::NOTHING);
        };
        // Without it, the object could come to equal a candidate after all.
        let others = self.places.keys.insert(place.others, name);
        let place = MembersPlace { others, ..MembersPlace::clone(&place) };
        let next = self.solver.after_compared(&plan, &place.state, class);
        self.after_colon(&plan, name, next, &place)
    }

    /// What comes after another key, of a class; with `None`, after any such key.
    pub(super) fn after_other_key(
        &mut self,
        id: PlaceId,
        class: usize,
        text: Option<&[u8]>,
    ) -> Result<ExpressionId> {
        if let Place::Joined(places) = self.places.place(id) {
            let places = Arc::clone(places);
            let name = text.and_then(key_content).map(|content| self.solver.tables.terms.name(&content));
            return self.after_joined_other_key(&places, name);
        }
        let Some((mut place, plan)) = self.object_at(id) else { return Ok(ExpressionStore::NOTHING) };
        let next = self.solver.after_other(&plan, &place.state, class);
        let Some(text) = text else {
            // A value that is received comes without its key, and so is left out of what is compared.
            let name = self.solver.tables.terms.name("");
            if place.receiver.is_some() {
                Arc::make_mut(&mut place).is_vague = true;
            }
            return self.after_colon(&plan, name, next, &place);
        };
        let Some(content) = key_content(text) else { return Ok(ExpressionStore::NOTHING) };
        let name = self.solver.tables.terms.name(&content);
        if self.solver.options.track_keys {
            let place = Arc::make_mut(&mut place);
            place.others = self.places.keys.insert(place.others, name);
        }
        self.after_colon(&plan, name, next, &place)
    }

    fn object_at(&self, id: PlaceId) -> Option<(Arc<MembersPlace>, Arc<ObjectPlan>)> {
        let Place::Members(place) = self.places.place(id) else { return None };
        Some((Arc::clone(place), self.plan_of(place)))
    }

    /// The plan of the object around a place.
    pub(super) fn plan_of(&self, place: &MembersPlace) -> Arc<ObjectPlan> {
        Arc::clone(self.solver.tables.objects.at(place.plan))
    }

    /// The colon, the value of a member, and the place after it.
    ///
    /// Where the value is nobody's to receive, colon and value are a frame of their own: then the states within it know
    /// nothing of what has come before, and are the same after all keys with such a value.
    fn after_colon(
        &mut self,
        plan: &ObjectPlan,
        name: NameId,
        next: Vec<(GoalId, ObjectState)>,
        place: &MembersPlace,
    ) -> Result<ExpressionId> {
        let steps = match place.receiver {
            Some(_) => self.compared(plan, name, next)?,
            None => {
                let steps = self.solver.split_by_candidates(Part::Member(name), next).into_iter();
                steps.map(|(goal, after)| Step { goal, after, is_compared: false }).collect()
            }
        };
        let mut possible = Vec::with_capacity(1);
        for step in steps {
            if self.solver.can_come(plan, &step, plan.room(&step.after))? {
                possible.push(step);
            }
        }
        if place.receiver.is_none()
            && possible.len() == 1
            && let Some(Step { goal, after, .. }) = possible.pop()
        {
            let after = place.after(after);
            let rule = self.member_rule(goal, after.depth + 1)?;
            let member = self.solver.expressions.call(rule);
            let rest = self.deferred(Place::Members(Arc::new(after)));
            return Ok(self.solver.expressions.concatenate(member, rest));
        }
        let mut values = Vec::with_capacity(possible.len());
        for step in possible {
            values.push(self.member_value(name, place, step)?);
        }
        let value = self.solver.expressions.alternatives(&values);
        let colon = self.layout.expression(&self.layout.after_key(), self.solver.expressions);
        Ok(self.solver.expressions.concatenate(colon, value))
    }

    fn member_value(
        &mut self,
        name: NameId,
        place: &MembersPlace,
        step: Step<ObjectState>,
    ) -> Result<ExpressionId> {
        let Step { goal, after, is_compared } = step;
        let (after, depth) = (place.after(after), place.depth + 1);
        if after.receiver.is_some() {
            let receiver = self.places.receiver(Receiver::Member { name, after, is_compared });
            return self.value(goal, depth, Some(receiver));
        }
        let rule = self.rule(goal, depth)?;
        let value = self.solver.expressions.call(rule);
        let rest = self.deferred(Place::Members(Arc::new(after)));
        Ok(self.solver.expressions.concatenate(value, rest))
    }
}

/// The characters of a key, from its text with the closing quote.
fn key_content(text: &[u8]) -> Option<Content> {
    text.strip_suffix(b"\"").and_then(content_of)
}
