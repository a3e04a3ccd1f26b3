//! Walks of states that read texts of some kinds of characters, whatever these are, but remember them.
//!
//! A state with a pattern goes to and fro between a few states, or counts on. The tokens made of characters that it
//! reads in any order are those of a slice. Where other tokens leave the slice, what is alive depends on what
//! stands before, so that is read, once for each node above such places. Of the places themselves only those are looked
//! at behind bytes that something alive there can read; nothing else of the slice is.

use std::sync::Arc;

use super::super::configurations::ConfigurationId;
use super::super::token_bits::TokenBits;
use super::below::Below;
use super::{Ground, Walk};
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::recognizer::Stretch;
use crate::vocabulary::{CharacterClass, Characters, NodeId, SliceBelow, Stem, TokenId};

/// What is alive after a text.
type Alive = Option<ConfigurationId>;

/// The texts before which tokens leave a slice, read.
struct Readings {
    /// For each stem that is read, what is alive after its text.
    alive: Vec<Alive>,
    /// The bytes that can be read after any of them; possibly more, never fewer.
    first: ByteSet,
}

/// Where tokens leave a slice.
pub(super) struct Exits {
    /// The nodes that they leave it with, each with what is alive there.
    behind: Vec<(NodeId, ConfigurationId)>,
    /// Of the slice of a class only.
    within: Option<ExitsWithin>,
}

/// Where tokens leave the slice of a class within a character.
struct ExitsWithin {
    class: Arc<CharacterClass>,
    /// The nodes that its first byte leads to, with that byte, what is alive there, and whether no more characters of the class may come.
    begun: Vec<(NodeId, u8, ConfigurationId, bool)>,
}

impl Walk<'_> {
    /// Begins with the slice of the kinds of which the state reads all texts, or of the class of what it does not tell from
    /// them. Returns whether it does so; where it does not, nothing has been taken.
    pub(super) fn run_stretched(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        let (automaton, vocabulary) = (self.ground.automaton, self.ground.vocabulary);
        let Some(stretch) = automaton.known_stretch(self.state).filter(|found| !found.kinds.is_empty())
        else {
            return Ok(false);
        };
        let characters = automaton.stretch_characters(self.state, stretch, vocabulary)?;
        // Of that which is left, characters beyond ASCII are the most.
        if matches!(characters, Characters::Kinds(kinds) if kinds.is_ascii())
            && automaton.uniform(self.state, self.ground.deadline)?.is_some()
        {
            return Ok(false);
        }
        let slice = vocabulary.slice_of(characters);
        let are_all = self.trie.is_all_within(NodeId::ROOT, stretch.characters);
        // How long the tokens are need not be known where all are short enough.
        let long = match are_all {
            true => &[][..],
            false => slice.split_by_length(stretch.characters, vocabulary).1,
        };
        if !stretch.is_exact && long.len() > Stretch::MOST_LONG_TOKENS {
            return Ok(false);
        }
        let read = if stretch.is_exact { &[][..] } else { long };
        let Some(kept) = self.stay_inside(read)? else { return Ok(false) };
        let left = self.leave_stretch((characters, &slice.below), self.start, stretch)?;
        let Some(left) = left else { return Ok(false) };
        match are_all {
            true => *base = Some(TokenBits::of_row(&slice.inside)),
            false => self.take_within((characters, &slice), stretch.characters, base),
        }
        self.walker.found.more.extend(kept);
        self.go_on_from(left)?;
        Ok(true)
    }

    /// Takes everything below where all texts of some kinds of characters stay in the frame, as far as they are of these: by
    /// the slice below the node. Gives `false` where that is not known, or more happens on the way to where others leave it.
    pub(super) fn take_stretch_slice_below(&mut self, below: &Below) -> Result<bool> {
        if !self.is_great_part(below) {
            return Ok(false);
        }
        let Some(state) = below.lone_state().filter(|state| !state.is_nullable()) else { return Ok(false) };
        let Ground { automaton, vocabulary, .. } = *self.ground;
        let stretch = match automaton.known_stretch(state) {
            None if self.is_worth_finding(below, state)? => {
                self.walker.patience.stretch_of(state, self.ground)?
            }
            known => known,
        };
        let Some(stretch) = stretch else { return Ok(false) };
        let kinds = self.trie.signature(below.node);
        if kinds.is_apart_from(stretch.kinds) || !self.trie.is_all_within(below.node, stretch.characters) {
            return Ok(false);
        }
        let characters = automaton.stretch_characters(state, stretch, vocabulary)?;
        let slice = vocabulary.slice_of_below(below.node, characters);
        let alive = self.walker.configurations.not_complete(below.arrival, self.ground)?;
        let Some(left) = self.leave_stretch((characters, &slice), alive, stretch)? else { return Ok(false) };
        self.walker.patience.save(below.nodes);
        self.take_all_below((characters, &slice));
        self.go_on_from(left)?;
        Ok(true)
    }

    /// Those of some tokens that stay in the frame to their last byte, ascending; `None` where the frame is complete within
    /// one, or it captures a text.
    fn stay_inside(&mut self, tokens: &[TokenId]) -> Result<Option<Vec<TokenId>>> {
        let mut kept = Vec::new();
        for &token in tokens {
            match self.stays_inside(token)? {
                Some(true) => kept.push(token),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        kept.sort_unstable();
        Ok(Some(kept))
    }

    /// Whether a token stays in the frame to its last byte; `None` where the frame is complete within it, or it captures
    /// a text.
    pub(super) fn stays_inside(&mut self, token: TokenId) -> Result<Option<bool>> {
        let mut at = self.start;
        for &byte in self.ground.vocabulary.token_bytes(token).unwrap_or_default() {
            let Some(next) = self.walker.configurations.step(at, byte, self.ground)? else {
                return Ok(Some(false));
            };
            if !self.is_plain(next) {
                return Ok(None);
            }
            at = next;
        }
        Ok(Some(true))
    }

    /// Where tokens leave the slice of a stretch, with what is alive there; `None` where more happens on the way.
    ///
    /// Most of these places are behind bytes that nothing alive before any of them can read: these are not looked at. Within
    /// a JSON string that only its quote ends, control characters are such bytes, and what stands before them need not be
    /// read.
    pub(super) fn leave_stretch(
        &mut self,
        (characters, slice): (Characters, &SliceBelow),
        start: ConfigurationId,
        stretch: Stretch,
    ) -> Result<Option<Exits>> {
        let within_strings = match self.walker.configurations.get(start).single() {
            Some(state) => self.ground.automaton.is_within_strings(state)?,
            None => false,
        };
        let readings = match within_strings {
            true => self.read_stems(&slice.stems, start, slice.stems_in_text.iter().copied())?,
            false => self.read_stems(&slice.stems, start, 0..slice.stems.len() as u32)?,
        };
        let Some(Readings { alive, first }) = readings else { return Ok(None) };
        let class = match characters {
            Characters::Kinds(_) => None,
            Characters::Class(class) => Some(self.ground.vocabulary.class_of(class)),
        };
        let may_be_within = |byte| class.as_ref().is_some_and(|class| class.may_begin_within(byte));
        let (mut behind, mut begun) = (Vec::new(), Vec::new());
        for exits in slice.exits.iter().filter(|exits| first.contains(exits.byte)) {
            for ((&node, &before), &stem) in exits.nodes.iter().zip(&exits.characters).zip(&exits.stems) {
                if stretch.is_exact && before > stretch.characters {
                    continue;
                }
                let Some(configuration) = alive[stem as usize] else { continue };
                let arrival = self.walker.configurations.try_step(configuration, exits.byte, self.ground)?;
                match arrival {
                    Some(arrival) if may_be_within(exits.byte) => {
                        let is_full = stretch.is_exact && before == stretch.characters;
                        begun.push((node, exits.byte, arrival, is_full));
                    }
                    Some(arrival) => behind.push((node, arrival)),
                    None => {}
                }
            }
        }
        let within = class.map(|class| ExitsWithin { class, begun });
        Ok(Some(Exits { behind, within }))
    }

    /// Walks on from where tokens leave a slice.
    pub(super) fn go_on_from(&mut self, Exits { behind, within }: Exits) -> Result<()> {
        for (node, arrival) in behind {
            self.leave(node, arrival)?;
        }
        let Some(ExitsWithin { class, begun }) = within else { return Ok(()) };
        for (node, byte, arrival, is_full) in begun {
            self.leave_within((node, byte), arrival, &class, is_full)?;
        }
        Ok(())
    }

    /// Reads some of the stems of a slice, each after the one above it; `None` where more happens on the way to one than that
    /// something stays alive.
    fn read_stems(
        &mut self,
        stems: &[Stem],
        start: ConfigurationId,
        read: impl Iterator<Item = u32>,
    ) -> Result<Option<Readings>> {
        let first = self.walker.configurations.first_bytes(start, self.ground)?;
        let mut readings = Readings { alive: vec![None; stems.len()], first };
        readings.alive[0] = Some(start);
        let mut met = vec![false; self.walker.configurations.count()];
        for stem in read.skip_while(|&stem| stem == 0) {
            let Stem { above, byte } = stems[stem as usize];
            let Some(before) = readings.alive[above as usize] else { continue };
            let after = self.walker.configurations.step(before, byte, self.ground)?;
            readings.alive[stem as usize] = after;
            let Some(after) = after else { continue };
            if met.get(after.index()) == Some(&true) {
                continue;
            }
            if !self.is_plain(after) {
                return Ok(None);
            }
            readings.first =
                readings.first.union(&self.walker.configurations.first_bytes(after, self.ground)?);
            met.resize(met.len().max(after.index() + 1), false);
            met[after.index()] = true;
        }
        Ok(Some(readings))
    }

    /// Whether nothing happens in a configuration but that something goes on: the frame of the walk is not complete,
    /// and captures nothing.
    fn is_plain(&self, id: ConfigurationId) -> bool {
        let configuration = self.walker.configurations.get(id);
        !configuration.complete && configuration.capture.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::super::compared::{Compared, compare, of_schema, vocabulary_of};
    use crate::budget::Budget;
    use crate::frontend::regex::{self, RegexOptions};

    const PATTERNS: &[&str] = &[
        r"(?i).+ a.+-é.*",
        r"(.|\n)*a-.*(é|ab)\.?",
        r"[^ -]*a\.[^ -]*é|[^ ]+--",
        r"[^ .a-].[^ -]*",
        r"(a[^b]|.[^a])[^-]*-?",
        r"[^é]{2,}(é[^a]+)+",
    ];
    const SCHEMAS: &[&str] = &[
        r#"{"type": "string", "pattern": "^[^b]*a-[^é]*$"}"#,
        r#"{"type": "string", "pattern": "^[^ -].[^b]*$", "maxLength": 12}"#,
        r#"{"type": "string", "pattern": "ab.*é-", "minLength": 3}"#,
        r#"{"type": "string", "pattern": "^a.*?(-b-)?\\.(a|é|日)$"}"#,
        r#"{"type": ["string", "integer"], "pattern": "^([^é]*-|b)[^é]*a\\.$"}"#,
        r#"{"type": "string", "allOf": [{"pattern": "^.*(-b)?\\.(a|é)$"}, {"pattern": "^([ab]|-)*(\\.[aé]*)*$"}]}"#,
        r#"{"type": "string", "allOf": [{"pattern": "^a.*b-$"}, {"pattern": "^[^-日]*.[^b]*b?-?$"}], "minLength": 2}"#,
        // To what is found behind any text, nothing is left under the other condition.
        r#"{"type": "string", "allOf": [{"pattern": "^(.*日|a-)b*$"}, {"pattern": "^[ab-]*$"}]}"#,
        r#"{"type": "string", "format": "uri", "pattern": "^a.*(-a)?\\.b$"}"#,
    ];

    #[test]
    fn a_walk_that_leaves_texts_unread_finds_what_one_over_each_node_does() {
        let pieces = ["a", "b", "-", ".", " ", "é", "日", "\n", "\"", "\\n", "A-"];
        let vocabulary = vocabulary_of(&pieces, &[b"a\xC3", b"\xC3a", b"-\xE6\x97", b"b\xFF", b"\"a\xC3"]);
        let budget = Budget::default();
        let patterns = PATTERNS.iter().map(|&text| {
            let grammar = regex::compile(text, &RegexOptions::default(), &budget).unwrap();
            (grammar, text)
        });
        let schemas = SCHEMAS.iter().map(|&text| {
            let grammar = of_schema(text);
            (grammar, text)
        });
        let mut all = Compared::default();
        for (grammar, text) in patterns.chain(schemas) {
            let bytes = "ab-. é日\n\"\\n".as_bytes();
            let Compared { walks, visited, .. } = compare(&grammar, text, bytes, &vocabulary, &[]);
            all.walks += walks;
            all.visited = [0, 1].map(|at| all.visited[at] + visited[at]);
        }
        assert!(all.walks > 200 && all.visited[0] * 3 < all.visited[1], "{all:?}");
    }

    /// Of characters beyond ASCII, these read only some of those that begin alike.
    const OF_CLASSES: &[&str] = &[
        r#"{"type": "string", "pattern": "^[^-\\s]*\\.[^-\\s]+$"}"#,
        r#"{"type": "string", "pattern": "^\\s*\\S+\\s*$"}"#,
        r#"{"type": "string", "pattern": "^(\\S+\\s+)*\\S+$"}"#,
        r#"{"type": "string", "pattern": "^(?!\\s*$).*b?$"}"#,
        r#"{"type": "string", "pattern": "\\S.*a\\S", "maxLength": 8}"#,
        r#"{"type": "string", "pattern": "^(\\w+[-.]?)*(日|\\s)$"}"#,
        r#"{"type": "string", "pattern": "^[^é\u2028]*-[^\u2000-\u200a]*\\.$"}"#,
        r#"{"type": "string", "pattern": "^[^\\s-]+[^日]?[^\\s.]*(a\u2003b|\u3002)$", "minLength": 3}"#,
        r#"{"type": ["string", "null"], "pattern": "^[a\u2003。]*-?[a。]*é?$"}"#,
        r#"{"type": "array", "items": {"pattern": "^[^ ]+ \\S*(\\.\\S+)?$", "not": {"pattern": "^。"}}}"#,
    ];

    #[test]
    fn a_walk_by_the_class_of_a_stretch_finds_what_one_over_each_node_does() {
        let pieces = ["a", "b", "-", ".", " ", "é", "日", "\u{2003}", "\u{2028}", "。", "\"", "\\u2003"];
        let more: &[&[u8]] = &[
            b"a\xC3",
            b"-\xE2",
            b"a-\xE2\x80",
            b".\xE3\x80",
            b"\xE2\x80a",
            b"b\xFF",
            b"\"a\xE2",
            "a.\u{2013}b\u{3000}".as_bytes(),
            "\u{2013}.".as_bytes(),
            "、-。".as_bytes(),
        ];
        let vocabulary = vocabulary_of(&pieces, more);
        let mut all = Compared::default();
        for text in OF_CLASSES {
            let grammar = of_schema(text);
            let bytes = "ab-. é日\u{2003}\"\\。[n".as_bytes();
            let Compared { walks, visited, .. } = compare(&grammar, text, bytes, &vocabulary, &[]);
            all.walks += walks;
            all.visited = [0, 1].map(|at| all.visited[at] + visited[at]);
        }
        assert!(all.walks > 200 && all.visited[0] * 5 < all.visited[1] * 2, "{all:?}");
    }
}
