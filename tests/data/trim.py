"""Cuts recorded answers down and writes them in the compact form (docs/interop.md).

    python3 trim.py RECORDED_FOLDER SYSTEM...

reads RECORDED_FOLDER/SYSTEM/*.json and writes vectors/SYSTEM/*.txt beside this script.

Kept: all configurations, operations and facts; keys that were searched for; boundary probes, which come first;
up to 100 keys of special form; and others at even steps to 200 in all. Runs whose answers depend on those
before are kept whole.
"""

import json
import pathlib
import sys

MAGIC = "keyroute recorded answers, form 1"
HERE = pathlib.Path(__file__).parent


def special_form(key):
    """Whether a key may show what ordinary ones do not."""
    if key.isdigit() and (len(key) > 18 or int(key) < 100):
        return True
    return not key.isascii() or not key.isprintable() or len(key) in (0, 1) or len(key) > 60 or " " in key


def evenly(items, count):
    """As many of the items, at even steps."""
    if len(items) <= count:
        return items
    return [items[i * len(items) // count] for i in range(count)]


def kept(document):
    cases = document.get("cases", [])
    config = document["config"]
    if config.get("stateful") or document.get("mode") == "sequence":
        return cases
    searched = {key for keys in document.get("special_keys", {}).values() for key in keys}
    # Proxies' files say where keys come from, and begin with boundary probes.
    probes = 60 if "key_source" in document else 0
    chosen = set(range(min(probes, len(cases))))
    chosen |= {i for i, (key, _) in enumerate(cases) if key in searched}
    chosen |= set(evenly([i for i, (key, _) in enumerate(cases) if special_form(key)], 100))
    rest = [i for i in range(len(cases)) if i not in chosen]
    chosen |= set(evenly(rest, max(50, 200 - len(chosen))))
    return [case for i, case in enumerate(cases) if i in chosen]


def shortened(name, value):
    """Facts of hundreds of lines: their ends say enough."""
    if name in ("node_iter", "get_with_replicas_2"):
        return evenly(value, 20)
    if name == "ring":
        return value | {"first": value["first"][:25], "last": value["last"][-25:]}
    return value


def write(source, target):
    document = json.loads(source.read_text())
    if "rows" in document:  # values of functions: a key, and its values
        document["nodes"] = []
        document["cases"] = [[key, values] for key, *values in document.pop("rows")]
    nodes = document.get("nodes", [])
    places = {}
    for place, node in enumerate(nodes):
        places.setdefault(node["name"] if isinstance(node, dict) else node, place)

    def answer(value):
        if isinstance(value, str) and value in places:
            return f"@{places[value]}"
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    header = {
        name: shortened(name, value)
        for name, value in document.items()
        if name not in ("cases", "cases_hex", "also_identical_on") and value != ""
    }
    lines = [MAGIC, json.dumps(header, ensure_ascii=False, separators=(",", ":"))]
    written = set()
    for key, value in kept(document):
        written.add(key.encode().hex())
        lines.append(json.dumps(key, ensure_ascii=False)[1:-1] + "\t" + answer(value))
    for key, value in document.get("cases_hex", []):
        # Files may say the same cases twice.
        if key not in written:
            lines.append("\\x" + key + "\t" + answer(value))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines) + "\n")


recorded = pathlib.Path(sys.argv[1])
for system in sys.argv[2:]:
    for source in sorted((recorded / system).glob("*.json")):
        write(source, HERE / "vectors" / system / (source.stem + ".txt"))
