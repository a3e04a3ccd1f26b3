//! What may come next, in words for people.

use crate::byte_set::ByteSet;
use crate::counted::counted;
use crate::expression::{Expression, ExpressionId, ExpressionStore};
use crate::grammar::PreparedGrammar;
use crate::vocabulary::{TokenReference, Vocabulary};

/// Literals are listed up to this many.
const MANY: usize = 8;

/// Describes one node at the head of what is alive.
pub(super) fn describe_head(
    node: Expression,
    grammar: &PreparedGrammar,
    vocabulary: &Vocabulary,
    out: &mut Vec<String>,
) {
    let store = &grammar.expressions;
    match node {
        Expression::Bytes(set) => out.push(format!("{:?}", store.byte_set(set))),
        Expression::Residue(residue) => {
            let next = store.residue_of(residue).next_bytes();
            out.extend((!next.is_empty()).then(|| format!("{next:?}")));
        }
        Expression::Literals(range) => {
            let depth = range.depth as usize;
            for literal in store.literals_of(range).take(MANY) {
                out.push(quoted(&literal[depth..]));
            }
            let count = (range.end - range.first) as usize;
            if count > MANY {
                out.push(counted(count - MANY, "other choice"));
            }
        }
        Expression::Call(rule) => out.extend(grammar.name_of(rule)),
        Expression::Tokens(set) => {
            let set = store.token_set(set);
            let names: Vec<String> =
                set.members().iter().map(|token| token_name(token, vocabulary)).collect();
            let negation = if set.is_negated() { "any token but " } else { "" };
            out.push(format!("{negation}{}", names.join(" or ")));
        }
        Expression::Intersection(_) | Expression::Complement(_) => out.push(condition(node, store)),
        Expression::JsonString { .. } | Expression::Capture { .. } => {
            out.push("more of a string".to_owned());
        }
        Expression::FreeText { table, .. } => {
            let (tags, count) = store.tags_of_free_text(table, MANY);
            let tags: Vec<String> = tags.iter().map(|tag| quoted(tag)).collect();
            out.push(match (tags.is_empty(), count.saturating_sub(MANY)) {
                (true, _) => "free text".to_owned(),
                (false, 0) => format!("free text, and {} in it", tags.join(" or ")),
                (false, more) => {
                    format!("free text, and {} or {} in it", tags.join(" or "), counted(more, "other tag"))
                }
            });
        }
        // What these begin with is described for the heads of their operands, or once it is defined.
        Expression::Concatenation(..)
        | Expression::Alternatives(_)
        | Expression::Repetition { .. }
        | Expression::Unordered(_)
        | Expression::Deferred(_)
        | Expression::Captured { .. }
        | Expression::Nothing
        | Expression::Empty => {}
    }
}

/// What is asked of a text besides: that some strings are nowhere in it, where it is that.
fn condition(node: Expression, store: &ExpressionStore) -> String {
    let strings = match node {
        Expression::Complement(found) => forbidden_strings(found, store),
        Expression::Intersection(list) => {
            let complements = store.list(list).iter().filter_map(|&operand| match store.get(operand) {
                Expression::Complement(found) => Some(forbidden_strings(found, store)),
                _ => None,
            });
            complements.collect::<Option<Vec<_>>>().map(|all| all.concat())
        }
        _ => None,
    };
    match strings {
        Some(strings) if !strings.is_empty() => {
            let mut told: Vec<String> = strings.iter().take(MANY).map(|string| quoted(string)).collect();
            if strings.len() > MANY {
                told.push(counted(strings.len() - MANY, "other string"));
            }
            format!("text without {}", told.join(" or "))
        }
        _ => "text that also meets a further condition".to_owned(),
    }
}

/// The strings, where these are all texts in which one of them is found, as forbidden ones are, or that go on with what is
/// left of one; `None` of other texts.
fn forbidden_strings(found: ExpressionId, store: &ExpressionStore) -> Option<Vec<Vec<u8>>> {
    let alternatives = match store.get(found) {
        Expression::Alternatives(list) => store.list(list),
        _ => &[found],
    };
    let mut strings = Vec::new();
    for &alternative in alternatives {
        let Expression::Concatenation(first, rest) = store.get(alternative) else { return None };
        match (store.get(first), store.get(rest)) {
            (Expression::Repetition { .. }, Expression::Concatenation(searched, any))
                if is_any(first, store) && is_any(any, store) =>
            {
                strings.extend(fixed_strings(searched, store)?);
            }
            (Expression::Literals(_) | Expression::Bytes(_), _) if is_any(rest, store) => {}
            _ => return None,
        }
    }
    Some(strings)
}

fn is_any(id: ExpressionId, store: &ExpressionStore) -> bool {
    let Expression::Repetition { body, minimum: 0, maximum: ExpressionStore::UNBOUNDED } = store.get(id)
    else {
        return false;
    };
    matches!(store.get(body), Expression::Bytes(set) if *store.byte_set(set) == ByteSet::ALL)
}

fn fixed_strings(id: ExpressionId, store: &ExpressionStore) -> Option<Vec<Vec<u8>>> {
    match store.get(id) {
        Expression::Bytes(set) => Some(store.byte_set(set).iter().map(|byte| vec![byte]).collect()),
        Expression::Literals(range) if range.depth == 0 => {
            Some(store.literals_of(range).map(<[u8]>::to_vec).collect())
        }
        _ => None,
    }
}

/// Text in quotes; or bytes, where they are not text, as in the middle of a character.
fn quoted(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("the bytes \"{}\"", bytes.escape_ascii()),
    }
}

fn token_name(token: &TokenReference, vocabulary: &Vocabulary) -> String {
    match token {
        TokenReference::Name(name) | TokenReference::NameIfKnown(name) => format!("the token {name}"),
        TokenReference::Id(id) => {
            let name = vocabulary.special_tokens().find(|&(_, other)| other == *id);
            name.map_or_else(|| format!("the token {}", id.0), |(name, _)| format!("the token {name}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn text_is_quoted_as_it_is_read() {
        assert_eq!(quoted("né's \"\n".as_bytes()), r#""né's \"\n""#);
        assert_eq!(quoted(b"\xA9!"), r#"the bytes "\xa9!""#);
    }
}
