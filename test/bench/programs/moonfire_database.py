"""
Writes cameras into a new database of Moonfire NVR (schema 7), whose own program for that needs a terminal.

    python3 moonfire_database.py DATABASE SAMPLES [--recordings COUNT] [--archive SECONDS] RTSP-ADDRESS...

With --recordings the database has so many of a minute each, without their files; with --archive the first camera has a
recording of 4 Mbit/s of so many seconds, with its files.
"""
import argparse
import json
import os
import sqlite3
import time
import uuid

META_BYTES = 512
# More than a million recordings are: nothing is removed.
RETAIN_BYTES = 1 << 44
TICKS = 90_000
RECORDING_S = 60
FPS = 25
GOP_FRAMES = 50
KEY_BYTES = 200_000
FRAME_BYTES = 16_300
# Baseline, 640x480.
SPS = bytes.fromhex("674d001ef40501ec80")
PPS = bytes.fromhex("68ee3c80")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("database")
    parser.add_argument("samples")
    parser.add_argument("--recordings", type=int, default=0)
    parser.add_argument("--archive", type=int, default=0)
    parser.add_argument("cameras", nargs="*")
    options = parser.parse_args()
    samples = options.samples
    os.mkdir(samples)
    with sqlite3.connect(options.database) as db:
        (own,) = db.execute("select uuid from meta").fetchone()
        folder, opened = uuid.uuid4().bytes, uuid.uuid4().bytes
        db.execute("insert into open (id, uuid) values (1, ?)", (opened,))
        db.execute(
            "insert into sample_file_dir (id, uuid, config, last_complete_open_id) values (1, ?, ?, 1)",
            (folder, json.dumps({"path": samples})),
        )
        entry = (640, 480, "avc1.4d001e", sample_entry())
        db.execute("insert into video_sample_entry (id, width, height, rfc6381_codec, data) values (1, ?, ?, ?, ?)", entry)
        count = max(1, len(options.cameras))
        for number, address in enumerate(options.cameras, 1):
            add_camera(db, number, address)
            add_recordings(db, number, [RECORDING_S * FPS] * (options.recordings // count), None)
        if options.archive:
            frames = options.archive * FPS
            step = RECORDING_S * FPS
            counts = [min(step, frames - at) for at in range(0, frames, step)]
            add_recordings(db, 1, counts, samples)
    # A message of protocol buffers, behind its length: field 1 the database, 2 this folder, 3 who opened it last.
    last = b"\x08\x01\x12\x10" + opened
    message = b"\x0a\x10" + own + b"\x12\x10" + folder + b"\x1a" + bytes([len(last)]) + last
    with open(os.path.join(samples, "meta"), "wb") as file:
        file.write((bytes([len(message)]) + message).ljust(META_BYTES, b"\0"))


def add_camera(db, number, address):
    db.execute(
        "insert into camera (id, uuid, short_name, config) values (?, ?, ?, '{}')",
        (number, uuid.uuid4().bytes, str(number)),
    )
    config = {"mode": "record", "url": address, "rtspTransport": "tcp", "retainBytes": RETAIN_BYTES}
    db.execute("insert into stream values (?, ?, 1, 'main', ?, 0, 0, 0)", (number, number, json.dumps(config)))


def add_recordings(db, stream, frame_counts, samples):
    """One run of recordings with so many frames each; their files where `samples` is a folder."""
    sizes = [KEY_BYTES if at % GOP_FRAMES == 0 else FRAME_BYTES for at in range(max(frame_counts, default=0))]
    indexes = {count: video_index(sizes[:count]) for count in set(frame_counts)}
    seconds = sum(frame_counts) / FPS
    start = int((time.time() - seconds - 3600) * TICKS)
    before = 0
    recordings, playbacks = [], []
    for offset, count in enumerate(frame_counts):
        composite = (stream << 32) + offset
        duration = count * TICKS // FPS
        keys = (count + GOP_FRAMES - 1) // GOP_FRAMES
        size = sum(sizes[:count])
        row = (composite, 1, stream, offset, 0, size, start + before, before, 0 if offset == 0 else 1, duration, 0)
        recordings.append((*row, count, keys, 1))
        playbacks.append((composite, indexes[count]))
        before += duration
        if samples is not None:
            with open(os.path.join(samples, f"{composite:016x}"), "wb") as file:
                for at, length in enumerate(sizes[:count]):
                    unit = b"\x65" if at % GOP_FRAMES == 0 else b"\x41"
                    file.write((length - 4).to_bytes(4, "big") + unit + b"\x55" * (length - 5))
    columns = (
        "composite_id, open_id, stream_id, run_offset, flags, sample_file_bytes, start_time_90k,"
        " prev_media_duration_90k, prev_runs, wall_duration_90k, media_duration_delta_90k, video_samples,"
        " video_sync_samples, video_sample_entry_id"
    )
    marks = ", ".join("?" * 14)
    db.executemany(f"insert into recording ({columns}) values ({marks})", recordings)
    db.executemany("insert into recording_playback values (?, ?)", playbacks)
    db.execute(
        "update stream set cum_recordings = ?, cum_media_duration_90k = ?, cum_runs = 1 where id = ?",
        (len(frame_counts), before, stream),
    )


def video_index(sizes):
    """A duration and a size a sample, each the difference to the one before; key frames apart."""
    out = bytearray()
    last_duration, last = 0, {True: 0, False: 0}
    for at, size in enumerate(sizes):
        is_key = at % GOP_FRAMES == 0
        duration = TICKS // FPS
        out += varint((zigzag(duration - last_duration) << 1) | is_key) + varint(zigzag(size - last[is_key]))
        last_duration, last[is_key] = duration, size
    return bytes(out)


def zigzag(value):
    return (value << 1) ^ (value >> 31)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append((value & 127) | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def sample_entry():
    """The box avc1 (ISO/IEC 14496-15, 5.4.2.1)."""
    configuration = b"\x01" + SPS[1:4] + b"\xff\xe1" + len(SPS).to_bytes(2, "big") + SPS
    configuration += b"\x01" + len(PPS).to_bytes(2, "big") + PPS
    avcc = (8 + len(configuration)).to_bytes(4, "big") + b"avcC" + configuration
    fixed = bytes(6) + b"\x00\x01" + bytes(16) + (640).to_bytes(2, "big") + (480).to_bytes(2, "big")
    fixed += bytes.fromhex("0048000000480000") + bytes(4) + b"\x00\x01" + bytes(32) + b"\x00\x18\xff\xff"
    body = fixed + avcc
    return (8 + len(body)).to_bytes(4, "big") + b"avc1" + body


main()
