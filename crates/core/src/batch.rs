//! The same operation on many matchers, on threads that are kept between calls.
//!
//! The calling thread begins. Where what is left is worth it, others are woken, and each takes the next few matchers until
//! none are left: slow matchers side by side leave no thread idle. Matchers share nothing but their constraint's memo, which
//! gives all of them the same answers, so the results do not depend on the number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};
use crate::matcher::{Matcher, Trial};
use crate::stack;
use crate::vocabulary::TokenId;

/// More threads than this are never started, whatever is asked for.
pub const MOST_THREADS: usize = 256;

/// What stands for a mask whose identity is not known.
pub const NO_IDENTITY: u64 = 0;

/// The identity of the mask that allows everything: that of a row without a matcher.
pub const ALL_ALLOWED: u64 = u64::MAX;

/// So many matchers are taken at once.
const JOBS_PER_PART: usize = 4;

/// What takes the calling thread so long at most is not shared: waking another thread, and waiting for it in the end, takes
/// a good part of that.
const WORTH_SHARING: Duration = Duration::from_micros(100);

/// Threads that work on batches. They sleep between calls, and end when this is dropped.
///
/// Several threads may call with the same workers at once. A process made by `fork` has none of its parent's
/// threads: there, workers that were made before must be neither used nor dropped.
#[derive(Debug)]
pub struct Workers {
    /// The threads beside the calling one; `None` where that does all the work.
    helpers: Option<ThreadPool>,
}

impl Workers {
    /// The calling thread alone.
    pub const fn none() -> Self {
        Self { helpers: None }
    }

    /// So many threads work, the calling one among them, at most [`MOST_THREADS`]: the others are started. For 0 or 1, the
    /// calling thread does the work.
    ///
    /// # Errors
    /// What the operating system says when it does not start a thread.
    pub fn new(threads: usize) -> std::io::Result<Self> {
        if threads <= 1 {
            return Ok(Self::none());
        }
        let builder = ThreadPoolBuilder::new().num_threads(threads.min(MOST_THREADS) - 1);
        let named = builder.thread_name(|index| format!("maskwright-{index}"));
        let sized = named.stack_size(stack::OF_OWN_THREADS);
        Ok(Self { helpers: Some(sized.build().map_err(std::io::Error::other)?) })
    }

    /// The number of threads that work.
    #[cfg(test)]
    fn thread_count(&self) -> usize {
        1 + self.helpers.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    /// Does every job and gives the results in the order of the jobs. A panic in a job is one of this call;
    /// the threads outlive it.
    fn run<J: Send, T: Send>(
        &self,
        jobs: impl Iterator<Item = J>,
        work: impl Fn(&mut J) -> T + Sync,
    ) -> Vec<T> {
        let mut slots: Vec<(J, Option<T>)> = jobs.map(|job| (job, None)).collect();
        let work = |slots: &mut [(J, Option<T>)]| {
            slots.iter_mut().for_each(|(job, result)| *result = Some(work(job)));
        };
        match &self.helpers {
            None => work(&mut slots),
            Some(helpers) => {
                let mut parts = slots.chunks_mut(JOBS_PER_PART);
                while let Some(part) = parts.next() {
                    // By this part and not by all before: the first of a batch fetches what the others find in the caches.
                    let start = Instant::now();
                    work(part);
                    if start.elapsed() * parts.len() as u32 > WORTH_SHARING {
                        share(helpers, parts, work);
                        break;
                    }
                }
            }
        }
        slots.into_iter().filter_map(|(_, result)| result).collect()
    }
}

/// Works on every part, on the calling thread and on the helpers.
fn share<P: Send>(helpers: &ThreadPool, parts: impl Iterator<Item = P>, work: impl Fn(P) + Sync) {
    let threads = 1 + helpers.current_num_threads();
    let parts: Vec<Mutex<Option<P>>> = parts.map(|part| Mutex::new(Some(part))).collect();
    let stretches = parts.chunks(parts.len().div_ceil(threads)).map(|parts| (parts, AtomicUsize::new(0)));
    let team = Team { stretches: stretches.collect(), threads, work };
    helpers.in_place_scope(|scope| team.begin(scope, 0));
}

/// What threads share while they work on one batch.
struct Team<'a, P, W> {
    /// For each thread the parts that it begins with, which are near one another in memory, and how many of them are taken.
    stretches: Vec<(&'a [Mutex<Option<P>>], AtomicUsize)>,
    threads: usize,
    work: W,
}

impl<P: Send, W: Fn(P) + Sync> Team<'_, P, W> {
    /// Works on one thread. While there is something left, it wakes two others first, and these wake two each.
    fn begin<'scope>(&'scope self, scope: &Scope<'scope>, thread: usize) {
        for other in [2 * thread + 1, 2 * thread + 2] {
            if other < self.threads && self.is_something_left() {
                scope.spawn(move |scope| self.begin(scope, other));
            }
        }
        // What others have not begun is taken over from them.
        let (before, own) = self.stretches.split_at(thread.min(self.stretches.len()));
        for (parts, taken) in own.iter().chain(before) {
            while let Some(part) = parts.get(taken.fetch_add(1, Ordering::Relaxed)) {
                // Its number is this thread's alone, so no lock is waited for.
                let part = part.lock().unwrap_or_else(PoisonError::into_inner).take();
                part.into_iter().for_each(&self.work);
            }
        }
    }

    fn is_something_left(&self) -> bool {
        self.stretches.iter().any(|(parts, taken)| taken.load(Ordering::Relaxed) < parts.len())
    }
}

/// Fills one mask row for each matcher: row `i` is `masks[i * words_per_row..]`. Where there is none, as for a sequence
/// without a constraint, all bits of the row are ones.
///
/// With `held`, `held[i]` is the identity of the mask that row `i` holds already, 0 where that is not known.
/// A row that holds its matcher's mask is not written. Afterwards `held` says what the rows hold now.
///
/// Returns for each whether it was filled, or its error; the row of one with an error holds nothing of use and has no
/// identity.
///
/// # Errors
/// [`Error::MaskLength`] when `masks` is not one row of `words_per_row` words for each matcher, or `held` not
/// one identity for each.
pub fn fill_masks(
    workers: &Workers,
    matchers: &mut [Option<&mut Matcher>],
    masks: &mut [u32],
    words_per_row: usize,
    held: Option<&mut [u64]>,
) -> Result<Vec<Result<()>>> {
    let needed = matchers.len().saturating_mul(words_per_row);
    if words_per_row == 0 {
        // No vocabulary is without tokens, so no row is without words.
        let first = matchers.iter().flatten().next();
        let needed = first.map_or(1, |matcher| matcher.constraint().vocabulary().mask_words());
        return Err(Error::MaskLength { found: 0, needed });
    }
    if masks.len() != needed {
        return Err(Error::MaskLength { found: masks.len(), needed });
    }
    let mut unknown = Vec::new();
    let held = held.unwrap_or_else(|| {
        unknown.resize(matchers.len(), NO_IDENTITY);
        &mut unknown
    });
    if held.len() != matchers.len() {
        return Err(Error::MaskLength { found: held.len(), needed: matchers.len() });
    }
    let rows = masks.chunks_exact_mut(words_per_row).zip(held);
    let jobs = matchers.iter_mut().zip(rows);
    Ok(workers.run(jobs, |(matcher, (row, held))| fill(matcher.as_deref_mut(), row, held)))
}

/// Fills a row unless it holds the matcher's mask already, and says what it holds now.
fn fill(matcher: Option<&mut Matcher>, row: &mut [u32], held: &mut u64) -> Result<()> {
    // Until the row is whole again, it must not pass for what it was.
    let before = std::mem::replace(held, NO_IDENTITY);
    let now = match matcher {
        Some(matcher) => matcher.fill_mask_unless_held(row, (before != NO_IDENTITY).then_some(before))?,
        None => {
            if before != ALL_ALLOWED {
                row.fill(u32::MAX);
            }
            Some(ALL_ALLOWED)
        }
    };
    *held = now.unwrap_or(NO_IDENTITY);
    Ok(())
}

/// Fills the rows of a draft for each matcher, as [`Matcher::fill_draft_masks`] does: one for each of its tokens and one more,
/// those of one matcher behind those of the matcher before. Where there is no matcher, all bits are ones, and all tokens allowed.
///
/// Returns for each how many tokens of its draft are allowed one after the other, or its error.
///
/// # Errors
/// [`Error::MaskLength`] when `masks` has not so many rows of `words_per_row` words.
pub fn fill_draft_masks(
    workers: &Workers,
    matchers: &mut [Option<&mut Matcher>],
    drafts: &[Vec<TokenId>],
    masks: &mut [u32],
    words_per_row: usize,
) -> Result<Vec<Result<usize>>> {
    let lengths = drafts.iter().map(|draft| (draft.len() + 1).saturating_mul(words_per_row));
    let needed = lengths.clone().fold(0, usize::saturating_add);
    if masks.len() != needed {
        return Err(Error::MaskLength { found: masks.len(), needed });
    }
    let mut left = masks;
    let rows = lengths.map(|length| left.split_off_mut(..length).unwrap_or_default());
    let jobs = matchers.iter_mut().zip(drafts).zip(rows);
    Ok(workers.run(jobs, |((matcher, draft), rows)| match matcher {
        Some(matcher) => matcher.fill_draft_masks(draft, rows),
        None => {
            rows.fill(u32::MAX);
            Ok(draft.len())
        }
    }))
}

/// Accepts one token for each matcher, of both of which there are as many. Returns for each whether it was accepted, or its
/// error; where there is no matcher, any token is. With an error among them, or a panic, no matcher has changed.
pub fn accept_tokens(
    workers: &Workers,
    matchers: &mut [Option<&mut Matcher>],
    tokens: &[TokenId],
) -> Vec<Result<bool>> {
    let mut trials: Vec<Option<Trial<'_>>> =
        matchers.iter_mut().map(|matcher| matcher.as_deref_mut().map(Trial::begin)).collect();
    let accepted = workers.run(trials.iter_mut().zip(tokens), |(trial, token)| {
        trial.as_mut().map_or(Ok(true), |trial| trial.accept(**token))
    });
    if accepted.iter().all(Result::is_ok) {
        trials.into_iter().flatten().for_each(Trial::keep);
    }
    accepted
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Arc, Barrier};

    use super::*;
    use crate::{Budget, Constraint, Vocabulary, frontend};

    const WORDS: usize = 1;

    fn matchers(count: usize) -> Vec<Matcher> {
        let mut tokens: Vec<_> = (b'a'..=b'z').map(|byte| Some(vec![byte])).collect();
        tokens.push(None);
        let stop = TokenId(26);
        let vocabulary = Arc::new(Vocabulary::new(tokens, vec![], vec![stop], 27).unwrap());
        let words = ["maskwright", "mask", "masonry", "wright"].map(str::to_owned);
        let grammar = frontend::choice::compile(&words, &Budget::default()).unwrap();
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &Budget::default()).unwrap());
        let made = (0..count).map(|index| {
            let mut matcher = Matcher::new(&constraint);
            matcher.accept_bytes(&b"maskwright"[..index % 11]).unwrap();
            matcher
        });
        made.collect()
    }

    fn borrowed(matchers: &mut [Matcher]) -> Vec<Option<&mut Matcher>> {
        matchers.iter_mut().map(Some).collect()
    }

    #[test]
    fn every_number_of_threads_gives_what_single_calls_give() {
        for (count, threads) in [(1, 4), (2, 2), (37, 0), (37, 1), (37, 3), (513, 8)] {
            let workers = Workers::new(threads).unwrap();
            let (mut single, mut batch) = (matchers(count), matchers(count));
            let mut expected = vec![0; count * WORDS];
            for (matcher, row) in single.iter_mut().zip(expected.chunks_mut(WORDS)) {
                matcher.fill_mask(row).unwrap();
            }
            let mut masks = vec![u32::MAX; count * WORDS];
            let filled = fill_masks(&workers, &mut borrowed(&mut batch), &mut masks, WORDS, None).unwrap();
            assert_eq!((filled.len(), filled.iter().all(Result::is_ok)), (count, true));
            assert_eq!(masks, expected, "{count} matchers, {threads} threads");

            let tokens: Vec<TokenId> = (0..count as u32).map(|index| TokenId(index * 7 % 27)).collect();
            let expected: Vec<_> =
                single.iter_mut().zip(&tokens).map(|(one, &token)| one.accept(token).unwrap()).collect();
            let accepted = accept_tokens(&workers, &mut borrowed(&mut batch), &tokens);
            assert_eq!(accepted.into_iter().map(Result::unwrap).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn rows_that_hold_their_mask_stay_right_from_step_to_step() {
        let workers = Workers::new(2).unwrap();
        let (mut single, mut batch) = (matchers(30), matchers(30));
        let (mut masks, mut held) = (vec![u32::MAX; 30 * WORDS], vec![NO_IDENTITY; 30]);
        for token in [TokenId(0), TokenId(12), TokenId(18), TokenId(10), TokenId(26)] {
            let mut expected = vec![0; 30 * WORDS];
            for (matcher, row) in single.iter_mut().zip(expected.chunks_mut(WORDS)) {
                matcher.fill_mask(row).unwrap();
                matcher.accept(token).unwrap();
            }
            for _ in 0..2 {
                let held = Some(&mut held[..]);
                let filled =
                    fill_masks(&workers, &mut borrowed(&mut batch), &mut masks, WORDS, held).unwrap();
                assert!(filled.iter().all(Result::is_ok));
                assert_eq!(masks, expected);
            }
            for accepted in accept_tokens(&workers, &mut borrowed(&mut batch), &[token; 30]) {
                accepted.unwrap();
            }
        }
    }

    #[test]
    fn rows_without_a_matcher_allow_everything() {
        let workers = Workers::new(2).unwrap();
        let (mut single, mut made) = (matchers(20), matchers(20));
        let (mut masks, mut held) = (vec![0; 20 * WORDS], vec![NO_IDENTITY; 20]);
        for step in 0..2 {
            // A row that had a matcher has none in the next step, and the other way round.
            let is_free = |row: usize| (row + step).is_multiple_of(2);
            let mut batch = borrowed(&mut made);
            (0..20).filter(|&row| is_free(row)).for_each(|row| batch[row] = None);
            fill_masks(&workers, &mut batch, &mut masks, WORDS, Some(&mut held)).unwrap();
            for (row, matcher) in single.iter_mut().enumerate() {
                let mut expected = [u32::MAX];
                if !is_free(row) {
                    matcher.fill_mask(&mut expected).unwrap();
                }
                assert_eq!((masks[row], held[row] == ALL_ALLOWED), (expected[0], is_free(row)));
            }
        }
        // What is held is not written again.
        let mut batch: Vec<Option<&mut Matcher>> = (0..20).map(|_| None).collect();
        masks.fill(0);
        held.fill(ALL_ALLOWED);
        fill_masks(&workers, &mut batch, &mut masks, WORDS, Some(&mut held)).unwrap();
        assert_eq!(masks, [0; 20 * WORDS]);
        let accepted = accept_tokens(&workers, &mut batch, &[TokenId(u32::MAX); 20]);
        assert!(accepted.into_iter().all(|accepted| accepted == Ok(true)));
    }

    #[test]
    fn buffers_of_the_wrong_length_are_errors() {
        let workers = Workers::none();
        let mut made = matchers(3);
        for (masks, words, held) in [(2, 1, 3), (4, 1, 3), (0, 0, 3), (3, 1, 2)] {
            let (mut masks, mut held) = (vec![0; masks], vec![0; held]);
            let result = fill_masks(&workers, &mut borrowed(&mut made), &mut masks, words, Some(&mut held));
            assert!(matches!(result, Err(Error::MaskLength { .. })), "{masks:?} {words} {held:?}");
        }
    }

    #[test]
    fn a_row_that_could_not_be_filled_has_an_error_and_no_identity() {
        let mut made = matchers(3);
        let (mut masks, mut held) = (vec![0; 6], vec![7; 3]);
        let results =
            fill_masks(&Workers::none(), &mut borrowed(&mut made), &mut masks, 2, Some(&mut held)).unwrap();
        assert_eq!(results.len(), 3);
        for result in results {
            assert!(matches!(result, Err(Error::MaskLength { found: 2, needed: 1 })));
        }
        assert_eq!(held, [NO_IDENTITY; 3]);
    }

    #[test]
    fn where_one_token_is_an_error_no_matcher_has_changed() {
        let outside = TokenId(27);
        for threads in [1, 3] {
            let (workers, mut made) = (Workers::new(threads).unwrap(), matchers(40));
            let before: Vec<usize> = made.iter().map(Matcher::step_count).collect();
            let mut tokens = [TokenId(12); 40];
            tokens[17] = outside;
            let results = accept_tokens(&workers, &mut borrowed(&mut made), &tokens);
            assert!(results.contains(&Ok(true)) && results.contains(&Ok(false)));
            assert!(matches!(results[17], Err(Error::TokenId { .. })));
            assert!(before.iter().copied().eq(made.iter().map(Matcher::step_count)));

            tokens[17] = TokenId(12);
            let results = accept_tokens(&workers, &mut borrowed(&mut made), &tokens);
            let taken = made.iter().zip(before).map(|(matcher, before)| Ok(matcher.step_count() > before));
            assert!(results.into_iter().eq(taken));
        }
    }

    #[test]
    fn a_slow_job_does_not_hold_up_those_behind_it() {
        let workers = Workers::new(2).unwrap();
        let (others, all_others_done) = (AtomicUsize::new(0), Barrier::new(2));
        let meet = || {
            all_others_done.wait();
        };
        // One job ends only when nearly all that come after it have: one thread has to do them.
        workers.run(0..100, |&mut job| match job {
            0..JOBS_PER_PART => std::thread::sleep(WORTH_SHARING),
            JOBS_PER_PART => meet(),
            _ if others.fetch_add(1, Ordering::Relaxed) == 99 - 2 * JOBS_PER_PART => meet(),
            _ => {}
        });
    }

    #[test]
    fn every_thread_takes_part_in_what_takes_long() {
        const THREADS: usize = 6;
        let (workers, all_at_work) = (Workers::new(THREADS).unwrap(), Barrier::new(THREADS));
        let results = workers.run(0..(1 + THREADS) * JOBS_PER_PART, |&mut job| {
            match job {
                0..JOBS_PER_PART => std::thread::sleep(WORTH_SHARING),
                _ if job.is_multiple_of(JOBS_PER_PART) => {
                    all_at_work.wait();
                }
                _ => {}
            }
            job
        });
        assert!(results.into_iter().eq(0..(1 + THREADS) * JOBS_PER_PART));
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_threads_go_on() {
        let workers = Workers::new(3).unwrap();
        let panicking = AssertUnwindSafe(|| {
            workers.run(0..50, |&mut job| {
                std::thread::sleep(WORTH_SHARING);
                assert!(job % 9 != 4, "on purpose");
            })
        });
        assert!(catch_unwind(panicking).is_err());
        let slow_successor = |&mut job: &mut usize| {
            std::thread::sleep(WORTH_SHARING);
            job + 1
        };
        assert_eq!(workers.run(0..50, slow_successor), (1..51).collect::<Vec<_>>());
    }

    #[test]
    fn no_argument_starts_threads_without_end() {
        assert_eq!(Workers::new(0).unwrap().thread_count(), 1);
        assert_eq!(Workers::new(3).unwrap().thread_count(), 3);
        assert_eq!(Workers::new(usize::MAX).unwrap().thread_count(), MOST_THREADS);
    }
}
