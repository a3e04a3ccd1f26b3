//! Places of a JSON text, by number: what deferred expressions and captures stand for.

use std::sync::Arc;

use super::array::ArrayState;
use super::condition::{GoalId, NameId};
use super::constant::Constant;
use super::object_state::ObjectState;
use super::tables::{Case, CaseId};
use crate::expression::ByteSet;
use crate::interner::Interner;

/// Where a value goes whose contents matter: to a comparison with others, as under `uniqueItems`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ReceiverId(pub(super) u32);

/// A place of the text, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PlaceId(pub(super) u32);

/// Where a captured text leads, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CapturedId(pub(super) u32);

/// A place of the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// Before a value.
    Value { goal: GoalId, depth: u32 },
    /// In an array, after some items.
    Items(Arc<ItemsPlace>),
    /// In an object, after some members.
    Members(Arc<MembersPlace>),
    /// Behind a key that is not mentioned, of a class, of the object at a place; which key it was does not matter.
    BehindOtherKey { object: PlaceId, class: u32 },
    /// Before the next key, its quote read, of the object at a place.
    Keys { object: PlaceId },
    /// In an object, as far as can be told before its next key is read to its closing quote.
    Outline(Outline),
}

/// What a place in an object has in common with many others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    pub(super) items: Vec<Constant>,
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
    /// The other keys so far, where they are tracked. Sorted.
    pub(super) others: Vec<NameId>,
    /// The members so far, where they matter.
    pub(super) members: Vec<(NameId, Constant)>,
    /// Whether some of them are left out, so that it is not known which object it is.
    pub(super) is_vague: bool,
    pub(super) depth: u32,
    pub(super) receiver: Option<ReceiverId>,
}

impl MembersPlace {
    /// The place after one more member that leads to a state. Which member it was is not told.
    pub(super) fn after(&self, state: ObjectState) -> Self {
        let Self { plan, ref others, ref members, is_vague, depth, receiver, .. } = *self;
        let (others, members) = (others.clone(), members.clone());
        Self { plan, state, is_first: false, others, members, is_vague, depth, receiver }
    }
}

/// Who receives a value, and what comes after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Receiver {
    /// An array; the place is the one after the item, without it. It may be known that of a text that is one of very
    /// many, there and in all that is around, only that it does not come again matters.
    Item { after: ItemsPlace, only_repetition_matters: bool },
    /// An object; the place is the one after the member, without it.
    Member(NameId, MembersPlace),
}

/// What a captured text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Captured {
    /// A key that is mentioned, with its closing quote, of the object at a place.
    Key(PlaceId),
    /// A key that is not mentioned, of a class.
    OtherKey(PlaceId, u32),
    /// A scalar value.
    Scalar(ReceiverId),
    /// A key of an outline: a whole one with its closing quote, or the beginning of one.
    Unread { is_whole: bool },
}

/// The places met so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    places: Interner<Place>,
    receivers: Interner<Receiver>,
    captured: Interner<Captured>,
    /// The cases whose content was asked for.
    cases: Interner<Case>,
}

impl Places {
    pub(super) fn number(&mut self, place: Place) -> PlaceId {
        PlaceId(self.places.intern(place))
    }

    pub(super) fn place(&self, id: PlaceId) -> &Place {
        self.places.get(id.0)
    }

    pub(super) fn receiver(&mut self, receiver: Receiver) -> ReceiverId {
        ReceiverId(self.receivers.intern(receiver))
    }

    pub(super) fn receiver_of(&self, id: ReceiverId) -> &Receiver {
        self.receivers.get(id.0)
    }

    /// Whether of a text that is one of very many, and a part of the value, only that it does not come again matters.
    pub(super) fn only_repetition_matters(&self, id: ReceiverId) -> bool {
        let mut at = Some(id);
        while let Some(id) = at {
            match self.receiver_of(id) {
                Receiver::Item { only_repetition_matters, .. } => return *only_repetition_matters,
                Receiver::Member(_, object) => at = object.receiver,
            }
        }
        true
    }

    pub(super) fn capture(&mut self, captured: Captured) -> CapturedId {
        CapturedId(self.captured.intern(captured))
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
