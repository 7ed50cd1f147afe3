import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DelayedFile, readSmallFile } from "../../src/base/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const DELAY_MS = 2000;

let directory: string;
let clock: SimulatedClock;
let text: string;
let failures: unknown[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nvrd-delayed-"));
  clock = new SimulatedClock(0);
  text = "first";
  failures = [];
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function delayed(file = join(directory, "notes.json")) {
  const onFailed = (error: unknown) => void failures.push(error);
  return { file, delayed: new DelayedFile({ file, text: () => text, delayMs: DELAY_MS, clock, onFailed }) };
}

describe("a delayed file", () => {
  it("waits for further changes, and is written once with the newest text", async () => {
    const { file, delayed: notes } = delayed();
    notes.changed();
    text = "second";
    notes.changed();
    expect(readSmallFile(file)).toBeUndefined();
    clock.advance(DELAY_MS * 1000);
    await notes.stop();
    expect(readFileSync(file, "utf8")).toBe("second");
  });

  it("is written when the change that may wait least is due, with all of them", async () => {
    const { file, delayed: notes } = delayed();
    notes.changed(5 * DELAY_MS);
    clock.advance(DELAY_MS * 1000);
    expect(readSmallFile(file)).toBeUndefined();
    text = "second";
    notes.changed();
    notes.changed(5 * DELAY_MS);
    clock.advance(DELAY_MS * 1000);
    await expect.poll(() => readSmallFile(file)).toBe("second");
    expect(clock.timers).toBe(0);
  });

  it("has all changes when it is stopped", async () => {
    const { file, delayed: notes } = delayed();
    notes.changed();
    await notes.stop();
    expect(readFileSync(file, "utf8")).toBe("first");
  });

  it("is not written where nothing changed", async () => {
    const { file, delayed: notes } = delayed();
    await notes.stop();
    expect(readSmallFile(file)).toBeUndefined();
  });

  it("tells a failure once, and is tried again with the next change", async () => {
    const { delayed: notes } = delayed(join(directory, "none", "notes.json"));
    for (let count = 0; count < 3; count += 1) {
      notes.changed();
      await notes.stop();
    }
    expect(failures).toHaveLength(1);
  });
});
