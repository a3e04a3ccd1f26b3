//! Dates, times and durations, as RFC 3339 writes them.

use super::Languages;
use crate::error::Result;
use crate::expression::ExpressionId;

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
        let mut minutes = Vec::new();
        for local in 0..60 {
            let begin = self.builder.literal(format!("{local:02}").as_bytes());
            let west = self.offset_by_minute('-', hour, 59 - local);
            let offset = match local {
                59 => west,
                _ => {
                    let east = self.offset_by_minute('+', hour, local + 1);
                    self.either(&[east, west])
                }
            };
            minutes.push(self.sequence(&[begin, seconds, offset]));
        }
        let hours = self.either(&hours);
        let minutes = self.named("minutes of a leap second", |languages| Ok(languages.either(&minutes)))?;
        let colon = self.builder.literal(b":");
        let minutes = self.sequence(&[hour, colon, minutes]);
        let pairs = self.builder.intersection(&[hours, minutes])?;
        let utc = self.pattern(&format!("23:59:60{FRACTION}[Zz]"))?;
        carries.extend([pairs, utc]);
        Ok(self.either(&carries))
    }

    /// The offsets with this sign and minute.
    fn offset_by_minute(&mut self, sign: char, hour: ExpressionId, minute: u32) -> ExpressionId {
        let sign = self.builder.literal(sign.to_string().as_bytes());
        let minute = self.builder.literal(format!(":{minute:02}").as_bytes());
        self.sequence(&[sign, hour, minute])
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
