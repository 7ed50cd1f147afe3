import type { NvrdError } from "../../base/index.js";
import {
  FEED_FLAGS_AT,
  FeedFlag,
  type FeedMessage,
  type FeedSeat,
  type FeedSoundTrack,
  type FeedStart,
  type FeedViewer,
} from "../../feed/index.js";
import type { SocketConnection } from "../../http/index.js";
import type { SocketPace } from "./socket-pace.js";

/** A subscription that a client has to a feed. */
export interface FeedUser {
  takesSound(track: FeedSoundTrack): boolean;
  /** Pictures of a stream follow. Returns whether the client can play them. */
  onStart(start: FeedStart, feed: ClientFeed): boolean;
  /** The client was behind and goes on; so many pictures were left out. */
  onDropped(count: number): void;
  onFailure(error: NvrdError, feed: ClientFeed): void;
}

export interface ClientFeedOptions {
  readonly connection: SocketConnection;
  readonly pace: SocketPace;
  /** Takes a seat in the feed. Throws NvrdError NOT_AVAILABLE. */
  readonly sit: (viewer: FeedViewer) => FeedSeat;
  /** The last user has left. */
  readonly onEmpty: () => void;
}

/**
 * One feed on its way to one client, for all its subscriptions to it. A client that is behind gets nothing of it up to a key
 * frame: never a picture whose predecessors it lacks.
 */
export class ClientFeed implements FeedViewer {
  readonly #options: ClientFeedOptions;
  readonly #users = new Set<FeedUser>();
  #seat: FeedSeat | undefined;
  #isStarted = false;
  #isSounding = false;
  /** Nothing is sent before the next key frame. */
  #waits = true;
  /** The newest message that was sent. */
  #last: FeedMessage | undefined;
  #isBehind = false;
  /** The next message does not follow the one before it. */
  #isJump = false;

  constructor(options: ClientFeedOptions) {
    this.#options = options;
  }

  /** Whether a start was sent to it, so that pictures come. */
  get isStarted(): boolean {
    return this.#isStarted;
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
      this.#options.onEmpty();
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

  takesSound(track: FeedSoundTrack): boolean {
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
  }

  onMessage(message: FeedMessage): void {
    if (!this.#isStarted || (this.#waits && !message.key) || (message.sound && !this.#isSounding)) return;
    if (!this.#options.pace.takes(message.bytes.length)) {
      this.#isBehind = true;
      this.#waits = true;
      return;
    }
    if (this.#isBehind) this.#catchUp(message);
    this.#waits = false;
    this.#send(message);
  }

  onFailure(error: NvrdError): void {
    for (const user of [...this.#users]) user.onFailure(error, this);
  }

  /** The client has taken what waited: it goes on where it was, if that is still at hand, else with the newest key frame. */
  resume(): void {
    const gop = this.#seat?.feed.gop ?? [];
    if (!this.#isBehind || gop.length === 0) return;
    const at = this.#last === undefined ? -1 : gop.indexOf(this.#last);
    this.#waits = at < 0;
    if (at >= 0) this.#isBehind = false;
    for (const message of gop.slice(at + 1)) this.onMessage(message);
  }

  /** Behind no longer: says what was left out. */
  #catchUp(message: FeedMessage): void {
    this.#isBehind = false;
    if (this.#last === undefined) return;
    const count = message.sequence - this.#last.sequence - 1;
    if (count > 0) for (const user of this.#users) user.onDropped(count);
    this.#isJump = true;
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
    this.#options.onEmpty();
  }
}
