import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createLog, newGuid } from "../../../src/base/index.js";
import { ANNOUNCEMENTS_MAX, Announcements } from "../../../src/camera/talk/announcements.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { MemoryTalk } from "../../support/api/memory/memory-talk.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { makeUnwritable } from "../../support/base/unwritable.js";

const codec = new NativeCodec();

function start() {
  const directory = new TemporaryDirectory("announcements");
  onTestFinished(() => directory.remove());
  const clock = new ManualClock();
  const log = createLog({ level: "silent" });
  const folder = join(directory.join("."), "announcements");
  const open = () =>
    new Announcements({ dataDir: directory.join("."), talk: new MemoryTalk(clock), codec, clock, log });
  return {
    folder,
    open,
    files: () =>
      readdirSync(folder)
        .filter((name) => name !== "kept")
        .sort(),
  };
}

/** A tenth of a second of silence. */
async function* wav() {
  const head = Buffer.alloc(44);
  head.write("RIFF....WAVEfmt ", 0, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt16LE(8, 34);
  head.write("data", 36, "latin1");
  yield Buffer.concat([head, Buffer.alloc(800, 128)]);
}

it("an announcement that the disk does not take is told in words, leaves no file and no entry", async () => {
  const { folder, open, files } = start();
  const announcements = open();
  const kept = await announcements.add("Good morning", wav());
  const giveBack = makeUnwritable(folder);
  await expect(announcements.add("Closing time", wav())).rejects.toMatchObject({
    code: "NOT_AVAILABLE",
    message: expect.stringContaining("the announcement cannot be kept"),
  });
  expect(announcements.list()).toEqual([kept]);
  giveBack();
  expect(files()).toEqual(["list.json", `${kept.id}.ulaw`].sort());
  expect((await announcements.add("Closing time", wav())).name).toBe("Closing time");
});

it("what a power cut left half done is removed with the next announcement", async () => {
  const { folder, open, files } = start();
  const kept = await open().add("Good morning", wav());
  const strays = [`${newGuid()}.ulaw`, `${newGuid()}.ulaw.new`];
  for (const name of strays) writeFileSync(join(folder, name), "half");
  const announcements = open();
  expect(announcements.list()).toEqual([kept]);
  const added = await announcements.add("Closing time", wav());
  expect(files()).toEqual(["list.json", `${added.id}.ulaw`, `${kept.id}.ulaw`].sort());
});

it("a list that cannot be read is kept aside with its sounds, and a new one begins", async () => {
  const { folder, open } = start();
  const lost = await open().add("Good morning", wav());
  writeFileSync(join(folder, "list.json"), "{ half");
  const announcements = open();
  expect(announcements.list()).toEqual([]);
  const added = await announcements.add("Closing time", wav());
  expect(readFileSync(join(folder, "list.json.damaged"), "utf8")).toBe("{ half");
  const later = await open().add("Good night", wav());
  expect(existsSync(join(folder, `${lost.id}.ulaw`))).toBe(true);
  expect(open().list()).toEqual([added, later]);
});

it(`at most ${ANNOUNCEMENTS_MAX} are kept, however many come at once`, async () => {
  const { open, files } = start();
  const announcements = open();
  for (let count = 0; count < ANNOUNCEMENTS_MAX - 1; count += 1)
    await announcements.add(`Number ${count}`, wav());
  const last = await Promise.allSettled([1, 2, 3].map((count) => announcements.add(`Last ${count}`, wav())));
  expect(last.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(announcements.list()).toHaveLength(ANNOUNCEMENTS_MAX);
  expect(files().filter((name) => name.endsWith(".ulaw"))).toHaveLength(ANNOUNCEMENTS_MAX);
});
