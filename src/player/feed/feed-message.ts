/** Binary messages of the live socket: a header of 32 bytes, then an init segment or a fragment (docs/ref/live-socket.md). */

export const FEED_HEADER_BYTES = 32;
/** Where the flags are, and the number of the feed. */
export const FEED_FLAGS_AT = 1;
export const FEED_NUMBER_AT = 4;
const TIME_AT = 8;
const SEQUENCE_AT = 28;

export const FeedKind = { init: 1, fragment: 2 } as const;

export const FeedFlag = {
  /** A key frame. */
  key: 1,
  /** It does not follow the fragment before it: the player takes its place in time anew. */
  discontinuity: 2,
  /** A fragment of the sound track. */
  sound: 4,
  playback: 8,
} as const;

export interface FeedHeader {
  readonly kind: (typeof FeedKind)[keyof typeof FeedKind];
  /** Sum of FeedFlag. */
  readonly flags: number;
  /** Number of the feed. */
  readonly feed: number;
  /** When the picture was taken, Unix microseconds; 0 for an init segment. */
  readonly timeUs: number;
  /** When the service had it whole, Unix microseconds; 0 for an init segment. */
  readonly handoverUs: number;
  /** 0 while it is not known. */
  readonly durationUs: number;
  /** Counts the pictures of a feed, and those of its sound on its own. */
  readonly sequence: number;
}

const TWO_TO_32 = 0x1_0000_0000;
const U32_MAX = TWO_TO_32 - 1;

/** One binary message: the header and what `parts` hold, in one piece of memory. */
export function feedMessage(header: FeedHeader, ...parts: readonly Uint8Array[]): Buffer {
  const bytes = parts.reduce((sum, part) => sum + part.length, FEED_HEADER_BYTES);
  const message = Buffer.allocUnsafe(bytes);
  let at = writeHeader(message, header);
  for (const part of parts) {
    message.set(part, at);
    at += part.length;
  }
  return message;
}

function writeHeader(message: Buffer, header: FeedHeader): number {
  let at = message.writeUInt8(header.kind, 0);
  at = message.writeUInt8(header.flags, at);
  at = message.writeUInt16BE(0, at);
  at = message.writeUInt32BE(header.feed, at);
  at = writeTime(message, header.timeUs, at);
  at = writeTime(message, header.handoverUs, at);
  at = message.writeUInt32BE(Math.min(U32_MAX, Math.max(0, Math.round(header.durationUs))), at);
  return message.writeUInt32BE(header.sequence % TWO_TO_32, at);
}

function writeTime(message: Buffer, timeUs: number, at: number): number {
  const time = Math.max(0, Math.round(timeUs));
  const middle = message.writeUInt32BE(Math.floor(time / TWO_TO_32), at);
  return message.writeUInt32BE(time % TWO_TO_32, middle);
}

/** What a message says of itself. Throws RangeError where it is too short to be one. */
export function readFeedHeader(
  message: Buffer,
): Pick<FeedHeader, "flags" | "feed" | "timeUs" | "sequence"> & { readonly kind: number } {
  if (message.length < FEED_HEADER_BYTES) throw new RangeError("a binary message is too short");
  return {
    kind: message.readUInt8(0),
    flags: message.readUInt8(FEED_FLAGS_AT),
    feed: message.readUInt32BE(FEED_NUMBER_AT),
    timeUs: message.readUInt32BE(TIME_AT) * TWO_TO_32 + message.readUInt32BE(TIME_AT + 4),
    sequence: message.readUInt32BE(SEQUENCE_AT),
  };
}

/** One binary message, the same for all who watch. */
export interface FeedMessage {
  readonly bytes: Buffer;
  /** A key frame: where a viewer can begin. */
  readonly key: boolean;
  /** Of the picture, as in the header; of sound: of the picture before it. */
  readonly sequence: number;
  readonly sound: boolean;
}
