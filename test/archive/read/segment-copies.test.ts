import { expect, it } from "vitest";
import { type SegmentReading, VolumeError } from "../../../src/archive/index.js";
import { SegmentCopies } from "../../../src/archive/read/segment-copies.js";
import { NvrdError } from "../../../src/base/index.js";
import { segmentOf } from "../../support/archive/segment-fixtures.js";

const AWAY = new NvrdError("NOT_AVAILABLE", "no link");
const GONE = new VolumeError("ENOENT", "gone");
const OPENED = { headerBytes: 128, fromUs: 0, provisionalOffsetUs: undefined } as never;
const READ = { wholeBytes: 10, neededBytes: 0, damaged: false } as never;
const SEGMENT = segmentOf();
const REQUEST = { handle: 7, position: 128, limit: 1000, memory: new SharedArrayBuffer(8) };

interface Copy extends SegmentReading {
  opens: number;
  closes: number;
}

/** A copy whose opening or reading fails with an error. */
function copy(faults: { readonly open?: Error; readonly read?: Error } = {}): Copy {
  return {
    opens: 0,
    closes: 0,
    async open() {
      this.opens += 1;
      if (faults.open !== undefined) throw faults.open;
      return OPENED;
    },
    async read() {
      if (faults.read !== undefined) throw faults.read;
      return READ;
    },
    close() {
      this.closes += 1;
    },
  };
}

it.each([AWAY, GONE])("opens the second copy when the first cannot be opened: %s", async (fault) => {
  const second = copy();
  const copies = new SegmentCopies([copy({ open: fault }), second]);
  expect(await copies.open(SEGMENT, 7)).toBe(OPENED);
  expect(await copies.read(REQUEST)).toBe(READ);
  copies.close(7);
  expect(second).toMatchObject({ opens: 1, closes: 1 });
});

it("goes on with the second copy when the first fails in the middle", async () => {
  const first = copy({ read: AWAY });
  const second = copy();
  const copies = new SegmentCopies([first, second]);
  await copies.open(SEGMENT, 7);
  expect(await copies.read(REQUEST)).toBe(READ);
  expect([first, second]).toMatchObject([{ closes: 1 }, { opens: 1, closes: 0 }]);
});

it("fails with what may pass when no copy can be read", async () => {
  const copies = new SegmentCopies([copy({ open: AWAY }), copy({ open: GONE })]);
  await expect(copies.open(SEGMENT, 7)).rejects.toBe(AWAY);
  const later = new SegmentCopies([copy({ read: AWAY }), copy({ open: GONE })]);
  await later.open(SEGMENT, 7);
  await expect(later.read(REQUEST)).rejects.toBe(AWAY);
});

it("opens no other copy for a reader that has left", async () => {
  const second = copy();
  const copies = new SegmentCopies([copy({ open: new VolumeError("CLOSED", "left") }), second]);
  await expect(copies.open(SEGMENT, 7)).rejects.toMatchObject({ code: "CLOSED" });
  expect(second.opens).toBe(0);
});
