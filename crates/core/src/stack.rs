//! Enough stack for what follows nesting by native recursion, whatever thread it is done on.
//!
//! Derivatives follow operands, and questions about schemas lead to questions about the schemas in them: as deep as a
//! grammar nests, and that others write. The end of a thread's stack is the end of the process, and a server chooses
//! how much its threads have (Python's `threading.stack_size`; 128 KB where musl starts them, 2 MB in Rust). So nobody
//! relies on that. Whatever may go deep begins here: where the thread has too little left, it goes on on a piece of
//! memory of its own, which is freed when it is done.
//!
//! It begins here in these places:
//!
//! * front ends, the passes, and what frees their results ([`Grammar`](crate::grammar::Grammar), `PreparedGrammar`);
//! * what computes a state, a move or a walk that is not known: `Automaton::grow`, behind which alone are the
//!   expressions of a constraint, and `MaskCache::step_of`. What is known is read without it, and without recursion;
//! * on the way down, each question about a goal of a schema, and derivatives every few levels. These take so much for
//!   each level that no thread would have enough for all of them.
//!
//! No Python code runs within: interpreters compare addresses with where they know the thread's own stack to be. So
//! nothing that calls back into a caller's code (`warm_up`, whose `report` may) is done here as a whole.

/// So much there is whenever something begins that may go deep. What goes on without beginning here again takes up to 400 bytes
/// for each level of the [deepest nesting](crate::Budget::DEEPEST_NESTING), so this is twice as much as it needs. Threads of
/// 1 MB have it, with what Python takes.
const ENOUGH: usize = 768 << 10;

/// What there is where the thread has less left than enough: memory is only taken for what is touched.
const SEGMENT: usize = 4 << 20;

/// The stack of a thread that the engine starts: so much that with ordinary grammars nothing is ever added to it.
pub(crate) const OF_OWN_THREADS: usize = 4 << 20;

/// How much of its stack the calling thread has left, in bytes; `None` where the system does not tell.
pub fn remaining() -> Option<usize> {
    stacker::remaining_stack()
}

/// Does something that may go deep, with enough stack. A panic in it is one here.
///
/// Where the thread has enough left, that takes a few nanoseconds; where not, some microseconds.
#[inline]
pub(crate) fn with_enough<T>(work: impl FnOnce() -> T) -> T {
    match remaining() {
        Some(left) if left >= ENOUGH => work(),
        _ => elsewhere(work),
    }
}

#[cold]
#[inline(never)]
fn elsewhere<T>(work: impl FnOnce() -> T) -> T {
    stacker::grow(SEGMENT, work)
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    use std::sync::Arc;
    use std::thread;

    use super::*;
    use crate::frontend::composition::{self, Part};
    use crate::frontend::json_schema;
    use crate::{Budget, Constraint, Matcher, Vocabulary};

    /// Does something on a thread whose stack has so many bytes.
    fn on_a_stack_of<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
            thread.unwrap().join().unwrap()
        })
    }

    #[test]
    fn there_is_enough_on_every_thread_and_within_what_begins_there() {
        for bytes in [64 << 10, 256 << 10, 1 << 20, 8 << 20] {
            let left = on_a_stack_of(bytes, || with_enough(|| (remaining(), with_enough(remaining))));
            assert!(left.0 >= Some(ENOUGH) && left.1 >= Some(ENOUGH), "{left:?} of {bytes}");
        }
    }

    #[test]
    fn a_thread_with_enough_goes_on_where_it_is() {
        let (before, within) = on_a_stack_of(8 << 20, || (remaining(), with_enough(remaining)));
        assert!(before.zip(within).is_some_and(|(before, within)| before.abs_diff(within) < 4096));
    }

    #[test]
    fn a_panic_passes_and_the_thread_goes_on_with_what_it_had() {
        let (before, message, after) = on_a_stack_of(64 << 10, || {
            let before = remaining();
            let panic = catch_unwind(|| with_enough(|| panic!("on purpose"))).unwrap_err();
            (before, panic.downcast_ref::<&str>().map(ToString::to_string), remaining())
        });
        assert_eq!(message.as_deref(), Some("on purpose"));
        assert_eq!(before, after);
    }

    #[test]
    fn what_nests_is_compiled_matched_and_freed_on_any_stack() {
        let vocabulary = Arc::new(Vocabulary::of_bytes());
        let budget = Budget { nesting: Budget::DEEPEST_NESTING, ..Budget::default() };
        let schema = format!("{}1{}", r#"{"enum":["#.to_owned() + &"[".repeat(900), "]".repeat(900) + "]}");
        let array = on_a_stack_of(64 << 10, || {
            json_schema::compile(&schema, &[], &json_schema::Options::default(), &budget).unwrap()
        });
        let composed = on_a_stack_of(64 << 10, || {
            (0..900).fold(array, |inner, _| {
                let parts = vec![Part::Text(b"(".to_vec()), Part::Grammar(Arc::new(inner))];
                composition::compile(&Part::Sequence(parts), &budget).unwrap()
            })
        });
        on_a_stack_of(64 << 10, move || {
            let constraint = Arc::new(Constraint::compile(&composed, &vocabulary, &budget).unwrap());
            let mut matcher = Matcher::new(&constraint);
            assert!(matcher.accept_bytes(&[b'('; 900]).unwrap());
            assert!(matcher.accept_bytes(&[b'['; 900]).unwrap());
            matcher.fill_mask(&mut vec![0; vocabulary.mask_words()]).unwrap();
            drop((composed, matcher, constraint));
        });
    }
}
