import type { Clock, NvrdError } from "../../base/index.js";
import type { FeedMessage } from "../feed/feed-message.js";
import { FEED_FLAGS_AT, FeedFlag } from "../feed/feed-message.js";
import type { FeedStart, FeedViewer } from "../feed/live-feed.js";
import type { FeedSeat } from "../feed/live-feeds.js";
import type { FeedSoundKind } from "../feed/sound-track.js";
import type { FeedTurns, TurnFeed } from "./feed-turns.js";
import type { SocketPace } from "./socket-pace.js";
import type { SocketSink } from "./socket-sink.js";

/** A subscription that a client has to a feed. */
export interface FeedUser {
  takesSound(track: FeedSoundKind): boolean;
  /** Pictures of a stream follow. Returns whether the client can play them. */
  onStart(start: FeedStart, feed: ClientFeed): boolean;
  /** The client was behind and goes on; so many pictures were left out. */
  onDropped(count: number): void;
  onFailure(error: NvrdError, feed: ClientFeed): void;
}

export interface ClientFeedOptions {
  readonly connection: SocketSink;
  readonly pace: SocketPace;
  /** Shares the link among the client's feeds. */
  readonly turns: FeedTurns;
  readonly clock: Clock;
  /** Takes a seat in the feed. Throws NvrdError NOT_AVAILABLE. */
  readonly sit: (viewer: FeedViewer) => FeedSeat;
  /** The last user has left. */
  readonly onEmpty: () => void;
  /** So many pictures were left out. */
  readonly onDropped: (count: number) => void;
}

/**
 * One feed on its way to one client, for all its subscriptions to it. A client that is behind gets nothing of it up to a key
 * frame: never a picture whose predecessors it lacks.
 */
export class ClientFeed implements FeedViewer, TurnFeed {
  readonly #options: ClientFeedOptions;
  readonly #users = new Set<FeedUser>();
  #seat: FeedSeat | undefined;
  #isStarted = false;
  #isSounding = false;
  /** Nothing is sent before the next key frame. */
  #waits = true;
  /** The newest message that was sent. */
  #last: FeedMessage | undefined;
  /** Pictures are left out. */
  #isBehind = false;
  /** Since when there was no room for them, microseconds; undefined where a key frame's turn is waited for. */
  #lackUs: number | undefined;
  /** The key frame that waits for its turn. */
  #key: FeedMessage | undefined;
  /** The next message does not follow the one before it. */
  #isJump = false;

  constructor(options: ClientFeedOptions) {
    this.#options = options;
    options.turns.add(this);
  }

  /** Whether a start was sent to it, so that pictures come. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  get isSounding(): boolean {
    return this.#isSounding;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  get lackUs(): number | undefined {
    return this.#lackUs;
  }

  /** When the newest picture of the feed was taken, Unix microseconds. */
  get lastPictureUs(): number | undefined {
    return this.#seat?.feed.lastPictureUs;
  }

  /** Adds a subscription, which may be called before this returns. Throws NvrdError NOT_AVAILABLE. */
  add(user: FeedUser): void {
    this.#users.add(user);
    if (this.#seat !== undefined) {
      this.refresh();
      return;
    }
    let seat: FeedSeat;
    try {
      seat = this.#options.sit(this);
    } catch (error) {
      this.#users.delete(user);
      this.#empty();
      throw error;
    }
    this.#seat = seat;
    if (this.#users.size === 0) this.#leave();
  }

  /** Calling it twice is harmless. */
  remove(user: FeedUser): void {
    if (this.#users.delete(user) && this.#users.size === 0) this.#leave();
  }

  /** Begins anew, because its subscriptions want something else of it: sound. */
  refresh(): void {
    this.#seat?.feed.replay(this);
  }

  takesSound(track: FeedSoundKind): boolean {
    for (const user of this.#users) if (user.takesSound(track)) return true;
    return false;
  }

  onStart(start: FeedStart): void {
    // A user that cannot play it goes elsewhere.
    const able = [...this.#users].filter((user) => user.onStart(start, this));
    if (able.length === 0) return;
    this.#options.connection.send(start.init.message);
    this.#isStarted = true;
    this.#isSounding = start.init.sound;
    this.#waits = true;
    this.#key = undefined;
  }

  onMessage(message: FeedMessage): void {
    if (!this.#isStarted) return;
    if (message.sound) this.#takeSound(message);
    else if (!this.#options.turns.isWhole(this)) this.#takeTurn(message);
    else if (!this.#waits || message.key) this.#takePicture(message);
    else if (this.#isBehind) this.#options.turns.judge();
  }

  onFailure(error: NvrdError): void {
    for (const user of [...this.#users]) user.onFailure(error, this);
  }

  /** Where it was, if that is still at hand, else with the newest key frame. */
  goOn(): void {
    const gop = this.#seat?.feed.gop ?? [];
    if (!this.#isBehind || gop.length === 0) return;
    const at = this.#last === undefined ? -1 : gop.indexOf(this.#last);
    const rest = gop.slice(at + 1);
    const since = this.#lackUs;
    if (since === undefined && !this.#options.pace.takes(bytesOf(rest))) return;
    this.#waits = at < 0;
    for (const message of rest) this.onMessage(message);
    // It has taken a part, and lacks room as long as before.
    if (this.#lackUs !== undefined) this.#lackUs = since ?? this.#lackUs;
  }

  sendKey(isWhole: boolean): void {
    const { pace } = this.#options;
    const gop = this.#seat?.feed.gop ?? [];
    const key = gop[0] ?? this.#key;
    this.#key = undefined;
    if (key === undefined || !this.#isStarted || !this.#isNew(key)) return;
    this.#sendNext(key);
    const rest = gop.slice(1);
    // Old pictures that the link is slow to carry would make the newest ones late.
    if (isWhole && gop.length > 0 && pace.takes(bytesOf(rest)))
      for (const message of rest) this.onMessage(message);
    else this.#fallBehind();
  }

  #takeSound(message: FeedMessage): void {
    const { pace, connection } = this.#options;
    if (this.#isSounding && this.#last !== undefined && pace.takesSound(message.bytes.length))
      connection.send(message.bytes);
  }

  #takePicture(message: FeedMessage): void {
    const { pace, turns } = this.#options;
    if (pace.takes(message.bytes.length)) {
      this.#sendNext(message);
      return;
    }
    this.#lackUs ??= this.#options.clock.monotonicUs();
    this.#fallBehind();
    turns.judge();
  }

  /** Key frames alone, in turn with other feeds. */
  #takeTurn(message: FeedMessage): void {
    this.#lackUs = undefined;
    this.#fallBehind();
    if (!message.key) return;
    this.#key = message;
    this.#options.turns.queue(this);
  }

  #fallBehind(): void {
    this.#isBehind = true;
    this.#waits = true;
  }

  #isNew({ sequence }: FeedMessage): boolean {
    return this.#last === undefined || sequence > this.#last.sequence;
  }

  #sendNext(message: FeedMessage): void {
    const count = this.#last === undefined ? 0 : message.sequence - this.#last.sequence - 1;
    if (this.#isBehind && count > 0) {
      for (const user of this.#users) user.onDropped(count);
      this.#options.onDropped(count);
      this.#isJump = true;
    }
    this.#isBehind = false;
    this.#lackUs = undefined;
    this.#waits = false;
    this.#send(message);
  }

  #send(message: FeedMessage): void {
    const { connection } = this.#options;
    this.#last = message;
    if (!this.#isJump) {
      connection.send(message.bytes);
      return;
    }
    this.#isJump = false;
    // The message is everybody's: this client's has a flag more.
    const marked = Buffer.from(message.bytes);
    marked.writeUInt8(marked.readUInt8(FEED_FLAGS_AT) | FeedFlag.discontinuity, FEED_FLAGS_AT);
    connection.send(marked);
  }

  #leave(): void {
    this.#seat?.leave();
    this.#seat = undefined;
    this.#isStarted = false;
    this.#empty();
  }

  #empty(): void {
    this.#options.turns.remove(this);
    this.#options.onEmpty();
  }
}

function bytesOf(messages: readonly FeedMessage[]): number {
  return messages.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
