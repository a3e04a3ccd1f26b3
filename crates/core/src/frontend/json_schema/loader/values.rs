//! `type`, `const` and `enum`; and that what identifies a schema is well formed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::constant::Constant;
use super::super::decimal::Decimal;
use super::super::schema::{Keywords, TypeSet};
use super::draft::Draft;
use super::json::{Json, Kind};
use super::keyword::Keyword;
use super::repeated_name;
use super::site::Site;
use crate::error::{Error, Result};
use crate::stack;

/// Reads a keyword of this family; false where it is of another.
pub(super) fn read(site: &Site<'_, '_>, keywords: &mut Keywords) -> Result<bool> {
    match site.keyword {
        Keyword::Type => {
            keywords.types = Some(types(site)?);
            keywords.written_integers = site.dialect.draft <= Draft::Draft4;
        }
        Keyword::Const => keywords.constant = Some(constant(site, site.value)?),
        Keyword::Enum => {
            if site.value.kind() != Kind::Array {
                return Err(site.unexpected("an array", "a single value is a `const`"));
            }
            let values: Result<Vec<Constant>> = site.value.items().map(|item| constant(site, item)).collect();
            keywords.enumeration = Some(Constant::sorted(values?));
        }
        // What they mean has been noted by the library, which reads over what is no string.
        Keyword::MetaSchema | Keyword::Id | Keyword::OldId | Keyword::Anchor | Keyword::DynamicAnchor => {
            let _identity = site.string()?;
        }
        Keyword::RecursiveAnchor => {
            let _is_anchor = site.boolean()?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn types(site: &Site<'_, '_>) -> Result<TypeSet> {
    if site.value.kind() != Kind::Array {
        return single_type(site, site.value, None);
    }
    let mut types = TypeSet::NONE;
    for (index, item) in site.value.items().enumerate() {
        types = types.union(single_type(site, item, Some(index))?);
    }
    if types == TypeSet::NONE {
        return Err(
            site.fault("`type` lists no type".to_owned(), "the schema `false` is what allows nothing")
        );
    }
    Ok(types)
}

fn single_type(site: &Site<'_, '_>, name: Json<'_>, index: Option<usize>) -> Result<TypeSet> {
    let Some(name) = name.string() else {
        let help = if name.kind() == Kind::Null { "write \"null\"" } else { "" };
        let problem = format!("`type` must be a name or list names, found {}", name.description());
        return Err(site.fault(problem, help));
    };
    Ok(match &*name {
        "null" => TypeSet::NULL,
        "boolean" => TypeSet::BOOLEAN,
        "integer" => TypeSet::INTEGER,
        "number" => TypeSet::NUMBER,
        "string" => TypeSet::STRING,
        "array" => TypeSet::ARRAY,
        "object" => TypeSet::OBJECT,
        other => {
            let location = match index {
                Some(index) => format!("{}/{index}", site.location()),
                None => site.location(),
            };
            return Err(Error::Schema {
                location,
                problem: format!("there is no type `{other}`"),
                help: help_with_type(other),
            });
        }
    })
}

fn help_with_type(name: &str) -> String {
    match (name, nearest_type(name)) {
        ("json_schema", _) => "it is one of OpenAI's response_format: give the schema in it".to_owned(),
        ("json_object", _) => {
            "it is one of OpenAI's response_format: for any object give {\"type\": \"object\"}".to_owned()
        }
        ("text", _) => {
            "did you mean `string`? As one of OpenAI's response_format it asks for nothing: leave it out"
                .to_owned()
        }
        (_, Some(near)) => format!("did you mean {near}?"),
        (_, None) => "types are null, boolean, integer, number, string, array and object".to_owned(),
    }
}

/// What somebody who wrote an unknown type may have meant.
fn nearest_type(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "str" | "strin" | "string" | "text" | "char" | "strng" | "stirng" => "`string`",
        "int" | "integer" | "long" | "int32" | "int64" | "interger" => "`integer`",
        "float" | "double" | "decimal" | "number" | "num" | "numeric" => "`number`",
        "bool" | "boolean" | "boolen" => "`boolean`",
        "dict" | "object" | "map" | "struct" | "hashmap" | "record" => "`object`",
        "list" | "array" | "tuple" | "set" | "arraylist" => "`array`",
        "none" | "null" | "nil" | "undefined" => "`null`",
        "any" => "to leave `type` out, which allows any",
        _ => return None,
    })
}

/// A value. What it holds is read by recursion, whose depth the reader of the text has bounded.
fn constant(site: &Site<'_, '_>, value: Json<'_>) -> Result<Constant> {
    stack::with_enough(|| constant_within(site, value))
}

fn constant_within(site: &Site<'_, '_>, value: Json<'_>) -> Result<Constant> {
    Ok(match value.kind() {
        Kind::Null => Constant::Null,
        Kind::False => Constant::Boolean(false),
        Kind::True => Constant::Boolean(true),
        Kind::Number => {
            let number = value.number().and_then(Decimal::parse);
            Constant::Number(number.ok_or_else(|| site.fault("it has too great a number".to_owned(), ""))?)
        }
        Kind::PlainString | Kind::EscapedString => {
            Constant::String(value.string().unwrap_or_default().into_owned().into_bytes())
        }
        Kind::Array => {
            let items: Result<_> = value.items().map(|item| constant(site, item)).collect();
            Constant::Array(items?)
        }
        Kind::Object => {
            let mut members = BTreeMap::new();
            for (name, member) in value.members() {
                let member = constant(site, member)?;
                if members.insert(name.as_bytes().to_vec(), member).is_some() {
                    return Err(repeated_name(site.location(), &name));
                }
            }
            Constant::Object(Arc::new(members))
        }
    })
}
