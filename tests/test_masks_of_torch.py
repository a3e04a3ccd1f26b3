"""Masks and logits of torch, on the CPU and on a device."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import maskwright as mw
from maskwright import device_masks, masks
from replaying import places, single_masks

torch = pytest.importorskip("torch", reason="torch is not installed")

ROWS = 5
OTHER_ORDER = ">" if sys.byteorder == "little" else "<"

#: What is done on a device, done on the CPU: so it is tested where there is none, too.
OPERATIONS_OF_DEVICES = "operations of a device"
#: By the kernel, and without it.
ON_CUDA = ["cuda", "cuda without Triton"]
DEVICES = ["cpu", OPERATIONS_OF_DEVICES, *(ON_CUDA if torch.cuda.is_available() else [])]


def test_masks_of_torch_are_filled_without_copying(byte_vocabulary: mw.Vocabulary) -> None:
    matchers = places(byte_vocabulary, ROWS)
    mask = torch.zeros((ROWS, -(-byte_vocabulary.size // 32)), dtype=torch.int32)
    matchers[3].fill_mask(mask, 3)
    assert (mask[3].numpy() == single_masks(matchers, byte_vocabulary.size)[3]).all()
    mw.fill_masks(matchers, mask)
    assert (mask.numpy() == single_masks(matchers, byte_vocabulary.size)).all()


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where tensors are."""
    place, _, without_triton = request.param.partition(" without ")
    if without_triton:
        monkeypatch.setattr(device_masks, "kernel_of_triton", lambda: None)
    if place == OPERATIONS_OF_DEVICES:
        monkeypatch.setattr(masks, "_apply_to_cpu_tensor", masks._apply_on_device)
        place = "cpu"
    return str(place)


def bits_of(mask: NDArray[np.int32], size: int) -> NDArray[np.bool_]:
    return np.unpackbits(mask.view(np.uint8), axis=-1, bitorder="little")[..., :size].astype(bool)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(
    ("logits_shape", "mask_shape"),
    [
        ((3, 100), (3, 4)),
        ((3, 128), (3, 4)),
        ((100,), (4,)),
        ((100,), (1, 4)),
        ((1, 100), (4,)),
        ((0, 9), (0, 4)),
    ],
)
def test_disallowed_logits_of_torch_become_minus_infinity(
    device: str, name: str, logits_shape: tuple[int, ...], mask_shape: tuple[int, ...]
) -> None:
    mask = np.random.default_rng(7).integers(-(2**31), 2**31, mask_shape, dtype=np.int64).astype(np.int32)
    logits = torch.randn(logits_shape, dtype=torch.float32).to(getattr(torch, name)).to(device)
    allowed = torch.from_numpy(bits_of(mask, logits_shape[-1]).reshape(logits_shape)).to(device)
    expected = torch.where(allowed, logits, torch.tensor(float("-inf"), dtype=logits.dtype, device=device))
    mask.flags.writeable = False
    for mask_given in (mask, torch.from_numpy(mask.copy()).to(device)):
        masked = logits.clone().requires_grad_()
        mw.apply_mask(masked, mask_given)
        assert torch.equal(masked, expected)


@pytest.mark.parametrize(
    ("logits_shape", "mask", "message"),
    [
        ((2, 4), np.zeros((1, 1), dtype=np.int32), r"do not fit a mask of 1 row\b"),
        ((), np.zeros((1, 1), dtype=np.int32), r"do not fit a mask of 1 row\b"),
        ((1, 1, 4), np.zeros((1, 1), dtype=np.int32), r"do not fit a mask of 1 row\b"),
        ((1, 33), np.zeros((1, 1), dtype=np.int32), "size="),
        ((1, 4), np.zeros((1, 1), dtype=np.int64), "int32"),
        ((1, 4), np.zeros((1, 1, 1), dtype=np.int32), r"\[rows, words\]"),
        ((1, 4), np.zeros((), dtype=np.int32), r"\[rows, words\]"),
        ((1, 4), np.zeros((1, 1), dtype=f"{OTHER_ORDER}i4"), "int32"),
        ((1, 4), [[1]], "int32"),
        ((1, 4), "mask", "int32"),
        ((1, 4), None, "int32"),
    ],
)
def test_masks_that_do_not_fit_tensors_are_errors(
    device: str, logits_shape: tuple[int, ...], mask: Any, message: str
) -> None:
    logits = torch.zeros(logits_shape, device=device)
    with pytest.raises(mw.MaskBufferError, match=message):
        mw.apply_mask(logits, mask)
    assert not logits.any()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize("pinned", [False, True])
def test_a_mask_may_be_filled_again_while_a_device_is_at_work(pinned: bool) -> None:
    factor = torch.randn((8192, 8192), device="cuda")
    mask = torch.zeros((64, 4008), dtype=torch.int32, pin_memory=pinned)
    logits = torch.zeros((64, 4008 * 32), device="cuda")
    for _ in range(20):
        factor @ factor
    mw.apply_mask(logits, mask)
    mask.fill_(-1)
    assert torch.isneginf(logits).all()


@pytest.mark.parametrize(
    ("name", "device", "message"),
    [
        ("float8_e4m3fn", "cpu", "must be of float64"),
        ("int32", "cpu", "must be of float64"),
        ("float32", "meta", "the meta device"),
        ("float8_e5m2", "meta", "must be of float64"),
    ],
)
def test_tensors_that_cannot_be_masked_are_errors(name: str, device: str, message: str) -> None:
    logits = torch.zeros((1, 32), device=device).to(getattr(torch, name))
    with pytest.raises(mw.MaskBufferError, match=message):
        mw.apply_mask(logits, np.zeros((1, 1), dtype=np.int32))
    with pytest.raises(mw.MaskBufferError, match="this tensor's memory cannot be shared"):
        mw.apply_mask(torch.zeros((1, 32)), torch.zeros((1, 1), dtype=torch.int32, device="meta"))


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "torch.sparse_coo": lambda rows: rows.to_sparse(),
    "torch.sparse_csr": lambda rows: rows.to_sparse_csr(),
    "nested": lambda rows: torch.nested.nested_tensor(list(rows)),
    "nested, too": lambda rows: torch.nested.nested_tensor(list(rows), layout=torch.jagged),
}


@pytest.mark.filterwarnings("ignore:.*beta state", "ignore:.*prototype stage")
@pytest.mark.parametrize("name", ["float32", "bfloat16"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_tensors_of_other_layouts_are_errors(device: str, name: str, layout: str) -> None:
    rows = torch.ones((2, 32), device=device)
    logits = LAYOUTS[layout](rows.to(getattr(torch, name)))
    with pytest.raises(
        mw.MaskBufferError, match=f"that is (of the layout )?{layout.partition(',')[0]}; pass"
    ):
        mw.apply_mask(logits, np.zeros((2, 1), dtype=np.int32))
    assert logits.to_dense().all() if not logits.is_nested else all(row.all() for row in logits.unbind())
    mask = LAYOUTS[layout](torch.ones((2, 1), dtype=torch.int32, device=device))
    with pytest.raises(mw.MaskBufferError, match=r"mask are a tensor|memory cannot be shared"):
        mw.apply_mask(rows, mask)
    assert rows.all()


def tensors_that_share_no_memory() -> list[tuple[str, Any]]:
    return [
        ("negative bit", torch._neg_view(torch.ones((1, 32)))),
        ("negative bit", torch._neg_view(torch.ones((1, 32), dtype=torch.bfloat16))),
        ("negative bit", torch.ones((1, 32), dtype=torch.complex64).conj().imag),
        ("ZeroTensor", torch._efficientzerotensor((1, 32))),
    ]


@pytest.mark.parametrize(("reason", "logits"), tensors_that_share_no_memory())
def test_tensors_that_share_no_memory_are_errors(reason: str, logits: Any) -> None:
    before = repr(logits)
    with pytest.raises(
        mw.MaskBufferError, match=f"whose memory cannot be shared: .*{reason}.*; apply the mask"
    ):
        mw.apply_mask(logits, np.zeros((1, 1), dtype=np.int32))
    assert repr(logits) == before


@pytest.mark.parametrize("device", DEVICES[1:], indirect=True)
def test_a_mask_on_a_device_may_be_a_negative_view(device: str) -> None:
    """Of which torch computes the numbers only where they are read; NumPy cannot."""
    logits = torch.zeros((1, 4), device=device)
    mw.apply_mask(logits, torch._neg_view(torch.tensor([[-0b0101]], dtype=torch.int32, device=device)))
    assert torch.isneginf(logits).tolist() == [[False, True, False, True]]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize("device", ON_CUDA, indirect=True)
@pytest.mark.parametrize("layout", ["rows apart", "columns apart", "mask apart", "words apart"])
def test_the_kernel_takes_any_layout(device: str, layout: str) -> None:
    rows, size = 3, 9000
    mask = torch.randint(-(2**31), 2**31, (rows, 400), dtype=torch.int64).to(torch.int32).to(device)
    logits = torch.randn((rows, size), device=device)
    whole = logits.clone()
    match layout:
        case "rows apart":
            whole = torch.zeros((rows, size + 77), device=device)
            whole[:, :size] = logits
        case "columns apart":
            whole = torch.zeros((size, rows), device=device).T
            whole[:] = logits
        case "mask apart":
            mask = torch.nn.functional.pad(mask, (0, 5))[:, :400]
        case _:
            mask = mask.T.contiguous().T
    expected = logits.cpu()
    mw.apply_mask(expected, mask.cpu().contiguous())
    mw.apply_mask(whole[:, :size], mask)
    assert torch.equal(whole[:, :size].cpu(), expected)
    assert not whole[:, size:].any()


INTERPRETED = """
import torch
from maskwright import device_masks, triton_kernel

torch.cuda.current_device = lambda: None  # which is the index of the CPU
for size in (1, 31, 32, 33, 4096, 4097, 9000):
    mask = torch.randint(-(2**31), 2**31, (2, 300), dtype=torch.int64).to(torch.int32)
    logits = torch.randn((2, size))
    expected = logits.clone()
    device_masks.disallow_by_operations(expected, mask)
    triton_kernel.disallow(logits, mask)
    assert torch.equal(logits, expected), size
"""


def test_the_kernel_does_what_operations_do_where_it_is_interpreted() -> None:
    """Triton can run a kernel without a device, one program after the other."""
    pytest.importorskip("triton", reason="Triton is not installed")
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    subprocess.run([sys.executable, "-c", INTERPRETED], check=True, env=environment, timeout=300)


def test_a_kernel_that_does_not_run_is_found_out() -> None:
    def fails(logits: Any, mask: Any) -> None:
        raise RuntimeError("no C compiler")

    assert device_masks.fault_of(fails, "cpu") == "RuntimeError: no C compiler"
    assert device_masks.fault_of(lambda logits, mask: None, "cpu") == "it leaves [[0.0, 0.0]]"
    assert device_masks.fault_of(device_masks.disallow_by_operations, "cpu") is None


def test_without_a_kernel_a_warning_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton", reason="Triton is not installed")
    monkeypatch.setattr(device_masks, "fault_of", lambda kernel, device: "no C compiler")
    device_masks.kernel_of_triton.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="no C compiler"):
            assert device_masks.kernel_of_triton() is None
    finally:
        device_masks.kernel_of_triton.cache_clear()
