//! Reads JSON Schemas: from text to [`Schemas`], in which every reference is resolved and the keywords of all
//! drafts are in the terms of draft 2020-12.
//!
//! ```text
//! text ──reader──▶ tree ──library──▶ resources and anchors ──families of keywords──▶ Schemas
//! ```
//!
//! Only schemas that can be reached from the first one are read, each once; what else a document holds
//! costs no more than the search for its `$id`s, and for definitions that are no schemas. A keyword counts where the draft
//! of its resource has it, and where the resource's metaschema uses its vocabulary. A document without `$schema`, or with one that nobody
//! knows, has the draft of the document that leads to it.
//!
//! | file | what it does |
//! |---|---|
//! | `reader`, `json` | JSON text to a flat tree |
//! | `uri` | references to URIs |
//! | `draft` | drafts, dialects and vocabularies |
//! | `keyword` | the names of keywords, their drafts, and where schemas stand below them |
//! | `metaschemas` | the published metaschemas |
//! | `identifiers` | by what a schema can be referred to |
//! | `library` | documents, resources and anchors; what a reference means |
//! | `site` | a keyword where it stands, and ways to read its value |
//! | `values`, `strings`, `numbers`, `arrays`, `objects`, `applicators` | the families of keywords |

mod applicators;
mod arrays;
mod draft;
#[cfg(test)]
mod fault_tests;
mod identifiers;
mod json;
mod keyword;
mod library;
mod metaschemas;
mod numbers;
mod objects;
mod reader;
mod site;
mod strings;
#[cfg(test)]
mod tests;
mod uri;
mod values;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::schema::{Body, Keywords, Pattern, PatternId, Resource, ResourceId, Schema, SchemaId, Schemas};
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::size_of_bytes;
use draft::Draft;
use json::{Json, Kind};
use keyword::{Keyword, Position};
use library::{Library, Place};
use site::Site;

/// What one schema takes of the budget of expressions, whose unit is about 50 bytes.
const SCHEMA_SIZE: usize = 16;

/// So many nodes of a document make a schema, about.
const COMMON_NODES: usize = 8;

/// The first schema.
const ROOT: Place = Place { document: 0, node: 0 };

/// Reads a schema and the documents that it may refer to (URI, JSON text). The schema stands at `location`, by which its
/// own places are told: `#` where it is the whole of its document.
///
/// # Errors
/// [`Error::Syntax`] for what is no JSON, [`Error::Schema`] for keywords with impossible values and for
/// references to what is not there, [`Error::Unsupported`] for vocabularies that are not known,
/// [`Error::BudgetExceeded`] for documents that are too long or too deep, for too many schemas, and when the time is over.
pub(super) fn load_at(
    location: &str,
    text: &str,
    documents: &[(String, String)],
    default_draft: &str,
    budget: &Budget,
    deadline: &Deadline,
) -> Result<Schemas> {
    let (trees, draft) = (boxcar::Vec::new(), Draft::from_choice(default_draft)?);
    let mut library = Library::new(&trees, text, documents, draft, budget, deadline)?;
    refuse_envelope(library.json(ROOT)?, location)?;
    let room = library.node_count() / COMMON_NODES;
    let mut loader = Loader {
        library,
        schemas: Vec::with_capacity(room),
        places: Vec::with_capacity(room),
        ids: FxHashMap::with_capacity_and_hasher(room, FxBuildHasher),
        patterns: Vec::new(),
        pattern_ids: FxHashMap::default(),
        dynamic_anchors: FxHashMap::default(),
        has_dynamic_references: false,
        size_left: budget.expressions,
        budget,
    };
    let root = loader.reach(ROOT, 0, location.to_owned())?;
    let mut next = 0;
    while next < loader.schemas.len() {
        deadline.check()?;
        loader.read(next)?;
        next += 1;
    }
    loader.finish(root)
}

/// The same for the whole of a document, as a compile of its own.
#[cfg(test)]
pub(super) fn load(
    text: &str,
    documents: &[(String, String)],
    default_draft: &str,
    budget: &Budget,
) -> Result<Schemas> {
    load_at("#", text, documents, default_draft, budget, &Deadline::for_compile(budget))
}

struct Loader<'a, 't> {
    library: Library<'a, 't>,
    /// Those that are read, and after them those that are only reached.
    schemas: Vec<Schema>,
    /// Where each of `schemas` is.
    places: Vec<Place>,
    ids: FxHashMap<Place, SchemaId>,
    patterns: Vec<Pattern>,
    pattern_ids: FxHashMap<String, PatternId>,
    /// Of each resource that is reached, the dynamic anchors.
    dynamic_anchors: FxHashMap<usize, FxHashMap<String, SchemaId>>,
    has_dynamic_references: bool,
    /// What is left of the budget of expressions.
    size_left: usize,
    budget: &'a Budget,
}

impl<'a, 't: 'a> Loader<'a, 't> {
    fn finish(mut self, root: SchemaId) -> Result<Schemas> {
        if self.has_dynamic_references {
            self.dynamic_anchors.keys().try_for_each(|&at| self.library.check_dynamic_anchors(at))?;
        }
        let mut resources = vec![Resource::default(); self.library.resources.len()];
        for (resource, anchors) in self.dynamic_anchors {
            resources[resource].dynamic_anchors = anchors;
        }
        let mut schemas = Schemas {
            schemas: self.schemas,
            resources,
            patterns: self.patterns,
            declared: Vec::new(),
            has_dynamic_references: self.has_dynamic_references,
            root,
        };
        schemas.number_declared();
        Ok(schemas)
    }

    /// The schema at a place, to be read later if it is new. `parent` is the resource around it.
    fn reach(&mut self, place: Place, parent: usize, location: String) -> Result<SchemaId> {
        if let Some(&id) = self.ids.get(&place) {
            return Ok(id);
        }
        let size = SCHEMA_SIZE + size_of_bytes(location.len());
        self.size_left = self.size_left.checked_sub(size).ok_or_else(|| {
            Error::exceeded("expressions", self.budget.expressions, "by the number of schemas")
        })?;
        let id = SchemaId(self.schemas.len() as u32);
        let resource = self.library.owner(place, parent);
        let body = Body::Always(true);
        self.schemas.push(Schema { location, resource: ResourceId(resource as u32), body });
        self.places.push(place);
        self.ids.insert(place, id);
        self.enter_resource(resource)?;
        Ok(id)
    }

    /// Reaches the dynamic anchors of a resource: from now on a dynamic reference may mean them.
    fn enter_resource(&mut self, resource: usize) -> Result<()> {
        if self.library.resources[resource].dynamic_anchors.is_empty()
            || self.dynamic_anchors.contains_key(&resource)
        {
            return Ok(());
        }
        self.dynamic_anchors.insert(resource, FxHashMap::default());
        for (name, place) in self.library.resources[resource].dynamic_anchors.clone() {
            let location = self.library.location(place)?;
            let id = self.reach(place, resource, location)?;
            self.dynamic_anchors.entry(resource).or_default().insert(name, id);
        }
        Ok(())
    }

    fn read(&mut self, index: usize) -> Result<()> {
        let place = self.places[index];
        let schema = self.library.json(place)?;
        let location = std::mem::take(&mut self.schemas[index].location);
        let body = match schema.kind() {
            Kind::True => Body::Always(true),
            Kind::False => Body::Always(false),
            Kind::Object => {
                let resource = self.schemas[index].resource.0 as usize;
                Body::Keywords(self.read_keywords(place, schema, resource, &location)?)
            }
            _ => return Err(no_schema(location, schema)),
        };
        self.schemas[index].location = location;
        self.schemas[index].body = body;
        Ok(())
    }

    fn read_keywords(
        &mut self,
        place: Place,
        schema: Json<'a>,
        resource: usize,
        location: &str,
    ) -> Result<Box<Keywords>> {
        let dialect = self.library.resources[resource].dialect;
        let only_reference = dialect.draft <= Draft::Draft7 && schema.get("$ref").is_some();
        let mut keywords = Box::<Keywords>::default();
        let mut seen = 0_u64;
        for (name, value) in schema.members() {
            let Some((keyword, position)) = Keyword::find(&name, dialect) else { continue };
            let bit = 1 << keyword as u64;
            if seen & bit != 0 {
                return Err(repeated(location, &name));
            }
            seen |= bit;
            if only_reference && keyword != Keyword::Reference {
                continue;
            }
            if let Position::Refused(instead) = position {
                return Err(refused(location, &name, instead));
            }
            let document = place.document;
            let site = Site { location, schema, document, resource, dialect, keyword, name: &name, value };
            let _known = values::read(&site, &mut keywords)?
                || numbers::read(&site, &mut keywords.number)?
                || self.read_string(&site, &mut keywords.string)?
                || self.read_object(&site, &mut keywords.object)?
                || self.read_array(&site, &mut keywords.array)?
                || self.read_applicator(&site, &mut keywords.applicators)?;
        }
        drop_dependents(&mut keywords);
        Ok(keywords)
    }

    /// The schema that is the value of a keyword.
    fn value_schema(&mut self, site: &Site<'_, 'a>) -> Result<SchemaId> {
        self.reach(place_of(site, site.value), site.resource, site.location())
    }

    /// The schemas that are the items of a keyword's value.
    fn item_schemas(&mut self, site: &Site<'_, 'a>) -> Result<Vec<SchemaId>> {
        if site.value.kind() != Kind::Array {
            return Err(site.unexpected("an array of schemas", ""));
        }
        let location = site.location();
        let items = site.value.items().enumerate();
        items
            .map(|(index, item)| {
                self.reach(place_of(site, item), site.resource, format!("{location}/{index}"))
            })
            .collect()
    }

    /// The schemas that are the members of a keyword's value, by their names.
    fn member_schemas(&mut self, site: &Site<'_, 'a>) -> Result<Vec<(String, SchemaId)>> {
        site.members()?.map(|(name, member)| self.member_schema(site, &name, member)).collect()
    }

    fn member_schema(
        &mut self,
        site: &Site<'_, 'a>,
        name: &str,
        member: Json<'a>,
    ) -> Result<(String, SchemaId)> {
        let id = self.reach(place_of(site, member), site.resource, site.member_location(name))?;
        Ok((name.to_owned(), id))
    }

    /// A regular expression, the same for the same text.
    fn pattern(&mut self, text: &str, location: String) -> PatternId {
        if let Some(&id) = self.pattern_ids.get(text) {
            return id;
        }
        let id = PatternId(self.patterns.len() as u32);
        self.patterns.push(Pattern { text: text.to_owned(), location });
        self.pattern_ids.insert(text.to_owned(), id);
        id
    }
}

/// Refuses what OpenAI's `response_format` has around a schema. As a schema it would let any JSON text pass: a keyword
/// that no draft has demands nothing.
fn refuse_envelope(root: Json<'_>, location: &str) -> Result<()> {
    const MEMBERS: [&str; 4] = ["name", "description", "strict", "schema"];
    let has_schema = || {
        let kind = root.get("schema").map(Json::kind);
        kind.is_some_and(|kind| matches!(kind, Kind::Object | Kind::True | Kind::False))
    };
    if root.kind() != Kind::Object
        || !root.members().all(|(name, _)| MEMBERS.contains(&&*name))
        || root.get("name").is_none()
        || !has_schema()
    {
        return Ok(());
    }
    Err(Error::Schema {
        location: format!("{location}/schema"),
        problem: "this is a part of OpenAI's response_format, and no schema".to_owned(),
        help: "give what stands here".to_owned(),
    })
}

/// A value that stands where a schema belongs.
fn no_schema(location: String, value: Json<'_>) -> Error {
    let problem = format!("a schema must be an object or a boolean, found {}", value.description());
    Error::Schema { location, problem, help: String::new() }
}

/// A keyword that comes twice. Refused because readers of JSON differ about which counts.
fn repeated(location: &str, name: &str) -> Error {
    Error::Schema {
        location: location.to_owned(),
        problem: format!("the keyword `{name}` comes twice"),
        help: "which of them counts is not defined".to_owned(),
    }
}

/// A name that comes twice among those that a place holds. Refused for the same reason.
fn repeated_name(location: String, name: &str) -> Error {
    Error::Schema {
        location,
        problem: format!("the name `{name}` comes twice"),
        help: "which of them counts is not defined".to_owned(),
    }
}

/// A keyword that is not read, since all later drafts have another instead.
fn refused(location: &str, name: &str, instead: &str) -> Error {
    Error::Unsupported {
        feature: format!("`{name}`"),
        location: format!("{location}/{name}"),
        reason: format!("later drafts have `{instead}` instead; write that, and a later `$schema`"),
    }
}

fn place_of(site: &Site<'_, '_>, value: Json<'_>) -> Place {
    Place { document: site.document, node: value.node() }
}

/// Drops what says nothing without a keyword that is not there.
fn drop_dependents(keywords: &mut Keywords) {
    if keywords.array.contains.is_none() {
        keywords.array.minimum_contains = None;
        keywords.array.maximum_contains = None;
    }
    if keywords.applicators.condition.is_none() {
        keywords.applicators.consequence = None;
        keywords.applicators.alternative = None;
    }
}
