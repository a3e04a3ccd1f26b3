//! `properties` and its kin, `required`, the bounds of objects, and dependencies in all their forms.

use super::super::schema::ObjectKeywords;
use super::Loader;
use super::json::Kind;
use super::keyword::Keyword;
use super::site::Site;
use crate::error::Result;

impl<'a, 't: 'a> Loader<'a, 't> {
    /// Reads a keyword of this family; false where it is of another.
    pub(super) fn read_object(&mut self, site: &Site<'_, 'a>, object: &mut ObjectKeywords) -> Result<bool> {
        match site.keyword {
            Keyword::Properties => object.properties = self.member_schemas(site)?,
            Keyword::PatternProperties => {
                for (text, member) in site.members()? {
                    let pattern = self.pattern(&text, site.member_location(&text));
                    let (_, schema) = self.member_schema(site, &text, member)?;
                    object.pattern_properties.push((pattern, schema));
                }
            }
            Keyword::AdditionalProperties => object.additional_properties = Some(self.value_schema(site)?),
            Keyword::PropertyNames => object.property_names = Some(self.value_schema(site)?),
            Keyword::Required => object.required = site.names(site.value, || site.location())?,
            Keyword::MinProperties => object.minimum_properties = Some(site.count()?),
            Keyword::MaxProperties => object.maximum_properties = Some(site.count()?),
            Keyword::DependentRequired => {
                for (name, list) in site.members()? {
                    let required = site.names(list, || site.member_location(&name))?;
                    object.dependent_required.push((name.into_owned(), required));
                }
            }
            Keyword::DependentSchemas => object.dependent_schemas.extend(self.member_schemas(site)?),
            Keyword::Dependencies => self.read_dependencies(site, object)?,
            Keyword::UnevaluatedProperties => object.unevaluated_properties = Some(self.value_schema(site)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The old keyword, of which each member is a list of names, one name (draft 3), or a schema.
    fn read_dependencies(&mut self, site: &Site<'_, 'a>, object: &mut ObjectKeywords) -> Result<()> {
        for (name, member) in site.members()? {
            match member.kind() {
                Kind::Array => {
                    let required = site.names(member, || site.member_location(&name))?;
                    object.dependent_required.push((name.into_owned(), required));
                }
                Kind::PlainString | Kind::EscapedString => {
                    let required = member.string().unwrap_or_default().into_owned();
                    object.dependent_required.push((name.into_owned(), vec![required]));
                }
                _ => object.dependent_schemas.push(self.member_schema(site, &name, member)?),
            }
        }
        Ok(())
    }
}
