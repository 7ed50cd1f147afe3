import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { kill } from "node:process";
import { PATIENCE_MS } from "../base/patience.js";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { BackgroundProcess } from "../service/background-process.js";
import { pause, ROOT_PASSWORD } from "../service/service.js";
import { ownControlGroup, removeControlGroup } from "../systemd/control-group.js";
import { found, HTTP_PORT, Lan, LEASED, must, outputOf } from "./lan.js";
import type { TrialBox } from "./network-changes.js";

/** Longer than a slow machine needs to confirm a trial. */
const TRIAL_SECONDS = 60;

/** Of this machine's system, what a box of the tests does not start. */
const MASKED = [
  "console-getty",
  "e2scrub_reap",
  "ldconfig",
  "nvrd",
  "systemd-binfmt",
  "systemd-firstboot",
  "systemd-hwdb-update",
  "systemd-journal-catalog-update",
  "systemd-journal-flush",
  "systemd-machine-id-commit",
  "systemd-modules-load",
  "systemd-random-seed",
  "systemd-sysusers",
  "systemd-udev-trigger",
  "systemd-udevd",
  "systemd-update-done",
  "systemd-update-utmp",
];
/** The container's /sys shows this machine's interfaces: those of its own network are laid over them. */
const OWN_SYSFS = `[Unit]
DefaultDependencies=no
Before=sysinit.target systemd-networkd.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=mkdir /run/own-sys
ExecStart=mount -t sysfs -o ro sysfs /run/own-sys
ExecStart=mount --bind /run/own-sys/class/net /sys/class/net
ExecStart=mount --bind /run/own-sys/devices/virtual/net /sys/devices/virtual/net
`;
const TARGET = `[Unit]
Description=a box of the tests
Requires=sysinit.target dbus.socket
Wants=own-sysfs.service systemd-networkd.service nvrd.service
After=sysinit.target dbus.socket
AllowIsolate=yes
`;
/** As the image has it. */
const FIRST_NETWORK = `[Match]
Type=ether
[Network]
DHCP=yes
LinkLocalAddressing=yes
MulticastDNS=yes
[DHCPv4]
ClientIdentifier=mac
`;
/**
 * A box with its own systemd, networkd, D-Bus and nvrd as the package has them, on a network with a router and a DHCP
 * server. Its root is this machine's with a layer over it; what it writes to /etc and /var survives its restarts.
 */
export class NetworkBox implements TrialBox {
  readonly lan: Lan;
  readonly interface = "eth0";
  readonly #namespace: string;
  readonly #root: BackgroundProcess;
  #system: BackgroundProcess | undefined;
  #init = 0;

  private constructor(namespace: string, root: BackgroundProcess, lan: Lan) {
    this.#namespace = namespace;
    this.#root = root;
    this.lan = lan;
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    const absent = ["systemd-nspawn", "dbus-daemon"].find((tool) => spawnSync("which", [tool]).status !== 0);
    return absent === undefined ? Lan.missing() : `${absent} is not installed`;
  }

  static async start(): Promise<NetworkBox> {
    const mark = `${process.pid}`.slice(-6);
    const namespace = `nvbox${mark}`;
    must(`ip netns add ${namespace}`);
    const lan = Lan.start(
      `nvlan${mark}`,
      `ip link add eth0 netns ${namespace} type veth peer name lan0 netns nvlan${mark}`,
    );
    const root = new BackgroundProcess(
      "unshare",
      ["-m", "bash", "-c", `${rootScript()}\nsleep infinity`],
      {},
    );
    const box = new NetworkBox(namespace, root, lan);
    try {
      await box.#until("the root", () => root.output.includes("ready"));
      await box.powerOn();
      return box;
    } catch (error) {
      await box.stop();
      throw error;
    }
  }

  async powerOn(): Promise<void> {
    const flags = `--quiet --register=no --keep-unit --capability=all --drop-capability=CAP_SYS_TIME --link-journal=no --network-namespace-path=/run/netns/${this.#namespace}`;
    const command = `${ownControlGroup(this.#namespace)}; exec systemd-nspawn ${flags} --bind-ro=${REPOSITORY_ROOT} -D /mnt/root -b systemd.unit=box.target`;
    this.#system = new BackgroundProcess(
      "nsenter",
      ["-t", `${this.#root.pid}`, "-m", "bash", "-c", command],
      {
        env: { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" },
      },
    );
    await this.#until("the first process", () => {
      this.#init = initBelow(this.#system?.pid ?? 0);
      return this.#init !== 0;
    });
    await this.#until("nvrd", async () => (await this.shell("systemctl is-active nvrd")).trim() === "active");
    // Without its own interfaces it would show this machine's, and no change of its network would ever be seen there.
    const state = (await this.shell("systemctl is-active own-sysfs")).trim();
    if (state !== "active")
      throw new Error(
        `the box does not see its own interfaces: ${await this.shell("journalctl -b --no-pager -u own-sysfs")}`,
      );
  }

  /** Ends it as a power cut does. */
  async powerOff(): Promise<void> {
    try {
      kill(this.#init, "SIGKILL");
    } catch (error) {
      // It went down by itself.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
    await this.#system?.stop("SIGKILL");
  }

  /** Resolves when the box has gone down for a restart by itself, as its first process says, and has come up again. */
  async restarted(): Promise<void> {
    await this.#until("the box to go down", () => this.#system?.output.includes("Rebooting.") === true);
    await this.#system?.exited;
    await this.powerOn();
  }

  /** What an image has for the restart of the box (scripts/update-tree.mjs), with the directory of its updates. */
  async addRestart(): Promise<void> {
    const parts = `${REPOSITORY_ROOT}/image/rauc`;
    await this.shell(`set -e
cp ${parts}/units/nvrd-reboot.* /etc/systemd/system/
mkdir -p /etc/systemd/system/nvrd.service.d
cp ${parts}/nvrd.service.conf /etc/systemd/system/nvrd.service.d/60-nvrd-update.conf
cp ${parts}/nvrd-update.tmpfiles /etc/tmpfiles.d/nvrd-update.conf
systemd-tmpfiles --create nvrd-update.conf
mkdir -p /etc/systemd/system/box.target.wants
ln -sf ../nvrd-reboot.path /etc/systemd/system/box.target.wants/
systemctl daemon-reload
systemctl start nvrd-reboot.path
systemctl restart nvrd`);
  }

  async stop(): Promise<void> {
    if (this.#init !== 0) await this.powerOff();
    await this.lan.stop();
    await this.#root.stop("SIGKILL");
    removeControlGroup(this.#namespace);
    spawnSync("ip", ["netns", "del", this.#namespace]);
  }

  /** Runs a command in the box as root; resolves with its output, whatever its status. */
  async shell(command: string): Promise<string> {
    return await outputOf("nsenter", [
      "-t",
      `${this.#init}`,
      "-m",
      "-u",
      "-i",
      "-n",
      "-p",
      "-C",
      "bash",
      "-c",
      command,
    ]);
  }

  /** What those who change the network said last, and what it is like now. */
  async networkJournal(): Promise<string> {
    const units = "-u systemd-networkd -u nvrd-network-back -u 'nvrd-network-keeper*' -u nvrd";
    return await this.shell(
      `ip address; head -50 /run/nvrd-network/* /run/systemd/network/*; journalctl -b --no-pager -n 90 ${units}`,
    );
  }

  /**
   * How long trials last that begin from now on, of which the change takes effect after 4 s. Not during one: systemd would give its
   * timer the new time.
   */
  async setTrialSeconds(seconds: number): Promise<void> {
    const file = "/etc/systemd/system/nvrd-network-back.timer.d/test.conf";
    await this.shell(
      `printf '[Timer]\\nOnActiveSec=\\nOnActiveSec=${seconds}s\\n' >${file}; systemctl daemon-reload`,
    );
  }

  /** Resolves when the box answers at the address. */
  async reached(address: string): Promise<void> {
    await this.#until(`the box at ${address}`, () => this.lan.isReached(address));
  }

  /** The control groups of its first process, as this machine sees them: `0::/…` is that of version 2. */
  get controlGroups(): string {
    return read(`/proc/${this.#init}/cgroup`);
  }

  /** Pulls the cable out of the box, or plugs it in. */
  async setCable(isPlugged: boolean): Promise<void> {
    await this.lan.run(`ip link set lan0 ${isPlugged ? "up" : "down"}`);
  }

  /** The IPv4 addresses of the box. */
  async addresses(): Promise<readonly string[]> {
    const text = await this.shell("ip -o -4 addr show dev eth0");
    return [...text.matchAll(/inet ([\d.]+)\//g)]
      .map(([, address = ""]) => address)
      .filter((a) => !a.startsWith("169.254."));
  }

  /** An address of the DHCP server's range: one that the box had before a change may still be there. */
  async leased(): Promise<string> {
    try {
      return await found("an address of the DHCP server", async () =>
        (await this.addresses()).find((address) => LEASED.test(address)),
      );
    } catch (error) {
      const said = `${await this.networkJournal()}\n${this.lan.output.slice(-3000)}`;
      throw new Error(`the DHCP server gave no address:\n${said}`, { cause: error });
    }
  }

  async #until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await isTrue())) {
      if (performance.now() > deadline)
        throw new Error(
          `${what}: not within ${PATIENCE_MS / 1000} s: ${this.#system?.output.slice(-3000) ?? this.#root.output}`,
        );
      await pause(250);
    }
  }
}

/** The layer over this machine's root: the units of the package, and nothing of this machine's own. */
function rootScript(): string {
  const R = "/mnt/root";
  const units = [
    "nvrd.service",
    "nvrd-network-keeper.socket",
    "nvrd-network-keeper@.service",
    "nvrd-network-back.service",
    "nvrd-network-back.timer",
  ];
  const write = (path: string, text: string) =>
    `mkdir -p "$(dirname ${R}${path})"; cat >${R}${path} <<'END'\n${text}END\n`;
  return `set -e
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work ${R}
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work ${R}
rm -rf ${R}/etc/systemd/system ${R}/etc/systemd/network ${R}/var/lib/nvrd ${R}/etc/network/interfaces ${R}/etc/network/interfaces.d
mkdir -p ${R}/etc/systemd/system ${R}/etc/systemd/network ${R}/etc/nvrd
for unit in ${MASKED.filter((name) => name !== "nvrd").join(" ")}; do ln -s /dev/null ${R}/etc/systemd/system/$unit.service; done
for unit in ${units.join(" ")}; do cp ${REPOSITORY_ROOT}/systemd/$unit ${R}/etc/systemd/system/; done
mkdir -p ${R}/etc/tmpfiles.d ${R}/usr/lib/nvrd
cp ${REPOSITORY_ROOT}/systemd/nvrd.tmpfiles ${R}/etc/tmpfiles.d/nvrd.conf
cp ${REPOSITORY_ROOT}/packaging/debian/network-back ${R}/usr/lib/nvrd/
systemd-sysusers --root=${R} ${REPOSITORY_ROOT}/systemd/nvrd.sysusers
: >${R}/etc/fstab
: >${R}/etc/machine-id
${write("/etc/systemd/system/box.target", TARGET)}
${write("/etc/systemd/system/own-sysfs.service", OWN_SYSFS)}
${write("/etc/systemd/network/80-box.network", FIRST_NETWORK)}
${write("/etc/nvrd/nvrd.json", `${JSON.stringify({ dataDir: "/var/lib/nvrd", listen: "::", rtspPort: 0, httpsPort: 0, httpPort: HTTP_PORT })}\n`)}
${write("/etc/systemd/system/nvrd.service.d/test.conf", `[Service]\nEnvironment=NVRD_ROOT_PASSWORD=${ROOT_PASSWORD}\nLoadCredential=\n`)}
${write("/etc/systemd/system/nvrd-network-back.timer.d/test.conf", `[Timer]\nOnActiveSec=\nOnActiveSec=${TRIAL_SECONDS}s\n`)}
${write("/usr/bin/nvrd", `#!/bin/sh\nexport PATH=/usr/sbin:/usr/bin:/sbin:/bin\nexec ${process.execPath} ${REPOSITORY_ROOT}/bin/nvrd "$@"\n`)}
chmod 755 ${R}/usr/bin/nvrd
echo ready`;
}

function initBelow(pid: number): number {
  const text = read(`/proc/${pid}/task/${pid}/children`).trim();
  for (const child of text.split(" ").map(Number)) {
    if (child === 0) continue;
    if (read(`/proc/${child}/comm`).trim() === "systemd") return child;
    const found = initBelow(child);
    if (found !== 0) return found;
  }
  return 0;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // the process has ended
  }
}
