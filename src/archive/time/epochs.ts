import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  readSmallFile,
  replaceSmallFile,
  type StreamKey,
  streamKeyText,
} from "../../base/index.js";
import { REDATE_US_MIN } from "./boot-times.js";
import type { FrameDating } from "./frame-dating.js";

const FILE = "archive.json";
const FORMAT_VERSION = 1;
const SAVE_INTERVAL_MS = 30_000;
/** Recordings extend at most this far beyond the newest saved end. */
const UNSAVED_US_MAX = 35_000_000;
/** A clock behind where it should be by no more than this was corrected, not set back: streams are slewed over it. */
const SET_BACK_US_MIN = 10_000_000;
/** Most streams whose end is remembered; 64 cameras of four streams, many times over. */
const STREAMS_MAX = 16_384;
/** How fast segment ids go on, in time, that are ahead of the wall clock. */
const ID_RATE_AHEAD = 0.99;

export interface EpochsOptions {
  readonly dataDir: string;
  readonly bootId: Guid;
  /** The stream's newest segment as the index knows it. */
  readonly newestIndexed: (key: StreamKey) => { readonly epoch: number; readonly toUs: number } | undefined;
  readonly dating: FrameDating;
  readonly clock: Clock;
  readonly log: Log;
}

interface StreamEnd {
  readonly epoch: number;
  readonly toUs: number;
}

/**
 * Keeps the archive's time going forward: gives out unique segment ids, knows each stream's newest end, and
 * opens a new epoch when the clock was set back behind it. What has to last is one small file in the data
 * directory; when it is lost, the index and the segments still hold every recording.
 */
export class Epochs {
  readonly #options: EpochsOptions;
  readonly #path: string;
  readonly #newest = new Map<string, StreamEnd>();
  #epoch = 0;
  /** The epoch in which this boot of the machine began. */
  #bootEpoch = 0;
  /** Newest end in the current epoch. */
  #newestUs = 0;
  #beginsAtUs = Number.POSITIVE_INFINITY;
  #segmentId = 0;
  #segmentIdMonotonicUs = 0;
  #timer: ClockTimer | undefined;
  #saving = Promise.resolve();
  #savedText = "";

  constructor(options: EpochsOptions) {
    this.#options = options;
    this.#path = join(options.dataDir, FILE);
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** All that was recorded before this start lies before this time; infinite if the clock was set back. */
  get beginsAtUs(): number {
    return this.#beginsAtUs;
  }

  /** Reads what was kept. A clock that was set back since opens a new epoch at once. */
  start(): void {
    mkdirSync(this.#options.dataDir, { recursive: true });
    const kept = loadArchiveFile(this.#path, this.#options.log);
    this.#epoch = wholeOrZero(kept.epoch);
    this.#newestUs = wholeOrZero(kept.newestUs);
    this.#segmentId = wholeOrZero(kept.segmentId);
    if (this.#segmentId > 0) this.#segmentId += UNSAVED_US_MAX;
    this.#segmentIdMonotonicUs = this.#options.clock.monotonicUs();
    this.#bootEpoch = kept.bootId === this.#options.bootId ? wholeOrZero(kept.bootEpoch) : this.#epoch;
    if (this.#wasSetBack(kept)) this.#raise("the clock stands before the newest recording");
    else this.#beginsAtUs = Math.max(this.#options.clock.nowUs(), this.#newestUs);
    this.#save();
    this.#timer = this.#options.clock.setInterval(() => this.#save(), SAVE_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#save();
    await this.#saving;
  }

  /**
   * Unique and rising: the wall clock's microsecond. Where the clock was set back, ids continue with the time that passes, so
   * that a day of them stays a day, it names the segment's directory; a little slower, so that the clock catches up.
   */
  takeSegmentId(): number {
    const { clock } = this.#options;
    const monotonicUs = clock.monotonicUs();
    const passedUs = Math.max(1, Math.floor((monotonicUs - this.#segmentIdMonotonicUs) * ID_RATE_AHEAD));
    this.#segmentId = Math.max(clock.nowUs(), this.#segmentId + passedUs);
    this.#segmentIdMonotonicUs = monotonicUs;
    return this.#segmentId;
  }

  /** The newest id that was taken or noted; 0: none. */
  get newestSegmentId(): number {
    return this.#segmentId;
  }

  /** Ids up to this one are taken. */
  noteSegmentId(segmentId: number): void {
    this.#segmentId = Math.max(this.#segmentId, segmentId);
  }

  /** The stream is recorded up to `toUs`. */
  note(key: StreamKey, toUs: number): void {
    const datedUs = this.#options.dating.dated(toUs);
    const text = streamKeyText(key);
    const known = this.#newest.get(text);
    if (known === undefined && this.#newest.size >= STREAMS_MAX) return;
    const epoch = known?.epoch ?? this.#epoch;
    this.#newest.set(text, { epoch, toUs: datedUs });
    if (epoch === this.#epoch && datedUs > this.#newestUs) this.#newestUs = datedUs;
  }

  /** Newest end of the stream in its newest epoch; 0 when nothing is known. */
  newestUs(key: StreamKey): number {
    return this.#endOf(key).toUs;
  }

  /** The epoch of a fragment that starts at `fromUs`: a new one when the stream steps back within the current one. */
  epochFrom(key: StreamKey, fromUs: number): number {
    const end = this.#endOf(key);
    const datedUs = this.#options.dating.dated(fromUs);
    if (end.epoch === this.#epoch && datedUs < end.toUs)
      this.#raise(`time of stream ${streamKeyText(key)} steps back`);
    if (this.#newest.size < STREAMS_MAX || this.#newest.has(streamKeyText(key)))
      this.#newest.set(streamKeyText(key), { epoch: this.#epoch, toUs: datedUs });
    return this.#epoch;
  }

  /** The wall clock stepped. Set back behind what is recorded, it opens a new epoch before any stream finds out. */
  clockStepped(shiftUs: number): void {
    const isBack = shiftUs < -SET_BACK_US_MIN && this.#options.clock.nowUs() < this.#newestUs;
    if (isBack) this.#raise("the clock was set back");
    this.#savedText = ""; // the next start compares the clock with what it is now
    this.#save();
  }

  /**
   * Shifts this boot's recordings by `shiftUs`. Returns the number by which their epochs must be raised: 0 for a forward shift,
   * because they stay the newest; more for a shift back, because they could then overlap older recordings.
   */
  redate(shiftUs: number): number {
    if (Math.abs(shiftUs) <= REDATE_US_MIN) return 0;
    const epochShift = shiftUs > 0 ? 0 : this.#epoch - this.#bootEpoch + 1;
    this.#epoch += epochShift;
    for (const [text, end] of this.#newest)
      this.#newest.set(text, { epoch: end.epoch + epochShift, toUs: end.toUs + shiftUs });
    this.#newestUs = Math.max(0, this.#newestUs + shiftUs);
    this.#save();
    return epochShift;
  }

  #endOf(key: StreamKey): StreamEnd {
    const noted = this.#newest.get(streamKeyText(key));
    if (noted !== undefined) return noted;
    const indexed = this.#options.newestIndexed(key);
    if (indexed === undefined) return { epoch: this.#epoch, toUs: 0 };
    this.#epoch = Math.max(this.#epoch, indexed.epoch); // archive.json was lost or is behind
    return indexed;
  }

  /**
   * Whether the clock stands before where it should be. Within one boot the monotonic clock tells; after a reboot what was
   * recorded since the last save cannot be known, so that a quick one opens an epoch too many.
   */
  #wasSetBack(kept: KeptFile): boolean {
    const { clock, bootId } = this.#options;
    const nowUs = clock.nowUs();
    if (nowUs >= this.#newestUs + UNSAVED_US_MAX || this.#newestUs === 0) return false;
    if (kept.bootId !== bootId || typeof kept.wallUs !== "number" || typeof kept.monotonicUs !== "number")
      return true;
    const expectedUs = kept.wallUs + clock.monotonicUs() - kept.monotonicUs;
    return nowUs < expectedUs - SET_BACK_US_MIN;
  }

  #raise(reason: string): void {
    const nowUs = this.#options.clock.nowUs();
    const backSeconds = Math.round((this.#newestUs - nowUs) / 1_000_000);
    this.#epoch += 1;
    this.#newestUs = 0;
    this.#options.log.warn({ backSeconds, epoch: this.#epoch }, reason);
    this.#save();
  }

  /** Saves in the background: the system disk may be full or slow, recording continues. */
  #save(): void {
    const { clock, bootId } = this.#options;
    const state = {
      formatVersion: FORMAT_VERSION,
      epoch: this.#epoch,
      newestUs: this.#newestUs,
      segmentId: this.#segmentId,
      bootId,
      bootEpoch: this.#bootEpoch,
    };
    const text = JSON.stringify(state);
    if (text === this.#savedText) return;
    this.#savedText = text;
    const kept = { ...state, wallUs: clock.nowUs(), monotonicUs: clock.monotonicUs() };
    this.#saving = this.#saving
      .then(() => replaceSmallFile(this.#path, `${JSON.stringify(kept)}\n`))
      .catch((error: unknown) => {
        this.#savedText = "";
        this.#options.log.error({ path: this.#path }, `cannot be saved: ${errorText(error)}`);
      });
  }
}

type KeptFile = Readonly<Record<string, unknown>>;

/** A time before which all recordings end, from the data directory; 0 if unknown. */
export function newestRecordedUs(dataDir: string, log: Log): number {
  const newestUs = wholeOrZero(loadArchiveFile(join(dataDir, FILE), log).newestUs);
  return newestUs === 0 ? 0 : newestUs + UNSAVED_US_MAX;
}

/** Throws NvrdError FORMAT_NEWER; goes on without a file that cannot be read. */
function loadArchiveFile(path: string, log: Log): KeptFile {
  try {
    const kept: unknown = JSON.parse(readSmallFile(path) ?? "{}");
    if (typeof kept !== "object" || kept === null) throw new SyntaxError("it is not an object");
    const { formatVersion } = kept as KeptFile;
    if (Number(formatVersion) > FORMAT_VERSION)
      throw new NvrdError("FORMAT_NEWER", `${path} has format ${String(formatVersion)}`);
    return kept as KeptFile;
  } catch (error) {
    if (error instanceof NvrdError) throw error;
    log.error({ path }, `damaged, continuing without it: ${errorText(error)}`);
    return {};
  }
}

function wholeOrZero(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
