//! What a place of a text says: its plan and state, and what has come before it.

use super::super::array::ArrayState;
use super::super::condition::{Kind, NameId, ValueId};
use super::super::constant::Constant;
use super::super::object_state::ObjectState;
use super::super::places::{ItemsPlace, MembersPlace, ReceiverId};
use super::super::shared_list::ListId;
use super::super::writer::Writer;
use super::{Other, Tag, describe_constant};
use crate::expression::Description;

impl Writer<'_> {
    pub(super) fn begin_place(&mut self, tag: Tag, depth: u32, out: &mut Description) {
        out.byte(tag as u8);
        out.number(if self.layout.depends_on_depth() { u64::from(depth) } else { 0 });
        out.part(Other::Options.part(self.leaf));
    }

    pub(super) fn describe_items(&mut self, tag: Tag, place: &ItemsPlace, out: &mut Description) {
        let ItemsPlace { plan, state, count, is_first, items, is_vague, depth, receiver } = place;
        self.begin_place(tag, *depth, out);
        let case = self.solver.tables.arrays.case(*plan);
        out.part(Other::Case(Kind::Array, self.places.case(case)).part(self.leaf));
        let ArrayState { index, counts, candidates: _, repeated } = state;
        out.number(u64::from(*index));
        counts.iter().for_each(|&count| out.number(u64::from(count)));
        out.flag(*repeated);
        out.number(*count);
        out.flag(*is_first);
        self.describe_items_so_far(*items, out);
        out.flag(*is_vague);
        self.describe_receiver(*receiver, out);
    }

    pub(super) fn describe_members(&mut self, tag: Tag, place: &MembersPlace, out: &mut Description) {
        let MembersPlace { plan, state, is_first, others, members, is_vague, depth, receiver } = place;
        self.begin_place(tag, *depth, out);
        let case = self.solver.tables.objects.case(*plan);
        out.part(Other::Case(Kind::Object, self.places.case(case)).part(self.leaf));
        let ObjectState { seen, position, count, used, pending, candidates: _, ways_left } = state;
        out.number(seen.len() as u64);
        seen.iter().for_each(|&bits| out.number(bits));
        out.number(u64::from(*position));
        out.number(u64::from(*count));
        out.number(used.len() as u64);
        used.iter().for_each(|&count| out.number(u64::from(count)));
        out.byte(*pending);
        out.number(ways_left.len() as u64);
        ways_left.iter().for_each(|&ways| out.number(u64::from(ways)));
        out.flag(*is_first);
        self.describe_keys_so_far(*others, out);
        self.describe_members_so_far(*members, out);
        out.flag(*is_vague);
        self.describe_receiver(*receiver, out);
    }

    /// Adds the last block of a list of items, and the list before it as a part.
    pub(super) fn describe_items_so_far(&self, items: ListId<ValueId>, out: &mut Description) {
        let lists = &self.places.items;
        let last = lists.last_block(items);
        out.number(last.len() as u64);
        last.into_iter().for_each(|item| describe_constant(self.solver.tables.terms.constant(item), out));
        self.describe_list_before(lists.before_block(items), Other::Items, out);
    }

    /// The same of keys: each block in an order of its own. Of more than one block it depends on the order in which they
    /// were met what is in which, and so whether places with the same keys are found to be the same.
    pub(super) fn describe_keys_so_far(&self, keys: ListId<NameId>, out: &mut Description) {
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
    pub(super) fn describe_members_so_far(&self, members: ListId<(NameId, ValueId)>, out: &mut Description) {
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

    pub(super) fn describe_list_before<T>(
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

    pub(super) fn describe_receiver(&self, receiver: Option<ReceiverId>, out: &mut Description) {
        out.flag(receiver.is_some());
        if let Some(receiver) = receiver {
            out.part(Other::Receiver(receiver).part(self.leaf));
        }
    }
}
