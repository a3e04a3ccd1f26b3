//! Drafts of JSON Schema, and which parts of one a metaschema turns on.

use super::json::{Json, Kind};
use super::uri::escaped;
use crate::error::{Error, Result};

/// A draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    /// Read as draft 4; what only this draft has is refused.
    Draft3,
    Draft4,
    Draft6,
    Draft7,
    Draft2019,
    Draft2020,
}

impl Draft {
    /// The draft of a `$schema`, with or without `#` at its end, by http or https. Hyper-Schema has the keywords of its
    /// draft, and annotations more.
    pub(super) fn from_uri(uri: &str) -> Option<Self> {
        let (uri, _) = uri.split_once('#').unwrap_or((uri, ""));
        let place = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        let path = place.trim_end_matches('/').strip_prefix("json-schema.org/")?;
        match path.strip_suffix("/schema").or_else(|| path.strip_suffix("/hyper-schema"))? {
            "draft-03" => Some(Self::Draft3),
            "draft-04" | "draft-05" => Some(Self::Draft4),
            "draft-06" => Some(Self::Draft6),
            "draft-07" => Some(Self::Draft7),
            "draft/2019-09" => Some(Self::Draft2019),
            "draft/2020-12" => Some(Self::Draft2020),
            _ => None,
        }
    }

    /// The draft that a caller names by its URI or as `draft7`, `draft-07` or `2020-12`.
    ///
    /// # Errors
    /// [`Error::Grammar`] where there is none of that name.
    pub(super) fn from_choice(choice: &str) -> Result<Self> {
        if let Some(draft) = Self::from_uri(choice) {
            return Ok(draft);
        }
        match choice.trim_start_matches("draft").trim_start_matches('-').trim_start_matches('0') {
            "4" => Ok(Self::Draft4),
            "6" => Ok(Self::Draft6),
            "7" => Ok(Self::Draft7),
            "2019-09" => Ok(Self::Draft2019),
            "2020-12" => Ok(Self::Draft2020),
            "" if choice.is_empty() => Ok(Self::Draft2020),
            _ => Err(Error::Grammar(format!(
                "`{choice}` is no draft of JSON Schema; known are draft4, draft6, draft7, 2019-09 and 2020-12"
            ))),
        }
    }
}

/// What a keyword belongs to: a metaschema of 2019-09 or later names the vocabularies that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    Core,
    Applicator,
    Unevaluated,
    Validation,
    Format,
    /// Keywords that say nothing about validity.
    Annotation,
}

/// A draft, and the vocabularies of it that are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) draft: Draft,
    vocabularies: u8,
}

impl Dialect {
    /// All of a draft.
    pub(super) fn of(draft: Draft) -> Self {
        Self { draft, vocabularies: u8::MAX }
    }

    /// Whether keywords of a vocabulary mean something.
    pub(super) fn uses(self, vocabulary: Vocabulary) -> bool {
        self.vocabularies & 1 << vocabulary as u8 != 0
    }

    /// The dialect of schemas whose metaschema is based on `draft` and has this `$vocabulary`.
    ///
    /// # Errors
    /// [`Error::Schema`] where it does not say of vocabularies whether they are required;
    /// [`Error::Unsupported`] for a vocabulary that is required but not known.
    pub(super) fn with_vocabularies(draft: Draft, declared: Json<'_>, metaschema: &str) -> Result<Self> {
        if declared.kind() != Kind::Object {
            return Err(faulty_vocabularies(metaschema, "", declared));
        }
        let mut vocabularies = 1 << Vocabulary::Core as u8;
        for (uri, required) in declared.members() {
            if required.boolean().is_none() {
                return Err(faulty_vocabularies(metaschema, &format!("/{}", escaped(&uri)), required));
            }
            let name = uri
                .strip_prefix("https://json-schema.org/draft/")
                .and_then(|rest| rest.split_once("/vocab/"));
            let used: &[Vocabulary] = match name {
                Some((_, "core")) => &[Vocabulary::Core],
                Some(("2019-09", "applicator")) => &[Vocabulary::Applicator, Vocabulary::Unevaluated],
                Some((_, "applicator")) => &[Vocabulary::Applicator],
                Some((_, "unevaluated")) => &[Vocabulary::Unevaluated],
                Some((_, "validation")) => &[Vocabulary::Validation],
                Some((_, "format" | "format-annotation" | "format-assertion")) => &[Vocabulary::Format],
                Some((_, "meta-data" | "content")) => &[Vocabulary::Annotation],
                _ if required.boolean() == Some(true) => {
                    return Err(Error::Unsupported {
                        feature: format!("the vocabulary `{uri}`"),
                        location: format!("{metaschema}#/$vocabulary"),
                        reason:
                            "its keywords are not known; where they say nothing about validity, write false"
                                .to_owned(),
                    });
                }
                _ => &[],
            };
            for &vocabulary in used {
                vocabularies |= 1 << vocabulary as u8;
            }
        }
        Ok(Self { draft, vocabularies })
    }
}

/// A metaschema does not say which vocabularies it uses: `found` stands at a place below its `$vocabulary`.
fn faulty_vocabularies(metaschema: &str, below: &str, found: Json<'_>) -> Error {
    Error::Schema {
        location: format!("{metaschema}#/$vocabulary{below}"),
        problem: format!(
            "`$vocabulary` must say true or false of each vocabulary, found {}",
            found.description()
        ),
        help: String::new(),
    }
}
