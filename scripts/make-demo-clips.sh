#!/bin/sh
# Makes the clips of the demo cameras from Debian's opencv-doc (examples/data/vtest.avi: pedestrians seen by a
# surveillance camera, 768x576, 10 frames a second): the whole view, and three parts of it, at other times, as other cameras of the
# place would show them. Needs: apt-get install opencv-doc ffmpeg
# Result: 20 s each, without B-frames, a key frame each 2 s, parameter sets in-band. Together under 3.5 MB.
set -eu

source_clip=${1:-/usr/share/doc/opencv-doc/examples/data/vtest.avi}
clips=$(dirname "$0")/../src/demo/clips
large=scale=640:480:flags=lanczos
small=fps=5,scale=320:240:flags=lanczos

# read START FILTER ENCODER… FILE
read_clip() {
  start=$1 filter=$2
  shift 2
  ffmpeg -hide_banner -loglevel error -y -ss "$start" -t 20 -i "$source_clip" -an -vf "$filter" "$@"
}

h264="-c:v libx264 -preset slower -profile:v high -bf 0 -g 20 -keyint_min 20 -sc_threshold 0 -pix_fmt yuv420p -threads 1 -f h264"
x265=bframes=0:keyint=20:min-keyint=20:scenecut=0:open-gop=0:repeat-headers=1:log-level=error:pools=1:info=0
# The Huffman tables must be the standard ones: RFC 2435 carries no others.
mjpeg="-c:v mjpeg -huffman default -pix_fmt yuvj420p -f mjpeg"

read_clip 10 "$large" $h264 -crf 28 "$clips/street.h264"
# What the same camera shows at the same time.
read_clip 10 "$small" $mjpeg -q:v 10 "$clips/street.mjpeg"

road=crop=352:264:416:60
read_clip 30 "$road,$large" -c:v libx265 -preset slow -crf 30 -pix_fmt yuv420p -x265-params "$x265" \
  -f hevc "$clips/road.h265"

path=crop=384:288:0:130
read_clip 50 "$path,$large" $h264 -crf 28 "$clips/path.h264"

# Snapshots, one in two seconds, of the cameras without a stream of JPEGs.
stills=fps=0.5,scale=320:240:flags=lanczos
read_clip 30 "$road,$stills" $mjpeg -q:v 10 "$clips/road-stills.mjpeg"
read_clip 50 "$path,$stills" $mjpeg -q:v 10 "$clips/path-stills.mjpeg"

night="hue=s=0,curves=all='0/0 0.5/0.24 1/0.66',vignette=PI/4.5,noise=alls=4:allf=t"
read_clip 55 "crop=384:288:250:250,$small,$night" $mjpeg -q:v 10 "$clips/lawn.mjpeg"
