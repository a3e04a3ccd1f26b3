//! Dates, times and durations, as RFC 3339 writes them.

use std::ops::RangeInclusive;

use super::Languages;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId};

/// What times are made of. Each part stands in many places, so they are put together from bytes, and no pattern is read.
#[derive(Clone, Copy)]
struct Clock {
    /// From 00 to 23.
    hour: ExpressionId,
    /// From 00 to 59.
    minute: ExpressionId,
    colon: ExpressionId,
    /// Those of a second, or nothing.
    fraction: ExpressionId,
    /// The mark of times in UTC.
    utc: ExpressionId,
}

impl Languages<'_> {
    /// `full-date`: the days of the proleptic Gregorian calendar, years 0000 to 9999.
    pub(super) fn date(&mut self) -> Result<ExpressionId> {
        let leap_year = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
        let day_of_any_year = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])\
            |(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)\
            |02-(?:0[1-9]|1[0-9]|2[0-8])";
        self.pattern(&format!("[0-9]{{4}}-(?:{day_of_any_year})|{leap_year}-02-29"))
    }

    /// `full-time`: a time of the day with its offset from UTC.
    pub(super) fn time(&mut self) -> Result<ExpressionId> {
        let clock = self.clock();
        let Clock { hour, minute, colon, fraction, utc, .. } = clock;
        let sign = self.builder.bytes(ByteSet::from_iter(*b"+-"));
        let offset = self.sequence(&[sign, hour, colon, minute]);
        let offset = self.either(&[utc, offset]);
        let ordinary = self.sequence(&[hour, colon, minute, colon, minute, fraction, offset]);
        let leap_second = self.named("leap second", |languages| languages.leap_second(&clock))?;
        Ok(self.either(&[ordinary, leap_second]))
    }

    fn clock(&mut self) -> Clock {
        let [any_digit, tens] = [self.digit(0..=9), self.digit(0..=5)];
        let [first_tens, two, up_to_three] = [self.digit(0..=1), self.digit(2..=2), self.digit(0..=3)];
        let hours = [self.sequence(&[first_tens, any_digit]), self.sequence(&[two, up_to_three])];
        let point = self.builder.literal(b".");
        let digits = self.builder.repetition(any_digit, 1, None);
        let fraction = self.sequence(&[point, digits]);
        Clock {
            hour: self.either(&hours),
            minute: self.sequence(&[tens, any_digit]),
            colon: self.builder.literal(b":"),
            fraction: self.optional(fraction),
            utc: self.builder.bytes(ByteSet::from_iter(*b"Zz")),
        }
    }

    fn digit(&mut self, digits: RangeInclusive<u8>) -> ExpressionId {
        self.builder.bytes(ByteSet::range(b'0' + digits.start(), b'0' + digits.end()))
    }

    /// `date-time`: a date and a time.
    pub(super) fn date_time(&mut self) -> Result<ExpressionId> {
        let date = self.named("date", Self::date)?;
        let separator = self.builder.bytes(ByteSet::from_iter(*b"Tt"));
        let time = self.named("time", Self::time)?;
        Ok(self.sequence(&[date, separator, time]))
    }

    /// The times with second 60, which are those at which it is 23:59 in UTC.
    ///
    /// With an offset after `-`, its hours are 23 less those of the time, its minutes 59 less. With one after
    /// `+`, it is the time and one minute. So apart from the carry from minute 59, hours, tens of minutes and minutes pair
    /// up independently of each other, but for the carry from digit 9, and the language is the intersection of the three
    /// pairings. Only that of the hours says what a time looks like.
    fn leap_second(&mut self, clock: &Clock) -> Result<ExpressionId> {
        let Clock { minute, fraction, utc, .. } = *clock;
        let second = self.builder.literal(b":60");
        let seconds = self.sequence(&[second, fraction]);
        let minute_and_seconds = self.sequence(&[minute, seconds]);
        let mut hours = Vec::new();
        let mut carries = Vec::new();
        for local in 0..24 {
            let [[tens, ones], [east_tens, east_ones]] = [local, (local + 1) % 24].map(two_digits);
            let [west_tens, west_ones] = two_digits(23 - local);
            let begin = self.builder.literal(&[tens, ones, b':']);
            let offset = [[b'+', tens, ones, b':'], [b'-', west_tens, west_ones, b':']];
            let offset = self.builder.literals(offset.map(Vec::from).to_vec());
            hours.push(self.sequence(&[begin, minute_and_seconds, offset, minute]));
            let begin = self.builder.literal(&[tens, ones, b':', b'5', b'9']);
            let offset = self.builder.literal(&[b'+', east_tens, east_ones, b':', b'0', b'0']);
            carries.push(self.sequence(&[begin, seconds, offset]));
        }
        let hours = self.either(&hours);
        let [tens, ones] = self.paired_minutes()?;
        let pairs = self.builder.intersection(&[hours, tens, ones])?;
        let midnight = self.builder.literal(b"23:59");
        let in_utc = self.sequence(&[midnight, seconds, utc]);
        carries.extend([pairs, in_utc]);
        Ok(self.either(&carries))
    }

    /// The times whose minutes have tens that pair up with those of the offset, and those whose minutes have such ones,
    /// where no hour is carried; all else in them is any digits, colons and points.
    ///
    /// Minutes that add up to 59 do so digit by digit. The minute after another has the next of its ones, and its tens, or
    /// the next of them behind 9.
    fn paired_minutes(&mut self) -> Result<[ExpressionId; 2]> {
        let other = self.builder.bytes(ByteSet::range(b'0', b':').union(&ByteSet::single(b'.')));
        let [one, three, four] = [1, 3, 4].map(|count| self.builder.repetition(other, count, Some(count)));
        let between = self.builder.repetition(other, 0, None);
        let [west, east] = [b"-", b"+"].map(|sign| self.builder.literal(sign));
        let tens = self.named("tens of minutes of a leap second", |languages| {
            let mut all = Vec::new();
            for tens in 0..6 {
                let to_west = languages.digit(5 - tens..=5 - tens);
                let to_west = languages.sequence(&[west, three, to_west, one]);
                let mut minutes = Vec::new();
                for (ones, carry) in [(0..=8, 0), (9..=9, 1)] {
                    let mut offsets = vec![to_west];
                    if tens + carry < 6 {
                        let to_east = languages.digit(tens + carry..=tens + carry);
                        offsets.push(languages.sequence(&[east, three, to_east, one]));
                    }
                    let (ones, offsets) = (languages.digit(ones), languages.either(&offsets));
                    minutes.push(languages.sequence(&[ones, between, offsets]));
                }
                let (tens, minutes) = (languages.digit(tens..=tens), languages.either(&minutes));
                all.push(languages.sequence(&[tens, minutes]));
            }
            Ok(languages.either(&all))
        })?;
        let ones = self.named("ones of minutes of a leap second", |languages| {
            let mut all = Vec::new();
            for ones in 0..10 {
                let [to_west, to_east] = [9 - ones, (ones + 1) % 10].map(|to| languages.digit(to..=to));
                let offsets = [[west, four, to_west], [east, four, to_east]];
                let offsets = offsets.map(|offset| languages.sequence(&offset));
                let (ones, offsets) = (languages.digit(ones..=ones), languages.either(&offsets));
                all.push(languages.sequence(&[ones, between, offsets]));
            }
            Ok(languages.either(&all))
        })?;
        Ok([self.sequence(&[three, tens]), self.sequence(&[four, ones])])
    }

    /// `duration` of appendix A: units in their order, none left out between two others.
    pub(super) fn duration(&mut self) -> Result<ExpressionId> {
        let number = "[0-9]+";
        let minutes = format!("M(?:{number}S)?");
        let time = format!("T{number}(?:H(?:{number}{minutes})?|{minutes}|S)");
        let months = format!("M(?:{number}D)?");
        let date = format!("(?:D|{months}|Y(?:{number}{months})?)");
        self.pattern(&format!("P(?:{time}|{number}(?:W|{date}(?:{time})?))"))
    }
}

/// A number below 100 in decimal.
fn two_digits(number: u8) -> [u8; 2] {
    [b'0' + number / 10, b'0' + number % 10]
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::super::format_language;
    use super::*;
    use crate::budget::{Budget, Deadline};
    use crate::expression::Emptiness;
    use crate::frontend::regex::ClassCache;
    use crate::grammar::GrammarBuilder;

    /// The times as they are told by arithmetic: whichever minute it is, there is one offset to either side at which it is 23:59
    /// in UTC.
    fn times_by_arithmetic(builder: &mut GrammarBuilder) -> ExpressionId {
        let budget = Budget::default();
        let mut classes = ClassCache::default();
        let mut languages = Languages { budget: &budget, classes: &mut classes, builder };
        let fraction = languages.pattern(r"(?:\.[0-9]+)?").unwrap();
        let clock = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
        let mut all = vec![
            languages.pattern(&format!(r"{clock}:[0-5][0-9](?:\.[0-9]+)?(?:[Zz]|[+-]{clock})")).unwrap(),
        ];
        let local = |minute: u32| format!("{:02}:{:02}", minute / 60, minute % 60);
        for minute in 0..1440 {
            let mut offsets =
                vec![format!("+{}", local((minute + 1) % 1440)), format!("-{}", local(1439 - minute))];
            if minute == 1439 {
                offsets.extend(["Z".to_owned(), "z".to_owned()]);
            }
            let begin = languages.builder.literal(format!("{}:60", local(minute)).as_bytes());
            let offsets = languages.builder.literals(offsets.into_iter().map(String::into_bytes).collect());
            all.push(languages.sequence(&[begin, fraction, offsets]));
        }
        languages.either(&all)
    }

    #[test]
    fn times_are_those_of_arithmetic() {
        let budget = Budget::default();
        let mut builder = GrammarBuilder::new(&budget);
        let time = format_language("time", &budget, &mut ClassCache::default(), &mut builder);
        let expression = time.unwrap().unwrap();
        let expected = times_by_arithmetic(&mut builder);
        let mut store = builder.into_expressions();
        // Side by side over all texts: both go on to the same end everywhere.
        let mut met = FxHashSet::from_iter([(expression, expected)]);
        let mut waiting = vec![(expression, expected)];
        let mut emptiness = Emptiness::new(ByteSet::ALL, &budget);
        let deadline = Deadline::for_compile(&budget);
        while let Some(pair) = waiting.pop() {
            assert_eq!(store.is_nullable(pair.0), store.is_nullable(pair.1));
            let mut left = ByteSet::ALL;
            while let Some(byte) = left.first() {
                let mut class = left;
                let next = [pair.0, pair.1].map(|id| store.derive_whole(id, byte, &mut class));
                left = left.difference(&class);
                let alive = next.map(|id| emptiness.is_alive(&mut store, id, &deadline).unwrap());
                assert_eq!(alive[0], alive[1], "{}", char::from(byte));
                if alive[0] && met.insert((next[0], next[1])) {
                    waiting.push((next[0], next[1]));
                }
            }
        }
        assert!(met.len() > 10_000, "each minute leaves something else");
    }
}
