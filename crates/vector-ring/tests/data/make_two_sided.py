"""Writes two_sided.json: what the two-sided ring answers, by docs/hashing.md and nothing else.

Written from the document, not from the code; XXH3 is that of the Python package xxhash.

    python3 make_two_sided.py > two_sided.json
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
    ("a\0b", 1, "c"),
    ("n" * 300, 1, "c"),
]
POINTS_PER_WEIGHT = 160


def xxh3(data):
    return xxhash.xxh3_64_intdigest(data)


def points():
    found = []
    for id, weight, _ in NODES:
        name = id.encode()
        for j in range(POINTS_PER_WEIGHT * weight):
            label = struct.pack("<I", len(name)) + name + struct.pack("<I", j)
            # Equal positions: the lower id first.
            found.append((xxh3(label), name))
    return sorted(found)


def walk(ring, position):
    def distance(point):
        ahead = (point[0] - position) % 2**64
        behind = (position - point[0]) % 2**64
        # At equal distance the one behind; at one position the lower id. A point on the key is ahead.
        side = 1 if ahead <= behind and (ahead == 0 or ahead != behind) else 0
        return min(ahead, behind), side, point[1]

    order = []
    for _, name in sorted(ring, key=distance):
        if name not in order:
            order.append(name)
    return [name.decode() for name in order]


def text(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def fingerprint():
    parameters = {
        "hasher": "xxh3-64, 64 bits",
        "lookup": "nearest",
        "points_per_weight": str(POINTS_PER_WEIGHT),
        "ties": "by id",
    }
    data = text("keyroute/fingerprint/1") + text("ring/native/1") + text("by id")
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
    for i in range(120):
        yield f"user:{i}:session".encode()
    for length in [0, 1, 2, 3, 4, 8, 9, 16, 17, 32, 64, 65, 128, 129, 200, 240, 241, 300]:
        yield bytes((151 * i + 31 * length + 7) % 256 for i in range(length))
    for id, _, _ in NODES:
        name = id.encode()
        yield name
        yield name + b"-0"
        # The label of a point, so that the key hits it exactly.
        yield struct.pack("<I", len(name)) + name + struct.pack("<I", 42)
    for i in range(40):
        yield f"https://example.org/items/{i * i}?page={i}".encode()


ring = points()
write(
    origin="make_two_sided.py, from docs/hashing.md; xxhash " + xxhash.VERSION,
    nodes=[{"id": id, "weight": w, "zone": zone} for id, w, zone in NODES],
    fingerprint=fingerprint(),
    # For each key the first four of its walk.
    walks=[[key.hex(), walk(ring, xxh3(key))[:4]] for key in keys()],
)
