//! The fixed strings by which an expression is chosen among.

use smallvec::SmallVec;

use super::PreparedGrammar;
use crate::expression::{ByteSet, Choice, Endings, Expression, ExpressionId};

impl PreparedGrammar {
    /// The fixed strings with which matches of some expressions begin, those of the rules called included, apart from
    /// matches that begin with other bytes. `None` where few do, and where something at the head is deferred.
    pub(crate) fn choice(&self, expressions: impl IntoIterator<Item = ExpressionId>) -> Option<Choice> {
        /// More strings than this, and longer ones together, are not taken out of their expressions.
        const MOST_STRINGS: usize = 2048;
        const MOST_BYTES: usize = 1 << 16;
        /// Among more heads, so many times as many as begin with strings, these make little difference.
        const MANY_HEADS: usize = 32;
        let store = &self.expressions;
        let (mut strings, mut bytes_left, mut heads) = (Vec::new(), MOST_BYTES, 0);
        let mut others: SmallVec<[ExpressionId; 8]> = SmallVec::new();
        let mut endings = Endings::default();
        let mut waiting: SmallVec<[ExpressionId; 8]> = expressions.into_iter().collect();
        while let Some(at) = waiting.pop() {
            if endings.is_known(at) || store.add_beginnings(at, &mut waiting) {
                continue;
            }
            match store.get(at) {
                Expression::Literals(range)
                    if (range.end - range.first) as usize + strings.len() > MOST_STRINGS =>
                {
                    return None;
                }
                Expression::Literals(range) => {
                    let left = store.literals_of(range).map(|literal| &literal[range.depth as usize..]);
                    for string in left.filter(|left| !left.is_empty()) {
                        bytes_left = bytes_left.checked_sub(string.len())?;
                        strings.push(string);
                    }
                }
                Expression::Call(rule) => waiting.push(self.rules[rule.index()].body),
                Expression::Deferred(_) | Expression::Captured { .. } | Expression::Capture { .. } => {
                    return None;
                }
                _ => others.push(at),
            }
            heads += 1;
            if heads > MANY_HEADS + 4 * strings.len() {
                return None;
            }
        }
        if strings.len() < Choice::LEAST_STRINGS {
            return None;
        }
        let others = others.iter().fold(ByteSet::EMPTY, |all, &other| all.union(&store.first_bytes(other)));
        Choice::new(strings, &others)
    }
}
