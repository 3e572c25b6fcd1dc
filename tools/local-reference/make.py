"""Writes reference.json: what llama.cpp makes of the same weights, for
crates/agents/tests/local/reference.json. See README.md."""

import json
import sys
import urllib.request

import xllamacpp

SYSTEM = "You are a careful assistant."
ASKS = [
    (SYSTEM, "What is the capital of France?"),
    (SYSTEM, "Name three fruits."),
    (SYSTEM, "Should a team of five split its shop into microservices? Answer yes or no, then why."),
    ("You are Ada, an engineer. Answer in one sentence.", "Is tea better than coffee in the morning?"),
    (SYSTEM, "Write a haiku about the sea."),
    (SYSTEM, "Translate to French: The cat sleeps on the warm stone."),
    (SYSTEM, "What is 12 plus 30? Give the number only."),
    (SYSTEM, "Why is the sky blue?\n\nUse at most 20 words; don't use lists."),
]
PLAIN = ["Once upon a time", "The first president of the United States was", "def add(a, b):\n    return"]
TEXTS = [
    "", " ", "  two  spaces", "Hello, world!", "It's don't we'll I'VE they're", "naïve café – “quoted” …",
    "3.14159 and 2026-11-15, 1234567890", "tabs\tand\nnew\n\nlines\r\n", "東京タワー 日本語", "😀👍🏽 emoji",
    "fn main() { println!(\"{}\", x_y); }", "   leading", "trailing   ", "{\"answer\": \"yes\", \"confidence\": 72}",
    "Привет мир", "½ cup, ¼ tsp, 20 °C", "a\u00a0b\u2003c", "ALLCAPS CamelCase snake_case kebab-case", "$5 £10 50% #1 @you",
    "\u0000\u0001 control", "word\n  indented\n\tmore", "x²+y²=z²", "\n\n\n", "e\u0301cole", "٣٤ ①② Ⅷ",
]
TOKENS = 24
TOP = 8


def main(weights, out):
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.n_ctx = 2048
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.cpuparams_batch.n_threads = 2
    params.port = 18099
    server = xllamacpp.Server(params)
    base = server.listening_address

    def post(path, body):
        request = urllib.request.Request(base + path, json.dumps(body).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def tokens(text, special):
        return post("/tokenize", {"content": text, "add_special": False, "parse_special": special})["tokens"]

    def greedy(prompt):
        body = {
            "prompt": prompt, "n_predict": TOKENS, "temperature": 0, "top_k": 1, "n_probs": TOP, "cache_prompt": False,
            "repeat_penalty": 1.0, "return_tokens": True, "ignore_eos": False, "samplers": ["top_k"],
        }
        answer = post("/completion", body)
        steps = [
            {"token": step["id"], "top": [[top["id"], round(top["logprob"], 4)] for top in step["top_logprobs"]]}
            for step in answer["completion_probabilities"]
        ]
        return steps, answer["content"]

    rows = []
    for system, user in ASKS:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        text = post("/apply-template", {"messages": messages})["prompt"]
        prompt = tokens(text, True)
        steps, content = greedy(prompt)
        rows.append({"system": system, "user": user, "text": text, "prompt": prompt, "steps": steps, "content": content})
    for text in PLAIN:
        prompt = tokens(text, False)
        steps, content = greedy(prompt)
        rows.append({"text": text, "prompt": prompt, "steps": steps, "content": content})
    cut = [{"text": text, "tokens": tokens(text, False)} for text in TEXTS]
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"answers": rows, "texts": cut}, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")
    for row in rows:
        print(repr(row["content"]))


main(*sys.argv[1:])
