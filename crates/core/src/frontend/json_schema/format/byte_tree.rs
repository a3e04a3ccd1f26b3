//! Sets of code points, each with what follows it, as one expression that is deterministic byte by byte.
//!
//! Sets that together cover most of Unicode have thousands of UTF-8 sequences. As alternatives side by side
//! all of them would be looked at for every byte. In a tree that branches by the first byte, then by the
//! second, and so on, a byte leaves one branch.

use std::collections::BTreeMap;

use regex_syntax::utf8::{Utf8Sequence, Utf8Sequences};

use super::Languages;
use crate::expression::{ByteSet, ExpressionId};
use crate::frontend::character_set::CharacterSet;
use crate::grammar::GrammarBuilder;

impl Languages<'_> {
    /// One character of a set.
    pub(super) fn one_of(&mut self, set: &CharacterSet) -> ExpressionId {
        self.one_followed(&[(set, GrammarBuilder::EMPTY)])
    }

    /// One character of any of the sets, which are disjoint, and then what belongs to its set.
    pub(super) fn one_followed(&mut self, cases: &[(&CharacterSet, ExpressionId)]) -> ExpressionId {
        let mut paths = Vec::new();
        for &(set, after) in cases {
            for range in set.iter() {
                paths.extend(Utf8Sequences::new(range.start(), range.end()).map(|path| (path, after)));
            }
        }
        let starts =
            |path: &Utf8Sequence| -> Vec<u8> { path.as_slice().iter().map(|range| range.start).collect() };
        paths.sort_by_cached_key(|(path, _)| starts(path));
        self.tree(&paths, 0)
    }

    /// The tree of paths that agree in their first `depth` bytes. As their sets are disjoint, the ranges of
    /// the next byte are equal or disjoint too.
    fn tree(&mut self, paths: &[(Utf8Sequence, ExpressionId)], depth: usize) -> ExpressionId {
        let mut by_rest: BTreeMap<ExpressionId, ByteSet> = BTreeMap::new();
        for group in paths.chunk_by(|(a, _), (b, _)| a.as_slice()[depth] == b.as_slice()[depth]) {
            let (path, after) = &group[0];
            let range = path.as_slice()[depth];
            let rest = if depth + 1 == path.len() { *after } else { self.tree(group, depth + 1) };
            let bytes = by_rest.entry(rest).or_default();
            *bytes = bytes.union(&ByteSet::range(range.start, range.end));
        }
        let mut branches = Vec::with_capacity(by_rest.len());
        for (rest, bytes) in by_rest {
            let bytes = self.builder.bytes(bytes);
            branches.push(self.sequence(&[bytes, rest]));
        }
        self.either(&branches)
    }
}
