import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeBundle } from "../../../scripts/make-bundle.mjs";
import { makeUpdateKeys } from "../../../scripts/update-keys.mjs";
import { addUpdateParts } from "../../../scripts/update-tree.mjs";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { BackgroundProcess, freePorts } from "../../support/service/background-process.js";
import { pause } from "../../support/service/service.js";
import {
  bootMachineMissing,
  FIRMWARES,
  type Firmware,
  fetchBootParts,
  firmwareArguments,
} from "../../support/update/boot-machine.js";

/*
 * The image of `npm run image` in an emulated ARM64 machine with real firmware, systemd-boot, RAUC and dm-verity: it takes an
 * update, and rolls a broken one back, within the limits of the image as it is. `npm run torture -- update`; on a slow machine
 * NVRD_TEST_UPDATE_FIRMWARE is one of the two.
 */

/** The folder with the image and the root of its slot; default: where the build leaves them. */
const IMAGES = process.env.NVRD_TEST_UPDATE_IMAGES ?? join(REPOSITORY_ROOT, "build", "image");
const ASKED = process.env.NVRD_TEST_UPDATE_MACHINE !== undefined;
/** Emulation on a busy machine is a hundred times slower than a box; the box's own limits are what they are. */
const BOOT_MS = 1_500_000;
const PHASE_MS = 3_600_000;
const POLL_MS = 3000;
const SECTOR_BYTES = 512;
const DISK_BYTES = "8G";
const squashfs = existsSync(IMAGES)
  ? readdirSync(IMAGES).find((name) => name.endsWith("generic-arm64.squashfs"))
  : undefined;
const missing = !ASKED
  ? "it takes an hour: npm run torture -- update"
  : process.getuid?.() !== 0
    ? "needs root"
    : squashfs === undefined
      ? `no image in ${IMAGES}: npm run image`
      : bootMachineMissing();
const only = process.env.NVRD_TEST_UPDATE_FIRMWARE;
const CHOSEN = FIRMWARES.filter((name) => only === undefined || only === name);

let directory: TemporaryDirectory;
let machine: BackgroundProcess | undefined;
let port: number;
let auth: string;

interface State {
  readonly Supported: boolean;
  readonly Phase: string;
  readonly Slot: string;
  readonly Message: string;
  readonly Version: string | null;
}

const run = (program: string, args: readonly string[]): string =>
  execFileSync("nice", ["-n", "10", program, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Roots like the image's with keys of this test, in other versions. */
function makeRoots(): void {
  const tree = directory.join("tree");
  run("unsquashfs", ["-q", "-n", "-d", tree, join(IMAGES, squashfs ?? "")]);
  makeUpdateKeys(directory.join("keys"), "nvrd test");
  addUpdateParts(tree, { compatible: "nvrd-generic-arm64", keyring: directory.join("keys", "keyring.pem") });
  pack(tree, "0.1.0");
  pack(tree, "0.2.0");
  // Nothing of nvrd starts, its health gate neither: the unit's failure ends the trial.
  writeFileSync(join(tree, "usr/lib/nvrd/dist/cli.js"), 'throw new Error("a broken release");\n');
  pack(tree, "0.3.0");
  rmSync(tree, { recursive: true });
}

function pack(tree: string, version: string): void {
  const file = join(tree, "usr/lib/nvrd-image/image.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version }));
  const root = directory.join(`${version}.squashfs`);
  run("mksquashfs", [tree, root, "-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", "3"]);
  if (version === "0.1.0") return;
  const part = (name: string): string => directory.join("keys", `${name}.pem`);
  const keys = { key: part("key"), cert: part("cert"), keyring: part("keyring") };
  makeBundle({ root, out: directory.join(`${version}.raucb`), keys });
}

/** The image with version 0.1.0 in slot a. */
function makeDisk(): string {
  const disk = directory.join("disk.img");
  const image = join(IMAGES, (squashfs ?? "").replace(/squashfs$/, "img"));
  run("cp", ["--sparse=always", image, disk]);
  // The first boot grows the data partition to the end of the disk: bundles need room.
  run("truncate", ["-s", DISK_BYTES, disk]);
  const start = (number: number): number =>
    Number(/First sector: (\d+)/.exec(run("sgdisk", ["-i", `${number}`, disk]))?.[1]) * SECTOR_BYTES;
  const root = directory.join("0.1.0.squashfs");
  run("dd", [
    `if=${root}`,
    `of=${disk}`,
    "bs=1M",
    `seek=${start(2)}`,
    "oflag=seek_bytes",
    "conv=notrunc",
    "status=none",
  ]);
  return disk;
}

/** As an owner finds it, on the boot partition; the box writes it there at its first start. */
async function initialPassword(disk: string): Promise<string> {
  const deadline = performance.now() + BOOT_MS;
  const start = /First sector: (\d+)/.exec(run("sgdisk", ["-i", "1", disk]))?.[1];
  for (;;) {
    const found = spawnSync(
      "mtype",
      ["-i", `${disk}@@${Number(start) * SECTOR_BYTES}`, "::NVRD-PASSWORD.txt"],
      {
        encoding: "utf8",
      },
    );
    const password = /^Password:\s+(\S+)/m.exec(found.stdout)?.[1];
    if (password !== undefined) return password;
    if (performance.now() > deadline)
      throw new Error(`no password: ${found.stderr}; console:\n${machine?.output.slice(-8000)}`);
    await pause(POLL_MS);
  }
}

function startMachine(disk: string, firmware: Firmware): BackgroundProcess {
  const drives = [
    ...firmwareArguments(firmware, directory.join("vars.fd")),
    "-drive",
    `if=virtio,format=raw,file=${disk}`,
  ];
  const net = `user,id=n,hostfwd=tcp:127.0.0.1:${port}-:8080`;
  const args = ["-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "1536", "-accel", "tcg,thread=multi"];
  const rest = ["-display", "none", "-monitor", "none", "-serial", "stdio", "-netdev", net];
  const card = ["-device", "virtio-net-pci,netdev=n,romfile="];
  return new BackgroundProcess("nice", [
    "-n",
    "10",
    "qemu-system-aarch64",
    ...args,
    ...drives,
    ...rest,
    ...card,
  ]);
}

/** Undefined while the box does not answer. */
async function state(): Promise<State | undefined> {
  try {
    const headers = { Authorization: auth };
    const response = await fetch(`http://127.0.0.1:${port}/api/update`, {
      headers,
      signal: AbortSignal.timeout(60_000),
    });
    return response.ok ? ((await response.json()) as State) : undefined;
  } catch {
    // It restarts.
    return undefined;
  }
}

async function stateWhere(holds: (found: State) => boolean, what: string, timeoutMs: number): Promise<State> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await state();
    if (found !== undefined && holds(found)) return found;
    if (performance.now() > deadline)
      throw new Error(`${what}: last ${JSON.stringify(found)}; console:\n${machine?.output.slice(-8000)}`);
    await pause(POLL_MS);
  }
}

/** By curl, which waits as long as it takes. */
function send(version: string): Promise<string> {
  const args = [
    "-sS",
    "-H",
    `Authorization: ${auth}`,
    "--data-binary",
    `@${directory.join(`${version}.raucb`)}`,
  ];
  const child = spawn("curl", [...args, `http://127.0.0.1:${port}/api/update`]);
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (text: Buffer) => {
      output += text.toString("utf8");
    });
    child.once("error", reject);
    child.once("close", () => resolve(output));
  });
}

function logTime(what: string, sinceMs: number): void {
  console.info(`${what} ${((performance.now() - sinceMs) / 60_000).toFixed(1)} min after it was sent`);
}

describe.skipIf(missing !== undefined).each(CHOSEN)(`the image under %s${notHere(missing)}`, (firmware) => {
  beforeAll(async () => {
    fetchBootParts();
    directory = new TemporaryDirectory("machine-update");
    port = (await freePorts(1))[0] ?? 0;
    makeRoots();
    const disk = makeDisk();
    machine = startMachine(disk, firmware);
    const password = await initialPassword(disk);
    const md5 = createHash("md5").update(password).digest("hex");
    auth = `Basic ${Buffer.from(`root:${md5}`).toString("base64")}`;
    await stateWhere(({ Supported }) => Supported, "the box does not come up", BOOT_MS);
  }, 2 * BOOT_MS);

  afterAll(async () => {
    await machine?.stop("SIGKILL");
    directory?.remove();
  });

  it("takes an update and keeps it", { timeout: 2 * PHASE_MS }, async () => {
    expect(JSON.parse(await send("0.2.0"))).toMatchObject({
      Supported: true,
      Phase: "waiting",
      Version: "0.2.0",
    });
    const isOver = ({ Phase }: State): boolean => ["kept", "rolledBack", "failed"].includes(Phase);
    const sentMs = performance.now();
    const over = await stateWhere(isOver, "the update does not end", PHASE_MS);
    logTime("kept", sentMs);
    expect(over).toMatchObject({ Phase: "kept", Slot: "b", Version: "0.2.0", Message: "" });
  });

  it("rolls back a release that does not start", { timeout: 2 * PHASE_MS }, async () => {
    expect(JSON.parse(await send("0.3.0"))).toMatchObject({ Phase: "waiting", Version: "0.3.0" });
    const isOver = ({ Phase, Version }: State): boolean =>
      Version === "0.3.0" && ["kept", "rolledBack", "failed"].includes(Phase);
    const sentMs = performance.now();
    const over = await stateWhere(isOver, "the update does not end", PHASE_MS);
    logTime("rolled back", sentMs);
    expect(over).toMatchObject({ Phase: "rolledBack", Slot: "b" });
  });
});
