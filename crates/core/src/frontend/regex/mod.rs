//! Placeholder until the front end lands.
use crate::{Budget, Error, Result, grammar::Grammar};
/// Options.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, clippy::struct_excessive_bools)]
pub struct RegexOptions {
    pub case_insensitive: bool,
    pub dot_matches_newline: bool,
    pub multi_line: bool,
    pub verbose: bool,
    pub ascii: bool,
    pub search: bool,
}
/// Not yet.
pub fn compile(_: &str, _: &RegexOptions, _: &Budget) -> Result<Grammar> {
    Err(Error::Grammar("soon".to_owned()))
}
