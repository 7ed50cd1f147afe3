#!/bin/sh
# Part of every bundle: after the root was written into the slot, its kernel is copied to the ESP.
# The slot has no boot entry at this moment (RAUC marked it bad before writing), so an incomplete copy is never booted.
# A root with device trees is for a Raspberry Pi: its firmware reads them, and cmdline.txt, from the folder of the slot.
set -eu

esp=${NVRD_ESP:-/boot/efi}
# The back end of the running version, and where that of the new one is kept until the restart. Tests use other paths.
back_end=${NVRD_BACK_END:-/usr/lib/nvrd-update}
kept=${NVRD_KEPT_BACK_END:-/run/nvrd-update-back-end}
machine=${NVRD_MACHINE:-}

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

# The slot is read back, not the bundle.
mount -t squashfs -o ro,loop "$RAUC_SLOT_DEVICE" "$root" 2> /dev/null ||
  mount -t squashfs -o ro "$RAUC_SLOT_DEVICE" "$root" || die "the root in $RAUC_SLOT_DEVICE cannot be mounted"

folder=$esp/EFI/nvrd/$slot
grep -qs "^os_prefix=EFI/nvrd/$slot/" "$esp/config.txt" && [ ! -d "$esp/loader/entries" ] &&
  die "slot $slot is the one that each start takes"
rm -rf "$folder.new"
mkdir -p "$folder.new"

# Copies a file of the root's /boot into the new folder and compares the result.
take() {
  [ -s "$root/boot/$1" ] || die "the root has no /boot/$1"
  mkdir -p "$(dirname "$folder.new/$2")"
  cp "$root/boot/$1" "$folder.new/$2"
  cmp -s "$root/boot/$1" "$folder.new/$2" || die "the ESP does not hold what was written to it"
}

for part in vmlinuz initrd.img cmdline; do take "$part" "$part"; done
if [ -d "$root/boot/dtb" ]; then
  (cd "$root/boot/dtb" && find . -type f) > "$folder.new/files"
  while read -r file; do take "dtb/${file#./}" "${file#./}"; done < "$folder.new/files"
  rm "$folder.new/files"
  echo "rauc.slot=$slot $(head -n 1 "$folder.new/cmdline")" > "$folder.new/cmdline.txt"
fi
sync -f "$esp"
rm -rf "$folder"
mv "$folder.new" "$folder"
sync -f "$esp"

# A running version that does not know U-Boot would write an entry that U-Boot starts for ever. There RAUC, which calls the back
# end after this hook, finds that of the new version in its place.
new=$root/usr/lib/nvrd-update
if [ ! -e "$back_end/boot-slots.u-boot" ] && [ -e "$new/boot-slots.u-boot" ]; then
  . "$new/boot-slots.u-boot"
  if is_u_boot; then
    rm -rf "$kept"
    cp -a "$new" "$kept"
    mount --bind "$kept" "$back_end" || die "the boot back end of the new version cannot take the place of the running one"
  fi
fi
