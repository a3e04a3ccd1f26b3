//! The code points that labels of internationalised host names can hold (RFC 5892), and what is asked about
//! them.
//!
//! Unicode properties that the regular expression tables have are used as they are. The others (stability
//! under NFKC, joining types, directions) are tables here, for Unicode 16. Ranges of a table run on over code
//! points that it does not concern, because the sets are intersected with the valid ones.

use regex_syntax::hir::ClassUnicodeRange;

use crate::error::{Error, Result};
use crate::frontend::character_set::{self, CharacterSet, intersected, union, without};

/// Code points by the first and the last of a range.
type Table = &'static [(u32, u32)];

/// Letters, marks and digits, apart from those that case folding changes.
const STABLE_UNDER_FOLDING: &str = concat!(
    r"[[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}]",
    r"--[\p{Changes_When_Casefolded}\p{Default_Ignorable_Code_Point}]]"
);

/// Those of them that normalisation changes, Hangul that is not composed, musical symbols, and exceptions.
#[rustfmt::skip]
const DISALLOWED: Table = &[
    (0xAA, 0xAA), (0xBA, 0xBA), (0x133, 0x133), (0x140, 0x140), (0x1C6, 0x1CC), (0x1F3, 0x1F3),
    (0x2B0, 0x2B8), (0x2E0, 0x2E4), (0x340, 0x341), (0x343, 0x344), (0x374, 0x374), (0x37A, 0x37A),
    (0x3F2, 0x3F2), (0x640, 0x640), (0x675, 0x678), (0x7FA, 0x7FA), (0x958, 0x95F), (0x9DC, 0x9DF),
    (0xA33, 0xA33), (0xA36, 0xA36), (0xA59, 0xA5B), (0xA5E, 0xA5E), (0xB5C, 0xB5D), (0xE33, 0xE33),
    (0xEB3, 0xEB3), (0xEDC, 0xEDD), (0xF43, 0xF43), (0xF4D, 0xF4D), (0xF52, 0xF52), (0xF57, 0xF57),
    (0xF5C, 0xF5C), (0xF69, 0xF69), (0xF73, 0xF73), (0xF75, 0xF79), (0xF81, 0xF81), (0xF93, 0xF93),
    (0xF9D, 0xF9D), (0xFA2, 0xFA2), (0xFA7, 0xFA7), (0xFAC, 0xFAC), (0xFB9, 0xFB9), (0x10FC, 0x10FC),
    (0x1100, 0x11FF), (0x1D2C, 0x1D2E), (0x1D30, 0x1D3A), (0x1D3C, 0x1D4D), (0x1D4F, 0x1D6A),
    (0x1D78, 0x1D78), (0x1D9B, 0x1DBF), (0x1F71, 0x1F71), (0x1F73, 0x1F73), (0x1F75, 0x1F75),
    (0x1F77, 0x1F77), (0x1F79, 0x1F79), (0x1F7B, 0x1F7B), (0x1F7D, 0x1F7D), (0x1FBE, 0x1FBE),
    (0x1FD3, 0x1FD3), (0x1FE3, 0x1FE3), (0x2071, 0x2149), (0x2C7C, 0x2C7D), (0x2D6F, 0x2D6F),
    (0x302E, 0x303B), (0x309F, 0x309F), (0x30FF, 0x30FF), (0x3131, 0x318E), (0xA69C, 0xA69D),
    (0xA770, 0xA770), (0xA7F2, 0xA7F4), (0xA7F8, 0xA7F9), (0xA960, 0xA97C), (0xAB5C, 0xAB5F),
    (0xAB69, 0xAB69), (0xD7B0, 0xD7FB), (0xF900, 0xFA0D), (0xFA10, 0xFA10), (0xFA12, 0xFA12),
    (0xFA15, 0xFA1E), (0xFA20, 0xFA20), (0xFA22, 0xFA22), (0xFA25, 0xFA26), (0xFA2A, 0xFB1D),
    (0xFB1F, 0xFDFB), (0xFE70, 0xFE72), (0xFE74, 0xFFDC), (0x10781, 0x107BA), (0x1CCF0, 0x1CCF9),
    (0x1D165, 0x1D7FF), (0x1E030, 0x1E06D), (0x1EE00, 0x1FBF9), (0x2F800, 0x2FA1D),
];

/// What is valid by exception, the capital letters of Cherokee, which folding leaves, and the hyphen.
const EXCEPTIONS: Table = &[
    (0x2D, 0x2D),
    (0xDF, 0xDF),
    (0x3C2, 0x3C2),
    (0x6FD, 0x6FE),
    (0xF0B, 0xF0B),
    (0x13A0, 0x13F5),
    (0x3007, 0x3007),
];

/// The blocks of scripts that run from right to left.
const RIGHT_TO_LEFT: Table =
    &[(0x590, 0x8FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFF), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF)];

/// Marks that do not take the direction of what they follow.
const DIRECTED_MARKS: Table = &[(0xCBF, 0xCBF), (0xCC6, 0xCC6), (0x11A07, 0x11A08), (0x11C3F, 0x11C3F)];

/// The one other code point that takes the direction of what it follows.
const UNDIRECTED_LETTER: Table = &[(0x1171E, 0x1171E)];

/// Valid code points without a direction: the hyphen, modifier letters and signs.
const NEUTRAL: Table = &[
    (0x2D, 0x2D),
    (0x2B9, 0x2BA),
    (0x2C6, 0x2CF),
    (0x2EC, 0x2EC),
    (0x2E2F, 0x2E2F),
    (0xA67F, 0xA67F),
    (0xA717, 0xA71F),
    (0xA788, 0xA788),
];

/// Digits that run from left to right in every script.
const EUROPEAN_DIGITS: Table = &[(0x30, 0x39), (0x6F0, 0x6F9)];

/// Digits of scripts that run from right to left.
const ARABIC_DIGITS: Table = &[(0x660, 0x669), (0x10D30, 0x10D39)];

/// Letters that join with both neighbours (joining type D).
#[rustfmt::skip]
const DUAL_JOINING: Table = &[
    (0x620, 0x620), (0x626, 0x626), (0x628, 0x628), (0x62A, 0x62E), (0x633, 0x647), (0x649, 0x64A),
    (0x66E, 0x66F), (0x679, 0x687), (0x69A, 0x6BF), (0x6C1, 0x6C2), (0x6CC, 0x6CC), (0x6CE, 0x6CE),
    (0x6D0, 0x6D1), (0x6FA, 0x6FC), (0x6FF, 0x6FF), (0x712, 0x714), (0x71A, 0x71D), (0x71F, 0x727),
    (0x729, 0x729), (0x72B, 0x72B), (0x72D, 0x72E), (0x74E, 0x758), (0x75C, 0x76A), (0x76D, 0x770),
    (0x772, 0x772), (0x775, 0x777), (0x77A, 0x77F), (0x7CA, 0x7EA), (0x841, 0x845), (0x848, 0x848),
    (0x84A, 0x853), (0x855, 0x855), (0x860, 0x860), (0x862, 0x865), (0x868, 0x868), (0x886, 0x886),
    (0x889, 0x88D), (0x8A0, 0x8A9), (0x8AF, 0x8B0), (0x8B3, 0x8B8), (0x8BA, 0x8C8), (0x1820, 0x1878),
    (0x1887, 0x18A8), (0x18AA, 0x18AA), (0xA840, 0xA871), (0x10AC0, 0x10AC4), (0x10AD3, 0x10AD6),
    (0x10AD8, 0x10ADC), (0x10ADE, 0x10AE0), (0x10B80, 0x10B80), (0x10B82, 0x10B82), (0x10B86, 0x10B88),
    (0x10B8A, 0x10B8B), (0x10B8D, 0x10B8D), (0x10B90, 0x10B90), (0x10D01, 0x10D21), (0x10D23, 0x10D23),
    (0x10EC3, 0x10EC4), (0x10F30, 0x10F32), (0x10F34, 0x10F44), (0x10F70, 0x10F73), (0x10F76, 0x10F81),
    (0x10FB0, 0x10FB0), (0x10FB2, 0x10FB3), (0x10FB8, 0x10FB8), (0x10FBB, 0x10FBC), (0x10FBE, 0x10FBF),
    (0x10FC1, 0x10FC1), (0x10FC4, 0x10FC4), (0x1E922, 0x1E943),
];

/// Letters that join with what comes before them (joining type R, named for scripts from right to left).
#[rustfmt::skip]
const JOINING_BEFORE: Table = &[
    (0x622, 0x625), (0x627, 0x627), (0x629, 0x629), (0x62F, 0x632), (0x648, 0x648), (0x671, 0x673),
    (0x688, 0x699), (0x6C0, 0x6C0), (0x6C3, 0x6CB), (0x6CD, 0x6CD), (0x6CF, 0x6CF), (0x6D2, 0x6D5),
    (0x6EE, 0x6EF), (0x710, 0x710), (0x715, 0x719), (0x71E, 0x71E), (0x728, 0x728), (0x72A, 0x72A),
    (0x72C, 0x72C), (0x72F, 0x72F), (0x74D, 0x74D), (0x759, 0x75B), (0x76B, 0x76C), (0x771, 0x771),
    (0x773, 0x774), (0x778, 0x779), (0x840, 0x840), (0x846, 0x847), (0x849, 0x849), (0x854, 0x854),
    (0x856, 0x858), (0x867, 0x867), (0x869, 0x882), (0x88E, 0x88E), (0x8AA, 0x8AC), (0x8AE, 0x8AE),
    (0x8B1, 0x8B2), (0x8B9, 0x8B9), (0x10AC5, 0x10AC5), (0x10AC7, 0x10ACA), (0x10ACE, 0x10AD2),
    (0x10ADD, 0x10ADD), (0x10AE1, 0x10AE1), (0x10AE4, 0x10AE4), (0x10B81, 0x10B81), (0x10B83, 0x10B85),
    (0x10B89, 0x10B89), (0x10B8C, 0x10B8C), (0x10B8E, 0x10B8F), (0x10B91, 0x10B91), (0x10D22, 0x10D22),
    (0x10EC2, 0x10EC2), (0x10F33, 0x10F33), (0x10F74, 0x10F75), (0x10FB4, 0x10FB6), (0x10FB9, 0x10FBA),
    (0x10FBD, 0x10FBD), (0x10FC2, 0x10FC3),
];

/// Letters that join with what comes after them (joining type L).
const JOINING_AFTER: Table = &[(0xA872, 0xA872), (0x10ACD, 0x10ACD), (0x10AD7, 0x10AD7), (0x10D00, 0x10D00)];

/// The sets that the rules of labels speak of. All but `virama` hold valid code points only, and none holds a
/// code point that is valid in some contexts only, apart from digits.
pub(super) struct LabelSets {
    /// All that are valid.
    pub(super) valid: CharacterSet,
    /// Marks of any kind, which do not begin a label.
    pub(super) mark: CharacterSet,
    /// Marks that suppress a vowel.
    pub(super) virama: CharacterSet,
    /// Letters that join with what comes before them, or with both sides.
    pub(super) joins_before: CharacterSet,
    /// Letters that join with what comes after them, or with both sides.
    pub(super) joins_after: CharacterSet,
    /// What joining passes over.
    pub(super) transparent: CharacterSet,
    /// Characters of Greek.
    pub(super) greek: CharacterSet,
    /// Characters of Hebrew.
    pub(super) hebrew: CharacterSet,
    /// Characters of Hiragana, Katakana and Han.
    pub(super) japanese: CharacterSet,
    /// Letters that run from left to right.
    pub(super) left_to_right: CharacterSet,
    /// Letters that run from right to left.
    pub(super) right_to_left: CharacterSet,
    /// Marks that take the direction of what they follow.
    pub(super) undirected: CharacterSet,
    /// Those without a direction.
    pub(super) neutral: CharacterSet,
    /// Digits that run from left to right.
    pub(super) european_digit: CharacterSet,
    /// Digits of scripts that run from right to left.
    pub(super) arabic_digit: CharacterSet,
}

impl LabelSets {
    /// Computes the sets.
    pub(super) fn new() -> Result<Self> {
        let european_digit = of(EUROPEAN_DIGITS);
        let arabic_digit = of(ARABIC_DIGITS);
        let valid = without(property(STABLE_UNDER_FOLDING)?, &[&of(DISALLOWED)]);
        let valid = union(&[&valid, &of(EXCEPTIONS), &european_digit, &arabic_digit]);
        let among_valid = |set: CharacterSet| intersected(&set, &valid);
        let transparent = among_valid(property(r"[\p{Mn}\p{Me}]")?);
        let undirected = without(union(&[&transparent, &of(UNDIRECTED_LETTER)]), &[&of(DIRECTED_MARKS)]);
        let neutral = of(NEUTRAL);
        let directed = without(valid.clone(), &[&undirected, &neutral, &european_digit, &arabic_digit]);
        let dual = of(DUAL_JOINING);
        Ok(Self {
            mark: among_valid(property(r"\p{M}")?),
            virama: among_valid(property(r"\p{Grapheme_Link}")?),
            joins_before: among_valid(union(&[&dual, &of(JOINING_BEFORE)])),
            joins_after: among_valid(union(&[&dual, &of(JOINING_AFTER)])),
            greek: among_valid(property(r"\p{Greek}")?),
            hebrew: among_valid(property(r"\p{Hebrew}")?),
            japanese: among_valid(property(r"[\p{Hiragana}\p{Katakana}\p{Han}]")?),
            right_to_left: intersected(&directed, &of(RIGHT_TO_LEFT)),
            left_to_right: without(directed, &[&of(RIGHT_TO_LEFT)]),
            transparent,
            undirected,
            neutral,
            european_digit,
            arabic_digit,
            valid,
        })
    }
}

fn of(table: Table) -> CharacterSet {
    let ranges = table.iter().filter_map(|&(first, last)| {
        Some(ClassUnicodeRange::new(char::from_u32(first)?, char::from_u32(last)?))
    });
    CharacterSet::new(ranges)
}

/// The set that a class of the regular expression tables stands for.
fn property(class: &str) -> Result<CharacterSet> {
    let missing = || Error::Grammar(format!("the tables of Unicode have no class `{class}`"));
    character_set::property(class).ok_or_else(missing)
}
