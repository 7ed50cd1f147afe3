"""
Writes cameras into a new database of Moonfire NVR (schema 7), whose own program for that needs a terminal.

    python3 moonfire_database.py DATABASE SAMPLES RTSP-ADDRESS...
"""
import json
import os
import sqlite3
import sys
import uuid

META_BYTES = 512
RETAIN_BYTES = 1 << 40


def main():
    database, samples, *cameras = sys.argv[1:]
    os.mkdir(samples)
    with sqlite3.connect(database) as db:
        (own,) = db.execute("select uuid from meta").fetchone()
        folder = uuid.uuid4().bytes
        db.execute(
            "insert into sample_file_dir (id, uuid, config) values (1, ?, ?)",
            (folder, json.dumps({"path": samples})),
        )
        for number, address in enumerate(cameras, 1):
            db.execute(
                "insert into camera (id, uuid, short_name, config) values (?, ?, ?, '{}')",
                (number, uuid.uuid4().bytes, str(number)),
            )
            config = {"mode": "record", "url": address, "rtspTransport": "tcp", "retainBytes": RETAIN_BYTES}
            db.execute(
                "insert into stream values (?, ?, 1, 'main', ?, 0, 0, 0)",
                (number, number, json.dumps(config)),
            )
    # A message of protocol buffers, behind its length: field 1 the database, field 2 this folder.
    message = b"\x0a\x10" + own + b"\x12\x10" + folder
    with open(os.path.join(samples, "meta"), "wb") as file:
        file.write((bytes([len(message)]) + message).ljust(META_BYTES, b"\0"))


main()
