import { createHash } from "node:crypto";
import {
  type ArchiveKey,
  type FragmentOrigin,
  fragmentOrigin,
  isKeyFramesFragment,
  type RecordedAccess,
  type RecordedPiece,
  type RecordedSegment,
} from "../../archive/index.js";
import { formatIsoTime, NvrdError, type StreamType } from "../../base/index.js";
import {
  type IndexReference,
  MOVIE_UNITS_MAX,
  MovieLayout,
  type MovieTrack,
  RECORDED_HINT,
  type UnitOptions,
  type UnitTrack,
  unitBytes,
  unitFragments,
  VIDEO_TIMESCALE,
} from "../../player/index.js";
import { type ExportFormat, type ExportMedia, isSameFormat, type SegmentMedia } from "./export-media.js";

/** Maximum duration of one export. */
export const EXPORT_DURATION_MAX_US = 24 * 3_600_000_000;
/** Maximum number of tracks and formats of one export together. */
const FORMATS_MAX = 64;
/** GOPs are combined up to this duration... */
const PIECE_US_MIN = 1_000_000;
/** ...or a longer one, so that a long export has at most about this many pieces. */
const PIECES_WANTED_MAX = 16_384;
/** Segments looked up between two pauses, so that other work of the service continues. */
const SEGMENTS_A_STEP = 100;
/** Numbers that the ETag has of each unit. */
const ETAG_NUMBERS = 6;
/** Maximum length of the list of stretches. */
const STRETCHES_MAX = 10_000;

/** The requested export. */
export interface ExportRequest {
  readonly of: ArchiveKey;
  readonly channelName: string;
  /** `[fromUs, toUs)`, Unix µs. */
  readonly fromUs: number;
  readonly toUs: number;
  /** The end that was asked for, which may lie far in the future. */
  readonly askedToUs: number;
  readonly sound: boolean;
  /** Of the runs with one video codec each, the one that is wanted, from 1 on; undefined: all of them in one file. */
  readonly part: number | undefined;
}

/** One unit of the movie and where it comes from. */
export interface PlannedUnit {
  readonly segment: RecordedSegment;
  readonly piece: RecordedPiece;
  readonly options: UnitOptions;
}

export type ExportOrigin = FragmentOrigin | "both";

/** A run without a gap: its position in the movie, and its recorded time. */
export interface ExportStretch {
  readonly fromUs: number;
  readonly toUs: number;
  /** Time in the movie. */
  readonly movieUs: number;
}

/** A file whose bytes are fully determined before its frames are read. */
export interface ExportPlan {
  readonly request: ExportRequest;
  /** The streams that the pictures are of, in the order of their first ones. */
  readonly streamTypes: readonly StreamType[];
  /** How many runs with one video codec each are recorded of the time. */
  readonly partsCount: number;
  readonly tracks: readonly MovieTrack[];
  readonly layout: MovieLayout;
  readonly units: readonly PlannedUnit[];
  /** Where the frames come from: what was recorded live, what the camera kept, or both. */
  readonly origin: ExportOrigin;
  readonly stretches: readonly ExportStretch[];
  /** Strong: it changes with anything that the file is made of (RFC 9110, 8.8.3). */
  readonly etag: string;
  readonly durationUs: number;
}

export interface PlanContext {
  readonly recordings: RecordedAccess;
  readonly media: ExportMedia;
  /** Version of the software: another version may produce other bytes. */
  readonly version: string;
  /** Aborted when nobody waits for it any more. */
  readonly gone?: AbortSignal | undefined;
}

/**
 * Plans an export. Rejects with NvrdError NOT_FOUND if nothing is recorded, NOT_SUPPORTED if the codec cannot be described to
 * players, BAD_REQUEST if it is too large, and with the errors of reading headers.
 */
export async function planExport(request: ExportRequest, context: PlanContext): Promise<ExportPlan> {
  const all = await takeSegments(request, context.recordings);
  const allMedia = await context.media.of(all, context.gone);
  const parts = codecRuns(allMedia);
  const { from, to } = wantedPart(request, parts);
  const segments = all.slice(from, to);
  const media = allMedia.slice(from, to);
  const tracks = new TrackTable(request.sound);
  const units = placeUnits(request, segments, media, tracks);
  const [first] = units;
  const last = units.at(-1);
  if (first === undefined || last === undefined) {
    const refused = media.find((one) => one.refused !== undefined)?.refused;
    throw refused === undefined ? nothingRecorded() : new NvrdError("NOT_SUPPORTED", refused);
  }
  const sources = segmentsOf(units);
  const streamTypes = [...new Set(sources.map(({ key }) => key.streamType))];
  const origin = originOf(sources);
  const durationUs = last.options.toUs - last.options.originUs;
  const movieTracks = tracks.tracks;
  const layout = new MovieLayout(
    {
      tracks: movieTracks.map((track) => ({ ...track, isFromStart: begins(first, track.id) })),
      durationMs: Math.ceil(durationUs / 1000),
      createdMs: Math.floor(first.options.fromUs / 1000),
      title: request.channelName,
      comment: commentOf(request, { streamTypes, first, last, origin, keys: keysOf(sources) }),
    },
    units.map((unit, at) => layoutUnit(unit, units[at + 1])),
  );
  const etag = etagOf(layout, units, context.version);
  const partsCount = Math.max(1, parts.length);
  const stretches = stretchesOf(units);
  return {
    request,
    streamTypes,
    partsCount,
    tracks: movieTracks,
    layout,
    units,
    origin,
    stretches,
    etag,
    durationUs,
  };
}

/** A run of segments: `[from, to)`. */
interface SegmentRun {
  readonly from: number;
  readonly to: number;
}

/** The runs of segments whose video is of one codec. What cannot be put into a movie belongs to the run before it. */
function codecRuns(media: readonly SegmentMedia[]): SegmentRun[] {
  const runs: { from: number; to: number; codec: number }[] = [];
  for (const [at, { video }] of media.entries()) {
    const last = runs.at(-1);
    if (video !== undefined && last?.codec !== video.codec) {
      runs.push({ from: at, to: at + 1, codec: video.codec });
    } else if (last !== undefined) last.to = at + 1;
  }
  return runs;
}

function wantedPart({ part }: ExportRequest, parts: readonly SegmentRun[]): SegmentRun {
  if (part === undefined) return { from: 0, to: Number.POSITIVE_INFINITY };
  const found = parts[part - 1];
  if (found !== undefined) return found;
  throw new NvrdError("NOT_FOUND", `there is no part ${part}: the time has ${parts.length}`, {
    hint: "parts are counted from 1; a new one begins where the codec of the pictures changes",
  });
}

/** Whether everything in `older` still exists unchanged: `newer` begins with the same units. */
export function goesOnFrom(older: ExportPlan, newer: ExportPlan): boolean {
  if (older.units.length > newer.units.length) return false;
  return older.units.every((unit, at) => {
    const other = newer.units[at];
    return (
      other !== undefined &&
      unit.segment.segmentId === other.segment.segmentId &&
      unit.segment.fromUs === other.segment.fromUs &&
      unit.piece.offset === other.piece.offset &&
      unit.piece.endOffset === other.piece.endOffset &&
      unit.piece.fromUs === other.piece.fromUs
    );
  });
}

async function takeSegments(request: ExportRequest, recordings: RecordedAccess): Promise<RecordedSegment[]> {
  const { fromUs, toUs } = request;
  const pieceUsMin = Math.max(PIECE_US_MIN, Math.ceil((toUs - fromUs) / PIECES_WANTED_MAX));
  const segments: RecordedSegment[] = [];
  let pieces = 0;
  for (const segment of recordings.recorded(request.of, { fromUs, toUs, pieceUsMin })) {
    if (segments.push(segment) % SEGMENTS_A_STEP === 0) await new Promise((resolve) => setImmediate(resolve));
    pieces += segment.pieces.length;
    if (pieces > MOVIE_UNITS_MAX) {
      throw new NvrdError("BAD_REQUEST", "this time holds too many short recordings for one file", {
        hint: "ask for a shorter time",
      });
    }
  }
  if (segments.length === 0) throw nothingRecorded();
  return segments;
}

function nothingRecorded(): NvrdError {
  return new NvrdError("NOT_FOUND", "nothing is recorded in this time", { hint: RECORDED_HINT });
}

function begins({ options: { video, audio } }: PlannedUnit, track: number): boolean {
  return video.id === track || audio?.id === track;
}

/** A unit whose end depends on what follows it. */
interface PlacedUnit extends PlannedUnit {
  readonly options: UnitOptions & { endsHere: boolean };
}

/** The position of each piece in the movie. Gaps keep their duration; if the clock went back, the time continues. */
function placeUnits(
  request: ExportRequest,
  segments: readonly RecordedSegment[],
  media: readonly SegmentMedia[],
  tracks: TrackTable,
): PlannedUnit[] {
  const units: PlacedUnit[] = [];
  let originUs = Number.POSITIVE_INFINITY;
  let endUs = 0;
  let sequence = 0;
  for (const [at, segment] of segments.entries()) {
    const video = tracks.video(media[at]?.video);
    if (video === undefined) continue;
    const audio = segment.hasAudio ? tracks.audio(media[at]?.audio) : undefined;
    let continues = segment.continues && media[at - 1]?.video !== undefined;
    for (const piece of segment.pieces) {
      const { fromUs, bytesMax } = piece;
      const toUs = Math.min(piece.toUs, request.toUs);
      originUs = Math.min(originUs, fromUs - endUs);
      endUs = toUs - originUs;
      const last = units.at(-1);
      if (last !== undefined) last.options.endsHere = !continues;
      const ends = { followsGap: !continues, endsHere: true, bytesMax };
      units.push({ segment, piece, options: { sequence, video, audio, originUs, fromUs, toUs, ...ends } });
      sequence += unitFragments(bytesMax);
      continues = true;
    }
  }
  return units;
}

function layoutUnit({ options, piece }: PlannedUnit, next: PlannedUnit | undefined): IndexReference {
  const startUs = options.fromUs - options.originUs;
  const endUs =
    next === undefined ? options.toUs - options.originUs : next.options.fromUs - next.options.originUs;
  return { bytes: unitBytes(options.bytesMax), durationUs: endUs - startUs, key: piece.key };
}

function stretchesOf(units: readonly PlannedUnit[]): ExportStretch[] {
  const stretches: { fromUs: number; toUs: number; movieUs: number }[] = [];
  for (const { options } of units) {
    const { fromUs, toUs, originUs, followsGap } = options;
    const last = stretches.at(-1);
    if (last !== undefined && !followsGap) last.toUs = toUs;
    else if (stretches.length < STRETCHES_MAX) stretches.push({ fromUs, toUs, movieUs: fromUs - originUs });
  }
  return stretches;
}

const FROM_CAMERA = {
  recorder: "",
  camera: ", from the camera's own archive",
  both: ", partly from the camera's own archive",
};

/** The segments that units come from, each once for those that follow one another. */
function segmentsOf(units: readonly PlannedUnit[]): RecordedSegment[] {
  const segments: RecordedSegment[] = [];
  for (const { segment } of units) if (segments.at(-1) !== segment) segments.push(segment);
  return segments;
}

function originOf(sources: readonly RecordedSegment[]): ExportOrigin {
  const origins = new Set(sources.map(({ fragmentId }) => fragmentOrigin(fragmentId)));
  if (!origins.has("camera")) return "recorder";
  return origins.size > 1 ? "both" : "camera";
}

/** How much of it is single pictures, in words for the file. */
function keysOf(sources: readonly RecordedSegment[]): string {
  const count = sources.filter(({ fragmentId }) => isKeyFramesFragment(fragmentId)).length;
  if (count === 0) return "";
  return count === sources.length ? ", key frames only" : ", partly key frames only";
}

function commentOf(
  { of }: ExportRequest,
  {
    streamTypes,
    first,
    last,
    origin,
    keys,
  }: {
    readonly streamTypes: readonly StreamType[];
    readonly first: PlannedUnit;
    readonly last: PlannedUnit;
    readonly origin: ExportOrigin;
    readonly keys: string;
  },
): string {
  const time = `${formatIsoTime(first.options.fromUs)} to ${formatIsoTime(last.options.toUs)}`;
  return `channel ${of.channelId}, stream ${streamTypes.join(", ")}, ${time} UTC${FROM_CAMERA[origin]}${keys}`;
}

function etagOf(layout: MovieLayout, units: readonly PlannedUnit[], version: string): string {
  const named = new Map<string, number>();
  const numbers = new Float64Array(units.length * ETAG_NUMBERS);
  let last: RecordedSegment | undefined;
  let source = 0;
  let at = 0;
  for (const { segment, piece, options } of units) {
    if (segment !== last) source = numberIn(named, sourceOf(segment));
    last = segment;
    numbers[at++] = source;
    numbers[at++] = segment.segmentId;
    numbers[at++] = piece.offset ?? -1;
    numbers[at++] = piece.endOffset;
    numbers[at++] = options.fromUs;
    numbers[at++] = options.toUs;
  }
  const hash = createHash("sha256")
    .update(`${version}\0${[...named.keys()].join(" ")}\0`)
    .update(layout.head);
  return `"${hash.update(Buffer.from(numbers.buffer)).digest("base64url").slice(0, 32)}"`;
}

/** Not its volume: a segment may be moved to another one, and is the same there. */
function sourceOf({ key, fragmentId }: RecordedSegment): string {
  return `${key.channelId}${key.streamType} ${fragmentId}`;
}

/** The number of a name, from 0 on, in the order of their first use. */
function numberIn(named: Map<string, number>, name: string): number {
  const known = named.get(name);
  if (known !== undefined) return known;
  named.set(name, named.size);
  return named.size - 1;
}

/** The movie's tracks: one per video codec, and one per audio codec and rate. */
class TrackTable {
  readonly #sound: boolean;
  readonly #rows: { kind: "video" | "audio"; formats: ExportFormat[] }[] = [];
  /** The segments of a run share their formats. */
  readonly #found = new Map<ExportFormat, UnitTrack>();
  #formats = 0;

  constructor(sound: boolean) {
    this.#sound = sound;
  }

  get tracks(): MovieTrack[] {
    return this.#rows.map(({ kind, formats }, at) => ({
      id: at + 1,
      kind,
      timescale: timescaleOf(kind, formats[0]),
      entries: formats.map(({ entry }) => entry),
      width: formats[0]?.width ?? 0,
      height: formats[0]?.height ?? 0,
    }));
  }

  video(format: ExportFormat | undefined): UnitTrack | undefined {
    return format === undefined ? undefined : this.#track("video", format);
  }

  audio(format: ExportFormat | undefined): UnitTrack | undefined {
    return format === undefined || !this.#sound ? undefined : this.#track("audio", format);
  }

  #track(kind: "video" | "audio", format: ExportFormat): UnitTrack {
    const found = this.#found.get(format) ?? this.#find(kind, format);
    this.#found.set(format, found);
    return found;
  }

  #find(kind: "video" | "audio", format: ExportFormat): UnitTrack {
    const { codec, sampleRate, channels, frameTicks } = format;
    let at = this.#rows.findIndex(
      ({ formats: [first] }) => first?.codec === codec && first.sampleRate === sampleRate,
    );
    if (at < 0) at = this.#rows.push({ kind, formats: [] }) - 1;
    const formats = this.#rows[at]?.formats ?? [];
    let description = formats.findIndex((known) => isSameFormat(known, format)) + 1;
    if (description === 0) {
      this.#formats += 1;
      if (this.#formats > FORMATS_MAX) {
        throw new NvrdError("BAD_REQUEST", `the camera changed its format more than ${FORMATS_MAX} times`, {
          hint: "ask for a shorter time",
        });
      }
      description = formats.push(format);
    }
    const timescale = timescaleOf(kind, format);
    const rates = frameTicks === undefined ? { channels } : { frameTicks, channels };
    return { id: at + 1, codec, timescale, description, ...rates };
  }
}

function timescaleOf(kind: "video" | "audio", format: ExportFormat | undefined): number {
  return kind === "video" ? VIDEO_TIMESCALE : Math.max(1, format?.sampleRate ?? 1);
}
