//! JSON pointers, absolute (RFC 6901) and relative.

use super::Languages;
use crate::error::Result;
use crate::expression::ExpressionId;

const JSON_POINTER: &str = "(?:/(?:[^~/]|~[01])*)*";

impl Languages<'_> {
    /// Reference tokens, each after a slash, in which `~` is written only as `~0` or `~1`.
    pub(super) fn json_pointer(&mut self) -> Result<ExpressionId> {
        self.pattern(JSON_POINTER)
    }

    /// How many levels up, and then a `#` for the name or index there, or a pointer down from there.
    ///
    /// Between them the index may be shifted, as `+1` does, in the form that drafts 2019-09 and 2020-12 use.
    pub(super) fn relative_json_pointer(&mut self) -> Result<ExpressionId> {
        self.pattern(&format!("(?:0|[1-9][0-9]*)(?:[+-][1-9][0-9]*)?(?:#|{JSON_POINTER})"))
    }
}
