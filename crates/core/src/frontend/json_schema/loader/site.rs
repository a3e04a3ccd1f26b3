//! A keyword where it stands, and the ways to read its value.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::super::decimal::Decimal;
use super::draft::Dialect;
use super::json::{Json, Kind, Members};
use super::keyword::Keyword;
use super::repeated_name;
use super::uri::escaped;
use crate::error::{Error, Result};
use crate::excerpt::quote;

/// A keyword of a schema.
pub(super) struct Site<'s, 'a> {
    /// Where the schema stands.
    pub(super) location: &'s str,
    /// The schema.
    pub(super) schema: Json<'a>,
    pub(super) document: usize,
    pub(super) resource: usize,
    pub(super) dialect: Dialect,
    pub(super) keyword: Keyword,
    /// The keyword's name.
    pub(super) name: &'s str,
    pub(super) value: Json<'a>,
}

/// A place some names below another.
fn below(location: &str, names: &[&str]) -> String {
    let length: usize = names.iter().map(|name| name.len() + 1).sum();
    let mut place = String::with_capacity(location.len() + length);
    place.push_str(location);
    for name in names {
        place.push('/');
        place.push_str(&escaped(name));
    }
    place
}

/// So many names are compared with each other; the others are put into a set.
const FEW: usize = 8;

/// The first name of an object that comes twice.
fn first_repeated(object: Json<'_>) -> Option<Cow<'_, str>> {
    let mut first: SmallVec<[Cow<'_, str>; FEW]> = SmallVec::new();
    let mut others = FxHashSet::default();
    object.members().map(|(name, _)| name).find(|name| {
        if first.contains(name) {
            return true;
        }
        if first.len() < FEW {
            first.push(name.clone());
            return false;
        }
        !others.insert(name.clone())
    })
}

impl<'a> Site<'_, 'a> {
    /// The greatest length or number of things: where it must not be, one more is asked for, and what stands for no limit
    /// is greater than all of them.
    pub(super) const GREATEST_COUNT: u64 = u64::MAX - 1;

    /// Where the keyword stands.
    pub(super) fn location(&self) -> String {
        below(self.location, &[self.name])
    }

    /// Where a member of its value stands.
    pub(super) fn member_location(&self, name: &str) -> String {
        below(self.location, &[self.name, name])
    }

    /// What is wrong with the keyword.
    pub(super) fn fault(&self, problem: String, help: &str) -> Error {
        Error::Schema { location: self.location(), problem, help: help.to_owned() }
    }

    /// The value is not what it must be.
    pub(super) fn unexpected(&self, expected: &str, help: &str) -> Error {
        let problem = format!("`{}` must be {expected}, found {}", self.name, self.value.description());
        self.fault(problem, help)
    }

    pub(super) fn string(&self) -> Result<Cow<'a, str>> {
        self.value.string().ok_or_else(|| self.unexpected("a string", ""))
    }

    pub(super) fn boolean(&self) -> Result<bool> {
        self.value.boolean().ok_or_else(|| self.unexpected("true or false", ""))
    }

    pub(super) fn number(&self) -> Result<Decimal> {
        let text = self.value.number().ok_or_else(|| {
            let quoted = self.value.string().and_then(|text| Decimal::parse(&text));
            self.unexpected("a number", if quoted.is_some() { "write it without quotes" } else { "" })
        })?;
        Decimal::parse(text).ok_or_else(|| {
            let problem = format!("`{}` is too great a number, or too close to zero", self.name);
            self.fault(problem, "the power of ten may be up to 1000000000, above or below zero")
        })
    }

    /// A length or number of things, at most [`GREATEST_COUNT`](Self::GREATEST_COUNT).
    pub(super) fn count(&self) -> Result<u64> {
        let count = match self.value.number().and_then(|text| text.parse().ok()) {
            Some(count) => Some(count),
            None => self.written_otherwise()?,
        };
        count.filter(|&count| count <= Self::GREATEST_COUNT).ok_or_else(|| {
            let problem = format!("`{}` is greater than {}", self.name, Self::GREATEST_COUNT);
            self.fault(
                problem,
                "counts beyond are not told apart, and no text has as many: leave it out or lower it",
            )
        })
    }

    /// A count that is not written as plain digits, such as `2.0` or `1e3`; `None` for one beyond `u64`.
    fn written_otherwise(&self) -> Result<Option<u64>> {
        const EXPECTED: &str = "an integer that is not negative";
        if self.value.kind() != Kind::Number {
            let quoted = self.value.string().is_some_and(|text| text.parse::<u64>().is_ok());
            return Err(self.unexpected(EXPECTED, if quoted { "write it without quotes" } else { "" }));
        }
        let number = self.number()?;
        if number.is_negative() || !number.is_integer() {
            let found = quote(self.value.number().unwrap_or_default());
            return Err(self.fault(format!("`{}` must be {EXPECTED}, found {found}", self.name), ""));
        }
        let digits = number
            .digits()
            .iter()
            .try_fold(0_u64, |sum, digit| sum.checked_mul(10)?.checked_add((*digit).into()));
        let power = u32::try_from(number.exponent()).ok().and_then(|exponent| 10_u64.checked_pow(exponent));
        Ok(digits.zip(power).and_then(|(digits, power)| digits.checked_mul(power)))
    }

    /// The strings of an array, each once.
    pub(super) fn names(&self, list: Json<'a>, location: impl Fn() -> String) -> Result<Vec<String>> {
        let fault = |location: String, found: &str, help: &str| Error::Schema {
            location,
            problem: format!("`{}` must list names, found {found}", self.name),
            help: help.to_owned(),
        };
        if list.kind() != Kind::Array {
            let help = match list.kind() {
                Kind::True | Kind::False if self.keyword == Keyword::Required => {
                    "since draft 4 `required` stands beside `properties` and lists the names: \"required\": [\"a\", \"b\"]"
                }
                Kind::PlainString | Kind::EscapedString => "put the name into an array",
                _ => "",
            };
            return Err(fault(location(), list.description(), help));
        }
        let mut names: Vec<String> = Vec::new();
        let mut others = FxHashSet::default();
        for (index, item) in list.items().enumerate() {
            let Some(name) = item.string() else {
                return Err(fault(format!("{}/{index}", location()), item.description(), ""));
            };
            let is_known = names.iter().take(FEW).any(|known| *known == name);
            if !is_known && (names.len() < FEW || others.insert(name.clone())) {
                names.push(name.into_owned());
            }
        }
        Ok(names)
    }

    /// The members of the value.
    pub(super) fn members(&self) -> Result<Members<'a>> {
        if self.value.kind() != Kind::Object {
            return Err(self.unexpected("an object", ""));
        }
        match first_repeated(self.value) {
            Some(name) => Err(repeated_name(self.location(), &name)),
            None => Ok(self.value.members()),
        }
    }
}
