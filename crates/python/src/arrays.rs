//! Arrays of NumPy and tensors of torch as rows of words, without copying.

use maskwright_core::counted;
use numpy::{
    BorrowError, Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::errors::mask_buffer_error;
use crate::number::Integer;
use crate::released::released;

/// What a mask must be.
const MASK: &str =
    "a mask must be an int32 array of shape [rows, words], made for example by maskwright.allocate_mask";

/// Finds what making and sharing arrays takes, which cannot be found any more when the interpreter shuts down.
pub(crate) fn reach_numpy(py: Python<'_>) -> PyResult<()> {
    py.import("numpy")?;
    let array = PyArrayDyn::<u32>::zeros(py, Vec::new(), false);
    drop(held(&array, "array")?);
    Ok(())
}

/// The number of rows of masks, and of words in each.
type MaskShape = (usize, usize);

/// An int32 array for masks, held for writing.
pub(crate) struct MaskArray<'py> {
    array: PyReadwriteArrayDyn<'py, i32>,
    pub(crate) shape: MaskShape,
}

impl<'py> MaskArray<'py> {
    /// Takes a NumPy array, or what has `.numpy()` to share its memory, such as a torch tensor.
    pub(crate) fn new(mask: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = writable::<i32>(mask, "mask", MASK)?;
        let shape = mask_shape(mask.py(), array.shape())?;
        Ok(Self { array, shape })
    }

    /// The same for one row of the array only, with its index in what is taken: others may be written meanwhile.
    /// Negative numbers of rows count from the end, as everywhere in Python.
    pub(crate) fn of_row(mask: &Bound<'py, PyAny>, row: &Integer) -> PyResult<(Self, usize)> {
        if let Ok(array) = mask.cast::<PyArrayDyn<i32>>()
            && let [rows, _] = *array.shape()
            && rows > 1
        {
            let index = index_of_row(mask.py(), row, rows)?;
            return Ok((Self::new(&mask.get_item(index)?)?, 0));
        }
        let array = Self::new(mask)?;
        let index = index_of_row(mask.py(), row, array.shape.0)?;
        Ok((array, index))
    }

    /// The row of an index.
    pub(crate) fn row(&mut self, py: Python<'_>, index: usize) -> PyResult<&mut [u32]> {
        let words = self.shape.1;
        Ok(&mut self.words(py)?[index * words..][..words])
    }

    /// Checks that none of it is in the memory of identities, which both could write: NumPy tells that of its own
    /// arrays only, and not of two that were made of one buffer.
    pub(crate) fn check_apart_from(&self, held: &IdentityArray<'_>) -> PyResult<()> {
        check_apart((&self.array, "mask"), (&held.array, "held"))
    }

    /// All rows, one after another.
    pub(crate) fn words(&mut self, py: Python<'_>) -> PyResult<&mut [u32]> {
        Ok(bytemuck::cast_slice_mut(rows_of(py, &mut self.array, "mask")?))
    }
}

/// An int32 array of masks that are only read: others may read it meanwhile.
struct ReadMaskArray<'py> {
    array: PyReadonlyArrayDyn<'py, i32>,
    shape: MaskShape,
}

impl<'py> ReadMaskArray<'py> {
    /// Takes a NumPy array, or what has `.numpy()` to share its memory, such as a torch tensor.
    fn new(mask: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = shared::<i32>(mask, MASK)?;
        let array = array.try_readonly().map_err(|_| {
            let message = "mask cannot be read now, since another call is writing it; wait for that one";
            mask_buffer_error(mask.py(), message)
        })?;
        let shape = mask_shape(mask.py(), array.shape())?;
        Ok(Self { array, shape })
    }

    /// All rows, one after another.
    fn words(&self, py: Python<'_>) -> PyResult<&[u32]> {
        check_layout(&self.array, "mask")?;
        Ok(bytemuck::cast_slice(self.array.as_slice().map_err(|_| not_contiguous(py, "mask"))?))
    }
}

/// The number of rows, and of words in each, of an array of masks.
fn mask_shape(py: Python<'_>, shape: &[usize]) -> PyResult<MaskShape> {
    match *shape {
        [words] => Ok((1, words)),
        [rows, words] => Ok((rows, words)),
        _ => {
            let message =
                format!("a mask has 1 or 2 dimensions, [words] or [rows, words], not {}", shape.len());
            Err(mask_buffer_error(py, &message))
        }
    }
}

/// The index of a row by its number, which counts from the end where it is negative.
fn index_of_row(py: Python<'_>, row: &Integer, rows: usize) -> PyResult<usize> {
    let nearest = row.nearest;
    let index = if nearest < 0 { nearest.checked_add_unsigned(rows) } else { Some(nearest) };
    let index = index.and_then(|index| usize::try_from(index).ok()).filter(|&index| index < rows);
    index.ok_or_else(|| {
        mask_buffer_error(py, &format!("the mask has {}, so there is no row {row}", counted(rows, "row")))
    })
}

/// An array of identities of masks, one for each row, held for writing.
pub(crate) struct IdentityArray<'py> {
    array: PyReadwriteArrayDyn<'py, u64>,
}

impl<'py> IdentityArray<'py> {
    /// Takes a NumPy array, or what has `.numpy()` to share its memory.
    pub(crate) fn new(held: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = writable::<u64>(held, "held", "held must be a uint64 array of shape [rows]")?;
        Ok(Self { array })
    }

    /// The identities of the first rows.
    pub(crate) fn first(&mut self, py: Python<'_>, rows: usize) -> PyResult<&mut [u64]> {
        match *self.array.shape() {
            [length] if length >= rows => Ok(&mut rows_of(py, &mut self.array, "held")?[..rows]),
            _ => {
                let message = format!(
                    "held must have a number for each row, so {}, but its shape is {:?}",
                    counted(rows, "number"),
                    self.array.shape()
                );
                Err(mask_buffer_error(py, &message))
            }
        }
    }
}

/// Checks that two arrays, which are the arguments of names, share no memory. Of those that are not contiguous, which are
/// refused where they are read or written, it may say either.
fn check_apart<T: Element, U: Element>(
    (first, first_name): (&Bound<'_, PyArrayDyn<T>>, &str),
    (second, second_name): (&Bound<'_, PyArrayDyn<U>>, &str),
) -> PyResult<()> {
    let (first_start, second_start) = (first.data() as usize, second.data() as usize);
    let first_end = first_start + first.len() * size_of::<T>();
    let second_end = second_start + second.len() * size_of::<U>();
    if first_start.max(second_start) < first_end.min(second_end) {
        let message =
            format!("{first_name} and {second_name} have the same memory; pass a copy of one of them");
        return Err(mask_buffer_error(first.py(), &message));
    }
    Ok(())
}

/// The elements of an array, which is the argument of a name, in the order of its rows.
fn rows_of<'a, T: Element>(
    py: Python<'_>,
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
    name: &str,
) -> PyResult<&'a mut [T]> {
    check_layout(array, name)?;
    array.as_slice_mut().map_err(|_| not_contiguous(py, name))
}

/// Checks that the elements of an array are in the order of its rows: slices would also be given of one that is
/// contiguous by columns. And that they begin where the machine has such elements.
fn check_layout<T: Element>(array: &Bound<'_, PyArrayDyn<T>>, name: &str) -> PyResult<()> {
    let py = array.py();
    if !array.is_c_contiguous() {
        return Err(not_contiguous(py, name));
    }
    if !array.is_aligned() {
        let message = format!(
            "{name} must be an aligned array, but this one begins within one of the places that elements of {} \
             bytes have in memory, as a view of other bytes may; pass one that NumPy has made, such as {name}.copy()",
            size_of::<T>()
        );
        return Err(mask_buffer_error(py, &message));
    }
    Ok(())
}

fn not_contiguous(py: Python<'_>, name: &str) -> PyErr {
    let remedy = match name {
        "logits" => {
            "all of them, or apply the mask to a copy of the part, such as numpy.ascontiguousarray(logits) or, \
             of a tensor, logits.contiguous(), and write the copy back"
        }
        "mask" => "a whole array in NumPy's usual order, such as maskwright.allocate_mask makes",
        _ => "a whole array in NumPy's usual order",
    };
    let message = format!(
        "{name} must be contiguous by rows, and this is a part of an array, or one laid out by columns: pass {remedy}"
    );
    mask_buffer_error(py, &message)
}

/// The array behind an object, for writing.
fn writable<'py, T: Element>(
    object: &Bound<'py, PyAny>,
    name: &str,
    wanted: &str,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    held(&shared(object, wanted)?, name)
}

/// The array behind an object, whose memory it shares.
fn shared<'py, T: Element>(object: &Bound<'py, PyAny>, wanted: &str) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = object.py();
    let shared = match object.cast::<PyArrayDyn<T>>() {
        Ok(array) => return Ok(array.clone()),
        Err(_) if object.hasattr("numpy")? => object.call_method0("numpy").map_err(|error| {
            mask_buffer_error(py, &format!("{wanted}; this tensor's memory cannot be shared: {error}"))
        })?,
        Err(_) => object.clone(),
    };
    match shared.cast_into::<PyArrayDyn<T>>() {
        Ok(array) => Ok(array),
        Err(_) => {
            let found = object.get_type().name()?;
            let dtype = object.getattr("dtype").map_or(String::new(), |dtype| described(&dtype));
            Err(mask_buffer_error(py, &format!("{wanted}, not {found}{dtype}")))
        }
    }
}

/// The type of the elements of an array that is refused for it.
fn described(dtype: &Bound<'_, PyAny>) -> String {
    let is_native = dtype.getattr("isnative").and_then(|is_native| is_native.is_truthy());
    match is_native {
        Ok(false) => format!(" of {dtype}, which is in the byte order of another machine"),
        _ => format!(" of {dtype}"),
    }
}

/// An array, which is the argument of a name, held for writing.
fn held<'py, T: Element>(
    array: &Bound<'py, PyArrayDyn<T>>,
    name: &str,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    array.try_readwrite().map_err(|error| {
        let reason = match error {
            BorrowError::NotWriteable => "cannot be written, since the array is read-only; pass a copy of it",
            _ => {
                "cannot be written now, since another call is using the array, or another argument of this one \
                 has the same memory; wait for that call, or pass a copy"
            }
        };
        mask_buffer_error(array.py(), &format!("{name} {reason}"))
    })
}

/// Overwrites the logits of disallowed tokens with a bit pattern.
///
/// Args:
///     logits: array `[rows, size]` of unsigned integers of the width of the logits, written in place.
///     mask: int32 array `[rows, words]`, only read.
///     pattern: what to write, the bits of minus infinity.
#[pyfunction]
pub(crate) fn fill_disallowed(
    py: Python<'_>,
    logits: &Bound<'_, PyAny>,
    mask: &Bound<'_, PyAny>,
    pattern: u64,
) -> PyResult<()> {
    let mask = ReadMaskArray::new(mask)?;
    if let Ok(array) = logits.cast::<PyArrayDyn<u32>>() {
        return overwrite(py, held(array, "logits")?, &mask, pattern as u32);
    }
    if let Ok(array) = logits.cast::<PyArrayDyn<u16>>() {
        return overwrite(py, held(array, "logits")?, &mask, pattern as u16);
    }
    let array = writable::<u64>(logits, "logits", "logits must be an array of 16, 32 or 64 bits")?;
    overwrite(py, array, &mask, pattern)
}

fn overwrite<T: Element + Copy + Send + Sync>(
    py: Python<'_>,
    mut logits: PyReadwriteArrayDyn<'_, T>,
    mask: &ReadMaskArray<'_>,
    pattern: T,
) -> PyResult<()> {
    check_apart((&logits, "logits"), (&mask.array, "mask"))?;
    let (rows, words) = mask.shape;
    let mask = mask.words(py)?;
    let size = match *logits.shape() {
        [size] if rows == 1 => size,
        [logit_rows, size] if logit_rows == rows => size,
        _ => {
            let message = format!(
                "logits of shape {:?} do not fit a mask of {}: they are [size] or [rows, size], with as many rows as \
                 the mask",
                logits.shape(),
                counted(rows, "row")
            );
            return Err(mask_buffer_error(py, &message));
        }
    };
    if size > words * 32 {
        let message = format!(
            "the logits have {} but the mask only {} bits in a row: pass the number of logits \
             as size= when the vocabulary is made",
            counted(size, "column"),
            words * 32
        );
        return Err(mask_buffer_error(py, &message));
    }
    let logits = rows_of(py, &mut logits, "logits")?;
    if size == 0 {
        return Ok(());
    }
    released(py, || {
        for (row, bits) in logits.chunks_exact_mut(size).zip(mask.chunks_exact(words)) {
            for (chunk, &word) in row.chunks_mut(32).zip(bits) {
                overwrite_word(chunk, word, pattern);
            }
        }
    });
    Ok(())
}

/// Overwrites the elements whose bit is 0.
fn overwrite_word<T: Copy>(logits: &mut [T], word: u32, pattern: T) {
    match word {
        u32::MAX => {}
        0 => logits.fill(pattern),
        // Written for every element, so that the compiler can use vector blends and no branches.
        word => {
            for (at, logit) in logits.iter_mut().enumerate() {
                *logit = if word >> at & 1 == 0 { pattern } else { *logit };
            }
        }
    }
}
