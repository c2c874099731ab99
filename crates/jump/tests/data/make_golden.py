"""Writes what the jump family answers, by docs/hashing.md and the papers: a file a function.

Written from the documents, not from the code; XXH3 is that of the Python package xxhash, and Python's
floats are IEEE doubles.

    python3 make_golden.py      # in this folder
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


def word(key, number):
    z = (key + (number + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) % 2**64
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) % 2**64
    return z ^ z >> 31


def low(word):
    return word % 2**32


def mask(buckets):
    return (1 << (buckets - 1).bit_length()) - 1


def top(number):
    return number.bit_length() - 1


def jump_back(key, buckets):
    if buckets == 1:
        return 0
    first = word(key, 0)
    half = [low(first), first >> 32]
    levels = (half[0] ^ half[1]) & mask(buckets)
    number = 0
    while levels:
        level = 1 << top(levels)
        bucket = level + half[levels.bit_count() % 2] % level
        if bucket < buckets:
            return bucket
        decided = None
        while decided is None:
            number += 1
            drawn = word(key, number)
            for part in (low(drawn), drawn >> 32):
                bucket = part % (2 * level)
                if bucket < buckets:
                    decided = bucket
                    break
        if decided >= level:
            return decided
        levels -= level
    return 0


def flip(key, buckets):
    def whole(bits):
        place = low(word(key, 0)) % 2**bits
        if place == 0:
            return 0
        level = top(place)
        return place ^ low(word(key, level + 1)) % 2**level

    bits = mask(buckets).bit_length()
    if whole(bits) < buckets:
        return whole(bits)
    for attempt in range(1, 65):
        drawn = low(word(key, 64 * bits + attempt)) % 2**bits
        if drawn < 2 ** (bits - 1):
            break
        if drawn < buckets:
            return drawn
    return whole(bits - 1)


def power(key, buckets):
    def whole(bits):
        place = low(word(key, 0)) % 2**bits
        if place == 0:
            return 0
        level = top(place)
        return 2**level + low(word(key, level + 1)) % 2**level

    bits = mask(buckets).bit_length()
    if whole(bits) < buckets:
        return whole(bits)
    bucket, state = 2 ** (bits - 1) - 1, word(key, 32)
    while True:
        state = (state * 2862933555777941757 + 1) % 2**64
        following = int(float(bucket + 1) * (float(1 << 31) / float((state >> 33) + 1)))
        if following >= buckets:
            break
        bucket = following
    return bucket if bucket >= 2 ** (bits - 1) else whole(bits - 1)


def binomial(key, buckets):
    def attempt(number, bits):
        place = low(word(key, 64 * number)) % 2**bits
        if place < 2:
            return place
        level = top(place)
        return 2**level + low(word(key, 64 * number + 1 + level)) % 2**level

    bits = mask(buckets).bit_length()
    if attempt(0, bits) < buckets:
        return attempt(0, bits)
    for number in range(1, 65):
        place = attempt(number, bits)
        if place < 2 ** (bits - 1):
            break
        if place < buckets:
            return place
    return attempt(0, bits - 1)


FAMILY = {"jump": jump, "jump-back": jump_back, "flip": flip, "power": power, "binomial": binomial}


def text(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def fingerprint(name, nodes):
    data = text("keyroute/fingerprint/1") + text(name + "/1") + text("listed")
    data += struct.pack("<Q", 1) + text("hasher") + text("xxh3-64, 64 bits")
    data += struct.pack("<Q", len(nodes))
    for id in nodes:
        data += text(id) + struct.pack("<I", 1) + text("")
    length = struct.pack("<Q", len(data))
    state = 0x6C62272E07BB014262B821756295C58D
    for byte in length + data + length:
        state = ((state ^ byte) * (2**88 + 0x13B)) % 2**128
    return f"{state:032x}"


def write(file, **fields):
    """As JSON, a line an item."""
    lines = []
    for name, value in fields.items():
        if isinstance(value, list):
            items = ",\n".join(json.dumps(item, ensure_ascii=False) for item in value)
            lines.append(f'"{name}": [\n{items}\n]')
        else:
            lines.append(f'"{name}": {json.dumps(value)}')
    with open(file + ".json", "w") as out:
        print("{" + ",\n".join(lines) + "}", file=out)


def keys():
    for i in range(180):
        yield f"user:{i}:session".encode()
    for length in [0, 1, 2, 3, 4, 8, 9, 16, 17, 32, 64, 65, 128, 129, 200, 240, 241, 300]:
        yield bytes((151 * i + 31 * length + 7) % 256 for i in range(length))
    for id in NODES:
        yield id.encode()


# Numbers of buckets at which something changes.
BUCKETS = [1, 2, 3, 4, 5, 8, 9, 17, 100, 1023, 1024, 1025, 65537, 10**6, 2**30, 2**30 + 1, 2**31 - 1]


def numbers():
    yield from [0, 1, 2, 2**31, 2**32, 2**63, 2**64 - 1]
    for i in range(60):
        yield word(7, i)


for name, bucket in FAMILY.items():
    write(
        name,
        origin="make_golden.py, from docs/hashing.md; xxhash " + xxhash.VERSION,
        nodes=NODES,
        fingerprints=[fingerprint(name, NODES[:n]) for n in range(1, len(NODES) + 1)],
        # For each key the places of its owners among the first 1, 2, ... nodes.
        places=[
            [key.hex(), [bucket(xxh3(key), n) for n in range(1, len(NODES) + 1)]]
            for key in keys()
        ],
        # For each hash its bucket among so many.
        buckets=BUCKETS,
        numbers=[[str(key), [bucket(key, n) for n in BUCKETS]] for key in numbers()],
    )
