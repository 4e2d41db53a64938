"""Language models of a hundred kilobytes that a real llama.cpp loads: a GGUF file of random weights, nothing else.

Written with the standard library alone, so that whoever has the server needs nothing more. What they say is noise.
"""

from __future__ import annotations

import random
import struct
from array import array
from collections.abc import Iterator, Mapping
from itertools import accumulate
from math import prod
from pathlib import Path

ALIGNMENT = 32  # bytes; what GGUF assumes where a file does not say
F32 = 0  # the tensor type of 32-bit floats
UNSIGNED, SIGNED, FLOAT, STRING, LIST = 4, 5, 6, 8, 9  # types of metadata
WIDTH, HEADS, HIDDEN, LAYERS, TRAINED = 32, 2, 64, 1, 4096  # TRAINED: tokens of context
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # token types

Value = str | int | float | list[str] | list[int] | list[float]


def vocabulary() -> list[tuple[str, int]]:
    """The three tokens every tokenizer of this kind has, each byte, and the letters."""
    bytes_ = [(f"<0x{byte:02X}>", BYTE) for byte in range(256)]
    letters = [(letter, NORMAL) for letter in "▁abcdefghijklmnopqrstuvwxyz"]
    return [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL), *bytes_, *letters]


def metadata(name: str, tokens: list[tuple[str, int]]) -> dict[str, Value]:
    """What a loader must be told of the architecture and the tokenizer."""
    return {
        "general.architecture": "llama",
        "general.name": name,
        "llama.context_length": TRAINED,
        "llama.embedding_length": WIDTH,
        "llama.block_count": LAYERS,
        "llama.feed_forward_length": HIDDEN,
        "llama.attention.head_count": HEADS,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": WIDTH // HEADS,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [token for token, _ in tokens],
        "tokenizer.ggml.scores": [0.0 for _ in tokens],
        "tokenizer.ggml.token_type": [kind for _, kind in tokens],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    }


def tensors(size: int) -> dict[str, tuple[int, ...]]:
    """Name → shape, fastest dimension first; the embedding serves as the output too."""
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (WIDTH, size), "output_norm.weight": (WIDTH,)}
    for layer in range(LAYERS):
        for part in ("attn_norm", "ffn_norm"):
            shapes[f"blk.{layer}.{part}.weight"] = (WIDTH,)
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            shapes[f"blk.{layer}.{part}.weight"] = (WIDTH, WIDTH)
        for part in ("ffn_gate", "ffn_up"):
            shapes[f"blk.{layer}.{part}.weight"] = (WIDTH, HIDDEN)
        shapes[f"blk.{layer}.ffn_down.weight"] = (HIDDEN, WIDTH)
    return shapes


def text(value: str) -> bytes:
    """A length and the UTF-8."""
    body = value.encode()
    return struct.pack("<Q", len(body)) + body


def typed(value: str | int | float, whole: int) -> tuple[int, bytes]:
    """A scalar's type number and its bytes; `whole` is the type of its whole numbers."""
    if isinstance(value, str):
        return STRING, text(value)
    return (FLOAT, struct.pack("<f", value)) if isinstance(value, float) else (whole, struct.pack("<I", value))


def entry(key: str, value: Value) -> bytes:
    """One key of the metadata. The loader wants its whole numbers without a sign, and those in lists with one."""
    if not isinstance(value, list):
        kind, body = typed(value, UNSIGNED)
        return text(key) + struct.pack("<I", kind) + body
    items = [typed(item, SIGNED) for item in value]
    return text(key) + struct.pack("<IIQ", LIST, items[0][0], len(items)) + b"".join(body for _, body in items)


def padded(body: bytes) -> bytes:
    """The bytes, filled up to the alignment."""
    return body + bytes(-len(body) % ALIGNMENT)


def directory(shapes: Mapping[str, tuple[int, ...]]) -> Iterator[bytes]:
    """Each tensor's name, shape, type and offset."""
    offsets = accumulate((4 * prod(shape) + -4 * prod(shape) % ALIGNMENT for shape in shapes.values()), initial=0)
    for (name, shape), offset in zip(shapes.items(), offsets, strict=False):
        yield text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, F32, offset)


def model(name: str, seed: int = 0) -> bytes:
    """The bytes of one model file."""
    tokens, chance = vocabulary(), random.Random(seed)
    keys, shapes = metadata(name, tokens), tensors(len(tokens))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(keys))
    head += b"".join(entry(key, value) for key, value in keys.items()) + b"".join(directory(shapes))
    weights = (array("f", (chance.gauss(0, 0.02) for _ in range(prod(shape)))) for shape in shapes.values())
    return padded(head) + b"".join(padded(tensor.tobytes()) for tensor in weights)


def write(folder: Path, *names: str) -> None:
    """Write one model per name into a folder, as `<name>.gguf`."""
    for seed, name in enumerate(names):
        (folder / f"{name}.gguf").write_bytes(model(name, seed))


if __name__ == "__main__":
    import sys

    Path(sys.argv[1]).mkdir(exist_ok=True)
    write(Path(sys.argv[1]), *sys.argv[2:])
