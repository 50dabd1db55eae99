"""Appends a second of SQLite: WAL, one insert a transaction. usage: sqlite.py FOLDER ENTRIES"""

import json
import os
import sqlite3
import sys
import time
import uuid

folder, many = sys.argv[1], int(sys.argv[2])
BATCH, TIMES = 1000, 5
MESSAGE = {"role": "user", "content": "Fix the parser, please. " * 36, "timestamp": 1767225600000}
# what pi and sesstool write: an id, a parent, a time, the message
LEVELS = [("buffered", "NORMAL"), ("per entry", "FULL")]


def connect(name, level):
    base = sqlite3.connect(os.path.join(folder, name), isolation_level=None)
    base.execute("PRAGMA journal_mode=WAL")
    base.execute(f"PRAGMA synchronous={level}")
    base.execute("CREATE TABLE IF NOT EXISTS entry (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, parent TEXT, line TEXT)")
    return base


def append(base, count):
    parent = None
    start = time.perf_counter()
    for _ in range(count):
        own = uuid.uuid4().hex[:8]
        line = json.dumps({"type": "message", "id": own, "parentId": parent, "timestamp": time.time(), "message": MESSAGE})
        base.execute("INSERT OR REPLACE INTO entry (id, parent, line) VALUES (?, ?, ?)", (own, parent, line))
        parent = own
    return count / (time.perf_counter() - start)


def say(what, how, rate):
    print(f"SQLite    {what:<28} {how:<12} {rate:>12.0f} appends/s", flush=True)


for how, level in LEVELS:
    say("0 to 1,000 entries", how, max(append(connect(f"{level}-{n}.db", level), BATCH) for n in range(TIMES)))
base = connect("many.db", "NORMAL")
say(f"0 to {many} entries", "buffered", append(base, many))
base.close()
for how, level in LEVELS:
    base = connect("many.db", level)
    say(f"behind {many} entries", how, max(append(base, BATCH) for _ in range(TIMES)))
    base.close()
