/**
 * The programs that tests start, and the Debian package of each: `npm test` installs them, so that no test fails on a
 * fresh machine because a program is missing there. test/tooling/programs.test.ts looks for those that this list lacks.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** In every Debian: its essential packages and what apt itself needs. */
const IN_EVERY_DEBIAN = new Set(
  (
    "apt-cache apt-get bash blkid cat chmod chroot cmp cp cut dash date dd dpkg dpkg-deb dpkg-query env fallocate find " +
    "false head kill ldd ln ls md5sum mkdir mkfifo mv nice nsenter prlimit rm runuser sed setpriv sh sha256sum sleep stty sync " +
    "tar test timeout touch true truncate unshare which"
  ).split(" "),
);

/**
 * Tests with these run in `npm run torture`, or where packages for another processor are built, which install them;
 * `npm test` leaves them out where they are missing, and says so.
 */
const OF_LONG_RUNS = new Set(["aarch64-linux-gnu-g++", "firefox-esr", "qemu-aarch64-static"]);

/** Never installed: a daemon that would start on the machine and answer on its network. Its test is left out without it. */
const OF_OTHERS = new Set(["avahi-daemon"]);

/** Of the recorder and its tests; a root that a test makes has them at such paths too. */
const OWN = new Set(["node", "nvrd"]);

/** By program. */
export const PROGRAM_PACKAGES = {
  age: "age",
  btrfs: "btrfs-progs",
  busybox: "busybox-static",
  cc: "g++",
  ceph: "ceph-common",
  "ceph-authtool": "ceph-common",
  "ceph-mon": "ceph-mon",
  "ceph-osd": "ceph-osd",
  // Does as well where it is there.
  chromium: "chromium-headless-shell",
  "chromium-headless-shell": "chromium-headless-shell",
  clang: "clang",
  "clang++": "clang",
  cpio: "cpio",
  curl: "curl",
  cvlc: "vlc-bin",
  "dbus-daemon": "dbus-daemon",
  dumpe2fs: "e2fsprogs",
  e2fsck: "e2fsprogs",
  faketime: "faketime",
  ffmpeg: "ffmpeg",
  ffprobe: "ffmpeg",
  fincore: "util-linux-extra",
  "fsck.vfat": "dosfstools",
  gcc: "g++",
  git: "git",
  "gst-launch-1.0": "gstreamer1.0-tools",
  ip: "iproute2",
  ldapadd: "ldap-utils",
  ldapmodify: "ldap-utils",
  losetup: "mount",
  mcopy: "mtools",
  mdir: "mtools",
  "mkfs.btrfs": "btrfs-progs",
  "mkfs.ext4": "e2fsprogs",
  "mkfs.vfat": "dosfstools",
  "mkfs.xfs": "xfsprogs",
  mksquashfs: "squashfs-tools",
  mmdebstrap: "mmdebstrap",
  monmaptool: "ceph-base",
  mosquitto: "mosquitto",
  mosquitto_passwd: "mosquitto",
  mount: "mount",
  mtype: "mtools",
  nft: "nftables",
  openssl: "openssl",
  php: "php-cli",
  "pkg-config": "pkg-config",
  python3: "python3",
  radosgw: "radosgw",
  "radosgw-admin": "ceph-common",
  rauc: "rauc",
  rsyslogd: "rsyslog",
  sfdisk: "fdisk",
  sgdisk: "gdisk",
  slapd: "slapd",
  smartctl: "smartmontools",
  "ssh-keygen": "openssh-client",
  systemctl: "systemd",
  "systemd-analyze": "systemd",
  "systemd-nspawn": "systemd-container",
  umount: "mount",
  unsquashfs: "squashfs-tools",
  vlc: "vlc-bin",
  xz: "xz-utils",
};

/** A call that starts a program by a name in the source; a path before the name is left out. */
const STARTED = /\b(?:spawn|spawnSync|execFile|execFileSync)\(\s*["'`](?:\/[\w/]*\/)?([a-z][\w.+-]*)["'`]/g;
/** A program of the system by its path. */
const BY_PATH = /["'`](?:\/usr)?\/s?bin\/([a-z][\w.+-]*)["'`]/g;
const WORD = /["'`]([a-z][\w.+-]*)["'`]/g;

/** Names of programs that `text` starts, and of those of the list that it names. */
export function programsIn(text) {
  const started = [STARTED, BY_PATH].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, name]) => name),
  );
  const named = [...text.matchAll(WORD)]
    .map(([, name]) => name)
    .filter((name) => Object.hasOwn(PROGRAM_PACKAGES, name));
  const others = [IN_EVERY_DEBIAN, OF_LONG_RUNS, OF_OTHERS, OWN];
  return [...new Set([...started, ...named])].filter((name) => !others.some((set) => set.has(name)));
}

/** One line for each program of the tests below `root` that `packages` do not bring. */
export function programsWithoutPackage(root, packages) {
  const files = readdirSync(join(root, "test"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith("test/bench/") && name !== "test/tooling/programs.test.ts");
  return files.flatMap((file) =>
    programsIn(readFileSync(join(root, file), "utf8")).flatMap((program) => {
      const name = Object.hasOwn(PROGRAM_PACKAGES, program) ? PROGRAM_PACKAGES[program] : undefined;
      if (name === undefined) return [`${file}: ${program}: name its package in scripts/test/programs.mjs`];
      return packages.includes(name) ? [] : [`${file}: ${program}: npm test does not install ${name}`];
    }),
  );
}
