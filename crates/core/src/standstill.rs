//! Where threads stand still while their process forks.
//!
//! A forked child has one thread, and a copy of everything else: also of the locks that other threads held at that moment,
//! which nobody will ever let go there. So whoever works does it in steps, between which it holds nothing, and whoever
//! forks waits until all stand between two steps, and lets them go on afterwards.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A place at which threads stand still on demand.
///
/// It is one atomic number, and nobody sleeps on a lock of it: what a child takes over of it is whole at any moment.
///
/// ```
/// use maskwright_core::Standstill;
///
/// static FORKS: Standstill = Standstill::new();
///
/// let mut at_work = FORKS.enter();
/// // A step. Whoever wants to fork waits for its end.
/// at_work.pause();
/// // Another one.
/// drop(at_work);
///
/// FORKS.demand();
/// // Nobody is at work now: this is the time to fork.
/// FORKS.end();
/// ```
#[derive(Debug)]
pub struct Standstill {
    /// The number of threads at work, and [`DEMANDED`](Self::DEMANDED).
    at_work: AtomicUsize,
}

impl Standstill {
    const DEMANDED: usize = 1 << (usize::BITS - 1);
    /// How long those wait who wait, each time before they look again.
    const MOMENT: Duration = Duration::from_micros(50);
    /// How long a thread stands at most where nobody else is at work. A fork takes far less; where it takes more, it may well
    /// wait for something that the thread holds.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// A place at which nobody stands yet.
    pub const fn new() -> Self {
        Self { at_work: AtomicUsize::new(0) }
    }

    /// Waits until nobody is at work, which takes as long as the longest step that is being taken; none begins one then.
    ///
    /// Where another thread has demanded a standstill, it waits until that has ended. The calling thread is not at work itself.
    pub fn demand(&self) {
        while self.at_work.fetch_or(Self::DEMANDED, Ordering::AcqRel) & Self::DEMANDED != 0 {
            sleep(Self::MOMENT);
        }
        while self.at_work.load(Ordering::Acquire) != Self::DEMANDED {
            sleep(Self::MOMENT);
        }
    }

    /// Lets the others go on. Called by whoever demanded the standstill.
    pub fn end(&self) {
        self.at_work.fetch_and(!Self::DEMANDED, Ordering::AcqRel);
    }

    /// What is called in the forked child in place of [`end`](Self::end): whoever may have been at work is not there.
    pub fn end_in_child(&self) {
        self.at_work.store(0, Ordering::Release);
    }

    /// Begins a step, as soon as no standstill is demanded. A thread that is at work does not enter again.
    #[inline]
    pub fn enter(&'static self) -> AtWork {
        self.count_in();
        AtWork(self)
    }

    #[inline]
    fn count_in(&self) {
        if self.at_work.fetch_add(1, Ordering::AcqRel) & Self::DEMANDED != 0 {
            self.count_out();
            self.count_in_later();
        }
    }

    #[cold]
    fn count_in_later(&self) {
        let mut still_since = None;
        let mut now = self.at_work.load(Ordering::Relaxed);
        loop {
            if now == Self::DEMANDED {
                still_since.get_or_insert_with(Instant::now);
            }
            let is_demanded = now & Self::DEMANDED != 0;
            if is_demanded && still_since.is_none_or(|since| since.elapsed() < Self::PATIENCE) {
                sleep(Self::MOMENT);
                now = self.at_work.load(Ordering::Relaxed);
                continue;
            }
            match self.at_work.compare_exchange_weak(now, now + 1, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }

    #[inline]
    fn count_out(&self) {
        self.at_work.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Default for Standstill {
    fn default() -> Self {
        Self::new()
    }
}

/// A thread at work, until this is dropped.
#[derive(Debug)]
#[must_use = "the step ends when this is dropped"]
pub struct AtWork(&'static Standstill);

impl AtWork {
    /// Between two steps: stands still as long as that is demanded.
    pub fn pause(&mut self) {
        if self.0.at_work.load(Ordering::Relaxed) & Standstill::DEMANDED != 0 {
            self.away(|| ());
        }
    }

    /// Does something between two steps that may take long, or fork.
    pub fn away<T>(&mut self, errand: impl FnOnce() -> T) -> T {
        struct Back(&'static Standstill);
        impl Drop for Back {
            fn drop(&mut self) {
                self.0.count_in();
            }
        }
        self.0.count_out();
        let _back = Back(self.0);
        errand()
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.count_out();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn nobody_takes_a_step_during_a_standstill() {
        static PLACE: Standstill = Standstill::new();
        static IS_STANDSTILL: AtomicBool = AtomicBool::new(false);
        static STEPS: AtomicUsize = AtomicUsize::new(0);
        static IS_OVER: AtomicBool = AtomicBool::new(false);
        let help = || {
            let mut at_work = PLACE.enter();
            while !IS_OVER.load(Ordering::SeqCst) {
                assert!(!IS_STANDSTILL.load(Ordering::SeqCst));
                STEPS.fetch_add(1, Ordering::SeqCst);
                at_work.pause();
            }
        };
        let demand = || {
            for _ in 0..100 {
                PLACE.demand();
                assert!(!IS_STANDSTILL.swap(true, Ordering::SeqCst));
                let steps = STEPS.load(Ordering::SeqCst);
                sleep(Duration::from_micros(100));
                assert_eq!(STEPS.load(Ordering::SeqCst), steps);
                IS_STANDSTILL.store(false, Ordering::SeqCst);
                PLACE.end();
            }
        };
        let helpers = [std::thread::spawn(help), std::thread::spawn(help)];
        let forks = [std::thread::spawn(demand), std::thread::spawn(demand)];
        forks.into_iter().for_each(|thread| thread.join().unwrap());
        IS_OVER.store(true, Ordering::SeqCst);
        helpers.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(PLACE.at_work.load(Ordering::SeqCst), 0);
        assert!(STEPS.load(Ordering::SeqCst) > 100);
    }

    #[test]
    fn whoever_is_away_holds_up_nobody_and_may_demand_a_standstill() {
        static PLACE: Standstill = Standstill::new();
        let mut at_work = PLACE.enter();
        at_work.away(|| {
            PLACE.demand();
            PLACE.end();
        });
        let panicking = std::panic::AssertUnwindSafe(|| at_work.away(|| panic!("on purpose")));
        assert!(std::panic::catch_unwind(panicking).is_err());
        assert_eq!(PLACE.at_work.load(Ordering::SeqCst), 1);
        drop(at_work);
        assert_eq!(PLACE.at_work.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_fork_that_waits_for_a_thread_that_stands_still_is_not_waited_for_without_end() {
        static PLACE: Standstill = Standstill::new();
        static HELD: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let held = HELD.lock().unwrap();
        PLACE.demand();
        let fork = std::thread::spawn(|| {
            drop(HELD.lock().unwrap());
            PLACE.end();
        });
        drop(PLACE.enter());
        drop(held);
        fork.join().unwrap();
        assert_eq!(PLACE.at_work.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn in_a_child_nobody_is_at_work() {
        static PLACE: Standstill = Standstill::new();
        std::mem::forget(PLACE.enter());
        PLACE.at_work.fetch_or(Standstill::DEMANDED, Ordering::SeqCst);
        PLACE.end_in_child();
        PLACE.demand();
        PLACE.end();
        drop(PLACE.enter());
    }
}
