#!/bin/sh
# Part of every bundle: after the root was written into the slot, its kernel goes to the ESP.
# The slot has no boot entry at this moment (RAUC marked it bad before it wrote), so nothing here can be booted half done.
set -eu

esp=${NVRD_ESP:-/boot/efi}

die() { echo "hook: error: $*" >&2; exit 1; }

[ "${1:-}" = slot-post-install ] || exit 0
slot=${RAUC_SLOT_BOOTNAME:-}
case $slot in a | b) ;; *) die "no slot a or b: '$slot'" ;; esac

root=$(mktemp -d)
leave() {
  mountpoint -q "$root" && umount "$root"
  rmdir "$root" 2> /dev/null || true
  sync -f "$esp"
  [ -n "${NVRD_ESP:-}" ] || mount -o remount,ro "$esp"
}
[ -n "${NVRD_ESP:-}" ] || mount -o remount,rw "$esp"
trap leave EXIT

# What was written is read back from the slot, not from the bundle.
mount -t squashfs -o ro,loop "$RAUC_SLOT_DEVICE" "$root" 2> /dev/null ||
  mount -t squashfs -o ro "$RAUC_SLOT_DEVICE" "$root" || die "the root in $RAUC_SLOT_DEVICE cannot be mounted"

folder=$esp/EFI/nvrd/$slot
rm -rf "$folder.new"
mkdir -p "$folder.new"
for part in vmlinuz initrd.img cmdline; do
  [ -s "$root/boot/$part" ] || die "the root has no /boot/$part"
  cp "$root/boot/$part" "$folder.new/$part"
  cmp -s "$root/boot/$part" "$folder.new/$part" || die "the ESP does not hold what was written to it"
done
sync -f "$esp"
rm -rf "$folder"
mv "$folder.new" "$folder"
sync -f "$esp"
