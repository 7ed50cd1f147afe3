import { mkdirSync, statfsSync, statSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import { DiskKeeper, keeperClient, SystemDiskTools, serveKeeper } from "../../../src/box/storage/index.js";
import { SystemFiles } from "../../../src/health/index.js";
import { temporaryDirectory } from "../../support/archive/archive-fixture.js";
import { notHere } from "../../support/base/not-here.js";
import { LoopDisk, loopDiskMissing, run } from "../../support/disk/loop-disk.js";

const DISK_BYTES = 64 * 1024 * 1024;
const OWNER_ID = 4321;

const clock = new SystemClock();
const log = createLog({ level: "silent" });
let directory: ReturnType<typeof temporaryDirectory>;
let socketPath: string;
let server: Server;

/** As systemd does it: a keeper of its own for each connection. */
beforeEach(async () => {
  directory = temporaryDirectory();
  socketPath = join(directory.path, "keeper.sock");
  const tools = new SystemDiskTools(clock);
  const owner = `${OWNER_ID}:${OWNER_ID}`;
  const files = new SystemFiles();
  server = createServer({ allowHalfOpen: true }, (socket) => {
    const keeper = new DiskKeeper({ files, tools, owner, log, takesLoopDevices: true });
    void serveKeeper({ input: socket, output: socket, keeper, clock, log });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  directory.remove();
});

const missing = loopDiskMissing();
describe.skipIf(missing !== undefined)(`a loop device as the disk${notHere(missing)}`, () => {
  let disk: LoopDisk;

  beforeEach(() => {
    disk = LoopDisk.attach(DISK_BYTES);
  });

  afterEach(() => disk.remove());

  it("gets an inode for each 128 KiB, so that short segments use up its bytes first", async () => {
    const format = keeperClient(socketPath, clock);
    const label = await format({ device: disk.device, serial: "", eraseFound: false });
    const mountPoint = join(directory.path, label);
    mkdirSync(mountPoint);
    disk.mount(mountPoint);
    try {
      expect(statfsSync(mountPoint).files).toBeGreaterThanOrEqual(DISK_BYTES / (128 * 1024));
    } finally {
      run("umount", [mountPoint]);
    }
  });

  it("gets a file system of the recorder's user, is refused while mounted, and again for what it holds", async () => {
    const format = keeperClient(socketPath, clock);
    const order = { device: disk.device, serial: "", eraseFound: false };
    const label = await format(order);
    expect(run("blkid", ["-p", "-o", "value", "-s", "LABEL", disk.device]).trim()).toBe(label);
    const mountPoint = join(directory.path, label);
    mkdirSync(mountPoint);
    disk.mount(mountPoint);
    try {
      expect(statSync(mountPoint).uid).toBe(OWNER_ID);
      const inUse = { code: "CONFLICT", message: expect.stringContaining(disk.device) };
      await expect(format({ ...order, eraseFound: true })).rejects.toMatchObject(inUse);
    } finally {
      run("umount", [mountPoint]);
    }
    const found = { code: "CONFLICT", message: expect.stringContaining(label) };
    await expect(format(order)).rejects.toMatchObject(found);
    expect(await format({ ...order, eraseFound: true })).not.toBe(label);
  });

  it("keeps what it holds when its table of partitions may not go", async () => {
    run("sh", ["-c", `printf 'label: gpt\\nsize=8M\\n' | sfdisk -q --no-reread ${disk.device}`]);
    const format = keeperClient(socketPath, clock);
    const found = { code: "CONFLICT", message: expect.stringContaining("gpt") };
    await expect(format({ device: disk.device, serial: "", eraseFound: false })).rejects.toMatchObject(found);
    expect(run("blkid", ["-p", "-o", "value", "-s", "PTTYPE", disk.device]).trim()).toBe("gpt");
  });
});

async function answerTo(text: string): Promise<unknown> {
  const socket = connect(socketPath);
  let answer = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    answer += chunk;
  });
  socket.once("error", () => undefined); // it may be closed before all is sent
  socket.end(text);
  await new Promise((resolve) => socket.once("close", resolve));
  return JSON.parse(answer);
}

describe("an order is refused that", () => {
  it.each([
    ["is no JSON", "format /dev/sda\n"],
    [
      "is of another version",
      '{"version":2,"action":"format","device":"/dev/sda","serial":"","eraseFound":true}\n',
    ],
    [
      "has members more",
      '{"version":1,"action":"format","device":"/dev/sda","serial":"","eraseFound":true,"x":1}\n',
    ],
    [
      "is another action",
      '{"version":1,"action":"mount","device":"/dev/sda","serial":"","eraseFound":true}\n',
    ],
    ["does not end", '{"version":1'],
    [
      "names a disk with a path of its own",
      '{"version":1,"action":"format","device":"/dev/../dev/sda","serial":"","eraseFound":true}\n',
    ],
  ])("%s", async (_title, text) => {
    expect(await answerTo(text)).toMatchObject({ error: { code: "BAD_REQUEST" } });
  });

  it("is longer than an order", async () => {
    expect(await answerTo("x".repeat(5000))).toMatchObject({ error: { code: "TOO_LARGE" } });
  });
});

it("a keeper that is not there is reported with what to do", async () => {
  const format = keeperClient(join(directory.path, "none.sock"), clock);
  await expect(format({ device: "/dev/sdb", serial: "", eraseFound: false })).rejects.toMatchObject({
    code: "NOT_AVAILABLE",
    hint: expect.stringContaining("nvrd-disk-keeper.socket"),
  });
});
