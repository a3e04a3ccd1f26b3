//! Dates, times and durations, as RFC 3339 writes them.

use std::ops::RangeInclusive;

use super::Languages;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId};

/// What times are made of. Each part stands in many places, so they are put together from bytes, and no pattern is read.
#[derive(Clone, Copy)]
struct Clock {
    any_digit: ExpressionId,
    /// From 0 to 5.
    tens: ExpressionId,
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
            any_digit,
            tens,
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
    /// `+`, it is the time and one minute. So apart from the carry from minute 59, hours and minutes pair up
    /// independently of each other, and the language is the intersection of both pairings.
    fn leap_second(&mut self, clock: &Clock) -> Result<ExpressionId> {
        let Clock { hour, minute, colon, fraction, utc, .. } = *clock;
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
        let minutes =
            self.named("minutes of a leap second", |languages| languages.paired_minutes(seconds, clock))?;
        let minutes = self.sequence(&[hour, colon, minutes]);
        let pairs = self.builder.intersection(&[hours, minutes])?;
        let midnight = self.builder.literal(b"23:59");
        let in_utc = self.sequence(&[midnight, seconds, utc]);
        carries.extend([pairs, in_utc]);
        Ok(self.either(&carries))
    }

    /// The minutes of a time with second 60 and all that comes behind them: with the minutes of the offset, hours left
    /// aside, where no hour is carried.
    ///
    /// Minutes that add up to 59 do so digit by digit, and so do minutes and the one after them, but for the carry from
    /// digit 9. That takes a branch for each pair of digits, and not one for each minute.
    fn paired_minutes(&mut self, seconds: ExpressionId, clock: &Clock) -> Result<ExpressionId> {
        let Clock { hour, colon, .. } = *clock;
        let [minus, plus] = [b"-", b"+"].map(|sign| self.builder.literal(sign));
        let west = self.sequence(&[seconds, minus, hour, colon]);
        let east = self.sequence(&[seconds, plus, hour, colon]);
        let sum = |total: u8| move |digit: u8| (digit, total - digit);
        let mut all = vec![
            self.paired_digits(clock, west, (0..6).map(sum(5)), (0..10).map(sum(9)))?,
            self.paired_digits(
                clock,
                east,
                (0..6).map(|tens| (tens, tens)),
                (0..9).map(|ones| (ones, ones + 1)),
            )?,
        ];
        for tens in b'0'..b'5' {
            let [begin, end] = [[tens, b'9'], [tens + 1, b'0']].map(|minute| self.builder.literal(&minute));
            all.push(self.sequence(&[begin, east, end]));
        }
        Ok(self.either(&all))
    }

    /// Two minutes with something between them, whose tens pair up, and whose ones do.
    fn paired_digits(
        &mut self,
        clock: &Clock,
        between: ExpressionId,
        tens: impl Iterator<Item = (u8, u8)>,
        ones: impl Iterator<Item = (u8, u8)>,
    ) -> Result<ExpressionId> {
        let Clock { tens: any_tens, any_digit: any_ones, .. } = *clock;
        let mut digit = |digit: u8| self.digit(digit..=digit);
        let tens: Vec<_> =
            tens.map(|(one, other)| [digit(one), any_ones, between, digit(other), any_ones]).collect();
        let ones: Vec<_> =
            ones.map(|(one, other)| [any_tens, digit(one), between, any_tens, digit(other)]).collect();
        let [tens, ones] = [tens, ones].map(|pairs| {
            let pairs: Vec<_> = pairs.iter().map(|pair| self.sequence(pair)).collect();
            self.either(&pairs)
        });
        self.builder.intersection(&[tens, ones])
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
