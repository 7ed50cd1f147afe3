import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BoxFolder } from "../support/image/image-scripts.js";

const REQUEST = "nvrd-password-reset.txt";
const PASSWORD = "k7w3mzq2c9xh4tpe8vbn";

let box: BoxFolder;

beforeEach(() => {
  box = new BoxFolder();
  box.write("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  box.run("identity", [], { BOX_CARD_SECONDS: "0" });
  box.write("data/nvrd/tls/certificate.pem", "no certificate");
  box.write("data/image/told", "");
  program("usr/bin/nvrd", `[ "$1" = password ] || exit 0\n${RESETS}`);
  program("programs/blkid", 'cat "$BOX_ROOT/sticks/$(basename "$6").kind"');
  // A stick is a folder; mounted, it is the mount point's name for it. One with "locked" beside cannot be written.
  program(
    "programs/mount",
    `echo "$@" >>"$BOX_ROOT/mount.calls"
case "$*" in
  *remount*) [ ! -e "$(readlink "$3").locked" ] ;;
  *) rmdir "$6" && ln -s "$BOX_ROOT/sticks/$(basename "$5")" "$6" ;;
esac`,
  );
  program("programs/mountpoint", '[ -L "$2" ]');
  program("programs/umount", 'rm "$1" && mkdir "$1"');
});

afterEach(() => box.remove());

/** What `nvrd password reset` leaves. */
const RESETS = `echo "$@" >>"$BOX_ROOT/calls"\necho '${PASSWORD}' >"$BOX_ROOT/data/nvrd/root-password"`;

function program(name: string, text: string): void {
  box.write(name, `#!/bin/sh\n${text}\n`);
  chmodSync(box.path(name), 0o755);
}

/** A partition with these files, at a place of the machine. */
function addStick(
  name: string,
  options: { readonly bus?: string; readonly kind?: string; readonly files?: string[] },
) {
  const { bus = "usb1/1-1/1-1:1.0/host0", kind = "vfat", files = [REQUEST] } = options;
  const place = `sys/devices/platform/${bus}/block/${name.slice(0, 3)}/${name}`;
  mkdirSync(box.path(place), { recursive: true });
  symlinkSync(box.path(place), box.path(`sys/class/block/${name}`));
  box.write(`sticks/${name}.kind`, `${kind}\n`);
  box.write(`sticks/${name}/photo.jpg`, "a photo");
  for (const file of files) box.write(`sticks/${name}/${file}`, "");
}

const look = () => box.run("key", [], { BOX_KEY_SECONDS: "0", BOX_TOLD_SECONDS: "1" });
const calls = () => box.read("calls")?.split("\n").filter(Boolean) ?? [];
const passwordFile = (name: string) => box.read(`sticks/${name}/NVRD-PASSWORD.txt`);

describe("a USB stick that asks for another password of root", () => {
  it("gets it, once, and nobody else does", () => {
    addStick("sda1", {});
    expect(look()).toMatchObject({ status: 0 });
    expect(passwordFile("sda1")).toContain(`Password:      ${PASSWORD}\r\n`);
    expect(box.read(`sticks/sda1/${REQUEST}`)).toBeUndefined();
    expect(box.read("sticks/sda1/photo.jpg")).toBe("a photo");
    expect(box.read("boot/efi/NVRD-PASSWORD.txt")).toBeUndefined();
    expect(box.read("console")).toContain(
      "root has another password: it is in NVRD-PASSWORD.txt on the USB stick",
    );
    expect(box.read("console")).not.toContain(PASSWORD);
    look();
    expect(calls()).toEqual([`password reset --quiet --by a USB stick --data ${box.path("data/nvrd")}`]);
  });

  it("that takes no file is reported on the console, and asks no more", () => {
    addStick("sda1", {});
    mkdirSync(box.path("sticks/sda1/NVRD-PASSWORD.txt"));
    expect(look()).toMatchObject({ status: 0 });
    expect(box.read("console")).toContain("root has another password, which the USB stick does not take");
    expect(box.read(`sticks/sda1/${REQUEST}`)).toBeUndefined();
  });

  it("gets it after the first one was told", () => {
    addStick("sda1", {});
    rmSync(box.path("data/image/told"));
    program("programs/sleep", `[ -e "$BOX_ROOT/calls" ] || : >"$BOX_ROOT/data/image/told"`);
    look();
    expect(passwordFile("sda1")).toContain(PASSWORD);
    expect(box.read("data/image/told")).toBe("");
  });

  it("is mounted read-only and without programs until it is known to ask", () => {
    addStick("sda1", { files: [] });
    look();
    const mounts = box.read("mount.calls")?.trim().split("\n");
    expect(mounts).toEqual([expect.stringMatching(/^-t vfat -o ro,noexec,nosuid,nodev,/)]);
    expect(box.read("sticks/sda1/photo.jpg")).toBe("a photo");
  });

  it("is found among others, as exFAT too", () => {
    addStick("sda1", { kind: "ext4" });
    addStick("sdb1", { files: [] });
    addStick("sdc1", { kind: "exfat" });
    look();
    expect([passwordFile("sda1"), passwordFile("sdb1")]).toEqual([undefined, undefined]);
    expect(passwordFile("sdc1")).toContain(PASSWORD);
  });

  it("that cannot be written changes no password, at this start and the next", () => {
    addStick("sda1", {});
    box.write("sticks/sda1.locked", "");
    look();
    look();
    expect(calls()).toEqual([]);
    expect(box.read("console")).toContain("cannot be removed from the USB stick: root's password stays");
  });

  it("is reported on the console when the recorder makes no other password", () => {
    program("usr/bin/nvrd", "echo 'there is no configuration' >&2; exit 2");
    addStick("sda1", {});
    expect(look()).toMatchObject({ status: 0 });
    expect(passwordFile("sda1")).toBeUndefined();
    expect(box.read("console")).toContain("no password for the USB stick: there is no configuration; put");
  });
});

it.each([
  ["a disk that is not on USB", { bus: "ata1/host1" }],
  ["a file system that is none of a stick", { kind: "btrfs" }],
  ["a stick without the file", { files: ["nvrd.json"] }],
])("%s changes no password", (_what, options) => {
  addStick("sda1", options);
  look();
  expect(calls()).toEqual([]);
});

it("the flash of the running root is no key", () => {
  addStick("sda1", {});
  box.write("run/nvrd-image/boot-disk", "sda\n");
  look();
  expect(calls()).toEqual([]);
});
