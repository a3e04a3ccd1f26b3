//! `minLength`, `maxLength`, `pattern` and `format`.

use super::super::schema::StringKeywords;
use super::Loader;
use super::keyword::Keyword;
use super::site::Site;
use crate::error::Result;

impl<'a, 't: 'a> Loader<'a, 't> {
    /// Reads a keyword of this family; false where it is of another.
    pub(super) fn read_string(&mut self, site: &Site<'_, 'a>, string: &mut StringKeywords) -> Result<bool> {
        match site.keyword {
            Keyword::MinLength => string.minimum_length = Some(site.count()?),
            Keyword::MaxLength => string.maximum_length = Some(site.count()?),
            Keyword::Pattern => string.pattern = Some(self.pattern(&site.string()?, site.location())),
            Keyword::Format => string.format = Some(site.string()?.into_owned()),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
