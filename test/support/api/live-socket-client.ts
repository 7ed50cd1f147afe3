import type { ClientMessage, ServerMessage } from "../../../src/contract/answer/index.js";
import { FEED_HEADER_BYTES } from "../../../src/player/feed/feed-message.js";
import { WebSocketClient, type WebSocketOptions } from "../http/web-socket.js";
import { ROOT_QUERY, until } from "./api-harness.js";

/** A binary message of the live socket, read by docs/ref/live-socket.md. */
export interface MediaMessage {
  readonly kind: "init" | "fragment";
  readonly key: boolean;
  readonly discontinuity: boolean;
  readonly sound: boolean;
  readonly playback: boolean;
  readonly feed: number;
  readonly timeUs: number;
  readonly handoverUs: number;
  readonly durationUs: number;
  readonly sequence: number;
  readonly media: Buffer;
}

export function readMedia(message: Buffer): MediaMessage {
  const flags = message.readUInt8(1);
  return {
    kind: message.readUInt8(0) === 1 ? "init" : "fragment",
    key: (flags & 1) !== 0,
    discontinuity: (flags & 2) !== 0,
    sound: (flags & 4) !== 0,
    playback: (flags & 8) !== 0,
    feed: message.readUInt32BE(4),
    timeUs: Number(message.readBigUInt64BE(8)),
    handoverUs: Number(message.readBigUInt64BE(16)),
    durationUs: message.readUInt32BE(24),
    sequence: message.readUInt32BE(28),
    media: message.subarray(FEED_HEADER_BYTES),
  };
}

/** A client of the live socket. */
export class LiveSocketClient extends WebSocketClient {
  constructor(port: number, options: Partial<WebSocketOptions> = {}) {
    super({ port, path: `/api/live?${ROOT_QUERY}`, protocol: "nvrd.live.1", ...options });
  }

  say(message: ClientMessage): void {
    this.send(message);
  }

  get answers(): ServerMessage[] {
    return this.texts.map((text) => JSON.parse(text) as ServerMessage);
  }

  /** Those of one type, in order. */
  of<T extends ServerMessage["type"]>(type: T): Extract<ServerMessage, { type: T }>[] {
    return this.answers.filter(
      (answer): answer is Extract<ServerMessage, { type: T }> => answer.type === type,
    );
  }

  get media(): MediaMessage[] {
    return this.binaries.map(readMedia);
  }

  /** Pictures of a feed. */
  pictures(feed?: number): MediaMessage[] {
    return this.media.filter(
      (message) =>
        message.kind === "fragment" && !message.sound && (feed === undefined || message.feed === feed),
    );
  }

  /** The newest init segment of a feed and all its fragments behind it. */
  newest(feed: number): MediaMessage[] {
    const ofFeed = this.media.filter((message) => message.feed === feed);
    return ofFeed.slice(ofFeed.findLastIndex(({ kind }) => kind === "init"));
  }

  /** The same as a file. */
  movie(feed: number): Buffer {
    return Buffer.concat(this.newest(feed).map(({ media }) => media));
  }

  /** Opens and says hello. */
  async greet(
    codecs: readonly ("avc1" | "hvc1" | "mp4a" | "flac")[] = ["avc1", "mp4a", "flac"],
  ): Promise<void> {
    this.say({ type: "hello", codecs });
    await until("a welcome", () => this.of("welcome").length > 0 || this.isClosed);
  }
}
