"""The static embedding table in Python: word pieces, packing, reading, writing.

A second reader of the same files as crates/agents/src/embed, with numpy only,
for the scripts beside it.
"""

import csv
import json
import struct
import unicodedata
from pathlib import Path

import numpy as np

ASSETS = Path(__file__).resolve().parents[2] / "crates" / "agents" / "assets"
TABLE = ASSETS / "minilm-static-256-int4.safetensors"
VOCABULARY = ASSETS / "vocab-kept.txt"
WITHOUT_ROW = ASSETS / "vocab-dropped.txt"

CHINESE = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
           (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]
LONGEST_WORD = 100


def is_punctuation(c):
    code = ord(c)
    if code < 128:
        return 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return unicodedata.category(c).startswith("P")


def words(text):
    """The text as words and punctuation marks, lower case and without accents."""
    cleaned = []
    for c in text:
        if c in "\t\n\r" or c.isspace():
            cleaned.append(" ")
        elif c == "\ufffd" or unicodedata.category(c).startswith("C"):
            continue
        elif any(first <= ord(c) <= last for first, last in CHINESE):
            cleaned.append(f" {c} ")
        else:
            cleaned.append(c)
    plain = unicodedata.normalize("NFD", "".join(cleaned))
    plain = "".join(c for c in plain if unicodedata.category(c) != "Mn").lower()
    for word in plain.split():
        start = 0
        for at, c in enumerate(word):
            if is_punctuation(c):
                if start < at:
                    yield word[start:at]
                yield c
                start = at + 1
        if start < len(word):
            yield word[start:]


def pieces(text, rows):
    """Row numbers of the word pieces; a word with an unknown part is left out."""
    found = []
    for word in words(text):
        if len(word) > LONGEST_WORD:
            continue
        start, of_word = 0, []
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in rows:
                    of_word.append(rows[piece])
                    start = end
                    break
            else:
                of_word = []
                break
        found.extend(row for row in of_word if row is not None)
    return found


def read_vocabulary(kept=VOCABULARY, dropped=WITHOUT_ROW):
    """Row by piece; None for pieces that have no row."""
    lines = [Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")
             for path in (kept, dropped)]
    rows = dict.fromkeys(lines[1])
    rows.update((piece, row) for row, piece in enumerate(lines[0]) if piece != "[UNK]")
    return rows


def read_safetensors(path):
    """All tensors of a safetensors file, as numpy arrays."""
    kinds = {"F32": "<f4", "F16": "<f2", "U8": "u1", "I64": "<i8"}
    raw = Path(path).read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    data = memoryview(raw)[8 + length:]
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = entry["data_offsets"]
            flat = np.frombuffer(data[start:end], kinds[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def read_table(path=TABLE):
    tensors = read_safetensors(path)
    packed = tensors["q4"]
    table = np.empty((packed.shape[0], packed.shape[1] * 2), np.float32)
    table[:, 0::2] = (packed & 15).astype(np.float32) - 8
    table[:, 1::2] = (packed >> 4).astype(np.float32) - 8
    return table * tensors["scale"].astype(np.float32)[:, None]


def pack(table):
    """Four bits per number and a half-precision scale per row.

    Of several scales per row the one with the least squared error is taken: the
    largest number need not be met exactly.
    """
    largest = np.abs(table).max(axis=1)
    best_error = np.full(len(table), np.inf)
    best_scale = np.zeros(len(table), np.float16)
    best = np.zeros(table.shape, np.int8)
    for share in np.linspace(0.6, 1.05, 19):
        scale = np.maximum(largest * share / 7.5, 1e-6).astype(np.float16)
        wide = scale.astype(np.float32)[:, None]
        levels = np.clip(np.rint(table / wide), -8, 7)
        error = ((levels * wide - table) ** 2).sum(axis=1)
        better = error < best_error
        best_error[better] = error[better]
        best_scale[better] = scale[better]
        best[better] = levels[better].astype(np.int8)
    nibbles = (best + 8).astype(np.uint8)
    return nibbles[:, 0::2] | (nibbles[:, 1::2] << 4), best_scale


def write_table(path, table, source):
    packed, scale = pack(table)
    offset = scale.nbytes
    header = {
        "__metadata__": {
            "dims": str(table.shape[1]),
            "pooling": "mean over wordpieces without special tokens and without [UNK], then L2",
            "source": source,
            "packing": "byte j holds dim 2j in low nibble and dim 2j+1 in high nibble, "
                       "value = nibble-8, times row scale (f16)",
            "vocab": "vocab-kept.txt, row i = line i (0-based)",
        },
        "scale": {"dtype": "F16", "shape": list(scale.shape), "data_offsets": [0, offset]},
        "q4": {"dtype": "U8", "shape": list(packed.shape),
               "data_offsets": [offset, offset + packed.nbytes]},
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text
                           + scale.astype("<f2").tobytes() + packed.tobytes())


def vector(text, table, rows):
    """A text's vector at unit length, or None where no piece is known."""
    found = pieces(text, rows)
    if not found:
        return None
    total = table[found].sum(axis=0)
    return total / np.linalg.norm(total)


def read_pairs(path):
    """(text, text, judgement 0 to 1) from CSV with scores 0 to 5, heading allowed."""
    pairs = []
    with open(path, encoding="utf-8", newline="") as file:
        for line in csv.reader(file):
            try:
                pairs.append((line[0], line[1], float(line[2]) / 5))
            except ValueError:
                if pairs:
                    raise
    return pairs


def cosines(pairs, table, rows):
    values = []
    for a, b, _ in pairs:
        left, right = vector(a, table, rows), vector(b, table, rows)
        values.append(float(np.clip(left @ right, -1, 1)))
    return np.array(values)


def ranks(values):
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


def spearman(a, b):
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])
