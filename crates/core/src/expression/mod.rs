//! Expressions: interned regular expressions over bytes, exact tokens and rule calls.
//!
//! A rule's body is an expression. Equal expressions are stored once in an [`ExpressionStore`] and
//! named by an [`ExpressionId`], so that comparing them costs one integer comparison and the states
//! of the recogniser, which are expressions too, are found again by hashing. The constructors of the
//! store keep a normal form (flattened, sorted, merged), which is what keeps the number of states small.
//!
//! | file | what it does |
//! |---|---|
//! | `aho_corasick` | where fixed strings occur in a text |
//! | `literal_set` | sorted lists of strings, of which an expression is a range |
//! | `store` | the interner, and expressions that are written once and taken into many stores |
//! | `normal_form` | the constructors |
//! | `absorption` | alternatives that others take in, and demands that others meet |
//! | `repetition` | that of repetitions, and how several become one |
//! | `utf8` | sets of code points as expressions over UTF-8 bytes |
//! | `json_string` | JSON strings by their content, whatever the spelling |
//! | `residue` | decimal texts that are multiples of a number |
//! | `free_text` | free text with tags in it |
//! | `deferred` | what a front end defines only when the text reaches it |
//! | `unordered` | members in any order |
//! | `endings` | alternatives that end alike, each ending looked at once |
//! | `first_bytes` | the bytes with which an expression can begin |
//! | `by_first_byte` | many alternatives by the bytes that they begin with |
//! | `derivative` | what is left of an expression after one byte or token |
//! | `bound` | how much derivatives may add, and for how long |
//! | `known_derivatives` | derivatives that are kept |
//! | `leap` | what is left of keys and other fixed strings after several bytes at once |
//! | `clamp` | counters as coarse as one token can tell apart |
//! | `run` | runs of bytes at the beginning of an expression |
//! | `begun_by` | expressions without what some bytes do not begin |
//! | `certain` | bytes after which what is alive can be told without a derivative |
//! | `spelled` | fixed strings at the beginning of an expression, in all their spellings |
//! | `choice` | fixed strings by which what follows is chosen |
//! | `character_run` | runs of characters of a class at the beginning of an expression, or one in a JSON string |
//! | `search` | JSON strings to which any text may come |
//! | `any_string` | JSON strings in which something is looked for, beside those of any content |
//! | `allowed_text` | text in which strings must not be found, beside that in which they may |
//! | `told_apart` | which characters JSON strings tell apart |
//! | `exclusion` | expressions without the few strings that they exclude |
//! | `room` | how far a text can be read so that it can still become one of very many |
//! | `conditions` | JSON strings under several conditions, and under each of them |
//! | `unbounded` | expressions without their long counters |
//! | `unfold` | repetitions of free text in the form that they have after a byte |
//! | `guess` | a text that is likely to match |
//! | `in_turn` | patterns that match anywhere in a text, one after the other |
//! | `match_search` | how a match is searched for |
//! | `ways_left` | how far it is at most to the next match, or to a longer one |
//! | `part_limit` | texts made of parts, so many at most, and where that makes no difference |
//! | `text_length` | texts of a bounded length under other conditions, and where the bounds make no difference |
//! | `shape` | what plainly holds of all matches: their bytes, their ends and their lengths |
//! | `emptiness` | whether an intersection or complement still matches anything |
//! | `content` | what a node says, whatever its id |
//! | `content_registry` | the forms behind content hashes |
//!
//! The next stage, [`grammar`](crate::grammar), gives names to expressions and prepares them.

mod absorption;
mod aho_corasick;
mod allowed_text;
mod any_string;
mod begun_by;
mod bound;
mod by_first_byte;
mod certain;
mod character_run;
mod choice;
mod clamp;
mod conditions;
mod content;
mod content_registry;
mod deferred;
mod derivative;
mod emptiness;
mod endings;
#[cfg(test)]
mod every_text;
mod exclusion;
mod first_bytes;
mod free_text;
mod guess;
mod in_turn;
pub(crate) mod json_string;
mod known_derivatives;
mod leap;
mod literal_set;
mod match_search;
mod normal_form;
mod part_limit;
mod repetition;
mod residue;
mod room;
mod run;
mod search;
mod shape;
mod spelled;
mod store;
mod text_length;
mod told_apart;
mod unbounded;
mod unfold;
mod unordered;
mod utf8;
mod ways_left;

pub use crate::byte_set::ByteSet;
pub(crate) use allowed_text::AllowedText;
pub(crate) use any_string::{AnyString, Sought};
pub(crate) use begun_by::BegunBy;
pub(crate) use certain::CertainBytes;
pub(crate) use choice::Choice;
pub(crate) use content::{
    ContentHash, Description, FORM_VERSION, JSON_SCHEMA_TAG, LEAF_TAG, Part, SKETCH_TAG,
};
pub(crate) use content_registry::{ContentRegistry, Mark};
pub(crate) use deferred::Owned;
pub use deferred::{CaptureId, DeferredId, LeafId, TextId};
pub(crate) use derivative::{Derivatives, Symbol};
pub(crate) use emptiness::Emptiness;
pub(crate) use endings::Endings;
pub(crate) use exclusion::Unconditioned;
pub(crate) use free_text::{AnyText, Both, TextPairs, TextTables, Unread};
pub use free_text::{FreeTextId, FreeTextPosition};
pub use json_string::{Escape, SpellingId};
pub use literal_set::{LiteralRange, LiteralSetId};
pub(crate) use part_limit::{Separators, WithoutPartLimit};
pub(crate) use residue::{Residue, greatest_common_divisor};
pub(crate) use spelled::{ClassString, PlainString, Spelled};
pub use store::{ByteSetId, Expression, ExpressionId, ExpressionStore, ListId, ResidueId, TokenSetId};
pub(crate) use store::{EXPRESSION_BYTES, ExpressionMap, Template, size_of_bytes};
pub(crate) use text_length::WithoutBounds;
pub use unordered::Unordered;
pub use utf8::CharacterRange;

pub(crate) use crate::spelling::Spelling;

/// The rule that a call names: an index into the rules of one grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub(crate) u32);

impl RuleId {
    /// The position of the rule in its grammar's list of rules.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
