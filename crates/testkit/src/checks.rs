//! One truth: everything the engine says agrees with its masks and with the oracle.
//!
//! Each check works on forks, so that the walk goes on as if nothing had happened, and each ends by
//! looking whether that is so.

use crate::engine::{Engine, Outcome};
use crate::oracle::Piece;
use crate::walk::{Walk, give, has, require};

/// A check, how often in a hundred steps it is drawn, and what it is about.
type Check<'a, E> = (usize, fn(&mut Walk<'a, E>) -> Outcome<()>, &'static str);

fn all<'a, E: Engine>() -> [Check<'a, E>; 12] {
    [
        (30, refuses_what_is_not_allowed, "a token that is not allowed"),
        (30, counts_accepted_tokens, "accept_tokens and validate"),
        (25, rolls_back, "rollback"),
        (20, forks_apart, "fork"),
        (10, fills_batches, "a batch"),
        (20, forces_what_must_come, "forced_bytes and forced_tokens"),
        (20, allows_bytes, "allowed_bytes and accept_bytes"),
        (15, reads_text_as_tokens, "accept_bytes of a token"),
        (4, compiles_again, "a second constraint"),
        (4, works_in_a_thread, "another thread"),
        (8, starts_over, "reset"),
        (50, ends_with_a_stop_token, "a stop token"),
    ]
}

/// Runs some of the checks, drawn at random.
pub(crate) fn run_some<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    for check in all() {
        if walk.random.chance(check.0) {
            run(walk, check)?;
        }
    }
    Ok(())
}

/// Runs every check.
pub(crate) fn run_all<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    all().into_iter().try_for_each(|check| run(walk, check))
}

fn run<'a, E: Engine>(walk: &mut Walk<'a, E>, (_, check, name): Check<'a, E>) -> Outcome<()> {
    walk.tally.checks += 1;
    check(walk).map_err(|difference| format!("{name}: {difference}"))?;
    walk.expect_unchanged(&format!("after {name}"))
}

fn refuses_what_is_not_allowed<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    for id in walk.ids(false) {
        let accepted = walk.engine.accept(&mut walk.matcher, id)?;
        require(!accepted, || format!("{id} was accepted"))?;
    }
    Ok(())
}

/// Tokens that are mostly allowed one after another, and how many of them are.
fn random_tokens<E: Engine>(walk: &mut Walk<'_, E>) -> (Vec<u32>, usize) {
    let count = walk.random.below(6);
    let (mut ids, mut accepted, mut refused) = (Vec::new(), 0, false);
    let mut mask = walk.mask().to_vec();
    for _ in 0..count {
        if walk.oracle.room() < 20 {
            break;
        }
        let allowed = walk.random.chance(80);
        let candidates: Vec<u32> =
            (0..walk.case.vocabulary.size as u32).filter(|&id| has(&mask, id) == allowed).collect();
        let Some(&id) = walk.random.pick(&candidates) else { break };
        ids.push(id);
        refused |= !has(&mask, id);
        if refused {
            continue;
        }
        accepted += 1;
        walk.oracle.push_token(id);
        mask = walk.oracle.mask();
        if walk.case.vocabulary.is_stop(id) {
            mask.fill(0);
        }
    }
    while walk.oracle.pieces() > walk.pieces.len() {
        walk.oracle.pop();
    }
    (ids, accepted)
}

fn counts_accepted_tokens<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let (ids, expected) = random_tokens(walk);
    let validated = walk.engine.validate(&mut walk.matcher, &ids)?;
    require(validated == expected, || format!("validate({ids:?}) is {validated} instead of {expected}"))?;
    walk.expect_unchanged("after validate")?;
    let (mut fork, mut single) = (walk.matcher.clone(), walk.matcher.clone());
    let accepted = walk.engine.accept_tokens(&mut fork, &ids)?;
    require(accepted == expected, || format!("accept_tokens({ids:?}) is {accepted} instead of {expected}"))?;
    for &id in &ids[..expected] {
        give(walk.engine, &mut single, &Piece::Token(id))?;
    }
    let mask = walk.mask_of(&mut single)?;
    walk.expect_mask(&mut fork, &mask, "after accept_tokens, against accepting one by one")?;
    walk.engine.rollback(&mut fork, expected)?;
    walk.expect_mask(&mut fork, walk.mask(), "after accept_tokens and rollback")
}

fn rolls_back<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let steps = walk.random.below(walk.pieces.len() + 1);
    let kept = walk.pieces.len() - steps;
    let mut fork = walk.matcher.clone();
    walk.engine.rollback(&mut fork, steps)?;
    walk.expect_mask(&mut fork, &walk.masks[kept], &format!("after rollback({steps})"))?;
    for piece in &walk.pieces[kept..] {
        give(walk.engine, &mut fork, piece)?;
    }
    walk.expect_mask(&mut fork, walk.mask(), &format!("after rollback({steps}) and the same again"))?;
    let too_many = walk.engine.rollback(&mut walk.matcher, walk.pieces.len() + 1);
    require(too_many.is_err(), || "rollback of more steps than there were is no error".to_owned())
}

fn forks_apart<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let allowed = walk.ids(true);
    let mut fork = walk.matcher.clone();
    let mut taken = Vec::new();
    for _ in 0..3 {
        let Some(&id) = walk.random.pick(&allowed) else { return Ok(()) };
        if walk.engine.accept(&mut fork, id)? {
            taken.push(id);
        }
        walk.expect_unchanged(&format!("after {taken:?} on a fork"))?;
    }
    let Some((&first, rest)) = taken.split_first() else {
        return Err("a fork accepts no allowed token".to_owned());
    };
    let mut original = walk.matcher.clone();
    walk.engine.rollback(&mut fork, rest.len())?;
    give(walk.engine, &mut original, &Piece::Token(first))?;
    let mask = walk.mask_of(&mut original)?;
    walk.expect_mask(&mut fork, &mask, "of a fork, against the original after the same token")
}

fn fills_batches<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let words = walk.case.vocabulary.mask_words();
    let count = walk.random.between(1, 6);
    let (mut matchers, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let steps = walk.random.below(walk.pieces.len() + 1);
        let mut fork = walk.matcher.clone();
        walk.engine.rollback(&mut fork, steps)?;
        matchers.push(fork);
        expected.push(walk.masks[walk.pieces.len() - steps].clone());
    }
    let mut rows = vec![0xdead_beef; words * count];
    let threads = walk.random.between(1, 3);
    walk.engine.fill_masks(&mut matchers, &mut rows, words, threads)?;
    for (row, (expected, actual)) in expected.iter().zip(rows.chunks(words)).enumerate() {
        require(expected == actual, || format!("row {row} of {count} differs from the single mask"))?;
    }
    Ok(())
}

fn forces_what_must_come<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let limit = walk.random.between(0, 12).min(walk.oracle.room() - 1);
    let expected = walk.oracle.forced_bytes(limit);
    let forced = walk.engine.forced_bytes(&mut walk.matcher, limit)?;
    require(expected.starts_with(&forced), || {
        format!("forced_bytes({limit}) is {forced:?}, but only {expected:?} must follow")
    })?;
    walk.tally.short_forced_texts += usize::from(forced.len() < expected.len());
    let limit = walk.random.between(0, 4);
    let ids = walk.engine.forced_tokens(&mut walk.matcher, limit)?;
    require(ids.len() <= limit, || format!("forced_tokens({limit}) gives {} tokens", ids.len()))?;
    let mut result = Ok(());
    for &id in &ids {
        if walk.oracle.room() < 20 {
            break;
        }
        result = token_is_forced(walk, id);
        if result.is_err() {
            break;
        }
        walk.oracle.push_token(id);
    }
    while walk.oracle.pieces() > walk.pieces.len() {
        walk.oracle.pop();
    }
    result.map_err(|difference| format!("of the forced tokens {ids:?}, {difference}"))
}

/// Whether all of a token's text must follow, or the token is the only one that may.
fn token_is_forced<E: Engine>(walk: &mut Walk<'_, E>, id: u32) -> Outcome<()> {
    let mask = walk.oracle.mask();
    require(has(&mask, id), || format!("{id} is not allowed"))?;
    let only = mask.iter().map(|word| word.count_ones()).sum::<u32>() == 1;
    let text = walk.case.vocabulary.text(id).unwrap_or_default();
    let forced = !text.is_empty() && walk.oracle.forced_bytes(text.len()) == text;
    require(only || forced, || format!("{id} is neither forced text nor the only token allowed"))
}

fn allows_bytes<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let alphabet = walk.case.vocabulary.alphabet();
    let expected = walk.oracle.allowed_bytes();
    let actual = walk.engine.allowed_bytes(&mut walk.matcher)?;
    require(actual == expected, || format!("allowed_bytes is {actual:?} instead of {expected:?}"))?;
    let letters: Vec<u8> = alphabet.iter().collect();
    let count = walk.random.between(1, 4);
    let mut bytes: Vec<u8> = (0..count).filter_map(|_| walk.random.pick(&letters).copied()).collect();
    if let Some(first) = walk.random.pick(&expected.iter().collect::<Vec<_>>()) {
        bytes[0] = *first;
    }
    if bytes.is_empty() || walk.oracle.room() < 20 {
        return Ok(());
    }
    let expected = walk.oracle.allows_bytes(&bytes);
    let mut fork = walk.matcher.clone();
    let accepted = walk.engine.accept_bytes(&mut fork, &bytes)?;
    require(accepted == expected, || format!("accept_bytes({bytes:?}) is {accepted}"))?;
    if accepted {
        walk.oracle.push_bytes(&bytes);
        let mask = walk.oracle.mask();
        walk.oracle.pop();
        walk.expect_mask(&mut fork, &mask, &format!("after accept_bytes({bytes:?})"))?;
        walk.engine.rollback(&mut fork, 1)?;
    }
    walk.expect_mask(
        &mut fork,
        walk.mask(),
        &format!("after accept_bytes({bytes:?}), refused or rolled back"),
    )
}

fn reads_text_as_tokens<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let allowed = walk.ids(true);
    let Some(&id) = walk.random.pick(&allowed) else { return Ok(()) };
    let Some(text) = walk.case.vocabulary.text(id).map(<[u8]>::to_vec) else { return Ok(()) };
    if walk.oracle.allows_symbol(id) {
        return Ok(());
    }
    let (mut by_token, mut by_text) = (walk.matcher.clone(), walk.matcher.clone());
    give(walk.engine, &mut by_token, &Piece::Token(id))?;
    give(walk.engine, &mut by_text, &Piece::Bytes(text))?;
    let mask = walk.mask_of(&mut by_token)?;
    walk.expect_mask(&mut by_text, &mask, &format!("after the bytes of {id}, against the token"))
}

fn compiles_again<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let Some(constraint) = walk.engine.compile(walk.case)? else {
        return Err("the grammar is suddenly empty".to_owned());
    };
    let mut matcher = walk.engine.matcher(&constraint);
    for piece in &walk.pieces {
        give(walk.engine, &mut matcher, piece)?;
    }
    walk.expect_mask(&mut matcher, walk.mask(), "with nothing cached")?;
    walk.expect_repetition(&mut walk.engine.matcher(&constraint), "in a constraint compiled again")
}

fn works_in_a_thread<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let (engine, constraint) = (walk.engine, walk.constraint);
    let mut fork = walk.matcher.clone();
    let (pieces, words) = (&walk.pieces, walk.case.vocabulary.mask_words());
    let masks = std::thread::scope(|scope| {
        let thread = scope.spawn(move || {
            let mut own = engine.matcher(constraint);
            for piece in pieces {
                give(engine, &mut own, piece)?;
            }
            let mut rows = [vec![0; words], vec![0; words]];
            engine.fill_mask(&mut fork, &mut rows[0])?;
            engine.fill_mask(&mut own, &mut rows[1])?;
            Ok::<_, String>(rows)
        });
        thread.join().unwrap_or_else(|_| Err("the thread panicked".to_owned()))
    })?;
    require(masks.iter().all(|mask| mask == walk.mask()), || "the mask differs".to_owned())
}

fn starts_over<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    let mut fork = walk.matcher.clone();
    walk.engine.reset(&mut fork);
    walk.expect_repetition(&mut fork, "after reset")?;
    walk.engine.rollback(&mut fork, walk.pieces.len())?;
    walk.expect_repetition(&mut fork, "after rolling back everything")
}

/// Nothing is allowed after a stop token, until it is rolled back.
fn ends_with_a_stop_token<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    if !walk.oracle.is_sentence() {
        return Ok(());
    }
    let Some(&stop) = walk.random.pick(&walk.case.vocabulary.stop_tokens) else { return Ok(()) };
    let mut fork = walk.matcher.clone();
    let accepted = walk.engine.accept(&mut fork, stop)?;
    require(accepted && walk.engine.is_finished(&fork), || format!("{stop} does not finish the text"))?;
    let nothing = vec![0; walk.case.vocabulary.mask_words()];
    walk.expect_mask(&mut fork, &nothing, "afterwards")?;
    for id in 0..walk.case.vocabulary.size as u32 {
        let accepted = walk.engine.accept(&mut fork, id)?;
        require(!accepted, || format!("{id} was accepted afterwards"))?;
    }
    walk.engine.rollback(&mut fork, 1)?;
    require(!walk.engine.is_finished(&fork), || "is_finished after it was rolled back".to_owned())?;
    walk.expect_mask(&mut fork, walk.mask(), "after it was rolled back")
}
