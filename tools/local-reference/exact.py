"""Adds to reference.json what plain arithmetic in 32 bits makes of the same
weights: every product in full, nothing rounded on the way. It is slow, short
and independent of both programs. See README.md."""

import json
import struct
import sys

import numpy

SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


class File:
    def __init__(self, path):
        self.bytes = numpy.fromfile(path, dtype=numpy.uint8)
        self.at = 8
        tensors, values = self.number("Q"), self.number("Q")
        self.values = {self.text(): self.value(self.number("I")) for _ in range(values)}
        heads = [self.head() for _ in range(tensors)]
        start = (self.at + 31) // 32 * 32
        self.tensors = {name: (shape, kind, start + offset) for name, shape, kind, offset in heads}

    def number(self, code):
        (value,) = struct.unpack_from("<" + code, self.bytes, self.at)
        self.at += struct.calcsize("<" + code)
        return value

    def text(self):
        length = self.number("Q")
        self.at += length
        return self.bytes[self.at - length : self.at].tobytes().decode("utf-8", "replace")

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            of, length = self.number("I"), self.number("Q")
            return [self.value(of) for _ in range(length)]
        return self.number(SIZES[kind])

    def head(self):
        name = self.text()
        shape = [self.number("Q") for _ in range(self.number("I"))]
        return name, shape, self.number("I"), self.number("Q")

    def tensor(self, name):
        shape, kind, start = self.tensors[name]
        count = int(numpy.prod(shape))
        rows = shape[::-1]
        if kind == 0:
            return self.bytes[start : start + 4 * count].view(numpy.float32).reshape(rows)
        size = {3: 20, 8: 34}[kind]
        blocks = self.bytes[start : start + count // 32 * size].reshape(-1, size)
        half = lambda at: blocks[:, at : at + 2].copy().view(numpy.float16).astype(numpy.float32)
        if kind == 8:
            return (half(0) * blocks[:, 2:].view(numpy.int8).astype(numpy.float32)).reshape(rows)
        steps = numpy.concatenate([blocks[:, 4:] & 15, blocks[:, 4:] >> 4], axis=1)
        return (half(0) * steps.astype(numpy.float32) + half(2)).reshape(rows)


class Model:
    def __init__(self, path):
        file = File(path)
        self.of = lambda key: file.values["llama." + key]
        self.weights = {name: file.tensor(name) for name in file.tensors}

    def normal(self, x, name):
        scale = numpy.sqrt((x * x).mean(-1, keepdims=True) + self.of("attention.layer_norm_rms_epsilon"))
        return x / scale * self.weights[name]

    def turn(self, x):
        length, heads, head = x.shape
        speeds = self.of("rope.freq_base") ** (-numpy.arange(0, head, 2) / head)
        angle = numpy.arange(length)[:, None] * speeds
        sin, cos = (f(angle).astype(numpy.float32)[:, None, :] for f in (numpy.sin, numpy.cos))
        out = numpy.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
        out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
        return out

    def likelihoods(self, tokens):
        weights, length = self.weights, len(tokens)
        heads, few = self.of("attention.head_count"), self.of("attention.head_count_kv")
        x = weights["token_embd.weight"][tokens]
        head = x.shape[1] // heads
        future = numpy.triu(numpy.full((length, length), -numpy.inf, dtype=numpy.float32), 1)
        for layer in range(self.of("block_count")):
            w = lambda name: weights[f"blk.{layer}.{name}.weight"]
            calm = self.normal(x, f"blk.{layer}.attn_norm.weight")
            query = self.turn((calm @ w("attn_q").T).reshape(length, heads, head))
            key = self.turn((calm @ w("attn_k").T).reshape(length, few, head)).repeat(heads // few, axis=1)
            value = (calm @ w("attn_v").T).reshape(length, few, head).repeat(heads // few, axis=1)
            scores = numpy.einsum("qhd,khd->hqk", query, key) / numpy.sqrt(head) + future
            shares = numpy.exp(scores - scores.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
            x = x + numpy.einsum("hqk,khd->qhd", shares, value).reshape(length, -1) @ w("attn_output").T
            calm = self.normal(x, f"blk.{layer}.ffn_norm.weight")
            gate = calm @ w("ffn_gate").T
            x = x + (gate / (1 + numpy.exp(-gate)) * (calm @ w("ffn_up").T)) @ w("ffn_down").T
        scores = self.normal(x, "output_norm.weight") @ weights["token_embd.weight"].T
        scores -= scores.max(-1, keepdims=True)
        return scores - numpy.log(numpy.exp(scores.astype(numpy.float64)).sum(-1, keepdims=True))


def main(weights, path):
    model = Model(weights)
    with open(path, encoding="utf-8") as file:
        reference = json.load(file)
    for row in reference["answers"]:
        prompt, steps = row["prompt"], row["steps"]
        found = model.likelihoods(prompt + [step["token"] for step in steps])
        for at, step in enumerate(steps):
            own = found[len(prompt) - 1 + at]
            step["best"] = int(own.argmax())
            step["exact"] = [round(float(own[token]), 4) for token, _ in step["top"]]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(reference, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")
    steps = [step for row in reference["answers"] for step in row["steps"]]
    apart = [abs(a - b[1]) for step in steps for a, b in zip(step["exact"], step["top"]) if b[1] > -6]
    same = sum(step["best"] == step["token"] for step in steps)
    print(f"llama.cpp: {same} of {len(steps)} words as exact; {sum(apart) / len(apart):.4f} apart, at most {max(apart):.4f}")


main(*sys.argv[1:])
