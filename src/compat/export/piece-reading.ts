import type { ArchivedFrame, PieceRead, RecordedFile, RecordedPiece } from "../../archive/index.js";
import type { UnitMemory } from "./unit-memory.js";

interface PiecePart {
  readonly file: RecordedFile;
  readonly memory: UnitMemory;
  readonly piece: RecordedPiece;
  readonly position: number;
}

interface ReadingOptions {
  /** Nothing behind the first frame of which this is true is needed; default: the whole piece is. */
  readonly isLast?: (frame: ArchivedFrame, position: number) => boolean;
  /** Memory grows to so much for what is needed; default: as much as the piece takes. */
  readonly memoryBytesMax?: number;
}

/**
 * The records of a piece from a position on: all up to its end, or up to the last that is needed, or as many as the memory may hold,
 * and at least one. A file answers as much as it has at hand, so it is asked until that is reached.
 */
export async function readRecords(part: PiecePart, options: ReadingOptions = {}): Promise<PieceRead> {
  const { memory } = part;
  const { memoryBytesMax = Number.POSITIVE_INFINITY } = options;
  for (;;) {
    const read = await fill(part, options);
    if (read.neededBytes === 0) return read;
    const bytes = Math.max(read.neededBytes, Math.min(2 * memory.byteLength, memoryBytesMax));
    if (read.frames.length > 0 && bytes > memoryBytesMax) return { ...read, neededBytes: 0 };
    // What was read is read once more: its frames are views on the memory that is left.
    memory.growTo(bytes);
  }
}

/** Reads until the memory is full. `neededBytes`: so much memory the next record needs, with those that were read; 0: none. */
async function fill(
  { file, memory, piece, position: from }: PiecePart,
  { isLast }: ReadingOptions,
): Promise<PieceRead> {
  const frames: ArchivedFrame[] = [];
  const positions: number[] = [];
  let position = from;
  while (position < piece.endOffset) {
    const filled = position - from;
    const read = await file.read(piece, position, memory.shared, filled);
    if (read.neededBytes > 0) return { frames, positions, position, neededBytes: filled + read.neededBytes };
    for (const [at, frame] of read.frames.entries()) {
      const start = read.positions[at] ?? position;
      frames.push(frame);
      positions.push(start);
      if (isLast?.(frame, start) === true) return { frames, positions, position: start, neededBytes: 0 };
    }
    position = read.position;
  }
  return { frames, positions, position, neededBytes: 0 };
}
