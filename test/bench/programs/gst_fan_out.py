#!/usr/bin/python3
"""The peer of the RTSP bench: GStreamer's RTSP server that takes one camera and hands it on to all who ask.

usage: gst_fan_out.py URL    prints the port, serves /stream until it is killed
"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

Gst.init(None)
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(
    f'( rtspsrc location="{sys.argv[1]}" protocols=tcp latency=0 ! rtph264depay ! '
    "rtph264pay name=pay0 pt=96 config-interval=-1 )"
)
factory.set_shared(True)
factory.set_latency(0)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service("0")
server.get_mount_points().add_factory("/stream", factory)
server.attach(None)
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()
