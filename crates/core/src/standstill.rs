//! Where helpers stand still while their process forks.
//!
//! A forked child has one thread, and a copy of everything else: also of the locks that other threads held at that moment,
//! which nobody will ever let go there. So a helper takes its work in steps, between which it holds nothing, and whoever
//! forks waits until all stand between two steps, and lets them go on afterwards.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// A place at which helpers stand still on demand.
///
/// It is one atomic number, and nobody sleeps on a lock of it: what a child takes over of it is whole at any moment.
///
/// ```
/// use maskwright_core::Standstill;
///
/// static FORKS: Standstill = Standstill::new();
///
/// FORKS.demand();
/// // No helper is at work now: this is the time to fork.
/// FORKS.end();
/// ```
#[derive(Debug)]
pub struct Standstill {
    /// The number of helpers at work, and [`DEMANDED`](Self::DEMANDED).
    at_work: AtomicUsize,
}

impl Standstill {
    const DEMANDED: usize = 1 << (usize::BITS - 1);
    /// How long those wait who wait, each time before they look again.
    const MOMENT: Duration = Duration::from_micros(50);

    /// A place at which nobody stands yet.
    pub const fn new() -> Self {
        Self { at_work: AtomicUsize::new(0) }
    }

    /// Waits until no helper is at work, which takes as long as the longest step that is being taken; none begins one then.
    ///
    /// Where another thread has demanded a standstill, it waits until that has ended.
    pub fn demand(&self) {
        while self.at_work.fetch_or(Self::DEMANDED, Ordering::AcqRel) & Self::DEMANDED != 0 {
            sleep(Self::MOMENT);
        }
        while self.at_work.load(Ordering::Acquire) != Self::DEMANDED {
            sleep(Self::MOMENT);
        }
    }

    /// Lets the helpers go on. Called by whoever demanded the standstill, and in its forked child.
    pub fn end(&self) {
        self.at_work.fetch_and(!Self::DEMANDED, Ordering::AcqRel);
    }

    /// Begins the work of a helper, as soon as no standstill is demanded.
    pub(crate) fn enter(&'static self) -> AtWork {
        self.count_in();
        AtWork(self)
    }

    fn count_in(&self) {
        let mut count = self.at_work.load(Ordering::Relaxed) & !Self::DEMANDED;
        // It fails while a standstill is demanded, since the number is another one then.
        while let Err(now) =
            self.at_work.compare_exchange_weak(count, count + 1, Ordering::AcqRel, Ordering::Relaxed)
        {
            if now & Self::DEMANDED != 0 {
                sleep(Self::MOMENT);
            }
            count = now & !Self::DEMANDED;
        }
    }

    fn count_out(&self) {
        self.at_work.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Default for Standstill {
    fn default() -> Self {
        Self::new()
    }
}

/// A helper at work, until it is dropped.
#[derive(Debug)]
pub(crate) struct AtWork(&'static Standstill);

impl AtWork {
    /// Between two steps: stands still as long as that is demanded.
    pub(crate) fn pause(&mut self) {
        if self.0.at_work.load(Ordering::Relaxed) & Standstill::DEMANDED != 0 {
            self.0.count_out();
            self.0.count_in();
        }
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
    fn no_helper_takes_a_step_during_a_standstill() {
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
}
