import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { KeptFile } from "../../../src/kept/index.js";
import { type FileToSave, KEPT_DAYS, SavedFiles } from "../../../src/owner/file/saved-files.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const ID = "00000001-0000-4000-8000-000000000001";
const ABOUT: FileToSave = {
  ...{ ownerId: ID, ownerName: "root", channelId: ID, channelName: "Gate", streamTypes: ["Main"] },
  ...{ sound: false, name: "Gate", fromUs: 1, toUs: 2, others: [], speed: 1 },
};
const HEAD = Buffer.from("head");
const DAY_US = 86_400_000_000;

async function opened(roomBytes?: () => Promise<number>) {
  const dataDir = await temporaryDirectory();
  const clock = new SimulatedClock();
  const log = createLog({ level: "error", destination: { write: () => undefined } });
  const files = new SavedFiles({ dataDir, clock, log, ...(roomBytes === undefined ? {} : { roomBytes }) });
  const add = (bytes = 10) =>
    files.add(ABOUT, async (sink) => {
      await sink.requireRoom(bytes);
      await sink.write(Buffer.alloc(bytes, 1));
      return { head: HEAD, mediaBytes: bytes };
    });
  const names = () => readdirSync(`${dataDir}/files`).filter((name) => name !== "list.json");
  return { dataDir, clock, log, files, add, names };
}

describe("files that are kept", () => {
  it("are refused where the disk has no room for them, and nothing is left of them", async () => {
    const { add, names } = await opened(async () => 5_000_000);
    await expect(add(6_000_000)).rejects.toMatchObject({
      code: "NOT_AVAILABLE",
      message: expect.stringMatching(/about 6 MB, and 5 MB are left/),
    });
    expect(names()).toEqual([]);
  });

  it("end where the disk becomes full while they are written", async () => {
    let room = 100_000_000;
    const { files, names } = await opened(async () => room);
    const made = files.add(ABOUT, async (sink) => {
      for (let at = 0; at < 40; at += 1) {
        await sink.write(Buffer.alloc(1_000_000));
        room -= 3_000_000;
      }
      return { head: HEAD, mediaBytes: 40_000_000 };
    });
    await expect(made).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    expect(names()).toEqual([]);
  });

  it("go after some days", async () => {
    const { files, add, clock, names } = await opened();
    await files.start();
    await add();
    await clock.advanceSlowly((KEPT_DAYS - 1) * DAY_US, DAY_US / 24);
    expect(files.list()).toHaveLength(1);
    await clock.advanceSlowly(DAY_US + DAY_US / 12, DAY_US / 24);
    await expect.poll(names).toEqual([]);
    files.stop();
  });

  it("stay as they are where their list cannot be written", async () => {
    const { files, add, names } = await opened();
    const kept = await add();
    vi.spyOn(KeptFile.prototype, "replace").mockRejectedValueOnce(new Error("EIO"));
    await expect(add()).rejects.toThrow("EIO");
    expect(files.list()).toEqual([kept]);
    expect(names().sort()).toEqual([`${kept.id}.head`, `${kept.id}.media`]);
  });

  it("are there though what a power cut left cannot be removed", async () => {
    const { dataDir, files, add } = await opened();
    const { id } = await add();
    mkdirSync(`${dataDir}/files/00000002-0000-4000-8000-000000000002.media/full`, { recursive: true });
    await files.start();
    expect(files.get(id)).toMatchObject(ABOUT);
    files.stop();
  });

  it("are there after a restart, without what a power cut left", async () => {
    const { dataDir, clock, log, add, names } = await opened();
    const { id } = await add();
    mkdirSync(`${dataDir}/files`, { recursive: true });
    writeFileSync(`${dataDir}/files/00000002-0000-4000-8000-000000000002.media`, "half");
    const again = new SavedFiles({ dataDir, clock, log });
    await again.start();
    expect(again.get(id)).toMatchObject(ABOUT);
    expect(names().sort()).toEqual([`${id}.head`, `${id}.media`]);
    again.stop();
  });
});
