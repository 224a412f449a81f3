"""Compares our token ids with those of the tokenizers library: every id of every text has to be equal.

usage: tokenizer_ids.py DRIVER DATA [--smollm2 FILE.gguf] [--bert FOLDER] [--random N]

DRIVER is the binary built from tests/parity/tokenizer_ids.cpp. DATA holds tokenizers/, vocab/ and text/. Needs the
module tokenizers; exits with 77 where it is missing. Texts: WikiText-2's test split, a megabyte of Korean novels,
and N random strings drawn from code points that tokenizers get wrong.
"""

import argparse
import base64
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

try:
    from tokenizers import Tokenizer
except ImportError:
    print("skipped: there is no module tokenizers")
    sys.exit(77)

# Blanks, line ends, apostrophes and their letters, digits and other numbers, scripts, marks, emoji, format characters.
AWKWARD = (
    [" "] * 12 + ["\t", "\r", "\n", "\n", "\r\n", "\v", "\f", "\x00", "\x1c", "\x7f", "\u0085", "\u00a0", "\u00ad"]
    + list("''''sSstTreRvVemMlLdDaAzZ") + ["\u017f", "\u212a", "\u0130", "\u0131", "\u00df", "\u03a3", "\u03c2"]
    + list("0123456789") + ["\u00b2", "\u00bd", "\u2168", "\u0664", "\uff15", "\U0001d7d8"]
    + list("!!..,;:-_#$%&()[]{}<>|/\\\"`~@^*+=?") + ["\u2019", "\u2014", "\u2026", "\u3002", "\uff0c", "\u060c", "\u2581"]
    + ["\u1680", "\u180e", "\u2003", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\u200b", "\u200c", "\u200d"]
    + ["\ufeff", "\u2060", "\ufffd", "\ufe0f", "\u0301", "\u0300", "\u0308", "\u0327", "\u0323", "\u093c", "\u20dd"]
    + ["e\u0301", "\u00e9", "o\u0302\u0301", "\u1ed1", "\u212b", "\u00c5", "A\u030a", "\ufb01", "\u2460", "\u338f"]
    + ["\ud55c", "\uae00", "\uac01", "\u1112\u1161\u11ab", "\u1112", "\u1161", "\u11ab", "\u3131"]
    + ["\u4e2d", "\u6587", "\u3042", "\u30ab", "\uff76\uff9e", "\u30ac", "\u304b\u3099", "\uf900", "\U00020000", "\U0002f800"]
    + ["\u0e01\u0e33", "\u0e40", "\u0915\u094d\u0937", "\u0915\u093e", "\u1780\u17d2\u1780", "\u0627\u0644", "\u0633", "\u05d0\u05b8"]
    + ["\u0416", "\u0438\u0306", "\u0439", "\u01c5", "\u02b0", "\u0345", "\u0390", "\u1fd3", "\u1e9b\u0323"]
    + ["\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd", "\u2764\ufe0f"]
    + ["\ue000", "\U0010ffff", "\U000e0001", "\ufdd0"]
    + ["<|endoftext|>", "<|im_end|>", "</s>", "<s>", "<unk>", "<0x0A>", "<|user|>", "[MASK]", "  ", "    ", "\t\t", "\t\t\t", "Hello", " world"]
)


# Where specials as text are another thing with us, and why.
ONLY_PARSED = {
    "phi-3 (gguf)": "the file says that </s> is user-defined, and such tokens are always tokens",
    "unigram, T5's form": "the library finds the pieces <unk> and </s> in text even then; we do not",
}


def random_texts(count):
    drawn = random.Random(20240417)
    return ["".join(drawn.choice(AWKWARD) for _ in range(drawn.randint(1, 24))) for _ in range(count)]


def added(content, number, normalized=False, special=True):
    flags = {"single_word": False, "lstrip": False, "rstrip": False}
    return {"id": number, "content": content, "normalized": normalized, "special": special, **flags}


def byte_level(vocab, merges, cuts, normalizer=None, tokens=()):
    """A tokenizer.json from its parts, as the families' own files have them."""
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None}
    model |= {"end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "vocab": vocab, "merges": merges}
    letters = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": list(tokens), "normalizer": normalizer,
        "pre_tokenizer": cuts, "post_processor": None, "decoder": letters | {"use_regex": True}, "model": model,
    }  # fmt: skip


GPT2_CUTS = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
LETTERS_ONLY = GPT2_CUTS | {"use_regex": False}
CASED = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?%s|\p{N}%s| ?[^\s\p{L}%s\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def split_cuts(pattern):
    cut = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [cut, LETTERS_ONLY]}


def digits_cuts():
    return {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, GPT2_CUTS]}


def read_merges(path):
    return [line for line in path.read_text("utf-8").split("\n") if line and not line.startswith("#version")]


def gguf_lists(path):
    """tokens, token_type and merges of a GGUF file."""
    data = path.open("rb")
    formats = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}

    def number(code):
        return struct.unpack("<" + code, data.read(struct.calcsize("<" + code)))[0]

    def text():
        return data.read(number("Q")).decode("utf-8")

    def value(kind):
        if kind == 8:
            return text()
        if kind == 9:
            element, count = number("I"), number("Q")
            return [value(element) for _ in range(count)]
        return number(formats[kind])

    data.seek(16)
    found = {}
    for _ in range(number("Q")):
        key = text()
        found[key] = value(number("I"))
    return (found["tokenizer.ggml." + key] for key in ("tokens", "token_type", "merges"))


def smollm2(path):
    tokens, types, merges = gguf_lists(path)
    vocab = {token: i for i, token in enumerate(tokens)}
    special = [added(token, i) for i, token in enumerate(tokens) if types[i] == 3]
    return byte_level(vocab, merges, digits_cuts(), None, special)


def unigram(path):
    """A tokenizer.json from a SentencePiece model, as converters write it for T5."""
    pieces, charsmap = [], b""

    def fields(blob):
        at = 0

        def varint():
            nonlocal at
            shift = result = 0
            while True:
                byte = blob[at]
                at += 1
                result |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return result

        while at < len(blob):
            tag = varint()
            if tag & 7 == 0:
                yield tag >> 3, varint()
            else:
                length = {1: 8, 5: 4}.get(tag & 7) or varint()
                yield tag >> 3, blob[at : at + length]
                at += length

    for number, blob in fields(path.read_bytes()):
        if number == 1:
            piece = dict(fields(blob))
            pieces.append((piece[1].decode("utf-8"), struct.unpack("<f", piece.get(2, bytes(4)))[0], piece.get(3, 1)))
        if number == 3:
            charsmap = dict(fields(blob)).get(2, b"")
    normal = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()}
    runs = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    meta = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    special = [added(text, i) for i, (text, _, kind) in enumerate(pieces) if kind in (2, 3)]
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "Sequence", "normalizers": [normal, runs]}, "pre_tokenizer": meta,
        "post_processor": None, "decoder": meta,
        "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": [[t, s] for t, s, _ in pieces]},
    }  # fmt: skip


def settings(options, folder):
    """(name, file for the library, what we read instead if it is another file)."""
    files = options.data / "tokenizers"

    def written(name, document):
        path = folder / f"{name}.json"
        path.write_text(json.dumps(document), "utf-8")
        return path

    vocab = options.data / "vocab"
    gpt2_vocab = json.loads((files / "gpt2_cs336" / "gpt2_vocab.json").read_text("utf-8"))
    gpt2_merges = read_merges(files / "gpt2_cs336" / "gpt2_merges.txt")
    gpt2 = byte_level(gpt2_vocab, gpt2_merges, GPT2_CUTS, None, [added("<|endoftext|>", 50256)])
    yield "gpt2", written("gpt2", gpt2), None
    yield "gpt2 (gguf)", folder / "gpt2.json", vocab / "ggml-vocab-gpt-2.gguf"
    qwen_vocab = json.loads((files / "qwen2" / "vocab.json").read_text("utf-8"))
    qwen_merges = read_merges(files / "qwen2" / "merges.txt")
    names = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    qwen_added = [added(name, 151643 + i) for i, name in enumerate(names)]
    cuts = split_cuts(CASED % (r"\p{L}+", "", ""))
    yield "qwen2", written("qwen2", byte_level(qwen_vocab, qwen_merges, cuts, {"type": "NFC"}, qwen_added)), None
    yield "qwen2 (vocab.json)", folder / "qwen2.json", files / "qwen2"
    # Llama-3's cuts and its ignore_merges, and Qwen3.5's, on vocabularies that are at hand.
    llama3 = byte_level(qwen_vocab, qwen_merges, split_cuts(CASED % (r"\p{L}+", "{1,3}", "")), None, qwen_added)
    llama3["model"]["ignore_merges"] = True
    yield "llama3's cuts", written("llama3", llama3), None
    qwen35 = byte_level(qwen_vocab, qwen_merges, split_cuts(CASED % (r"[\p{L}\p{M}]+", "", r"\p{M}")), {"type": "NFC"})
    yield "qwen3.5's cuts", written("qwen35", qwen35), None
    bloom = split_cuts(" ?[^(\\s|[.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c])]+")
    yield "bloom's cuts", written("bloom", byte_level(gpt2_vocab, gpt2_merges, bloom)), None
    yield "starcoder's cuts", written("starcoder", byte_level(gpt2_vocab, gpt2_merges, digits_cuts())), None
    tekken = (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    yield "tekken's cuts (PCRE2)", written("tekken", byte_level(gpt2_vocab, gpt2_merges, split_cuts(tekken))), None
    yield "neox", files / "gpt_neox_20b" / "tokenizer.json", None
    yield "phi-2", files / "ort_phi-2" / "tokenizer.json", None
    yield "phi-3", files / "ort_phi-3" / "tokenizer.json", None
    yield "phi-3 (gguf)", files / "ort_phi-3" / "tokenizer.json", vocab / "ggml-vocab-phi-3.gguf"
    stories = options.data / "stories260K"
    yield "stories260K", stories / "hf" / "tokenizer.json", None
    yield "stories260K (gguf)", stories / "hf" / "tokenizer.json", stories / "stories260K.gguf"
    if options.smollm2:
        yield "smollm2 (gguf)", written("smollm2", smollm2(options.smollm2)), options.smollm2
        yield "smollm2", folder / "smollm2.json", None
    if options.bert:
        yield "bert", options.bert / "tokenizer.json", None
    yield "unigram, T5's form", written("unigram", unigram(files / "sentencepiece" / "test_model.model")), None


def ours(options, path, texts, folder, *words):
    blob = b"".join(struct.pack("<I", len(raw)) + raw for raw in (text.encode("utf-8") for text in texts))
    (folder / "texts").write_bytes(blob)
    command = [str(options.driver), str(path), str(folder / "texts"), str(folder / "ids"), *words]
    seconds = float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    out = (folder / "ids").read_bytes()
    at, found = 0, []
    for _ in texts:
        (count,) = struct.unpack_from("<I", out, at)
        ids = list(struct.unpack_from(f"<{count}I", out, at + 4))
        (length,) = struct.unpack_from("<I", out, at + 4 + 4 * count)
        at += 8 + 4 * count
        found.append((ids, out[at : at + length].decode("utf-8")))
        at += length
    return found, seconds, len(blob)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--smollm2", type=pathlib.Path)
    parser.add_argument("--bert", type=pathlib.Path)
    parser.add_argument("--random", type=int, default=100_000)
    parser.add_argument("--only", action="append", help="the name of a setting; all if there is none")
    options = parser.parse_args()
    text = options.data / "text"
    sets = {
        "wiki.test.raw": [(text / "wiki.test.raw").read_bytes().decode("utf-8")],
        "Korean novels": [(text / "koconovel-all.txt").read_bytes().decode("utf-8")],
        "random strings": random_texts(options.random),
    }
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for label, path, other in list(settings(options, folder)):
            if options.only and label not in options.only:
                continue
            library = Tokenizer.from_file(str(path))
            library.no_truncation()
            library.no_padding()
            for set_name, texts in sets.items():
                failed += compare(options, folder, library, (label, other or path), (set_name, texts))
    print("all ids are equal" if failed == 0 else f"{failed} texts differ")
    return 0 if failed == 0 else 1


def compare(options, folder, library, tokenizer, named_texts):
    label, path = tokenizer
    set_name, texts = named_texts
    # The library's own decode writes letters of the byte alphabet inside of added tokens as bytes; it is compared
    # where none occurs.
    failed = 0
    for parse in (True, False) if set_name == "random strings" and label not in ONLY_PARSED else (True,):
        library.encode_special_tokens = not parse
        begin = time.perf_counter()
        theirs = [e.ids for e in library.encode_batch(texts, add_special_tokens=False)]
        library_seconds = time.perf_counter() - begin
        words = ["parse_special"] if parse else []
        found, seconds, size = ours(options, path, texts, folder, *words)
        wrong = [i for i in range(len(texts)) if found[i][0] != theirs[i]]
        decoded = [library.decode(ids, skip_special_tokens=False) for ids in theirs]
        unlike = [i for i in range(len(texts)) if found[i][0] == theirs[i] and found[i][1] != decoded[i]]
        total = sum(len(ids) for ids in theirs)
        speed = f"{size / 1e6 / seconds:.1f} MB/s (library {size / 1e6 / library_seconds:.1f})"
        print(f"{label} | {set_name}{'' if parse else ', specials as text'} | {len(texts) - len(wrong)} of {len(texts)} equal"
              f" | {total} ids | {len(unlike)} decoded otherwise | {speed}", flush=True)
        for i in wrong[:3]:
            at = next((k for k, (a, b) in enumerate(zip(found[i][0], theirs[i])) if a != b), "the end")
            print(f"  {ascii(texts[i][:200])}: differs at {at}: {found[i][0][:12]}, not {theirs[i][:12]}")
        for i in unlike[:2]:
            print(f"  decoded {ascii(found[i][1][:80])}, not {ascii(decoded[i][:80])}")
        failed += len(wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main())
