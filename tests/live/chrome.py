# SPDX-License-Identifier: GPL-2.0-or-later
"""chrome.py JSON WITNESS COMMAND: can Perfetto read this, and are the slices the calls that the
witness names?"""
import collections
import json
import re
import sys


def wrong(text):
    print(text)
    wrong.any = True


wrong.any = False


def check_fields(events):
    for e in events:
        if e["ph"] == "M":
            if e["name"] not in ("process_name", "thread_name") or not e["args"]["name"]:
                wrong(f"metadata: {e}")
        elif e["ph"] == "X":
            for key in ("ts", "dur"):
                if not isinstance(e[key], (int, float)) or e[key] < 0:
                    wrong(f"{key}: {e}")
            if e["ts"] > 60e6:
                wrong(f"ts is not counted from the start of the trace: {e}")
            if e["pid"] <= 1 or e["tid"] <= 1 or not e["name"]:
                wrong(f"pid, tid, name: {e}")
        elif e["ph"] not in ("i", "I"):
            wrong(f"phase: {e}")


def ns(us):
    return round(us * 1000)


def check_nesting(slices):
    """Slices of a thread lie inside each other or apart.  Returns the number of slices by (tid,
    level)."""
    levels = collections.Counter()
    threads = collections.defaultdict(list)
    for e in slices:
        threads[e["tid"]].append(e)
    for tid, v in threads.items():
        open_ends = []
        for e in sorted(v, key=lambda e: (ns(e["ts"]), -ns(e["dur"]))):
            begin, end = ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if open_ends and end > open_ends[-1]:
                wrong(f"reaches out of the slice around it: {e}")
            levels[tid, len(open_ends)] += 1
            open_ends.append(end)
    return levels


def witnessed(name):
    levels = collections.Counter()
    for line in open(name):
        m = re.match(r"\[(\d+)\] ([> ]*)(?:\[(\d+)\] )?\(", line)
        if m:
            levels[int(m[1]), int(m[3]) if m[3] else len(m[2]) - 1] += 1
    return levels


def main(json_name, witness_name, command):
    with open(json_name) as f:
        whole = json.load(f)
    events = whole["traceEvents"]
    check_fields(events)
    slices = [e for e in events if e["ph"] == "X"]
    named = {e["pid"]: e["args"]["name"] for e in events
             if e["ph"] == "M" and e["name"] == "process_name"}
    if len(named) != 1 or not list(named.values())[0].endswith(command):
        wrong(f"process names: {named}")
    tids = {e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    if tids != {e["tid"] for e in slices}:
        wrong(f"thread names of {tids}")
    if whole["displayTimeUnit"] != "ns":
        wrong("displayTimeUnit")
    levels = check_nesting(slices)
    said = witnessed(witness_name)
    if said and said != levels:
        wrong(f"slices by thread and level: {dict(levels)}, the program says {dict(said)}")
    if not slices:
        wrong("no slices")
    sys.exit(wrong.any)


main(*sys.argv[1:])
