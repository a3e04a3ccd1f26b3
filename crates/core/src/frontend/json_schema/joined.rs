//! Objects of which a value may be one, read together until the text tells which it is.
//!
//! Where a value may be one of a hundred objects, each of them has a place of its own, and a mask would have to read what
//! may come in each. So they are one place, *joined* of theirs: the object may end where one of them may, a key may come
//! that may come in one of them, and behind it those are left in which it may. Of these, objects with the same value
//! behind the key go on joined. So do those whose value is one of a few that can be read off their text, as the name or
//! number of a kind is that most such objects begin with: it is captured, and tells which objects are left. Those whose
//! values differ in nothing but which of these they exclude have all other values in common. So a text and its masks cost
//! what those of one object do, whose keys and values are those of all.
//!
//! An object alone is one of one: `members` writes what may come in any number of them. They have read the same members,
//! which one may mention and another not, and the same array or object receives them, or nobody does. Keys that are not mentioned are read
//! together where objects have a class of the same keys, but for those mentioned.
//!
//! Arrays are joined in the same way by `items`, as long as it matters at which item they are: those that begin with the
//! name of a command, say.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::candidates::{Part, Step};
use super::completion::Plan;
use super::condition::{GoalId, NameId, ValueId};
use super::constant::Constant;
use super::object::{ObjectPlan, OtherKeys};
use super::places::{Captured, MembersPlace, Place, PlaceId, ToldId};
use super::solver::Solver;
use super::spelling::parse_value;
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{ExpressionId, ExpressionStore};

/// An object in which the text may be at a place.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) place: Arc<MembersPlace>,
    pub(super) plan: Arc<ObjectPlan>,
}

impl Object {
    pub(super) fn may_end(&self) -> bool {
        self.plan.may_end(&self.place.state)
    }
}

/// Keys that are not mentioned and are of one class in each of some objects.
pub(super) struct SharedClass {
    /// The names that are told apart from them, sorted: of any keys, those that any object mentions; of others, those that
    /// objects with such a class mention.
    pub(super) mentioned: Vec<NameId>,
    /// The objects in which one of them may come, by their place among all, with the class of each.
    pub(super) open: Vec<(usize, usize)>,
}

/// What the classes of keys are of which objects have one or more, each once.
pub(super) fn contents_shared(objects: &[Object]) -> impl Iterator<Item = ExpressionId> {
    let mut met = FxHashSet::default();
    let contents = objects.iter().flat_map(|object| &object.plan.others).map(|class| class.with_mentioned);
    contents.filter(move |&content| met.insert(content))
}

/// Values that may come in one of some objects or arrays.
pub(super) struct JoinedValues {
    /// Goals, each with the place behind a value that satisfies it.
    pub(super) before: Vec<Step<PlaceId>>,
    /// Those that tell what is left, with what comes after each.
    pub(super) telling: Option<ExpressionId>,
}

/// Values that may come, each with the places behind it in those objects that may have it.
type Groups = Vec<(GoalId, Vec<PlaceId>)>;

/// Values, each with the places behind it in those objects that may have it.
type ToldValues = BTreeMap<ValueId, Vec<PlaceId>>;

impl Writer<'_> {
    /// What may come in one of some objects, before their first members.
    pub(super) fn one_of_places(&mut self, places: Vec<MembersPlace>) -> ExpressionId {
        let number = |place| self.places.number(Place::Members(Arc::new(place)));
        let places = places.into_iter().map(number).collect();
        let joined = self.join(places);
        self.expression_of(joined)
    }

    /// The place in one of some objects or arrays, of which some are left.
    pub(super) fn join(&mut self, mut places: Vec<PlaceId>) -> PlaceId {
        places.sort_unstable();
        places.dedup();
        match *places {
            [single] => single,
            _ => self.places.number(Place::Joined(places.into())),
        }
    }

    pub(super) fn expression_of(&mut self, place: PlaceId) -> ExpressionId {
        self.solver.expressions.deferred(self.leaf, place.0)
    }

    /// The object in which a place is, or those of which it is joined; none for places that are not in objects.
    pub(super) fn objects_at(&self, id: PlaceId) -> SmallVec<[Object; 1]> {
        let object = |place: &Arc<MembersPlace>| {
            let plan = Arc::clone(self.solver.tables.objects.at(place.plan));
            Object { place: Arc::clone(place), plan }
        };
        match self.places.place(id) {
            Place::Members(place) => smallvec![object(place)],
            Place::Joined(places) => {
                let members = places.iter().filter_map(|&id| match self.places.place(id) {
                    Place::Members(place) => Some(object(place)),
                    _ => None,
                });
                members.collect()
            }
            _ => SmallVec::new(),
        }
    }

    /// The classes of keys that are not mentioned, those that objects share taken together: as
    /// [`contents_shared`] lists them.
    pub(super) fn shared_classes(&mut self, objects: &[Object]) -> Result<Vec<SharedClass>> {
        let numbers: FxHashMap<ExpressionId, usize> =
            contents_shared(objects).enumerate().map(|(number, content)| (content, number)).collect();
        let mut shared: Vec<SharedClass> =
            numbers.iter().map(|_| SharedClass { mentioned: Vec::new(), open: Vec::new() }).collect();
        let any = self.solver.any_content();
        let any = numbers.get(&any).copied();
        for (at, object) in objects.iter().enumerate() {
            self.solver.deadline.check()?;
            let own: SmallVec<[usize; 2]> =
                object.plan.others.iter().map(|class| numbers[&class.with_mentioned]).collect();
            let mentioned = self.mentioned(object);
            let without_any = any.filter(|any| !own.contains(any));
            for &number in own.iter().chain(&without_any) {
                shared[number].mentioned.extend_from_slice(&mentioned);
            }
            for class in self.solver.open_classes(&object.plan, &object.place.state) {
                if self.other_can_come(object, class)? {
                    shared[own[class]].open.push((at, class));
                }
            }
        }
        if objects.len() > 1 {
            for class in &mut shared {
                class.mentioned.sort_unstable();
                class.mentioned.dedup();
            }
        }
        Ok(shared)
    }

    /// The names told apart from the keys of a class that may come as such a key in an object that does not mention them.
    pub(super) fn names_among(&mut self, objects: &[Object], shared: &SharedClass) -> Vec<NameId> {
        let mut names = Vec::new();
        let Some(&(object, class)) = shared.open.first() else { return names };
        let class = &objects[object].plan.others[class];
        for &name in &shared.mentioned {
            if !class.is_free && !self.is_of_class(class, name) {
                continue;
            }
            // Since all have read the same members, it is the same for all that do not mention the name whether it has come.
            let mut open = shared.open.iter().map(|&(object, _)| &objects[object]);
            if let Some(object) = open.find(|object| !self.mentions(object, name))
                && !self.has_come(&object.place, name)
            {
                names.push(name);
            }
        }
        names
    }

    fn is_of_class(&mut self, class: &OtherKeys, name: NameId) -> bool {
        let content = self.solver.tables.terms.content(name);
        self.solver.expressions.matches(class.with_mentioned, content)
    }

    /// Whether an object tells a name apart from other keys.
    fn mentions(&mut self, object: &Object, name: NameId) -> bool {
        object.plan.mentions(name)
            || !object.place.state.candidates.are_none()
                && self.mentioned(object).binary_search(&name).is_ok()
    }

    fn has_come(&self, place: &MembersPlace, name: NameId) -> bool {
        let others = self.places.keys.backwards(place.others);
        others.take_while(|&other| other >= name).any(|other| other == name)
    }

    /// The classes of keys that are shared with an object which tells a name apart.
    pub(super) fn classes_telling(&mut self, objects: &[Object], name: NameId) -> FxHashSet<ExpressionId> {
        let mut telling = FxHashSet::default();
        if objects.len() > 1 {
            for object in objects {
                if !object.plan.others.is_empty() && self.mentions(object, name) {
                    telling.extend(object.plan.others.iter().map(|class| class.with_mentioned));
                }
            }
            telling.insert(self.solver.any_content());
        }
        telling
    }

    /// Whether a name that an object does not mention is read as such a key of a class, and not as any of that class.
    pub(super) fn is_told(
        &mut self,
        class: &OtherKeys,
        name: NameId,
        telling: &FxHashSet<ExpressionId>,
    ) -> bool {
        telling.contains(&class.with_mentioned) && (class.is_free || self.is_of_class(class, name))
    }

    /// The values that may come, of which each was given with the place behind it in one object or array: one place for all
    /// with the same. With the name of the member where its value is received.
    pub(super) fn joined_values(
        &mut self,
        next: Vec<Step<PlaceId>>,
        received: Option<NameId>,
    ) -> Result<JoinedValues> {
        let mut found: FxHashMap<(GoalId, bool), usize> = FxHashMap::default();
        let mut groups: Vec<Step<Vec<PlaceId>>> = Vec::new();
        for Step { goal, after, is_compared } in next {
            let goal = self.solver.representative(goal);
            let at = *found.entry((goal, is_compared)).or_insert_with(|| {
                groups.push(Step { goal, after: Vec::new(), is_compared });
                groups.len() - 1
            });
            groups[at].after.push(after);
        }
        let (mut told, mut others, mut compared) = (ToldValues::new(), Groups::new(), Groups::new());
        let are_several = groups.len() > 1;
        for Step { goal, after, is_compared } in groups {
            let values = if are_several { self.solver.told_values(goal)? } else { None };
            match values {
                Some(values) => values
                    .into_iter()
                    .for_each(|value| told.entry(value).or_default().extend_from_slice(&after)),
                _ if is_compared => compared.push((goal, after)),
                _ => others.push((goal, after)),
            }
        }
        if others.len() > 1 {
            others = self.but_for_values(others, &mut told)?;
        }
        let mut before = Vec::with_capacity(others.len() + compared.len());
        for (is_compared, groups) in [(false, others), (true, compared)] {
            for (goal, after) in groups {
                before.push(Step { goal, after: self.join(after), is_compared });
            }
        }
        let telling = if told.is_empty() { None } else { Some(self.telling(told, received)?) };
        Ok(JoinedValues { before, telling })
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

    /// The values that tell which objects or arrays are left, each with the places behind it in those.
    fn telling(&mut self, values: ToldValues, received: Option<NameId>) -> Result<ExpressionId> {
        let (mut words, mut contents, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for &value in values.keys() {
            match self.solver.tables.terms.constant(value) {
                Constant::String(content) => contents.push(content.clone()),
                Constant::Null => words.push(b"null".to_vec()),
                Constant::Boolean(true) => words.push(b"true".to_vec()),
                Constant::Boolean(false) => words.push(b"false".to_vec()),
                Constant::Number(_) => numbers.push(value),
                Constant::Array(_) | Constant::Object(_) => {}
            }
        }
        let told: Vec<_> = values.into_iter().map(|(value, after)| (value, self.join(after))).collect();
        let told = self.places.tell(told.into());
        let mut texts = vec![self.solver.expressions.literals(words)];
        if !numbers.is_empty() {
            let numbers = self.solver.texts_of_numbers(&numbers)?;
            texts.push(if received.is_some() { self.comparable(numbers) } else { numbers });
        }
        if !contents.is_empty() {
            let contents = Solver::contents(self.solver.expressions, contents);
            texts.push(self.quoted(contents));
        }
        let texts = self.solver.expressions.alternatives(&texts);
        Ok(self.capture(texts, Captured::Telling(told, received)))
    }

    /// What comes after a value that tells which objects or arrays are left.
    pub(super) fn after_telling(
        &mut self,
        told: ToldId,
        received: Option<NameId>,
        text: &[u8],
    ) -> ExpressionId {
        let Some(value) = parse_value(text) else { return ExpressionStore::NOTHING };
        let number = self.solver.tables.terms.value(value.clone());
        let told = self.places.told(told);
        let Ok(at) = told.binary_search_by_key(&number, |&(known, _)| known) else {
            return ExpressionStore::NOTHING;
        };
        let mut place = told[at].1;
        if let Some(name) = received {
            // What candidates there are still depends on the value: of one that was told apart from theirs, there are none.
            place = self.received_member(name, place, true, Some(&value));
        }
        self.expression_of(place)
    }

    /// The place after a member whose value is received, given the one without it. Without the value, nothing can be unlike it
    /// there.
    pub(super) fn received_member(
        &mut self,
        name: NameId,
        after: PlaceId,
        is_compared: bool,
        value: Option<&Constant>,
    ) -> PlaceId {
        let mut places = Vec::with_capacity(1);
        for Object { mut place, .. } in self.objects_at(after) {
            let changed = Arc::make_mut(&mut place);
            changed.is_vague |= value.is_none();
            if let Some(value) = value {
                if is_compared {
                    let before = changed.state.candidates;
                    changed.state.candidates =
                        self.solver.candidates_after(before, Part::Member(name), value);
                }
                let value = self.solver.tables.terms.value(value.clone());
                changed.members = self.places.members.push(changed.members, (name, value));
            }
            places.push(self.places.number(Place::Members(place)));
        }
        self.join(places)
    }
}
