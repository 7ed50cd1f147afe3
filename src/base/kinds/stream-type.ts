import type { Guid } from "../value/guid.js";

/** The API's stream types, in its order and spelling. */
export const STREAM_TYPES = ["Main", "Alternative", "SecondAlternative", "ThirdAlternative"] as const;

/** What `of` says of each type of stream. */
export function eachStream<T>(of: (type: StreamType) => T): Record<StreamType, T> {
  const [Main, Alternative, SecondAlternative, ThirdAlternative] = STREAM_TYPES;
  return {
    Main: of(Main),
    Alternative: of(Alternative),
    SecondAlternative: of(SecondAlternative),
    ThirdAlternative: of(ThirdAlternative),
  };
}

export type StreamType = (typeof STREAM_TYPES)[number];

/** Names one stream of one channel, everywhere. */
export interface StreamKey {
  readonly channelId: Guid;
  readonly streamType: StreamType;
}

/** `StreamKey` as one string, for maps and logs. */
export function streamKeyText(key: StreamKey): string {
  return `${key.channelId}/${key.streamType}`;
}
