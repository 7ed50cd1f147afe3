#!/bin/sh
# Makes the clips of the demo cameras from Debian's opencv-doc (examples/data/vtest.avi: pedestrians seen by a
# surveillance camera, 768x576, 10 frames a second). Needs: apt-get install opencv-doc ffmpeg
# Result: 20 s at 640x480 as H.264 and H.265 without B-frames, a key frame each 2 s, parameter sets in-band, and
# 8 s at 320x240, 5 pictures a second, as MJPEG. Together under 2 MB.
set -eu

source_clip=${1:-/usr/share/doc/opencv-doc/examples/data/vtest.avi}
clips=$(dirname "$0")/../src/demo/clips
cut="-ss 10 -t 20"

ffmpeg -hide_banner -loglevel error -y $cut -i "$source_clip" -an -vf scale=640:480:flags=lanczos \
  -c:v libx264 -preset slower -profile:v high -crf 28 -bf 0 -g 20 -keyint_min 20 -sc_threshold 0 \
  -pix_fmt yuv420p -threads 1 -f h264 "$clips/street.h264"

ffmpeg -hide_banner -loglevel error -y $cut -i "$source_clip" -an -vf scale=640:480:flags=lanczos \
  -c:v libx265 -preset slow -crf 30 -pix_fmt yuv420p \
  -x265-params bframes=0:keyint=20:min-keyint=20:scenecut=0:open-gop=0:repeat-headers=1:log-level=error:pools=1:info=0 \
  -f hevc "$clips/street.h265"

# The Huffman tables must be the standard ones: RFC 2435 carries no others.
ffmpeg -hide_banner -loglevel error -y -ss 10 -t 8 -i "$source_clip" -an -vf fps=5,scale=320:240:flags=lanczos \
  -c:v mjpeg -huffman default -q:v 8 -pix_fmt yuvj420p -f mjpeg "$clips/street.mjpeg"
