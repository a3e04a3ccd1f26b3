//! Extension.
