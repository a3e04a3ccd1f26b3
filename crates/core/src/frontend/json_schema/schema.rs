//! Schemas as data: what the loader gives and the next stages read.
//!
//! Every schema and subschema of all documents is one [`Schema`] of a [`Schemas`], named by a [`SchemaId`].
//! References are resolved, keywords of all drafts are put in the terms of draft 2020-12 (`items` as a list
//! is `prefix_items`, `additionalItems` is `items`, `dependencies` are two keywords, and so on), and
//! annotations are gone.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::condition::UNDECLARED;
use super::constant::Constant;
use super::decimal::Decimal;

/// A schema of a [`Schemas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SchemaId(pub(super) u32);

impl SchemaId {
    /// The id as an index.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A schema resource: a document, or a part of one that has an `$id` of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ResourceId(pub(super) u32);

/// A regular expression of a [`Schemas`], from `pattern` or `patternProperties`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PatternId(pub(super) u32);

/// All schemas that are loaded.
#[derive(Clone, Debug)]
pub(super) struct Schemas {
    /// The schemas, indexed by [`SchemaId`].
    pub(super) schemas: Vec<Schema>,
    /// The resources, indexed by [`ResourceId`].
    pub(super) resources: Vec<Resource>,
    /// The distinct regular expressions, indexed by [`PatternId`].
    pub(super) patterns: Vec<Pattern>,
    /// For each schema, where it stands among the schemas of properties in the order of their declaration;
    /// [`UNDECLARED`] for others.
    pub(super) declared: Vec<u32>,
    /// Whether any schema refers dynamically, so that it matters how a schema was reached.
    pub(super) has_dynamic_references: bool,
    /// The schema that a text must satisfy.
    pub(super) root: SchemaId,
}

impl Schemas {
    /// The schemas that `$dynamicAnchor` names in a resource.
    pub(super) fn anchors_of(&self, resource: ResourceId) -> &FxHashMap<String, SchemaId> {
        &self.resources[resource.0 as usize].dynamic_anchors
    }

    /// Fills `declared`: what a schema declares itself comes first, and then, depth first, what those declare that
    /// it applies to the same value. So `allOf` of a base and an extension declares the base's members first,
    /// whether the base stands there or is referred to. Each schema counts where it is met first, for all that
    /// apply it: of two that apply the same two schemas in different orders, both have the members in the order of
    /// the first. An order for each object would have to be put into its cases after the search that finds them, so
    /// that plans which the search made would be made again.
    pub(super) fn number_declared(&mut self) {
        let mut declared = vec![UNDECLARED; self.schemas.len()];
        let mut is_met = vec![false; self.schemas.len()];
        let mut position = 0;
        let mut waiting = Vec::new();
        for start in (0..self.schemas.len() as u32).map(SchemaId) {
            waiting.push(start);
            while let Some(schema) = waiting.pop() {
                if std::mem::replace(&mut is_met[schema.index()], true) {
                    continue;
                }
                let Body::Keywords(keywords) = &self.schemas[schema.index()].body else { continue };
                for (_, property) in &keywords.object.properties {
                    declared[property.index()] = declared[property.index()].min(position);
                    position += 1;
                }
                let first_applied = waiting.len();
                waiting.extend(keywords.applied());
                waiting[first_applied..].reverse();
            }
        }
        self.declared = declared;
    }

    /// The formats that they name, each as often as they do.
    pub(super) fn formats(&self) -> impl Iterator<Item = &str> {
        self.schemas.iter().filter_map(|schema| match &schema.body {
            Body::Keywords(keywords) => keywords.string.format.as_deref(),
            Body::Always(_) => None,
        })
    }
}

/// One schema resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resource {
    /// The schemas that `$dynamicAnchor` names in this resource. `$recursiveAnchor: true` of draft 2019-09
    /// is here under the empty name.
    pub(super) dynamic_anchors: FxHashMap<String, SchemaId>,
}

/// One regular expression.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// The text.
    pub(super) text: String,
    /// Where it stands first.
    pub(super) location: String,
}

/// One schema.
#[derive(Clone, Debug)]
pub(super) struct Schema {
    /// Where it stands: `#/properties/a`, with the document's URI in front when it is not the first one.
    pub(super) location: String,
    /// The resource that it belongs to.
    pub(super) resource: ResourceId,
    /// What it says.
    pub(super) body: Body,
}

/// What a schema says.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// `true` or `false`.
    Always(bool),
    /// An object of keywords.
    Keywords(Box<Keywords>),
}

/// The keywords of a schema. What is absent says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Keywords {
    /// `type`.
    pub(super) types: Option<TypeSet>,
    /// Whether an integer is a number *written* without a fraction or an exponent, as in draft 4.
    pub(super) written_integers: bool,
    /// `const`.
    pub(super) constant: Option<Constant>,
    /// `enum`, in order and each once.
    pub(super) enumeration: Option<Arc<[Constant]>>,
    /// Keywords about strings.
    pub(super) string: StringKeywords,
    /// Keywords about numbers.
    pub(super) number: NumberKeywords,
    /// Keywords about arrays.
    pub(super) array: ArrayKeywords,
    /// Keywords about objects.
    pub(super) object: ObjectKeywords,
    /// Keywords that apply schemas to the value itself.
    pub(super) applicators: Applicators,
}

impl Keywords {
    /// The values of `const` and `enum`.
    pub(super) fn constants(&self) -> impl Iterator<Item = &Constant> {
        self.constant.iter().chain(self.enumeration.iter().flat_map(|constants| &**constants))
    }

    /// The values that it lists, if it does: no other satisfies it.
    pub(super) fn listed_values(&self) -> Option<&[Constant]> {
        match (&self.constant, &self.enumeration) {
            (Some(constant), _) => Some(std::slice::from_ref(constant)),
            (None, Some(constants)) => Some(constants),
            (None, None) => None,
        }
    }

    /// The values that satisfy it, where it lists them and says nothing else of them but their types.
    pub(super) fn values(&self) -> Option<Vec<Constant>> {
        let Self { types, written_integers, constant, enumeration, .. } = self;
        let Self { string, number, array, object, applicators, .. } = self;
        let says_more = !string.is_empty() || !number.is_empty() || !array.is_empty() || !object.is_empty();
        if says_more || !applicators.is_empty() || *written_integers {
            return None;
        }
        let listed = match (constant, enumeration) {
            (Some(constant), None) => std::slice::from_ref(constant),
            (None, Some(constants)) => constants,
            _ => return None,
        };
        let is_of_type = |value: &&Constant| types.is_none_or(|types| types.overlaps(TypeSet::of(value)));
        Some(listed.iter().filter(is_of_type).cloned().collect())
    }

    /// The schemas that it applies to the value itself.
    fn applied(&self) -> impl Iterator<Item = SchemaId> {
        let Applicators { reference, dynamic_reference, all_of, any_of, one_of, .. } = &self.applicators;
        let Applicators { negation, condition, consequence, alternative, .. } = &self.applicators;
        let dependents = self.object.dependent_schemas.iter().map(|(_, schema)| schema);
        reference
            .iter()
            .chain(dynamic_reference.iter().map(|reference| &reference.target))
            .chain(all_of)
            .chain(any_of.iter().flatten())
            .chain(one_of.iter().flatten())
            .chain([condition, consequence, alternative, negation].into_iter().flatten())
            .chain(dependents)
            .copied()
    }

    /// Whether it says nothing but what `applicators` say.
    pub(super) fn says_only_applicators(&self) -> bool {
        let Self { types, constant, enumeration, string, number, array, object, .. } = self;
        types.is_none()
            && constant.is_none()
            && enumeration.is_none()
            && string.is_empty()
            && number.is_empty()
            && array.is_empty()
            && object.is_empty()
    }
}

/// Keywords about strings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct StringKeywords {
    /// `minLength`.
    pub(super) minimum_length: Option<u64>,
    /// `maxLength`.
    pub(super) maximum_length: Option<u64>,
    /// `pattern`.
    pub(super) pattern: Option<PatternId>,
    /// `format`, the name.
    pub(super) format: Option<String>,
}

impl StringKeywords {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        let Self { minimum_length, maximum_length, pattern, format } = self;
        minimum_length.is_none() && maximum_length.is_none() && pattern.is_none() && format.is_none()
    }
}

/// Keywords about numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct NumberKeywords {
    /// `minimum`.
    pub(super) minimum: Option<Decimal>,
    /// `maximum`.
    pub(super) maximum: Option<Decimal>,
    /// `exclusiveMinimum`, as a number.
    pub(super) exclusive_minimum: Option<Decimal>,
    /// `exclusiveMaximum`, as a number.
    pub(super) exclusive_maximum: Option<Decimal>,
    /// `multipleOf`, greater than zero.
    pub(super) multiple_of: Option<Decimal>,
}

impl NumberKeywords {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.multiple_of.is_none() && self.bounds().next().is_none()
    }

    /// Whether numbers are bounded from below and from above.
    pub(super) fn has_both_bounds(&self) -> bool {
        let Self { minimum, maximum, exclusive_minimum, exclusive_maximum, .. } = self;
        let has_lower = minimum.is_some() || exclusive_minimum.is_some();
        has_lower && (maximum.is_some() || exclusive_maximum.is_some())
    }

    /// The bounds, in any order.
    pub(super) fn bounds(&self) -> impl Iterator<Item = &Decimal> {
        let Self { minimum, maximum, exclusive_minimum, exclusive_maximum, .. } = self;
        [minimum, maximum, exclusive_minimum, exclusive_maximum].into_iter().flatten()
    }
}

/// Keywords about arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ArrayKeywords {
    /// `prefixItems`.
    pub(super) prefix_items: Vec<SchemaId>,
    /// `items`: the items after those of `prefix_items`.
    pub(super) items: Option<SchemaId>,
    /// `contains`.
    pub(super) contains: Option<SchemaId>,
    /// `minContains`; set only where `contains` is.
    pub(super) minimum_contains: Option<u64>,
    /// `maxContains`; set only where `contains` is.
    pub(super) maximum_contains: Option<u64>,
    /// Whether items that match `contains` count as evaluated (not so before draft 2020-12).
    pub(super) contains_evaluates: bool,
    /// `minItems`.
    pub(super) minimum_items: Option<u64>,
    /// `maxItems`.
    pub(super) maximum_items: Option<u64>,
    /// `uniqueItems: true`.
    pub(super) unique_items: bool,
    /// `unevaluatedItems`.
    pub(super) unevaluated_items: Option<SchemaId>,
}

impl ArrayKeywords {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        let Self { minimum_items, maximum_items, unique_items, .. } = self;
        minimum_items.is_none()
            && maximum_items.is_none()
            && !unique_items
            && self.prefix_items.is_empty()
            && self.items.is_none()
            && self.contains.is_none()
            && self.unevaluated_items.is_none()
    }
}

/// Keywords about objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ObjectKeywords {
    /// `properties`, in the order in which they are declared.
    pub(super) properties: Vec<(String, SchemaId)>,
    /// `patternProperties`.
    pub(super) pattern_properties: Vec<(PatternId, SchemaId)>,
    /// `additionalProperties`.
    pub(super) additional_properties: Option<SchemaId>,
    /// `propertyNames`.
    pub(super) property_names: Option<SchemaId>,
    /// `required`, each name once.
    pub(super) required: Vec<String>,
    /// `minProperties`.
    pub(super) minimum_properties: Option<u64>,
    /// `maxProperties`.
    pub(super) maximum_properties: Option<u64>,
    /// `dependentRequired`.
    pub(super) dependent_required: Vec<(String, Vec<String>)>,
    /// `dependentSchemas`.
    pub(super) dependent_schemas: Vec<(String, SchemaId)>,
    /// `unevaluatedProperties`.
    pub(super) unevaluated_properties: Option<SchemaId>,
}

impl ObjectKeywords {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        let Self { properties, additional_properties, required, unevaluated_properties, .. } = self;
        properties.is_empty()
            && additional_properties.is_none()
            && required.is_empty()
            && unevaluated_properties.is_none()
            && self.minimum_properties.is_none()
            && self.maximum_properties.is_none()
            && self.has_independent_members()
    }

    /// Whether members are told apart by their whole names only, and none depends on another.
    pub(super) fn has_independent_members(&self) -> bool {
        self.pattern_properties.is_empty()
            && self.property_names.is_none()
            && self.dependent_required.is_empty()
            && self.dependent_schemas.is_empty()
    }
}

/// Keywords that apply schemas to the value itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Applicators {
    /// `$ref`.
    pub(super) reference: Option<SchemaId>,
    /// `$dynamicRef` or `$recursiveRef`.
    pub(super) dynamic_reference: Option<DynamicReference>,
    /// `allOf`.
    pub(super) all_of: Vec<SchemaId>,
    /// `anyOf`; an absent one is `None`.
    pub(super) any_of: Option<Vec<SchemaId>>,
    /// `oneOf`; an absent one is `None`.
    pub(super) one_of: Option<Vec<SchemaId>>,
    /// `not`.
    pub(super) negation: Option<SchemaId>,
    /// `if`, kept only with a `then` or an `else`, or where something unevaluated depends on it.
    pub(super) condition: Option<SchemaId>,
    /// `then`, where there is an `if`.
    pub(super) consequence: Option<SchemaId>,
    /// `else`, where there is an `if`.
    pub(super) alternative: Option<SchemaId>,
}

impl Applicators {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        let Self { reference, dynamic_reference, all_of, any_of, one_of, negation, condition, .. } = self;
        reference.is_none()
            && dynamic_reference.is_none()
            && all_of.is_empty()
            && any_of.is_none()
            && one_of.is_none()
            && negation.is_none()
            && condition.is_none()
    }

    /// The one schema that they say must hold, where they say nothing else.
    pub(super) fn sole_conjunct(&self) -> Option<SchemaId> {
        let Self { reference, dynamic_reference: None, all_of, any_of: None, one_of: None, .. } = self else {
            return None;
        };
        if self.negation.is_some() || self.condition.is_some() {
            return None;
        }
        match (reference, all_of.as_slice()) {
            (&Some(target), []) => Some(target),
            (None, &[only]) => Some(only),
            _ => None,
        }
    }

    /// The schemas of which one must hold, and whether just one, where they say nothing else.
    pub(super) fn sole_choice(&self) -> Option<(&[SchemaId], bool)> {
        let Self { reference: None, dynamic_reference: None, negation: None, condition: None, .. } = self
        else {
            return None;
        };
        match (self.all_of.as_slice(), &self.any_of, &self.one_of) {
            ([], Some(alternatives), None) => Some((alternatives, false)),
            ([], None, Some(alternatives)) => Some((alternatives, true)),
            _ => None,
        }
    }
}

/// A reference whose target depends on how the schema was reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct DynamicReference {
    /// The target by the usual rules.
    pub(super) target: SchemaId,
    /// Where the target is a dynamic anchor: its name. The outermost resource of the dynamic scope that has
    /// an anchor of this name gives the target instead.
    pub(super) anchor: Option<String>,
}

/// A set of the types of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TypeSet(u8);

impl TypeSet {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(1 << 1);
    pub(super) const INTEGER: Self = Self(1 << 2);
    /// Numbers that are no integers.
    pub(super) const FRACTION: Self = Self(1 << 3);
    pub(super) const NUMBER: Self = Self(1 << 2 | 1 << 3);
    pub(super) const STRING: Self = Self(1 << 4);
    pub(super) const ARRAY: Self = Self(1 << 5);
    pub(super) const OBJECT: Self = Self(1 << 6);
    pub(super) const ALL: Self = Self((1 << 7) - 1);

    /// The type of a value.
    pub(super) fn of(value: &Constant) -> Self {
        match value {
            Constant::Null => Self::NULL,
            Constant::Boolean(_) => Self::BOOLEAN,
            Constant::Number(number) if number.is_integer() => Self::INTEGER,
            Constant::Number(_) => Self::FRACTION,
            Constant::String(_) => Self::STRING,
            Constant::Array(_) => Self::ARRAY,
            Constant::Object(_) => Self::OBJECT,
        }
    }

    /// The types in both sets.
    pub(super) fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The types in either set.
    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The types of this set that the other lacks.
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// A bit for each type.
    pub(super) fn bits(self) -> u8 {
        self.0
    }

    /// Whether there is a type in both sets.
    pub(super) fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
