"""A forward pass of the Llama architecture in plain NumPy.

Takes float32 weights and token ids and gives the logits of the next token. It is a small reference
pass for trying constraints out on a real model, on any machine and with nothing but NumPy; it is not
a serving engine: one sequence at a time, float32 only, on the CPU.

The layer is RMSNorm, attention with rotary positions and grouped key/value heads, RMSNorm, and a SwiGLU
feed-forward. Rotary positions use the *rotate-half* convention: dimension ``i`` of a head turns
together with dimension ``i + head_size / 2``. GGUF stores the query and key weights for the other
convention, neighbouring dimensions, and its loader reorders them.

Keys and values of all earlier tokens stay in a cache, so that a prompt is processed as one batch of
matrix products and each later token costs one matrix-vector product for each weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskwright.errors import ModelError

__all__ = ["LayerWeights", "LlamaConfig", "LlamaNetwork", "LlamaWeights", "build_weights"]

Float32Array = NDArray[np.float32]

# Longer prompts are processed this many tokens at a time, which bounds the attention scores in memory.
_CHUNK = 512
_LOADING_THREADS = 4


@dataclass(frozen=True)
class LlamaConfig:
    """The sizes of a Llama network; every length is a count of float32 numbers.

    Attributes:
        vocabulary_size: the number of logits.
        width: the length of a token's vector between layers.
        feed_forward_width: the length of the hidden vector of the feed-forward.
        layer_count: the number of layers.
        head_count: the number of query heads.
        key_value_head_count: the number of key and value heads; each serves an equal group of query heads.
        head_size: the length of one head's vector.
        rope_base: the base of the rotary frequencies.
        norm_epsilon: what RMSNorm adds under its root.
        context_length: the most tokens of prompt and text together.
        tied: the last matrix is the token embedding itself.

    Raises:
        ModelError: the sizes are not positive or do not fit each other.
    """

    vocabulary_size: int
    width: int
    feed_forward_width: int
    layer_count: int
    head_count: int
    key_value_head_count: int
    head_size: int
    rope_base: float
    norm_epsilon: float
    context_length: int
    tied: bool

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name != "tied" and not (0 < value < float("inf")):
                raise ModelError(f"the model's {name} is {value!r}; it has to be positive")
        if self.head_count % self.key_value_head_count:
            raise ModelError(
                f"{self.head_count} query heads cannot share {self.key_value_head_count} key/value heads"
            )
        if self.head_size % 2:
            raise ModelError(f"rotary positions need an even head size, not {self.head_size}")

    @property
    def query_width(self) -> int:
        """The length of all query heads together."""
        return self.head_count * self.head_size

    @property
    def key_value_width(self) -> int:
        """The length of all key heads (or all value heads) together."""
        return self.key_value_head_count * self.head_size


@dataclass(frozen=True)
class LayerWeights:
    """One layer's weights; matrices are float32 ``[outputs, inputs]``, C-contiguous.

    Attributes:
        attention_norm: ``[width]``.
        query_key_value: the three projections, one below the other: ``[query + 2 * key_value, width]``.
        attention_output: ``[width, query]``.
        feed_forward_norm: ``[width]``.
        gate_up: gate and up projection, one below the other: ``[2 * feed_forward, width]``.
        down: ``[width, feed_forward]``.
    """

    attention_norm: Float32Array
    query_key_value: Float32Array
    attention_output: Float32Array
    feed_forward_norm: Float32Array
    gate_up: Float32Array
    down: Float32Array


@dataclass(frozen=True)
class LlamaWeights:
    """All weights of a network.

    Attributes:
        embedding: ``[vocabulary, width]``.
        layers: the layers, first to last.
        final_norm: ``[width]``.
        unembedding: ``[vocabulary, width]``; the same array as ``embedding`` where the model ties them.
    """

    embedding: Float32Array
    layers: tuple[LayerWeights, ...]
    final_norm: Float32Array
    unembedding: Float32Array


def build_weights(config: LlamaConfig, read: Callable[[str], Float32Array]) -> LlamaWeights:
    """Gathers the weights of a network from a file format's reader.

    Args:
        config: the sizes, against which every weight is checked.
        read: gives the weight of a name. The names are ``embedding``, ``final_norm``, ``unembedding``
            (only where the model is not tied) and, for each layer ``i``, ``layers.i.`` followed by
            ``attention_norm``, ``query``, ``key``, ``value``, ``attention_output``,
            ``feed_forward_norm``, ``gate``, ``up`` or ``down``. Called from several threads.

    Raises:
        ModelError: a weight's shape does not fit the configuration, or from ``read``.
    """

    def gather(*parts: tuple[str, tuple[int, ...]]) -> Float32Array:
        """Copies weights one below the other into one new contiguous array."""
        weights = []
        for name, shape in parts:
            weight = read(name)
            if weight.shape != shape:
                raise ModelError(f"the weight {name!r} has shape {weight.shape}; the model needs {shape}")
            weights.append(weight)
        return np.concatenate(weights)

    def build_layer(index: int) -> LayerWeights:
        prefix, width = f"layers.{index}.", config.width
        query, key_value, feed_forward = config.query_width, config.key_value_width, config.feed_forward_width
        return LayerWeights(
            attention_norm=gather((prefix + "attention_norm", (width,))),
            query_key_value=gather(
                (prefix + "query", (query, width)),
                (prefix + "key", (key_value, width)),
                (prefix + "value", (key_value, width)),
            ),
            attention_output=gather((prefix + "attention_output", (width, query))),
            feed_forward_norm=gather((prefix + "feed_forward_norm", (width,))),
            gate_up=gather((prefix + "gate", (feed_forward, width)), (prefix + "up", (feed_forward, width))),
            down=gather((prefix + "down", (width, feed_forward))),
        )

    matrix_shape = (config.vocabulary_size, config.width)
    with ThreadPoolExecutor(_LOADING_THREADS) as threads:
        embedding = threads.submit(gather, ("embedding", matrix_shape))
        layers = tuple(threads.map(build_layer, range(config.layer_count)))
    return LlamaWeights(
        embedding=embedding.result(),
        layers=layers,
        final_norm=gather(("final_norm", (config.width,))),
        unembedding=embedding.result() if config.tied else gather(("unembedding", matrix_shape)),
    )


class LlamaNetwork:
    """A Llama network with the cache of one sequence; not to be used from two threads at once.

    Attributes:
        config: its sizes.
        position: the number of tokens processed since the last :meth:`reset`.
    """

    def __init__(self, config: LlamaConfig, weights: LlamaWeights) -> None:
        self.config = config
        self.position = 0
        self._weights = weights
        self._frequencies = config.rope_base ** (
            -np.arange(0, config.head_size, 2, dtype=np.float64) / config.head_size
        )
        self._keys = self._values = self._new_cache(0)

    def reset(self) -> None:
        """Forgets every token, so that the next call of :meth:`forward` starts a new sequence."""
        self.position = 0

    def forward(self, token_ids: Sequence[int]) -> Float32Array:
        """Appends tokens to the sequence and predicts the one after the last of them.

        Args:
            token_ids: one or more ids, ``0 <= id < vocabulary_size``.

        Returns:
            The logits of the next token: a new float32 array ``[vocabulary_size]``.

        Raises:
            ModelError: no ids, an id outside the vocabulary, or more tokens than the context holds. The
                sequence is then as it was.
        """
        ids = np.asarray(token_ids, dtype=np.int64)
        self._check(ids)
        self._reserve(self.position + ids.size)
        for start in range(0, ids.size, _CHUNK):
            hidden = self._process(ids[start : start + _CHUNK])
        last = self._normalize(hidden[-1:], self._weights.final_norm)
        logits: Float32Array = self._weights.unembedding @ last[0]
        return logits

    def _check(self, ids: NDArray[np.int64]) -> None:
        if ids.ndim != 1 or not ids.size:
            raise ModelError("the model needs at least one token to go on from")
        if ids.min() < 0 or ids.max() >= self.config.vocabulary_size:
            raise ModelError(
                f"the ids of tokens run from 0 to {self.config.vocabulary_size - 1}; "
                f"the model was given {int(ids.min())} to {int(ids.max())}"
            )
        if self.position + ids.size > self.config.context_length:
            raise ModelError(
                f"the model's context holds {self.config.context_length} tokens; "
                f"{self.position + ids.size} were asked for"
            )

    def _process(self, ids: NDArray[np.int64]) -> Float32Array:
        """Runs one chunk of tokens through every layer; gives float32 ``[tokens, width]``."""
        rotation = self._rotation(ids.size)
        hidden: Float32Array = self._weights.embedding[ids]
        for index, layer in enumerate(self._weights.layers):
            hidden += self._attend(index, self._normalize(hidden, layer.attention_norm), rotation)
            hidden += self._feed_forward(layer, self._normalize(hidden, layer.feed_forward_norm))
        self.position += ids.size
        return hidden

    def _attend(
        self, index: int, hidden: Float32Array, rotation: tuple[Float32Array, Float32Array]
    ) -> Float32Array:
        config, layer, count = self.config, self._weights.layers[index], len(hidden)
        end = self.position + count
        projected = _multiply(layer.query_key_value, hidden).reshape(count, -1, config.head_size)
        # The heads come first from here on: [heads, tokens, head_size].
        heads = projected.transpose(1, 0, 2)
        key_start, value_start = config.head_count, config.head_count + config.key_value_head_count
        self._keys[index, :, self.position : end] = _rotate(heads[key_start:value_start], *rotation)
        self._values[index, :, self.position : end] = heads[value_start:]
        # Query heads that share a key/value head become the rows of one matrix product.
        shared = (config.key_value_head_count, -1, config.head_size)
        queries = _rotate(heads[:key_start], *rotation).reshape(shared)
        scores: Float32Array = queries @ self._keys[index, :, :end].transpose(0, 2, 1)
        scores *= np.float32(config.head_size**-0.5)
        if count > 1:
            by_head = scores.reshape(config.head_count, count, end)
            by_head[:, np.arange(self.position, end)[:, None] < np.arange(end)] = -np.inf
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed: Float32Array = scores @ self._values[index, :, :end]
        by_token = mixed.reshape(config.head_count, count, config.head_size).transpose(1, 0, 2)
        return _multiply(layer.attention_output, by_token.reshape(count, -1))

    def _feed_forward(self, layer: LayerWeights, hidden: Float32Array) -> Float32Array:
        gate_up = _multiply(layer.gate_up, hidden)
        gate, up = gate_up[:, : self.config.feed_forward_width], gate_up[:, self.config.feed_forward_width :]
        # x * sigmoid(x), with the sigmoid by tanh, which cannot overflow.
        activated: Float32Array = gate * (np.float32(0.5) * (np.float32(1) + np.tanh(np.float32(0.5) * gate)))
        return _multiply(layer.down, activated * up)

    def _normalize(self, hidden: Float32Array, weight: Float32Array) -> Float32Array:
        mean_square = np.einsum("ij,ij->i", hidden, hidden)[:, None] / np.float32(hidden.shape[1])
        normalized: Float32Array = hidden / np.sqrt(mean_square + np.float32(self.config.norm_epsilon))
        return normalized * weight

    def _rotation(self, count: int) -> tuple[Float32Array, Float32Array]:
        """The cosines and sines of the next positions: float32 ``[count, head_size / 2]`` each."""
        angles = np.arange(self.position, self.position + count)[:, None] * self._frequencies
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def _reserve(self, length: int) -> None:
        """Lets the cache hold `length` tokens; it doubles, so that copying stays linear in all."""
        capacity = self._keys.shape[2]
        if length <= capacity:
            return
        capacity = min(self.config.context_length, max(length, 2 * capacity, 256))
        keys, values = self._new_cache(capacity), self._new_cache(capacity)
        keys[:, :, : self.position] = self._keys[:, :, : self.position]
        values[:, :, : self.position] = self._values[:, :, : self.position]
        self._keys, self._values = keys, values

    def _new_cache(self, capacity: int) -> Float32Array:
        config = self.config
        shape = (config.layer_count, config.key_value_head_count, capacity, config.head_size)
        return np.empty(shape, np.float32)


def _multiply(matrix: Float32Array, rows: Float32Array) -> Float32Array:
    """``rows @ matrix.T``; a single row takes the matrix-vector product, which reads the matrix once."""
    if len(rows) == 1:
        product: Float32Array = (matrix @ rows[0])[None]
        return product
    products: Float32Array = rows @ matrix.T
    return products


def _rotate(heads: Float32Array, cosine: Float32Array, sine: Float32Array) -> Float32Array:
    """Turns each pair (i, i + half) of each head by its position's angle."""
    half = heads.shape[-1] // 2
    first, second = heads[..., :half], heads[..., half:]
    return np.concatenate((first * cosine - second * sine, second * cosine + first * sine), axis=-1)
