import { BOX_HEADER_BYTES, box, boxHeader, fullBox, nullTerminated, u16, u32, u64 } from "./box.js";
import type { SampleTables } from "./sample-tables.js";

/**
 * Timescale of video tracks: RTP's clock rate for video, with a whole number of ticks per frame at the usual frame
 * rates.
 */
export const VIDEO_TIMESCALE = 90_000;
/** Timescale of the movie's durations. */
export const MOVIE_TIMESCALE = 1000;

export interface MovieTrack {
  /** From 1 on, unique in the movie. */
  readonly id: number;
  readonly kind: "video" | "audio";
  /** Ticks a second of the track's times: VIDEO_TIMESCALE, or the sample rate of audio. */
  readonly timescale: number;
  /** Results of `sampleEntry`, one or more; fragments refer to them by index, from 1 on. */
  readonly entries: readonly Buffer[];
  /** Whether the movie's first unit has some of it; default true. */
  readonly isFromStart?: boolean;
  /** Display size of video in pixels. */
  readonly width?: number;
  readonly height?: number;
}

/** A track whose samples are all known. */
export interface WholeTrack extends MovieTrack {
  readonly tables: SampleTables;
  readonly durationTicks: number;
  /** When it begins in the movie; default 0. */
  readonly startMs?: number;
}

interface MovieOf<Track> {
  readonly tracks: readonly Track[];
  /** Duration, if known in advance. */
  readonly durationMs?: number;
  /** Time of its first picture, Unix ms. */
  readonly createdMs?: number;
  /** Name and comment that players show; metadata (ilst) in UTF-8. */
  readonly title?: string;
  readonly comment?: string;
}

export type Movie = MovieOf<MovieTrack>;
export type WholeMovie = MovieOf<WholeTrack>;

/** Seconds from 1904 to 1970. */
const EPOCH_1904_S = 2_082_844_800;
const IDENTITY_MATRIX = u32(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000);
/** ISO 639-2/T `und`, packed (ISO/IEC 14496-12, 8.4.2.3). */
const LANGUAGE_UNDETERMINED = 0x55c4;
const TRACK_ENABLED_IN_MOVIE = 3;
/** Media up to this length have 32-bit places, which more players know; the rest of 4 GiB is for the header. */
const SMALL_BYTES_MAX = 0xf000_0000;
/** Of a box whose length may be 4 GiB or more. */
const LARGE_HEADER_BYTES = 16;
/** Where the samples are in fragments. */
const NO_SAMPLES = [
  fullBox("stts", {}, u32(0)),
  fullBox("stsc", {}, u32(0)),
  fullBox("stsz", {}, u32(0, 0)),
  fullBox("stco", {}, u32(0)),
];
const NOTHING_SHOWN = 0xffff_ffff;

/**
 * `ftyp` and `moov` of a fragmented movie (ISO/IEC 14496-12, 8.8): the initialization segment. The media follow in
 * fragments.
 */
export function movieHeader(movie: Movie): Buffer {
  return Buffer.concat([
    box("ftyp", brands("iso6"), u32(0x200), brands("iso6", "iso5", "isom", "mp41")),
    movieBox(movie, [extendsBox(movie)], () => NO_SAMPLES),
  ]);
}

/**
 * All that lies before the samples of a movie in one piece, which even the simplest players know: `ftyp`, `moov` with the place of
 * each sample, and the beginning of `mdat`, `mediaBytes` long without its header.
 */
export function wholeMovieHeader(movie: WholeMovie, mediaBytes: number): Buffer {
  const isLarge = mediaBytes > SMALL_BYTES_MAX;
  const ftyp = box("ftyp", brands("isom"), u32(0x200), brands("isom", "iso2", "avc1", "mp41"));
  const mdat = isLarge
    ? Buffer.concat([u32(1), brands("mdat"), u64(LARGE_HEADER_BYTES + mediaBytes)])
    : boxHeader("mdat", BOX_HEADER_BYTES + mediaBytes);
  const headOf = (headBytes: number): Buffer => {
    const tables = new Map<MovieTrack, Buffer[]>();
    for (const track of movie.tracks) tables.set(track, track.tables.boxes(headBytes, isLarge));
    return Buffer.concat([ftyp, movieBox(movie, [], (track) => tables.get(track) ?? NO_SAMPLES), mdat]);
  };
  // Its length does not depend on where the samples are said to be.
  return headOf(headOf(0).length);
}

function movieBox(
  movie: Movie,
  behindTracks: readonly Buffer[],
  tablesOf: (track: MovieTrack) => readonly Buffer[],
): Buffer {
  const times = { version: 1 };
  const createdS = movie.createdMs === undefined ? 0 : Math.floor(movie.createdMs / 1000) + EPOCH_1904_S;
  const mvhd = fullBox(
    "mvhd",
    times,
    u64(createdS, createdS),
    u32(MOVIE_TIMESCALE),
    u64(movie.durationMs ?? 0),
    u32(0x1_0000),
    u16(0x100, 0),
    u32(0, 0),
    IDENTITY_MATRIX,
    Buffer.alloc(24),
    u32(Math.max(...movie.tracks.map(({ id }) => id)) + 1),
  );
  const traks = movie.tracks.map((track) => trackBox(track, movie, { createdS, tables: tablesOf(track) }));
  return box("moov", mvhd, ...traks, ...behindTracks, ...metadata(movie));
}

function brands(...names: readonly string[]): Buffer {
  return Buffer.from(names.join(""), "latin1");
}

function extendsBox({ tracks, durationMs }: Movie): Buffer {
  const mehd = durationMs === undefined ? [] : [fullBox("mehd", { version: 1 }, u64(durationMs))];
  return box("mvex", ...mehd, ...tracks.map(({ id }) => fullBox("trex", {}, u32(id, 1, 0, 0, 0))));
}

interface TrackParts {
  readonly createdS: number;
  readonly tables: readonly Buffer[];
}

function trackBox(track: MovieTrack | WholeTrack, movie: Movie, parts: TrackParts): Buffer {
  const { createdS } = parts;
  const { id, kind, width = 0, height = 0 } = track;
  const video = kind === "video";
  const tkhd = fullBox(
    "tkhd",
    { version: 1, flags: TRACK_ENABLED_IN_MOVIE },
    u64(createdS, createdS),
    u32(id, 0),
    u64(movie.durationMs ?? 0),
    u32(0, 0),
    u16(0, video ? 0 : 1, video ? 0 : 0x100, 0),
    IDENTITY_MATRIX,
    u32(width * 0x1_0000, height * 0x1_0000),
  );
  return box("trak", tkhd, ...editBox(track), mediaBox(track, parts));
}

/** Where a track begins later than its movie (ISO/IEC 14496-12, 8.6.6): nothing of it, and then all of it. */
function editBox(track: MovieTrack | WholeTrack): Buffer[] {
  const startMs = "startMs" in track ? (track.startMs ?? 0) : 0;
  if (startMs <= 0 || !("durationTicks" in track)) return [];
  const durationMs = Math.ceil((track.durationTicks * MOVIE_TIMESCALE) / track.timescale);
  const rows = [u32(2, startMs, NOTHING_SHOWN, 0x1_0000), u32(durationMs, 0, 0x1_0000)];
  return [box("edts", fullBox("elst", {}, ...rows))];
}

function mediaBox(track: MovieTrack | WholeTrack, { createdS, tables }: TrackParts): Buffer {
  const video = track.kind === "video";
  const mdhd = fullBox(
    "mdhd",
    { version: 1 },
    u64(createdS, createdS),
    u32(track.timescale),
    u64("durationTicks" in track ? track.durationTicks : 0),
    u16(LANGUAGE_UNDETERMINED, 0),
  );
  const hdlr = fullBox(
    "hdlr",
    {},
    u32(0),
    brands(video ? "vide" : "soun"),
    u32(0, 0, 0),
    nullTerminated(video ? "video" : "sound"),
  );
  const header = video ? fullBox("vmhd", { flags: 1 }, u16(0, 0, 0, 0)) : fullBox("smhd", {}, u16(0, 0));
  const dinf = box("dinf", fullBox("dref", {}, u32(1), fullBox("url ", { flags: 1 })));
  const stsd = fullBox("stsd", {}, u32(track.entries.length), ...track.entries);
  const stbl = box("stbl", stsd, ...tables);
  return box("mdia", mdhd, hdlr, box("minf", header, dinf, stbl));
}

/** Metadata in the form that players read (`udta` with `meta` and `ilst`, from QuickTime). */
function metadata({ title, comment, createdMs }: Movie): Buffer[] {
  const items = [
    ...textItem("\u00a9nam", title),
    ...textItem("\u00a9day", createdMs === undefined ? undefined : new Date(createdMs).toISOString()),
    ...textItem("\u00a9cmt", comment),
  ];
  if (items.length === 0) return [];
  const hdlr = fullBox("hdlr", {}, u32(0), brands("mdir", "appl"), u32(0, 0), Buffer.alloc(1));
  return [box("udta", fullBox("meta", {}, hdlr, box("ilst", ...items)))];
}

const UTF8_DATA = 1;

function textItem(type: string, text: string | undefined): Buffer[] {
  if (text === undefined || text === "") return [];
  return [box(type, box("data", u32(UTF8_DATA, 0), Buffer.from(text)))];
}
