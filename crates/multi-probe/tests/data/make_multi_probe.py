"""Writes multi_probe.json: what multi-probe hashing answers, by docs/hashing.md and nothing else.

Written from the document, not from the code, and by the definition: every point's distance from every
probe. XXH3 is that of the Python package xxhash.

    python3 make_multi_probe.py > multi_probe.json
"""

import json
import struct

import xxhash

NODES = [
    ("cache-1", 1, ""),
    ("cache-11", 1, "a"),
    ("cache-111", 2, "a"),
    ("10.0.0.1:11211", 1, "b"),
    ("10.0.0.11:1121", 5, "b"),
    ("knoten-ä", 1, "zone-ä"),
    ("节点 1", 3, ""),
    ("n" * 300, 1, "c"),
]
KEYS = [b"", b"user:1", b"\x00", b"\xff\xfe", "ключ".encode()] + [b"key-%d" % i for i in range(145)]
TOP = 2**64


def xxh3(data):
    return xxhash.xxh3_64_intdigest(data)


def word(digest, i):
    z = (digest + (i + 1) * 0x9E3779B97F4A7C15) % TOP
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % TOP
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % TOP
    return z ^ (z >> 31)


def points():
    found = []
    for id, weight, _ in NODES:
        name = id.encode()
        for j in range(weight):
            label = struct.pack("<I", len(name)) + name + struct.pack("<I", j)
            found.append((xxh3(label), name))
    return found


def walk(ring, key, probes):
    digest = xxh3(key)
    asked = [word(digest, i) for i in range(probes)]

    def preference(point):
        position, name = point
        away = [((position - probe) % TOP, i) for i, probe in enumerate(asked)]
        return min(away), name

    order = []
    for _, name in sorted(ring, key=preference):
        if name not in order:
            order.append(name)
    return [name.decode() for name in order]


def text(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def fingerprint(probes):
    parameters = {
        "hasher": "xxh3-64, 64 bits",
        "lookup": "closest of probes",
        "points_per_weight": "1",
        "probes": str(probes),
        "ties": "by id",
    }
    data = text("keyroute/fingerprint/1") + text("multi-probe/1") + text("by id")
    data += struct.pack("<Q", len(parameters))
    for name in sorted(parameters):
        data += text(name) + text(parameters[name])
    data += struct.pack("<Q", len(NODES))
    for id, weight, zone in sorted(NODES, key=lambda node: node[0].encode()):
        data += text(id) + struct.pack("<I", weight) + text(zone)
    length = struct.pack("<Q", len(data))
    state = 0x6C62272E07BB014262B821756295C58D
    for byte in length + data + length:
        state = ((state ^ byte) * (2**88 + 0x13B)) % 2**128
    return f"{state:032x}"


def main():
    ring = points()
    nodes = [{"id": id, "weight": weight, "zone": zone} for id, weight, zone in NODES]
    runs = [
        {
            "probes": probes,
            "fingerprint": fingerprint(probes),
            "walks": [[key.hex(), walk(ring, key, probes)[:4]] for key in KEYS],
        }
        for probes in (5, 21)
    ]
    print(json.dumps({"nodes": nodes, "runs": runs}, ensure_ascii=False).replace("]], ", "]],\n").replace("], [", "],\n["))


main()
