//! Places in an object as far as tokens can tell them apart.
//!
//! Which keys have come decides which may come again, and so every set of keys is a place of its own. But before a key is
//! read to its closing quote, all that shows of the place is whether the object may end there, whether a key may come, and
//! with which characters it may begin. Places that have this in common have one [`Outline`], also in different
//! objects. Keys that single tokens read to their end, such as `":"`, are few ([`WholeStrings`]): where an object may have
//! any key, and none that is mentioned or has come is one of these, its outline goes on behind them. Elsewhere they are
//! *unread*: where a token reads on behind one, the outline cannot tell, and the place itself is asked.

use smallvec::SmallVec;

use super::completion::Plan;
use super::condition::{GoalId, NameId};
use super::joined::Object;
use super::members::NextKey;
use super::object_state::ObjectState;
use super::places::{Captured, Outline, OutlinedKeys, Place, PlaceId};
use super::shared_list::ListId;
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId, ExpressionStore};
use crate::vocabulary::WholeStrings;

impl Writer<'_> {
    /// The outline of a place; `None` where it has none.
    pub(super) fn outline(&mut self, id: PlaceId, strings: &WholeStrings) -> Result<Option<ExpressionId>> {
        let (object, is_before_key) = match *self.places.place(id) {
            Place::Value { goal, kind, depth } => return self.value_outline(goal, kind, depth, strings),
            Place::Members(_) | Place::Joined(_) => (id, true),
            Place::Keys { object } => (object, false),
            _ => return Ok(None),
        };
        let objects = self.objects_at(object);
        let first = match objects.first() {
            Some(Object { place, .. }) if place.receiver.is_none() => place,
            _ => return Ok(None),
        };
        let depth = if self.layout.depends_on_depth() { first.depth } else { 0 };
        let known = self.places.outlined_keys.get(&object).copied();
        let keys = match known {
            Some(keys) => keys,
            None => {
                let keys = self.outlined_keys(&objects, strings)?;
                self.places.outlined_keys.insert(object, keys);
                keys
            }
        };
        let Some(keys) = keys else { return Ok(None) };
        match keys {
            _ if is_before_key => {
                let may_end = objects.iter().any(Object::may_end);
                let outline = Outline { is_first: first.is_first, may_end, keys, depth };
                Ok(Some(self.deferred(Place::Outline(outline))))
            }
            OutlinedKeys::AnyThen { .. } => self.keys_in_outline(keys, depth).map(Some),
            _ => Ok(None),
        }
    }

    /// The outline of what comes after any key that is not mentioned, where it was found with that of the keys at a place in an
    /// object: what comes after a second such key is the same. `None` where it was not, and of joined objects, of which some may not
    /// go on.
    pub(super) fn outline_after_any_key(&mut self, object: PlaceId) -> Result<Option<ExpressionId>> {
        let Some(&Some(keys @ OutlinedKeys::AnyThen { goal, may_end })) =
            self.places.outlined_keys.get(&object)
        else {
            return Ok(None);
        };
        let depth = match self.places.place(object) {
            Place::Members(place) if self.layout.depends_on_depth() => place.depth,
            Place::Members(_) => 0,
            _ => return Ok(None),
        };
        let member = self.member_rule(goal, depth + 1)?;
        let after = self.deferred(Place::Outline(Outline { is_first: false, may_end, keys, depth }));
        let member = self.solver.expressions.call(member);
        Ok(Some(self.solver.expressions.concatenate(member, after)))
    }

    /// The outline of the keys that may come in one of some objects; `None` where it has none.
    fn outlined_keys(&mut self, objects: &[Object], strings: &WholeStrings) -> Result<Option<OutlinedKeys>> {
        let (mut any, mut named) = (SmallVec::<[_; 1]>::new(), SmallVec::<[&Object; 1]>::new());
        for object in objects {
            self.solver.deadline.check()?;
            match self.next_key(object)? {
                NextKey::None => {}
                NextKey::Any { class, next } => any.push((object, class, next)),
                NextKey::Named => named.push(object),
                NextKey::Patterns => return Ok(None),
            }
        }
        if any.is_empty() && named.is_empty() {
            return Ok(Some(OutlinedKeys::None));
        }
        if any.is_empty() {
            let terms = &self.solver.tables.terms;
            let names = named.iter().flat_map(|object| &object.plan.names);
            let names = names.map(|named| terms.content(named.name));
            return Ok(Some(OutlinedKeys::Named { first: self.first_of(names) }));
        }
        if objects.iter().any(|object| self.mentions_token(object, strings)) {
            return Ok(Some(OutlinedKeys::Any));
        }
        let mut all: Option<(GoalId, bool)> = None;
        for (object, class, next) in any {
            let Some((goal, may_end)) = self.any_then(object, strings, class, &next)? else {
                return Ok(Some(OutlinedKeys::Any));
            };
            all = match all {
                Some((others, _)) if others != goal => return Ok(Some(OutlinedKeys::Any)),
                Some((_, others_may)) => Some((goal, may_end || others_may)),
                None => Some((goal, may_end)),
            };
        }
        Ok(all.map(|(goal, may_end)| OutlinedKeys::AnyThen { goal, may_end }))
    }

    /// What comes after any key that a token reads to its end, where any of a class can come, and `next` is what may come
    /// then: the goal of its value, and whether the object may end behind that. `None` where one of those may have come,
    /// and where what comes after a second one is different from what comes after the first. None of them is mentioned.
    fn any_then(
        &mut self,
        Object { plan, place }: &Object,
        strings: &WholeStrings,
        class: usize,
        next: &[(GoalId, ObjectState)],
    ) -> Result<Option<(GoalId, bool)>> {
        let [(goal, first)] = next else { return Ok(None) };
        let is_only = |state| matches!(*self.solver.open_classes(plan, state), [open] if open == class);
        if !is_only(&place.state) || !is_only(first) || !place.state.candidates.are_none() {
            return Ok(None);
        }
        if self.may_be_token(place.others, strings) {
            return Ok(None);
        }
        // The first key can come, so the second can where it is the same. It is where the first has changed nothing.
        if *first != place.state && self.solver.after_other(plan, first, class) != next {
            return Ok(None);
        }
        Ok(Some((*goal, plan.may_end(first))))
    }

    /// Whether a single token may be one of the names that an object mentions.
    fn mentions_token(&mut self, Object { place, plan }: &Object, strings: &WholeStrings) -> bool {
        let terms = &self.solver.tables.terms;
        let may_be = || plan.known.iter().any(|&name| strings.may_hold(terms.content(name)));
        *self.places.mentions_token.entry(place.plan).or_insert_with(may_be)
    }

    /// Whether a single token may be one of some keys.
    fn may_be_token(&mut self, keys: ListId<NameId>, strings: &WholeStrings) -> bool {
        let (places, terms) = (&mut *self.places, &self.solver.tables.terms);
        let may_be = |block: Vec<NameId>| block.into_iter().any(|name| strings.may_hold(terms.content(name)));
        places.keys.of_blocks(keys, &mut places.may_be_token, may_be).contains(&true)
    }

    /// Bytes with which keys begin of which an object has these and no others, and further ones with which many do, so that
    /// most objects have the same. The backslash is among them where it is not certain that it may begin a key.
    pub(super) fn first_of<'k>(&self, names: impl Iterator<Item = &'k [u8]>) -> ByteSet {
        let common = [b'0'..=b'9', b'A'..=b'Z', b'a'..=b'z', 0x80..=0xff];
        let common = common.map(|range| ByteSet::range(*range.start(), *range.end()));
        let mut first = common.iter().fold(ByteSet::EMPTY, |all, range| all.union(range));
        let mut escapes = !self.solver.options.minimal_escapes;
        for name in names {
            match name.first() {
                Some(&byte) => first.insert(byte),
                None => {
                    first.insert(b'"');
                    escapes = false;
                }
            }
        }
        if !escapes {
            first.insert(b'\\');
        }
        first
    }

    /// What begins as all does that comes after a key, or in the middle of one.
    pub(super) fn after_unread(&mut self, is_whole: bool) -> ExpressionId {
        let any = self.solver.expressions.bytes(ByteSet::ALL);
        if !is_whole {
            return any;
        }
        let colon = self.layout.expression(&self.layout.after_key(), self.solver.expressions);
        self.solver.expressions.concatenate(colon, any)
    }

    /// What may come at a place, by its outline.
    pub(super) fn members_in_outline(&mut self, outline: &Outline) -> Result<ExpressionId> {
        let mut all = Vec::with_capacity(2);
        if outline.may_end {
            all.push(self.end_of_container(outline.is_first, outline.depth, b"}"));
        }
        let keys = self.keys_in_outline(outline.keys, outline.depth)?;
        let before = self.before_value(outline.is_first, outline.depth);
        let quote = self.solver.expressions.literal(b"\"");
        all.push(self.solver.expressions.concatenation(&[before, quote, keys]));
        Ok(self.solver.expressions.alternatives(&all))
    }

    /// The keys that may come, their first quote read, and what comes after them where that is known.
    fn keys_in_outline(&mut self, keys: OutlinedKeys, depth: u32) -> Result<ExpressionId> {
        Ok(match keys {
            OutlinedKeys::None => ExpressionStore::NOTHING,
            OutlinedKeys::Any => {
                let key = self.any_key();
                self.capture(key, Captured::Unread { is_whole: true })
            }
            OutlinedKeys::AnyThen { goal, may_end } => {
                let (key, member) = (self.any_key_rule(), self.member_rule(goal, depth + 1)?);
                let [key, member] = [key, member].map(|rule| self.solver.expressions.call(rule));
                let after = Outline { is_first: false, may_end, keys: OutlinedKeys::Any, depth };
                let after = self.deferred(Place::Outline(after));
                self.solver.expressions.concatenation(&[key, member, after])
            }
            OutlinedKeys::Named { first } => {
                let store = &mut *self.solver.expressions;
                let mut beginnings = vec![store.bytes(first)];
                if !first.contains(b'\\') {
                    let (escape, any) = (store.literal(b"\\"), store.bytes(ByteSet::ALL));
                    beginnings.push(store.concatenate(escape, any));
                }
                let beginning = store.alternatives(&beginnings);
                self.capture(beginning, Captured::Unread { is_whole: false })
            }
        })
    }

    /// Any key, its first quote read.
    pub(super) fn any_key(&mut self) -> ExpressionId {
        let content = self.solver.any_content();
        self.key_text(content)
    }
}
