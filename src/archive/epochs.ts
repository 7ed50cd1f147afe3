import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Log,
  NvrdError,
  type StreamKey,
  streamKeyText,
} from "../base/index.js";

const FILE = "archive.json";
const FORMAT_VERSION = 1;
const SAVE_INTERVAL_MS = 30_000;
/** Most streams whose end is remembered; 64 cameras of four streams, many times over. */
const STREAMS_MAX = 16_384;

export interface EpochsOptions {
  readonly dataDir: string;
  /** The stream's newest segment as the index knows it. */
  readonly newestIndexed: (key: StreamKey) => { readonly epoch: number; readonly toUs: number } | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Keeps the archive's time going forward: gives out rising segment ids, knows each stream's newest end, and
 * opens a new epoch when a stream has to step back behind it. What has to last is one small file in the data
 * directory; when it is lost, the index and the segments still hold every recording.
 */
export class Epochs {
  readonly #options: EpochsOptions;
  readonly #path: string;
  readonly #newest = new Map<string, number>();
  #epoch = 0;
  #newestUs = 0;
  #segmentId = 0;
  #timer: ClockTimer | undefined;
  #saving = Promise.resolve();
  #savedText = "";

  constructor(options: EpochsOptions) {
    this.#options = options;
    this.#path = join(options.dataDir, FILE);
  }

  /** Reads what was kept. A clock that stands before the newest recording opens a new epoch at once. */
  start(): void {
    mkdirSync(this.#options.dataDir, { recursive: true });
    this.#load();
    const nowUs = this.#options.clock.nowUs();
    if (nowUs < this.#newestUs) {
      this.#epoch += 1;
      const backSeconds = Math.round((this.#newestUs - nowUs) / 1_000_000);
      this.#options.log.warn(
        { backSeconds, epoch: this.#epoch },
        "the clock stands before the newest recording",
      );
      this.#newestUs = 0;
    }
    this.#save();
    this.#timer = this.#options.clock.setInterval(() => this.#save(), SAVE_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#save();
    await this.#saving;
  }

  /** Unique and rising: the wall clock's microsecond, or one more than the last. */
  takeSegmentId(): number {
    this.#segmentId = Math.max(this.#options.clock.nowUs(), this.#segmentId + 1);
    return this.#segmentId;
  }

  /** Ids up to this one are taken. */
  noteSegmentId(segmentId: number): void {
    this.#segmentId = Math.max(this.#segmentId, segmentId);
  }

  /** The stream is recorded up to `toUs`. */
  note(key: StreamKey, toUs: number): void {
    const text = streamKeyText(key);
    if (this.#newest.size >= STREAMS_MAX && !this.#newest.has(text)) return;
    this.#newest.set(text, toUs);
    if (toUs > this.#newestUs) this.#newestUs = toUs;
  }

  /** Newest end of the stream in the current epoch; 0 when nothing is known. */
  newestUs(key: StreamKey): number {
    const noted = this.#newest.get(streamKeyText(key));
    if (noted !== undefined) return noted;
    const indexed = this.#options.newestIndexed(key);
    if (indexed === undefined || indexed.epoch < this.#epoch) return 0;
    this.#epoch = indexed.epoch; // archive.json was lost or is behind
    return indexed.toUs;
  }

  /** The epoch of a fragment that starts at `fromUs`: a new one when the stream steps back. */
  epochFrom(key: StreamKey, fromUs: number): number {
    if (fromUs < this.newestUs(key)) {
      this.#epoch += 1;
      this.#options.log.warn(
        { stream: streamKeyText(key), epoch: this.#epoch },
        "the stream's time steps back",
      );
      this.#newest.set(streamKeyText(key), 0);
      this.#save();
    }
    return this.#epoch;
  }

  #load(): void {
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch (error) {
      const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!missing) this.#options.log.error({ path: this.#path }, `cannot read: ${errorText(error)}`);
      return;
    }
    try {
      const kept = JSON.parse(text) as Record<string, unknown>;
      if (Number(kept.formatVersion) > FORMAT_VERSION) {
        throw new NvrdError("FORMAT_NEWER", `${this.#path} has format ${String(kept.formatVersion)}`);
      }
      this.#epoch = wholeOrZero(kept.epoch);
      this.#newestUs = wholeOrZero(kept.newestUs);
      this.#segmentId = wholeOrZero(kept.segmentId);
    } catch (error) {
      if (error instanceof NvrdError) throw error;
      this.#options.log.error({ path: this.#path }, `damaged, goes on without it: ${errorText(error)}`);
    }
  }

  /** Saves in the background: the system disk may be full or slow, recording goes on. */
  #save(): void {
    const { epoch, newestUs, segmentId } = {
      epoch: this.#epoch,
      newestUs: this.#newestUs,
      segmentId: this.#segmentId,
    };
    const text = `${JSON.stringify({ formatVersion: FORMAT_VERSION, epoch, newestUs, segmentId })}\n`;
    if (text === this.#savedText) return;
    this.#savedText = text;
    this.#saving = this.#saving
      .then(() => this.#write(text))
      .catch((error: unknown) => {
        this.#savedText = "";
        this.#options.log.error({ path: this.#path }, `cannot be saved: ${errorText(error)}`);
      });
  }

  async #write(text: string): Promise<void> {
    const file = await open(`${this.#path}.new`, "w", 0o640);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    renameSync(`${this.#path}.new`, this.#path);
  }
}

function wholeOrZero(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
