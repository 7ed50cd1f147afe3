#!/usr/bin/python3
"""Cameras with a loudspeaker, by GStreamer's ONVIF media factory: what comes over the back channel is written down.

usage: gst_talk_camera.py FILE ADDRESS   (see gst-talk-camera.ts)

Mount points: /pcmu, /pcma, /aac, each with a picture and a back channel of that codec, and /mute without one; on three
ports: without authentication, with Digest, and over UDP only. Prints one line of JSON that names the ports, then runs
until standard input ends. FILE gets a line of JSON for each buffer that was heard: which session, when it came
(milliseconds, monotonic), its time in the session, and its samples, base64: G.711, or 16-bit PCM of 8 kHz for AAC.
"""
import base64
import json
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

USER, PASSWORD = "viewer", 'pass:w"ord'
# A client that asks for the back channel alone leaves the picture without a way out. The other branch of the tee keeps that from
# ending the whole session, as GStreamer would have it.
PICTURE = (
    "( videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=5/1"
    " ! tee name=pictures allow-not-linked=true ! fakesink sync=false async=false"
    " pictures. ! jpegenc ! rtpjpegpay name=pay0 pt=26 )"
)
SINK = "appsink name=heard emit-signals=true async=false sync=false"
AAC = (
    "encoding-params=(string)1, streamtype=(string)5, profile-level-id=(string)2, mode=(string)AAC-hbr,"
    " config=(string)1408, sizelength=(string)13, indexlength=(string)3, indexdeltalength=(string)3"
)
BACK = {
    "pcmu": ("payload=0, clock-rate=8000, encoding-name=PCMU", "rtppcmudepay"),
    "pcma": ("payload=8, clock-rate=8000, encoding-name=PCMA", "rtppcmadepay"),
    "aac": (
        f"payload=97, clock-rate=16000, encoding-name=MPEG4-GENERIC, {AAC}",
        "rtpmp4gdepay ! avdec_aac ! audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate=8000,channels=1",
    ),
}


class Ears:
    """Writes down what the sessions of all cameras hear."""

    def __init__(self, path):
        self.file, self.lock, self.sessions = open(path, "w", encoding="utf-8"), threading.Lock(), 0

    def note(self, entry):
        with self.lock:
            self.file.write(json.dumps({"ms": GLib.get_monotonic_time() / 1000, **entry}) + "\n")
            self.file.flush()

    def listen(self, name, media):
        sink = media.get_element().get_by_name_recurse_up("heard")
        if sink is None:
            return
        with self.lock:
            self.sessions += 1
            session = self.sessions
        self.note({"session": session, "camera": name, "what": "begins"})
        media.connect("unprepared", lambda _media: self.note({"session": session, "what": "ends"}))

        def hear(appsink):
            buffer = appsink.emit("pull-sample").get_buffer()
            data = buffer.extract_dup(0, buffer.get_size())
            self.note({"session": session, "what": "hears", "pts": buffer.pts, "data": base64.b64encode(data).decode()})
            return Gst.FlowReturn.OK

        sink.connect("new-sample", hear)


def make_factory(name, ears, udp_only, role):
    factory = GstRtspServer.RTSPOnvifMediaFactory() if name in BACK else GstRtspServer.RTSPMediaFactory()
    factory.set_launch(PICTURE)
    factory.set_shared(False)
    if name in BACK:
        caps, depay = BACK[name]
        factory.set_backchannel_launch(
            f'( capsfilter caps="application/x-rtp, media=audio, {caps}" name=depay_backchannel ! {depay} ! {SINK} )'
        )
        factory.set_media_gtype(GstRtspServer.RTSPOnvifMedia.__gtype__)
    if udp_only:
        factory.set_protocols(GstRtsp.RTSPLowerTrans.UDP)
    permissions = GstRtspServer.RTSPPermissions()
    for what in ("access", "construct"):
        permissions.add_permission_for_role(role, f"media.factory.{what}", True)
    factory.set_permissions(permissions)
    factory.connect("media-configure", lambda _factory, media: ears.listen(name, media))
    return factory


def make_server(ears, access, address):
    server = GstRtspServer.RTSPOnvifServer()
    server.set_address(address)
    server.set_service("0")
    role = USER if access == "digest" else "anonymous"
    for name in (*BACK, "mute"):
        server.get_mount_points().add_factory(f"/{name}", make_factory(name, ears, access == "udpOnly", role))
    auth, token = GstRtspServer.RTSPAuth(), GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", role)
    if access == "digest":
        auth.add_digest(USER, PASSWORD, token)
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
    else:
        auth.set_default_token(token)
    server.set_auth(auth)
    server.attach(None)
    return server


def main():
    Gst.init(None)
    ears = Ears(sys.argv[1])
    servers = {access: make_server(ears, access, sys.argv[2]) for access in ("none", "digest", "udpOnly")}
    print(json.dumps({name: server.get_bound_port() for name, server in servers.items()}), flush=True)
    loop = GLib.MainLoop()
    threading.Thread(target=lambda: (sys.stdin.read(), loop.quit()), daemon=True).start()
    loop.run()


main()
