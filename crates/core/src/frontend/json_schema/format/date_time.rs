//! Dates, times and durations, as RFC 3339 writes them.

use super::Languages;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId};

const HOUR: &str = "(?:[01][0-9]|2[0-3])";
const MINUTE: &str = "[0-5][0-9]";
const FRACTION: &str = r"(?:\.[0-9]+)?";

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
        let ordinary =
            self.pattern(&format!("{HOUR}:{MINUTE}:{MINUTE}{FRACTION}(?:[Zz]|[+-]{HOUR}:{MINUTE})"))?;
        let leap_second = self.named("leap second", Self::leap_second)?;
        Ok(self.either(&[ordinary, leap_second]))
    }

    /// `date-time`: a date and a time.
    pub(super) fn date_time(&mut self) -> Result<ExpressionId> {
        let date = self.named("date", Self::date)?;
        let separator = self.pattern("[Tt]")?;
        let time = self.named("time", Self::time)?;
        Ok(self.sequence(&[date, separator, time]))
    }

    /// The times with second 60, which are those at which it is 23:59 in UTC.
    ///
    /// With an offset after `-`, its hours are 23 less those of the time, its minutes 59 less. With one after
    /// `+`, it is the time and one minute. So apart from the carry from minute 59, hours and minutes pair up
    /// independently of each other, and the language is the intersection of both pairings.
    fn leap_second(&mut self) -> Result<ExpressionId> {
        let [hour, minute, fraction] = [self.pattern(HOUR)?, self.pattern(MINUTE)?, self.pattern(FRACTION)?];
        let second = self.builder.literal(b":60");
        let seconds = self.sequence(&[second, fraction]);
        let minute_and_seconds = self.sequence(&[minute, seconds]);
        let mut hours = Vec::new();
        let mut carries = Vec::new();
        for local in 0..24 {
            let begin = self.builder.literal(format!("{local:02}:").as_bytes());
            let offset = [format!("+{local:02}:"), format!("-{:02}:", 23 - local)];
            let offset = self.builder.literals(offset.map(String::into_bytes).to_vec());
            hours.push(self.sequence(&[begin, minute_and_seconds, offset, minute]));
            let begin = self.builder.literal(format!("{local:02}:59").as_bytes());
            let offset = self.builder.literal(format!("+{:02}:00", (local + 1) % 24).as_bytes());
            carries.push(self.sequence(&[begin, seconds, offset]));
        }
        let hours = self.either(&hours);
        let minutes =
            self.named("minutes of a leap second", |languages| languages.paired_minutes(seconds, hour))?;
        let colon = self.builder.literal(b":");
        let minutes = self.sequence(&[hour, colon, minutes]);
        let pairs = self.builder.intersection(&[hours, minutes])?;
        let utc = self.pattern(&format!("23:59:60{FRACTION}[Zz]"))?;
        carries.extend([pairs, utc]);
        Ok(self.either(&carries))
    }

    /// The minutes of a time with second 60 and all that comes behind them: with the minutes of the offset, hours left
    /// aside, where no hour is carried.
    ///
    /// Minutes that add up to 59 do so digit by digit, and so do minutes and the one after them, but for the carry from
    /// digit 9. That takes a branch for each pair of digits, and not one for each minute.
    fn paired_minutes(&mut self, seconds: ExpressionId, hour: ExpressionId) -> Result<ExpressionId> {
        let [minus, plus, colon] = [b"-", b"+", b":"].map(|sign| self.builder.literal(sign));
        let west = self.sequence(&[seconds, minus, hour, colon]);
        let east = self.sequence(&[seconds, plus, hour, colon]);
        let sum = |total: u8| move |digit: u8| (digit, total - digit);
        let mut all = vec![
            self.paired_digits(west, (0..6).map(sum(5)), (0..10).map(sum(9)))?,
            self.paired_digits(east, (0..6).map(|tens| (tens, tens)), (0..9).map(|ones| (ones, ones + 1)))?,
        ];
        for tens in 0..5 {
            let begin = self.builder.literal(format!("{tens}9").as_bytes());
            let end = self.builder.literal(format!("{}0", tens + 1).as_bytes());
            all.push(self.sequence(&[begin, east, end]));
        }
        Ok(self.either(&all))
    }

    /// Two minutes with something between them, whose tens pair up, and whose ones do.
    fn paired_digits(
        &mut self,
        between: ExpressionId,
        tens: impl Iterator<Item = (u8, u8)>,
        ones: impl Iterator<Item = (u8, u8)>,
    ) -> Result<ExpressionId> {
        let [any_tens, any_ones] = [self.pattern("[0-5]")?, self.pattern("[0-9]")?];
        let mut digit = |digit: u8| self.builder.bytes(ByteSet::single(b'0' + digit));
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
