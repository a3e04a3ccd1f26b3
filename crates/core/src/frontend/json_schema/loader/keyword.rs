//! The keywords: their names, the drafts that have them, and where schemas stand below them.

use super::draft::{Dialect, Draft, Vocabulary};

/// Where schemas stand in the value of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// Nowhere.
    Nowhere,
    /// The value is a schema.
    Value,
    /// Its items are.
    Items,
    /// The values of its members are, or some of them.
    Members,
    /// It is one, or its items are.
    ValueOrItems,
    /// Nowhere: the keyword is refused. No later draft has it under this name, so that it would be overlooked; they
    /// have the other that is named.
    Refused(&'static str),
}

macro_rules! keywords {
    ($($variant:ident $name:literal $first:ident $last:ident $vocabulary:ident $position:ident$(($instead:literal))?)*) => {
        /// A keyword that says something about validity, that identifies a schema, or under which schemas stand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Keyword {
            $(#[doc = $name] $variant,)*
        }

        impl Keyword {
            /// The keyword of a name in a dialect, and where schemas stand below it.
            pub(super) fn find(name: &str, dialect: Dialect) -> Option<(Self, Position)> {
                let (keyword, first, last, vocabulary, position) = match name {
                    $($name => (
                        Self::$variant,
                        Draft::$first,
                        Draft::$last,
                        Vocabulary::$vocabulary,
                        Position::$position$(($instead))?,
                    ),)*
                    _ => return None,
                };
                // Draft 3 is read as draft 4, and has a few keywords more.
                let is_within = |draft| first <= draft && draft <= last;
                let is_of_draft = is_within(dialect.draft) || is_within(dialect.draft.max(Draft::Draft4));
                let known = is_of_draft && dialect.uses(vocabulary);
                known.then_some((keyword, position))
            }
        }
    };
}

// `$defs` is looked into in every draft, and `dependencies` is obeyed in every draft: a schema that has them
// means them.
keywords! {
    MetaSchema "$schema" Draft4 Draft2020 Core Nowhere
    Id "$id" Draft6 Draft2020 Core Nowhere
    OldId "id" Draft4 Draft4 Core Nowhere
    Anchor "$anchor" Draft2019 Draft2020 Core Nowhere
    DynamicAnchor "$dynamicAnchor" Draft2020 Draft2020 Core Nowhere
    RecursiveAnchor "$recursiveAnchor" Draft2019 Draft2019 Core Nowhere
    Disallow "disallow" Draft3 Draft3 Validation Refused("not")
    Extends "extends" Draft3 Draft3 Applicator Refused("allOf")
    DivisibleBy "divisibleBy" Draft3 Draft3 Validation Refused("multipleOf")
    Reference "$ref" Draft4 Draft2020 Core Nowhere
    RecursiveReference "$recursiveRef" Draft2019 Draft2019 Core Nowhere
    DynamicReference "$dynamicRef" Draft2020 Draft2020 Core Nowhere
    Definitions "$defs" Draft4 Draft2020 Core Members
    OldDefinitions "definitions" Draft4 Draft2020 Core Members
    AllOf "allOf" Draft4 Draft2020 Applicator Items
    AnyOf "anyOf" Draft4 Draft2020 Applicator Items
    OneOf "oneOf" Draft4 Draft2020 Applicator Items
    Not "not" Draft4 Draft2020 Applicator Value
    If "if" Draft7 Draft2020 Applicator Value
    Then "then" Draft7 Draft2020 Applicator Value
    Else "else" Draft7 Draft2020 Applicator Value
    Properties "properties" Draft4 Draft2020 Applicator Members
    PatternProperties "patternProperties" Draft4 Draft2020 Applicator Members
    AdditionalProperties "additionalProperties" Draft4 Draft2020 Applicator Value
    PropertyNames "propertyNames" Draft6 Draft2020 Applicator Value
    Dependencies "dependencies" Draft4 Draft2020 Applicator Members
    DependentSchemas "dependentSchemas" Draft2019 Draft2020 Applicator Members
    PrefixItems "prefixItems" Draft2020 Draft2020 Applicator Items
    Items "items" Draft4 Draft2020 Applicator ValueOrItems
    AdditionalItems "additionalItems" Draft4 Draft2019 Applicator Value
    Contains "contains" Draft6 Draft2020 Applicator Value
    UnevaluatedItems "unevaluatedItems" Draft2019 Draft2020 Unevaluated Value
    UnevaluatedProperties "unevaluatedProperties" Draft2019 Draft2020 Unevaluated Value
    Type "type" Draft4 Draft2020 Validation Nowhere
    Const "const" Draft6 Draft2020 Validation Nowhere
    Enum "enum" Draft4 Draft2020 Validation Nowhere
    Minimum "minimum" Draft4 Draft2020 Validation Nowhere
    Maximum "maximum" Draft4 Draft2020 Validation Nowhere
    ExclusiveMinimum "exclusiveMinimum" Draft4 Draft2020 Validation Nowhere
    ExclusiveMaximum "exclusiveMaximum" Draft4 Draft2020 Validation Nowhere
    MultipleOf "multipleOf" Draft4 Draft2020 Validation Nowhere
    MinLength "minLength" Draft4 Draft2020 Validation Nowhere
    MaxLength "maxLength" Draft4 Draft2020 Validation Nowhere
    Pattern "pattern" Draft4 Draft2020 Validation Nowhere
    MinItems "minItems" Draft4 Draft2020 Validation Nowhere
    MaxItems "maxItems" Draft4 Draft2020 Validation Nowhere
    UniqueItems "uniqueItems" Draft4 Draft2020 Validation Nowhere
    MinContains "minContains" Draft2019 Draft2020 Validation Nowhere
    MaxContains "maxContains" Draft2019 Draft2020 Validation Nowhere
    Required "required" Draft4 Draft2020 Validation Nowhere
    MinProperties "minProperties" Draft4 Draft2020 Validation Nowhere
    MaxProperties "maxProperties" Draft4 Draft2020 Validation Nowhere
    DependentRequired "dependentRequired" Draft2019 Draft2020 Validation Nowhere
    Format "format" Draft4 Draft2020 Format Nowhere
    ContentSchema "contentSchema" Draft2019 Draft2020 Annotation Value
}
