"""Decodes each video track of an MP4 file with GStreamer; prints the pictures of each and the file's duration as JSON."""
import json
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstPbutils", "1.0")
from gi.repository import Gst, GstPbutils  # noqa: E402

TIMEOUT_S = 60


def pictures(path, track):
    text = f"filesrc location={path} ! qtdemux name=d d.video_{track} ! queue ! decodebin ! fakesink name=s sync=false signal-handoffs=true"
    pipeline = Gst.parse_launch(text)
    count = [0]

    def seen(*_):
        count[0] += 1

    pipeline.get_by_name("s").connect("handoff", seen)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        TIMEOUT_S * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR
    )
    pipeline.set_state(Gst.State.NULL)
    if message is None or message.type == Gst.MessageType.ERROR:
        raise SystemExit(f"GStreamer: {message and message.parse_error()}")
    return count[0]


Gst.init(None)
path = sys.argv[1]
info = GstPbutils.Discoverer.new(TIMEOUT_S * Gst.SECOND).discover_uri(f"file://{path}")
tracks = len(info.get_video_streams())
print(json.dumps({"seconds": info.get_duration() / 1e9, "pictures": [pictures(path, at) for at in range(tracks)]}))
