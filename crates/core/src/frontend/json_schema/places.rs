//! Places of a JSON text, by number: what deferred expressions and captures stand for.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::array::{ArrayPlan, ArrayState};
use super::condition::{ConstantsId, GoalId, Kind, NameId, ValueId};
use super::endless::Endless;
use super::object_state::ObjectState;
use super::schema::TypeSet;
use super::shared_list::{ListId, OfBlocks, SharedLists};
use super::tables::{Case, CaseId};
use crate::expression::{ByteSet, ExpressionId, size_of_bytes};
use crate::grammar::Others;
use crate::interner::Interner;

/// Where a value goes whose contents matter: to a comparison with others, as under `uniqueItems`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ReceiverId(pub(super) u32);

/// A place of the text, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PlaceId(pub(super) u32);

/// What a value that is captured tells, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ToldId(pub(super) u32);

/// Where a captured text leads, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CapturedId(pub(super) u32);

/// A place of the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// Before a value, of any kind or of one.
    Value { goal: GoalId, kind: Option<Kind>, depth: u32 },
    /// In an array, after some items.
    Items(Arc<ItemsPlace>),
    /// In an object, after some members.
    Members(Arc<MembersPlace>),
    /// In one of some objects, after the same members, or in one of some arrays, after the same items: the place in each of
    /// them, ascending. See [`joined`](super::joined).
    Joined(Arc<[PlaceId]>),
    /// Behind a key that is not mentioned, of a class, of the object at a place; which key it was does not matter.
    BehindOtherKey { object: PlaceId, class: u32 },
    /// Before the next key, its quote read, of the object at a place.
    Keys { object: PlaceId },
    /// Behind an array or object that is received. It is put together only where a text gets there, since at each of its
    /// places it could end.
    BehindContainer { receiver: ReceiverId, parts: Parts },
    /// In an object, as far as can be told before its next key is read to its closing quote.
    Outline(Outline),
    /// Before a value of one of some types, as far as can be told before the next key of an object: of objects, an outline,
    /// and of the others nothing is said.
    OutlinedKinds { others: TypeSet, object: Outline },
}

impl Place {
    /// The size of what it holds beside itself.
    fn held(&self) -> usize {
        match self {
            Self::Items(place) => place.state.held(),
            Self::Members(place) => place.state.held(),
            Self::Joined(places) => size_of_bytes(size_of_val(&**places)),
            _ => 0,
        }
    }
}

/// What an array or object is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Parts {
    Items(ListId<ValueId>),
    Members(ListId<(NameId, ValueId)>),
}

/// What a place in an object has in common with many others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Outline {
    pub(super) is_first: bool,
    pub(super) may_end: bool,
    pub(super) keys: OutlinedKeys,
    pub(super) depth: u32,
}

/// What an outline says of the keys that may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OutlinedKeys {
    /// None can come.
    None,
    /// Every text is the beginning of one.
    Any,
    /// The same; and after one that a single token reads to its end come a colon, a value that satisfies a goal, and a
    /// place where the object may end or not, and where every text is again the beginning of a key.
    AnyThen { goal: GoalId, may_end: bool },
    /// Some can come. None of them begins with other bytes than these, or with an escape, with which one surely may where
    /// the backslash is not among these.
    Named { first: ByteSet },
}

/// A place in an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ItemsPlace {
    pub(super) plan: CaseId,
    pub(super) state: ArrayState,
    /// The number of items, where there is a limit to it.
    pub(super) count: u64,
    pub(super) is_first: bool,
    /// The items so far, where they matter.
    pub(super) items: ListId<ValueId>,
    /// Whether some of them are left out, so that it is not known which array it is.
    pub(super) is_vague: bool,
    pub(super) depth: u32,
    pub(super) receiver: Option<ReceiverId>,
}

/// A place in an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct MembersPlace {
    pub(super) plan: CaseId,
    pub(super) state: ObjectState,
    pub(super) is_first: bool,
    /// The other keys so far, where they are tracked, and those that candidates have. Sorted.
    pub(super) others: ListId<NameId>,
    /// The members so far, where they matter.
    pub(super) members: ListId<(NameId, ValueId)>,
    /// Whether some of them are left out, so that it is not known which object it is.
    pub(super) is_vague: bool,
    pub(super) depth: u32,
    pub(super) receiver: Option<ReceiverId>,
}

impl ItemsPlace {
    /// The number of items after one more, where there is a limit to it.
    pub(super) fn count_after(&self, plan: &ArrayPlan) -> u64 {
        if plan.maximum == u64::MAX { 0 } else { self.count + 1 }
    }

    /// The place after one more item that leads to a state, as so many. Which item it was is not told.
    pub(super) fn after(&self, state: ArrayState, count: u64) -> Self {
        let Self { plan, items, is_vague, depth, receiver, .. } = *self;
        Self { plan, state, count, is_first: false, items, is_vague, depth, receiver }
    }
}

impl MembersPlace {
    /// The place after one more member that leads to a state. Which member it was is not told.
    pub(super) fn after(&self, state: ObjectState) -> Self {
        let Self { plan, others, members, is_vague, depth, receiver, .. } = *self;
        Self { plan, state, is_first: false, others, members, is_vague, depth, receiver }
    }
}

/// Who receives a value, and what comes after it. Where the value is compared, which candidates are left depends on it, and
/// the place has those before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Receiver {
    /// An array; the place is the one after the item, without it. It may be known that of a text that is one of very
    /// many, there and in all that is around, only that it does not come again matters; and which further items there is no
    /// end of.
    Item { after: ItemsPlace, only_repetition_matters: bool, endless: Endless, is_compared: bool },
    /// An object, or one of several; the place is the one after the member, without it.
    Member { name: NameId, after: PlaceId, is_compared: bool },
}

impl Receiver {
    /// The size of what it holds beside itself.
    fn held(&self) -> usize {
        match self {
            Self::Item { after, .. } => after.state.held(),
            Self::Member { .. } => 0,
        }
    }

    /// Whether it decides at once what comes after a value which one it is.
    pub(super) fn is_compared(&self) -> bool {
        match self {
            Self::Item { is_compared, .. } | Self::Member { is_compared, .. } => *is_compared,
        }
    }
}

/// Where each of some values leads: to the place behind it in those objects or arrays that may have it. Sorted by the values.
pub(super) type Told = Arc<[(ValueId, PlaceId)]>;

/// What a captured text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Captured {
    /// A key that is mentioned, with its closing quote, of the object at a place.
    Key(PlaceId),
    /// A key that is not mentioned, of a class.
    OtherKey(PlaceId, u32),
    /// A scalar value.
    Scalar(ReceiverId),
    /// A value that tells which of some objects or arrays it is in; with the name of the member that is received.
    Telling(ToldId, Option<NameId>),
    /// A key of an outline: a whole one with its closing quote, or the beginning of one.
    Unread { is_whole: bool },
}

/// The places met so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    places: Interner<Place>,
    receivers: Interner<Receiver>,
    captured: Interner<Captured>,
    told: Interner<Told>,
    /// The cases whose content was asked for.
    cases: Interner<Case>,
    pub(super) items: SharedLists<ValueId>,
    pub(super) keys: SharedLists<NameId>,
    pub(super) members: SharedLists<(NameId, ValueId)>,
    /// Blocks of items as constants.
    pub(super) constants_of: OfBlocks<ValueId, ConstantsId>,
    /// The contents of strings that are not among the keys of a block.
    pub(super) unlike_keys: OfBlocks<NameId, ExpressionId>,
    /// Whether a single token may be one of the keys of a block.
    pub(super) may_be_token: OfBlocks<NameId, bool>,
    /// Whether a single token may be one of the names that the objects of a plan mention.
    pub(super) mentions_token: FxHashMap<CaseId, bool>,
    /// The outlines of places that were asked for, `None` of those that have none.
    pub(super) outlines: FxHashMap<PlaceId, Option<ExpressionId>>,
    /// The same of the keys that may come at a place in an object.
    pub(super) outlined_keys: FxHashMap<PlaceId, Option<OutlinedKeys>>,
    /// The size of what places hold beside themselves.
    held: usize,
}

impl Places {
    pub(super) fn number(&mut self, place: Place) -> PlaceId {
        PlaceId(self.places.intern_sized(place, &mut self.held, Place::held))
    }

    /// What the places, and lists of what has come before them, take, in the size of expressions.
    pub(super) fn size(&self) -> usize {
        /// A place with what it holds always.
        const PLACE: usize = 4;
        /// What a list takes with its place in a table, and what is known of it.
        const LIST: usize = 2;
        let lists = self.items.size() + self.keys.size() + self.members.size();
        let outlines = self.outlines.len() + self.outlined_keys.len() * PLACE;
        (self.places.len() + self.receivers.len()) * PLACE
            + lists * LIST
            + self.captured.len()
            + outlines
            + self.held
    }

    pub(super) fn place(&self, id: PlaceId) -> &Place {
        self.places.get(id.0)
    }

    pub(super) fn receiver(&mut self, receiver: Receiver) -> ReceiverId {
        ReceiverId(self.receivers.intern_sized(receiver, &mut self.held, Receiver::held))
    }

    pub(super) fn receiver_of(&self, id: ReceiverId) -> &Receiver {
        self.receivers.get(id.0)
    }

    /// Who receives the object in which a place is.
    pub(super) fn receiver_of_object(&self, id: PlaceId) -> Option<ReceiverId> {
        match self.place(id) {
            Place::Members(place) => place.receiver,
            // It is the same for all of them.
            Place::Joined(places) => places.first().and_then(|&first| self.receiver_of_object(first)),
            _ => None,
        }
    }

    /// Whether of a text that is one of very many, and a part of the value, only that it does not come again matters.
    pub(super) fn only_repetition_matters(&self, id: ReceiverId) -> bool {
        let mut at = Some(id);
        while let Some(id) = at {
            match self.receiver_of(id) {
                Receiver::Item { only_repetition_matters, .. } => return *only_repetition_matters,
                Receiver::Member { after, .. } => at = self.receiver_of_object(*after),
            }
        }
        true
    }

    /// What is known of further items of the array in which a value is that is received, as an item or as a part of one.
    pub(super) fn others_of(&self, id: ReceiverId) -> Others {
        let are_objects = matches!(self.receiver_of(id), Receiver::Member { .. });
        let mut at = Some(id);
        while let Some(id) = at {
            match self.receiver_of(id) {
                Receiver::Item { endless, .. } => {
                    let are_endless = if are_objects { endless.objects } else { endless.values };
                    return Others { are_objects, are_endless };
                }
                Receiver::Member { after, .. } => at = self.receiver_of_object(*after),
            }
        }
        Others { are_objects, are_endless: false }
    }

    pub(super) fn capture(&mut self, captured: Captured) -> CapturedId {
        CapturedId(self.captured.intern(captured))
    }

    pub(super) fn tell(&mut self, told: Told) -> ToldId {
        let size = |told: &Told| size_of_bytes(size_of_val(&**told));
        ToldId(self.told.intern_sized(told, &mut self.held, size))
    }

    pub(super) fn told(&self, id: ToldId) -> &Told {
        self.told.get(id.0)
    }

    pub(super) fn case(&mut self, case: &Case) -> u32 {
        self.cases.intern(Case::clone(case))
    }

    pub(super) fn case_count(&self) -> usize {
        self.cases.len()
    }

    pub(super) fn case_of(&self, index: u32) -> &Case {
        self.cases.get(index)
    }

    pub(super) fn captured(&self, id: CapturedId) -> Captured {
        *self.captured.get(id.0)
    }
}
