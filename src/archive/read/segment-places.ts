import { errorText, type Guid, type Log, NvrdError } from "../../base/index.js";
import { VolumeError } from "../disk/volume-thread.js";
import type {
  OpenedSegment,
  ReadableSegment,
  ReadResult,
  RecordRead,
  SegmentReading,
} from "../segment/segment-reading.js";
import type { SegmentSummary } from "../segment/segment-summary.js";
import { DISK_TIMEOUT_MS, type Volume } from "../volume/volume.js";
import { segmentPaths } from "../volume/volume-segments.js";

/** A segment of an index, and where it is said to be. */
export type PlacedSegment = ReadableSegment & Pick<SegmentSummary, "volumeId" | "away">;

/** Where segments may be read. */
export interface SegmentPlaces {
  readonly volumeOf: (volumeId: Guid) => Volume | undefined;
  /** Where a copy of a segment lies off the box. */
  readonly copyOf: (segment: PlacedSegment) => SegmentReading | undefined;
  /** The key frames of a segment, where they are off the box and the whole of it is not. */
  readonly keyFramesOf: (segment: PlacedSegment) => SegmentSummary | undefined;
  /** A segment as it was recorded, where it stands in another order among those of a camera that it was given to. */
  readonly asRecorded?: (segment: PlacedSegment) => PlacedSegment;
  /** The volume that a segment is on now: it may have been moved since it was looked up. */
  readonly volumeNow: (segment: PlacedSegment) => Guid | undefined;
  /** Whether the page cache is left as it is: what was recorded a moment ago is read again soon. Default: what is read leaves it. */
  readonly leavesCache?: boolean;
  readonly log: Log;
}

export interface OpenedAt {
  readonly opened: OpenedSegment;
  readonly reading: SegmentReading;
}

interface Opening {
  readonly places: SegmentPlaces;
  readonly handle: number;
  readonly fromUs?: number | undefined;
  /** Called before each place that is tried. */
  readonly onTry?: (reading: SegmentReading) => void;
}

/**
 * Opens a segment where it is: on its volume, else off the box, also if retention took it a moment ago or its volume is absent.
 * Rejects with VolumeError where it is nowhere, with NvrdError NOT_AVAILABLE where it cannot be reached now.
 */
export async function openSegment(
  wanted: PlacedSegment,
  { places, handle, fromUs, onTry }: Opening,
): Promise<OpenedAt> {
  const segment = places.asRecorded?.(wanted) ?? wanted;
  const open = async (reading: SegmentReading): Promise<OpenedAt> => {
    onTry?.(reading);
    return { reading, opened: await reading.open(segment, handle, fromUs) };
  };
  const copy = places.copyOf(segment) ?? segment.away;
  if (copy !== undefined && segment.away !== undefined) return await open(copy);
  try {
    return await openHere(segment, places, open);
  } catch (error) {
    const isLost = error instanceof VolumeError || isUnavailable(error);
    if (copy === undefined || !isLost) throw error;
    return await open(copy);
  }
}

async function openHere(
  segment: PlacedSegment,
  places: SegmentPlaces,
  open: (reading: SegmentReading) => Promise<OpenedAt>,
): Promise<OpenedAt> {
  const openOn = async (volumeId: Guid): Promise<OpenedAt> => {
    const volume = places.volumeOf(volumeId);
    if (volume === undefined) throw new VolumeError(NO_VOLUME, "the recording's volume is not there");
    return await open(new VolumeReading(volume, places));
  };
  try {
    return await openOn(segment.volumeId);
  } catch (error) {
    const now = error instanceof VolumeError ? places.volumeNow(segment) : undefined;
    if (now === undefined || now === segment.volumeId) throw error;
    return await openOn(now);
  }
}

/** The code of a segment whose volume is not there: it may come back. */
export const NO_VOLUME = "NO_VOLUME";

function isUnavailable(error: unknown): boolean {
  return error instanceof NvrdError && error.code === "NOT_AVAILABLE";
}

/** Reads a volume's segments by its reader thread. */
class VolumeReading implements SegmentReading {
  readonly #volume: Volume;
  readonly #leavesCache: boolean;
  readonly #log: Log;

  constructor(volume: Volume, { leavesCache = false, log }: SegmentPlaces) {
    this.#volume = volume;
    this.#leavesCache = leavesCache;
    this.#log = log;
  }

  open(segment: ReadableSegment, handle: number): Promise<OpenedSegment> {
    const paths = segmentPaths(segment);
    const leavesCache = this.#leavesCache;
    return this.#volume.reads.read({ op: "open-segment", handle, paths, leavesCache }, DISK_TIMEOUT_MS);
  }

  read(request: RecordRead): Promise<ReadResult> {
    return this.#volume.reads.read({ op: "read", ...request }, DISK_TIMEOUT_MS);
  }

  close(handle: number): void {
    const late = (error: unknown): void => this.#log.debug(`close: ${errorText(error)}`);
    try {
      this.#volume.reads.read({ op: "close-segment", handle }, DISK_TIMEOUT_MS).catch(late);
    } catch (error) {
      late(error); // the volume's thread is gone, and the descriptor with it
    }
  }
}
