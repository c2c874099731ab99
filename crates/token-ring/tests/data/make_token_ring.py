"""Writes token_ring.json: the tokens that nodes take, by docs/hashing.md and nothing else.

    python3 make_token_ring.py > token_ring.json
"""

import json

RING = 2**64
# Joins with weights, of members new weights; None is a leave.
HISTORIES = [
    [("a", 1), ("b", 1), ("c", 1), ("a", None), ("d", 1)],
    [("z", 2), ("y", 1), ("x", 5), ("w", 1), ("y", None), ("v", 3), ("u", 1)],
    [(f"node-{i}", 1) for i in range(40)],
    # Weights that change: alone, raised, lowered, and with runs of tokens that follow each other.
    [("a", 2), ("a", 3), ("b", 1), ("a", 1), ("c", 4), ("b", 5), ("c", 2), ("a", 2), ("c", None), ("b", 1)],
    [(f"n{i}", i % 3 + 1) for i in range(12)] + [("n4", 7), ("n2", 1), ("n11", 1), ("n4", 2), ("n0", 3)],
    # Most of a node that has most.
    [("a", 50), ("b", 1), ("a", 2), ("b", 3), ("a", 1)],
]
PER_WEIGHT = 16


def take(points, weights, id, weight, count):
    """The tokens that a node takes; points are (position, id) in order, weights those before."""
    if not set(weights) - {id}:
        return [RING * j // count for j in range(count)]
    total = sum(weights.values()) - weights.get(id, 0) + weight
    arcs = {owner: [] for owner in weights}
    for i, (end, owner) in enumerate(points):
        arcs[owner].append(((end - points[i - 1][0]) % RING or RING, end))
    gained = sum(length for length, _ in arcs.pop(id, []))
    load = {owner: sum(length for length, _ in arcs[owner]) for owner in arcs}
    tokens = []
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


def give(points, weights, id, weight, count):
    """The tokens that a node keeps which gives back so many."""
    total = sum(weights.values()) - weights[id] + weight
    # Position, owner, length of the arc.
    arcs = [[end, owner, (end - points[i - 1][0]) % RING] for i, (end, owner) in enumerate(points)]
    for left in range(count, 0, -1):
        owned = sum(length for _, owner, length in arcs if owner == id)
        part = max(owned - RING * weight // total, 0) // left
        own = [i for i in range(len(arcs)) if arcs[i][1] == id]
        following = {i: arcs[(i + 1) % len(arcs)] for i in own}
        outer = [i for i in own if following[i][1] != id]
        inner = [i for i in own if following[i][1] == id]
        enough = [i for i in outer if arcs[i][2] >= part]
        if part == 0:
            given = min(inner or outer, key=lambda i: (arcs[i][2], arcs[i][0]))
        elif enough:
            given = min(enough, key=lambda i: (arcs[i][2], arcs[i][0]))
        else:
            given = min(outer, key=lambda i: (-arcs[i][2], arcs[i][0]))
        following[given][2] += arcs[given][2]
        del arcs[given]
    return [position for position, owner, _ in arcs if owner == id]


def play(history):
    points, weights = [], {}
    for id, weight in history:
        if weight is None:
            points = [point for point in points if point[1] != id]
            del weights[id]
        else:
            tokens = [position for position, owner in points if owner == id]
            count = PER_WEIGHT * weight
            if id in weights and len(weights) > 1:
                count = -(-len(tokens) * weight // weights[id])
            if len(weights) == 1 and id in weights:
                tokens = take([], {}, id, weight, count)
            elif count > len(tokens):
                tokens += take(points, weights, id, weight, count - len(tokens))
            else:
                tokens = give(points, weights, id, weight, len(tokens) - count)
            points = [point for point in points if point[1] != id]
            points = sorted(points + [(token, id) for token in tokens], key=lambda p: (p[0], p[1].encode()))
            weights[id] = weight
    return {id: [f"{p:x}" for p, owner in points if owner == id] for id in weights}


print("[" + ",\n".join(json.dumps({"history": h, "tokens": play(h)}) for h in HISTORIES) + "]")
