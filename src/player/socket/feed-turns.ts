import type { Clock } from "../../base/index.js";
import type { SocketPace } from "./socket-pace.js";

/** A feed that is behind for longer shows that the link does not carry all. */
const BEHIND_MS_MAX = 1000;
/** A feed waits for its key frame's turn so long at the most, as long as another one gets all its pictures. */
const TURN_MS_MAX = 3000;
/** After this time without a lack one feed more gets all its pictures; longer when that was too much before. */
const EASE_MS_MIN = 2000;
const EASE_MS_MAX = 16_000;
/** A lack so soon after a try is the try's. */
const TRY_MS = 6000;

/** One feed on its way to the client. */
export interface TurnFeed {
  /** Sound is sent with it. */
  readonly isSounding: boolean;
  /** Pictures of it have not been sent. */
  readonly isBehind: boolean;
  /** Since when there was no room for them, microseconds. */
  readonly lackUs: number | undefined;
  /** Sends what was left out, as far as there is room. */
  goOn(): void;
  /** Sends its newest key frame, and what follows it where `isWhole` and there is room. */
  sendKey(isWhole: boolean): void;
}

/**
 * Shares a link among the feeds of one client. While it carries all, each gets all its pictures. When it does not, fewer and
 * fewer do, those with sound first, and the others get key frames in turn: everything moves, and nothing waits for long. Later
 * one after the other gets all of its pictures again, as long as that goes well.
 */
export class FeedTurns {
  readonly #pace: SocketPace;
  readonly #clock: Clock;
  readonly #feeds = new Set<TurnFeed>();
  /** Feeds whose key frame waits for its turn, and since when. */
  readonly #line = new Map<TurnFeed, number>();
  /** So many feeds get all their pictures. */
  #whole = Number.POSITIVE_INFINITY;
  #changedUs = 0;
  #easedUs = Number.NEGATIVE_INFINITY;
  #easeMs = EASE_MS_MIN;

  constructor(pace: SocketPace, clock: Clock) {
    this.#pace = pace;
    this.#clock = clock;
  }

  add(feed: TurnFeed): void {
    this.#feeds.add(feed);
  }

  remove(feed: TurnFeed): void {
    this.#feeds.delete(feed);
    this.#line.delete(feed);
  }

  /** Whether the feed gets all its pictures. */
  isWhole(feed: TurnFeed): boolean {
    return this.#whole >= this.#feeds.size || this.#ranked().indexOf(feed) < this.#whole;
  }

  /** A new key frame has come of a feed that does not get all. */
  queue(feed: TurnFeed): void {
    if (!this.#line.has(feed)) this.#line.set(feed, this.#clock.monotonicUs());
    this.#serve();
  }

  /** The client has taken something. */
  pump(): void {
    for (const feed of this.#ranked()) {
      if (this.#pace.room <= 0) break;
      if (feed.isBehind && !this.#line.has(feed) && this.isWhole(feed)) feed.goOn();
    }
    this.#serve();
  }

  /** Called for each picture that is left out, and every second. */
  judge(): void {
    const nowUs = this.#clock.monotonicUs();
    const isLack = (since: number | undefined, ms: number): boolean =>
      since !== undefined && nowUs - since > ms * 1000;
    const whole = this.#ranked().slice(0, this.#whole);
    const isBehind = whole.some((feed) => !this.#line.has(feed) && isLack(feed.lackUs, BEHIND_MS_MAX));
    const [waits] = this.#line.values();
    if (isBehind || (this.#whole > 0 && isLack(waits, TURN_MS_MAX))) this.#lessen(nowUs);
  }

  /** Called every second. */
  lookAfter(): void {
    this.judge();
    const nowUs = this.#clock.monotonicUs();
    if (this.#whole >= this.#feeds.size) {
      this.#whole = Number.POSITIVE_INFINITY;
      if (nowUs - this.#changedUs > 2 * EASE_MS_MAX * 1000) this.#easeMs = EASE_MS_MIN;
      return;
    }
    if (nowUs - this.#changedUs < this.#easeMs * 1000 || this.#line.size > 0 || !this.#pace.isFree) return;
    // The last try went well.
    if (this.#changedUs === this.#easedUs) this.#easeMs = Math.max(EASE_MS_MIN, this.#easeMs / 2);
    this.#whole += Math.max(1, Math.floor(this.#whole / 2));
    this.#changedUs = nowUs;
    this.#easedUs = nowUs;
  }

  #lessen(nowUs: number): void {
    // What waits was sent before the last change.
    if (this.#whole < this.#feeds.size && nowUs - this.#changedUs < BEHIND_MS_MAX * 1000) return;
    if (nowUs - this.#easedUs < TRY_MS * 1000) this.#easeMs = Math.min(EASE_MS_MAX, this.#easeMs * 2);
    this.#whole = Math.floor(Math.min(this.#whole, this.#feeds.size) / 2);
    this.#changedUs = nowUs;
    for (const feed of this.#feeds) if (feed.isBehind && !this.#line.has(feed)) this.#line.set(feed, nowUs);
    this.#serve();
  }

  /** Key frames, one after the other, while little waits. */
  #serve(): void {
    for (const feed of [...this.#line.keys()]) {
      if (!this.#pace.isFree) return;
      this.#line.delete(feed);
      feed.sendKey(this.isWhole(feed));
    }
  }

  /** Feeds with sound first: a hole in it is heard. */
  #ranked(): readonly TurnFeed[] {
    const feeds = [...this.#feeds];
    return [
      ...feeds.filter(({ isSounding }) => isSounding),
      ...feeds.filter(({ isSounding }) => !isSounding),
    ];
  }
}
