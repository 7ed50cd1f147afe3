/**
 * Keys of the event log, big-endian so that LMDB's order of bytes is the order of time:
 *
 * - an event: time (u64, Unix µs), sequence (u48);
 * - its entry in the index: series number (u32), then the same.
 */
export const EVENT_KEY_BYTES = 14;
export const SERIES_KEY_BYTES = 4 + EVENT_KEY_BYTES;
/** Times and sequences are whole numbers up to these. */
export const TIME_US_MAX = Number.MAX_SAFE_INTEGER;
export const SEQUENCE_MAX = 2 ** 48 - 1;

const TWO_32 = 2 ** 32;

/** The position of an event. Events with the same time are ordered by sequence. */
export interface EventPosition {
  readonly timeUs: number;
  readonly sequence: number;
}

export const POSITION_LOWEST: EventPosition = { timeUs: 0, sequence: 0 };
export const POSITION_HIGHEST: EventPosition = { timeUs: TIME_US_MAX, sequence: SEQUENCE_MAX };

export function comparePositions(a: EventPosition, b: EventPosition): number {
  return a.timeUs - b.timeUs || a.sequence - b.sequence;
}

export function positionAfter({ timeUs, sequence }: EventPosition): EventPosition {
  return sequence < SEQUENCE_MAX ? { timeUs, sequence: sequence + 1 } : { timeUs: timeUs + 1, sequence: 0 };
}

export function positionBefore({ timeUs, sequence }: EventPosition): EventPosition {
  return sequence > 0 ? { timeUs, sequence: sequence - 1 } : { timeUs: timeUs - 1, sequence: SEQUENCE_MAX };
}

export function eventKey(position: EventPosition): Buffer {
  const key = Buffer.allocUnsafe(EVENT_KEY_BYTES);
  writePosition(key, 0, position);
  return key;
}

/** The position at the end of a key. Undefined if the key has the wrong length. */
export function positionOf(key: Buffer, keyBytes: number): EventPosition | undefined {
  if (key.length !== keyBytes) return undefined;
  const at = keyBytes - EVENT_KEY_BYTES;
  const timeUs = key.readUInt32BE(at) * TWO_32 + key.readUInt32BE(at + 4);
  return timeUs > TIME_US_MAX ? undefined : { timeUs, sequence: key.readUIntBE(at + 8, 6) };
}

export function seriesKey(series: number, position: EventPosition): Buffer {
  const key = Buffer.allocUnsafe(SERIES_KEY_BYTES);
  key.writeUInt32BE(series, 0);
  writePosition(key, 4, position);
  return key;
}

export function numberKey(value: number): Buffer {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(value);
  return key;
}

export function sequenceKey(sequence: number): Buffer {
  const key = Buffer.allocUnsafe(6);
  key.writeUIntBE(sequence, 0, 6);
  return key;
}

function writePosition(key: Buffer, at: number, { timeUs, sequence }: EventPosition): void {
  key.writeUInt32BE(Math.floor(timeUs / TWO_32), at);
  key.writeUInt32BE(timeUs % TWO_32, at + 4);
  key.writeUIntBE(sequence, at + 8, 6);
}
