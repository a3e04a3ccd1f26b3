//! The metaschemas of the drafts, for schemas that refer to them.

macro_rules! metaschemas {
    ($($uri:literal $file:literal)*) => {
        /// The text of a published metaschema, by http or https.
        pub(super) fn find(uri: &str) -> Option<&'static str> {
            let place = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
            match place.strip_prefix("json-schema.org/")? {
                $($uri => Some(include_str!(concat!("metaschemas/", $file, ".json"))),)*
                _ => None,
            }
        }
    };
}

metaschemas! {
    "draft-04/schema" "draft-04"
    "draft-06/schema" "draft-06"
    "draft-07/schema" "draft-07"
    "draft/2019-09/schema" "2019-09-schema"
    "draft/2019-09/meta/core" "2019-09-core"
    "draft/2019-09/meta/applicator" "2019-09-applicator"
    "draft/2019-09/meta/validation" "2019-09-validation"
    "draft/2019-09/meta/meta-data" "2019-09-meta-data"
    "draft/2019-09/meta/format" "2019-09-format"
    "draft/2019-09/meta/content" "2019-09-content"
    "draft/2020-12/schema" "2020-12-schema"
    "draft/2020-12/meta/core" "2020-12-core"
    "draft/2020-12/meta/applicator" "2020-12-applicator"
    "draft/2020-12/meta/unevaluated" "2020-12-unevaluated"
    "draft/2020-12/meta/validation" "2020-12-validation"
    "draft/2020-12/meta/meta-data" "2020-12-meta-data"
    "draft/2020-12/meta/format-annotation" "2020-12-format-annotation"
    "draft/2020-12/meta/format-assertion" "2020-12-format-assertion"
    "draft/2020-12/meta/content" "2020-12-content"
}
