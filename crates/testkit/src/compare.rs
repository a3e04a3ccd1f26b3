//! Compares an engine with the oracle on random cases.
//!
//! For every seed one grammar is compiled and walked through a few times: at each step the masks are
//! compared for every id, checks of `checks` are drawn, and an allowed token is accepted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::checks;
use crate::engine::{Engine, Outcome};
use crate::mismatch::Mismatch;
use crate::oracle::{Oracle, Piece};
use crate::program::Program;
use crate::random::Random;
use crate::random_case::{Case, Scale, random_case};
use crate::shrink::shrink;
pub use crate::walk::Tally;
use crate::walk::{Walk, require};

/// The walks through each grammar.
const WALKS: usize = 3;
/// The greatest number of pieces of one walk.
const STEPS: usize = 12;
/// The room that the oracle needs for the next piece and for looking ahead.
const ROOM: usize = 40;
/// How often a replay runs every check at every step: some choose tokens at random.
const REPLAY_ROUNDS: usize = 3;

/// What to compare.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The seed of the first case; the others count up from it.
    pub seed: u64,
    /// The masks to compare, at least.
    pub masks: usize,
    /// The number of threads.
    pub threads: usize,
    /// After so many mismatches the comparison gives up.
    pub mismatches: usize,
}

/// What came out of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was compared.
    pub tally: Tally,
    /// The differences, each made as small as possible, in the order of their seeds.
    pub mismatches: Vec<Mismatch>,
}

/// Compares an engine with the oracle. `progress` is told the masks compared so far, now and then.
///
/// A comparison in one thread always takes the same cases; more threads may take some more at the end.
pub fn compare<E: Engine>(engine: &E, plan: Plan, progress: &(dyn Fn(usize) + Sync)) -> Report {
    let next_seed = AtomicU64::new(plan.seed);
    let masks = AtomicUsize::new(0);
    let report = Mutex::new(Report::default());
    let work = || {
        let mut tally = Tally::default();
        while masks.load(Ordering::Relaxed) < plan.masks {
            let seed = next_seed.fetch_add(1, Ordering::Relaxed);
            let before = tally.masks;
            let outcome = compare_seed(engine, seed, &mut tally);
            let compared = tally.masks - before;
            let total = masks.fetch_add(compared, Ordering::Relaxed);
            progress(total + compared);
            if let Err(mismatch) = outcome {
                let mismatch = shrink(engine, *mismatch);
                let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                report.mismatches.push(mismatch);
                if report.mismatches.len() >= plan.mismatches {
                    masks.store(plan.masks, Ordering::Relaxed);
                }
            }
        }
        report.lock().unwrap_or_else(PoisonError::into_inner).tally.add(&tally);
    };
    std::thread::scope(|scope| {
        for _ in 1..plan.threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    let mut report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.mismatches.sort_by_key(|mismatch| mismatch.seed);
    report
}

/// Compares an engine with the oracle on the case of one seed.
///
/// # Errors
/// The first difference; a panic of the engine is one.
pub fn compare_seed<E: Engine>(engine: &E, seed: u64, tally: &mut Tally) -> Result<(), Box<Mismatch>> {
    let case = random_case(seed, Scale::Small);
    let mut pieces = Vec::new();
    let mut attempt = Tally::default();
    let outcome = catch_panic(|| walk_case(engine, &case, seed, &mut pieces, &mut attempt));
    tally.add(&attempt);
    outcome.map_err(|difference| Box::new(Mismatch { seed, case, pieces, difference }))
}

/// Compares all masks along some pieces, as far as the oracle allows them, with every check at every step.
///
/// # Errors
/// The first difference; a panic of the engine is one.
pub fn replay<E: Engine>(engine: &E, case: &Case, pieces: &[Piece]) -> Outcome<()> {
    catch_panic(|| {
        let program = Arc::new(Program::new(&case.description, &case.vocabulary));
        let Some(constraint) = compile(engine, case, &program)? else { return Ok(()) };
        let (mut random, mut tally) = (Random::new(0), Tally::default());
        let mut walk = Walk::new(engine, case, &constraint, &program, &mut random, &mut tally);
        let mut pieces = pieces.iter();
        loop {
            walk.observe()?;
            for _ in 0..REPLAY_ROUNDS {
                checks::run_all(&mut walk)?;
            }
            let next = pieces.next().filter(|piece| allows(&mut walk.oracle, piece));
            let Some(piece) = next else { return Ok(()) };
            walk.advance(piece.clone())?;
        }
    })
}

fn allows(oracle: &mut Oracle, piece: &Piece) -> bool {
    match piece {
        Piece::Token(id) => oracle.allows(*id),
        Piece::Bytes(bytes) => oracle.allows_bytes(bytes),
    }
}

fn catch_panic(action: impl FnOnce() -> Outcome<()>) -> Outcome<()> {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(format!("panic: {text}"))
    })
}

/// Compiles a case; engine and oracle must agree on whether anything matches.
fn compile<E: Engine>(engine: &E, case: &Case, program: &Program) -> Outcome<Option<E::Constraint>> {
    let constraint = engine.compile(case)?;
    require(constraint.is_none() == program.is_empty(), || {
        format!("the engine says that the grammar is empty: {}", constraint.is_none())
    })?;
    Ok(constraint)
}

/// Walks through one case; leaves in `pieces` what was committed last.
fn walk_case<E: Engine>(
    engine: &E,
    case: &Case,
    seed: u64,
    pieces: &mut Vec<Piece>,
    tally: &mut Tally,
) -> Outcome<()> {
    let program = Arc::new(Program::new(&case.description, &case.vocabulary));
    let Some(constraint) = compile(engine, case, &program)? else {
        tally.empty_grammars += 1;
        return Ok(());
    };
    tally.grammars += 1;
    let mut random = Random::new(!seed);
    for _ in 0..WALKS {
        let mut walk = Walk::new(engine, case, &constraint, &program, &mut random, tally);
        let outcome = catch_panic(|| walk_once(&mut walk));
        *pieces = std::mem::take(&mut walk.pieces);
        outcome?;
    }
    Ok(())
}

fn walk_once<E: Engine>(walk: &mut Walk<'_, E>) -> Outcome<()> {
    loop {
        walk.observe()?;
        checks::run_some(walk)?;
        let others: Vec<u32> =
            walk.ids(true).into_iter().filter(|&id| !walk.case.vocabulary.is_stop(id)).collect();
        if walk.pieces.len() >= STEPS || walk.oracle.room() < ROOM || walk.random.chance(5) {
            return Ok(());
        }
        let Some(&id) = walk.random.pick(&others) else { return Ok(()) };
        let text = walk.case.vocabulary.text(id).map(<[u8]>::to_vec);
        match text {
            Some(text) if walk.random.chance(10) && walk.oracle.allows_bytes(&text) => {
                walk.advance(Piece::Bytes(text))?;
            }
            _ => walk.advance(Piece::Token(id))?,
        }
    }
}
