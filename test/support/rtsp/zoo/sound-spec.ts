/** What the microphones of the zoo send: units that differ from one another, and how they are announced. */
export interface SoundSpec {
  readonly payloadType: number;
  readonly sdp: readonly string[];
  readonly clockRate: number;
  /** Units of the RTP clock in one packet. */
  readonly ticks: number;
  readonly unitMs: number;
  /** The payload of packet `index`. */
  readonly payload: (index: number) => Buffer;
  /** What is recorded of it: joined, it is what was recorded of several, joined. */
  readonly recorded: (index: number) => Buffer;
  /** Where the recorder decodes it: bytes recorded of a packet, whatever they are. */
  readonly recordedBytes?: number;
}

/** Bytes that differ from unit to unit. */
export function soundBytes(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = (seed * 2654435761 + 97) >>> 0;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
