//! Front ends: each turns one notation into a [`Grammar`](crate::grammar::Grammar).
