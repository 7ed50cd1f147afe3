#!/usr/bin/python3
"""A camera with a card, by GStreamer's ONVIF media factory: it plays live, and what it sent live is replayed.

usage: gst_card_camera.py CLIP SIZES FPS   (see gst-card-camera.ts)

CLIP has access units of H.264 one after the other, SIZES their lengths as JSON. `/live` plays them in a loop in real time, the same
for all clients. `/replay` is the recording: it is sought by `Range: clock=`, and played as fast as it is taken with
`Rate-Control: no`; rtponviftimestamp writes when each picture was made. Prints one line of JSON with the port and when the first
picture was made (microseconds), then runs until standard input ends.
"""
import json
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

CAPS = "video/x-h264,stream-format=byte-stream,alignment=au"
# GStreamer's ONVIF server counts the time of a recording from 1900.
FROM_1900_NS = 2_208_988_800 * 1_000_000_000
FEED_PERIOD_MS = 20


class Card:
    """What was sent live: the n-th access unit since the start, and when it was made."""

    def __init__(self, path, sizes, fps):
        with open(path, "rb") as file:
            data = file.read()
        self.units, at = [], 0
        for size in sizes:
            self.units.append(data[at:at + size])
            at += size
        self.step_ns = 1_000_000_000 // fps
        self.start_ns = time.time_ns() // 1000 * 1000

    def made_ns(self, number):
        return self.start_ns + number * self.step_ns

    def newest(self):
        return (time.time_ns() - self.start_ns) // self.step_ns

    def unit(self, number):
        return self.units[number % len(self.units)]

    def is_key(self, number):
        data = self.unit(number)
        return any(data.find(b"\x00\x00\x01" + bytes([head])) >= 0 for head in (0x65, 0x25, 0x45))

    def key_before(self, number):
        while number > 0 and not self.is_key(number):
            number -= 1
        return max(0, number)

    def key_after(self, number):
        while number <= self.newest() and not self.is_key(number):
            number += 1
        return number


def buffer_of(card, number, pts, is_first):
    buffer = Gst.Buffer.new_wrapped(card.unit(number))
    buffer.pts = buffer.dts = pts
    buffer.duration = card.step_ns
    if not card.is_key(number):
        buffer.set_flags(Gst.BufferFlags.DELTA_UNIT)
    if is_first:
        buffer.set_flags(Gst.BufferFlags.DISCONT)
    return buffer


class Live:
    """Pushes what is made now, beginning with the newest group of pictures."""

    def __init__(self, source, card):
        self.source, self.card = source, card
        self.first = self.next = card.key_before(card.newest())
        GLib.timeout_add(FEED_PERIOD_MS, self.feed)

    def feed(self):
        while self.next <= self.card.newest():
            pts = (self.next - self.first) * self.card.step_ns
            buffer = buffer_of(self.card, self.next, pts, self.next == self.first)
            if self.source.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
                return False
            self.next += 1
        return True


class Replay:
    """Answers seeks, and gives what follows as it is wanted, up to what is made now."""

    def __init__(self, source, card):
        self.card, self.next, self.is_first = card, 0, True
        source.connect("seek-data", self.seek)
        source.connect("need-data", self.give)

    def seek(self, _source, position_ns):
        number = -(-(position_ns - FROM_1900_NS - self.card.start_ns) // self.card.step_ns)
        # What lies before the place that is sought has no time for rtponviftimestamp.
        self.next, self.is_first = self.card.key_after(max(0, number)), True
        return True

    def give(self, source, _length):
        if self.next > self.card.newest():
            source.emit("end-of-stream")
            return
        pts = self.card.made_ns(self.next) + FROM_1900_NS
        source.emit("push-buffer", buffer_of(self.card, self.next, pts, self.is_first))
        self.next, self.is_first = self.next + 1, False


def make_factory(launch, configure, replays):
    factory = GstRtspServer.RTSPOnvifMediaFactory()
    factory.set_launch(launch)
    factory.set_shared(False)
    factory.set_replay_support(replays)
    factory.set_media_gtype(GstRtspServer.RTSPOnvifMedia.__gtype__)
    permissions = GstRtspServer.RTSPPermissions()
    for what in ("access", "construct"):
        permissions.add_permission_for_role("anonymous", f"media.factory.{what}", True)
    factory.set_permissions(permissions)
    factory.connect("media-configure", lambda _factory, media: configure(media.get_element()))
    return factory


def main():
    path, sizes, fps = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
    Gst.init(None)
    card = Card(path, sizes, fps)
    server = GstRtspServer.RTSPOnvifServer()
    server.set_address("127.0.0.1")
    server.set_service("0")
    mounts = server.get_mount_points()
    live = f"( appsrc name=live is-live=true format=time block=false caps={CAPS} ! rtph264pay config-interval=-1 name=pay0 pt=96 )"
    mounts.add_factory(
        "/live", make_factory(live, lambda bin: Live(bin.get_by_name_recurse_up("live"), card), False)
    )
    replay = (
        f"( appsrc name=card stream-type=seekable format=time block=true max-bytes=500000 caps={CAPS}"
        " ! rtph264pay config-interval=-1 pt=96"
        " ! rtponviftimestamp ntp-offset=0 set-e-bit=true set-t-bit=true name=pay0 )"
    )

    def configure(bin):
        source = bin.get_by_name_recurse_up("card")
        source.set_property("duration", FROM_1900_NS + card.made_ns(card.newest() + 1))
        Replay(source, card)

    mounts.add_factory("/replay", make_factory(replay, configure, True))
    auth, token = GstRtspServer.RTSPAuth(), GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "anonymous")
    auth.set_default_token(token)
    server.set_auth(auth)
    server.attach(None)
    print(json.dumps({"port": server.get_bound_port(), "startUs": card.start_ns // 1000}), flush=True)
    loop = GLib.MainLoop()
    threading.Thread(target=lambda: (sys.stdin.read(), loop.quit()), daemon=True).start()
    loop.run()


main()
