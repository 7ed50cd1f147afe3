/** What the 32 bytes before each piece of media say: docs/ref/live-socket.md. */
export interface MediaHeader {
  readonly kind: "init" | "fragment";
  /** It can be decoded without an earlier one. */
  readonly isKey: boolean;
  /** It does not continue the fragment before it: a gap, a jump, a seek. */
  readonly isDiscontinuity: boolean;
  readonly isSound: boolean;
  readonly isPlayback: boolean;
  /** The service's number of the stream. */
  readonly feed: number;
  /** When the picture was taken, Unix milliseconds; 0 for an init segment. */
  readonly wallMs: number;
  /** When the service had the picture whole, Unix milliseconds. */
  readonly handOverMs: number;
  /** 0: not known. */
  readonly durationMs: number;
  /** Counts every picture of the feed: a gap shows how many were left out. */
  readonly sequence: number;
}

export const HEADER_BYTES = 32;

const KINDS: Readonly<Record<number, MediaHeader["kind"]>> = { 1: "init", 2: "fragment" };

/** Undefined for a message that this version does not know. */
export function decodeHeader(message: ArrayBuffer): MediaHeader | undefined {
  if (message.byteLength <= HEADER_BYTES) return undefined;
  const view = new DataView(message);
  const kind = KINDS[view.getUint8(0)];
  if (kind === undefined) return undefined;
  const flags = view.getUint8(1);
  return {
    kind,
    isKey: (flags & 1) !== 0,
    isDiscontinuity: (flags & 2) !== 0,
    isSound: (flags & 4) !== 0,
    isPlayback: (flags & 8) !== 0,
    feed: view.getUint32(4),
    wallMs: milliseconds(view, 8),
    handOverMs: milliseconds(view, 16),
    durationMs: view.getUint32(24) / 1000,
    sequence: view.getUint32(28),
  };
}

/** Two halves: a number holds Unix microseconds exactly, and no object is made for them. */
function milliseconds(view: DataView, at: number): number {
  return (view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4)) / 1000;
}
