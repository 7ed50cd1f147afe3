import { createHash } from "node:crypto";
import { Archive, packGopTable, type SegmentSummary } from "../../../src/archive/index.js";
import { type BoxesTiming, BucketReader, sendingHere } from "../../../src/away/index.js";
import { manifestKey, manifestText } from "../../../src/away/plan/manifest.js";
import { dayOf } from "../../../src/away/plan/sent-segment.js";
import type { Clock } from "../../../src/base/index.js";
import { MemorySegmentIndex } from "../archive/memory-segment-index.js";
import { guidOfNumber, segmentOf } from "../archive/segment-fixtures.js";
import type { TemporaryDirectory } from "../base/temporary-directory.js";
import { silentLog } from "../site/site-samples.js";
import { s3Target } from "./away-samples.js";
import type { ScriptedStore } from "./scripted-store.js";

/** A day of a channel in a box, by its segments, which need not be there. */
export interface SampleDay {
  readonly prefix: string;
  readonly box: string;
  readonly channel: string;
  readonly segments: readonly SegmentSummary[];
  readonly revision?: number;
}

/** Puts the manifest of a day into a bucket; answers its key. */
export function putDay(objects: Map<string, Buffer>, sample: SampleDay): string {
  const { prefix, box, channel, segments, revision = 1 } = sample;
  const [first] = segments;
  if (first === undefined) throw new Error("a day without segments");
  const { channelId } = first.key;
  const day = dayOf(first.fromUs);
  const text = manifestText({
    server: { id: guidOfNumber(createHash("sha256").update(prefix).digest().readUInt32BE(0), 9), name: box },
    channel: { id: channelId, name: channel },
    ...{ day, revision, createdUs: first.toUs, gaps: [], events: [] },
    segments: segments.map(({ key, gops: _gops, bootId: _bootId, away: _away, ...facts }) => ({
      ...{ ...facts, stream: key.streamType, video: 1, audio: 0, sha256: "0".repeat(64) },
    })),
    gops: new Map(
      segments.map(({ segmentId, gops, fromUs }) => [
        segmentId,
        Buffer.from(packGopTable(gops, fromUs)).toString("base64"),
      ]),
    ),
  });
  const key = prefix + manifestKey(channelId, day, revision);
  objects.set(key, Buffer.from(text));
  return key;
}

/** Minutes of one run of recording, from a moment on. */
export function minutes(
  fromUs: number,
  count: number,
  shape: Parameters<typeof segmentOf>[0] = {},
): SegmentSummary[] {
  return Array.from({ length: count }, (_one, at) =>
    segmentOf({ stream: 2, gopUs: 10_000_000, ...shape, fromUs: fromUs + at * 60_000_000, sequence: at }),
  );
}

export interface TestReader {
  readonly archive: Archive;
  readonly reader: BucketReader;
  /** How often the boxes or their channels were others. */
  readonly changes: () => number;
  stop(): Promise<void>;
}

/** An archive without volumes whose recordings are a bucket's. */
export async function startReader(
  { port }: ScriptedStore,
  directory: TemporaryDirectory,
  options: {
    readonly clock: Clock;
    readonly timing?: BoxesTiming;
    readonly prefix?: string;
    readonly detailBytesMax?: number;
    /** Of its directory, beside other readers; default: `reader`. */
    readonly name?: string;
  },
): Promise<TestReader> {
  const { prefix = "", name = "reader", ...others } = options;
  let changes = 0;
  const reader = new BucketReader({
    target: s3Target({ endpoint: `http://127.0.0.1:${port}`, prefix }),
    ...{
      identity: "",
      cacheDirectory: directory.join(name, "cache"),
      cacheBytesMax: 100_000_000,
      log: silentLog,
    },
    ...{ start: sendingHere(options.clock), ...others },
    onChange: () => {
      changes += 1;
    },
  });
  const archive = new Archive({
    ...{ dataDir: directory.join(name), volumes: [], index: new MemorySegmentIndex() },
    ...{ clock: options.clock, log: silentLog, startWaitMs: 0 },
  });
  await archive.start();
  archive.setAway([reader.recordings]);
  reader.start();
  const stop = async (): Promise<void> => {
    await reader.stop();
    await archive.stop();
  };
  return { archive, reader, changes: () => changes, stop };
}
