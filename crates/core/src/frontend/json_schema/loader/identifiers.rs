//! By what a schema can be referred to, as it says itself.

use std::borrow::Cow;

use super::json::{Json, Kind};

/// What identifies a schema, as written.
#[derive(Default)]
pub(super) struct Identifiers<'a> {
    /// Whatever `$schema` is.
    pub(super) schema: Option<Json<'a>>,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) old_id: Option<Cow<'a, str>>,
    pub(super) anchor: Option<Cow<'a, str>>,
    pub(super) dynamic_anchor: Option<Cow<'a, str>>,
    pub(super) recursive_anchor: bool,
    pub(super) has_reference: bool,
}

impl<'a> Identifiers<'a> {
    pub(super) fn of(schema: Json<'a>) -> Self {
        let mut found = Self::default();
        for (key, value) in schema.members() {
            if !key.starts_with(['$', 'i']) {
                continue;
            }
            match &*key {
                "$schema" => found.schema = Some(value),
                "$id" => found.id = value.string(),
                "id" => found.old_id = value.string(),
                "$anchor" => found.anchor = value.string(),
                "$dynamicAnchor" => found.dynamic_anchor = value.string(),
                "$recursiveAnchor" => found.recursive_anchor = value.kind() == Kind::True,
                "$ref" => found.has_reference = true,
                _ => {}
            }
        }
        found
    }
}
