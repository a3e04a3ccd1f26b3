"""Masks applied to logits where these are: on a device, by a kernel of Triton or by operations of torch.

The kernel goes through the logits once and takes no memory besides. It is for CUDA, and for ROCm, which torch
calls so too, and needs the package ``triton``, which comes with torch there. Everywhere else operations of
torch do the same, on any device that torch has.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["disallow", "disallow_by_operations", "fault_of", "kernel_of_triton"]


def disallow(logits: Any, mask: Any) -> None:
    """Sets the logits of all tokens whose bits are 0 to minus infinity, in place.

    Args:
        logits: a tensor ``[rows, size]`` of floating point numbers, of any layout.
        mask: an int32 tensor ``[rows, words]`` on the same device, with at least ``size`` bits in a row.
    """
    kernel = kernel_of_triton() if logits.device.type == "cuda" else None
    (kernel or disallow_by_operations)(logits, mask)


def disallow_by_operations(logits: Any, mask: Any) -> None:
    """The same by operations that torch has on every device; takes two bytes for each logit meanwhile."""
    import torch  # noqa: PLC0415 - only where a tensor was given

    # Bits of bytes and not of words: of words, it would take nine bytes for each logit.
    bit_values = 1 << torch.arange(8, dtype=torch.uint8, device=logits.device)
    disallowed = (mask.contiguous().view(torch.uint8).unsqueeze(-1) & bit_values) == 0
    logits.masked_fill_(disallowed.flatten(-2)[:, : logits.shape[-1]], float("-inf"))


@functools.cache
def kernel_of_triton() -> Callable[[Any, Any], None] | None:
    """The kernel, tried once. None where there is no Triton, and where it does not run, with a warning."""
    try:
        from maskwright.triton_kernel import disallow as kernel  # noqa: PLC0415 - needs an optional package
    except ImportError:
        return None
    fault = fault_of(kernel, "cuda")
    if fault is None:
        return kernel
    warnings.warn(
        f"masks are applied by operations of torch, which take longer: the kernel does not run here: {fault}",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def fault_of(kernel: Callable[[Any, Any], None], device: str) -> str | None:
    """What is wrong with a kernel, tried on two logits; None where nothing is."""
    import torch  # noqa: PLC0415 - only where a tensor was given

    logits = torch.zeros((1, 2), device=device)
    try:
        kernel(logits, torch.ones((1, 1), dtype=torch.int32, device=device))
    except Exception as error:  # of Triton, a driver, or a compiler that is not there
        return f"{type(error).__name__}: {error}"
    return None if logits.tolist() == [[0.0, float("-inf")]] else f"it leaves {logits.tolist()}"
