"""Writes token_ring.json: the tokens that nodes take, by docs/hashing.md and nothing else.

    python3 make_token_ring.py > token_ring.json
"""

import json

RING = 2**64
# Joins with weights; None is a leave.
HISTORIES = [
    [("a", 1), ("b", 1), ("c", 1), ("a", None), ("d", 1)],
    [("z", 2), ("y", 1), ("x", 5), ("w", 1), ("y", None), ("v", 3), ("u", 1)],
    [(f"node-{i}", 1) for i in range(40)],
]
PER_WEIGHT = 16


def join(points, weights, id, weight):
    """The tokens of a node that joins; points are (position, id) in order."""
    count = PER_WEIGHT * weight
    if not weights:
        return [RING * j // count for j in range(count)]
    total = sum(weights.values()) + weight
    arcs = {owner: [] for owner in weights}
    for i, (end, owner) in enumerate(points):
        arcs[owner].append(((end - points[i - 1][0]) % RING or RING, end))
    load = {owner: sum(length for length, _ in arcs[owner]) for owner in arcs}
    tokens, gained = [], 0
    for left in range(count, 0, -1):
        most = min(arcs, key=lambda owner: (-load[owner] * 2**200 // weights[owner], owner.encode()))
        length, end = min(arcs[most], key=lambda arc: (-arc[0], arc[1]))
        needs = max(RING * weight // total - gained, 0) // left
        surplus = max(load[most] - RING * weights[most] // total, 0)
        taken = max(min(needs, surplus, length * 9 // 10), length // 10, 1)
        arcs[most].remove((length, end))
        arcs[most].append((length - taken, end))
        load[most] -= taken
        gained += taken
        tokens.append((end - length + taken) % RING)
    return sorted(tokens)


def play(history):
    points, weights = [], {}
    for id, weight in history:
        if weight is None:
            points = [point for point in points if point[1] != id]
            del weights[id]
        else:
            tokens = join(points, weights, id, weight)
            points = sorted(points + [(token, id) for token in tokens], key=lambda p: (p[0], p[1].encode()))
            weights[id] = weight
    return {id: [f"{p:x}" for p, owner in points if owner == id] for id in weights}


print("[" + ",\n".join(json.dumps({"history": h, "tokens": play(h)}) for h in HISTORIES) + "]")
