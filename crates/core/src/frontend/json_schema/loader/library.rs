//! The documents, their resources and anchors, and what a reference means among them.
//!
//! A document is read when something refers to it; then one pass over its schemas notes every `$id` and
//! anchor. Where the pass never comes, inside `enum` or unknown keywords, they mean nothing, until a
//! JSON pointer makes a schema of such a place.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::draft::{Dialect, Draft};
use super::identifiers::Identifiers;
use super::json::{Json, Kind, Repeated, Tree};
use super::keyword::{Keyword, Position};
use super::{metaschemas, repeated, repeated_name, uri};
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::size_of_bytes;

/// Containers that span more nodes than this get an index of their children.
const LONG_SPAN: u32 = 64;

/// How many metaschemas may stand one above another.
const METASCHEMA_CHAIN: usize = 8;

/// A node of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) document: usize,
    pub(super) node: u32,
}

/// What a reference means.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) place: Place,
    /// The dynamic anchor by which the place was found.
    pub(super) dynamic_anchor: Option<String>,
}

/// Why a reference means nothing.
#[derive(Debug)]
pub(super) enum Unresolved {
    /// What it names is not there.
    Absent { problem: String, help: String },
    /// A document that was looked into is faulty.
    Faulty(Error),
}

impl From<Error> for Unresolved {
    fn from(error: Error) -> Self {
        Self::Faulty(error)
    }
}

/// What is said of two schemas that are called alike.
const TWICE: &str = "which of them counts is not defined; give one of them another name";

fn absent(problem: String, help: String) -> Unresolved {
    Unresolved::Absent { problem, help }
}

/// A document that may be referred to.
#[derive(Debug)]
struct Document<'a, 't> {
    /// Where it is said to come from; empty for the schema itself.
    uri: String,
    text: &'t str,
    /// Its content, once it is read.
    tree: Option<&'a Tree<'t>>,
    /// For each node the number of its resource plus one; 0 where no schema is known to stand.
    owners: Vec<u32>,
}

/// A schema resource.
#[derive(Debug)]
pub(super) struct ResourceEntry {
    /// Its absolute URI; relative or empty where none was given.
    uri: String,
    pub(super) root: Place,
    pub(super) dialect: Dialect,
    /// Its dynamic anchors and the places that they name.
    pub(super) dynamic_anchors: Vec<(String, Place)>,
    /// Whether one of them has the empty name: that of `$recursiveAnchor`.
    has_recursive_anchor: bool,
}

impl ResourceEntry {
    fn add_dynamic_anchor(&mut self, name: String, place: Place) {
        self.has_recursive_anchor |= name.is_empty();
        self.dynamic_anchors.push((name, place));
    }
}

#[derive(Clone, Copy, Debug)]
struct Anchor {
    place: Place,
    is_dynamic: bool,
    /// Another schema of the resource that has it, too, and says something else.
    other: Option<Place>,
}

/// The children of a long array or object.
#[derive(Debug, Default)]
struct Children<'a> {
    /// The nodes of the items or of the members' values, in order.
    nodes: Vec<u32>,
    by_name: FxHashMap<Cow<'a, str>, std::result::Result<u32, Repeated>>,
}

/// All documents.
pub(super) struct Library<'a, 't> {
    trees: &'a boxcar::Vec<Box<Tree<'t>>>,
    budget: &'a Budget,
    pub(super) deadline: &'a Deadline,
    /// The dialect of documents that do not name theirs.
    default: Dialect,
    /// The dialects of resources whose metaschemas are documents, by these.
    dialects: FxHashMap<usize, Option<Dialect>>,
    documents: Vec<Document<'a, 't>>,
    by_retrieval: FxHashMap<String, usize>,
    pub(super) resources: Vec<ResourceEntry>,
    /// The length of their URIs together.
    uri_bytes: usize,
    by_uri: FxHashMap<String, usize>,
    /// Of a URI that two schemas of one document have which do not say the same, the second.
    other_by_uri: FxHashMap<String, Place>,
    anchors: FxHashMap<(usize, String), Anchor>,
    long: FxHashMap<Place, Children<'a>>,
}

impl<'a, 't: 'a> Library<'a, 't> {
    /// Reads the schema `text`, which is document 0, and takes note of the others.
    pub(super) fn new(
        trees: &'a boxcar::Vec<Box<Tree<'t>>>,
        text: &'t str,
        documents: &'t [(String, String)],
        default: Draft,
        budget: &'a Budget,
        deadline: &'a Deadline,
    ) -> Result<Self> {
        let mut library = Self {
            trees,
            budget,
            deadline,
            default: Dialect::of(default),
            dialects: FxHashMap::default(),
            documents: Vec::with_capacity(documents.len() + 1),
            by_retrieval: FxHashMap::default(),
            resources: Vec::new(),
            uri_bytes: 0,
            by_uri: FxHashMap::default(),
            other_by_uri: FxHashMap::default(),
            anchors: FxHashMap::default(),
            long: FxHashMap::default(),
        };
        library.documents.push(Document { uri: String::new(), text, tree: None, owners: Vec::new() });
        for (uri, text) in documents {
            let uri = uri::resolve("", uri::split_fragment(uri).0);
            library.add(uri, text);
        }
        library.index_document(0)?;
        library.default = Dialect::of(library.resources[0].dialect.draft);
        // Metaschemas that name no draft have had that of the caller so far.
        library.dialects.clear();
        Ok(library)
    }

    /// The number of nodes of the schema itself.
    pub(super) fn node_count(&self) -> usize {
        self.documents[0].owners.len()
    }

    fn add(&mut self, uri: String, text: &'t str) -> usize {
        let document = self.documents.len();
        self.by_retrieval.entry(uri.clone()).or_insert(document);
        self.documents.push(Document { uri, text, tree: None, owners: Vec::new() });
        document
    }

    /// The value at a place of a document that is read.
    pub(super) fn json(&mut self, place: Place) -> Result<Json<'a>> {
        Ok(self.tree(place.document)?.at(place.node))
    }

    /// The resource of a schema; that of `parent` where the schema is not known yet.
    pub(super) fn owner(&mut self, place: Place, parent: usize) -> usize {
        let owner = &mut self.documents[place.document].owners[place.node as usize];
        if *owner == 0 {
            *owner = parent as u32 + 1;
        }
        *owner as usize - 1
    }

    fn tree(&mut self, document: usize) -> Result<&'a Tree<'t>> {
        let entry = &mut self.documents[document];
        if let Some(tree) = entry.tree {
            return Ok(tree);
        }
        let tree = Tree::parse(entry.text, self.budget).map_err(|error| match error {
            Error::Syntax { .. } if document > 0 => Error::Schema {
                location: format!("{}#", entry.uri),
                problem: format!("the document is no JSON: {error}"),
                help: String::new(),
            },
            other => other,
        })?;
        entry.owners = vec![0; tree.len()];
        let tree = &*self.trees[self.trees.push(Box::new(tree))];
        entry.tree = Some(tree);
        Ok(tree)
    }

    fn index_document(&mut self, document: usize) -> Result<()> {
        if !self.documents[document].owners.is_empty() && self.documents[document].owners[0] != 0 {
            return Ok(());
        }
        let tree = self.tree(document)?;
        let uri = self.documents[document].uri.clone();
        let root = Place { document, node: 0 };
        let resource = self.add_resource(uri, root, self.default)?;
        if tree.has_identities() {
            return self.index(root, resource);
        }
        // There is nothing to note: every schema in it belongs to the document.
        if tree.root().kind() == Kind::Object {
            self.identify(root, tree.root(), resource)?;
        }
        self.documents[document].owners.fill(resource as u32 + 1);
        Ok(())
    }

    fn add_resource(&mut self, uri: String, root: Place, dialect: Dialect) -> Result<usize> {
        // Each may be as long as that of the resource around it.
        self.uri_bytes += uri.len();
        if size_of_bytes(self.uri_bytes) > self.budget.expressions {
            let what = "by the URIs of the schemas that have an `$id`";
            return Err(Error::exceeded("expressions", self.budget.expressions, what));
        }
        let resource = self.resources.len();
        let first = *self.by_uri.entry(uri.clone()).or_insert(resource);
        if first != resource && self.differ(self.resources[first].root, root) {
            self.other_by_uri.insert(uri.clone(), root);
        }
        self.resources.push(ResourceEntry {
            uri,
            root,
            dialect,
            dynamic_anchors: Vec::new(),
            has_recursive_anchor: false,
        });
        Ok(resource)
    }

    /// Notes the resources and anchors at a place and below it, where the place belongs to `resource`.
    fn index(&mut self, place: Place, resource: usize) -> Result<()> {
        let document = place.document;
        let tree = self.tree(document)?;
        let mut open = vec![(place.node, resource)];
        while let Some((node, parent)) = open.pop() {
            self.deadline.check()?;
            if self.documents[document].owners[node as usize] != 0 {
                continue;
            }
            let schema = tree.at(node);
            let resource = match schema.kind() {
                Kind::Object => self.identify(Place { document, node }, schema, parent)?,
                _ => parent,
            };
            self.documents[document].owners[node as usize] = resource as u32 + 1;
            let dialect = self.resources[resource].dialect;
            for (key, value) in schema.members() {
                let Some((_, position)) = Keyword::find(&key, dialect) else { continue };
                match position {
                    Position::Nowhere | Position::Refused(_) => {}
                    Position::Value => open.push((value.node(), resource)),
                    Position::Items => open.extend(value.items().map(|item| (item.node(), resource))),
                    Position::Members => {
                        open.extend(value.members().map(|(_, item)| (item.node(), resource)));
                    }
                    Position::ValueOrItems if value.kind() == Kind::Array => {
                        open.extend(value.items().map(|item| (item.node(), resource)));
                    }
                    Position::ValueOrItems => open.push((value.node(), resource)),
                }
            }
        }
        Ok(())
    }

    /// The resource that a schema belongs to, given that of the schema around it.
    fn identify(&mut self, place: Place, schema: Json<'a>, parent: usize) -> Result<usize> {
        let identifiers = Identifiers::of(schema);
        let is_document = place.node == 0;
        let mut dialect = self.resources[parent].dialect;
        let is_resource = is_document || identifiers.id.is_some() || identifiers.old_id.is_some();
        if let (Some(metaschema), true) = (identifiers.schema, is_resource) {
            let metaschema = self.metaschema_uri(metaschema, place)?;
            dialect = self.dialect(&metaschema, 0)?.unwrap_or(dialect);
        }
        if is_document {
            self.resources[parent].dialect = dialect;
        }
        let mut resource = parent;
        let id = if dialect.draft <= Draft::Draft4 { &identifiers.old_id } else { &identifiers.id };
        let id_counts = is_document || dialect.draft > Draft::Draft7 || !identifiers.has_reference;
        if let (Some(id), true) = (id, id_counts) {
            let (reference, fragment) = uri::split_fragment(id);
            let absolute = uri::resolve(&self.resources[parent].uri, reference);
            if is_document {
                self.by_uri.entry(absolute.clone()).or_insert(parent);
                self.resources[parent].uri = absolute;
            } else if !reference.is_empty() && absolute != self.resources[parent].uri {
                resource = self.add_resource(absolute, place, dialect)?;
            }
            if !fragment.is_empty() && !fragment.starts_with('/') {
                self.add_anchor(resource, fragment, place, false);
            }
        }
        if let (Some(anchor), true) = (&identifiers.anchor, dialect.draft >= Draft::Draft2019) {
            self.add_anchor(resource, anchor, place, false);
        }
        if let (Some(anchor), Draft::Draft2020) = (&identifiers.dynamic_anchor, dialect.draft) {
            self.add_anchor(resource, anchor, place, true);
        }
        let is_root = self.resources[resource].root == place;
        if identifiers.recursive_anchor && dialect.draft == Draft::Draft2019 && is_root {
            self.resources[resource].add_dynamic_anchor(String::new(), place);
        }
        Ok(resource)
    }

    fn add_anchor(&mut self, resource: usize, name: &str, place: Place, is_dynamic: bool) {
        let anchor = Anchor { place, is_dynamic, other: None };
        let known = *self.anchors.entry((resource, name.to_owned())).or_insert(anchor);
        if known.other.is_none() && self.differ(known.place, place) {
            self.anchors.insert((resource, name.to_owned()), Anchor { other: Some(place), ..known });
        }
        if is_dynamic {
            self.resources[resource].add_dynamic_anchor(name.to_owned(), place);
        }
    }

    /// Whether two schemas stand in one document and do not say the same. A document that is given twice, say as the
    /// schema and among those that it refers to, is one for whoever refers to it.
    fn differ(&self, one: Place, other: Place) -> bool {
        let tree = self.documents[one.document].tree;
        let differ = |tree: &Tree<'_>| !tree.at(one.node).is_same(tree.at(other.node));
        one.document == other.document && one != other && tree.is_some_and(differ)
    }

    /// Refuses a resource of which two schemas have a dynamic anchor: a dynamic reference may mean either.
    pub(super) fn check_dynamic_anchors(&mut self, resource: usize) -> Result<()> {
        for (name, _) in &self.resources[resource].dynamic_anchors {
            let Some(&Anchor { place, other: Some(other), .. }) = self.anchors.get(&(resource, name.clone()))
            else {
                continue;
            };
            let problem = format!("another schema, too, has the dynamic anchor `{name}`");
            let location = self.location(place.max(other))?;
            return Err(Error::Schema { location, problem, help: TWICE.to_owned() });
        }
        Ok(())
    }

    /// Why a reference means nothing that two schemas are called by.
    fn ambiguous(&mut self, reference: &str, first: Place, other: Place) -> Result<Unresolved> {
        let in_order = [first.min(other), first.max(other)];
        let [first, other] = [self.location(in_order[0])?, self.location(in_order[1])?];
        Ok(absent(
            format!("refers to `{reference}`, but `{first}` and `{other}` are both called so"),
            TWICE.to_owned(),
        ))
    }

    /// The value of the `$schema` of a schema at a place. What is no string is refused: it would say nothing, and the
    /// keywords would be those of another draft.
    fn metaschema_uri(&mut self, metaschema: Json<'a>, place: Place) -> Result<Cow<'a, str>> {
        if let Some(uri) = metaschema.string() {
            return Ok(uri);
        }
        Err(Error::Schema {
            location: format!("{}/$schema", self.location(place)?),
            problem: format!("`$schema` must be a string, found {}", metaschema.description()),
            help: "write the URI of a draft, such as https://json-schema.org/draft/2020-12/schema".to_owned(),
        })
    }

    /// The dialect of a `$schema`: a draft, or what a metaschema among the documents says; `None` for others.
    fn dialect(&mut self, metaschema: &str, chain: usize) -> Result<Option<Dialect>> {
        if let Some(draft) = Draft::from_uri(metaschema) {
            return Ok(Some(Dialect::of(draft)));
        }
        let uri = uri::resolve("", uri::split_fragment(metaschema).0);
        let Some(&document) = self.by_retrieval.get(&uri) else { return Ok(None) };
        // How far the chain goes on depends on where in it the document stands.
        match chain {
            METASCHEMA_CHAIN => Ok(None),
            0 if self.dialects.contains_key(&document) => Ok(self.dialects[&document]),
            0 => {
                let dialect = self.dialect_by(document, &uri, chain)?;
                self.dialects.insert(document, dialect);
                Ok(dialect)
            }
            _ => self.dialect_by(document, &uri, chain),
        }
    }

    /// The dialect that a metaschema among the documents says.
    fn dialect_by(&mut self, document: usize, uri: &str, chain: usize) -> Result<Option<Dialect>> {
        let root = self.tree(document)?.root();
        for name in ["$schema", "$vocabulary"] {
            if root.members().filter(|(key, _)| key == name).count() > 1 {
                return Err(repeated(&format!("{uri}#"), name));
            }
        }
        let base = match root.get("$schema") {
            Some(above) => {
                let above = self.metaschema_uri(above, Place { document, node: 0 })?;
                self.dialect(&above, chain + 1)?
            }
            None => None,
        };
        let base = base.unwrap_or(self.default);
        match root.get("$vocabulary") {
            Some(declared) if base.draft >= Draft::Draft2019 => {
                Dialect::with_vocabularies(base.draft, declared, uri).map(Some)
            }
            _ => Ok(Some(base)),
        }
    }

    /// What a reference in a schema of the resource `from` means.
    pub(super) fn resolve(
        &mut self,
        from: usize,
        reference: &str,
    ) -> std::result::Result<Target, Unresolved> {
        let (address, fragment) = uri::split_fragment(reference);
        let resource = if address.is_empty() {
            from
        } else {
            let absolute = uri::resolve(&self.resources[from].uri, address);
            self.resource(&absolute)?.ok_or_else(|| {
                absent(
                    format!("refers to `{absolute}`, which is not among the documents"),
                    format!("supply its text, documents={{\"{absolute}\": ...}}; nothing is fetched from the network"),
                )
            })?
        };
        let Some(fragment) = uri::percent_decoded(fragment) else {
            let problem = format!("refers to `{reference}`, whose fragment is no UTF-8");
            return Err(absent(problem, String::new()));
        };
        let root = self.resources[resource].root;
        if let (Some(&other), false) =
            (self.other_by_uri.get(&self.resources[resource].uri), address.is_empty())
        {
            return Err(self.ambiguous(address, root, other)?);
        }
        if fragment.is_empty() {
            let dynamic_anchor = self.resources[resource].has_recursive_anchor.then(String::new);
            return Ok(Target { place: root, dynamic_anchor });
        }
        if let Some(pointer) = fragment.strip_prefix('/') {
            let place = self.follow(root, resource, pointer)?;
            return Ok(Target { place, dynamic_anchor: None });
        }
        match self.anchors.get(&(resource, fragment.clone())).copied() {
            Some(Anchor { place, other: Some(other), .. }) => Err(self.ambiguous(reference, place, other)?),
            Some(anchor) => {
                Ok(Target { place: anchor.place, dynamic_anchor: anchor.is_dynamic.then_some(fragment) })
            }
            None => Err(absent(
                format!("refers to `{reference}`, but no schema there has the anchor `{fragment}`"),
                format!("a JSON pointer begins with a slash: `#/{fragment}`"),
            )),
        }
    }

    /// The resource of an absolute URI.
    fn resource(&mut self, uri: &str) -> Result<Option<usize>> {
        if let Some(&resource) = self.by_uri.get(uri) {
            return Ok(Some(resource));
        }
        if let Some(&document) = self.by_retrieval.get(uri) {
            self.index_document(document)?;
        } else if let Some(text) = metaschemas::find(uri) {
            let document = self.add(uri.to_owned(), text);
            self.index_document(document)?;
        } else {
            for document in 1..self.documents.len() {
                self.index_document(document)?;
            }
        }
        Ok(self.by_uri.get(uri).copied())
    }

    /// Follows a JSON pointer, given without its first slash.
    fn follow(
        &mut self,
        root: Place,
        resource: usize,
        pointer: &str,
    ) -> std::result::Result<Place, Unresolved> {
        let document = root.document;
        let mut value = self.json(root)?;
        let mut resource = resource;
        for segment in pointer.split('/') {
            let name = if segment.contains('~') {
                Cow::Owned(segment.replace("~1", "/").replace("~0", "~"))
            } else {
                Cow::Borrowed(segment)
            };
            let parent = Place { document, node: value.node() };
            let Ok(child) = self.child(parent, value, &name) else {
                return Err(repeated_name(self.location(parent)?, &name).into());
            };
            let Some(child) = child else {
                let problem =
                    format!("refers to `#/{pointer}`, but `{}` has no `{name}`", self.location(parent)?);
                let help = match root.node {
                    0 => value.nearest_name(&name),
                    _ => {
                        format!("`#` is the schema at `{}`, which has an id of its own", self.location(root)?)
                    }
                };
                return Err(absent(problem, help));
            };
            value = child;
            if let Some(owner) = self.documents[document].owners[value.node() as usize].checked_sub(1) {
                resource = owner as usize;
            }
        }
        let place = Place { document, node: value.node() };
        self.index(place, resource)?;
        Ok(place)
    }

    fn child(
        &mut self,
        place: Place,
        value: Json<'a>,
        name: &str,
    ) -> std::result::Result<Option<Json<'a>>, Repeated> {
        let Some(tree) = self.documents[place.document].tree else { return Ok(None) };
        let is_long = value.next() - value.node() > LONG_SPAN;
        let found = match value.kind() {
            Kind::Object if is_long => self.children(place, value).by_name.get(name).copied().transpose()?,
            Kind::Object => value.only(name)?.map(Json::node),
            Kind::Array if name == "0" || !name.starts_with(['0', '+']) => match name.parse::<usize>() {
                Ok(index) if is_long => self.children(place, value).nodes.get(index).copied(),
                Ok(index) => value.items().nth(index).map(Json::node),
                Err(_) => None,
            },
            _ => None,
        };
        Ok(found.map(|node| tree.at(node)))
    }

    fn children(&mut self, place: Place, value: Json<'a>) -> &Children<'a> {
        self.long.entry(place).or_insert_with(|| {
            let mut children = Children::default();
            children.nodes.extend(value.items().map(Json::node));
            for (name, member) in value.members() {
                children.nodes.push(member.node());
                let node = member.node();
                children.by_name.entry(name).and_modify(|known| *known = Err(Repeated)).or_insert(Ok(node));
            }
            children
        })
    }

    /// Where a place is: the document's URI and a JSON pointer.
    pub(super) fn location(&mut self, place: Place) -> Result<String> {
        let tree = self.tree(place.document)?;
        let mut location = format!("{}#", self.documents[place.document].uri);
        let mut value = tree.root();
        while value.node() < place.node {
            let parent = Place { document: place.document, node: value.node() };
            let nodes = &self.children(parent, value).nodes;
            let index = nodes.partition_point(|&node| node <= place.node).saturating_sub(1);
            let Some(&child) = nodes.get(index) else { break };
            location.push('/');
            match value.kind() {
                Kind::Array => location.push_str(&index.to_string()),
                _ => location.push_str(&uri::escaped(&tree.at(child - 1).string().unwrap_or_default())),
            }
            value = tree.at(child);
        }
        Ok(location)
    }
}
