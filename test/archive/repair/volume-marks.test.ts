import { describe, expect, it } from "vitest";
import { INDEX_MARK_FILE, VolumeMarks } from "../../../src/archive/repair/volume-marks.js";
import { type Guid, NvrdError } from "../../../src/base/index.js";
import { SILENT_LOG } from "../../support/archive/index-harness.js";
import { NotedVolume } from "../../support/archive/noted-volume.js";
import { volumeOfNumber } from "../../support/archive/segment-fixtures.js";

/** The mark that is in memory, and the one that a power cut leaves. */
class Index {
  mark: Guid | undefined;
  durable: Guid | undefined;
  failsFlush = false;

  markOf(): Guid | undefined {
    return this.mark;
  }

  noteMark(_id: Guid, mark: Guid): void {
    this.mark = mark;
  }

  async flush(): Promise<void> {
    if (this.failsFlush) throw new NvrdError("NOT_AVAILABLE", "the index is stopped");
    this.durable = this.mark;
  }
}

const made = () => {
  const index = new Index();
  const signal = new AbortController().signal;
  return {
    index,
    volume: new NotedVolume(volumeOfNumber(1)),
    marks: new VolumeMarks({ index, signal, log: SILENT_LOG }),
  };
};

/** Fails the nth writing of the volume's note, counted from 1. */
function failWriting(volume: NotedVolume, nth: number): void {
  const { read } = volume.reads;
  let writings = 0;
  volume.reads = {
    read: async (request: { readonly op: string }) => {
      if (request.op === "replace-note") writings += 1;
      if (request.op === "replace-note" && writings === nth)
        throw new NvrdError("NOT_AVAILABLE", "it does not answer");
      return await read(request);
    },
  };
}

describe("the mark of index and volume", () => {
  it("is none on both at first, and one after each renewal", async () => {
    const { index, volume, marks } = made();
    expect(await marks.isCurrent(volume)).toBe(true);
    await marks.renew(volume);
    const first = index.mark;
    expect(await marks.isCurrent(volume)).toBe(true);
    await marks.renew(volume);
    expect(index.mark).not.toBe(first);
    expect(await marks.isCurrent(volume)).toBe(true);
  });

  it("is not given twice at once", async () => {
    const { index, volume, marks } = made();
    await Promise.all([marks.renew(volume), marks.renew(volume)]);
    expect(volume.notes.get(INDEX_MARK_FILE)).toContain(`"marks":["${index.mark}"]`);
  });

  it("of an older copy, of one from before marks, and of none on the volume are not current", async () => {
    const { index, volume, marks } = made();
    await marks.renew(volume);
    const older = index.mark;
    await marks.renew(volume);
    const newer = index.mark;
    for (const mark of [older, undefined]) {
      index.mark = mark;
      expect(await marks.isCurrent(volume)).toBe(false);
    }
    index.mark = newer;
    volume.notes.delete(INDEX_MARK_FILE);
    expect(await marks.isCurrent(volume)).toBe(false);
    volume.notes.set(INDEX_MARK_FILE, "{");
    expect(await marks.isCurrent(volume)).toBe(false);
  });

  it("holds after a power cut at each step of a renewal, of the first one as of others", async () => {
    for (const earlier of [0, 1])
      for (const step of ["before", "flush", "after"]) {
        const { index, volume, marks } = made();
        for (let times = 0; times < earlier; times += 1) await marks.renew(volume);
        index.failsFlush = step === "flush";
        if (step !== "flush") failWriting(volume, step === "before" ? 1 : 2);
        await marks.renew(volume);
        index.mark = index.durable;
        expect(await marks.isCurrent(volume), `${earlier} ${step}`).toBe(true);
      }
  });
});
