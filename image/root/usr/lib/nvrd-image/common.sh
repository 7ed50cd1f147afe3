# Shared by the box's scripts. Scripts that run before the recorder are run by busybox, the others by dash. BOX_ROOT is a prefix
# of every path: empty on a box, a folder in tests.
ROOT=${BOX_ROOT:-}
BOOT=$ROOT/boot/efi
STATE=$ROOT/data/image
RUN=$ROOT/run/nvrd-image
SETTINGS=$ROOT/data/etc/nvrd/nvrd.json
ASK_SECONDS_MAX=120
CONSOLE=${BOX_CONSOLE:-/dev/console}

# Prints the message on the console, and on standard output for the journal.
tell() {
  printf '%s\n' "$*"
  printf 'nvrd: %s\n' "$*" 2>/dev/null >>"$CONSOLE" || true
}

# Runs "$@" while the boot partition is writable. Otherwise it is read-only, so that a power cut leaves nothing incomplete.
with_boot_writable() {
  [ -n "$ROOT" ] || mount -o remount,rw "$BOOT" || return 1
  "$@"
  status=$?
  [ -n "$ROOT" ] || { sync -f "$BOOT"; mount -o remount,ro "$BOOT"; }
  return $status
}

# Writes standard input to file $1 completely or not at all, with the mode $2.
write_whole() {
  rm -f "$1.new"
  (umask 077 && cat >"$1.new") || return 1
  chmod "${2:-644}" "$1.new" 2>/dev/null
  sync "$1.new" && mv "$1.new" "$1" && sync "$(dirname "$1")"
}

bytes_of() {
  stat -c %s "$1"
}

# Removes the CR of Windows line ends and the byte order mark of UTF-8.
plain_text() {
  LC_ALL=C sed -e "1s/^$(printf '\357\273\277')//" -e "s/$(printf '\r')\$//" "$1"
}

# Defaults of the box for what the settings of file $1 leave open: its disks are used for recording, and the port for camera
# events is one that the firewall can open.
own_settings() {
  grep -q -e '"volumes"' -e '"volumesDirectory"' "$1" 2>/dev/null || echo NVRD_VOLUMES_DIRECTORY=/srv
  # The box's network may be set to IPv6 alone.
  grep -q '"listen"' "$1" 2>/dev/null || echo NVRD_LISTEN=::
  grep -q '"cameraEventPort"' "$1" 2>/dev/null || echo NVRD_CAMERA_EVENT_PORT=18081
}

# Asks nvrd for the settings of file $1: NAME=VALUE lines, or why they are not accepted.
ask_settings() {
  # shellcheck disable=SC2046
  env $(own_settings "$1") timeout "$ASK_SECONDS_MAX" "$ROOT/usr/bin/nvrd" settings --config "$1"
}

# Every setting as nvrd reads it, NAME=VALUE. Asking nvrd takes seconds on a small box, so its answer is stored until the file
# changes. The image includes the answer for its own file.
settings_of_nvrd() {
  key=$(sha256sum <"$SETTINGS")
  for file in "$STATE/settings" "$ROOT/usr/lib/nvrd-image/settings"; do
    if [ "$(head -n 1 "$file" 2>/dev/null)" = "$key" ]; then
      sed 1d "$file"
      return
    fi
  done
  answer=$(ask_settings "$SETTINGS") || return 1
  printf '%s\n%s\n' "$key" "$answer" | write_whole "$STATE/settings"
  printf '%s\n' "$answer"
}
