//! Makes a failing case as small as possible.
//!
//! Greedy: as long as some smaller case still fails when it is replayed, take that one. Expressions are
//! replaced by an operand or by the empty text, operands and tokens at the end of lists are left out.

use crate::ast::Expression;
use crate::compare::replay;
use crate::engine::Engine;
use crate::mismatch::Mismatch;
use crate::oracle::Piece;
use crate::random_case::Case;

/// The replays that one shrinking may take.
const REPLAYS: usize = 2_000;

/// A smaller mismatch, or the same one where it does not fail when it is merely replayed.
pub fn shrink<E: Engine>(engine: &E, mismatch: Mismatch) -> Mismatch {
    let Err(difference) = replay(engine, &mismatch.case, &mismatch.pieces) else { return mismatch };
    let mut best = Mismatch { difference, ..mismatch };
    let mut replays = 0;
    loop {
        let smaller = candidates(&best).into_iter().take(REPLAYS - replays).find_map(|candidate| {
            replays += 1;
            let difference = replay(engine, &candidate.case, &candidate.pieces).err()?;
            Some(Mismatch { difference, ..candidate })
        });
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// All cases that are one step smaller.
fn candidates(mismatch: &Mismatch) -> Vec<Mismatch> {
    let mut result = Vec::new();
    for at in (0..mismatch.pieces.len()).rev() {
        let mut smaller = mismatch.clone();
        smaller.pieces.remove(at);
        result.push(smaller);
    }
    let Case { description, vocabulary } = &mismatch.case;
    let last_rule = description.rules.len() - 1;
    if last_rule > 0 && !description.rules.iter().any(|rule| calls(rule, last_rule)) {
        let mut smaller = mismatch.clone();
        smaller.case.description.rules.pop();
        result.push(smaller);
    }
    for (at, rule) in description.rules.iter().enumerate() {
        for body in smaller_expressions(rule) {
            let mut smaller = mismatch.clone();
            smaller.case.description.rules[at] = body;
            result.push(smaller);
        }
    }
    result.extend(without_last_token(mismatch));
    for id in 0..vocabulary.tokens.len() {
        if vocabulary.tokens[id].is_some() {
            let mut smaller = mismatch.clone();
            smaller.case.vocabulary.tokens[id] = None;
            result.push(smaller);
        }
    }
    if vocabulary.stop_tokens.len() > 1 {
        let mut smaller = mismatch.clone();
        smaller.case.vocabulary.stop_tokens.pop();
        result.push(smaller);
    }
    result
}

/// The same without the last token, where nothing refers to it by its id.
fn without_last_token(mismatch: &Mismatch) -> Option<Mismatch> {
    let Case { description, vocabulary } = &mismatch.case;
    let last = vocabulary.tokens.len().checked_sub(1)? as u32;
    let named = description.rules.iter().any(|rule| names(rule, last));
    if named || vocabulary.is_stop(last) || mismatch.pieces.contains(&Piece::Token(last)) {
        return None;
    }
    let mut smaller = mismatch.clone();
    smaller.case.vocabulary.tokens.pop();
    smaller.case.vocabulary.size -= 1;
    Some(smaller)
}

fn calls(expression: &Expression, rule: usize) -> bool {
    *expression == Expression::Call(rule) || expression.operands().iter().any(|operand| calls(operand, rule))
}

fn names(expression: &Expression, id: u32) -> bool {
    let here = matches!(expression, Expression::Tokens { ids, .. } if ids.contains(&id));
    here || expression.operands().iter().any(|operand| names(operand, id))
}

/// All expressions that are one step smaller, the smallest first.
fn smaller_expressions(expression: &Expression) -> Vec<Expression> {
    if matches!(expression, Expression::Empty | Expression::Nothing) {
        return Vec::new();
    }
    let operands = expression.operands();
    let mut result = vec![Expression::Nothing, Expression::Empty];
    result.extend(operands.iter().cloned());
    match expression {
        Expression::Literal(text) if text.len() > 1 => {
            result.push(Expression::Literal(text[1..].to_vec()));
            result.push(Expression::Literal(text[..text.len() - 1].to_vec()));
        }
        Expression::Literals(texts) => {
            result.extend(texts.iter().cloned().map(Expression::Literal));
            result.extend((0..texts.len()).map(|at| Expression::Literals(without(texts, at))));
        }
        Expression::Tokens { negated, ids } => {
            let fewer = (0..ids.len()).map(|at| without(ids, at));
            result.extend(fewer.map(|ids| Expression::Tokens { negated: *negated, ids }));
        }
        Expression::Repetition { body, minimum, maximum } => {
            let bounds = [
                (minimum.saturating_sub(1), *maximum),
                (minimum / 2, maximum.map(|maximum| maximum / 2)),
                (*minimum, maximum.map(|maximum| maximum.saturating_sub(1).max(*minimum))),
            ];
            for (minimum, maximum) in bounds {
                result.push(Expression::Repetition { body: body.clone(), minimum, maximum });
            }
        }
        _ => {}
    }
    if let Expression::FreeText { strings, continuations, ends } = expression {
        result.extend((0..strings.len()).map(|at| Expression::FreeText {
            strings: without(strings, at),
            continuations: without(continuations, at),
            ends: *ends,
        }));
    } else if operands.len() > 1 {
        result.extend((0..operands.len()).map(|at| with_operands(expression, without(operands, at))));
    }
    for (at, operand) in operands.iter().enumerate() {
        for smaller in smaller_expressions(operand) {
            let mut operands = operands.to_vec();
            operands[at] = smaller;
            result.push(with_operands(expression, operands));
        }
    }
    result.retain(|smaller| smaller != expression);
    result
}

fn without<T: Clone>(items: &[T], at: usize) -> Vec<T> {
    [&items[..at], &items[at + 1..]].concat()
}

/// The same kind of expression with other operands.
fn with_operands(expression: &Expression, mut operands: Vec<Expression>) -> Expression {
    match expression {
        Expression::Sequence(_) => Expression::Sequence(operands),
        Expression::Alternatives(_) => Expression::Alternatives(operands),
        Expression::Intersection(_) => Expression::Intersection(operands),
        Expression::Complement(_) => Expression::Complement(Box::new(operands.swap_remove(0))),
        Expression::FreeText { strings, ends, .. } => {
            Expression::FreeText { strings: strings.clone(), continuations: operands, ends: *ends }
        }
        Expression::Repetition { minimum, maximum, .. } => Expression::Repetition {
            body: Box::new(operands.swap_remove(0)),
            minimum: *minimum,
            maximum: *maximum,
        },
        other => other.clone(),
    }
}
