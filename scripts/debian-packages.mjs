/**
 * The Debian packages each use of a checkout needs, in one place. Debian 12 and 13 carry all of them.
 * Run `node scripts/setup.mjs <use>` to have the missing ones installed.
 */
import process from "node:process";

/** Seconds that another apt may still take: a new Debian updates itself right after its first start. */
const APT_LOCK_SECONDS_MAX = 600;

/** Of every `apt-get` that the set-up runs (apt.conf(5)). */
export const APT_OPTIONS = [
  "Acquire::Retries=3",
  `DPkg::Lock::Timeout=${APT_LOCK_SECONDS_MAX}`,
  "Dpkg::Use-Pty=0",
].flatMap((option) => ["-o", option]);

/** The native addons are built from source with plain g++; the codec stands on Debian's libav*. */
const BUILD = [
  "g++",
  "libavcodec-dev",
  "libavutil-dev",
  "libswresample-dev",
  "libswscale-dev",
  "patch",
  "pkg-config",
];

/** Real counterparts: GStreamer's RTSP server and client, ffmpeg, VLC, curl. */
const COUNTERPARTS = [
  "curl",
  "ffmpeg",
  "gir1.2-gst-plugins-base-1.0",
  "gir1.2-gst-rtsp-server-1.0",
  "gstreamer1.0-libav",
  "gstreamer1.0-plugins-bad",
  "gstreamer1.0-plugins-base",
  "gstreamer1.0-plugins-good",
  "gstreamer1.0-rtsp",
  "gstreamer1.0-tools",
  "mount",
  "procps",
  "python3",
  "python3-gi",
  "python3-urllib3",
  "vlc-bin",
  "vlc-plugin-base",
];

/** GStreamer's RTSP server and client alone. */
const RTSP_PEER = COUNTERPARTS.filter((name) =>
  /^gir1\.2-gst|^gstreamer1\.0-(?:plugins-(?:base|good)|rtsp)$|^python3-gi$/.test(name),
);

/** Clients of the API, the directory of directory users, an MQTT broker, a receiver of alarms. */
const API_COUNTERPARTS = ["ldap-utils", "mosquitto", "openssl", "php-cli", "php-xml", "rsyslog", "slapd"];

/** Object storage: Ceph's gateway, with its data in memory; and what opens encrypted recordings. */
const OBJECT_STORAGE = ["age", "ceph-base", "ceph-common", "ceph-mon", "ceph-osd", "radosgw"];

/** What reads the metrics and the templates for monitoring: Prometheus' own library, and YAML. */
const MONITORING_COUNTERPARTS = ["python3-prometheus-client", "python3-yaml"];

/** A real browser for moving pictures, and hosts of their own for cameras. */
const CAMERA_AND_PICTURE_COUNTERPARTS = ["chromium-headless-shell", "iproute2"];

/** The browser that plays H.265. */
const SECOND_BROWSER = ["firefox-esr"];

/** What counts the instructions of the frame path. */
const COUNTING = ["valgrind"];

/** The codec's fuzz targets: libFuzzer and its sanitizers. */
const FUZZ = ["clang", "libclang-rt-dev"];

/** File systems and their faults: ext4 with power cuts, others for what they lack, FUSE for EIO and hangs. */
const DISK_COUNTERPARTS = [
  "btrfs-progs",
  "e2fsprogs",
  "faketime",
  "fuse3",
  "libfuse3-dev",
  "smartmontools",
  "util-linux-extra",
  "xfsprogs",
];

/** Checkouts that tests make. */
const CHECKOUTS = ["git"];

/** Reverse proxies, with the blocks of docs/guide/proxy.md. */
const PROXIES = ["caddy", "haproxy", "nginx"];

/** Updates: RAUC on a bus of its own, and what makes bundles. */
const UPDATE_COUNTERPARTS = ["dbus-daemon", "rauc", "squashfs-tools"];

/** A whole machine to kill: the emulator and what makes its disks; its kernel is downloaded and unpacked, not installed. */
const MACHINE = ["busybox-static", "fdisk", "kmod", "qemu-system-x86", "qemu-utils", "xz-utils"];

/** Debian packages for the machine's own processor; the compiler has its full name too. */
const PACKAGE = [...BUILD, "binutils"];

/** The compiler of the other processor. */
export const CROSS = [process.arch === "arm64" ? "g++-x86-64-linux-gnu" : "g++-aarch64-linux-gnu"];

/** The package under a systemd of its own: tools that make and run a Debian; smartctl reads the disks. */
const SYSTEMD = ["dbus", "iputils-arping", "mmdebstrap", "systemd", "systemd-container"];

/** The appliance's image: a Debian system for arm64, its file systems and its disk, all made in files. */
const IMAGE = [
  "arch-test",
  "binfmt-support",
  "cpio",
  "dosfstools",
  "e2fsprogs",
  "fdisk",
  "kmod",
  "mmdebstrap",
  "mtools",
  "qemu-user-static",
  "squashfs-tools",
  "systemd",
  "xz-utils",
  "zstd",
];

/** What the tests of the image's parts need; the first root's shell is the static busybox, as on a machine. */
const IMAGE_PARTS = [
  "busybox-static",
  "cpio",
  "dosfstools",
  "fdisk",
  "gdisk",
  "mtools",
  "nftables",
  "openssh-client",
  "squashfs-tools",
  "xz-utils",
];

/** What starts and looks at the image. */
const IMAGE_MACHINE = [
  "gdisk",
  "nftables",
  "openssh-client",
  "qemu-efi-aarch64",
  "qemu-system-arm",
  "qemu-utils",
];

const TEST = [
  ...BUILD,
  ...COUNTING,
  ...COUNTERPARTS,
  ...API_COUNTERPARTS,
  ...OBJECT_STORAGE,
  ...PROXIES,
  ...MONITORING_COUNTERPARTS,
  ...CAMERA_AND_PICTURE_COUNTERPARTS,
  ...DISK_COUNTERPARTS,
  ...UPDATE_COUNTERPARTS,
  ...FUZZ,
  ...PACKAGE,
  ...CROSS,
  ...SYSTEMD,
  ...IMAGE_PARTS,
  ...CHECKOUTS,
];

export const DEBIAN_PACKAGES = {
  build: BUILD,
  run: BUILD,
  test: TEST,
  torture: [...TEST, ...MACHINE, ...IMAGE, ...IMAGE_MACHINE, ...SECOND_BROWSER],
  package: PACKAGE,
  image: [...PACKAGE, ...CROSS, ...IMAGE],
  release: [...PACKAGE, ...CROSS, ...IMAGE, ...UPDATE_COUNTERPARTS],
  /** `gcc` builds the paced source and the floor; `ffmpeg` and GStreamer's RTSP server are the peers; Chromium shows the page. */
  bench: [...BUILD, ...RTSP_PEER, "chromium-headless-shell", "ffmpeg", "gcc", "libc6-dev"],
};

/** Uses that build and try arm64 as well (scripts/cross-build.mjs names its packages). */
export const CROSS_BUILDING_USES = new Set(["test", "torture"]);

/** What packages are for, as the user is told before they are installed; the first entry with a package counts. */
const PURPOSES = [
  ["to build the native addons", BUILD],
  ["to build packages", PACKAGE],
  ["to build packages for the other processor", CROSS],
  ["cameras, players and clients that the tests run against", [...COUNTERPARTS, ...API_COUNTERPARTS]],
  ["object storage that recordings are sent to", OBJECT_STORAGE],
  ["reverse proxies in front of the recorder", PROXIES],
  ["what reads the metrics and the templates for monitoring", MONITORING_COUNTERPARTS],
  ["a browser, and networks of the tests' own", CAMERA_AND_PICTURE_COUNTERPARTS],
  ["another browser, which plays H.265", SECOND_BROWSER],
  ["file systems and their faults", DISK_COUNTERPARTS],
  ["updates of the whole system", UPDATE_COUNTERPARTS],
  ["to fuzz the codec", FUZZ],
  ["checkouts that tests make", CHECKOUTS],
  ["the package under a systemd of its own", SYSTEMD],
  ["parts of the appliance's image", [...IMAGE_PARTS, ...IMAGE]],
  ["whole machines under an emulator", [...MACHINE, ...IMAGE_MACHINE]],
  ["to measure", ["gcc", "libc6-dev", ...COUNTING]],
];

/** One line per purpose, with those of `packages` that serve it. */
export function purposesOf(packages) {
  const left = new Set(packages);
  const lines = [];
  for (const [purpose, names] of PURPOSES) {
    const here = [...new Set(names)].filter((name) => left.delete(name));
    if (here.length > 0) lines.push(`${purpose}: ${here.join(" ")}`);
  }
  return lines;
}
