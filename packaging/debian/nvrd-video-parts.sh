#!/bin/sh
# Takes the multipart framing off a /video answer, so that players can read it: see guide/watch.md.
exec /usr/lib/nvrd/bin/node /usr/lib/nvrd/video-parts.mjs "$@"
