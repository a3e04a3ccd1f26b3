//! `maskwright.Matcher`: the hot class, used from Python as it is.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use maskwright_core as core;
use maskwright_core::counted;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::arrays::MaskArray;
use crate::errors::{matcher_busy_error, raise};
use crate::number::{GivenInteger, type_name};
use crate::released::released;
use crate::vocabulary::{token_id, token_ids};

/// One generated sequence's cursor in a constraint: what was accepted, and so what may come next.
///
/// Made by `Constraint.matcher()`. A matcher belongs to one sequence. It may move between threads, but
/// two threads that use it at once get a `MatcherBusyError`. An operation that raises changes nothing.
///
/// Example:
///     >>> import maskwright as mw
///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab?")).matcher()
///     >>> mask = mw.allocate_mask(1, vocabulary.size)
///     >>> matcher.fill_mask(mask)
///     >>> bin(mask[0, 0])
///     '0b101'
///     >>> matcher.accept(0), matcher.is_complete
///     (True, True)
#[pyclass(frozen, weakref, module = "maskwright")]
pub(crate) struct Matcher {
    constraint: Arc<core::Constraint>,
    inner: Mutex<core::Matcher>,
}

impl Matcher {
    pub(crate) fn new(inner: core::Matcher) -> Self {
        Self { constraint: Arc::clone(inner.constraint()), inner: Mutex::new(inner) }
    }

    /// The vocabulary of its tokens.
    pub(crate) fn vocabulary(&self) -> &core::Vocabulary {
        self.constraint.vocabulary()
    }

    /// The matcher; `None` where another thread or another place in a batch holds it.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, core::Matcher>> {
        match self.inner.try_lock() {
            Ok(guard) => Some(guard),
            // Every operation leaves the matcher whole before it can fail.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The matcher, unless another thread holds it.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, core::Matcher>> {
        self.try_lock().ok_or_else(|| in_use(py))
    }

    /// Works on the matcher with the interpreter lock released.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut core::Matcher) -> core::Result<T> + Send,
    ) -> PyResult<T> {
        // Taken and let go within one step, so that no forked child finds the matcher in use.
        let result = released(py, || self.try_lock().map(|mut matcher| work(&mut matcher)));
        result.ok_or_else(|| in_use(py))?.map_err(|error| raise(&error))
    }
}

fn in_use(py: Python<'_>) -> PyErr {
    matcher_busy_error(py, "the matcher is in use by another thread", &[])
}

#[pymethods]
impl Matcher {
    #[new]
    #[pyo3(signature = (*_arguments, **_options))]
    fn without_constraint(
        _arguments: &Bound<'_, PyTuple>,
        _options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Err(PyTypeError::new_err("a Matcher is made by Constraint.matcher()"))
    }

    /// Writes the mask of the tokens that may come next into a row of an int32 array.
    ///
    /// Bit `id % 32` of word `id // 32` is 1 where the token `id` is allowed. Releases the GIL; other threads may
    /// write other rows of the array meanwhile.
    ///
    /// Args:
    ///     mask: int32 array of shape `[rows, words]` or `[words]`, with `words == (size + 31) // 32`
    ///         and rows contiguous: from NumPy, or a torch tensor on the CPU. Written in place.
    ///     row: the row to write; a negative number counts from the end, as in NumPy.
    ///
    /// Raises:
    ///     MaskBufferError: the array has another shape, type or layout, or cannot be written.
    ///     TypeError: `row` is no integer.
    ///     BudgetExceededError: the step needed more than the budget of the constraint.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab?")).matcher()
    ///     >>> mask = mw.allocate_mask(4, vocabulary.size)
    ///     >>> matcher.fill_mask(mask, 2)
    ///     >>> bin(mask[2, 0])
    ///     '0b101'
    #[pyo3(signature = (mask, row = GivenInteger::from(0)), text_signature = "($self, mask, row=0)")]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn fill_mask(&self, py: Python<'_>, mask: &Bound<'_, PyAny>, row: GivenInteger) -> PyResult<()> {
        let (mut array, index) = MaskArray::of_row(mask, row.number("row")?)?;
        let row = array.row(py, index)?;
        self.run(py, |matcher| matcher.fill_mask(row))
    }

    /// Accepts a token where it is allowed. Returns whether it was; if not, nothing has changed.
    ///
    /// Raises:
    ///     TypeError: it is no integer.
    ///     TokenIdError: the id is outside the vocabulary.
    ///     BudgetExceededError: the step needed more than the budget of the constraint.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab?")).matcher()
    ///     >>> matcher.accept(1), matcher.accept(0), matcher.accept(1)
    ///     (False, True, True)
    fn accept(&self, py: Python<'_>, token_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let token = self::token_id(self.vocabulary(), token_id, "token_id", &[])?;
        self.run(py, |matcher| matcher.accept(token))
    }

    /// Accepts tokens up to the first that is not allowed. Returns how many were accepted.
    ///
    /// Raises:
    ///     TypeError: they are no ids, or have no order, as a set.
    ///     TokenIdError: an id is outside the vocabulary; then none is accepted.
    ///     BudgetExceededError: a step needed more than the budget; then none is accepted.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab?")).matcher()
    ///     >>> matcher.accept_tokens([0, 1, 1]), matcher.step_count
    ///     (2, 2)
    fn accept_tokens(&self, py: Python<'_>, token_ids: &Bound<'_, PyAny>) -> PyResult<usize> {
        let tokens = self::token_ids(self.vocabulary(), token_ids)?;
        self.run(py, |matcher| matcher.accept_tokens(&tokens))
    }

    /// Accepts text that need not be whole tokens: all of it, or nothing. Returns whether it was.
    ///
    /// It counts as one step for `rollback`, no text at all as well.
    ///
    /// Raises:
    ///     TypeError: it is no `bytes`.
    ///     BudgetExceededError: the step needed more than the budget of the constraint.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("(ab){2}")).matcher()
    ///     >>> matcher.accept_bytes(b"aba"), matcher.accept_bytes(b"a"), matcher.allowed_tokens()
    ///     (True, False, [1])
    fn accept_bytes(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(data) = data.cast::<PyBytes>() else {
            let found = type_name(data)?;
            let how = match data.is_instance_of::<PyString>() {
                true => "a text becomes bytes by text.encode()",
                false => "a bytearray or memoryview becomes bytes by bytes(data)",
            };
            let message = format!("data is bytes, not {found}; {how}");
            return Err(PyTypeError::new_err(message));
        };
        let bytes = data.as_bytes();
        self.run(py, |matcher| matcher.accept_bytes(bytes))
    }

    /// How many of these tokens would be accepted in a row. Changes nothing.
    ///
    /// Raises:
    ///     TypeError: they are no ids, or have no order, as a set.
    ///     TokenIdError: an id is outside the vocabulary.
    ///     BudgetExceededError: a step needed more than the budget of the constraint.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab?")).matcher()
    ///     >>> matcher.validate([0, 1, 1]), matcher.step_count
    ///     (2, 0)
    fn validate(&self, py: Python<'_>, token_ids: &Bound<'_, PyAny>) -> PyResult<usize> {
        let tokens = self::token_ids(self.vocabulary(), token_ids)?;
        self.run(py, |matcher| matcher.validate(&tokens))
    }

    /// Undoes the last steps with all that they changed, a stop token included.
    ///
    /// Each accepted token is a step, and so is each successful `accept_bytes`. Takes time in proportion
    /// to `steps` only.
    ///
    /// Raises:
    ///     MatcherStateError: there are fewer steps than that.
    ///     TypeError: the number is no integer.
    ///     ArgumentError: it is negative.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab?")).matcher()
    ///     >>> matcher.accept_tokens([0, 1])
    ///     2
    ///     >>> matcher.rollback(2)
    ///     >>> matcher.allowed_tokens()
    ///     [0, 2]
    #[pyo3(signature = (steps = GivenInteger::from(1)), text_signature = "($self, steps=1)")]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn rollback(&self, py: Python<'_>, steps: GivenInteger) -> PyResult<()> {
        let steps = steps.count("steps", "steps")?;
        self.lock(py)?.rollback(steps).map_err(|error| raise(&error))
    }

    /// A second matcher at the same place. Takes constant time and memory.
    ///
    /// Raises:
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab?")).matcher()
    ///     >>> other = matcher.fork()
    ///     >>> other.accept(0), other.allowed_tokens(), matcher.allowed_tokens()
    ///     (True, [1, 3], [0, 2])
    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self::new(self.lock(py)?.clone()))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.fork(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.fork(py)
    }

    fn __reduce__(&self) -> PyResult<()> {
        let message =
            "a Matcher cannot be pickled; make one there of the same grammar, and accept the same tokens";
        Err(PyTypeError::new_err(message))
    }

    /// Goes back to the beginning.
    ///
    /// Raises:
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab?")).matcher()
    ///     >>> matcher.accept_tokens([0, 1, 3]), matcher.is_finished
    ///     (3, True)
    ///     >>> matcher.reset()
    ///     >>> matcher.is_finished, matcher.step_count
    ///     (False, 0)
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.lock(py)?.reset();
        Ok(())
    }

    /// The text that must come next whatever the model prefers, up to `limit` bytes.
    ///
    /// It ends where the text is complete, where two bytes can come, or where an exact token can. It may
    /// end in the middle of a character.
    ///
    /// Raises:
    ///     BudgetExceededError: it needed more than the budget of the constraint.
    ///     TypeError: the limit is no integer.
    ///     ArgumentError: it is negative.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("aba+b")).matcher()
    ///     >>> matcher.forced_bytes()
    ///     b'aba'
    #[pyo3(signature = (limit = GivenInteger::from(4096)), text_signature = "($self, limit=4096)")]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn forced_bytes<'py>(&self, py: Python<'py>, limit: GivenInteger) -> PyResult<Bound<'py, PyBytes>> {
        let limit = limit.count("limit", "bytes in limit")?;
        let forced = self.run(py, |matcher| matcher.forced_bytes(limit))?;
        Ok(PyBytes::new(py, &forced))
    }

    /// Tokens that can be appended without asking the model, up to `limit` of them.
    ///
    /// They spell `forced_bytes()`, always by the longest token, and stop before a place where a token
    /// could reach past the forced text. An exact token that is the only way on is forced, too, and so is
    /// what must come after it. This is a policy on top of the mask: other tokens that spell the same text
    /// are allowed too.
    ///
    /// Raises:
    ///     BudgetExceededError: it needed more than the budget of the constraint.
    ///     TypeError: the limit is no integer.
    ///     ArgumentError: it is negative.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("abba")).matcher()
    ///     >>> matcher.forced_tokens(limit=2)
    ///     [2, 1]
    #[pyo3(signature = (limit = GivenInteger::from(256)), text_signature = "($self, limit=256)")]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn forced_tokens(&self, py: Python<'_>, limit: GivenInteger) -> PyResult<Vec<u32>> {
        let limit = limit.count("limit", "tokens in limit")?;
        let forced = self.run(py, |matcher| matcher.forced_tokens(limit))?;
        Ok(forced.into_iter().map(|token| token.0).collect())
    }

    /// The byte values with which the text can go on, ascending.
    ///
    /// Raises:
    ///     BudgetExceededError: it needed more than the budget of the constraint.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("[ab]")).matcher()
    ///     >>> matcher.allowed_bytes()
    ///     b'ab'
    fn allowed_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let allowed = self.run(py, |matcher| matcher.allowed_bytes())?;
        Ok(PyBytes::new(py, &allowed.iter().collect::<Vec<u8>>()))
    }

    /// The ids of the tokens that may come next, ascending. Slower than `fill_mask`; for people.
    ///
    /// Raises:
    ///     BudgetExceededError: it needed more than the budget of the constraint.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab?")).matcher()
    ///     >>> matcher.allowed_tokens()
    ///     [0, 2]
    fn allowed_tokens(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        self.run(py, |matcher| {
            let mut row = vec![0; matcher.constraint().vocabulary().mask_words()];
            matcher.fill_mask(&mut row)?;
            Ok((0..row.len() as u32 * 32).filter(|id| row[*id as usize / 32] >> (id % 32) & 1 == 1).collect())
        })
    }

    /// What may come next, in words: quoted text, sets of bytes, names of rules and of tokens.
    ///
    /// A rule that was read in place of its call, as texts such as ``[a-z]+`` are, is told by what it begins with.
    /// A value of a JSON Schema is named by the place of its schema. Of schemas with equal keywords some are told together, as in
    /// ``a value for #/properties/width or #/properties/height``: what stands there is one of them.
    ///
    /// Raises:
    ///     BudgetExceededError: it needed more than the budget of the constraint.
    ///     MatcherBusyError: another thread is using the matcher.
    ///
    /// Example:
    ///     >>> import maskwright as mw
    ///     >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
    ///     >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab")).matcher()
    ///     >>> matcher.expected()
    ///     ['"ab"']
    fn expected(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.run(py, |matcher| matcher.expected())
    }

    /// Whether the text so far satisfies the grammar, so that a stop token is allowed.
    #[getter]
    fn is_complete(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.lock(py)?.is_complete())
    }

    /// Whether a stop token has ended the text, so that nothing is allowed any more.
    ///
    /// One that the grammar names ends it only where nothing can follow it there: where something can, this stays
    /// False, also where the text is complete.
    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.lock(py)?.is_finished())
    }

    /// The number of steps that `rollback` can undo.
    #[getter]
    fn step_count(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.step_count())
    }

    /// The number of the mask of the tokens that may come next, or `None` where it has none.
    ///
    /// Equal numbers, of any matchers in the process, mean equal masks: a copy that is held already, in a batch
    /// or on a device, need not be made again. A mask that depends on a text that was captured, such as a
    /// key that must not come twice, has no number.
    ///
    /// Raises:
    ///     BudgetExceededError: it needed more than the budget of the constraint.
    ///     MatcherBusyError: another thread is using the matcher.
    #[getter]
    fn mask_id(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.run(py, core::Matcher::mask_id)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let matcher = self.lock(py)?;
        let state = match (matcher.is_finished(), matcher.is_complete()) {
            (true, _) => "finished",
            (false, true) => "complete",
            (false, false) => "incomplete",
        };
        Ok(format!("<maskwright.Matcher: {}, {state}>", counted(matcher.step_count(), "step")))
    }
}
