import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourcesFor } from "../../../scripts/package/apt.mjs";
import { CACHE, run } from "../image/virtual-machine.js";

/** A Debian with systemd to install packages on: what they depend on is there, they are not. */

/** Beside what the packages ask for: an init system, and what the tests look with. */
const BASE_PACKAGES = [
  "dbus",
  "iproute2",
  "procps",
  "smartmontools",
  "systemd-sysv",
  "systemd-timesyncd",
  "udev",
];
const IMAGE_BYTES = 3 * 1024 * 1024 * 1024;
/** Runs commands for the tests in a machine: a line with the command in base64, a line with status and output. */
const AGENT_PORT = "/dev/virtio-ports/agent";
const AGENT = `#!/bin/bash
mkdir -p /packages; mount -o ro /dev/vdb /packages
exec 3<>${AGENT_PORT}
while IFS= read -r line <&3; do
  output=$(timeout 560 bash -c "$(base64 -d <<<"$line")" 2>&1 </dev/null)
  status=$?
  printf '%s %s\\n' "$status" "$(base64 -w0 <<<"$output")" >&3
done
`;
const AGENT_UNIT = `[Unit]
Description=agent of the tests
ConditionPathExists=${AGENT_PORT}
[Service]
ExecStart=/usr/local/sbin/agent
OOMScoreAdjust=-1000
`;
/** The port is there when udev has seen it. */
const AGENT_PATH = `[Path]
PathExists=${AGENT_PORT}
[Install]
WantedBy=multi-user.target
`;
/** A machine's first process: its root is mounted for reading only. */
const INIT = `#!/bin/sh
mount -n -o remount,rw /dev/vda /
exec /sbin/init
`;
/** In the new tree, as root. */
const CUSTOMIZE = [
  'install -m 755 "$FILES/agent" "$1/usr/local/sbin/agent"',
  'install -m 644 "$FILES/agent.service" "$FILES/agent.path" "$1/etc/systemd/system/"',
  'ln -s ../agent.path "$1/etc/systemd/system/multi-user.target.wants/agent.path"',
  'install -m 755 "$FILES/init" "$1/init"',
  'echo nvr > "$1/etc/hostname"',
  'rm -f "$1/etc/systemd/system/getty.target.wants/"*',
  'rm -f "$1/etc/machine-id" && touch "$1/etc/machine-id"',
  // Work that a machine does now and then, and that only takes time here.
  'for unit in apt-daily apt-daily-upgrade dpkg-db-backup e2scrub_all fstrim systemd-tmpfiles-clean; do ln -sf /dev/null "$1/etc/systemd/system/$unit.timer"; done',
  'for unit in e2scrub_reap console-getty systemd-update-utmp systemd-udev-settle; do ln -sf /dev/null "$1/etc/systemd/system/$unit.service"; done',
];

/** Why none can be made here; undefined where one can. */
export function debianMissing(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can make a Debian";
  return spawnSync("which", ["mmdebstrap"]).status === 0 ? undefined : "mmdebstrap is not installed";
}

/** The tree of a Debian of `suite` with what the .deb files depend on, made where the cache has none. Do not write to it. */
export function debianTree(suite: string, packages: readonly string[]): string {
  const include = [...new Set([...BASE_PACKAGES, ...dependenciesOf(packages)])].sort();
  const made = createHash("sha256").update(
    JSON.stringify([include, AGENT, AGENT_UNIT, AGENT_PATH, INIT, CUSTOMIZE]),
  );
  const folder = join(CACHE, `debian-${suite}-${made.digest("hex").slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const work = `${folder}.work`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, "agent"), AGENT);
  writeFileSync(join(work, "init"), INIT);
  writeFileSync(join(work, "agent.service"), AGENT_UNIT);
  writeFileSync(join(work, "agent.path"), AGENT_PATH);
  const sources = [...sourcesFor(suite)].map(([name, text]) => {
    writeFileSync(join(work, name), text);
    return join(work, name);
  });
  const hooks = CUSTOMIZE.map((command) => `--customize-hook=${command}`);
  const wanted = [`--include=${include.join(",")}`, ...hooks, suite, join(work, "tree"), ...sources];
  const done = spawnSync("nice", ["-n", "10", "mmdebstrap", "--quiet", "--variant=minbase", ...wanted], {
    encoding: "utf8",
    env: { ...process.env, INITRD: "No", FILES: work },
  });
  if (done.status !== 0) throw new Error(`mmdebstrap: ${done.stderr || done.error?.message}`);
  renameSync(join(work, "tree"), folder);
  rmSync(work, { recursive: true, force: true });
  return folder;
}

/** The same as an ext4 image, for a machine. Do not write to it. */
export function debianImage(suite: string, packages: readonly string[]): string {
  const tree = debianTree(suite, packages);
  const image = `${tree}.ext4`;
  if (existsSync(image)) return image;
  imageFrom(tree, `${image}.new`, IMAGE_BYTES);
  renameSync(`${image}.new`, image);
  return image;
}

/** An ext4 image with what a folder holds. */
export function imageFrom(folder: string, image: string, bytes: number): void {
  writeFileSync(image, "");
  truncateSync(image, bytes);
  run("mkfs.ext4", ["-q", "-F", "-E", "lazy_itable_init=1", "-d", folder, image]);
}

/** Names of the packages that .deb files depend on. */
function dependenciesOf(packages: readonly string[]): string[] {
  const texts = packages
    .filter((file) => file.endsWith(".deb"))
    .map((file) => run("dpkg-deb", ["-f", file, "Depends"]));
  const names = texts.flatMap((text) => text.split(",").map((entry) => entry.trim().split(" ", 1)[0] ?? ""));
  return [...new Set(names)].filter((name) => name !== "");
}
