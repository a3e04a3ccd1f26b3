//! Which schemas are none, and where and how that is told.

use super::tests::loaded;
use crate::error::Error;

#[test]
fn faults_are_told_with_place_and_help() {
    let cases = [
        (
            r#"{"properties":{"a":{"minLength":"3"}}}"#,
            "",
            "#/properties/a/minLength: `minLength` must be an integer that is not negative, found a string; write it without quotes",
        ),
        (
            r#"{"minLength":-1}"#,
            "",
            "#/minLength: `minLength` must be an integer that is not negative, found `-1`",
        ),
        (
            r#"{"maxItems":1.5}"#,
            "",
            "#/maxItems: `maxItems` must be an integer that is not negative, found `1.5`",
        ),
        (r#"{"properties":[]}"#, "", "#/properties: `properties` must be an object, found an array"),
        (r#"{"type":"strin"}"#, "", "#/type: there is no type `strin`; did you mean `string`?"),
        (
            r#"{"type":"json_schema","json_schema":{}}"#,
            "",
            "#/type: there is no type `json_schema`; it is one of OpenAI's response_format: give the schema in it",
        ),
        (
            r#"{"schema":{"type":"object"},"name":"a","strict":true}"#,
            "",
            "#/schema: this is a part of OpenAI's response_format, and no schema; give what stands here",
        ),
        (r#"{"type":["null","dict"]}"#, "", "#/type/1: there is no type `dict`; did you mean `object`?"),
        (r#"{"type":[]}"#, "", "#/type: `type` lists no type; the schema `false` is what allows nothing"),
        (
            r#"{"anyOf":[]}"#,
            "",
            "#/anyOf: `anyOf` has no schemas; leave it out, or write the schema `false` to allow nothing",
        ),
        (
            r#"{"properties":{"a":{"required":true}}}"#,
            "draft4",
            "#/properties/a/required: `required` must list names, found a boolean; since draft 4 `required` stands beside `properties` and lists the names: \"required\": [\"a\", \"b\"]",
        ),
        (
            r#"{"minimum":1,"exclusiveMinimum":true}"#,
            "draft7",
            "#/exclusiveMinimum: `exclusiveMinimum` must be a number, found a boolean; since draft 6 it is the bound itself, in place of `minimum`; for the old form set `$schema` to http://json-schema.org/draft-04/schema#",
        ),
        (r#"{"multipleOf":0}"#, "", "#/multipleOf: `multipleOf` must be greater than zero"),
        (
            r#"{"items":[{}]}"#,
            "",
            "#/items: `items` must be a schema, found an array; a list of schemas is called `prefixItems` since draft 2020-12; for the old form set `$schema` to http://json-schema.org/draft-07/schema#",
        ),
        (r#"{"not":3}"#, "", "#/not: a schema must be an object or a boolean, found a number"),
        (r#"{"then":"a"}"#, "", "#/then: a schema must be an object or a boolean, found a string"),
        (
            r#"{"not":{"else":[],"then":{}}}"#,
            "draft7",
            "#/not/else: a schema must be an object or a boolean, found an array",
        ),
        (
            r#"{"items":{},"additionalItems":null}"#,
            "draft7",
            "#/additionalItems: a schema must be an object or a boolean, found null",
        ),
        (r#"[]"#, "", "#: a schema must be an object or a boolean, found an array"),
        (
            r#"{"minLength":1,"minLength":2}"#,
            "",
            "#: the keyword `minLength` comes twice; which of them counts is not defined",
        ),
        (
            r#"{"properties":{"a":true,"\u0061":false}}"#,
            "",
            "#/properties: the name `a` comes twice; which of them counts is not defined",
        ),
        (
            r#"{"const":[{"a":1,"b":{"a":2},"\u0061":1}]}"#,
            "",
            "#/const: the name `a` comes twice; which of them counts is not defined",
        ),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":true,"b":{},"\u0061":false}}"##,
            "",
            "#/$defs: the name `a` comes twice; which of them counts is not defined",
        ),
        (
            r##"{"not":{"$ref":"#/definitions/a/not"},"definitions":{"a":{"not":{}},"a":{"not":{}}}}"##,
            "draft7",
            "#/definitions: the name `a` comes twice; which of them counts is not defined",
        ),
        (
            r#"{"$ref":"library#/$defs/a"}"#,
            "",
            "library#: the name `$defs` comes twice; which of them counts is not defined",
        ),
        (
            r#"{"$ref":"other.json#/a"}"#,
            "",
            "#/$ref: refers to `other.json`, which is not among the documents; supply its text, documents={\"other.json\": ...}; nothing is fetched from the network",
        ),
        (
            r##"{"$ref":"#/$defs/a_b","$defs":{"aB":{}}}"##,
            "",
            "#/$ref: refers to `#/$defs/a_b`, but `#/$defs` has no `a_b`; did you mean `aB`?",
        ),
        (
            r##"{"$ref":"#a"}"##,
            "",
            "#/$ref: refers to `#a`, but no schema there has the anchor `a`; a JSON pointer begins with a slash: `#/a`",
        ),
        (
            r##"{"items":{"$ref":"#n"},"$defs":{"a":{"$anchor":"n"},"b":{"$anchor":"n","type":"null"}}}"##,
            "",
            "#/items/$ref: refers to `#n`, but `#/$defs/a` and `#/$defs/b` are both called so; which of them counts is not defined; give one of them another name",
        ),
        (
            r##"{"$ref":"#n","definitions":{"a":{"$id":"#n"},"b":{"$id":"#n","not":{}}}}"##,
            "draft7",
            "#/$ref: refers to `#n`, but `#/definitions/a` and `#/definitions/b` are both called so; which of them counts is not defined; give one of them another name",
        ),
        (
            r#"{"$ref":"n#/not","$defs":{"a":{"$id":"n"},"b":{"$id":"n","not":{}}}}"#,
            "",
            "#/$ref: refers to `n`, but `#/$defs/a` and `#/$defs/b` are both called so; which of them counts is not defined; give one of them another name",
        ),
        (
            r##"{"$dynamicRef":"l#n","$defs":{"a":{"$dynamicAnchor":"n"},"b":{"$dynamicAnchor":"n","not":{}},"l":{"$id":"l","$dynamicAnchor":"n"}}}"##,
            "",
            "#/$defs/b: another schema, too, has the dynamic anchor `n`; which of them counts is not defined; give one of them another name",
        ),
        (
            r##"{"allOf":[{"$id":"b","$ref":"#/$defs/a"}],"$defs":{"a":{}}}"##,
            "",
            "#/allOf/0/$ref: refers to `#/$defs/a`, but `#/allOf/0` has no `$defs`; `#` is the schema at `#/allOf/0`, which has an id of its own",
        ),
        (
            r#"{"definitions":"a"}"#,
            "draft4",
            "#/definitions: `definitions` must be an object, found a string; each member is a schema, by the name that references have",
        ),
        (r#"{"$defs":{"a":[]}}"#, "", "#/$defs/a: a schema must be an object or a boolean, found an array"),
        (
            r##"{"$ref":"#/title","title":"x"}"##,
            "",
            "#/title: a schema must be an object or a boolean, found a string",
        ),
        (
            r#"{"$ref":"broken"}"#,
            "",
            "broken#: the document is no JSON: line 1, column 2: found end of input, expected a key in double quotes",
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-03/schema#","not":{},"items":{"divisibleBy":2}}"#,
            "",
            "#/items/divisibleBy: `divisibleBy` is not supported: later drafts have `multipleOf` instead; write that, and a later `$schema`",
        ),
        (
            r#"{"$schema":5,"items":{}}"#,
            "",
            "#/$schema: `$schema` must be a string, found a number; write the URI of a draft, such as https://json-schema.org/draft/2020-12/schema",
        ),
        (
            r#"{"$defs":{"a":{"$id":"b","$schema":["draft-07"]}}}"#,
            "",
            "#/$defs/a/$schema: `$schema` must be a string, found an array",
        ),
        (r#"{"$id":3}"#, "", "#/$id: `$id` must be a string, found a number"),
        (r#"{"id":3}"#, "draft4", "#/id: `id` must be a string, found a number"),
        (r#"{"not":{"$anchor":["a"]}}"#, "", "#/not/$anchor: `$anchor` must be a string, found an array"),
        (
            r#"{"$dynamicAnchor":{}}"#,
            "",
            "#/$dynamicAnchor: `$dynamicAnchor` must be a string, found an object",
        ),
        (
            r#"{"$recursiveAnchor":"x"}"#,
            "2019-09",
            "#/$recursiveAnchor: `$recursiveAnchor` must be true or false, found a string",
        ),
        (
            r#"{"$id":"http://a/","$id":"http://b/"}"#,
            "",
            "#: the keyword `$id` comes twice; which of them counts is not defined",
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","$schema":"http://json-schema.org/draft-07/schema#"}"#,
            "",
            "#: the keyword `$schema` comes twice; which of them counts is not defined",
        ),
        (
            r#"{"$schema":"vague"}"#,
            "",
            "vague#/$vocabulary/http:~1~1x~1v: `$vocabulary` must say true or false of each vocabulary, found a number",
        ),
        (
            r#"{"$schema":"listing"}"#,
            "",
            "listing#/$vocabulary: `$vocabulary` must say true or false of each vocabulary, found an array",
        ),
        (r#"{"$schema":"double"}"#, "", "double#: the keyword `$vocabulary` comes twice"),
        (r#"{"$schema":"nameless"}"#, "", "nameless#/$schema: `$schema` must be a string, found null"),
        (r#"{"$schema":"meta"}"#, "", "the vocabulary `http://x/v` is not supported"),
        (
            "{}",
            "draft3",
            "`draft3` is no draft of JSON Schema; known are draft4, draft6, draft7, 2019-09 and 2020-12",
        ),
    ];
    let documents = [
        ("broken", "{"),
        ("meta", r#"{"$vocabulary":{"http://x/v":true}}"#),
        ("nameless", r#"{"$schema":null}"#),
        ("vague", r#"{"$vocabulary":{"http://x/v":1}}"#),
        ("listing", r#"{"$vocabulary":["https://json-schema.org/draft/2020-12/vocab/validation"]}"#),
        ("double", r#"{"$vocabulary":{},"$vocabulary":{}}"#),
        ("library", r#"{"$defs":{"a":{}},"$defs":{"a":{}}}"#),
    ];
    for (text, draft, expected) in cases {
        let named: Vec<_> =
            documents.into_iter().filter(|(uri, _)| text.contains(&format!("\"{uri}"))).collect();
        let error = loaded(text, &named, draft).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    let cases = [
        ("", "line 1, column 1: found end of input, expected a JSON value"),
        ("{\"a\":1,}", "line 1, column 8: found `}`, expected a value; JSON has no trailing commas"),
        ("{'a':1}", "expected a key; JSON quotes keys with \""),
        (
            "{\n  \"a\": True}",
            "line 2, column 8: found `T`, expected a JSON value; JSON writes booleans as true",
        ),
        ("{} {}", "line 1, column 4: found `{`, expected the end of the JSON text"),
        ("[1", "expected `,` or `]`"),
        ("[1}", "found `}`, expected `,` or `]`"),
        ("{\"a\" 1}", "expected `:`"),
        ("[01]", "JSON numbers have no leading zeros"),
        ("[1.]", "expected a digit"),
        ("[-]", "expected a digit"),
        ("[\"\t\"]", "write control characters as escapes"),
        ("[\"\\x\"]", "write a backslash itself"),
        ("[\"\\ud800\"]", "a surrogate must be followed by its other half"),
        ("[\"\\udc00\\ud800\"]", "a surrogate must be followed by its other half"),
        ("[\"\\u00g0\"]", "expected four hexadecimal digits"),
        ("[\"a", "expected `\"` at the end of a string"),
        ("// c\n{}", "JSON has no comments"),
    ];
    for (text, expected) in cases {
        let error = loaded(text, &[], "").unwrap_err();
        assert!(matches!(error, Error::Syntax { .. }), "{text}: {error}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

/// The keywords that count something, each with what has to stand beside it so that it counts.
const COUNTS: [(&str, &str); 8] = [
    ("minLength", ""),
    ("maxLength", ""),
    ("minItems", ""),
    ("maxItems", ""),
    ("minProperties", ""),
    ("maxProperties", ""),
    ("minContains", r#", "contains": {}"#),
    ("maxContains", r#", "contains": {}"#),
];

#[test]
fn counts_are_exact_or_refused_by_their_place() {
    let long = |first: &str, others: &str| format!("{first}{}", others.repeat(300));
    let written = [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("-0e5", "0"),
        ("2.0", "2"),
        ("1e2", "100"),
        ("20000e-4", "2"),
        ("0.25E+2", "25"),
        (&long("2.", "0"), "2"),
        ("18446744073709551614", "18446744073709551614"),
        ("1844674407370955161400e-2", "18446744073709551614"),
        ("1.8446744073709551614e19", "18446744073709551614"),
    ];
    let beyond = "is greater than 18446744073709551614; counts beyond are not told apart, and no text has as many: leave it \
                  out or lower it";
    let refused = [
        ("18446744073709551615".to_owned(), beyond),
        ("18446744073709551616".to_owned(), beyond),
        ("18446744073709551616.0".to_owned(), beyond),
        ("2e19".to_owned(), beyond),
        ("1e400".to_owned(), beyond),
        (long("1", "0"), beyond),
        (long("9", "7"), beyond),
        ("1e1000000001".to_owned(), "is too great a number, or too close to zero"),
        ("-1e400".to_owned(), "must be an integer that is not negative, found `-1e400`"),
        ("1e-400".to_owned(), "must be an integer that is not negative, found `1e-400`"),
        (
            long("0.", "5"),
            "must be an integer that is not negative, found `0.55555555555555555555555555555555555555…`",
        ),
        (
            long("-", "9"),
            "must be an integer that is not negative, found `-999999999999999999999999999999999999999…`",
        ),
    ];
    for (keyword, beside) in COUNTS {
        for (text, plain) in written {
            let read = |count: &str| {
                let schemas = loaded(&format!(r#"{{"{keyword}": {count}{beside}}}"#), &[], "").unwrap();
                format!("{:?}", schemas.schemas[schemas.root.index()].body)
            };
            assert_eq!(read(text), read(plain), "{keyword} {text}");
            assert!(read(text).contains(plain), "{keyword} {text}");
        }
        for (text, problem) in &refused {
            let error =
                loaded(&format!(r#"{{"not": {{"{keyword}": {text}{beside}}}}}"#), &[], "").unwrap_err();
            assert!(matches!(&error, Error::Schema { .. }), "{keyword} {text}: {error:?}");
            let expected = format!("#/not/{keyword}: `{keyword}` {problem}");
            assert!(error.to_string().starts_with(&expected), "{keyword} {text}: {error}");
            assert!(error.to_string().len() < 250, "{keyword} {text}: {error}");
        }
    }
}
