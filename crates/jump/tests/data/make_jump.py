"""Writes jump.json: what the jump router answers, by docs/hashing.md and the paper.

Written from the document, not from the code; XXH3 is that of the Python package xxhash, and Python's
floats are IEEE doubles.

    python3 make_jump.py > jump.json
"""

import json
import struct

import xxhash

# In this order: it is the input.
NODES = ["shard-0", "shard-1", "shard-2", "shard-10", "b", "a", "knoten-ä", "10.0.0.1:80", "s\0", "z"]


def xxh3(data):
    return xxhash.xxh3_64_intdigest(data)


def jump(key, buckets):
    bucket, following = -1, 0
    while following < buckets:
        bucket = following
        key = (key * 2862933555777941757 + 1) % 2**64
        following = int((bucket + 1) * (float(1 << 31) / float((key >> 33) + 1)))
    return bucket


def text(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def fingerprint(nodes):
    data = text("keyroute/fingerprint/1") + text("jump/1") + text("listed")
    data += struct.pack("<Q", 1) + text("hasher") + text("xxh3-64, 64 bits")
    data += struct.pack("<Q", len(nodes))
    for id in nodes:
        data += text(id) + struct.pack("<I", 1) + text("")
    length = struct.pack("<Q", len(data))
    state = 0x6C62272E07BB014262B821756295C58D
    for byte in length + data + length:
        state = ((state ^ byte) * (2**88 + 0x13B)) % 2**128
    return f"{state:032x}"


def write(**fields):
    """As JSON, a line an item."""
    lines = []
    for name, value in fields.items():
        if isinstance(value, list):
            items = ",\n".join(json.dumps(item, ensure_ascii=False) for item in value)
            lines.append(f'"{name}": [\n{items}\n]')
        else:
            lines.append(f'"{name}": {json.dumps(value)}')
    print("{" + ",\n".join(lines) + "}")


def keys():
    for i in range(180):
        yield f"user:{i}:session".encode()
    for length in [0, 1, 2, 3, 4, 8, 9, 16, 17, 32, 64, 65, 128, 129, 200, 240, 241, 300]:
        yield bytes((151 * i + 31 * length + 7) % 256 for i in range(length))
    for id in NODES:
        yield id.encode()


write(
    origin="make_jump.py, from docs/hashing.md; xxhash " + xxhash.VERSION,
    nodes=NODES,
    fingerprints=[fingerprint(NODES[:n]) for n in range(1, len(NODES) + 1)],
    # For each key the places of its owners among the first 1, 2, ... nodes.
    places=[
        [key.hex(), [jump(xxh3(key), n) for n in range(1, len(NODES) + 1)]] for key in keys()
    ],
)
