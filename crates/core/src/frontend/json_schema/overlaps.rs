//! Which of some schemas may have values in common, as far as their keywords show.
//!
//! Of `oneOf`, that one schema holds says already that those do not with which it has no value in common, so these need not
//! be denied; where no two have one, `oneOf` is `anyOf`. Two schemas have none where their types, constants, bounds or lengths exclude each other, or where they do so of
//! a member or an item that both must have; and so it is where a schema that one refers to, or each of those of which one must hold,
//! has none with the other. Everything else is taken to be possible.
//!
//! Schemas are compared by twos, but only where the least and the greatest of their values overlap, so that thousands of
//! constants or ranges are told apart as they are sorted.

use rustc_hash::{FxHashMap, FxHashSet};

use super::constant::Constant;
use super::decimal::Decimal;
use super::schema::{
    Applicators, ArrayKeywords, Body, Keywords, NumberKeywords, ObjectKeywords, SchemaId, TypeSet,
};
use super::solver::Solver;
use crate::spelling::character_count;

/// So many looks at schemas, names and constants are taken at most.
const MOST_LOOKS: usize = 8_000_000;
/// So many pairs that overlap are told apart from the others.
const MOST_PAIRS: usize = 1_000_000;
/// How deep members and items are compared.
const DEEPEST: u32 = 8;

/// The looks that are left, and what those so far told of pairs that are compared by what they apply.
struct Looks {
    left: usize,
    of_pairs: FxHashMap<([SchemaId; 2], TypeSet), bool>,
}

impl Looks {
    /// Whether so many more may be taken.
    fn take(&mut self, count: usize) -> bool {
        let left = self.left.checked_sub(count);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// Values between which all of a schema are; `None` where nothing bounds them.
struct Range {
    alternative: usize,
    least: Option<Constant>,
    greatest: Option<Constant>,
}

impl Solver<'_> {
    /// Whether plainly no value of some types satisfies two of the schemas.
    pub(super) fn are_disjoint(&self, alternatives: &[SchemaId], among: TypeSet) -> bool {
        self.are_told_apart_together(alternatives, among)
            || self.find_overlaps(alternatives, among, |_, _| false).is_some()
    }

    /// For each of some schemas, which others some value of some types may satisfy together with it, by their places,
    /// ascending. `None` where it would take too much to tell.
    pub(super) fn overlaps(&self, alternatives: &[SchemaId], among: TypeSet) -> Option<Vec<Vec<usize>>> {
        let mut overlaps = vec![Vec::new(); alternatives.len()];
        if self.are_told_apart_together(alternatives, among) {
            return Some(overlaps);
        }
        let mut pairs = 0;
        self.find_overlaps(alternatives, among, |one, other| {
            overlaps[one].push(other);
            overlaps[other].push(one);
            pairs += 1;
            pairs <= MOST_PAIRS
        })?;
        overlaps.iter_mut().for_each(|others| others.sort_unstable());
        Some(overlaps)
    }

    /// Gives each pair of schemas that may overlap to `found`, until that has enough, or too many looks were taken, or the time
    /// is over; `None` then.
    fn find_overlaps(
        &self,
        alternatives: &[SchemaId],
        among: TypeSet,
        mut found: impl FnMut(usize, usize) -> bool,
    ) -> Option<()> {
        let mut looks = Looks { left: MOST_LOOKS, of_pairs: FxHashMap::default() };
        let mut ranges = Vec::new();
        for (alternative, &schema) in alternatives.iter().enumerate() {
            let (least, greatest) = match self.body_of(schema) {
                Some(Body::Always(false)) => continue,
                Some(Body::Keywords(keywords)) => match values_between(keywords, among) {
                    Some(between) => between,
                    None => continue,
                },
                _ => (None, None),
            };
            ranges.push(Range { alternative, least, greatest });
        }
        // What is not bounded comes first.
        ranges.sort_by(|one, other| one.least.cmp(&other.least));
        let mut before: Vec<&Range> = Vec::new();
        for range in &ranges {
            self.deadline.check().ok()?;
            if let Some(least) = &range.least {
                looks.take(before.len()).then_some(())?;
                before.retain(|other| other.greatest.as_ref().is_none_or(|greatest| greatest >= least));
            }
            for other in &before {
                let pair = [range.alternative, other.alternative];
                looks.take(1).then_some(())?;
                if self.have_common(pair.map(|at| alternatives[at]), among, &mut looks, DEEPEST)
                    && !found(pair[0], pair[1])
                {
                    return None;
                }
            }
            before.push(range);
        }
        Some(())
    }

    /// Whether some value of some types may satisfy both schemas: by what they say themselves, and by what they apply.
    fn have_common(&self, pair: [SchemaId; 2], among: TypeSet, looks: &mut Looks, depth: u32) -> bool {
        if !self.have_common_by_keywords(pair, among, looks, depth) {
            return false;
        }
        let applied = pair.map(|schema| match self.body_of(schema) {
            Some(Body::Keywords(keywords)) => {
                Some(&keywords.applicators).filter(|applied| !applied.is_empty())
            }
            _ => None,
        });
        if applied == [None, None] || depth == 0 || !looks.take(1) {
            return true;
        }
        if let Some(&known) = looks.of_pairs.get(&(pair, among)) {
            return known;
        }
        // What leads back here is not told apart on that way.
        looks.of_pairs.insert((pair, among), true);
        let have_common = (0..2).all(|at| {
            let Some(Applicators { reference, all_of, any_of, one_of, .. }) = applied[at] else {
                return true;
            };
            let mut with =
                |target: &SchemaId| self.have_common([*target, pair[1 - at]], among, looks, depth - 1);
            reference.iter().chain(all_of).all(&mut with)
                && any_of.iter().chain(one_of).all(|choice| choice.iter().any(&mut with))
        });
        looks.of_pairs.insert((pair, among), have_common);
        have_common
    }

    /// The same, by what they say themselves.
    fn have_common_by_keywords(
        &self,
        pair: [SchemaId; 2],
        among: TypeSet,
        looks: &mut Looks,
        depth: u32,
    ) -> bool {
        let [Some(one), Some(other)] = pair.map(|schema| self.body_of(schema)) else { return true };
        let (one, other) = match (one, other) {
            (Body::Always(false), _) | (_, Body::Always(false)) => return false,
            (Body::Always(true), _) | (_, Body::Always(true)) => return true,
            (Body::Keywords(one), Body::Keywords(other)) => (one, other),
        };
        if depth == 0 || !looks.take(1) {
            return true;
        }
        let both = [&**one, &**other];
        let types = both.iter().filter_map(|keywords| keywords.types).fold(among, TypeSet::intersection);
        let listed = both.map(Keywords::listed_values);
        if let [Some(values), others] | [others @ None, Some(values)] = listed {
            if !looks.take(values.len() + others.map_or(0, <[Constant]>::len)) {
                return true;
            }
            let known = others.map(|others| others.iter().collect::<FxHashSet<&Constant>>());
            return values.iter().any(|value| {
                types.overlaps(TypeSet::of(value))
                    && known.as_ref().is_none_or(|known| known.contains(value))
                    && both.iter().all(|keywords| self.is_allowed(keywords, value, looks, depth))
            });
        }
        types.overlaps(TypeSet::NULL.union(TypeSet::BOOLEAN))
            || types.overlaps(TypeSet::NUMBER) && !bounds_exclude(&one.number, &other.number)
            || types.overlaps(TypeSet::STRING) && {
                let lengths =
                    |keywords: &Keywords| (keywords.string.minimum_length, keywords.string.maximum_length);
                !counts_exclude(both.map(lengths))
            }
            || types.overlaps(TypeSet::ARRAY)
                && self.arrays_have_common([&one.array, &other.array], looks, depth)
            || types.overlaps(TypeSet::OBJECT)
                && self.objects_have_common([&one.object, &other.object], looks, depth)
    }

    fn arrays_have_common(&self, both: [&ArrayKeywords; 2], looks: &mut Looks, depth: u32) -> bool {
        if counts_exclude(both.map(|array| (array.minimum_items, array.maximum_items))) {
            return false;
        }
        let least = both.iter().filter_map(|array| array.minimum_items).max().unwrap_or(0);
        // From there on, all have one schema each.
        let told_apart = both.iter().map(|array| array.prefix_items.len() + 1).max().unwrap_or(0);
        let places = usize::try_from(least).unwrap_or(usize::MAX).min(told_apart);
        (0..places).all(|at| self.parts_have_common(both.map(|array| item_at(array, at)), looks, depth))
    }

    fn objects_have_common(&self, both: [&ObjectKeywords; 2], looks: &mut Looks, depth: u32) -> bool {
        let least = |object: &ObjectKeywords| {
            let required = object.required.len() as u64;
            object.minimum_properties.map_or(required, |least| least.max(required))
        };
        if counts_exclude(both.map(|object| (Some(least(object)), object.maximum_properties))) {
            return false;
        }
        both.iter().flat_map(|object| &object.required).all(|name| {
            let known: usize = both.iter().map(|object| object.properties.len()).sum();
            // So many names are read in the time of a look.
            !looks.take(known / 8)
                || self.parts_have_common(both.map(|object| member_of(object, name.as_bytes())), looks, depth)
        })
    }

    /// Whether a part may be that both values must have, by its schemas, where there are any.
    fn parts_have_common(&self, schemas: [Option<SchemaId>; 2], looks: &mut Looks, depth: u32) -> bool {
        match schemas {
            [Some(one), Some(other)] => self.have_common([one, other], TypeSet::ALL, looks, depth - 1),
            [Some(only), None] | [None, Some(only)] => {
                !matches!(self.body_of(only), Some(Body::Always(false)))
            }
            [None, None] => true,
        }
    }

    /// Whether a value may satisfy keywords.
    fn may_be(&self, keywords: &Keywords, value: &Constant, looks: &mut Looks, depth: u32) -> bool {
        let Keywords { types, constant, enumeration, .. } = keywords;
        let listed = enumeration.as_deref().unwrap_or_default();
        if !looks.take(1 + listed.len()) {
            return true;
        }
        types.is_none_or(|types| types.overlaps(TypeSet::of(value)))
            && constant.as_ref().is_none_or(|constant| constant == value)
            && (enumeration.is_none() || listed.contains(value))
            && self.is_allowed(keywords, value, looks, depth)
    }

    /// Whether a value may satisfy what keywords say beside its type and the values that they list.
    fn is_allowed(&self, keywords: &Keywords, value: &Constant, looks: &mut Looks, depth: u32) -> bool {
        if depth == 0 || !looks.take(1) {
            return true;
        }
        let Keywords { string, number, array, object, .. } = keywords;
        let part_may_be = |schema: Option<SchemaId>, part: &Constant, looks: &mut Looks| match schema
            .and_then(|schema| self.body_of(schema))
        {
            None => true,
            Some(Body::Always(holds)) => *holds,
            Some(Body::Keywords(keywords)) => self.may_be(keywords, part, looks, depth - 1),
        };
        let is_count = |count: u64, least: Option<u64>, most: Option<u64>| {
            least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most)
        };
        match value {
            Constant::Null | Constant::Boolean(_) => true,
            Constant::Number(value) => is_between(value, number),
            Constant::String(content) => {
                is_count(character_count(content) as u64, string.minimum_length, string.maximum_length)
            }
            Constant::Array(items) => {
                let mut places = items.iter().enumerate();
                is_count(items.len() as u64, array.minimum_items, array.maximum_items)
                    && places.all(|(at, item)| part_may_be(item_at(array, at), item, looks))
            }
            Constant::Object(members) => {
                let count = members.len() as u64;
                !looks.take(members.len().saturating_mul(object.properties.len()) / 8)
                    || is_count(count, object.minimum_properties, object.maximum_properties)
                        && object.required.iter().all(|name| members.contains_key(name.as_bytes()))
                        && members
                            .iter()
                            .all(|(name, member)| part_may_be(member_of(object, name), member, looks))
            }
        }
    }
}

/// Values between which all values of some types are that satisfy keywords; `None` where there plainly are none.
fn values_between(keywords: &Keywords, among: TypeSet) -> Option<(Option<Constant>, Option<Constant>)> {
    let types = keywords.types.unwrap_or(TypeSet::ALL).intersection(among);
    if types == TypeSet::NONE {
        return None;
    }
    if let Some(values) = keywords.listed_values() {
        let ours = || values.iter().filter(|value| types.overlaps(TypeSet::of(value)));
        return Some((Some(ours().min()?.clone()), ours().max().cloned()));
    }
    if types.without(TypeSet::NUMBER) != TypeSet::NONE {
        return Some((None, None));
    }
    let number = |bound: (&Decimal, bool)| Constant::Number(bound.0.clone());
    Some((lower_bound(&keywords.number).map(number), upper_bound(&keywords.number).map(number)))
}

/// The greatest lower bound of numbers, and whether it is none of them.
fn lower_bound(number: &NumberKeywords) -> Option<(&Decimal, bool)> {
    let NumberKeywords { minimum, exclusive_minimum, .. } = number;
    let [included, excluded] = [(minimum, false), (exclusive_minimum, true)];
    [included, excluded].into_iter().filter_map(|(bound, excluded)| Some((bound.as_ref()?, excluded))).max()
}

/// The least upper bound of numbers, and whether it is none of them.
fn upper_bound(number: &NumberKeywords) -> Option<(&Decimal, bool)> {
    let NumberKeywords { maximum, exclusive_maximum, .. } = number;
    let [included, excluded] = [(maximum, false), (exclusive_maximum, true)];
    let bounds = [included, excluded].into_iter();
    bounds
        .filter_map(|(bound, excluded)| Some((bound.as_ref()?, excluded)))
        .min_by_key(|&(bound, excluded)| (bound, !excluded))
}

fn bounds_exclude(one: &NumberKeywords, other: &NumberKeywords) -> bool {
    let least = lower_bound(one).max(lower_bound(other));
    let greatest = [upper_bound(one), upper_bound(other)].into_iter().flatten();
    let greatest = greatest.min_by_key(|&(bound, excluded)| (bound, !excluded));
    let (Some((least, is_above)), Some((greatest, is_below))) = (least, greatest) else { return false };
    least > greatest || least == greatest && (is_above || is_below)
}

fn is_between(value: &Decimal, number: &NumberKeywords) -> bool {
    lower_bound(number).is_none_or(|(least, excluded)| value > least || value == least && !excluded)
        && upper_bound(number).is_none_or(|(most, excluded)| value < most || value == most && !excluded)
}

/// Whether no number is one that both allow, each by the least and the greatest.
fn counts_exclude(both: [(Option<u64>, Option<u64>); 2]) -> bool {
    let least = both.iter().filter_map(|(least, _)| *least).max();
    let most = both.iter().filter_map(|(_, most)| *most).min();
    least.zip(most).is_some_and(|(least, most)| least > most)
}

/// A schema that the item at a place satisfies, if there is one.
fn item_at(array: &ArrayKeywords, at: usize) -> Option<SchemaId> {
    array.prefix_items.get(at).copied().or(array.items)
}

/// A schema that the member of a name satisfies, if there is one.
fn member_of(object: &ObjectKeywords, name: &[u8]) -> Option<SchemaId> {
    let named = object.properties.iter().find(|(known, _)| known.as_bytes() == name);
    let other = object.additional_properties.filter(|_| object.pattern_properties.is_empty());
    named.map(|&(_, schema)| schema).or(other)
}

#[cfg(test)]
mod tests {
    use super::super::solver::tests::{accepted, with_solver};
    use super::*;

    /// Pairs of schemas, and whether they may overlap.
    const PAIRS: &[(&str, &str, bool)] = &[
        (r#"{"maximum": 4, "type": "number"}"#, r#"{"type": "number", "exclusiveMinimum": 4}"#, false),
        (r#"{"maximum": 4, "type": "number"}"#, r#"{"type": "integer", "minimum": 4}"#, true),
        (
            r#"{"exclusiveMaximum": 4, "maximum": 4, "type": "number"}"#,
            r#"{"type": "number", "minimum": 4}"#,
            false,
        ),
        (
            r#"{"exclusiveMaximum": 5, "maximum": 4, "type": "number"}"#,
            r#"{"type": "number", "minimum": 4}"#,
            true,
        ),
        (r#"{"maximum": 4}"#, r#"{"type": ["integer", "null"], "minimum": 5}"#, true),
        (r#"{"maximum": 4}"#, r#"{"type": "integer", "minimum": 5}"#, false),
        (r#"{"const": 4}"#, r#"{"type": "integer", "exclusiveMinimum": 4}"#, false),
        (r#"{"const": 4.0}"#, r#"{"enum": [3, 4]}"#, true),
        (r#"{"enum": [1, "a"]}"#, r#"{"enum": [2, "b"]}"#, false),
        (r#"{"enum": [1, "a"]}"#, r#"{"type": "string", "minLength": 2}"#, false),
        (r#"{"enum": [1, "ab"]}"#, r#"{"type": "string", "minLength": 2}"#, true),
        (r#"{"enum": [1, "ab"], "type": "integer"}"#, r#"{"type": "string", "minLength": 2}"#, false),
        (r#"{"enum": [1, "ab"], "const": 1}"#, r#"{"type": "string", "minLength": 2}"#, false),
        (r#"{"type": "string", "minLength": 2}"#, r#"{"type": "string", "maxLength": 1}"#, false),
        (r#"{"type": "string", "minLength": 2}"#, r#"{"type": "string", "maxLength": 2}"#, true),
        (r#"{"type": "array", "minItems": 2}"#, r#"{"type": "array", "maxItems": 1}"#, false),
        (
            r#"{"type": "array", "minItems": 1, "items": {"const": 1}}"#,
            r#"{"type": "array", "items": {"const": 2}}"#,
            false,
        ),
        (r#"{"type": "array", "items": {"const": 1}}"#, r#"{"type": "array", "items": {"const": 2}}"#, true),
        (
            r#"{"type": "array", "minItems": 2, "prefixItems": [true, {"const": 1}]}"#,
            r#"{"type": "array", "prefixItems": [{"const": 2}], "items": {"const": 2}}"#,
            false,
        ),
        (
            r#"{"type": "array", "minItems": 2, "prefixItems": [true]}"#,
            r#"{"type": "array", "prefixItems": [{}], "items": false}"#,
            false,
        ),
        (r#"{"const": [1, 2]}"#, r#"{"type": "array", "prefixItems": [true, {"type": "null"}]}"#, false),
        (r#"{"const": [1, 2]}"#, r#"{"type": "array", "maxItems": 1}"#, false),
        (r#"{"const": [1, 2]}"#, r#"{"const": [1, 2.0]}"#, true),
        (r#"{"const": {"a": 1}}"#, r#"{"const": {"a": 2}}"#, false),
        (r#"{"const": {"a": 1}}"#, r#"{"type": "object", "required": ["b"]}"#, false),
        (r#"{"const": {"a": 1}}"#, r#"{"type": "object", "minProperties": 2}"#, false),
        (r#"{"const": {"a": 1}}"#, r#"{"type": "object", "additionalProperties": {"minimum": 2}}"#, false),
        (
            r#"{"const": {"a": 1}}"#,
            r#"{"type": "object", "patternProperties": {"^a": {}}, "additionalProperties": {"minimum": 2}}"#,
            true,
        ),
        (
            r#"{"const": {"a": 1}}"#,
            r#"{"type": "object", "properties": {"a": {"minimum": 1}}, "required": ["a"]}"#,
            true,
        ),
        (
            r#"{"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": false}"#,
            r#"{"type": "object", "properties": {"b": {}}, "required": ["b"], "additionalProperties": false}"#,
            false,
        ),
        (
            r#"{"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": false}"#,
            r#"{"type": "object", "properties": {"b": {}}, "additionalProperties": false}"#,
            false,
        ),
        (
            r#"{"type": "object", "properties": {"a": {}}, "additionalProperties": false}"#,
            r#"{"type": "object", "properties": {"b": {}}, "additionalProperties": false}"#,
            true,
        ),
        (
            r#"{"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": false}"#,
            r#"{"type": "object", "patternProperties": {"^a": {}}, "additionalProperties": false}"#,
            true,
        ),
        (r#"{"type": "object", "required": ["a", "b"]}"#, r#"{"type": "object", "maxProperties": 1}"#, false),
        (
            r#"{"type": "object", "required": ["a", "b"]}"#,
            r#"{"type": "object", "properties": {"b": false}}"#,
            false,
        ),
        (
            r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "object", "required": ["a"], "properties": {"a": {"maximum": 1, "type": "number"}}}}}"#,
            r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "object", "properties": {"a": {"const": 2}}}}}"#,
            false,
        ),
        (r#"{"type": "object"}"#, r#"{"required": ["a"]}"#, true),
        (r#"{"type": "null"}"#, r#"{"type": ["null", "string"]}"#, true),
        ("true", "{}", true),
        ("false", "{}", false),
        (r#"{"type": "string", "pattern": "^a"}"#, r#"{"type": "string", "pattern": "^b"}"#, true),
        (r#"{"anyOf": [{"const": 1}, {"const": 2}]}"#, r#"{"oneOf": [{"const": 3}, {"const": "a"}]}"#, false),
        (r#"{"anyOf": [{"const": 1}, {"const": 2}]}"#, r#"{"oneOf": [{"const": 2}, {"const": "a"}]}"#, true),
        (r#"{"allOf": [{"minLength": 1}, {"type": "string"}]}"#, r#"{"type": "number"}"#, false),
        (
            r#"{"oneOf": [{"oneOf": [{"const": 1}, {"const": 2}]}, {"type": "null"}], "minimum": 2}"#,
            r#"{"anyOf": [{"type": "string"}, {"allOf": [{"type": "integer"}, {"maximum": 0}]}]}"#,
            false,
        ),
        (r#"{"not": {"const": 1}}"#, r#"{"const": 1}"#, true),
    ];

    const DOCUMENTS: &[&str] = &[
        "null",
        "true",
        "1",
        "2",
        "3.5",
        "4",
        "4.0",
        "4.5",
        "5",
        r#""""#,
        r#""a""#,
        r#""b""#,
        r#""ab""#,
        r#""abc""#,
        "[]",
        "[1]",
        "[2]",
        "[1,1]",
        "[1,2]",
        "[2,2]",
        "[2,1]",
        "[1,null]",
        "[1,2,3]",
        "{}",
        r#"{"a":1}"#,
        r#"{"a":2}"#,
        r#"{"b":1}"#,
        r#"{"a":1,"b":2}"#,
        r#"{"a":{"a":1}}"#,
        r#"{"a":{"a":2}}"#,
        r#"{"a":{}}"#,
    ];

    fn accepted_here(schema: &str) -> Vec<bool> {
        // What nothing satisfies is no grammar, so something else may come as well.
        accepted(&format!(r#"{{"anyOf": [{schema}, {{"const": "something else"}}]}}"#), DOCUMENTS)
    }

    /// The schemas of the `oneOf` of a solver's root.
    fn alternatives(solver: &Solver<'_>) -> Vec<SchemaId> {
        match &solver.schemas.schemas[solver.schemas.root.index()].body {
            Body::Keywords(root) => root.applicators.one_of.clone().unwrap_or_default(),
            Body::Always(_) => Vec::new(),
        }
    }

    #[test]
    fn no_document_satisfies_two_schemas_that_are_told_apart() {
        for &(one, other, may_overlap) in PAIRS {
            for pair in [[one, other], [other, one]] {
                let text = format!(r#"{{"oneOf": [{}]}}"#, pair.join(", "));
                with_solver(&text, |solver| {
                    let all = alternatives(solver);
                    assert_eq!(!solver.are_disjoint(&all, TypeSet::ALL), may_overlap, "{text}");
                });
            }
            let both = accepted_here(one)
                .into_iter()
                .zip(accepted_here(other))
                .position(|(one, other)| one && other);
            assert!(both.is_none() || may_overlap, "{one} {other} {}", DOCUMENTS[both.unwrap_or(0)]);
        }
    }

    /// Thousands of constants in each of two schemas are told apart by one look at each.
    #[test]
    fn long_lists_of_constants_are_told_apart() {
        let list = |from: usize, more: &str| {
            let values = (0..5000).map(|at| (3 * at + from).to_string()).collect::<Vec<_>>().join(", ");
            format!(r#"{{"enum": [{values}{more}]}}"#)
        };
        for (more, may_overlap) in [("", false), (", 6000", true)] {
            let text = format!(r#"{{"oneOf": [{}, {}, {}]}}"#, list(0, ""), list(1, ""), list(2, more));
            with_solver(&text, |solver| {
                assert_eq!(!solver.are_disjoint(&alternatives(solver), TypeSet::ALL), may_overlap);
            });
        }
    }

    /// Of several schemas, each is told apart from just those that it is told apart from alone; and `oneOf` means the same
    /// where it is not seen that they are.
    #[test]
    fn several_schemas_are_told_apart_as_two_are() {
        let all: Vec<&str> = PAIRS.iter().flat_map(|&(one, other, _)| [one, other]).collect();
        for (start, step, count) in
            [(0, 1, 12), (5, 3, 9), (1, 7, 10), (30, 11, 8), (2, 5, 14), (40, 1, 12), (9, 13, 7)]
        {
            let some: Vec<&str> = (0..count).map(|at| all[(start + at * step) % all.len()]).collect();
            let text = format!(r#"{{"oneOf": [{}]}}"#, some.join(", "));
            with_solver(&text, |solver| {
                let schemas = alternatives(solver);
                for among in [TypeSet::ALL, TypeSet::NUMBER, TypeSet::STRING, TypeSet::ARRAY, TypeSet::OBJECT]
                {
                    let overlaps = solver.overlaps(&schemas, among).unwrap();
                    for (at, &schema) in schemas.iter().enumerate() {
                        let others = (0..schemas.len()).filter(|&other| {
                            other != at && !solver.are_disjoint(&[schema, schemas[other]], among)
                        });
                        assert_eq!(overlaps[at], others.collect::<Vec<_>>(), "{text} {at}");
                    }
                }
            });
            let hidden = some.iter().map(|schema| format!(r#"{{"if": {{}}, "then": {schema}}}"#));
            let hidden = format!(r#"{{"oneOf": [{}]}}"#, hidden.collect::<Vec<_>>().join(", "));
            assert_eq!(accepted_here(&text), accepted_here(&hidden), "{text}");
            let closed = r#""unevaluatedProperties": false, "unevaluatedItems": {"type": "integer"}"#;
            let [text, hidden] =
                [text, hidden].map(|text| format!("{}, {closed}}}", &text[..text.len() - 1]));
            assert_eq!(accepted_here(&text), accepted_here(&hidden), "{text}");
        }
    }
}
