import { expect, it } from "vitest";
import { createLog, LOG_RING_BYTES_MAX, LOG_RING_LINE_LENGTH_MAX, LogRing } from "../../src/base/index.js";

it("the newest lines are kept, oldest first", () => {
  const ring = new LogRing(3);
  for (let line = 1; line <= 7; line++) ring.add(`${line}\n`);
  expect(ring.lines()).toEqual(["5\n", "6\n", "7\n"]);
});

it("a long line is cut, and the sum of the lines is limited", () => {
  const ring = new LogRing(5000);
  ring.add("x".repeat(1_000_000));
  expect(ring.lines()[0]?.length).toBeLessThan(LOG_RING_LINE_LENGTH_MAX + 10);
  for (let line = 0; line < 20_000; line++) ring.add(`${line} ${"y".repeat(1000)}\n`);
  const lines = ring.lines();
  expect(lines.join("").length).toBeLessThanOrEqual(LOG_RING_BYTES_MAX);
  expect(lines.length).toBeGreaterThan(500);
  expect(lines.at(-1)?.startsWith("19999 ")).toBe(true);
  const numbers = lines.map((line) => Number(line.split(" ")[0]));
  expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
});

it("gets each line of the log, those of its children too, with secrets left out", () => {
  const ring = new LogRing();
  const written: string[] = [];
  const log = createLog({
    level: "info",
    destination: { write: (line) => written.push(line) },
    copy: (line) => ring.add(line),
  });
  log.info({ password: "hush" }, "one");
  log.child({ room: "x" }).warn("two");
  log.debug("not told");
  expect(ring.lines()).toEqual(written);
  expect(written.join("")).not.toContain("hush");
  expect(written).toHaveLength(2);
});
