"""A client of the live socket, written from docs/ref/live-socket.md alone, with Python's own library.

Usage: live_socket_client.py PORT USER:PASSWORD CHANNEL FILE

Watches a channel, switches its sound on and off, and writes what it got of the newest stream to FILE. Prints what it saw as
JSON; whatever does not agree with the page is in "faults".
"""

import base64
import hashlib
import json
import os
import socket
import struct
import sys
import time

port, login, channel, file = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
faults = []
connection = socket.create_connection(("127.0.0.1", port), 30)
held = b""


def expect(is_so, what):
    if not is_so and what not in faults:
        faults.append(what)


def take(count):
    global held
    while len(held) < count:
        piece = connection.recv(65536)
        if piece == b"":
            raise EOFError("the service closed the connection")
        held += piece
    taken, held = held[:count], held[count:]
    return taken


def open_socket():
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        "GET /api/live HTTP/1.1",
        "Host: recorder",
        "Authorization: Basic " + base64.b64encode(login.encode()).decode(),
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: " + key,
        "Sec-WebSocket-Protocol: nvrd.live.1",
    ]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += take(1)
    answer = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
    expect(head.startswith(b"HTTP/1.1 101 "), "the upgrade is answered by 101")
    expect(answer in head, "the upgrade's key is answered")
    expect(b"nvrd.live.1" in head, "the subprotocol is named")
    expect(b"Sec-WebSocket-Extensions" not in head, "extensions are not used")


def send(opcode, payload):
    mask = os.urandom(4)
    length = len(payload)
    head = bytes([0x80 | opcode, 0x80 | length]) if length < 126 else struct.pack(">BBH", 0x80 | opcode, 0x80 | 126, length)
    connection.sendall(head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)))


def say(message):
    send(1, json.dumps(message).encode())


def receive():
    """The next message: an object for a text, bytes for a binary one."""
    while True:
        first, second = take(2)
        expect(first & 0x70 == 0, "no extension's bits are set")
        expect(second & 0x80 == 0, "the service does not mask")
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", take(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", take(8))
        payload, opcode = take(length), first & 0x0F
        if opcode == 1:
            return json.loads(payload)
        if opcode == 2:
            return payload
        if opcode == 8:
            raise EOFError("closed: %r" % payload)
        if opcode == 9:
            send(10, payload)


def boxes(bytes_):
    found, at = [], 0
    while at + 8 <= len(bytes_):
        length, kind = struct.unpack(">I4s", bytes_[at : at + 8])
        found.append(kind.decode())
        at += length
    expect(at == len(bytes_), "a binary message ends with a box")
    return found


class Watch:
    """What came since the newest `stream` message."""

    def __init__(self):
        self.streams = []
        self.begin(None)

    def begin(self, message):
        self.message, self.init, self.pictures, self.sounds = message, None, [], 0
        self.media = b""
        self.needs_key = True
        if message is not None:
            self.streams.append({name: message.get(name) for name in ("feed", "mime", "source", "sound")})

    def take_binary(self, message):
        kind, flags, reserved, feed, taken, handed, duration, sequence = struct.unpack(">BBHIQQII", message[:32])
        media = message[32:]
        expect(reserved == 0, "bytes 2 and 3 are 0")
        expect(kind in (1, 2), "the kind is 1 or 2")
        expect(self.message is not None, "a stream message comes first")
        if self.message is None or feed != self.message["feed"]:
            return
        if kind == 1:
            expect(boxes(media) == ["ftyp", "moov"], "an init segment is ftyp and moov")
            expect((taken, handed) == (0, 0), "an init segment has no times")
            self.init, self.media, self.needs_key = media, media, True
            return
        expect(self.init is not None, "an init segment comes before fragments")
        expect(boxes(media) == ["moof", "mdat"], "a fragment is moof and mdat")
        expect(flags & ~15 == 0 and flags & 8 == 0, "flags are known, and none is of playback")
        now = time.time() * 1e6
        expect(abs(now - taken) < 60e6 and abs(now - handed) < 60e6, "times are Unix microseconds")
        self.media += media
        if flags & 4:
            expect(self.message["sound"], "sound comes where the stream message says so")
            self.sounds += 1
            return
        expect(bool(flags & 1) or not self.needs_key, "a key frame follows an init segment")
        self.needs_key = False
        if self.pictures:
            missing = sequence - self.pictures[-1] - 1
            expect(missing == 0 or flags & 3 == 3, "where pictures are missing, a key frame with a discontinuity comes")
        expect(0 < duration < 10_000_000, "the duration is in microseconds")
        self.pictures.append(sequence)


def watch_until(watch, is_done):
    end = time.monotonic() + 30
    while not is_done():
        if time.monotonic() > end:
            raise TimeoutError("nothing more came")
        message = receive()
        if isinstance(message, bytes):
            watch.take_binary(message)
        elif message["type"] == "stream":
            expect(message["id"] == 7, "a stream message names the subscription")
            watch.begin(message)
        else:
            expect(message["type"] in ("problem", "dropped"), "no other message: " + message["type"])


open_socket()
say({"type": "hello", "codecs": ["avc1", "mp4a", "flac", "of tomorrow"], "of tomorrow": 1})
welcome = receive()
expect(welcome["type"] == "welcome" and abs(welcome["time"] - time.time() * 1000) < 5000, "the time is in Unix milliseconds")
watch = Watch()
say({"type": "watch", "id": 7, "channel": channel, "tile": {"width": 320, "height": 240}})
watch_until(watch, lambda: len(watch.pictures) >= 30)
say({"type": "change", "id": 7, "sound": True})
watch_until(watch, lambda: len(watch.streams) > 1 and watch.message["sound"] and watch.sounds >= 20 and len(watch.pictures) >= 40)
newest = watch.pictures[-1]
with open(file, "wb") as out:
    out.write(watch.media)
written = {"pictures": len(watch.pictures), "mime": watch.message["mime"]}
say({"type": "change", "id": 7, "sound": False})
watch_until(watch, lambda: not watch.message["sound"] and len(watch.pictures) >= 10 and watch.pictures[-1] > newest)
repeated = watch.pictures[0] <= newest
say({"type": "leave", "id": 7})
say({"type": "leave", "id": 7})
answer = receive()
while isinstance(answer, bytes) or answer["type"] != "error":
    answer = receive()
expect((answer["code"], answer["id"]) == ("NOT_FOUND", 7), "an unknown subscription is said")
send(8, struct.pack(">H", 1000))
print(json.dumps({"streams": watch.streams, "repeated": repeated, "faults": faults, "written": written}))
