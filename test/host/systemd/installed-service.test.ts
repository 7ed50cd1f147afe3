import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostSuite, SUITES } from "../../../scripts/package/apt.mjs";
import { buildPackage } from "../../../scripts/package.mjs";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { buildProgram, makeClip, SMALL_CLIP } from "../../support/service/paced-source.js";
import { SystemdContainer } from "../../support/systemd/systemd-container.js";
import type { SystemdHost } from "../../support/systemd/systemd-host.js";
import { DISK_SERIAL, SystemdMachine } from "../../support/systemd/systemd-machine.js";

/** `machine`: an emulated machine with a kernel of its own, minutes; `npm run torture -- systemd` asks for it. */
const KIND = process.env.NVRD_TEST_SYSTEMD === "machine" ? "machine" : "container";
const HostKind = KIND === "machine" ? SystemdMachine : SystemdContainer;
const OLD_VERSION = "0.0.9";
const CAMERAS = 2;
const SCORE_MAX = 1.5;
/** Of compression: what is tested is the same at any, and that of a release takes 15 s. */
const LEVEL = KIND === "machine" ? 12 : 1;
const PREPARE_TIMEOUT_MS = 1_500_000;
const TEST_TIMEOUT_MS = KIND === "machine" ? 1_800_000 : 600_000;
const UNITS = ["nvrd.service", "nvrd-clock.service", "nvrd-disks.service", "nvrd-disks.timer"];
const SOURCE_UNIT = "paced-source";

const suite = SUITES.find((name) => name === process.env.NVRD_TEST_SUITE) ?? hostSuite();
const unbuildable =
  process.arch === "x64" ? missingTools() : "its processor is not the one the test builds packages for";
const missing = unbuildable ?? HostKind.missing();

/** What a container has not. */
const noMachine = KIND === "machine" ? undefined : "it takes an emulated machine: npm run torture -- systemd";

let host: SystemdHost;
let files: TemporaryDirectory;
let newPackage = "";

beforeAll(async () => {
  if (unbuildable !== undefined) return;
  files = new TemporaryDirectory("systemd");
  newPackage = await buildPackage({ suite, processor: "amd64", level: LEVEL });
  if (missing !== undefined) return;
  const oldPackage = asVersion(newPackage, OLD_VERSION);
  const source = [await buildProgram("paced-source"), await makeClip(SMALL_CLIP)];
  const helpers = ["add-cameras.mjs", "api-call.mjs"].map((name) =>
    join(REPOSITORY_ROOT, "test/support/api", name),
  );
  mkdirSync(files.join("host"));
  host = await HostKind.start(files.join("host"), {
    suite,
    packages: [newPackage, oldPackage, ...helpers, ...source],
  });
  await host.output(startSource(source.map((file) => `/packages/${basename(file)}`)));
}, PREPARE_TIMEOUT_MS);

afterAll(async () => {
  await host?.stop();
  files?.remove();
});

function missingTools(): string | undefined {
  const tools = ["x86_64-linux-gnu-g++", "x86_64-linux-gnu-strip", "dpkg-deb"];
  const absent = tools.find((tool) => spawnSync("which", [tool]).status !== 0);
  return absent === undefined ? undefined : `${absent} is not installed`;
}

/** What a package holds: mode, owner and path of each file. */
function contentOf(file: string): { readonly mode: string; readonly owner: string; readonly path: string }[] {
  const listed = spawnSync("dpkg-deb", ["-c", file], { encoding: "utf8", maxBuffer: 1e8 });
  return listed.stdout
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/))
    .map(([mode = "", owner = "", , , , path = ""]) => ({ mode, owner, path: path.slice(1) }));
}

/** The same package under another version. */
function asVersion(file: string, version: string): string {
  const tree = files.join("repacked");
  const target = files.join("nvrd-old.deb");
  const steps = [
    ["dpkg-deb", "-R", file, tree],
    ["sed", "-i", `s/^Version: .*/Version: ${version}/`, join(tree, "DEBIAN/control")],
    ["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, target],
    ["rm", "-r", tree],
  ] as const;
  for (const [command, ...args] of steps) {
    const done = spawnSync(command, args, { encoding: "utf8" });
    if (done.status !== 0) throw new Error(`${command}: ${done.stderr}`);
  }
  return target;
}

/** Cameras on the system's own loopback, as a unit of its own. */
function startSource([program = "", clip = ""]: readonly string[]): string {
  const command = `${program} ${clip} ${CAMERAS} ${SMALL_CLIP.fps}`;
  return `cp ${program} /usr/local/bin/source && chmod 755 /usr/local/bin/source && systemd-run --quiet --unit ${SOURCE_UNIT} -p StandardOutput=file:/run/source ${command.replace(program, "/usr/local/bin/source")}`;
}

async function install(name: string): Promise<string> {
  return await host.output(`apt-get install -y --no-install-recommends --allow-downgrades /packages/${name}`);
}

async function mainPid(): Promise<number> {
  return Number((await host.properties("nvrd", ["MainPID"])).MainPID);
}

async function statusText(): Promise<string> {
  return (await host.properties("nvrd", ["StatusText"])).StatusText ?? "";
}

async function recordsAll(): Promise<void> {
  const wanted = `${CAMERAS} of ${CAMERAS} recording`;
  const isThere = (text: string) => text.includes("ActiveState=active") && text.includes(wanted);
  try {
    await host.until("systemctl show nvrd -p ActiveState,StatusText", isThere);
  } catch (error) {
    const { output } = await host.shell("journalctl -u nvrd --no-pager -n 60; df -h /var/lib/nvrd; uptime");
    throw new Error(`not all cameras are recorded:\n${output}`, { cause: error });
  }
}

/** What the run before this one is said to have ended by. */
async function lastEnd(): Promise<unknown> {
  const { runs } = JSON.parse(await host.output("cat /var/lib/nvrd/restarts.json")) as {
    readonly runs: readonly { readonly end: unknown }[];
  };
  return runs[1]?.end;
}

/** What the API answers to root. */
async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const json = body === undefined ? "" : `'${JSON.stringify(body)}'`;
  const call = `/usr/lib/nvrd/bin/node /packages/api-call.mjs "$(cat /var/lib/nvrd/root-password)"`;
  return JSON.parse(await host.output(`${call} ${method} ${path} ${json}`)) as T;
}

/** Runs a command where the service runs and as who it is, in its file system; its devices and calls are not bounded. */
async function inService(command: string) {
  return await host.shell(
    `nsenter -t ${await mainPid()} -m setpriv --reuid nvrd --regid nvrd --clear-groups ${command}`,
  );
}

describe.skipIf(unbuildable !== undefined)(`the package${notHere(unbuildable)}`, () => {
  it("belongs to root, and nobody else may write what it holds", () => {
    const foreign = contentOf(newPackage).filter(
      ({ mode, owner }) => owner !== "root/root" || /^.{5}w|^.{8}w/.test(mode),
    );
    expect(foreign).toEqual([]);
  });

  it("has what it needs where the system looks for it", () => {
    const paths = new Set(contentOf(newPackage).map(({ path }) => path));
    const units = suite === "bookworm" ? "/lib/systemd/system" : "/usr/lib/systemd/system";
    const wanted = [
      ...UNITS.map((unit) => `${units}/${unit}`),
      "/etc/nvrd/nvrd.json",
      "/usr/bin/nvrd",
      "/usr/lib/nvrd/bin/node",
      "/usr/lib/nvrd/build/Release/lmdb.node",
      "/usr/lib/nvrd/build/codec.node",
      `/usr/lib/nvrd/build/http/uws_linux_x64_${suite === "bookworm" ? 127 : 137}.node`,
      "/usr/lib/nvrd/build/nvrd.node",
      "/usr/lib/nvrd/build/page/files.json",
      "/usr/lib/nvrd/build/page/index.html.br",
      "/usr/lib/nvrd/clock-watch",
      "/usr/lib/sysusers.d/nvrd.conf",
      "/usr/lib/tmpfiles.d/nvrd.conf",
      "/usr/share/doc/nvrd/copyright",
      "/usr/share/doc/nvrd/guide/install.md",
    ];
    expect(wanted.filter((path) => !paths.has(path))).toEqual([]);
  });

  it("holds nothing that is only for building, or for another machine", () => {
    const paths = contentOf(newPackage).map(({ path }) => path);
    const unwanted =
      /\/(?:typescript|vitest|@biomejs|playwright-core)\/|\.(?:map|d\.ts|cc|gyp)$|(?:arm64|darwin|win32|musl)[^/]*(?:\/|\.node)$/;
    expect(paths.filter((path) => unwanted.test(path))).toEqual([]);
  });

  it("names the libraries of its suite", () => {
    const depends = spawnSync("dpkg-deb", ["-f", newPackage, "Depends"], { encoding: "utf8" }).stdout;
    expect(depends).toMatch(suite === "bookworm" ? /libavcodec59 \(>= / : /libavcodec61 \(>= /);
    expect(depends).toMatch(/libc6 \(>= 2\.\d+\), libgcc-s1, libstdc\+\+6 \(>= \d+\)/);
  });

  it.skipIf(noMachine !== undefined)(
    `is the same, byte for byte, when it is built again${notHere(noMachine)}`,
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      const hash = () => createHash("sha256").update(readFileSync(newPackage)).digest("hex");
      const before = hash();
      await buildPackage({ suite, processor: "amd64", level: LEVEL });
      expect(hash()).toBe(before);
    },
  );
});

describe.skipIf(missing !== undefined)(
  `the package on a Debian under systemd (${KIND})${notHere(missing)}`,
  { timeout: TEST_TIMEOUT_MS },
  () => {
    it("ends its installation with a running service, and says where the password is", async () => {
      const said = await install("nvrd-old.deb");
      expect(said).toContain("/var/lib/nvrd/root-password");
      const state = await host.properties("nvrd", ["ActiveState", "UnitFileState", "User", "Type"]);
      expect(state).toEqual({
        ActiveState: "active",
        UnitFileState: "enabled",
        User: "nvrd",
        Type: "notify",
      });
      expect(await host.output("stat -c %U:%a /var/lib/nvrd /var/lib/nvrd/root-password")).toBe(
        "nvrd:750\nnvrd:600",
      );
    });

    it("records cameras inside its sandbox, and its status says so", async () => {
      const port = (await host.until("cat /run/source", (text) => /port \d+/.test(text))).match(
        /port (\d+)/,
      )?.[1];
      const urls = Array.from({ length: CAMERAS }, (_, at) => `rtsp://127.0.0.1:${port}/${at}`);
      await host.output(
        `/usr/lib/nvrd/bin/node /packages/add-cameras.mjs "$(cat /var/lib/nvrd/root-password)" ${urls.join(" ")}`,
      );
      await recordsAll();
      expect(await statusText()).toMatch(new RegExp(`^${CAMERAS} of ${CAMERAS} recording`));
      await host.until(
        "find /var/lib/nvrd/volume -name '*.seg' -size +100k | wc -l",
        (text) => Number(text) >= CAMERAS,
      );
    });

    it("has units that systemd finds nothing wrong with", async () => {
      const { status, output } = await host.shell(`systemd-analyze verify ${UNITS.join(" ")}`);
      // Of the unit alone: what other packages' units are told is theirs.
      expect(output.split("\n").filter((line) => line.includes("nvrd"))).toEqual([]);
      expect(status).toBe(0);
    });

    it("is exposed no more than it may be", async () => {
      const said = await host.output("systemd-analyze security nvrd.service --no-pager");
      expect(Number(/Overall exposure level for nvrd.service: ([\d.]+)/.exec(said)?.[1])).toBeLessThanOrEqual(
        SCORE_MAX,
      );
    });

    it("has its sandbox in force", async () => {
      const status = await host.output(`cat /proc/${await mainPid()}/status`);
      expect(/^NoNewPrivs:\s*(\d+)/m.exec(status)?.[1]).toBe("1");
      expect(/^Seccomp:\s*(\d+)/m.exec(status)?.[1]).toBe("2");
      // CAP_NET_BIND_SERVICE is bit 10.
      for (const set of ["CapEff", "CapBnd", "CapAmb"])
        expect(status).toMatch(new RegExp(`^${set}:\\s*0000000000000400$`, "m"));
      expect(status).not.toMatch(/^Uid:\s*0/m);
      const limits = await host.properties("nvrd", [
        "MemoryMax",
        "TasksMax",
        "LimitNOFILE",
        "OOMScoreAdjust",
      ]);
      expect(limits).toMatchObject({ TasksMax: "512", LimitNOFILE: "65536", OOMScoreAdjust: "-800" });
      expect(limits.MemoryMax).not.toBe("infinity");
    });

    it.each(["/etc/nvrd/x", "/usr/lib/nvrd/x", "/var/lib/x", "/run/nvrd-disks/x"])(
      "cannot write %s",
      async (path) => {
        expect(await inService(`touch ${path}`)).toMatchObject({ status: 1 });
      },
    );

    it.each(["/var/lib/nvrd/x", "/run/nvrd/x"])("can write %s", async (path) => {
      expect(await inService(`touch ${path}`)).toEqual({ status: 0, output: "" });
    });

    it("sees no disk, no home and no secrets of others", async () => {
      const seen = await inService(
        "sh -c 'ls -d /dev/sd* /dev/nvme* /dev/vd* /dev/mem /dev/kmsg 2>/dev/null; ls /root /home /etc/credstore 2>/dev/null; cat /etc/shadow 2>/dev/null'",
      );
      expect(seen.output).toBe("");
    });

    it("logs with priorities and fields, and root's password nowhere", async () => {
      await host.output(`systemctl kill --kill-whom=main -s STOP ${SOURCE_UNIT}`);
      const logged = await host.until("journalctl -u nvrd -p warning -o json --no-pager", (text) =>
        text.includes("NVRD_"),
      );
      await host.output(`systemctl kill --kill-whom=main -s CONT ${SOURCE_UNIT}`);
      const entries = logged.split("\n").map((line) => JSON.parse(line) as Record<string, string>);
      for (const entry of entries) expect(Number(entry.PRIORITY)).toBeLessThanOrEqual(4);
      expect(await host.output("journalctl -u nvrd -p info -o cat --no-pager")).toContain("API is listening");
      expect(await host.output("journalctl -u nvrd -p warning -o cat --no-pager")).not.toContain(
        "API is listening",
      );
      const password = await host.output("cat /var/lib/nvrd/root-password");
      expect(await host.shell(`journalctl -b --no-pager -o export | grep -c '${password}'`)).toMatchObject({
        output: "0",
      });
      await recordsAll();
    });

    it("may read the journal, for support bundles", async () => {
      const read = await inService("journalctl --unit=nvrd --quiet --no-pager --output=cat");
      expect(read.output).toContain("API is listening");
    });

    it("is started anew after it was killed", async () => {
      const before = await mainPid();
      await host.output(`kill -9 ${before}`);
      await host.until(
        "systemctl show nvrd -p MainPID,ActiveState",
        (text) =>
          text.includes("ActiveState=active") &&
          !text.includes(`MainPID=${before}\n`) &&
          !text.includes("MainPID=0"),
      );
      await recordsAll();
      expect(await lastEnd()).toEqual({ kind: "killed", detail: "signal KILL" });
    });

    it("is started anew by the watchdog when it stands still", async () => {
      await host.output(
        "mkdir -p /run/systemd/system/nvrd.service.d && printf '[Service]\\nWatchdogSec=20s\\n' >/run/systemd/system/nvrd.service.d/test.conf && systemctl daemon-reload && systemctl restart nvrd",
      );
      await recordsAll();
      const before = await mainPid();
      await host.output(`kill -STOP ${before}`);
      await host.until("journalctl -u nvrd -o cat --no-pager", (text) => text.includes("Watchdog timeout"));
      await recordsAll();
      expect(await mainPid()).not.toBe(before);
      expect(await lastEnd()).toEqual({ kind: "killed", detail: "the watchdog: it made no progress" });
      await host.output(
        "rm -r /run/systemd/system/nvrd.service.d && systemctl daemon-reload && systemctl restart nvrd",
      );
      await recordsAll();
    });

    it("stops in order", async () => {
      await host.output("systemctl stop nvrd");
      const names = ["Result", "ExecMainStatus", "ActiveState"];
      expect(await host.properties("nvrd", names)).toEqual({
        Result: "success",
        ExecMainStatus: "0",
        ActiveState: "inactive",
      });
      const stop = await host.output("journalctl -u nvrd -o short-unix --no-pager | tail -30");
      const at = (words: string) =>
        Number(
          stop
            .split("\n")
            .findLast((line) => line.includes(words))
            ?.split(" ", 1)[0],
        );
      console.info(`stopped within ${(at("Stopped nvrd") - at("Stopping nvrd")).toFixed(2)} s`);
    });

    it("has lost nothing by all that, and leaves its data its own when root looks", async () => {
      const { status, output } = await host.shell("nvrd check --deep");
      expect([status, output]).toEqual([0, expect.any(String)]);
      expect(await host.output("find /var/lib/nvrd ! -user nvrd")).toBe("");
      await host.output("systemctl start nvrd");
      await recordsAll();
    });

    it("tells the state of the clock by a file, which the service may not ask for", async () => {
      const { ActiveState } = await host.properties("nvrd-clock", ["ActiveState"]);
      expect(ActiveState).toBe("active");
      expect(await inService("ls -d /run/nvrd-clock")).toMatchObject({ status: 0 });
    });

    it.skipIf(noMachine !== undefined)(
      `has the disks' report made by a unit of its own, and reads it${notHere(noMachine)}`,
      async () => {
        // A container has no disks; a machine has one with SMART.
        await host.output("systemctl start nvrd-disks.service");
        const report = await inService("cat /run/nvrd-disks/disks.json");
        expect(report.output).toContain("nvrd-test");
        expect(await host.output("stat -c %U:%a /run/nvrd-disks")).toBe("root:755");
        await host.until(
          "journalctl -u nvrd-disks -p warning -o cat --no-pager",
          (text) => text.length === 0,
        );
      },
    );

    it.skipIf(noMachine !== undefined)(
      `formats the disk that the API is asked to, mounts it and records onto it${notHere(noMachine)}`,
      async () => {
        interface Disks {
          readonly Disks: readonly {
            readonly Device: string;
            readonly Serial: string;
            readonly Volumes: readonly { readonly Path: string; readonly State: string }[];
          }[];
          readonly Work: { readonly State: string; readonly Problem: string | null } | null;
        }
        const disk = async () => {
          const disks = await api<Disks>("GET", "/api/disks");
          return { work: disks.Work, found: disks.Disks.find(({ Serial }) => Serial === DISK_SERIAL) };
        };
        const Device = (await disk()).found?.Device;
        expect(Device).toMatch(/^\/dev\/nvme/);
        await api("POST", "/api/disks/format", { Device, Serial: DISK_SERIAL, Confirm: DISK_SERIAL });
        const patience = { timeout: TEST_TIMEOUT_MS, interval: 1000 };
        await expect.poll(async () => (await disk()).work?.State, patience).not.toBe("Running");
        expect((await disk()).work).toMatchObject({ State: "Done", Problem: null });
        const used = async () => (await disk()).found?.Volumes.find(({ State }) => State === "InUse")?.Path;
        await expect.poll(used, patience).toMatch(/^\/srv\/nvrd-[0-9a-f]{8}$/);
        await api("POST", "/api/disks/retire", { Path: "/var/lib/nvrd/volume", Retired: true });
        const recorded = `find ${await used()} -name '*.seg' -size +100k | wc -l`;
        await host.until(recorded, (text) => Number(text) >= CAMERAS);
        await host.output("systemctl restart nvrd");
        await expect.poll(used, patience).toMatch(/^\/srv\//);
        await api("POST", "/api/disks/retire", { Path: "/var/lib/nvrd/volume", Retired: false });
        expect(await host.output("journalctl -u nvrd-disk-keeper@* -p warning -o cat --no-pager")).toBe("");
      },
    );

    it("keeps everything over an upgrade, which ends with the new version recording", async () => {
      const names = "/var/lib/nvrd/root-password /etc/nvrd/nvrd.json";
      await host.output('echo \'{ "dataDir": "/var/lib/nvrd", "eventDays": 100 }\' > /etc/nvrd/nvrd.json');
      const [kept, pid, segments] = [
        await host.output(`md5sum ${names}`),
        await mainPid(),
        await host.output("ls /var/lib/nvrd/volume/streams/*/*/* | wc -l"),
      ];
      await install(basename(newPackage));
      await recordsAll();
      expect(await mainPid()).not.toBe(pid);
      expect(await host.output(`md5sum ${names}`)).toBe(kept);
      expect(
        Number(await host.output("ls /var/lib/nvrd/volume/streams/*/*/* | wc -l")),
      ).toBeGreaterThanOrEqual(Number(segments));
      expect(await host.output("dpkg-query -W nvrd")).not.toContain(OLD_VERSION);
    });

    it("keeps the compiled code of its first start, where nobody else can write", async () => {
      const stat = "stat -c '%U %a' /var/cache/nvrd /var/cache/nvrd/code.cache";
      await host.until(stat, (text) => text === "nvrd 700\nnvrd 600");
    });

    it("stops when it is removed, and keeps settings, state and recordings", async () => {
      await host.output("apt-get remove -y nvrd");
      expect((await host.shell("ls /var/cache/nvrd")).status).not.toBe(0);
      expect((await host.shell("pgrep -u nvrd")).output).toBe("");
      expect(await host.output("ls /etc/nvrd/nvrd.json /var/lib/nvrd/root-password")).not.toBe("");
      expect((await host.shell("systemctl status nvrd")).output).not.toContain("Active: active");
    });

    it("leaves only recordings when it is purged, and says so", async () => {
      const said = await host.output("apt-get purge -y nvrd");
      expect(said).toContain("recordings are left in /var/lib/nvrd/volume");
      expect((await host.shell("ls /etc/nvrd")).status).not.toBe(0);
      expect(await host.output("ls -A /var/lib/nvrd")).toBe("volume");
      expect(Number(await host.output("find /var/lib/nvrd -name '*.seg' | wc -l"))).toBeGreaterThan(0);
    });

    it("takes root's first password from a credential", async () => {
      await host.output(
        "rm -r /var/lib/nvrd; mkdir -p -m 700 /etc/credstore; echo given-password >/etc/credstore/nvrd.root-password",
      );
      await install(basename(newPackage));
      await host.until("systemctl is-active nvrd", (text) => text === "active");
      expect((await host.shell("ls /var/lib/nvrd/root-password")).status).not.toBe(0);
      // Without cameras to add it only logs in and reads.
      await host.output("/usr/lib/nvrd/bin/node /packages/add-cameras.mjs given-password");
    });
  },
);
