"""Fits the static table's calibration and prints it as Rust rows, with figures.

    python calibrate.py stsb-en-train.csv [stsb-en-dev.csv stsb-en-test.csv]

The first file is fitted on; the others are only measured. Each has two texts and
a score from 0 to 5 per line. Needs numpy.
"""

import datetime
import sys
from pathlib import Path

import numpy as np

import table as t

PERCENTILES = [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
HALF_WINDOW = 0.025


def around(ordered, share):
    half = max(HALF_WINDOW * len(ordered), 1)
    start = max(int(np.floor(share * len(ordered) - half)), 0)
    end = min(int(np.ceil(share * len(ordered) + half)), len(ordered))
    return ordered[start:end].mean()


def linked(cosine, judged):
    """Equal percentiles linked; the last point is a text and itself."""
    cosine, judged = np.sort(cosine), np.sort(judged)
    knots = [(around(cosine, p), around(judged, p)) for p in PERCENTILES]
    return knots + [(1.0, 1.0)]


def isotonic(cosine, judged):
    """Mean judgement given the cosine, pooled until it never falls."""
    blocks = []
    for at in np.lexsort((-judged, cosine)):
        blocks.append([judged[at], 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            value, weight = blocks.pop()
            last = blocks[-1]
            last[0] = (last[0] * last[1] + value * weight) / (last[1] + weight)
            last[1] += weight
    curve = np.repeat([b[0] for b in blocks], [b[1] for b in blocks])
    return np.sort(cosine), curve


def report(name, similarity, judged):
    same, apart, high = judged >= 0.9, judged <= 0.1, similarity >= 0.8
    print(f"//   {name}: judged >= 4.5 reads {similarity[same].mean():.3f}, "
          f"judged <= 0.5 reads {similarity[apart].mean():.3f}, "
          f"mean error {np.abs(similarity - judged).mean():.3f}, "
          f"judgement where it reads >= 0.80: {judged[high].mean():.3f} (n={high.sum()})")


def main(files):
    table, rows = t.read_table(), t.read_vocabulary()
    fitted = None
    for path in files:
        pairs = t.read_pairs(path)
        judged = np.array([pair[2] for pair in pairs])
        cosine = t.cosines(pairs, table, rows)
        print(f"// {Path(path).name}: {len(pairs)} pairs, Spearman {t.spearman(cosine, judged):.4f}")
        if fitted is None:
            curve = isotonic(cosine, judged)
            explained = 1 - ((curve[1] - judged[np.lexsort((-judged, cosine))]) ** 2).sum() / \
                ((judged - judged.mean()) ** 2).sum()
            fitted = (linked(cosine, judged), curve)
            print(f"// explained {explained:.4f}, {datetime.date.today()}")
            for x, y in fitted[0]:
                print(f"    ({x:.3f}, {y:.3f}),")
        report("percentiles linked", np.interp(cosine, *zip(*fitted[0])), judged)
        report("mean judgement (isotonic)", np.interp(cosine, *fitted[1]), judged)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
