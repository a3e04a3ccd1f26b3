//! `items` in both its forms, `prefixItems`, `contains`, the bounds of arrays, and `unevaluatedItems`.

use super::super::schema::ArrayKeywords;
use super::Loader;
use super::applicators::check_idle_schema;
use super::draft::Draft;
use super::json::Kind;
use super::keyword::Keyword;
use super::site::Site;
use crate::error::Result;

impl<'a, 't: 'a> Loader<'a, 't> {
    /// Reads a keyword of this family; false where it is of another.
    pub(super) fn read_array(&mut self, site: &Site<'_, 'a>, array: &mut ArrayKeywords) -> Result<bool> {
        match site.keyword {
            Keyword::Items if site.value.kind() == Kind::Array => {
                if site.dialect.draft == Draft::Draft2020 {
                    let help = "a list of schemas is called `prefixItems` since draft 2020-12; for the old form set \
                                `$schema` to http://json-schema.org/draft-07/schema#";
                    return Err(site.unexpected("a schema", help));
                }
                array.prefix_items = self.item_schemas(site)?;
            }
            Keyword::Items => array.items = Some(self.value_schema(site)?),
            Keyword::PrefixItems => array.prefix_items = self.item_schemas(site)?,
            Keyword::AdditionalItems => {
                let has_prefix = site.schema.get("items").is_some_and(|items| items.kind() == Kind::Array);
                if has_prefix {
                    array.items = Some(self.value_schema(site)?);
                } else {
                    check_idle_schema(site)?;
                }
            }
            Keyword::Contains => {
                array.contains = Some(self.value_schema(site)?);
                array.contains_evaluates = site.dialect.draft == Draft::Draft2020;
            }
            Keyword::MinContains => array.minimum_contains = Some(site.count()?),
            Keyword::MaxContains => array.maximum_contains = Some(site.count()?),
            Keyword::MinItems => array.minimum_items = Some(site.count()?),
            Keyword::MaxItems => array.maximum_items = Some(site.count()?),
            Keyword::UniqueItems => array.unique_items = site.boolean()?,
            Keyword::UnevaluatedItems => array.unevaluated_items = Some(self.value_schema(site)?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
