import type { ArchiveKey } from "../../../archive/index.js";
import { errorText, type Guid, type Log } from "../../../base/index.js";
import type { ProblemReason, Tile } from "../../../messages/index.js";
import type { PlaybackFeed } from "./playback-feed.js";
import type { PlaybackOrder } from "./playback-order.js";
import type { PlaybackReading, PlaybackUnit, RecordingGap } from "./playback-reading.js";
import type { SentGroup } from "./whole-reading.js";

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

/** One channel of a playback: reads its recording ahead by one piece, and holds the unit that comes next. */
export class PlaybackChannel {
  readonly #options: PlaybackChannelOptions;
  watch: PlaybackWatch;
  /** What is read of the channel. */
  key: ArchiveKey | undefined;
  /** Up to where its recording was sent, in the direction of the playback; the moment it began at before that. */
  endUs = 0;
  /** Whether a picture was sent since it was opened. */
  isBegun = false;
  /** The last gap that the client was told of. */
  toldGap: RecordingGap | undefined;
  /** The group of pictures that was sent for the picture that stands. */
  sentGroup: SentGroup | undefined;
  /** What it was opened for. */
  order: PlaybackOrder | undefined;
  /** What the client was told, while it holds. */
  problem: ProblemReason | undefined;
  /** Reading took so long that the others go on without it, until it has caught up. */
  isLate = false;
  /** Pictures left out since the client was told. */
  dropped = 0;
  #reading: PlaybackReading | undefined;
  #units: readonly PlaybackUnit[] = [];
  #at = 0;
  #state: ChannelState = "closed";

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
    return this.#state;
  }

  /** What is sent next; it is there in the state `ready` only. */
  get head(): PlaybackUnit | undefined {
    return this.#state === "ready" ? this.#units[this.#at] : undefined;
  }

  /** Reads from another place; what it read before is forgotten. `onEdge`: the reading waits for what is recorded next. */
  open(make: (onEdge: () => void) => PlaybackReading): void {
    this.close();
    this.isBegun = false;
    const reading = make(() => {
      if (this.#reading !== reading || this.#state !== "reading") return;
      this.#state = "edge";
      this.#options.onNews(this);
    });
    this.#reading = reading;
    this.#read(reading);
  }

  /** The head was sent or left out. The bytes of a unit are gone when the next ones are read. */
  take(): void {
    const reading = this.#reading;
    this.#at += 1;
    if (reading !== undefined && this.#at >= this.#units.length) this.#read(reading);
  }

  close(): void {
    const reading = this.#reading;
    this.#reading = undefined;
    this.#units = [];
    this.#state = "closed";
    this.isLate = false;
    reading?.close();
  }

  #read(reading: PlaybackReading): void {
    this.#units = [];
    this.#at = 0;
    this.#state = "reading";
    reading.next().then(
      (units) => {
        if (this.#reading !== reading) return;
        this.#units = units;
        this.#state = units.length === 0 ? "over" : "ready";
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
