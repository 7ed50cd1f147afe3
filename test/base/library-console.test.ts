import { expect, it } from "vitest";
import { createLog, LibraryConsole } from "../../src/base/index.js";

function bench() {
  const lines: string[] = [];
  const printed: unknown[] = [];
  const target = { error: (...values: unknown[]) => void printed.push(...values) };
  const log = createLog({
    level: "warn",
    copy: (line) => void lines.push(line),
    destination: { write: () => undefined },
  });
  return { lines, printed, target, library: new LibraryConsole(target, log) };
}

it("what a library prints is a line of the log, without a stack", () => {
  const { lines, printed, target, library } = bench();
  library.start();
  target.error("commit:", new Error("EIO:\ni/o error"));
  expect(printed).toEqual([]);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: 40, msg: "commit: EIO: i/o error" });
});

it("console.error is given back at the end", () => {
  const { lines, printed, target, library } = bench();
  library.start();
  library.stop();
  target.error("again");
  expect([lines, printed]).toEqual([[], ["again"]]);
});
