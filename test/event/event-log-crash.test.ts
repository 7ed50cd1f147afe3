import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { EVENT_TYPES, type EventRecord } from "../../src/event/index.js";
import { startWriter, WRITER_KILLS } from "../support/base/killed-writer.js";
import { notHere } from "../support/base/not-here.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { printedRandom } from "../support/base/seeded-random.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { LoopMount, loopMountMissing } from "../support/disk/loop-mount.js";
import { found, openEventLog } from "../support/event/event-log-harness.js";

const random = printedRandom("event-log-crash");

const scratch = new TemporaryDirectory("nvrd-events-crash");
afterAll(() => scratch.remove());
const WRITER = "event/event-log-writer.mjs";
const NEVER_MS = "1000000000";

/** The last number that the writer was told is durable; a line cut by the kill does not count. */
function lastDurable(output: string): number {
  const whole = output.slice(0, output.lastIndexOf("\n") + 1);
  return Number(whole.trim().split("\n").at(-1));
}

function numbersOf(records: readonly EventRecord[]): number[] {
  return records.flatMap(({ comment }) =>
    comment.startsWith("number ") ? [Number(comment.slice("number ".length))] : [],
  );
}

test(
  "killed at any moment, the log keeps all that was flushed, and search by type agrees with search by time",
  async () => {
    const directory = scratch.join("killed");
    mkdirSync(directory);
    let first = 0;
    for (let kill = 0; kill < WRITER_KILLS; kill++) {
      const writer = startWriter(WRITER, [directory, String(first), "0", NEVER_MS]);
      await expect.poll(() => writer.output().length, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, random.next() * 100));
      writer.child.kill("SIGKILL");
      await writer.ended;
      const durable = lastDurable(writer.output());
      rmSync(path.join(directory, "events", "unclean-opens"), { force: true });
      const log = await openEventLog(directory);
      const all = await found(log);
      const numbers = numbersOf(all);
      expect(numbers.slice(0, durable + 1)).toEqual(Array.from({ length: durable + 1 }, (_, at) => at));
      // Whole groups or nothing: a flush is one transaction, whatever is beyond the last line.
      expect((numbers.at(-1) ?? 0) % 50).toBe(49);
      const ofTypes: EventRecord[] = [];
      for (const { id } of log.types) ofTypes.push(...(await found(log, { typeIds: new Set([id]) })));
      expect(numbersOf(ofTypes).sort((a, b) => a - b)).toEqual(numbers);
      const sequences = all.map(({ sequence }) => sequence);
      expect(new Set(sequences).size).toBe(sequences.length);
      first = (numbers.at(-1) ?? 0) + 1;
      await log.stop();
    }
  },
  120_000 + WRITER_KILLS * 10_000,
);

const missing = loopMountMissing("tmpfs");
let mount: LoopMount | undefined;

afterAll(() => mount?.remove());

test.skipIf(missing !== undefined)(
  `on a full disk events wait, and are all written when there is room${notHere(missing)}`,
  async () => {
    mount = LoopMount.mount("tmpfs", scratch.path, 2 * 1024 * 1024);
    const tmpfs = mount.mountPoint;
    const filler = path.join(tmpfs, "filler");
    writeFileSync(filler, Buffer.alloc(1_500_000));
    const writer = startWriter(WRITER, [tmpfs, "0", "20000", "50"]);
    await expect.poll(() => writer.errors(), { timeout: PATIENCE_MS }).toContain("cannot be written");
    expect(writer.child.exitCode).toBeNull();
    rmSync(filler);
    execFileSync("mount", ["-o", "remount,size=40m", tmpfs]);
    expect(await writer.ended).toBe(0);
    expect(writer.output()).toContain("end ");
    expect(writer.errors().match(/cannot be written/g)).toHaveLength(1);
    expect(writer.errors()).toContain("is written again");
    const log = await openEventLog(tmpfs, { reserveBytes: 0 });
    const all = await found(log);
    expect(numbersOf(all)).toEqual(Array.from({ length: 20_000 }, (_, at) => at));
    const types = all.map(({ typeId }) => typeId);
    expect(types).toContain(EVENT_TYPES.eventLogFailing.id);
    expect(types).toContain(EVENT_TYPES.eventLogWorks.id);
    await log.stop();
  },
);
