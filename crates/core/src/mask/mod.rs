//! Masks: which tokens may come next.
//!
//! A token is allowed when some pair (state, frame) of the configuration can read its bytes. For a
//! state that is a question about the trie alone, as long as the token stays in the frame; a token
//! that completes the frame part-way leaves a *suffix* for the callers. So the mask is put together by
//! a weighted automaton that reads the stack from the top:
//!
//! * `walk` runs the recogniser over the trie from one state, and gives the tokens that stay *inside* and
//!   the *exits*, the nodes of the trie below which suffixes are left; `exits` says how these are told where they are many;
//! * `configurations` are what a walk can have alive at a node, interned, with the steps between them;
//! * `patience` is what walks may spend on finding out what may save nothing;
//! * `cache` keeps what a walk gave, by (exits, state): the root for the state on top of the stack, an
//!   exit set for each continuation below. This is the automaton, determinised as far as it was needed; a `step` is one
//!   of its transitions as one constraint has it;
//! * `compose` puts transitions together of those of a state's pieces, and reads outlines in place of what they stand for;
//! * `neighbour` puts one together of that of another state, where the two do nearly the same;
//! * `conditions` puts one together of those under each of several conditions;
//! * `parts` puts one together of those from other exit sets, of which one from many is put together;
//! * `token_bits` are the sets of tokens that all of these hold, often a row that others share with some changes, and
//!   `token_union` puts them together; `token_lists` are masks that are not yet;
//! * `pool` keeps the same for all constraints of a vocabulary, by content; `pooled` asks it where that is
//!   worth it, and `pool_file` saves and loads it; a `groundwork` is what all pools of a vocabulary begin with;
//! * `fill` follows the edges of the stack graph with it, collects the parts of a mask, and looks the finished
//!   mask up by them;
//! * `doubts` are the tokens of such a mask that depend on a text captured before;
//! * `reachable` finds what a text can reach without one, and `ahead` computes the transitions for it, as far as an
//!   `allowance` goes.
//!
//! Each exit consumed at least one byte, so no mask looks further down than the longest token has bytes, but past
//! frames that may end at once.

mod ahead;
mod allowance;
mod cache;
mod compose;
mod conditions;
mod configurations;
mod doubts;
mod exits;
mod fill;
mod groundwork;
mod neighbour;
mod parts;
mod patience;
mod pool;
mod pool_file;
mod pooled;
mod reachable;
mod step;
mod token_bits;
mod token_lists;
mod token_union;
mod walk;

pub(crate) use ahead::{AheadSource, fill_all};
pub use ahead::{Progress, Warm, WarmUp};
pub(crate) use allowance::{Allowance, Outcome, Stop};
pub(crate) use cache::{Finished, MaskCache};
pub(crate) use fill::{Mask, MaskScratch, Source, mask_by_each_token, mask_by_stack_automaton};
pub use groundwork::Groundwork;
pub use pool::{Numbers, Pool, PoolStatistics};
pub(crate) use token_bits::has_bit;
