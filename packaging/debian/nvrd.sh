#!/bin/sh
# Starts nvrd with its own Node. Settings come from /etc/nvrd/nvrd.json, except for the demo, which has its own.
set -e

if [ "${1-}" != demo ] && [ -z "${NVRD_CONFIG-}" ]; then
  export NVRD_CONFIG=/etc/nvrd/nvrd.json
fi
export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=15728640 MALLOC_TRIM_THRESHOLD_=33554432
exec /usr/lib/nvrd/bin/node @NODE_FLAGS@ /usr/lib/nvrd/bin/nvrd "$@"
