//! The same operation on many matchers, on several threads.

use std::sync::Mutex;
use std::sync::PoisonError;

use crate::error::{Error, Result};
use crate::matcher::Matcher;
use crate::vocabulary::TokenId;

/// Fills one mask row for each matcher: row `i` is `masks[i * words_per_row..]`. Uses up to `threads`
/// threads, the calling one included.
///
/// # Errors
/// [`Error::MaskLength`] when `masks` is not one row of `words_per_row` words for each matcher; else the
/// error of the first matcher, in their order, that has one. The other rows are filled all the same.
pub fn fill_masks(
    matchers: &mut [&mut Matcher],
    masks: &mut [u32],
    words_per_row: usize,
    threads: usize,
) -> Result<()> {
    let needed = matchers.len() * words_per_row;
    if masks.len() != needed || words_per_row == 0 {
        return Err(Error::MaskLength { found: masks.len(), needed });
    }
    let jobs = matchers.iter_mut().zip(masks.chunks_mut(words_per_row)).collect();
    let results = run(jobs, threads, |(matcher, row)| matcher.fill_mask(row));
    results.into_iter().collect()
}

/// Accepts one token for each matcher. Returns for each whether it was accepted, or its error.
pub fn accept_tokens(matchers: &mut [&mut Matcher], tokens: &[TokenId], threads: usize) -> Vec<Result<bool>> {
    let jobs = matchers.iter_mut().zip(tokens).collect();
    run(jobs, threads, |(matcher, &token)| matcher.accept(token))
}

/// Runs every job and gives the results in the order of the jobs.
fn run<J: Send, T: Send>(jobs: Vec<J>, threads: usize, work: impl Fn(J) -> T + Sync) -> Vec<T> {
    let threads = threads.min(jobs.len());
    if threads <= 1 {
        return jobs.into_iter().map(work).collect();
    }
    let mut results: Vec<Option<T>> = jobs.iter().map(|_| None).collect();
    let queue = Mutex::new(jobs.into_iter().zip(results.iter_mut()));
    let help = || {
        loop {
            let job = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((job, result)) = job else { break };
            *result = Some(work(job));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(help);
        }
        help();
    });
    drop(queue);
    results.into_iter().flatten().collect()
}
