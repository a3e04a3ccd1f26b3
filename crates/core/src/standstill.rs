//! Where threads stand still while their process forks.
//!
//! A forked child has one thread, and a copy of everything else: also of the locks that other threads held at that moment,
//! which nobody will ever let go there. So whoever works does it in steps, between which it holds nothing, and whoever
//! forks waits until all stand between two steps, and lets them go on afterwards.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
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
    /// The number of threads at work, the number of the process among those that were forked one from the other, and
    /// [`DEMANDED`](Self::DEMANDED).
    at_work: AtomicU64,
    /// The process in which a standstill was demanded last, as the system numbers them.
    demanded_in: AtomicU32,
}

impl Standstill {
    const DEMANDED: u64 = 1 << 63;
    /// The bits of the number of threads.
    const COUNT: u64 = u32::MAX as u64;
    /// One process more.
    const PROCESS: u64 = Self::COUNT + 1;
    /// How long those wait who wait, each time before they look again.
    const MOMENT: Duration = Duration::from_micros(50);
    /// How long a thread stands at most where nobody else is at work. A fork takes far less; where it takes more, it may well
    /// wait for something that the thread holds.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// A place at which nobody stands yet.
    pub const fn new() -> Self {
        Self { at_work: AtomicU64::new(0), demanded_in: AtomicU32::new(0) }
    }

    /// Waits until nobody is at work, which takes as long as the longest step that is being taken; none begins one then.
    ///
    /// Where another thread has demanded a standstill, it waits until that has ended. The calling thread is not at work itself.
    pub fn demand(&self) {
        // Before it is demanded, so that whoever sees that knows where.
        self.demanded_in.store(std::process::id(), Ordering::Release);
        while self.at_work.fetch_or(Self::DEMANDED, Ordering::AcqRel) & Self::DEMANDED != 0 {
            sleep(Self::MOMENT);
        }
        while self.at_work.load(Ordering::Acquire) & Self::COUNT != 0 {
            sleep(Self::MOMENT);
        }
    }

    /// Lets the others go on. Called by whoever demanded the standstill.
    pub fn end(&self) {
        self.at_work.fetch_and(!Self::DEMANDED, Ordering::AcqRel);
    }

    /// What is called in the forked child in place of [`end`](Self::end): whoever may have been at work is not there.
    ///
    /// Who has begun to work in the child before that, as a hook of the application may, did not wait, is not counted any more, and
    /// does not count itself out.
    pub fn end_in_child(&self) {
        let process = self.at_work.load(Ordering::Acquire) & !(Self::DEMANDED | Self::COUNT);
        let next = process.wrapping_add(Self::PROCESS) & !Self::DEMANDED;
        self.at_work.store(next, Ordering::Release);
    }

    /// Begins a step, as soon as no standstill is demanded. A thread that is at work does not enter again.
    #[inline]
    pub fn enter(&'static self) -> AtWork {
        AtWork { place: self, process: self.count_in() }
    }

    /// Counts the calling thread in. Gives the process in which it is.
    #[inline]
    fn count_in(&self) -> u64 {
        let before = self.at_work.fetch_add(1, Ordering::AcqRel);
        if before & Self::DEMANDED == 0 {
            return before & !Self::COUNT;
        }
        self.count_out(before & !(Self::DEMANDED | Self::COUNT));
        self.count_in_later()
    }

    #[cold]
    fn count_in_later(&self) -> u64 {
        let mut still_since = None;
        let mut now = self.at_work.load(Ordering::Acquire);
        loop {
            // In a child whose fork is not over yet, such as in a hook of the application, nobody else is at work whom a fork
            // could wait for, whatever the count that it took over says.
            let is_in_child = self.demanded_in.load(Ordering::Acquire) != std::process::id();
            let is_demanded = now & Self::DEMANDED != 0 && !is_in_child;
            if is_demanded && now & Self::COUNT == 0 {
                still_since.get_or_insert_with(Instant::now);
            }
            if is_demanded && still_since.is_none_or(|since| since.elapsed() < Self::PATIENCE) {
                sleep(Self::MOMENT);
                now = self.at_work.load(Ordering::Acquire);
                continue;
            }
            match self.at_work.compare_exchange_weak(now, now + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return now & !(Self::DEMANDED | Self::COUNT),
                Err(other) => now = other,
            }
        }
    }

    /// Counts the calling thread out, if it was counted in in this process.
    #[inline]
    fn count_out(&self, process: u64) {
        let mut now = self.at_work.load(Ordering::Relaxed);
        while now & !(Self::DEMANDED | Self::COUNT) == process {
            match self.at_work.compare_exchange_weak(now, now - 1, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
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
pub struct AtWork {
    place: &'static Standstill,
    /// Where it was counted in.
    process: u64,
}

impl AtWork {
    /// Between two steps: stands still as long as that is demanded.
    pub fn pause(&mut self) {
        if self.place.at_work.load(Ordering::Relaxed) & Standstill::DEMANDED != 0 {
            self.away(|| ());
        }
    }

    /// Does something between two steps that may take long, or fork.
    pub fn away<T>(&mut self, errand: impl FnOnce() -> T) -> T {
        struct Back<'a>(&'a mut AtWork);
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                self.0.process = self.0.place.count_in();
            }
        }
        self.place.count_out(self.process);
        let _back = Back(self);
        errand()
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.place.count_out(self.process);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize};

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
        // However few steps there was time for between the standstills, they go on now.
        while STEPS.load(Ordering::SeqCst) <= 100 {
            sleep(Duration::from_millis(1));
        }
        IS_OVER.store(true, Ordering::SeqCst);
        helpers.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(PLACE.at_work.load(Ordering::SeqCst), 0);
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

    /// As where a hook of the application that runs before this package's own begins to warm something up.
    #[test]
    fn who_began_in_a_child_before_its_standstill_ended_is_not_missed_later() {
        static PLACE: Standstill = Standstill::new();
        PLACE.at_work.fetch_or(Standstill::DEMANDED, Ordering::SeqCst);
        // One that was at work when the process was forked, and one that comes before that is over.
        let _ = PLACE.count_in();
        let early = PLACE.enter();
        PLACE.end_in_child();
        drop(early);
        assert_eq!(PLACE.at_work.load(Ordering::SeqCst), Standstill::PROCESS);
        PLACE.at_work.fetch_or(Standstill::DEMANDED, Ordering::SeqCst);
        let mut away = PLACE.enter();
        PLACE.end_in_child();
        let later = PLACE.enter();
        away.away(|| assert_eq!(PLACE.at_work.load(Ordering::SeqCst) & Standstill::COUNT, 1));
        assert_eq!(PLACE.at_work.load(Ordering::SeqCst) & Standstill::COUNT, 2);
        drop((later, away));
        PLACE.demand();
        PLACE.end();
        assert_eq!(PLACE.at_work.load(Ordering::SeqCst), 2 * Standstill::PROCESS);
    }
}
