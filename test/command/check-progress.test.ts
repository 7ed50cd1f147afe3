import { expect, test } from "vitest";
import type { CheckProgress } from "../../src/archive/index.js";
import { ProgressLine } from "../../src/command/progress-line.js";
import { CheckProgressText } from "../../src/service/part/record/check-progress.js";
import { ManualClock } from "../support/base/manual-clock.js";

function progress(share: number, files: number, rest: Partial<CheckProgress> = {}): CheckProgress {
  return { phase: "files", share, files, records: 0, bytes: 0, ...rest };
}

function progressLines() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const text = new CheckProgressText(clock, (line) => lines.push(line));
  clock.advance(1000);
  return { clock, lines, text };
}

test("progress says how much, how fast, and how long it will take", () => {
  const { clock, lines, text } = progressLines();
  text.note(progress(0, 0));
  clock.advance(10_000);
  text.note(progress(0.25, 5000));
  expect(lines).toEqual(["0 % files: 0", "25 % files: 5000, 500/s, 30 s left"]);
});

test("what is read whole is reported in megabytes a second, long times in minutes and hours", () => {
  const { clock, lines, text } = progressLines();
  text.note(progress(0, 0));
  clock.advance(60_000);
  text.note(progress(0.1, 60, { bytes: 6e9 }));
  clock.advance(60_000);
  text.note(progress(0.1201, 120, { bytes: 12e9 }));
  expect(lines[1]).toBe("10 % files: 60, 1/s, 100 MB/s, 9 min left");
  clock.advance(86_400_000);
  text.note(progress(0.5, 200, { bytes: 13e9 }));
  expect(lines[3]).toContain("24.0 h left");
});

test("the records are a phase of their own, counted from its beginning", () => {
  const { clock, lines, text } = progressLines();
  text.note(progress(1, 100));
  clock.advance(5000);
  text.note(progress(0, 100, { phase: "records", records: 0 }));
  clock.advance(1000);
  text.note(progress(0.5, 100, { phase: "records", records: 700 }));
  expect(lines.at(-1)).toBe("50 % records: 700, 700/s, 1 s left");
});

test("lines come twice a second at the most", () => {
  const { clock, lines, text } = progressLines();
  for (let at = 0; at < 100; at++) {
    text.note(progress(at / 100, at));
    clock.advance(50);
  }
  expect(lines).toHaveLength(10);
});

test("a terminal gets one line with a bar that changes in place and is taken off in the end", () => {
  let written = "";
  const line = new ProgressLine({ isTTY: true, columns: 60, write: (text) => (written += text) }, () => 0);
  line.show("50 % files: 7");
  expect(written).toBe(`\r[############............] 50 % files: 7\u001b[K`);
  line.show(`100 % ${"x".repeat(100)}`);
  expect(written.split("\r").at(-1)).toHaveLength(59 + "\u001b[K".length);
  line.end();
  line.end();
  expect(written.endsWith("\r\u001b[K")).toBe(true);
  expect(written).not.toContain("\n");
});

test("a file or a pipe gets plain lines, one each ten seconds", () => {
  const written: string[] = [];
  let nowMs = 0;
  const line = new ProgressLine({ write: (text) => written.push(text) }, () => nowMs);
  for (; nowMs < 25_000; nowMs += 500) line.show(`${nowMs} % files`);
  line.end();
  expect(written).toEqual(["0 % files\n", "10000 % files\n", "20000 % files\n"]);
});
