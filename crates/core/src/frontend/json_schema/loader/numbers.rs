//! `minimum`, `maximum`, their exclusive forms, and `multipleOf`.

use super::super::decimal::Decimal;
use super::super::schema::NumberKeywords;
use super::draft::Draft;
use super::json::Kind;
use super::keyword::Keyword;
use super::site::Site;
use crate::error::Result;

/// Reads a keyword of this family; false where it is of another.
pub(super) fn read(site: &Site<'_, '_>, number: &mut NumberKeywords) -> Result<bool> {
    match site.keyword {
        Keyword::Minimum if is_exclusive(site, "exclusiveMinimum") => {
            number.exclusive_minimum = Some(site.number()?);
        }
        Keyword::Maximum if is_exclusive(site, "exclusiveMaximum") => {
            number.exclusive_maximum = Some(site.number()?);
        }
        Keyword::Minimum => number.minimum = Some(site.number()?),
        Keyword::Maximum => number.maximum = Some(site.number()?),
        Keyword::ExclusiveMinimum => exclusive(site, "minimum", &mut number.exclusive_minimum)?,
        Keyword::ExclusiveMaximum => exclusive(site, "maximum", &mut number.exclusive_maximum)?,
        Keyword::MultipleOf => {
            let divisor = site.number()?;
            if divisor.is_zero() || divisor.is_negative() {
                return Err(site.fault("`multipleOf` must be greater than zero".to_owned(), ""));
            }
            number.multiple_of = Some(divisor);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether draft 4 makes a bound exclusive.
fn is_exclusive(site: &Site<'_, '_>, keyword: &str) -> bool {
    site.dialect.draft <= Draft::Draft4
        && site.schema.get(keyword).is_some_and(|exclusive| exclusive.kind() == Kind::True)
}

fn exclusive(site: &Site<'_, '_>, inclusive: &str, bound: &mut Option<Decimal>) -> Result<()> {
    let is_boolean = site.value.boolean().is_some();
    match (site.dialect.draft, is_boolean) {
        (Draft::Draft3 | Draft::Draft4, true) => {}
        (Draft::Draft3 | Draft::Draft4, false) => {
            let help = format!("in draft 4 write `{inclusive}` and `{}`: true", site.name);
            return Err(site.unexpected("true or false", &help));
        }
        (_, true) => {
            let help = format!(
                "since draft 6 it is the bound itself, in place of `{inclusive}`; for the old form set `$schema` to \
                 http://json-schema.org/draft-04/schema#"
            );
            return Err(site.unexpected("a number", &help));
        }
        (_, false) => *bound = Some(site.number()?),
    }
    Ok(())
}
