//! How long the strings of formats are.
//!
//! Beside a format, schemas often bound the length in ways that all its strings meet: a date-time is not empty, and no
//! e-mail address has more than 320 characters. So that the lengths of formats are known without a search, and bounds that say
//! nothing can be left out, they are data here; tests compare them with what the languages are.

use std::ops::RangeInclusive;

/// Lengths in characters, in order: there are strings of each of these, and of no other.
#[derive(Clone, Copy, Debug)]
pub(in crate::frontend::json_schema) struct FormatLengths(&'static [RangeInclusive<u64>]);

impl FormatLengths {
    /// Those of a format that comes with the engine; `None` for other names.
    pub(in crate::frontend::json_schema) fn of(name: &str) -> Option<Self> {
        const ANY: u64 = u64::MAX;
        let lengths: &[RangeInclusive<u64>] = match name {
            "date" => &[10..=10],
            "date-time" => &[20..=20, 22..=ANY],
            "duration" => &[3..=ANY],
            "email" | "idn-email" => &[3..=318],
            "hostname" | "idn-hostname" => &[1..=253],
            "ipv4" => &[7..=15],
            "ipv6" => &[2..=45],
            "iri" | "uri" => &[2..=ANY],
            "iri-reference" | "json-pointer" | "regex" | "uri-reference" | "uri-template" => &[0..=ANY],
            "relative-json-pointer" => &[1..=ANY],
            "time" => &[9..=9, 11..=ANY],
            "uuid" => &[36..=36],
            _ => return None,
        };
        Some(Self(lengths))
    }

    /// The bounds of those that say something beside the format: a least length of 0 where all strings are long enough, a
    /// greatest of `u64::MAX` where all are short enough. `None` where no string meets both.
    pub(in crate::frontend::json_schema) fn telling_bounds(
        self,
        minimum: u64,
        maximum: u64,
    ) -> Option<(u64, u64)> {
        let (first, last) = (self.0.first()?, self.0.last()?);
        let meets =
            |lengths: &RangeInclusive<u64>| minimum.max(*lengths.start()) <= maximum.min(*lengths.end());
        self.0.iter().any(meets).then(|| {
            let minimum = if minimum <= *first.start() { 0 } else { minimum };
            (minimum, if maximum >= *last.end() { u64::MAX } else { maximum })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::lengths::most_characters;
    use super::super::tests::Language;
    use super::super::{FORMATS, FormatLengths};
    use crate::budget::{Budget, Deadline};
    use crate::expression::{ByteSet, Emptiness};

    /// Of lengths up to these, a search tells which occur: each beginning, and the greatest of those that have one.
    #[test]
    fn searches_find_strings_of_these_lengths_and_of_no_other() {
        let (budget, any) = (Budget::default(), u64::MAX);
        let deadline = Deadline::for_compile(&budget);
        for (name, _) in FORMATS {
            let Language { mut store, expression } = Language::of(name);
            let lengths = FormatLengths::of(name).unwrap();
            let greatest = lengths.0.last().map(|last| *last.end()).unwrap();
            assert_eq!(
                most_characters(&store, expression),
                Some(greatest).filter(|&most| most < any),
                "{name}"
            );
            for length in (0..50).chain([63, 64, 65, 100]).chain([greatest, greatest.saturating_add(1)]) {
                let Some(count) = u32::try_from(length).ok() else { continue };
                let character = store.any_character();
                let within = store.repetition(character, count, Some(count));
                let both = store.intersection(&[expression, within]);
                let mut emptiness = Emptiness::new(ByteSet::ALL, &budget);
                let found = emptiness.is_alive_content(&mut store, both, &deadline).unwrap();
                assert_eq!(found, lengths.telling_bounds(length, length).is_some(), "{name} {length}");
            }
        }
    }

    #[test]
    fn bounds_that_all_strings_meet_say_nothing() {
        let any = u64::MAX;
        for (name, bounds, telling) in [
            ("date-time", (1, 20), Some((0, 20))),
            ("date-time", (0, any), Some((0, any))),
            ("date-time", (20, 40), Some((0, 40))),
            ("date-time", (21, 21), None),
            ("date-time", (21, any), Some((21, any))),
            ("date", (10, 10), Some((0, any))),
            ("date", (0, 9), None),
            ("email", (1, 320), Some((0, any))),
            ("email", (5, 254), Some((5, 254))),
            ("email", (5, 4), None),
            ("json-pointer", (0, 0), Some((0, 0))),
        ] {
            let lengths = FormatLengths::of(name).unwrap();
            assert_eq!(lengths.telling_bounds(bounds.0, bounds.1), telling, "{name} {bounds:?}");
        }
        assert!(FormatLengths::of("color").is_none());
    }
}
