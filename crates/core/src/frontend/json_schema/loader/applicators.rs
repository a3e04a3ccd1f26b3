//! References, what they may refer to, and the keywords that apply schemas to the value itself.

use super::super::schema::{Applicators, DynamicReference, SchemaId};
use super::draft::Draft;
use super::json::{Json, Kind};
use super::keyword::Keyword;
use super::library::{Target, Unresolved};
use super::site::Site;
use super::{Loader, no_schema};
use crate::error::Result;

impl<'a, 't: 'a> Loader<'a, 't> {
    /// Reads a keyword of this family; false where it is of another.
    pub(super) fn read_applicator(
        &mut self,
        site: &Site<'_, 'a>,
        applicators: &mut Applicators,
    ) -> Result<bool> {
        match site.keyword {
            Keyword::Reference => {
                let target = self.target(site)?;
                applicators.reference = Some(self.reach_target(site, &target)?);
            }
            Keyword::DynamicReference | Keyword::RecursiveReference => {
                applicators.dynamic_reference = Some(self.read_dynamic_reference(site)?);
            }
            Keyword::OldDefinitions => check_definitions(site)?,
            // Before, it was any member of a schema, in which schemas may stand.
            Keyword::Definitions if site.dialect.draft >= Draft::Draft2019 => check_definitions(site)?,
            Keyword::AllOf => applicators.all_of = self.item_schemas(site)?,
            Keyword::AnyOf => applicators.any_of = Some(self.alternatives(site)?),
            Keyword::OneOf => applicators.one_of = Some(self.alternatives(site)?),
            Keyword::Not => applicators.negation = Some(self.value_schema(site)?),
            Keyword::If => applicators.condition = Some(self.value_schema(site)?),
            Keyword::Then if site.schema.get("if").is_some() => {
                applicators.consequence = Some(self.value_schema(site)?);
            }
            Keyword::Else if site.schema.get("if").is_some() => {
                applicators.alternative = Some(self.value_schema(site)?);
            }
            Keyword::Then | Keyword::Else => check_idle_schema(site)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn alternatives(&mut self, site: &Site<'_, 'a>) -> Result<Vec<SchemaId>> {
        if site.value.kind() == Kind::Array && site.value.items().next().is_none() {
            let problem = format!("`{}` has no schemas", site.name);
            return Err(site.fault(problem, "leave it out, or write the schema `false` to allow nothing"));
        }
        self.item_schemas(site)
    }

    fn target(&mut self, site: &Site<'_, 'a>) -> Result<Target> {
        let reference = site.string()?;
        self.library.resolve(site.resource, &reference).map_err(|unresolved| match unresolved {
            Unresolved::Absent { problem, help } => site.fault(problem, &help),
            Unresolved::Faulty(error) => error,
        })
    }

    fn reach_target(&mut self, site: &Site<'_, 'a>, target: &Target) -> Result<SchemaId> {
        if let Some(&id) = self.ids.get(&target.place) {
            return Ok(id);
        }
        let location = self.library.location(target.place)?;
        self.reach(target.place, site.resource, location)
    }

    /// A dynamic reference is one only where its target is a dynamic anchor; otherwise it is like `$ref`.
    fn read_dynamic_reference(&mut self, site: &Site<'_, 'a>) -> Result<DynamicReference> {
        if site.keyword == Keyword::RecursiveReference && site.string()? != "#" {
            return Err(site.fault("`$recursiveRef` must be `#`".to_owned(), "use `$ref` for other targets"));
        }
        let found = self.target(site)?;
        let target = self.reach_target(site, &found)?;
        let is_recursive = site.keyword == Keyword::RecursiveReference;
        let anchor = found.dynamic_anchor.filter(|name| name.is_empty() == is_recursive);
        self.has_dynamic_references |= anchor.is_some();
        Ok(DynamicReference { target, anchor })
    }
}

/// Refuses definitions that are no schemas by name. What the schemas say is read where something refers to them, so that
/// one that nothing reaches costs a look at its first byte.
fn check_definitions(site: &Site<'_, '_>) -> Result<()> {
    if site.value.kind() != Kind::Object {
        return Err(site.unexpected("an object", "each member is a schema, by the name that references have"));
    }
    if site.value.values().all(may_be_schema) {
        return Ok(());
    }
    match site.value.members().find(|&(_, member)| !may_be_schema(member)) {
        Some((name, member)) => Err(no_schema(site.member_location(&name), member)),
        None => Ok(()),
    }
}

/// Refuses what is no schema as the value of a keyword that says nothing without another, which is not there.
pub(super) fn check_idle_schema(site: &Site<'_, '_>) -> Result<()> {
    if may_be_schema(site.value) { Ok(()) } else { Err(no_schema(site.location(), site.value)) }
}

fn may_be_schema(value: Json<'_>) -> bool {
    matches!(value.kind(), Kind::Object | Kind::True | Kind::False)
}
