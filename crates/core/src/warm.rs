//! Computing ahead, in the foreground or on a thread of its own.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::constraint::Constraint;
use crate::mask::{AheadSource, Allowance, Progress, Stop, Warm, WarmUp, fill_all};
use crate::rehearsal::rehearse;
use crate::stack;
use crate::standstill::Standstill;

impl Constraint {
    /// Computes ahead what masks will need, so that the texts that come find it ready. No mask depends on it.
    ///
    /// Examples are texts that are thought to come. They are matched first, each as far as it is one of the grammar's, and
    /// their masks are counted with those of likely texts. Special tokens stand in them by their names.
    ///
    /// `report` is called before each state and each transition, or each mask of a likely text, some ten microseconds
    /// apart as a rule, and breaks it off by [`ControlFlow::Break`]. All of it may take the time of one compile, a quarter
    /// of the states and expressions of the budget, and three quarters of the cache; what ended it is in the result.
    pub fn warm_up(
        self: &Arc<Self>,
        warm: Warm,
        examples: &[Vec<u8>],
        mut report: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> WarmUp {
        /// So many masks are rehearsed before everything is computed: a few milliseconds.
        const LIKELY_MASKS: usize = 500;
        if !self.settings().stack_automaton {
            // Masks that are computed token by token need nothing that could be prepared.
            let (states, transitions, time) = (0, 0, Duration::ZERO);
            return WarmUp { states, transitions, complete: true, cancelled: false, error: None, time };
        }
        let start = Instant::now();
        let generation = self.generation();
        let (automaton, cache) = (&generation.automaton, &generation.cache);
        let (vocabulary, budget) = (self.vocabulary(), self.budget());
        let allowance = Allowance::new(AheadSource { automaton, vocabulary, cache, budget });
        let rehearsed = |outcome| {
            let (states, transitions) = (automaton.state_count(), cache.step_count());
            (Progress { states, waiting: 0, transitions }, outcome)
        };
        let (progress, outcome) = match warm {
            Warm::Likely(masks) => {
                rehearsed(rehearse(self, Some(masks), examples, &allowance, &mut report).map(|()| false))
            }
            Warm::Examples => {
                rehearsed(rehearse(self, None, examples, &allowance, &mut report).map(|()| false))
            }
            Warm::All => {
                // What is likely comes first, should the rest be broken off or run into a budget. States are counted from
                // the first that is explored on, so that the count never goes back.
                let mut report_rehearsal =
                    |rehearsal: &Progress| report(&Progress { states: 0, waiting: 0, ..*rehearsal });
                match rehearse(self, Some(LIKELY_MASKS), examples, &allowance, &mut report_rehearsal) {
                    Ok(()) => fill_all(&allowance, &mut report),
                    Err(stop) => rehearsed(Err(stop)),
                }
            }
        };
        let (complete, cancelled, error) = match outcome {
            Ok(complete) => (complete, false, None),
            Err(Stop::Cancelled) => (false, true, None),
            Err(Stop::Failed(error)) => (false, false, Some(error)),
        };
        let Progress { states, transitions, .. } = progress;
        WarmUp { states, transitions, complete, cancelled, error, time: start.elapsed() }
    }
}

/// Computing ahead that goes on in the background.
///
/// Its thread ends when it is done or [cancelled](Self::cancel), and when nothing else has the constraint
/// any more. It does not keep the process alive, and stands still where it is told to, as while the process forks. It is not
/// in the child, where this is cancelled from the beginning, unless it was done before.
///
/// ```
/// use std::sync::Arc;
/// use maskwright_core::{Budget, Constraint, Standstill, TokenId, Vocabulary, Warm, Warming, frontend};
///
/// static FORKS: Standstill = Standstill::new();
///
/// let tokens = ["a", "ab", "b", ""].map(|text| Some(text.into()));
/// let vocabulary = Arc::new(Vocabulary::new(tokens.to_vec(), vec![], vec![TokenId(3)], 4)?);
/// let grammar = frontend::choice::compile(&["ab".to_owned()], &Budget::default())?;
/// let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &Budget::default())?);
/// let warming = Warming::start(&constraint, Warm::All, Vec::new(), &FORKS);
/// assert!(warming.wait(None).is_some_and(|result| result.complete));
/// # Ok::<(), maskwright_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Warming {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    is_cancelled: AtomicBool,
    /// Read without a lock: in a forked child nobody may ever let go of one.
    result: OnceLock<WarmUp>,
    /// What those who wait for the result sleep on.
    waiting: Mutex<()>,
    done: Condvar,
    /// The process that the thread is in.
    process_id: u32,
}

impl Shared {
    fn new() -> Self {
        Self {
            is_cancelled: AtomicBool::new(false),
            result: OnceLock::new(),
            waiting: Mutex::new(()),
            done: Condvar::new(),
            process_id: std::process::id(),
        }
    }

    fn finish(&self, result: WarmUp) {
        // Where it has finished already, that stands.
        let _ = self.result.set(result);
        // Whoever found no result sleeps by now, and hears of it.
        drop(self.waiting.lock());
        self.done.notify_all();
    }
}

/// Tells those who wait, however the thread ends.
struct Finish(Arc<Shared>);

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.finish(nothing_done());
    }
}

/// The result where nothing is known of it.
fn nothing_done() -> WarmUp {
    let (states, transitions, time) = (0, 0, Duration::ZERO);
    WarmUp { states, transitions, complete: false, cancelled: true, error: None, time }
}

impl Warming {
    /// Begins computing ahead on a thread of its own, as [`Constraint::warm_up`] does, but for a standstill. Where no thread can
    /// be had, it is cancelled at once.
    pub fn start(
        constraint: &Arc<Constraint>,
        warm: Warm,
        examples: Vec<Vec<u8>>,
        standstill: &'static Standstill,
    ) -> Self {
        // From here on, so that no fork meets the thread before its first step.
        let mut at_work = standstill.enter();
        let shared = Arc::new(Shared::new());
        let (finish, users) = (Finish(Arc::clone(&shared)), Arc::downgrade(constraint));
        let constraint = Arc::new(constraint.for_a_helper());
        let run = move || {
            let Finish(shared) = &finish;
            let result = constraint.warm_up(warm, &examples, |_| {
                at_work.pause();
                let has_users = users.strong_count() > 0;
                let goes_on = has_users && !shared.is_cancelled.load(Ordering::Relaxed);
                if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            // Before anyone hears of it, so that the constraint is not freed here while they believe it is
            // done.
            drop(constraint);
            shared.finish(result);
        };
        // Without a thread `run` is dropped, and `Finish` with it. A thread that runs is left to itself.
        let thread = std::thread::Builder::new().name("maskwright-warm".to_owned());
        drop(thread.stack_size(stack::OF_OWN_THREADS).spawn(run));
        Self { shared }
    }

    /// One that is done already.
    pub fn finished(result: WarmUp) -> Self {
        let shared = Arc::new(Shared::new());
        shared.finish(result);
        Self { shared }
    }

    /// Asks it to stop; it does after the transition in hand. What has been computed stays.
    pub fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// What it came to; `None` while it goes on.
    pub fn result(&self) -> Option<WarmUp> {
        let result = self.shared.result.get().cloned();
        result.or_else(|| (self.shared.process_id != std::process::id()).then(nothing_done))
    }

    /// Waits until it has ended, but no longer than the time given. Returns what it came to, or `None`
    /// where it still goes on.
    pub fn wait(&self, timeout: Option<Duration>) -> Option<WarmUp> {
        let start = Instant::now();
        // Before the lock, which in a forked child may be held for ever.
        if let Some(result) = self.result() {
            return Some(result);
        }
        let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(result) = self.result() {
                return Some(result);
            }
            let Some(timeout) = timeout else {
                waiting = self.shared.done.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = timeout.checked_sub(start.elapsed()).filter(|left| !left.is_zero())?;
            let waited = self.shared.done.wait_timeout(waiting, left);
            waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
