//! Internationalised host names (RFC 5890 to 5893).
//!
//! A label is valid by its code points, by the contexts that some of them ask for, and, in names with letters
//! that run from right to left, by the order of directions. All of it is regular; but two rules would need
//! enormous expressions and are checked in part only:
//!
//! * a label has at most 63 bytes in Punycode. Its number of characters is bounded instead, by that of the
//!   shortest Punycode;
//! * a label is in normal form C. Characters that never occur in that form are refused, but sequences that
//!   would be composed or reordered are not looked for.

use super::Languages;
use super::code_points::LabelSets;
use crate::error::Result;
use crate::expression::ExpressionId;
use crate::frontend::character_set::{CharacterSet, intersected, set_of, union, without};
use crate::grammar::GrammarBuilder;

/// The greatest number of characters of a name.
const LONGEST_NAME: u32 = 253;

const ZERO_WIDTH_NON_JOINER: &str = "\u{200C}";
const ZERO_WIDTH_JOINER: &str = "\u{200D}";
const MIDDLE_DOT: &str = "\u{B7}";
const GREEK_KERAIA: &str = "\u{375}";
const HEBREW_GERESH: &str = "\u{5F3}";
const HEBREW_GERSHAYIM: &str = "\u{5F4}";
const KATAKANA_MIDDLE_DOT: &str = "\u{30FB}";

impl Languages<'_> {
    /// A name with labels beyond ASCII, and the separators that are read as full stops.
    pub(super) fn idn_hostname(&mut self) -> Result<ExpressionId> {
        let separator = self.pattern(r"[.\u3002\uFF0E\uFF61]")?;
        self.international_name(separator)
    }

    /// Labels of ASCII and beyond.
    ///
    /// Where one label has letters from right to left, all have to keep the rules of directions. So a name
    /// has either no such letter, or only labels that keep the rules.
    pub(super) fn international_name(&mut self, separator: ExpressionId) -> Result<ExpressionId> {
        let sets = LabelSets::new()?;
        let from_left = self.label_from_left(&sets)?;
        let directed_from_left = self.directed_from_left(&sets, from_left)?;
        let directed_from_right = self.directed_from_right(&sets)?;
        let ascii = self.hostname_label()?;
        let directed_ascii = self.ascii_label("")?;
        let label = self.either(&[ascii, from_left]);
        let undirected = self.separated(label, separator);
        let label = self.either(&[directed_ascii, directed_from_left, directed_from_right]);
        let directed = self.separated(label, separator);
        let name = self.either(&[undirected, directed]);
        let character = self.builder.any_character();
        let short = self.builder.repetition(character, 0, Some(LONGEST_NAME));
        self.builder.intersection(&[name, short])
    }

    /// A label without letters or digits that run from right to left.
    ///
    /// It is a sequence of units, each a character together with those that need it as context. Hyphens stand
    /// before units, so that none is last. A Katakana middle dot asks for a Japanese character anywhere.
    fn label_from_left(&mut self, sets: &LabelSets) -> Result<ExpressionId> {
        let from_right = [&sets.right_to_left, &sets.arabic_digit];
        let japanese_first = without(sets.japanese.clone(), &[&sets.mark]);
        let characters =
            without(sets.valid.clone(), &[from_right[0], from_right[1], &sets.japanese, &hyphen()]);
        let first = self.unit_from_left(sets, &without(characters.clone(), &[&sets.mark]))?;
        let other = self.unit_from_left(sets, &characters)?;
        let japanese = self.one_of(&sets.japanese);
        let japanese_first = self.one_of(&japanese_first);
        let middle_dot = self.builder.literal(KATAKANA_MIDDLE_DOT.as_bytes());
        let hyphens = self.pattern("-*")?;
        let [other, japanese, middle_dot_later] =
            [other, japanese, middle_dot].map(|unit| self.sequence(&[hyphens, unit]));

        let without_japanese = self.either(&[other, middle_dot_later]);
        let any = self.either(&[other, middle_dot_later, japanese]);
        let [others, without_japanese, any] =
            [other, without_japanese, any].map(|unit| self.builder.repetition(unit, 0, None));
        let dots_then_japanese = self.sequence(&[without_japanese, japanese, any]);
        let asking = self.sequence(&[middle_dot_later, dots_then_japanese]);
        let fulfilled = self.sequence(&[japanese, any]);
        let rest = self.either(&[GrammarBuilder::EMPTY, asking, fulfilled]);
        let from_other = self.sequence(&[first, others, rest]);
        let from_japanese = self.sequence(&[japanese_first, any]);
        let from_dot = self.sequence(&[middle_dot, dots_then_japanese]);
        let label = self.either(&[from_other, from_japanese, from_dot]);
        let frame = self.label_frame()?;
        self.builder.intersection(&[label, frame])
    }

    /// One of the characters, or a Greek keraia, with what it is the context of.
    fn unit_from_left(&mut self, sets: &LabelSets, characters: &CharacterSet) -> Result<ExpressionId> {
        let middle_dots = self.pattern(&format!("(?:{MIDDLE_DOT}l)*"))?;
        let keraias = self.pattern(&format!("{GREEK_KERAIA}*"))?;
        let greek = self.one_of(&sets.greek);
        let then_greek = self.sequence(&[keraias, greek]);
        let joiner = self.joiner_after_virama()?;
        let joined = self.joined(sets, &sets.left_to_right);
        let l = character_of("l");
        let virama = intersected(&sets.virama, characters);
        let joining = intersected(&intersected(&sets.joins_after, &sets.left_to_right), characters);
        let others = without(characters.clone(), &[&l, &virama, &joining]);
        Ok(self.one_followed(&[
            (&l, middle_dots),
            (&character_of(GREEK_KERAIA), then_greek),
            (&virama, joiner),
            (&joining, joined),
            (&others, GrammarBuilder::EMPTY),
        ]))
    }

    /// The labels from left to right that may stand beside labels from right to left.
    fn directed_from_left(&mut self, sets: &LabelSets, label: ExpressionId) -> Result<ExpressionId> {
        let inner = union(&[&sets.left_to_right, &sets.european_digit]);
        let directions = self.directions(sets, &sets.left_to_right, &inner)?;
        self.builder.intersection(&[label, directions])
    }

    /// The labels from right to left. They have digits of one kind only.
    fn directed_from_right(&mut self, sets: &LabelSets) -> Result<ExpressionId> {
        let characters = without(sets.valid.clone(), &[&sets.left_to_right, &hyphen()]);
        let virama = intersected(&sets.virama, &characters);
        let joining = intersected(&sets.joins_after, &sets.right_to_left);
        let hebrew = without(sets.hebrew.clone(), &[&virama, &joining]);
        let others = without(characters, &[&virama, &joining, &hebrew]);
        let marks = self.pattern(&format!("[{HEBREW_GERESH}{HEBREW_GERSHAYIM}]*"))?;
        let joiner = self.joiner_after_virama()?;
        let joined = self.joined(sets, &sets.right_to_left);
        let unit = self.one_followed(&[
            (&hebrew, marks),
            (&virama, joiner),
            (&joining, joined),
            (&others, GrammarBuilder::EMPTY),
        ]);
        let hyphens = self.pattern("-*")?;
        let unit = self.sequence(&[hyphens, unit]);
        let label = self.builder.repetition(unit, 0, None);
        let frame = self.label_frame()?;
        let geresh = character_of(HEBREW_GERESH);
        let letters = union(&[&sets.right_to_left, &geresh, &character_of(HEBREW_GERSHAYIM)]);
        let mut directions = Vec::new();
        for digits in [&sets.european_digit, &sets.arabic_digit] {
            let inner = union(&[&letters, digits]);
            directions.push(self.directions(sets, &letters, &inner)?);
        }
        let directions = self.either(&directions);
        self.builder.intersection(&[label, frame, directions])
    }

    /// The texts that begin with one of `first`, and of which the last character apart from marks is one of
    /// `inner`.
    fn directions(
        &mut self,
        sets: &LabelSets,
        first: &CharacterSet,
        inner: &CharacterSet,
    ) -> Result<ExpressionId> {
        let contextual =
            [ZERO_WIDTH_NON_JOINER, ZERO_WIDTH_JOINER, MIDDLE_DOT, GREEK_KERAIA, KATAKANA_MIDDLE_DOT];
        let contextual: Vec<CharacterSet> = contextual.into_iter().map(character_of).collect();
        let neutral = contextual.iter().fold(sets.neutral.clone(), |set, other| union(&[&set, other]));
        let unsettled = self.one_of(&union(&[&neutral, &sets.undirected]));
        let unsettled = self.builder.repetition(unsettled, 0, None);
        let settling = self.one_of(inner);
        let settling = self.sequence(&[unsettled, settling]);
        let settled = union(&[inner, &sets.undirected]);
        let unit = self.one_followed(&[(&settled, GrammarBuilder::EMPTY), (&neutral, settling)]);
        let units = self.builder.repetition(unit, 0, None);
        let first = self.one_of(first);
        Ok(self.sequence(&[first, units]))
    }

    /// What may follow a virama: nothing, or a joiner or non-joiner.
    fn joiner_after_virama(&mut self) -> Result<ExpressionId> {
        self.pattern(&format!("[{ZERO_WIDTH_NON_JOINER}{ZERO_WIDTH_JOINER}]?"))
    }

    /// What may follow a letter that joins with what comes after it: nothing, or non-joiners and letters of
    /// the same direction that they keep from joining.
    fn joined(&mut self, sets: &LabelSets, direction: &CharacterSet) -> ExpressionId {
        let before = intersected(&sets.joins_before, direction);
        let last = self.one_of(&before);
        let both = self.one_of(&intersected(&before, &sets.joins_after));
        let transparent = self.one_of(&sets.transparent);
        let transparent = self.builder.repetition(transparent, 0, None);
        let non_joiner = self.builder.literal(ZERO_WIDTH_NON_JOINER.as_bytes());
        let gap = self.sequence(&[transparent, non_joiner, transparent]);
        let link = self.sequence(&[gap, both]);
        let links = self.builder.repetition(link, 0, None);
        let chain = self.sequence(&[links, gap, last]);
        self.optional(chain)
    }

    /// The texts of at most 57 characters of which the third and fourth are not both hyphens.
    ///
    /// `xn--`, three digits for the first character beyond ASCII and one for each other would leave no room
    /// for more.
    fn label_frame(&mut self) -> Result<ExpressionId> {
        self.pattern("(?s:.{0,2}|..[^-].{0,54}|..-(?:[^-].{0,53})?)")
    }
}

/// The characters of a text.
fn character_of(text: &str) -> CharacterSet {
    let characters: Vec<_> = text.chars().map(|character| (character, character)).collect();
    set_of(&characters)
}

fn hyphen() -> CharacterSet {
    character_of("-")
}
