//! References to URIs, by section 5 of RFC 3986, and JSON pointers in them.

use std::borrow::Cow;

/// The parts of a reference without its fragment.
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(reference: &'a str) -> Self {
        let (scheme, rest) = match reference.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, reference),
        };
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                (Some(authority), path)
            }
            None => (None, rest),
        };
        Self { scheme, authority, path, query }
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// A reference without its fragment, and the fragment.
pub(super) fn split_fragment(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// What a reference without a fragment means where the base is `base`. The base may be empty or relative:
/// the result is then relative too.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    let base = Parts::of(base);
    let given = Parts::of(reference);
    let joined;
    let (authority, path, query) = if given.scheme.is_some() || given.authority.is_some() {
        (given.authority, given.path, given.query)
    } else if given.path.is_empty() {
        (base.authority, base.path, given.query.or(base.query))
    } else if given.path.starts_with('/') {
        (base.authority, given.path, given.query)
    } else {
        let folder = match base.path.rfind('/') {
            Some(slash) => &base.path[..=slash],
            None if base.authority.is_some() => "/",
            None => "",
        };
        joined = format!("{folder}{}", given.path);
        (base.authority, joined.as_str(), given.query)
    };
    let mut uri = String::with_capacity(path.len() + 32);
    if let Some(scheme) = given.scheme.or(base.scheme) {
        uri.push_str(&scheme.to_ascii_lowercase());
        uri.push(':');
    }
    if let Some(authority) = authority {
        uri.push_str("//");
        uri.push_str(authority);
    }
    uri.push_str(&without_dot_segments(path));
    if let Some(query) = query {
        uri.push('?');
        uri.push_str(query);
    }
    uri
}

/// A path without its `.` and `..` segments. Those at the begin of a relative path that have nothing to
/// take away go too.
fn without_dot_segments(path: &str) -> String {
    if !path.contains('.') {
        return path.to_owned();
    }
    let (root, relative) = match path.strip_prefix('/') {
        Some(relative) => ("/", relative),
        None => ("", path),
    };
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = relative.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            _ => kept.push(segment),
        }
    }
    format!("{root}{}", kept.join("/"))
}

/// A text with its `%XX` decoded; `None` where that is no UTF-8.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digit = |offset: usize| bytes.get(at + offset).and_then(|&digit| char::from(digit).to_digit(16));
        match (byte, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high << 4 | low) as u8);
                at += 3;
            }
            _ => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

/// A name as a segment of a JSON pointer.
pub(super) fn escaped(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(name)
    }
}
