import { createHash } from "node:crypto";
import path from "node:path";
import {
  type AwayRecordings,
  type FarSegment,
  FarSegments,
  type SegmentReading,
  whenKnown,
} from "../../archive/index.js";
import { type Clock, type Log, NvrdError } from "../../base/index.js";
import { FoundFindings } from "../../finding/index.js";
import { BlockFetches, type ObjectPlace } from "../back/block-fetches.js";
import { plainKey } from "../plan/manifest.js";
import type { S3Target } from "../s3/s3-target.js";
import { PatientSender } from "../send/patient-sender.js";
import { Sender, type StartSendingThread, startSendingThread } from "../send/sender.js";
import { type Box, type BoxesTiming, BucketBoxes, guidOf } from "./bucket-boxes.js";
import { BucketDays } from "./bucket-days.js";
import { BucketFindings } from "./bucket-findings.js";
import { BucketIndex } from "./bucket-index.js";

const CONNECTIONS = 16;
/** Segments at once; manifests have the other connections. */
const FETCHES_AT_ONCE = 12;
const CACHE_NAME_DIGITS = 16;
/** When to ask again before the bucket was listed first. */
const RETRY_MS = 3000;

export interface BucketReaderOptions {
  readonly target: S3Target;
  /** Private key (age) for what is encrypted; empty: it cannot be read. */
  readonly identity: string;
  /** Where blocks that were fetched are kept. */
  readonly cacheDirectory: string;
  readonly cacheBytesMax: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Boxes, channels or their names are others now. */
  readonly onChange?: () => void;
  readonly start?: StartSendingThread;
  readonly timing?: BoxesTiming;
  readonly detailBytesMax?: number;
  /** What lies at the prefix is of one box; folders below it are none. */
  readonly isOne?: boolean;
}

/**
 * The recordings of any number of recorders, read from their bucket. Nothing is kept but what can be fetched again, so any number
 * of readers may read the same bucket, and answer the same.
 */
export class BucketReader {
  readonly recordings: AwayRecordings;
  /** What the boxes saw, to be searched. */
  readonly findings: FoundFindings;
  readonly #options: BucketReaderOptions;
  readonly #sender: Sender;
  readonly #boxes: BucketBoxes;
  readonly #days: BucketDays;
  readonly #fetches: BlockFetches;

  constructor(options: BucketReaderOptions) {
    this.#options = options;
    const { target, identity, clock, timing, isOne = false, start = startSendingThread } = options;
    const log = options.log.child({ part: "bucket" });
    this.#sender = new Sender({
      ...{ target, start, socketsMax: CONNECTIONS, sealing: { recipients: [], identity } },
      cache: { directory: path.join(options.cacheDirectory, "blocks"), bytesMax: options.cacheBytesMax },
      onBytes: () => undefined, // nothing is sent
    });
    const common = { sender: new PatientSender(this.#sender, clock), clock, log };
    this.#boxes = new BucketBoxes({
      ...{ ...common, isOne },
      ...(timing === undefined ? {} : { timing }),
      onChange: () => options.onChange?.(),
    });
    const name = target.bucket;
    this.#fetches = new BlockFetches({
      ...{ sender: this.#sender, clock, name, atOnce: FETCHES_AT_ONCE },
      placeOf: (file) => this.#placeOf(file),
    });
    const { detailBytesMax } = options;
    this.#days = new BucketDays({
      ...{ ...common, name, boxes: this.#boxes, bytes: this.#fetches },
      ...(detailBytesMax === undefined ? {} : { detailBytesMax }),
    });
    const index = new BucketIndex(this.#days);
    const known: ConstructorParameters<typeof FarSegments>[0] = {
      last: (key, at) => index.last(key, at),
      following: (key, at) => index.followingAhead(key, at),
    };
    const reading = new PatientReading(new FarSegments(known, this.#fetches), clock);
    this.recordings = { index, reading, isCutToDays: true };
    const id = guidOf("findings", target.endpoint, target.bucket, target.prefix);
    const found = new BucketFindings({ id, sender: common.sender, boxes: this.#boxes });
    this.findings = new FoundFindings({
      directory: path.join(options.cacheDirectory, "findings"),
      ...{ id, files: () => found.files(), clock, log },
    });
  }

  start(): void {
    this.#boxes.start();
    this.findings.start();
  }

  async stop(): Promise<void> {
    await this.findings.stop();
    this.#days.stop();
    this.#sender.stop();
    await this.#boxes.stop();
  }

  /** Resolves when the bucket was listed first, or that has failed. */
  get firstLook(): Promise<void> {
    return this.#boxes.firstLook;
  }

  get boxes(): readonly Box[] {
    return this.#boxes.boxes;
  }

  /** Why it is not known what the bucket has; undefined while that is known. */
  get fault(): NvrdError | undefined {
    if (this.#boxes.isKnown) return undefined;
    const { bucket } = this.#options.target;
    const reason = this.#boxes.problem ?? "it was not listed yet";
    const text = `the recorders in the bucket ${bucket} are not known yet: ${reason}`;
    return new NvrdError("NOT_AVAILABLE", text, { retryAfterMs: RETRY_MS });
  }

  /** Why the bucket cannot be listed or read at the moment. */
  get problem(): string | undefined {
    return this.#boxes.problem ?? this.#fetches.problem;
  }

  #placeOf(file: FarSegment): ObjectPlace {
    const { channelId, streamType } = file.key;
    const channel = this.#boxes.channel(channelId);
    const { prefix = "" } = channel?.box ?? {};
    const { segmentId, fragmentId } = file;
    const own = { key: { channelId: channel?.ownId ?? channelId, streamType }, segmentId, fragmentId };
    const place = createHash("sha256").update(prefix).digest("hex").slice(0, CACHE_NAME_DIGITS);
    return { key: prefix + plainKey(own), named: `${place}-` };
  }
}

/** Waits for the manifest of the day, where a segment is opened. */
class PatientReading implements SegmentReading {
  readonly #reading: SegmentReading;
  readonly #clock: Clock;
  /** Handles that are being opened. */
  readonly #waiting = new Map<number, AbortController>();

  constructor(reading: SegmentReading, clock: Clock) {
    this.#reading = reading;
    this.#clock = clock;
  }

  async open(...wanted: Parameters<SegmentReading["open"]>): ReturnType<SegmentReading["open"]> {
    const [, handle] = wanted;
    const gone = new AbortController();
    this.#waiting.set(handle, gone);
    try {
      return await whenKnown(() => this.#reading.open(...wanted), this.#clock, { gone: () => gone.signal });
    } finally {
      this.#waiting.delete(handle);
    }
  }

  read(request: Parameters<SegmentReading["read"]>[0]): ReturnType<SegmentReading["read"]> {
    return this.#reading.read(request);
  }

  close(handle: number): void {
    this.#waiting.get(handle)?.abort();
    this.#reading.close(handle);
  }
}
