use std::time::Duration;

use super::super::constant::Constant;
use super::super::schema::{Body, Keywords, SchemaId, Schemas, TypeSet};
use super::load;
use super::uri::{percent_decoded, resolve};
use crate::budget::Budget;
use crate::error::Error;

pub(super) fn loaded(text: &str, documents: &[(&str, &str)], draft: &str) -> Result<Schemas, Error> {
    let documents: Vec<(String, String)> =
        documents.iter().map(|&(uri, text)| (uri.to_owned(), text.to_owned())).collect();
    load(text, &documents, draft, &Budget::default())
}

fn place(schemas: &Schemas, id: SchemaId) -> &str {
    &schemas.schemas[id.index()].location
}

/// Every reference that is reached, as `from -> to`; dynamic ones with `~name`, in the order of their places.
fn references(schemas: &Schemas) -> Vec<String> {
    let mut found = Vec::new();
    for schema in &schemas.schemas {
        let Body::Keywords(keywords) = &schema.body else { continue };
        if let Some(target) = keywords.applicators.reference {
            found.push(format!("{} -> {}", schema.location, place(schemas, target)));
        }
        if let Some(dynamic) = &keywords.applicators.dynamic_reference {
            let anchor = dynamic.anchor.as_ref().map_or_else(String::new, |name| format!(" ~{name}"));
            found.push(format!("{} -> {}{anchor}", schema.location, place(schemas, dynamic.target)));
        }
    }
    found.sort();
    found
}

/// A schema, the documents beside it, its draft, and its references.
type ReferenceCase<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, &'a [&'a str]);

#[test]
fn references_are_resolved() {
    let cases: &[ReferenceCase<'_>] = &[
        // JSON pointers, with escapes, into unknown keywords, and round in circles.
        (r##"{"$ref":"#"}"##, &[], "", &["# -> #"]),
        (r##"{"$ref":"#/$defs/a~1b~0c%25d","$defs":{"a/b~c%d":{}}}"##, &[], "", &["# -> #/$defs/a~1b~0c%d"]),
        (r##"{"$ref":"#/unknown/1/x","unknown":[0,{"x":true}]}"##, &[], "", &["# -> #/unknown/1/x"]),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
            &[],
            "",
            &["# -> #/$defs/a", "#/$defs/a -> #/$defs/b", "#/$defs/b -> #/$defs/a"],
        ),
        // What is not reached is not looked at.
        (r##"{"$defs":{"a":{"$ref":"nowhere"}}}"##, &[], "", &[]),
        // Anchors, of every draft its own.
        (r##"{"$ref":"#a","$defs":{"x":{"$anchor":"a"}}}"##, &[], "", &["# -> #/$defs/x"]),
        (r##"{"$ref":"#a","definitions":{"x":{"$id":"#a"}}}"##, &[], "draft7", &["# -> #/definitions/x"]),
        (r##"{"$ref":"#a","definitions":{"x":{"id":"#a"}}}"##, &[], "draft4", &["# -> #/definitions/x"]),
        (
            r##"{"$ref":"#a","$defs":{"c":{"const":{"$anchor":"a"}},"x":{"$anchor":"a"}}}"##,
            &[],
            "",
            &["# -> #/$defs/x"],
        ),
        // An `$id` is the base of what is below it.
        (
            r##"{"$id":"http://x/root.json","$ref":"b/c.json","$defs":{"d":{"$id":"b/","$defs":{"e":{"$id":"c.json","$ref":"#/$defs/f","$defs":{"f":{}}}}}}}"##,
            &[],
            "",
            &["# -> #/$defs/d/$defs/e", "#/$defs/d/$defs/e -> #/$defs/d/$defs/e/$defs/f"],
        ),
        // Two that say the same may be called alike.
        (
            r##"{"$ref":"n#m","$defs":{"a":{"$id":"n","not":{"$anchor":"m"},"if":{"$anchor":"m"}},"b":{"$id": "n", "not":{"$anchor":"m"},"if":{"$anchor":"m"}}}}"##,
            &[],
            "",
            &["# -> #/$defs/b/if"],
        ),
        // Beside `$ref` in draft 7 nothing counts.
        (
            r##"{"$id":"http://x/a/","allOf":[{"$id":"http://x/b/","$ref":"c"}],"definitions":{"c":{"$id":"c"}}}"##,
            &[],
            "draft7",
            &["#/allOf/0 -> #/definitions/c"],
        ),
        // Documents, by their own URI and by that of their `$id`; a metaschema of the drafts is known.
        (
            r##"{"$ref":"http://x/d.json#/$defs/a"}"##,
            &[("http://x/d.json", r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{}}}"##)],
            "",
            &["# -> http://x/d.json#/$defs/a", "http://x/d.json#/$defs/a -> http://x/d.json#/$defs/b"],
        ),
        (r##"{"$ref":"d.json"}"##, &[("d.json", "true")], "", &["# -> d.json#"]),
        (
            r##"{"$ref":"urn:example:one"}"##,
            &[("file.json", r##"{"$id":"urn:example:one"}"##)],
            "",
            &["# -> file.json#"],
        ),
        (
            r##"{"$ref":"https://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger"}"##,
            &[],
            "",
            &["# -> https://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger"],
        ),
        // A dynamic reference is one where its target is a dynamic anchor.
        (r##"{"$dynamicRef":"#a","$defs":{"x":{"$dynamicAnchor":"a"}}}"##, &[], "", &["# -> #/$defs/x ~a"]),
        (r##"{"$dynamicRef":"#a","$defs":{"x":{"$anchor":"a"}}}"##, &[], "", &["# -> #/$defs/x"]),
        (
            r##"{"$dynamicRef":"#/$defs/x","$defs":{"x":{"$dynamicAnchor":"a"}}}"##,
            &[],
            "",
            &["# -> #/$defs/x"],
        ),
        (r##"{"$recursiveRef":"#","$recursiveAnchor":true}"##, &[], "2019-09", &["# -> # ~"]),
        (r##"{"$recursiveRef":"#"}"##, &[], "2019-09", &["# -> #"]),
        (r##"{"$recursiveRef":"#","$recursiveAnchor":true}"##, &[], "2020-12", &[]),
    ];
    for (text, documents, draft, expected) in cases {
        let schemas = loaded(text, documents, draft).unwrap();
        assert_eq!(references(&schemas), *expected, "{text}");
    }
}

#[test]
fn dynamic_anchors_belong_to_resources() {
    let text = r##"{"$ref":"list","$defs":{
        "item":{"$dynamicAnchor":"item"},
        "list":{"$id":"list","items":{"$dynamicRef":"#item"},"$defs":{"any":{"$dynamicAnchor":"item"}}}}}"##;
    let schemas = loaded(text, &[], "").unwrap();
    assert!(schemas.has_dynamic_references);
    let anchors: Vec<&str> =
        schemas.resources.iter().map(|resource| place(&schemas, resource.dynamic_anchors["item"])).collect();
    assert_eq!(anchors, ["#/$defs/item", "#/$defs/list/$defs/any"]);
}

/// Keywords in the terms of draft 2020-12, in one line. Covers what drafts spell differently.
fn summary(schemas: &Schemas, keywords: &Keywords) -> String {
    let mut parts = Vec::new();
    let number = &keywords.number;
    for (name, bound) in [
        ("minimum", &number.minimum),
        ("maximum", &number.maximum),
        ("exclusiveMinimum", &number.exclusive_minimum),
        ("exclusiveMaximum", &number.exclusive_maximum),
    ] {
        parts.extend(bound.as_ref().map(|bound| format!("{name} {bound}")));
    }
    let (string, array, object) = (&keywords.string, &keywords.array, &keywords.object);
    for (name, count) in [
        ("minLength", string.minimum_length),
        ("minItems", array.minimum_items),
        ("minContains", array.minimum_contains),
        ("maxContains", array.maximum_contains),
    ] {
        parts.extend(count.map(|count| format!("{name} {count}")));
    }
    parts.extend(string.format.as_ref().map(|format| format!("format {format}")));
    parts.extend(array.prefix_items.iter().map(|&item| format!("prefixItems {}", place(schemas, item))));
    let applicators = &keywords.applicators;
    for (name, schema) in [
        ("items", array.items),
        ("contains", array.contains),
        ("unevaluatedItems", array.unevaluated_items),
        ("if", applicators.condition),
        ("then", applicators.consequence),
        ("else", applicators.alternative),
    ] {
        parts.extend(schema.map(|schema| format!("{name} {}", place(schemas, schema))));
    }
    parts.extend(keywords.constant.as_ref().map(|constant| format!("const {constant:?}")));
    parts.extend(object.properties.iter().map(|(name, id)| format!("{name}: {}", place(schemas, *id))));
    parts.extend(object.dependent_required.iter().map(|(name, names)| format!("{name} requires {names:?}")));
    parts.extend(
        object.dependent_schemas.iter().map(|(name, id)| format!("{name} => {}", place(schemas, *id))),
    );
    if !object.required.is_empty() {
        parts.push(format!("required {:?}", object.required));
    }
    parts.join(", ")
}

#[test]
fn keywords_are_those_of_the_draft() {
    let exclusive = r#"{"minimum":3,"exclusiveMinimum":true,"maximum":5,"exclusiveMaximum":false}"#;
    let list = r#"{"items":[true,{}],"additionalItems":false}"#;
    let dependencies = r#"{"dependencies":{"a":["b","b"],"c":{}}}"#;
    let condition = r#"{"if":{},"then":{},"else":{}}"#;
    let contains = r#"{"contains":{},"minContains":2,"maxContains":3}"#;
    let old_list = "prefixItems #/items/0, prefixItems #/items/1, items #/additionalItems";
    let cases = [
        (exclusive, "draft4", "maximum 5, exclusiveMinimum 3"),
        (r#"{"exclusiveMinimum":3.50}"#, "draft6", "exclusiveMinimum 3.5"),
        (r#"{"minLength":3.0,"minItems":2e1}"#, "draft7", "minLength 3, minItems 20"),
        (list, "draft4", old_list),
        (list, "2019-09", old_list),
        (r#"{"items":{},"additionalItems":false}"#, "draft7", "items #/items"),
        (r#"{"prefixItems":[{}],"items":{}}"#, "", "prefixItems #/prefixItems/0, items #/items"),
        (r#"{"prefixItems":[{}]}"#, "2019-09", ""),
        (dependencies, "draft4", r##"a requires ["b"], c => #/dependencies/c"##),
        (dependencies, "", r##"a requires ["b"], c => #/dependencies/c"##),
        (r#"{"dependentRequired":{"a":["b"]}}"#, "draft7", ""),
        (r#"{"dependentRequired":{"a":["b"]}}"#, "2019-09", r#"a requires ["b"]"#),
        (condition, "draft6", ""),
        (condition, "draft7", "if #/if, then #/then, else #/else"),
        (r#"{"then":{},"else":{"minLength":"a"}}"#, "", ""),
        (r#"{"then":3,"else":3}"#, "draft6", ""),
        (contains, "draft7", "contains #/contains"),
        (contains, "2019-09", "minContains 2, maxContains 3, contains #/contains"),
        (r#"{"minContains":2}"#, "", ""),
        (r#"{"unevaluatedItems":false}"#, "draft7", ""),
        (r#"{"unevaluatedItems":false}"#, "2019-09", "unevaluatedItems #/unevaluatedItems"),
        (r#"{"const":true}"#, "draft4", ""),
        (r#"{"const":true}"#, "draft6", "const Boolean(true)"),
        (
            r#"{"properties":{"b/c":{},"a":{}},"required":["a","b","a"]}"#,
            "",
            r##"b/c: #/properties/b~1c, a: #/properties/a, required ["a", "b"]"##,
        ),
        (r##"{"$ref":"#/properties/a","properties":{"a":{}},"minLength":1}"##, "draft7", ""),
        (
            r#"{"$schema":"https://json-schema.org/draft-04/schema","minLength":1,"const":1}"#,
            "",
            "minLength 1",
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/hyper-schema#","minLength":1,"const":1}"#,
            "",
            "minLength 1",
        ),
        // Where nobody knows the metaschema, the draft is that of schemas that name none.
        (r#"{"$schema":"http://example.org/mine","const":true}"#, "", "const Boolean(true)"),
        (r#"{"$schema":"http://example.org/mine","minLength":1,"const":true}"#, "draft4", "minLength 1"),
    ];
    for (text, draft, expected) in cases {
        let schemas = loaded(text, &[], draft).unwrap();
        let Body::Keywords(keywords) = &schemas.schemas[schemas.root.index()].body else { panic!("{text}") };
        assert_eq!(summary(&schemas, keywords), expected, "{text} in {draft}");
    }
}

#[test]
fn a_pointer_through_a_name_that_comes_twice_is_refused_among_many_names_too() {
    let names: String = (0..100).map(|index| format!(r#""a{index}":{{}},"#)).collect();
    let schema = |name: &str| format!(r##"{{"$ref":"#/$defs/{name}","$defs":{{{names}"a7":{{}}}}}}"##);
    let error = loaded(&schema("a7"), &[], "").unwrap_err().to_string();
    assert!(error.contains("#/$defs: the name `a7` comes twice"), "{error}");
    assert!(loaded(&schema("a8"), &[], "").is_ok(), "each other name has one meaning");
}

#[test]
fn documents_have_their_own_drafts_and_vocabularies() {
    let applicators_only = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{
        "https://json-schema.org/draft/2020-12/vocab/core":true,
        "https://json-schema.org/draft/2020-12/vocab/applicator":true,
        "http://example.org/vocab":false}}"#;
    let documents = [
        ("http://x/meta", applicators_only),
        (
            "http://x/old",
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"minContains":1}"#,
        ),
        ("http://x/plain", r#"{"minLength":1,"format":"date"}"#),
    ];
    let text = r#"{"$schema":"http://x/meta","minLength":1,"format":"date","items":{},
        "allOf":[{"$ref":"http://x/old"},{"$ref":"http://x/plain"}]}"#;
    let schemas = loaded(text, &documents, "").unwrap();
    let found: Vec<String> = schemas
        .schemas
        .iter()
        .filter_map(|schema| match &schema.body {
            Body::Keywords(keywords) => Some(summary(&schemas, keywords)),
            Body::Always(_) => None,
        })
        .filter(|summary| !summary.is_empty())
        .collect();
    assert_eq!(found, ["items #/items", "prefixItems http://x/old#/items/0", "minLength 1, format date"]);
}

#[test]
fn types_and_constants() {
    let schemas =
        loaded(r#"{"type":["integer","null","integer"],"enum":[1,1.0,{"b":[1e0],"a":"\u00e9"}]}"#, &[], "");
    let schemas = schemas.unwrap();
    let Body::Keywords(keywords) = &schemas.schemas[0].body else { panic!("it is an object") };
    assert_eq!(keywords.types, Some(TypeSet::INTEGER.union(TypeSet::NULL)));
    let values = keywords.enumeration.as_ref().unwrap();
    assert_eq!(values.len(), 2, "each stands there once");
    let members = [
        (b"a".to_vec(), Constant::String("é".into())),
        (b"b".to_vec(), Constant::Array([values[0].clone()].into())),
    ];
    assert_eq!(values[1], Constant::Object(std::sync::Arc::new(members.into())));
}

#[test]
fn escapes_are_read() {
    let schemas = loaded(r#"{"const":"\"\\\/\b\f\n\r\t\u00E9\ud83d\ude00"}"#, &[], "").unwrap();
    let Body::Keywords(keywords) = &schemas.schemas[0].body else { panic!("it is an object") };
    assert_eq!(keywords.constant, Some(Constant::String("\"\\/\u{8}\u{c}\n\r\té😀".into())));
}

#[test]
fn work_is_budgeted() {
    let nested = |depth: usize| "{\"not\":".repeat(depth) + "true" + &"}".repeat(depth);
    let wide = format!("{{\"allOf\":[{}true]}}", "{},".repeat(10_000));
    let small = Budget { expressions: 100_000, grammar_bytes: 100_000, ..Budget::default() };
    let deep = Budget { nesting: Budget::DEEPEST_NESTING, ..Budget::default() };
    assert!(load(&nested(500), &[], "", &small).is_ok());
    assert!(load(&nested(999), &[], "", &deep).is_ok());
    let identities: Vec<String> = (0..100).map(|at| format!(r#""{at}":{{"$id":"{at}"}}"#)).collect();
    let far = format!(r#"{{"$id":"http://a/{}/","$defs":{{{}}}}}"#, "b".repeat(60_000), identities.join(","));
    for (text, expected) in [
        (nested(501), "nesting"),
        (nested(200_000), "grammar_bytes"),
        (wide, "expressions"),
        (far, "expressions"),
    ] {
        match load(&text, &[], "", &small) {
            Err(Error::BudgetExceeded { budget, .. }) => assert_eq!(budget, expected),
            other => panic!("{expected}: {:?}", other.err()),
        }
    }
    let constant = format!("{{\"const\":{}{}}}", "[".repeat(900), "]".repeat(900));
    assert!(load(&constant, &[], "", &deep).is_ok());
}

#[test]
fn loading_ends_when_the_time_is_over() {
    let hurried = Budget { compile_time: Duration::ZERO, ..Budget::default() };
    let identified = r#"{"$defs": {"a": {"$id": "urn:a"}}}"#;
    for text in ["{}", identified] {
        let error = load(text, &[], "", &hurried).unwrap_err();
        assert!(matches!(error, Error::BudgetExceeded { budget: "compile_time", .. }), "{error}");
    }
}

#[test]
fn uris_are_resolved_as_the_standard_says() {
    // Section 5.4 of RFC 3986, and bases that are relative or have no hierarchy.
    let base = "http://a/b/c/d;p?q";
    let cases = [
        (base, "g:h", "g:h"),
        (base, "g", "http://a/b/c/g"),
        (base, "./g", "http://a/b/c/g"),
        (base, "g/", "http://a/b/c/g/"),
        (base, "/g", "http://a/g"),
        (base, "//g", "http://g"),
        (base, "?y", "http://a/b/c/d;p?y"),
        (base, "g?y", "http://a/b/c/g?y"),
        (base, "", "http://a/b/c/d;p?q"),
        (base, ".", "http://a/b/c/"),
        (base, "..", "http://a/b/"),
        (base, "../g", "http://a/b/g"),
        (base, "../../../g", "http://a/g"),
        (base, "/./g/../h", "http://a/h"),
        (base, "g;x=1/../y", "http://a/b/c/y"),
        (base, "..g", "http://a/b/c/..g"),
        ("http://a", "g", "http://a/g"),
        ("", "x/y.json", "x/y.json"),
        ("x/y.json", "z.json", "x/z.json"),
        ("urn:uuid:1", "?q", "urn:uuid:1?q"),
        ("urn:uuid:1", "HTTP://x", "http://x"),
    ];
    for (base, reference, expected) in cases {
        assert_eq!(resolve(base, reference), expected, "{reference} at {base}");
    }
    assert_eq!(percent_decoded("a%20%C3%A9%2").as_deref(), Some("a é%2"));
    assert_eq!(percent_decoded("%ff"), None);
}

/// Documents without identities are not looked through for them; what they mean is the same.
#[test]
fn identities_that_mean_nothing_change_nothing() {
    let documents = [
        r##"{"$id": "urn:a", "properties": {"a": {"$ref": "#/$defs/b"}, "id": {"type": "null"}}, "$defs": {"b": true}"##,
        r##"{"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://x/y", "items": {"$ref": "y#/enum/0"}, "enum": [{}]"##,
        r##"{"$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}"##,
        r##"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true, "items": {"$recursiveRef": "#"}"##,
        r##"{"$anchor": "top", "not": {"$ref": "#top"}, "x-other": {"type": "string"}, "if": {"$ref": "#/x-other"}"##,
    ];
    for document in documents {
        let read = |text: String| {
            let schemas = load(&text, &[], "", &Budget::default()).unwrap();
            format!("{:?} {:?} {:?}", schemas.schemas, schemas.resources, schemas.has_dynamic_references)
        };
        let plain = read(format!("{document}}}"));
        let looked_through =
            read(format!(r#"{document}, "x-unknown": {{"$id": "urn:unused", "id": "urn:unused"}}}}"#));
        assert_eq!(plain, looked_through, "{document}");
    }
}
