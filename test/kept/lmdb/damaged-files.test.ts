import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { rebuildIndex } from "../../../src/archive/repair/rebuild.js";
import { readBootId } from "../../../src/base/time/boot-id.js";
import { newGuid } from "../../../src/base/value/guid.js";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { openIndex, SILENT_LOG } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import {
  fragmentOf,
  START_US,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { printedRandom } from "../../support/base/seeded-random.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { channelOfNumber, found, openEventLog } from "../../support/event/event-log-harness.js";

/** How the segment index and the event log both handle an environment that may be damaged. */
interface Owner {
  readonly name: string;
  /** Creates one with records below `parent`, and returns its directory. */
  make(parent: string): Promise<string>;
  open(parent: string): Promise<Opened>;
}

interface Opened {
  /** Whether it holds all that `make` gave it. */
  isWhole(): Promise<boolean>;
  /** Expects it to be new, and gives it records. */
  useAnew(): Promise<void>;
  /** Expects it to hold what `useAnew` gave it. */
  expectUsed(): Promise<void>;
  stop(): Promise<void>;
}

const random = printedRandom("damaged-files");
const PAGE_BYTES = 4096;
const SEGMENTS = fragmentOf(300);
const EVENTS = 3000;

const INDEX: Owner = {
  name: "the segment index",
  make: async (parent) => {
    const directory = path.join(parent, "index");
    const index = await openIndex(directory);
    for (const segment of SEGMENTS) index.add(segment);
    await index.rebuilt([volumeOfNumber(1)]);
    await index.stop();
    return directory;
  },
  open: async (parent) => {
    const index = await openIndex(path.join(parent, "index"));
    const expectUsed = async (): Promise<void> => {
      expect(index.isWhole(volumeOfNumber(1))).toBe(true);
      expect(index.fragments(streamOfNumber(1), 0, Number.MAX_SAFE_INTEGER)).toEqual([
        { id: SEGMENTS[0]?.fragmentId, fromUs: START_US, toUs: SEGMENTS.at(-1)?.toUs },
      ]);
    };
    return {
      isWhole: async () => index.isWhole(volumeOfNumber(1)),
      useAnew: async () => {
        const volume = new MemoryVolume(volumeOfNumber(1));
        for (const segment of SEGMENTS) volume.put(segment);
        await rebuildIndex({ index, volumes: [volume], log: SILENT_LOG });
        await index.rebuilt([volumeOfNumber(1)]);
        await expectUsed();
      },
      expectUsed,
      stop: () => index.stop(),
    };
  },
};

const EVENT_LOG: Owner = {
  name: "the event log",
  make: async (parent) => {
    const log = await openEventLog(parent);
    for (let at = 0; at < EVENTS; at++)
      log.raise({
        typeId: EVENT_TYPES.motionDetected.id,
        channelId: channelOfNumber(1 + (at % 5)),
        comment: `${at}`,
      });
    await log.stop();
    return path.join(parent, "events");
  },
  open: async (parent) => {
    const log = await openEventLog(parent, { bootId: readBootId(SILENT_LOG) });
    return {
      isWhole: async () => (await found(log)).length === EVENTS,
      useAnew: async () => {
        const raised = log.raise({ typeId: EVENT_TYPES.login.id });
        expect(raised.sequence).toBeGreaterThan(EVENTS);
      },
      expectUsed: async () => {
        const types = (await found(log)).map(({ typeId }) => typeId);
        expect(types).toEqual([EVENT_TYPES.eventLogLost.id, EVENT_TYPES.login.id]);
      },
      stop: () => log.stop(),
    };
  },
};

function overwrite(file: string, bytes: Uint8Array, position: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

function randomPages(pages: number): Buffer {
  return Buffer.from(Array.from({ length: pages * PAGE_BYTES }, () => random.below(256)));
}

const DAMAGES: readonly { readonly name: string; readonly harm: (file: string) => void }[] = [
  { name: "truncated", harm: (file) => truncateSync(file, Math.floor(statSync(file).size / 2)) },
  { name: "cut inside its first page", harm: (file) => truncateSync(file, 100) },
  { name: "emptied", harm: (file) => truncateSync(file, 0) },
  {
    name: "zeroed in the middle",
    harm: (file) => overwrite(file, Buffer.alloc(8 * PAGE_BYTES), 6 * PAGE_BYTES),
  },
  { name: "zeroed at its head", harm: (file) => overwrite(file, Buffer.alloc(2 * PAGE_BYTES), 0) },
  {
    name: "overwritten with random pages",
    harm: (file) => overwrite(file, randomPages(10), 8 * PAGE_BYTES),
  },
  {
    name: "flipped in single bytes",
    harm: (file) => {
      for (let at = 4 * PAGE_BYTES; at < statSync(file).size; at += 1111)
        overwrite(file, Buffer.of(0x5a), at);
    },
  },
  { name: "no LMDB file", harm: (file) => writeFileSync(file, "not a database at all\n".repeat(5000)) },
  { name: "random from end to end", harm: (file) => writeFileSync(file, randomPages(50)) },
];

function asideIn(parent: string): string[] {
  return readdirSync(parent).filter((entry) => entry.includes(".bad-"));
}

async function made(owner: Owner): Promise<{ parent: string; directory: string; file: string }> {
  const parent = path.join(await temporaryDirectory(), "data");
  mkdirSync(parent);
  const directory = await owner.make(parent);
  return { parent, directory, file: path.join(directory, "data.mdb") };
}

describe.each([INDEX, EVENT_LOG])("$name", (owner) => {
  test.each(DAMAGES)("whose file is $name is moved aside and created again", async ({ harm }) => {
    const { parent, file } = await made(owner);
    harm(file);
    const opened = await owner.open(parent);
    expect(await opened.isWhole()).toBe(false);
    expect(asideIn(parent)).toHaveLength(1);
    await opened.useAnew();
    await opened.stop();
    const again = await owner.open(parent);
    await again.expectUsed();
    await again.stop();
  });

  test("is kept only once when it is damaged again", async () => {
    const { parent, file } = await made(owner);
    for (let round = 0; round < 2; round++) {
      truncateSync(file, PAGE_BYTES);
      const opened = await owner.open(parent);
      await opened.stop();
    }
    expect(asideIn(parent)).toHaveLength(1);
  });

  test("is moved aside if the service repeatedly ended after opening it", async () => {
    const { parent, directory } = await made(owner);
    writeFileSync(path.join(directory, "unclean-opens"), `10 ${readBootId(SILENT_LOG)}\n`);
    const opened = await owner.open(parent);
    expect(await opened.isWhole()).toBe(false);
    await opened.stop();
    expect(asideIn(parent)).toHaveLength(1);
  });

  test("stays if the power was repeatedly cut soon after opening", async () => {
    const { parent, directory } = await made(owner);
    writeFileSync(path.join(directory, "unclean-opens"), `10 ${newGuid()}\n`);
    const opened = await owner.open(parent);
    expect(await opened.isWhole()).toBe(true);
    await opened.stop();
  });

  test("counts an opening as good once it has run well for a few seconds", async () => {
    const { parent, directory } = await made(owner);
    writeFileSync(path.join(directory, "unclean-opens"), `9 ${readBootId(SILENT_LOG)}\n`);
    const opened = await owner.open(parent);
    await expect.poll(() => readdirSync(directory), { timeout: PATIENCE_MS }).not.toContain("unclean-opens");
    await opened.stop();
  });
});
