"""Writes window_ring.json: what the window ring answers, by docs/hashing.md and nothing else.

    python3 make_window_ring.py > window_ring.json
"""

import json
import struct

import xxhash

IDS = [f"node-{i}" for i in range(20)] + ["节点 1", "a", "a0", "n" * 300]
POINTS, CANDIDATES = 64, 8
TOP = 2**64


def mix(word):
    word ^= word >> 33
    word = word * 0xFF51AFD7ED558CCD % TOP
    word ^= word >> 33
    word = word * 0xC4CEB9FE1A85EC53 % TOP
    return word ^ (word >> 33)


def label(id, j):
    name = id.encode()
    return xxhash.xxh3_64_intdigest(struct.pack("<I", len(name)) + name + struct.pack("<I", j))


def walk(ring, key):
    digest = xxhash.xxh3_64_intdigest(key)
    order = []
    for _, name in [p for p in ring if p[0] >= digest] + [p for p in ring if p[0] < digest]:
        if name not in order:
            order.append(name)
    draw = lambda name: (-mix(digest ^ label(name.decode(), 0)), name)
    return [name.decode() for name in sorted(order[:CANDIDATES], key=draw) + order[CANDIDATES:]]


ring = sorted((label(id, j), id.encode()) for id in IDS for j in range(POINTS))
walks = [[f"key-{i}", walk(ring, b"key-%d" % i)[:10]] for i in range(120)]
print("{" + f'"ids": {json.dumps(IDS, ensure_ascii=False)}, "walks": [')
print(",\n".join(json.dumps(item, ensure_ascii=False) for item in walks) + "]}")
