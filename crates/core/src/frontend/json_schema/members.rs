//! The text of objects.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::candidates::{Part, Step};
use super::condition::{GoalId, Kind, NameId};
use super::constant::Content;
use super::dependencies::CompletionByNumber;
use super::joined::{JoinedValues, Object, contents_shared};
use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::places::{Captured, MembersPlace, Parts, Place, PlaceId, Receiver, ReceiverId};
use super::satisfy::Possible;
use super::shared_list::ListId;
use super::solver::Solver;
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

    /// What may come at a place in an object, or in one of several.
    pub(super) fn members(&mut self, id: PlaceId) -> Result<ExpressionId> {
        let objects = self.objects_at(id);
        let Some(Object { place: first, .. }) = objects.first() else { return Ok(ExpressionStore::NOTHING) };
        let mut all = Vec::with_capacity(2);
        if objects.iter().any(Object::may_end) {
            let end = self.end_of_container(first.is_first, first.depth, b"}");
            let after = self.deliver(first.receiver, first.is_vague, Parts::Members(first.members));
            all.push(self.solver.expressions.concatenate(end, after));
        }
        for object in &objects {
            if self.next_key(object)? != NextKey::None {
                let before = self.before_value(first.is_first, first.depth);
                let quote = self.solver.expressions.literal(b"\"");
                let keys = self.deferred(Place::Keys { object: id });
                all.push(self.solver.expressions.concatenation(&[before, quote, keys]));
                break;
            }
        }
        Ok(self.solver.expressions.alternatives(&all))
    }

    /// Which keys may come at a place in an object. Takes no longer than to find one that can.
    pub(super) fn next_key(&mut self, object: &Object) -> Result<NextKey> {
        let Object { place, plan } = object;
        for class in self.solver.open_classes(plan, &place.state) {
            if !plan.others[class].is_free {
                if self.other_can_come(object, class)? {
                    let mentioned = self.mentioned(object);
                    if self.other_keys(object, class, &mentioned)?.is_some() {
                        return Ok(NextKey::Patterns);
                    }
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

    /// The keys that may come at a place in objects, their first quote read, and what comes after each. They are listed
    /// only where a text or token comes to them.
    pub(super) fn keys(&mut self, id: PlaceId) -> Result<ExpressionId> {
        let objects = self.objects_at(id);
        let Some(Object { place: first, .. }) = objects.first() else { return Ok(ExpressionStore::NOTHING) };
        let (mut names, mut found) = (Vec::new(), FxHashSet::default());
        for object in &objects {
            let open = self.open_names(object, &found)?;
            if objects.len() > 1 {
                found.extend(open.iter().copied());
            }
            names.extend(open);
        }
        let mut others = Vec::with_capacity(1);
        for (class, shared) in (0..).zip(self.shared_classes(&objects)?) {
            let Some(&(object, own)) = shared.open.first() else { continue };
            if objects.len() > 1 {
                names.extend(self.names_among(&objects, &shared));
            }
            if let Some(content) = self.other_keys(&objects[object], own, &shared.mentioned)? {
                others.push(self.other_key(content, id, class, first));
            }
        }
        if objects.len() > 1 {
            names.sort_unstable();
            names.dedup();
        }
        let names = self.contents_of(&names);
        others.insert(0, self.key(names, Captured::Key(id)));
        Ok(self.solver.expressions.alternatives(&others))
    }

    /// The keys of a class that may come, but for those that are `mentioned`, which are those at least that the object
    /// mentions; `None` where there are none.
    fn other_keys(
        &mut self,
        Object { place, plan }: &Object,
        class: usize,
        mentioned: &[NameId],
    ) -> Result<Option<ExpressionId>> {
        let class = &plan.others[class];
        let content = match plan.known.len() == mentioned.len() {
            true => class.content,
            false => {
                let names = self.contents_of(mentioned);
                let others = self.solver.expressions.complement(names);
                self.solver.expressions.intersection(&[class.with_mentioned, others])
            }
        };
        let content = self.unused(content, place.others);
        let content = self.solver.if_alive(content)?;
        Ok((content != ExpressionStore::NOTHING).then_some(content))
    }

    /// Whether a member may come with a key of a class, and the object be completed after it.
    pub(super) fn other_can_come(&mut self, Object { place, plan }: &Object, class: usize) -> Result<bool> {
        let next = self.solver.after_other(plan, &place.state, class);
        self.any_can_come(plan, &next)
    }

    /// The names that an object tells apart from other keys: those that it mentions, and those that its candidates have. Sorted.
    pub(super) fn mentioned<'o>(&mut self, Object { place, plan }: &'o Object) -> Cow<'o, [NameId]> {
        let compared = self.solver.compared_keys(plan, &place.state);
        if compared.is_empty() {
            return Cow::Borrowed(&plan.known);
        }
        let mut names = plan.known.clone();
        names.extend(compared.into_iter().map(|(name, _)| name));
        names.sort_unstable();
        Cow::Owned(names)
    }

    /// A key with some content, up to its closing quote, that is remembered.
    fn key(&mut self, content: ExpressionId, captured: Captured) -> ExpressionId {
        let key = self.key_text(content);
        self.capture(key, captured)
    }

    pub(super) fn key_text(&mut self, content: ExpressionId) -> ExpressionId {
        let store = &mut *self.solver.expressions;
        let (quote, text) = (store.literal(b"\""), store.json_string(content, self.spelling));
        store.concatenate(text, quote)
    }

    /// A key that is not mentioned, of a class; remembered only where something depends on it.
    fn other_key(
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
    fn contents_of(&mut self, names: &[NameId]) -> ExpressionId {
        let Solver { tables, expressions, .. } = &mut self.solver;
        let contents = names.iter().map(|&name| tables.terms.content(name)).collect();
        Solver::contents(expressions, contents)
    }

    /// The names that may come next, those included that candidates have, but for those that have been `found` elsewhere. Where they
    /// are many, those of the plan are in the order of their contents.
    fn open_names(
        &mut self,
        Object { place, plan }: &Object,
        found: &FxHashSet<NameId>,
    ) -> Result<Vec<NameId>> {
        let by_number = self.solver.completes_by_number(plan, &place.state)?;
        let open = plan.open_names_by_content(&place.state, self.solver.options.order);
        let mut names = Vec::with_capacity(open.len());
        for at in open {
            let name = plan.names[at].name;
            if !found.contains(&name) && self.name_can_come(plan, &place.state, by_number.as_ref(), at)? {
                names.push(name);
            }
        }
        for (name, class) in self.solver.compared_keys(plan, &place.state) {
            if !found.contains(&name) && self.compared_can_come(plan, &place.state, name, class)? {
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
            let keys = block.into_iter().map(|name| solver.tables.terms.content(name)).collect();
            let keys = solver.expressions.literals(keys);
            solver.expressions.complement(keys)
        });
        operands.push(content);
        self.solver.expressions.intersection(&operands)
    }

    /// What comes after a key that an object at a place mentions or a candidate has.
    pub(super) fn after_key(&mut self, id: PlaceId, text: &[u8]) -> Result<ExpressionId> {
        let Some(content) = key_content(text) else { return Ok(ExpressionStore::NOTHING) };
        let name = self.solver.tables.terms.name(&content);
        let objects = self.objects_at(id);
        let telling = self.classes_telling(&objects, name);
        let mut steps = Vec::with_capacity(1);
        for object in &objects {
            self.solver.deadline.check()?;
            let Object { place, plan } = object;
            let at = plan.names.iter().position(|named| named.name == name);
            if let Some(at) = at.filter(|&at| plan.is_open(&place.state, self.solver.options.order, at)) {
                let next = self.solver.after_name(plan, &place.state, at);
                self.add_steps(object, name, place.others, next, &mut steps)?;
            } else if !plan.mentions(name) {
                self.add_steps_unmentioned(object, name, &telling, &mut steps)?;
            }
        }
        self.member(&objects, name, steps)
    }

    /// Adds what may come after a key that an object does not mention: candidates of its have it, or other objects that have
    /// a class with it mention it.
    fn add_steps_unmentioned(
        &mut self,
        object: &Object,
        name: NameId,
        telling: &FxHashSet<ExpressionId>,
        steps: &mut Vec<Step<MembersPlace>>,
    ) -> Result<()> {
        let Object { place, plan } = object;
        let compared = self.solver.compared_keys(plan, &place.state);
        if let Some(&(_, class)) = compared.iter().find(|(known, _)| *known == name) {
            // Without it, the object could come to equal a candidate after all.
            let others = self.places.keys.insert(place.others, name);
            let next = self.solver.after_compared(plan, &place.state, class);
            return self.add_steps(object, name, others, next, steps);
        }
        for class in self.solver.open_classes(plan, &place.state) {
            if self.is_told(&plan.others[class], name, telling) {
                self.add_steps_of_class(object, class, Some(name), steps)?;
            }
        }
        Ok(())
    }

    /// What comes after another key, of a class of those that the objects at a place share; with `None`, after any such key.
    pub(super) fn after_other_key(
        &mut self,
        id: PlaceId,
        class: usize,
        text: Option<&[u8]>,
    ) -> Result<ExpressionId> {
        let mut objects = self.objects_at(id);
        let content = match text.map(key_content) {
            Some(None) => return Ok(ExpressionStore::NOTHING),
            content => content.flatten(),
        };
        let shared = contents_shared(&objects).nth(class);
        let name = content.map(|content| self.solver.tables.terms.name(&content));
        let mut steps = Vec::with_capacity(1);
        for object in &mut objects {
            self.solver.deadline.check()?;
            // A value that is received comes without its key, and so is left out of what is compared.
            if name.is_none() && object.place.receiver.is_some() {
                Arc::make_mut(&mut object.place).is_vague = true;
            }
            for class in self.solver.open_classes(&object.plan, &object.place.state) {
                if Some(object.plan.others[class].with_mentioned) == shared {
                    self.add_steps_of_class(object, class, name, &mut steps)?;
                }
            }
        }
        let name = name.unwrap_or_else(|| self.solver.tables.terms.name(""));
        self.member(&objects, name, steps)
    }

    /// Adds what may come after a key that is not mentioned, of a class; with `None`, after any such key.
    fn add_steps_of_class(
        &mut self,
        object: &Object,
        class: usize,
        name: Option<NameId>,
        steps: &mut Vec<Step<MembersPlace>>,
    ) -> Result<()> {
        let Object { place, plan } = object;
        let next = self.solver.after_other(plan, &place.state, class);
        let others = match name.filter(|_| self.solver.options.track_keys) {
            Some(name) => self.places.keys.insert(place.others, name),
            None => place.others,
        };
        let name = name.unwrap_or_else(|| self.solver.tables.terms.name(""));
        self.add_steps(object, name, others, next, steps)
    }

    /// Adds the members of a name that may come in an object, of those given, with the places after them.
    fn add_steps(
        &mut self,
        Object { place, plan }: &Object,
        name: NameId,
        others: ListId<NameId>,
        next: Vec<(GoalId, ObjectState)>,
        steps: &mut Vec<Step<MembersPlace>>,
    ) -> Result<()> {
        let next = match place.receiver {
            Some(_) => self.compared(plan, name, next)?,
            None => {
                let next = self.solver.split_by_candidates(Part::Member(name), next).into_iter();
                next.map(|(goal, after)| Step { goal, after, is_compared: false }).collect()
            }
        };
        for step in next {
            if self.solver.can_come(&**plan, &step, plan.room(&step.after))? {
                let Step { goal, after, is_compared } = step;
                let after = MembersPlace { others, ..place.after(after) };
                steps.push(Step { goal, after, is_compared });
            }
        }
        Ok(())
    }

    /// The colon, the value of a member, and the place after it.
    ///
    /// Where the value is nobody's to receive, colon and value are a frame of their own: then the states within it know
    /// nothing of what has come before, and are the same after all keys with such a value.
    fn member(
        &mut self,
        objects: &[Object],
        name: NameId,
        mut steps: Vec<Step<MembersPlace>>,
    ) -> Result<ExpressionId> {
        let Some(Object { place, .. }) = objects.first() else { return Ok(ExpressionStore::NOTHING) };
        let (depth, is_received) = (place.depth + 1, place.receiver.is_some());
        if !is_received
            && steps.len() == 1
            && let Some(Step { goal, after, .. }) = steps.pop()
        {
            let after = self.deferred(Place::Members(Arc::new(after)));
            return self.member_before(goal, depth, after);
        }
        let mut next = Vec::with_capacity(steps.len());
        for Step { goal, after, is_compared } in steps {
            let after = self.places.number(Place::Members(Arc::new(after)));
            next.push(Step { goal, after, is_compared });
        }
        let JoinedValues { before, telling } = match is_received && objects.len() == 1 {
            // Whoever receives a value tells by it what comes after it.
            true => JoinedValues { before: next, telling: None },
            false => self.joined_values(next, is_received.then_some(name))?,
        };
        let (mut members, mut values) = (Vec::new(), Vec::from_iter(telling));
        for Step { goal, after, is_compared } in before {
            if is_received {
                let receiver = self.places.receiver(Receiver::Member { name, after, is_compared });
                values.push(self.received_value(goal, depth, receiver)?);
            } else {
                let after = self.expression_of(after);
                members.push(self.member_before(goal, depth, after)?);
            }
        }
        if !values.is_empty() {
            let value = self.solver.expressions.alternatives(&values);
            let colon = self.layout.expression(&self.layout.after_key(), self.solver.expressions);
            members.push(self.solver.expressions.concatenate(colon, value));
        }
        Ok(self.solver.expressions.alternatives(&members))
    }

    /// A colon, a value that satisfies a goal, and what comes after it.
    fn member_before(&mut self, goal: GoalId, depth: u32, after: ExpressionId) -> Result<ExpressionId> {
        let rule = self.member_rule(goal, depth)?;
        let member = self.solver.expressions.call(rule);
        Ok(self.solver.expressions.concatenate(member, after))
    }
}

/// The characters of a key, from its text with the closing quote.
fn key_content(text: &[u8]) -> Option<Content> {
    text.strip_suffix(b"\"").and_then(content_of)
}
