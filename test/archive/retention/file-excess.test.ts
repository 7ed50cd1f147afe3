import { expect, it } from "vitest";
import { FileExcess, type FileUse } from "../../../src/archive/retention/file-excess.js";

/** Of 8,000 files 1,000 stay free. */
const TOTAL = 8000;

const use = (free: number, more: Partial<FileUse> = {}): FileUse => ({
  ...{ space: { files: { total: TOTAL, free } }, refused: 0, lacksBytes: false },
  ...more,
});
/** A disk that has no count of its files. */
const uncounted = (refused: number, lacksBytes = false): FileUse => ({ space: {}, refused, lacksBytes });

it("nothing is removed while as many files are free as stay so, and otherwise what is lacking", () => {
  const firstTurn = (free: number): number => new FileExcess().files(use(free));
  expect([5000, 1000, 999, 0].map(firstTurn)).toEqual([0, 0, 1, 1000]);
});

it("files are removed for half as many again as came since the last turn, and slowly fewer when none come", () => {
  const excess = new FileExcess();
  expect(excess.files(use(1000))).toBe(0);
  expect(excess.files(use(900))).toBe(100 + 150);
  excess.settle(250);
  expect(excess.files(use(1150))).toBe(0);
  expect(excess.files(use(1150))).toBe(0);
  expect(excess.files(use(1000))).toBe(225);
});

it("what was removed does not count as room that was always there", () => {
  const excess = new FileExcess();
  excess.files(use(1000));
  excess.settle(300);
  // 300 were removed and 40 came.
  expect(excess.files(use(1260))).toBe(0);
  expect(excess.files(use(1000))).toBe(390);
});

it("however many come, an eighth of all is the most that is kept free for them", () => {
  const excess = new FileExcess();
  excess.files(use(8000));
  expect(excess.files(use(500))).toBe(500 + 1000);
});

it("a disk that refuses files is believed before its count: sixteen a turn, for five turns", () => {
  const excess = new FileExcess();
  const turns = [1, 2, 3, 4, 5].map((refused) => excess.files(uncounted(refused)));
  expect(turns).toEqual([16, 16, 16, 16, 16]);
  expect(excess.isHopeless).toBe(false);
  expect(excess.files(uncounted(6))).toBe(0);
  expect(excess.isHopeless).toBe(true);
  expect(excess.files(uncounted(6))).toBe(0);
  expect(excess.isHopeless).toBe(false);
  expect(excess.files(uncounted(7))).toBe(16);
});

it("a disk that is short of bytes refuses files for that", () => {
  const excess = new FileExcess();
  expect(excess.files(uncounted(3, true))).toBe(0);
  expect(excess.files(uncounted(3))).toBe(0);
  expect(new FileExcess().files(use(4000, { refused: 1 }))).toBe(16);
});
