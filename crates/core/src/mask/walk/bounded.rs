//! Walks of texts with bounds by what is read of them without these.
//!
//! What tokens do to a state does not depend on how long its text may be, but for those that come near to a bound: with them, too few
//! or too many characters may be left for a match. So what the state makes of tokens without its bounds is taken, as far as it is within its
//! greatest length, and only those few tokens are looked at. Of them, those that leave the state as it is, as most of a
//! password's do, are judged together, all of one length.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::configurations::ConfigurationId;
use super::super::token_bits::{TokenBits, clear_bit, has_bit, set_bits};
use super::{Walk, Within};
use crate::error::Result;
use crate::recognizer::{StateId, Stretch, Unbounded};
use crate::spelling::character_count;
use crate::vocabulary::{Characters, Signature, Slice, TokenId};

/// What is left of a bounded text after tokens.
struct Left {
    /// What is alive before them without the bounds.
    start: ConfigurationId,
    /// The tokens that leave it as it is, where there are some.
    looping: Option<Arc<Slice>>,
    /// Whether anything is, by what is alive without the bounds, and the number of characters that have been read; `None` where
    /// that is not plain.
    known: FxHashMap<(StateId, u32), Option<bool>>,
}

impl Walk<'_> {
    /// More tokens that come near to a bound than this are not worth reading one by one.
    const MOST_NEAR_TOKENS: usize = 1 << 16;

    /// Begins with what the state makes of tokens without its bounds, as far as these make no difference, and walks the
    /// others. Returns whether it does so; nothing has been taken then.
    pub(super) fn run_within(&mut self, within: &Within, base: &mut Option<TokenBits>) -> Result<bool> {
        self.run_begun(|walk| walk.begin_within(within, base))
    }

    fn begin_within(&mut self, within: &Within, base: &mut Option<TokenBits>) -> Result<bool> {
        let vocabulary = self.ground.vocabulary;
        let Unbounded { kinds, characters, maximum, .. } = within.unbounded;
        let of_kinds = Characters::Kinds(kinds);
        let slice = vocabulary.slice_of(of_kinds);
        let mut inside = within.inside.to_row(vocabulary.mask_words());
        let (_, long) = slice.split_by_length(characters, vocabulary);
        let (_, too_long) = slice.split_by_length(maximum, vocabulary);
        let near = &long[..long.len() - too_long.len()];
        let mut left = self.nothing_known_of(&within.unbounded, near.len())?;
        let words = Arc::make_mut(&mut inside);
        let others = self.bound_looping((of_kinds, &slice), &within.unbounded, &mut left, words)?;
        // What bounds leave alive is alive without them, too.
        let near: Vec<TokenId> = match others {
            Some(others) => set_bits(&others).collect(),
            None => near.iter().copied().filter(|&token| has_bit(words, token)).collect(),
        };
        if near.len() > Self::MOST_NEAR_TOKENS {
            return Ok(false);
        }
        for token in near {
            match self.stays_within(token, &within.unbounded, &mut left)? {
                Some(true) => {}
                Some(false) => clear_bit(words, token),
                None => return Ok(false),
            }
        }
        let is_exact = maximum != Stretch::UNLIMITED;
        let stretch = Stretch { kinds, characters: maximum, is_exact, is_counted: false };
        let left = self.leave_stretch((of_kinds, &slice.below), self.start, stretch)?;
        let Some(left) = left else { return Ok(false) };
        self.take_short((of_kinds, &slice), maximum, inside, base);
        self.go_on_from(left)?;
        Ok(true)
    }

    /// Takes from a mask row, of what is inside without the bounds, those tokens of a slice that leave the state as it is, and after which
    /// nothing is left with the bounds: all of a length at once. Gives a row of those members near to the bounds that have yet to be
    /// read; `None` where it is not known which leave the state so, or no rows by length are kept for texts that may be as long.
    fn bound_looping(
        &mut self,
        (characters, slice): (Characters, &Slice),
        unbounded: &Unbounded,
        left: &mut Left,
        row: &mut [u32],
    ) -> Result<Option<Vec<u32>>> {
        let vocabulary = self.ground.vocabulary;
        let (Some(minimum), Some(looping)) = (unbounded.minimum, &left.looping) else { return Ok(None) };
        let within = |most| vocabulary.row_within((characters, slice), most);
        let Some(all) = within(unbounded.maximum) else { return Ok(None) };
        let Some(mut shorter) = within(unbounded.characters) else { return Ok(None) };
        let mut others: Vec<u32> = row.to_vec();
        zip_words(&mut others, [&*all, &*shorter], |word, [all, shorter]| *word &= all & !shorter);
        for length in unbounded.characters + 1..=unbounded.maximum {
            let Some(longer) = within(length) else { return Ok(None) };
            let key = (unbounded.state, length);
            let is_left = self.is_left_within(key, unbounded, minimum)?;
            left.known.insert(key, is_left);
            if let Some(is_left) = is_left {
                let kept = if is_left { u32::MAX } else { 0 };
                let rows = [&*longer, &*shorter, &*looping.inside, vocabulary.row_of_whole()];
                let of_length =
                    |[longer, shorter, looping, whole]: [u32; 4]| longer & !shorter & looping & whole;
                zip_words(row, rows, |word, words| *word &= !of_length(words) | kept);
                zip_words(&mut others, rows, |word, words| *word &= !of_length(words));
            }
            shorter = longer;
        }
        Ok(Some(others))
    }

    /// What is known of so many tokens that come near to the bounds before any is read.
    fn nothing_known_of(&mut self, unbounded: &Unbounded, tokens: usize) -> Result<Left> {
        /// Fewer are sooner read than it is found out which of them leave the state as it is.
        const MANY: usize = 256;
        let start = self.walker.configurations.start(unbounded.state, self.ground)?;
        let kinds = match unbounded.minimum {
            Some(_) if tokens >= MANY => {
                self.ground.automaton.loops(unbounded.state, self.ground.deadline)?
            }
            _ => Signature::EMPTY,
        };
        let looping = (!kinds.is_empty()).then(|| self.ground.vocabulary.slice(kinds));
        Ok(Left { start, looping, known: FxHashMap::default() })
    }

    /// Takes the tokens of a slice, that of some characters, that have up to so many of them and stand in a mask row.
    fn take_short(
        &mut self,
        (characters, slice): (Characters, &Slice),
        most: u32,
        mut row: Arc<[u32]>,
        base: &mut Option<TokenBits>,
    ) {
        /// So few are sooner listed than a row of all is gone through.
        const FEW: usize = 512;
        let vocabulary = self.ground.vocabulary;
        let (short, long) = slice.split_by_length(most, vocabulary);
        let within = match short.len() > FEW && !long.is_empty() {
            true => vocabulary.row_within((characters, slice), most),
            false => None,
        };
        if short.len() <= FEW || within.is_none() && short.len() < long.len() {
            self.walker.found.more.extend(short.iter().filter(|&&token| has_bit(&row, token)));
            return;
        }
        let words = Arc::make_mut(&mut row);
        let kept = within.as_ref().unwrap_or(&slice.inside);
        words.iter_mut().zip(&**kept).for_each(|(word, kept)| *word &= kept);
        if within.is_none() {
            long.iter().for_each(|&token| clear_bit(words, token));
        }
        *base = Some(TokenBits::of_row(&row));
    }

    /// Whether a token of the kinds of a bounded text stays in the frame to its last byte; `None` where more happens within it.
    ///
    /// Where the bounds only say how many characters the text may have, what is left of it after the token is what is left
    /// without them, as far as so many characters come to it. So tokens that come near to a bound take no state for each of
    /// their characters.
    fn stays_within(
        &mut self,
        token: TokenId,
        unbounded: &Unbounded,
        left: &mut Left,
    ) -> Result<Option<bool>> {
        let Some(minimum) = unbounded.minimum else { return self.stays_inside(token) };
        let bytes = self.ground.vocabulary.token_bytes(token).unwrap_or_default();
        let state = if left.looping.as_ref().is_some_and(|looping| has_bit(&looping.inside, token)) {
            Some(unbounded.state)
        } else {
            let Some(after) = self.walker.configurations.read(left.start, bytes, self.ground)? else {
                return Ok(Some(false));
            };
            let configuration = self.walker.configurations.get(after);
            configuration.single().filter(|_| configuration.is_in_base())
        };
        let is_whole = has_bit(self.ground.vocabulary.row_of_whole(), token);
        let characters = || character_count(bytes) as u32;
        let is_left = match state.zip(is_whole.then(characters)) {
            None => None,
            Some(key) => match left.known.get(&key) {
                Some(&known) => known,
                None => {
                    let is_left = self.is_left_within(key, unbounded, minimum)?;
                    *left.known.entry(key).or_insert(is_left)
                }
            },
        };
        match is_left {
            None => self.stays_inside(token),
            known => Ok(known),
        }
    }

    /// Whether something is left to a state, if of the characters of a text, at least some number, so many have been read;
    /// `None` where that is not plain.
    fn is_left_within(
        &self,
        (state, read): (StateId, u32),
        unbounded: &Unbounded,
        minimum: u32,
    ) -> Result<Option<bool>> {
        let least = minimum.saturating_sub(read);
        let most = match unbounded.maximum {
            Stretch::UNLIMITED => Stretch::UNLIMITED,
            most if most < read => return Ok(Some(false)),
            most => most - read,
        };
        self.ground.automaton.is_left_within(state, unbounded, least..=most, self.ground.deadline)
    }
}

/// Changes each word of a row by those in the same place of others.
fn zip_words<const N: usize>(
    row: &mut [u32],
    others: [&[u32]; N],
    mut change: impl FnMut(&mut u32, [u32; N]),
) {
    let others = others.map(|other| &other[..row.len()]);
    for (at, word) in row.iter_mut().enumerate() {
        change(word, others.map(|other| other[at]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::compared::{compare, vocabulary_of};
    use crate::budget::Budget;
    use crate::frontend::json_schema;
    use crate::frontend::regex::{self, RegexOptions};

    const BOUNDED: &[&str] = &[
        r#"{"type": "string", "pattern": "^(?:\\S+\\s+){0,3}\\S+$"}"#,
        r#"{"type": "string", "pattern": "^(?:\\S+\\s+){1,4}\\S+$", "maxLength": 30}"#,
        r#"{"type": "string", "pattern": "^\\s*\\S+(?:\\s+\\S+){0,2}\\s*$", "minLength": 2, "maxLength": 9}"#,
        r#"{"type": "string", "pattern": "^([^-]+- ){0,3}[^-]+$", "minLength": 3}"#,
        r#"{"type": "string", "pattern": "^([a-é]{1,3}[-. ])*([a-é]+\\.){0,4}b?$", "maxLength": 26}"#,
        r#"{"type": "string", "pattern": "^(a+-|日*\\. ?){2,5}é*$"}"#,
        r#"{"type": "string", "pattern": "^([ab]+(-[ab]+){0,2} ){0,2}([ab日]+é)?$", "maxLength": 12}"#,
        r#"{"anyOf": [{"type": "string", "pattern": "^(\\w+ ){0,3}\\w+$"}, {"type": "array"}]}"#,
        r#"{"type": "object", "patternProperties": {"^(\\w+-){0,2}\\w+$": {"const": 1}}, "additionalProperties": false}"#,
        r#"{"type": "string", "pattern": "^(\\S+\\s*){1,3}$", "maxLength": 20}"#,
        r#"{"type": "string", "pattern": "^([ab]+-?){2,4}\\.$"}"#,
        r#"{"type": "string", "pattern": "^[^b]*-[^b]*$", "maxLength": 7}"#,
        r#"{"type": "string", "pattern": "^([ab]-?)*$", "minLength": 2, "maxLength": 6}"#,
        r#"{"type": "string", "pattern": "^(?=.*[a-b])(?=.*-).{2,6}$"}"#,
        r#"{"type": "string", "pattern": "[-é]", "maxLength": 5}"#,
        r#"{"type": "string", "pattern": "^(?!.*(ab|- )).{1,7}$"}"#,
        r#"{"type": "string", "pattern": "^(?:\\s+\\S+){2,11}\\w*$", "maxLength": 5}"#,
    ];
    const BOUNDED_PATTERNS: &[&str] = &[
        r"(?=.*[a-b])(?=.*-).{2,6}",
        r"(?=.*-)[^.é]{0,5}",
        r"(?!.*(ab|- )).{1,7}",
        r"(?=.*(é|日))(?=.*b)[^\u2003]{3,8}b?",
    ];

    #[test]
    fn a_walk_of_what_is_bounded_finds_what_one_over_each_node_does() {
        let pieces = ["a", "b", "-", ".", " ", "é", "日", "\u{2003}", "\"", "\\n"];
        let more: &[&[u8]] = &[
            b"a b a b a b",
            b"a- a- a- a",
            b"        ",
            b"a.a.a.a.b",
            "日\u{2003}日 \u{2003}日".as_bytes(),
            b"a\xC3",
            b" \xE2",
            b" a\xE2\x80",
            b"\x80 a",
            b"ab ab\"",
            b"-\xE6\x97",
        ];
        // More tokens than are read one by one are longer than some texts may be.
        let fives = (0..4usize.pow(5)).map(|number| {
            let piece = |place| ["a", "b", "-", "é"][number / 4usize.pow(place) % 4];
            (0..5).map(piece).collect::<String>().into_bytes()
        });
        let fives: Vec<_> = fives.collect();
        let more: Vec<_> = more.iter().copied().chain(fives.iter().map(Vec::as_slice)).collect();
        let vocabulary = vocabulary_of(&pieces, &more);
        let (mut within, budget) = ([0; 2], Budget::default());
        let schemas = BOUNDED.iter().map(|&text| {
            let grammar = json_schema::compile(text, &[], &json_schema::Options::default(), &budget);
            (grammar, text, 0)
        });
        let patterns = BOUNDED_PATTERNS.iter().map(|&text| {
            let grammar = regex::compile(text, &RegexOptions::default(), &budget);
            (grammar, text, 1)
        });
        for (grammar, text, kind) in schemas.chain(patterns) {
            let bytes = "ab-. é日\u{2003}\"\\n{".as_bytes();
            let compared = compare(&grammar.unwrap(), text, bytes, &vocabulary, &[]);
            within[kind] += compared.within;
        }
        assert!(within[0] > 100 && within[1] > 20, "{within:?}");
    }
}
