/**
 * What has to hold in the core whatever cameras and disks do. Where one does not, the work in hand is stopped rather than done
 * wrong: its stream, its segment, its turn. Each says what.
 */
export const INVARIANTS = {
  "frame-in-slab": "a frame's bytes lie outside their slab",
  "frame-time": "a frame's time is no number, or not later than that of the frame before",
  "packet-order": "a packet is begun within another, or used without being begun",
  "unit-order": "an access unit goes on that has not begun, or begins within another",
  "run-in-slab": "a run of fragments lies outside the bytes that it was given",
  "batch-room": "a record does not fit the batch",
  "record-length": "a record's ranges are not as long as the record",
  "segment-open": "something is put into a segment that is not open",
  "segment-offset": "a record does not lie where its segment ends",
  "segment-time": "a picture lies before the one before it in its segment, or before the segment",
  "segment-end": "a segment ends before it begins, or before its last picture",
  "segment-bytes": "the disk has answered for more of a segment, or for less, than was written",
  "segment-id": "a segment's id is not higher than that of the segment before",
  "fragment-start": "a fragment begins without a key frame",
  "index-order": "the segment that follows another in the index does not lie behind it",
  "removal-open": "a segment is to be removed that is being written, or not in the index for good",
  "removal-protected": "a segment is to be removed that is protected",
  "removal-volume": "a segment is to be removed from another volume than its own",
} as const;

export type InvariantCode = keyof typeof INVARIANTS;

/** An invariant that does not hold: a fault of nvrd, not of a camera or a disk. */
export class InvariantError extends Error {
  readonly code: InvariantCode;

  constructor(code: InvariantCode) {
    super(`fault in nvrd (${code}): ${INVARIANTS[code]}`);
    this.name = "InvariantError";
    this.code = code;
  }
}

const broken = new Map<InvariantCode, number>();

/** Throws InvariantError unless the condition holds, and counts it. While it holds it costs a comparison. */
export function invariant(condition: boolean, code: InvariantCode): asserts condition {
  if (!condition) fail(code);
}

/** How often each invariant did not hold since the process began; those that always held are not there. */
export function brokenInvariants(): ReadonlyMap<InvariantCode, number> {
  return broken;
}

/** Apart from the check, so that V8 inlines that. */
function fail(code: InvariantCode): never {
  broken.set(code, (broken.get(code) ?? 0) + 1);
  throw new InvariantError(code);
}
