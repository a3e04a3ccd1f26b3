//! What is known of a node from its structure, found once when it is interned.

use super::{ByteSet, Expression, ExpressionId, ExpressionStore, ListId};
use crate::expression::json_string::NextEscape;
use crate::expression::{Escape, FreeTextId, FreeTextPosition, LiteralRange, Unordered};
use crate::spelling::begins_character;

/// What is known of a node from its structure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// Whether it matches the empty text, given which rules do.
    pub(super) nullable: bool,
    /// Whether it is a regular expression over bytes: no calls, no exact tokens.
    pub(super) regular: bool,
    /// Whether an intersection or a complement stands in it.
    pub(super) boolean: bool,
    /// Whether all that it matches is known to be UTF-8.
    pub(super) text: bool,
    /// Whether each match is one code point, surrogates included, as of a class of them; not where that is not plain.
    pub(super) one_character: bool,
    /// Whether it is regular, and matches end in something that is repeated, so that they become longer ones, as those of
    /// complements seem to.
    pub(super) open_ended: bool,
    /// Some characters that no match holds.
    pub(super) lacking: Lacking,
    /// How deep operands nest, tails of concatenations not counted.
    pub(super) height: u32,
    /// The greatest bound of a repetition outside captured texts: its maximum, or its minimum where there is no limit.
    pub(super) counter: u32,
    /// The greatest maximum of a repetition anywhere that is not without limit.
    pub(super) maximum: u32,
    /// The length of the shortest match at least, in bytes; exact tokens and calls count as nothing.
    pub(super) shortest: u32,
    /// The number of bytes that begin a character, in any match at least: all bytes but `0x80..=0xBF` count as such.
    pub(super) characters: u32,
}

/// Those of a few characters of ASCII, seldom used in patterns, that do not occur: one bit for each. A dot reads all of them
/// but the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lacking(u16);

impl Lacking {
    const CHARACTERS: [u8; 9] = *b" ~`^|<>!\n";
    pub(crate) const ALL: Self = Self((1 << Self::CHARACTERS.len()) - 1);
    pub(crate) const NONE: Self = Self(0);

    /// Those that are not among some bytes.
    pub(crate) fn among(bytes: &ByteSet) -> Self {
        Self::unless(|byte| bytes.contains(byte))
    }

    /// Those that do not occur in some text.
    pub(crate) fn in_text(text: &[u8]) -> Self {
        let mut occurs = [false; 256];
        text.iter().for_each(|&byte| occurs[usize::from(byte)] = true);
        Self::unless(|byte| occurs[usize::from(byte)])
    }

    fn unless(occurs: impl Fn(u8) -> bool) -> Self {
        let lacking = Self::CHARACTERS.iter().enumerate().filter(|(_, byte)| !occurs(**byte));
        Self(lacking.fold(0, |bits, (at, _)| bits | 1 << at))
    }

    /// Those that do not occur in either of two things.
    pub(crate) fn in_both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Traits {
    /// Those of a node without operands, but for its shortest match.
    fn leaf(nullable: bool, regular: bool) -> Self {
        Self {
            nullable,
            regular,
            boolean: false,
            text: false,
            one_character: false,
            open_ended: false,
            lacking: Lacking::NONE,
            height: 1,
            counter: 0,
            maximum: 0,
            shortest: 0,
            characters: 0,
        }
    }

    fn of_concatenation(head: Self, tail: Self) -> Self {
        Self {
            nullable: head.nullable && tail.nullable,
            regular: head.regular && tail.regular,
            boolean: head.boolean || tail.boolean,
            text: head.text && tail.text,
            one_character: false,
            open_ended: tail.open_ended && head.regular,
            lacking: head.lacking.in_both(tail.lacking),
            height: (head.height + 1).max(tail.height),
            counter: head.counter.max(tail.counter),
            maximum: head.maximum.max(tail.maximum),
            shortest: head.shortest.saturating_add(tail.shortest),
            characters: head.characters.saturating_add(tail.characters),
        }
    }

    fn of_repetition(body: Self, minimum: u32, maximum: u32) -> Self {
        let bound = if maximum == ExpressionStore::UNBOUNDED { minimum } else { maximum };
        let open_ended = body.regular && (body.open_ended || maximum > 1);
        let maximum = if maximum == ExpressionStore::UNBOUNDED { 0 } else { maximum };
        Self {
            nullable: minimum == 0 || body.nullable,
            one_character: false,
            open_ended,
            height: body.height + 1,
            counter: body.counter.max(bound),
            maximum: body.maximum.max(maximum),
            shortest: body.shortest.saturating_mul(minimum),
            characters: body.characters.saturating_mul(minimum),
            ..body
        }
    }

    fn of_complement(operand: Self) -> Self {
        let nullable = !operand.nullable;
        Self {
            nullable,
            boolean: true,
            text: false,
            one_character: false,
            open_ended: operand.regular,
            lacking: Lacking::NONE,
            height: operand.height + 1,
            shortest: u32::from(!nullable),
            characters: 0,
            ..operand
        }
    }

    fn of_capture(content: Self) -> Self {
        Self {
            nullable: false,
            regular: false,
            one_character: false,
            open_ended: false,
            height: content.height + 1,
            counter: 0,
            characters: 0,
            ..content
        }
    }
}

impl ExpressionStore {
    /// The length of the shortest match is at least this.
    pub(in crate::expression) fn shortest(&self, id: ExpressionId) -> u32 {
        self.traits[id.index()].shortest
    }

    /// Every match has at least so many bytes that begin a character.
    pub(crate) fn fewest_characters(&self, id: ExpressionId) -> u32 {
        self.traits[id.index()].characters
    }

    /// Whether the expression matches the empty text.
    pub fn is_nullable(&self, id: ExpressionId) -> bool {
        self.traits[id.index()].nullable
    }

    /// Whether the expression holds neither calls nor exact tokens.
    pub fn is_regular(&self, id: ExpressionId) -> bool {
        self.traits[id.index()].regular
    }

    /// Whether an intersection or a complement stands in the expression.
    pub(crate) fn has_boolean(&self, id: ExpressionId) -> bool {
        self.traits[id.index()].boolean
    }

    /// Whether all that the expression matches is known to be UTF-8.
    pub(crate) fn is_text(&self, id: ExpressionId) -> bool {
        self.traits[id.index()].text
    }

    /// Whether each match of the expression is one code point, surrogates included, as of a class of them; false where
    /// that is not plain.
    pub(crate) fn is_one_character(&self, id: ExpressionId) -> bool {
        self.traits[id.index()].one_character
    }

    /// Whether the expression is regular, and matches end in something that is repeated.
    pub(crate) fn is_open_ended(&self, id: ExpressionId) -> bool {
        self.traits[id.index()].open_ended
    }

    /// Some characters that no match of the expression holds.
    pub(in crate::expression) fn lacking(&self, id: ExpressionId) -> Lacking {
        self.traits[id.index()].lacking
    }

    /// Notes that all that an expression matches is UTF-8, though its parts are not.
    pub(crate) fn set_text(&mut self, id: ExpressionId) {
        self.traits[id.index()].text = true;
    }

    /// How deep operands nest.
    pub fn height(&self, id: ExpressionId) -> usize {
        self.traits[id.index()].height as usize
    }

    /// The greatest bound of a repetition outside captured texts: its maximum, or its minimum where there is no limit.
    pub(in crate::expression) fn greatest_counter(&self, id: ExpressionId) -> u32 {
        self.traits[id.index()].counter
    }

    /// The greatest maximum of a repetition that has one, inside intersections and complements too.
    pub(crate) fn greatest_maximum(&self, id: ExpressionId) -> u32 {
        self.traits[id.index()].maximum
    }

    pub(super) fn traits_of(&self, node: Expression) -> Traits {
        let of = |id: ExpressionId| self.traits[id.0 as usize];
        let leaf = Traits::leaf;
        match node {
            Expression::Nothing => Traits { lacking: Lacking::ALL, ..leaf(false, true) },
            Expression::Empty => Traits { text: true, lacking: Lacking::ALL, ..leaf(true, true) },
            Expression::Bytes(set) => {
                let bytes = self.byte_set(set);
                let text = bytes.is_ascii();
                let begins = bytes.intersection(&ByteSet::range(0x80, 0xBF)).is_empty();
                let (lacking, characters) = (Lacking::among(bytes), u32::from(begins));
                Traits { shortest: 1, characters, text, one_character: text, lacking, ..leaf(false, true) }
            }
            Expression::Literals(range) => {
                let set = self.literal_set(range.set);
                let (nullable, lacking) = (set.is_nullable(range), set.lacking());
                let text = set.is_text_from(range);
                let characters = self.characters_of_literals(range);
                Traits { shortest: u32::from(!nullable), characters, text, lacking, ..leaf(nullable, true) }
            }
            Expression::Residue(residue) => {
                let residue = self.residue_of(residue);
                let shortest = residue.shortest();
                Traits { shortest, characters: shortest, ..leaf(residue.is_nullable(), true) }
            }
            Expression::Tokens(_) => leaf(false, false),
            Expression::Call(rule) => {
                leaf(self.nullable_rules.get(rule.index()).copied().unwrap_or(false), false)
            }
            Expression::Concatenation(head, tail) => {
                let one_character = self.is_one_character_of(head, tail);
                Traits { one_character, ..Traits::of_concatenation(of(head), of(tail)) }
            }
            Expression::Repetition { body, minimum, maximum } => {
                Traits::of_repetition(of(body), minimum, maximum)
            }
            Expression::Alternatives(list) => self.traits_of_alternatives(list),
            Expression::Intersection(list) => self.traits_of_intersection(list),
            Expression::Complement(operand) => Traits::of_complement(of(operand)),
            Expression::JsonString { content, escape, .. } => self.traits_of_json_string(content, escape),
            Expression::FreeText { table, at } => self.traits_of_free_text(table, at),
            Expression::Unordered(unordered) => self.traits_of_unordered(unordered),
            Expression::Deferred(_) | Expression::Captured { .. } => {
                Traits { shortest: 1, ..leaf(false, false) }
            }
            Expression::Capture { content, .. } => Traits::of_capture(of(content)),
        }
    }

    /// The characters of a fixed string; of several, as few as any may have.
    fn characters_of_literals(&self, range: LiteralRange) -> u32 {
        /// Each byte of a long string is what is left of it once, so no more bytes are counted.
        const MOST_BYTES: usize = 64;
        if range.end - range.first > 1 {
            return 0;
        }
        let left = self.literals_of(range).flat_map(|literal| &literal[range.depth as usize..]);
        left.take(MOST_BYTES).filter(|&&byte| begins_character(byte)).count() as u32
    }

    fn traits_of_alternatives(&self, list: ListId) -> Traits {
        let nullable = self.list(list).iter().any(|&id| self.is_nullable(id));
        Traits { nullable, ..self.join(list) }
    }

    fn traits_of_intersection(&self, list: ListId) -> Traits {
        let nullable = self.list(list).iter().all(|&id| self.is_nullable(id));
        let shortest = self.list(list).iter().map(|&id| self.shortest(id)).max().unwrap_or(0);
        let characters = self.list(list).iter().map(|&id| self.fewest_characters(id)).max().unwrap_or(0);
        let text = self.list(list).iter().any(|&id| self.is_text(id));
        let open_ended = self.list(list).iter().all(|&id| self.is_open_ended(id));
        let (one_character, joined) = (false, self.join(list));
        Traits { nullable, boolean: true, text, one_character, open_ended, shortest, characters, ..joined }
    }

    /// What follows the strings of free text matches something, or is nothing, so no search need look into it. Its
    /// counters begin to count only behind a string.
    fn traits_of_free_text(&self, table: FreeTextId, at: FreeTextPosition) -> Traits {
        let nullable = self.free_text_may_end(table, at);
        let height = self.height_above(self.free_text_table(table).continuations());
        Traits { height, shortest: u32::from(!nullable), ..Traits::leaf(nullable, false) }
    }

    fn traits_of_unordered(&self, unordered: Unordered) -> Traits {
        let nullable = self.has_match_unordered(unordered, |id| self.is_nullable(id));
        let height = self.height_above(&self.unordered_operands(unordered));
        Traits { height, ..Traits::leaf(nullable, false) }
    }

    /// The height of a node with some operands.
    fn height_above(&self, operands: &[ExpressionId]) -> u32 {
        operands.iter().map(|&id| self.traits[id.index()].height).max().unwrap_or(0) + 1
    }

    fn traits_of_json_string(&self, content: ExpressionId, escape: Escape) -> Traits {
        let content = self.traits[content.index()];
        let nullable = match escape {
            Escape::None => content.nullable,
            Escape::High { lone, next: NextEscape::None, .. } => self.is_nullable(lone),
            _ => false,
        };
        let shortest = if escape == Escape::None { content.shortest } else { u32::from(!nullable) };
        let boolean = content.boolean || escape != Escape::None;
        let (lacking, characters, height) = (Lacking::NONE, 0, content.height + 1);
        Traits {
            nullable,
            boolean,
            text: false,
            one_character: false,
            open_ended: false,
            lacking,
            shortest,
            characters,
            height,
            ..content
        }
    }

    /// The traits of alternatives, but for being nullable.
    fn join(&self, list: ListId) -> Traits {
        let mut joined = Traits {
            nullable: false,
            regular: true,
            boolean: false,
            text: true,
            one_character: true,
            open_ended: false,
            lacking: Lacking::ALL,
            height: 0,
            counter: 0,
            maximum: 0,
            shortest: u32::MAX,
            characters: u32::MAX,
        };
        for id in self.list(list) {
            let operand = self.traits[id.index()];
            joined.regular &= operand.regular;
            joined.boolean |= operand.boolean;
            joined.text &= operand.text;
            joined.one_character &= operand.one_character;
            joined.open_ended |= operand.open_ended;
            joined.lacking = joined.lacking.in_both(operand.lacking);
            joined.height = joined.height.max(operand.height);
            joined.counter = joined.counter.max(operand.counter);
            joined.maximum = joined.maximum.max(operand.maximum);
            joined.shortest = joined.shortest.min(operand.shortest);
            joined.characters = joined.characters.min(operand.characters);
        }
        joined.open_ended &= joined.regular;
        Traits { height: joined.height + 1, ..joined }
    }
}
