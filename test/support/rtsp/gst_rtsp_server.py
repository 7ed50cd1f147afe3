#!/usr/bin/python3
"""RTSP cameras nobody here wrote: GStreamer's RTSP server, replaying access units that ffmpeg encoded.

usage: gst_rtsp_server.py DIRECTORY   (see gst-rtsp-server.ts, which fills the directory)

Serves every clip of DIRECTORY/clips.json alone and with each sound, on four ports: without authentication, with
Basic, with Digest (MD5), and without authentication over UDP only (TCP is answered by 461). Prints one line of JSON
that names the ports, then runs until standard input ends.
"""
import json
import os
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

USER, PASSWORD = "viewer", 'pass:w"ord'
FEED_PERIOD_MS = 20

VIDEO = {
    "h264": ("video/x-h264,stream-format=byte-stream,alignment=au", "rtph264pay config-interval=-1"),
    "h265": ("video/x-h265,stream-format=byte-stream,alignment=au", "rtph265pay config-interval=-1"),
    "mjpeg": ("image/jpeg,width={width},height={height},framerate=25/1", "rtpjpegpay"),
    "mpeg4": ("video/mpeg,mpegversion=4,systemstream=false", "rtpmp4vpay config-interval=1"),
}
AUDIO = {
    "mulaw": ("audio/x-mulaw,rate=8000,channels=1", "rtppcmupay"),
    "aac": ("audio/mpeg,mpegversion=4,stream-format=raw,channels=1,rate=16000,codec_data=(buffer)1408", "rtpmp4gpay"),
    "latm": ("audio/mpeg,mpegversion=4,stream-format=raw,channels=1,rate=16000,codec_data=(buffer)1408", "rtpmp4apay"),
    "l16": ("audio/x-raw,format=S16BE,rate=16000,channels=2,layout=interleaved", "rtpL16pay"),
    "opus": ("audio/x-opus,rate=48000,channels=1,channel-mapping-family=0", "rtpopuspay"),
    "g726": ("audio/x-adpcm,layout=g726,rate=8000,channels=1,bitrate=32000", "rtpg726pay force-aal2=false"),
    "aal2": ("audio/x-adpcm,layout=g726,rate=8000,channels=1,bitrate=32000", "rtpg726pay force-aal2=true"),
}


class Clip:
    """Access units with their presentation times in nanoseconds, in decode order, and the time one round takes; of video its first size."""

    def __init__(self, directory, entry):
        with open(os.path.join(directory, entry["file"]), "rb") as file:
            data = file.read()
        self.units, at = [], 0
        for size, skip, pts_ns in entry["units"]:
            self.units.append((data[at + skip:at + size], pts_ns))
            at += size
        self.round_ns = entry["roundNs"]
        self.unit_ns = self.round_ns // len(self.units)
        self.size = entry.get("size")


class Feeder:
    """Pushes a clip into an appsrc in real time, in a loop, for as long as the appsrc takes it."""

    def __init__(self, source, clip):
        self.source, self.clip, self.next = source, clip, 0
        self.start_us = GLib.get_monotonic_time()
        GLib.timeout_add(FEED_PERIOD_MS, self.feed)

    def feed(self):
        elapsed_ns = (GLib.get_monotonic_time() - self.start_us) * 1000
        while self.next * self.clip.unit_ns <= elapsed_ns:
            round_number, index = divmod(self.next, len(self.clip.units))
            data, pts_ns = self.clip.units[index]
            buffer = Gst.Buffer.new_wrapped(data)
            buffer.pts = round_number * self.clip.round_ns + pts_ns
            buffer.dts = self.next * self.clip.unit_ns
            buffer.duration = self.clip.unit_ns
            if self.source.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
                return False
            self.next += 1
        return True


def make_factory(clips, video, audio, udp_only):
    caps, payloader = VIDEO[clips["codecs"][video]]
    width, height = clips["clips"][video].size
    caps = caps.format(width=width, height=height)
    appsrc = "appsrc name={} is-live=true format=time block=false caps={}"
    launch = f"( {appsrc.format('v', caps)} ! {payloader} name=pay0 pt={26 if payloader == 'rtpjpegpay' else 96}"
    if audio:
        audio_caps, audio_payloader = AUDIO[audio]
        launch += f" {appsrc.format('a', audio_caps)} ! {audio_payloader} name=pay1 pt={0 if audio == 'mulaw' else 97}"
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(launch + " )")
    factory.set_shared(False)
    if udp_only:
        factory.set_protocols(GstRtsp.RTSPLowerTrans.UDP)
    permissions = GstRtspServer.RTSPPermissions()
    for name in ("access", "construct"):
        permissions.add_permission_for_role("viewer", f"media.factory.{name}", True)
        if udp_only is not None:
            permissions.add_permission_for_role("anonymous", f"media.factory.{name}", True)
    factory.set_permissions(permissions)

    def configure(_factory, media):
        element = media.get_element()
        Feeder(element.get_by_name_recurse_up("v"), clips["clips"][video])
        if audio:
            Feeder(element.get_by_name_recurse_up("a"), clips["clips"][audio])

    factory.connect("media-configure", configure)
    return factory


def make_server(clips, auth_method, udp_only):
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service("0")
    mounts = server.get_mount_points()
    for video in clips["codecs"]:
        for audio in (None, *AUDIO):
            path = f"/{video}" + (f"-{audio}" if audio else "")
            mounts.add_factory(path, make_factory(clips, video, audio, udp_only))
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "viewer")
    if auth_method == "basic":
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic(USER, PASSWORD), token)
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.BASIC)
    elif auth_method == "digest":
        auth.add_digest(USER, PASSWORD, token)
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
    else:
        anonymous = GstRtspServer.RTSPToken()
        anonymous.set_string("media.factory.role", "anonymous")
        auth.set_default_token(anonymous)
    server.set_auth(auth)
    server.attach(None)
    return server


def main():
    directory = sys.argv[1]
    Gst.init(None)
    with open(os.path.join(directory, "clips.json"), encoding="utf-8") as file:
        entries = json.load(file)
    clips = {
        "clips": {name: Clip(directory, entry) for name, entry in entries.items()},
        "codecs": {name: entry["codec"] for name, entry in entries.items() if entry["codec"] in VIDEO},
    }
    servers = {
        "none": make_server(clips, None, False),
        "basic": make_server(clips, "basic", None),
        "digest": make_server(clips, "digest", None),
        "udpOnly": make_server(clips, None, True),
    }
    print(json.dumps({name: server.get_bound_port() for name, server in servers.items()}), flush=True)
    loop = GLib.MainLoop()
    threading.Thread(target=lambda: (sys.stdin.read(), loop.quit()), daemon=True).start()
    loop.run()


if __name__ == "__main__":
    main()
