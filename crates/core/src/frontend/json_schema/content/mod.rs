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

mod goals;
mod places;
mod sketch;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use self::sketch::Sketches;

use super::condition::{GoalId, Kind, NameId, ValueId};
use super::constant::Constant;
use super::decimal::Decimal;
use super::options::{Options, PropertyOrder, Whitespace};
use super::places::{Captured, CapturedId, Place, PlaceId, Receiver, ReceiverId};
use super::schema::Schemas;
use super::shared_list::ListId;
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{DeferredId, Description, JSON_SCHEMA_TAG, LeafId, Part};

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
    Outline = 22,
    OutlinedKinds = 23,
}

/// What a [`Part::Other`] of this front end is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    Options,
    Goal(GoalId),
    /// The values of a kind.
    GoalOf(Kind, GoalId),
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
            Self::GoalOf(kind, goal) => (12 + kind as u64, goal.0),
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
            what => match *Kind::ALL.iter().find(|&&kind| kind as u64 == what % 6)? {
                kind if what < 12 => Self::Case(kind, which),
                kind => Self::GoalOf(kind, GoalId(which)),
            },
        })
    }
}

impl Writer<'_> {
    /// Adds the shallow form of a part; false where it has no content.
    pub(super) fn describe(&mut self, part: Part, out: &mut Description) -> Result<bool> {
        out.byte(JSON_SCHEMA_TAG);
        match part {
            Part::Deferred(id) => Ok(self.describe_place(self.place_of(id).clone(), out)),
            Part::Capture(id) => {
                let id = CapturedId(self.solver.expressions.captured_by(id).number);
                Ok(self.describe_captured(self.places.captured(id), out))
            }
            Part::Other(_, number) => match Other::of(number) {
                Some(other) => self.describe_other(other, out),
                None => Ok(false),
            },
            Part::Expression(_) | Part::Rule(_) => Ok(false),
        }
    }

    fn describe_place(&mut self, place: Place, out: &mut Description) -> bool {
        match place {
            // The options say all of it.
            Place::Value { goal: GoalId::ANYTHING, kind: None, depth } => {
                self.begin_place(Tag::AnyValue, depth, out);
            }
            Place::Value { goal, kind, depth } => {
                self.begin_place(Tag::Value, depth, out);
                let goal = kind.map_or(Other::Goal(goal), |kind| Other::GoalOf(kind, goal));
                out.part(goal.part(self.leaf));
            }
            // What compares arrays or objects has no content.
            Place::Items(place) if !place.state.candidates.are_none() => return false,
            Place::Members(place) if !place.state.candidates.are_none() => return false,
            Place::BehindContainer { .. } => return false,
            Place::Items(place) => self.describe_items(Tag::Items, &place, out),
            Place::Members(place) => self.describe_members(Tag::Members, &place, out),
            Place::Keys { object } => {
                out.byte(Tag::Keys as u8);
                self.describe_reference(object, out);
            }
            // Its steps are put together of what others have, too, in less time than it takes to tell it from others.
            Place::Outline(_) | Place::OutlinedKinds { .. } => return false,
            // It would have to be said of each object.
            Place::Joined(_) => return false,
            Place::BehindOtherKey { object, class } => {
                out.byte(Tag::BehindOtherKey as u8);
                out.number(u64::from(class));
                self.describe_reference(object, out);
            }
        }
        true
    }

    fn describe_captured(&mut self, captured: Captured, out: &mut Description) -> bool {
        match captured {
            Captured::Key(place) => {
                out.byte(Tag::Key as u8);
                self.describe_reference(place, out);
            }
            Captured::OtherKey(place, class) => {
                out.byte(Tag::OtherKey as u8);
                out.number(u64::from(class));
                self.describe_reference(place, out);
            }
            Captured::Scalar(receiver) => {
                out.byte(Tag::Scalar as u8);
                out.part(Other::Receiver(receiver).part(self.leaf));
            }
            Captured::Unread { .. } | Captured::Telling(..) => return false,
        }
        true
    }

    fn describe_reference(&mut self, place: PlaceId, out: &mut Description) {
        let place = self.solver.expressions.deferred_id(self.leaf, place.0);
        out.part(Part::Deferred(place));
    }

    fn describe_other(&mut self, other: Other, out: &mut Description) -> Result<bool> {
        match other {
            Other::Options => describe_options(self.solver.options, out),
            // Choices within choices can lead to ever more goals.
            Other::Goal(_) | Other::GoalOf(..) if self.places.case_count() > MOST_CASES => return Ok(false),
            Other::Goal(goal) => self.describe_goal(goal, &Kind::ALL, out)?,
            Other::GoalOf(kind, goal) => self.describe_goal(goal, &[kind], out)?,
            Other::Case(kind, case) => return self.describe_case(kind, case, out),
            Other::Items(items) => {
                out.byte(Tag::ItemsSoFar as u8);
                self.describe_items_so_far(items, out);
            }
            Other::Keys(keys) => {
                out.byte(Tag::KeysSoFar as u8);
                self.describe_keys_so_far(keys, out);
            }
            Other::Members(members) => {
                out.byte(Tag::MembersSoFar as u8);
                self.describe_members_so_far(members, out);
            }
            Other::Receiver(receiver) => match self.places.receiver_of(receiver).clone() {
                receiver if receiver.is_compared() => return Ok(false),
                Receiver::Item { after: place, .. } => {
                    self.describe_items(Tag::ReceivedItem, &place, out);
                }
                Receiver::Member { name, after, .. } => match self.places.place(after).clone() {
                    Place::Members(place) => {
                        self.describe_members(Tag::ReceivedMember, &place, out);
                        out.text(self.solver.tables.terms.content(name));
                    }
                    _ => return Ok(false),
                },
            },
        }
        Ok(true)
    }

    fn place_of(&self, id: DeferredId) -> &Place {
        self.places.place(PlaceId(self.solver.expressions.deferred_by(id).number))
    }
}

/// Adds the options on which all texts depend; `default_draft` has done its work when a schema is loaded. All else is told where
/// it matters, since most of what JSON is made of knows nothing of it: the order of properties where there are some, what a format
/// means by the leaf that demands it, of which there is none where formats are not enforced, and what is approximated by the plans.
fn describe_options(options: &Options, out: &mut Description) {
    let Options {
        order: _,
        whitespace,
        ascii_only,
        minimal_escapes,
        plain_numbers,
        lone_surrogates,
        track_keys,
        enforce_formats: _,
        formats: _,
        approximate: _,
        default_draft: _,
    } = options;
    out.byte(Tag::Options as u8);
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
    for flag in [ascii_only, minimal_escapes, plain_numbers, lone_surrogates, track_keys] {
        out.flag(*flag);
    }
}

/// Adds what formats mean: whether they are enforced, and which of the caller's own the schemas name.
fn describe_formats(options: &Options, schemas: &Schemas, out: &mut Description) {
    out.flag(options.enforce_formats);
    let own = match options.enforce_formats && !options.formats.is_empty() {
        true => schemas.formats().filter_map(|name| options.formats.get_key_value(name)).collect(),
        false => BTreeMap::new(),
    };
    out.number(own.len() as u64);
    for (name, pattern) in own {
        out.text(name.as_bytes());
        out.text(pattern.as_bytes());
    }
}

fn describe_approximations(options: &Options, out: &mut Description) {
    let names: BTreeSet<&str> = options.approximate.iter().map(String::as_str).collect();
    out.number(names.len() as u64);
    names.into_iter().for_each(|name| out.text(name.as_bytes()));
}

/// What a schema is compiled from, as a label: equal labels mean the same schema, with the same options. The schemas are
/// those that the text and the documents were loaded as.
pub(super) fn label(
    text: &str,
    documents: &[(String, String)],
    options: &Options,
    schemas: &Schemas,
) -> Box<[u8]> {
    let mut out = Description::default();
    describe_options(options, &mut out);
    out.flag(options.order == PropertyOrder::Declared);
    describe_formats(options, schemas, &mut out);
    describe_approximations(options, &mut out);
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
