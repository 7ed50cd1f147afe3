#!/bin/sh
# Runs $NVRD_TEST_NODE with these arguments in a network of its own, which has a loopback alone. A channel to the process
# that started this one goes on, because nothing here opens or closes a descriptor.
# shellcheck disable=SC2016 # the inner shell expands them
exec unshare --net -- sh -c 'ip link set lo up && exec "$NVRD_TEST_NODE" "$@"' sh "$@"
