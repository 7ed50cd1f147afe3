import type { ArchiveKey } from "../../archive/index.js";
import { errorText, type Guid, type Log } from "../../base/index.js";
import type { ProblemReason, Tile } from "../../contract/answer/index.js";
import type { PlaybackFeed } from "./playback-feed.js";
import type { PlaybackOrder } from "./playback-order.js";
import type { PlaybackReading, PlaybackUnit, RecordingGap } from "./playback-reading.js";
import type { SentGroup } from "./whole-reading.js";

/** While fewer units wait to be sent, more are read. */
const UNITS_AHEAD = 16;
/** Likewise for their bytes. */
const BYTES_AHEAD = 256 * 1024;

/** One channel as the client asked for it. */
export interface PlaybackWatch {
  /** The client's number of the subscription. */
  readonly id: number;
  readonly channelId: Guid;
  readonly tile: Tile;
  readonly stream: "auto" | "main" | "alternative";
  readonly sound: boolean;
}

export interface PlaybackChannelOptions {
  readonly watch: PlaybackWatch;
  readonly feed: PlaybackFeed;
  /** Something changed: there are units, or it is known that there are none. */
  readonly onNews: (channel: PlaybackChannel) => void;
  readonly onError: (channel: PlaybackChannel, error: unknown) => void;
  readonly log: Log;
}

/**
 * - `closed`: nothing is read.
 * - `reading`: what comes next is being read.
 * - `ready`: the next unit is there.
 * - `edge`: everything that is recorded was read; more may follow.
 * - `over`: there is no more.
 */
export type ChannelState = "closed" | "reading" | "ready" | "edge" | "over";

/** One channel of a playback: reads its recording a little ahead, and holds the unit that comes next. */
export class PlaybackChannel {
  readonly #options: PlaybackChannelOptions;
  watch: PlaybackWatch;
  /** What is read of the channel. */
  key: ArchiveKey | undefined;
  /** Whether sound is sent, as far as it is recorded. */
  hasSound = false;
  /** Up to where its recording was sent, in the direction of the playback; the moment it began at before that. */
  endUs = 0;
  /** Whether a picture was sent since it was opened. */
  isBegun = false;
  /** The last gap that was reported to the client. */
  reportedGap: RecordingGap | undefined;
  /** The group of pictures that was sent for the picture that stands. */
  sentGroup: SentGroup | undefined;
  /** What it was opened for. */
  order: PlaybackOrder | undefined;
  /** What was reported to the client, while it holds. */
  problem: ProblemReason | undefined;
  /** Reading took so long that the others go on without it, until it has caught up. */
  isLate = false;
  /** Pictures left out since the last report to the client. */
  dropped = 0;
  #reading: PlaybackReading | undefined;
  /** Units that were read, with bytes of their own: those of the reading are gone when it reads on. */
  #units: PlaybackUnit[] = [];
  #bytes = 0;
  #isBusy = false;
  #isAtEdge = false;
  #isOver = false;

  constructor(options: PlaybackChannelOptions) {
    this.#options = options;
    this.watch = options.watch;
  }

  get id(): number {
    return this.watch.id;
  }

  get feed(): PlaybackFeed {
    return this.#options.feed;
  }

  get state(): ChannelState {
    if (this.#reading === undefined) return "closed";
    if (this.#units.length > 0) return "ready";
    if (this.#isOver) return "over";
    return this.#isAtEdge ? "edge" : "reading";
  }

  /** What is sent next; it is there in the state `ready` only. Whoever takes it may write into its bytes. */
  get head(): PlaybackUnit | undefined {
    return this.#units[0];
  }

  /** Reads from another place; what it read before is forgotten. `onEdge`: the reading waits for what is recorded next. */
  open(make: (onEdge: () => void) => PlaybackReading): void {
    this.close();
    this.isBegun = false;
    const reading = make(() => {
      if (this.#reading !== reading || !this.#isBusy) return;
      this.#isAtEdge = true;
      this.#options.onNews(this);
    });
    this.#reading = reading;
    this.#read(reading);
  }

  /** The head was sent or left out. */
  take(): void {
    const unit = this.#units.shift();
    if (unit === undefined) return;
    this.#bytes -= unit.bytes.length;
    this.#readOn();
  }

  close(): void {
    const reading = this.#reading;
    this.#reading = undefined;
    this.#units = [];
    this.#bytes = 0;
    this.#isBusy = false;
    this.#isAtEdge = false;
    this.#isOver = false;
    this.isLate = false;
    reading?.close();
  }

  /** Reads the next piece while the last one is being sent. */
  #readOn(): void {
    const reading = this.#reading;
    if (reading === undefined || this.#isBusy || this.#isOver) return;
    if (this.#units.length < UNITS_AHEAD && this.#bytes < BYTES_AHEAD) this.#read(reading);
  }

  #read(reading: PlaybackReading): void {
    this.#isBusy = true;
    reading.next().then(
      (units) => {
        if (this.#reading !== reading) return;
        this.#isBusy = false;
        this.#isAtEdge = false;
        this.#isOver = units.length === 0;
        for (const unit of units) {
          this.#units.push({ ...unit, bytes: Buffer.from(unit.bytes) });
          this.#bytes += unit.bytes.length;
        }
        this.#readOn();
        this.#options.onNews(this);
      },
      (error: unknown) => {
        if (this.#reading !== reading) return;
        this.#options.log.info({ reason: errorText(error) }, "a recording cannot be played");
        this.close();
        this.#options.onError(this, error);
      },
    );
  }
}
