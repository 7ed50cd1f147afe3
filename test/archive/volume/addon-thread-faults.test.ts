import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SyncerMessage, WriterMessage } from "../../../src/archive/disk/volume-messages.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { runToEnd } from "../../support/service/background-process.js";

const SUPPORT = join(REPOSITORY_ROOT, "test/support/archive");
const HEADER = "HEADER";

type Writing = { readonly op: "write"; readonly records: readonly (readonly [number, number, string])[] };
type Opening = Omit<Extract<WriterMessage, { op: "open" }>, "header"> & { readonly header: string };
type Order = readonly ["writer", Writing | Opening | WriterMessage] | readonly ["syncer", SyncerMessage];

let library = "";
let libraryDirectory: TemporaryDirectory;
let directory: TemporaryDirectory;

beforeAll(async () => {
  libraryDirectory = new TemporaryDirectory("failing-calls");
  library = libraryDirectory.join("failing-calls.so");
  await runToEnd("gcc", ["-O1", "-shared", "-fPIC", "-w", "-o", library, join(SUPPORT, "failing-calls.c")]);
  return () => libraryDirectory.remove();
});

beforeEach(() => {
  directory = new TemporaryDirectory("addon-thread");
  mkdirSync(directory.join("open"));
});

afterEach(() => directory.remove());

const open = (slot: number, path = pathOf(slot)): Order => [
  "writer",
  { op: "open", slot, path, header: HEADER, crcSeed: 1, preallocateBytes: 65_536 },
];
const write = (...records: Writing["records"]): Order => ["writer", { op: "write", records }];
const sync = (...slots: number[]): Order => [
  "syncer",
  { op: "sync", files: slots.map((slot) => ({ slot, path: pathOf(slot), bytes: 10 })) },
];
const close = (slot: number): Order => ["syncer", { op: "close", slot, path: pathOf(slot), bytes: 10 }];
const move = (...slots: number[]): Order => [
  "syncer",
  {
    op: "rename",
    id: 7,
    files: slots.map((slot) => ({ from: pathOf(slot), to: `streams/a/b/${slot}.seg` })),
  },
];

function pathOf(slot: number): string {
  return `open/${slot}.seg`;
}

/** The answers to the orders, with calls that fail as `fail` says. */
async function answersOf(fail: string, ...orders: Order[]): Promise<unknown[]> {
  const child = join(SUPPORT, "addon-thread-child.mjs");
  const env = { ...process.env, LD_PRELOAD: library, NVRD_FAIL: fail };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [child, directory.path, JSON.stringify(orders)],
    { env },
  );
  return JSON.parse(stdout) as unknown[];
}

const textOf = (path: string) => readFileSync(directory.join(path), "utf8");

describe("the addon's threads of a volume", () => {
  it("write, sync, close and move a segment", async () => {
    const answers = await answersOf(
      "",
      open(1),
      write([1, 6, "abcd"]),
      sync(1),
      ["writer", { op: "release", slot: 1 }],
      close(1),
      move(1),
    );
    expect(answers).toEqual([
      { op: "written", batch: 0 },
      { op: "synced", slots: [1], errors: [], last: true },
      { op: "closed", slot: 1 },
      { op: "reply", id: 7 },
    ]);
    expect(textOf("streams/a/b/1.seg")).toBe(`${HEADER}abcd`);
  });

  it("goes on where a call wrote a part", async () => {
    await answersOf(
      "pwritev:2:short",
      open(1),
      write([1, 6, "abcdefgh"]),
      ["writer", { op: "release", slot: 1 }],
      close(1),
    );
    expect(textOf(pathOf(1))).toBe(`${HEADER}abcd`); // closed at 10 bytes
    await answersOf("pwritev:2:short", open(2), write([2, 6, "abcdefgh"]));
    expect(textOf(pathOf(2))).toBe(`${HEADER}abcdefgh`);
  });

  it("report a segment that could not be written, and write no more to it, but to the others", async () => {
    const answers = await answersOf(
      "pwritev:3:EIO",
      open(1),
      open(2),
      write([1, 6, "a"]),
      write([1, 7, "b"]),
    );
    const error = {
      slot: 1,
      code: "EIO",
      message: `write ${pathOf(1)}: EIO: Input/output error, pwritev`,
    };
    expect(answers).toEqual([
      { op: "written", batch: 0, errors: [error] },
      { op: "written", batch: 0, errors: [error] },
    ]);
    expect(textOf(pathOf(1))).toBe(HEADER);
  });

  it.each([
    ["open:1:ENOSPC", { code: "ENOSPC", isCreation: true }],
    ["open:1:EMFILE", { code: "EMFILE", isCreation: true }],
    ["pwritev:1:ENOSPC", { code: "ENOSPC" }],
  ])("tell with its first write that a segment could not be made: %s", async (fail, error) => {
    const [written] = await answersOf(fail, open(1), write([1, 6, "a"]));
    expect(written).toMatchObject({ op: "written", errors: [{ slot: 1, ...error }] });
    expect((written as { errors: object[] }).errors[0]).toHaveProperty(
      "message",
      expect.stringContaining("create open/1.seg: "),
    );
  });

  it("do without preallocation where the disk has none, and say so once", async () => {
    const answers = await answersOf(
      "fallocate:1:EOPNOTSUPP",
      open(1),
      open(2),
      write([1, 6, "a"], [2, 6, "b"]),
    );
    expect(answers).toEqual([
      { op: "note", message: "segments are not preallocated: EOPNOTSUPP" },
      { op: "written", batch: 0 },
    ]);
  });

  it("preallocate again when a disk that was full has room", async () => {
    const answers = await answersOf("fallocate:1:ENOSPC", open(1), write([1, 6, "a"]));
    expect(answers).toEqual([{ op: "written", batch: 0 }]);
  });

  it("sync nothing any more of a segment whose sync failed, and tell it again", async () => {
    const answers = await answersOf(
      "fdatasync:1:EIO",
      open(1),
      write([1, 6, "a"]),
      sync(1),
      sync(1),
      close(1),
    );
    const error = { slot: 1, code: "EIO", message: `sync ${pathOf(1)}: EIO: Input/output error, fdatasync` };
    expect(answers.slice(1)).toEqual([
      { op: "synced", slots: [], errors: [error], last: true },
      { op: "synced", slots: [], errors: [error], last: true },
      { op: "closed", slot: 1, error },
    ]);
  });

  it("do not take a file for durable whose name is not", async () => {
    const answers = await answersOf("fsync:1:EIO", open(1), write([1, 6, "a"]), sync(1));
    expect(answers[1]).toMatchObject({ slots: [], errors: [{ slot: 1, code: "EIO" }] });
  });

  it("report the segments that could be synced beside one that is gone", async () => {
    const answers = await answersOf("", open(1), write([1, 6, "a"]), sync(2, 1));
    expect(answers[1]).toMatchObject({
      slots: [1],
      errors: [
        { slot: 2, code: "ENOENT", message: expect.stringContaining("open open/2.seg for its sync: ") },
      ],
    });
  });

  it.each(["ftruncate:1:EIO", "fdatasync:1:ENOSPC"])(
    "tell that a segment could not be closed: %s",
    async (fail) => {
      const [, closed] = await answersOf(fail, open(1), write([1, 6, "a"]), close(1));
      expect(closed).toMatchObject({ op: "closed", slot: 1, error: { slot: 1, code: fail.split(":")[2] } });
    },
  );

  it("report a file whose descriptor could not be closed", async () => {
    const answers = await answersOf("close:1:EIO", open(1), ["writer", { op: "release", slot: 1 }], write());
    expect(answers[0]).toEqual({ op: "note", message: `close ${pathOf(1)}: EIO` });
  });

  it("answer a move that failed with the error", async () => {
    const answers = await answersOf("rename:1:EROFS", open(1), write([1, 6, "a"]), move(1));
    expect(answers[1]).toMatchObject({ op: "reply", id: 7, error: { code: "EROFS" } });
  });

  it("move what is there and leave out what was moved before", async () => {
    const answers = await answersOf("", open(1), write([1, 6, "a"]), move(1), move(1));
    expect(answers.slice(1)).toEqual([
      { op: "reply", id: 7 },
      { op: "reply", id: 7 },
    ]);
    expect(readdirSync(directory.join("streams/a/b"))).toEqual(["1.seg"]);
  });

  const made: readonly (readonly [name: string, orders: Order[], answer: object])[] = [
    ["a segment", [open(1), write([1, 6, "a"])], { errors: [{ code: "VOLUME_GONE", isCreation: true }] }],
    ["a directory", [move(1)], { error: { code: "VOLUME_GONE" } }],
  ];
  it.each(made)("make nothing on another device than the volume's: %s", async (_name, orders, answer) => {
    writeFileSync(directory.join("volume.json"), "{}");
    const { dev, mtimeMs } = statSync(directory.join("volume.json"));
    expect(await answersOf("", ...pins(dev + 1, mtimeMs), ...orders)).toMatchObject([answer]);
    expect(readdirSync(directory.path)).toEqual(["open", "volume.json"]);
  });

  it.each(made)(
    "make nothing on another disk that has the volume's device number now: %s",
    async (_name, orders, answer) => {
      writeFileSync(directory.join("volume.json"), "{}");
      const { dev, mtimeMs } = statSync(directory.join("volume.json"));
      expect(await answersOf("", ...pins(dev, mtimeMs - 0.001), ...orders)).toMatchObject([answer]);
      expect(readdirSync(directory.path)).toEqual(["open", "volume.json"]);
    },
  );

  it.each(made)("make nothing where no volume is any more: %s", async (_name, orders, answer) => {
    expect(await answersOf("", ...pins(statSync(directory.path).dev, 0), ...orders)).toMatchObject([answer]);
    expect(readdirSync(directory.path)).toEqual(["open"]);
  });

  it("make what they are told where the volume is as it was", async () => {
    writeFileSync(directory.join("volume.json"), "{}");
    const { dev, mtimeMs } = statSync(directory.join("volume.json"));
    const answers = await answersOf("", ...pins(dev, mtimeMs), open(1), write([1, 6, "a"]), move(1));
    expect(answers.at(-1)).toEqual({ op: "reply", id: 7 });
    expect(readdirSync(directory.join("streams/a/b"))).toEqual(["1.seg"]);
  });

  it("make what they are told where its identity file was touched or put back", async () => {
    writeFileSync(directory.join("volume.json"), `{ "id": "${VOLUME_ID}" }`);
    const { dev, mtimeMs } = statSync(directory.join("volume.json"));
    const orders = [...pins(dev, mtimeMs - 1000), open(1), write([1, 6, "a"]), move(1)];
    expect((await answersOf("", ...orders)).at(-1)).toEqual({ op: "reply", id: 7 });
    expect(readdirSync(directory.join("streams/a/b"))).toEqual(["1.seg"]);
  });
});

const VOLUME_ID = "0d5ab0c2-94a8-4c3e-8a2f-2f6d8f0f9a11";

/** Both threads' volume lies there. */
function pins(device: number, identityMs: number): readonly Order[] {
  const place = { device, identityMs, volumeId: VOLUME_ID };
  return [
    ["writer", { op: "pin", place }],
    ["syncer", { op: "pin", place }],
  ];
}
