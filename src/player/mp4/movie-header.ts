import { box, fullBox, nullTerminated, u16, u32, u64 } from "./box.js";

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

export interface Movie {
  readonly tracks: readonly MovieTrack[];
  /** Duration, if known in advance. */
  readonly durationMs?: number;
  /** Time of its first picture, Unix ms. */
  readonly createdMs?: number;
  /** Name and comment that players show; metadata (ilst) in UTF-8. */
  readonly title?: string;
  readonly comment?: string;
}

/** Seconds from 1904 to 1970. */
const EPOCH_1904_S = 2_082_844_800;
const IDENTITY_MATRIX = u32(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000);
/** ISO 639-2/T `und`, packed (ISO/IEC 14496-12, 8.4.2.3). */
const LANGUAGE_UNDETERMINED = 0x55c4;
const TRACK_ENABLED_IN_MOVIE = 3;

/**
 * `ftyp` and `moov` of a fragmented movie (ISO/IEC 14496-12, 8.8): the initialization segment. The media follow in
 * fragments.
 */
export function movieHeader(movie: Movie): Buffer {
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
  const traks = movie.tracks.map((track) => trackBox(track, movie, createdS));
  return Buffer.concat([
    box("ftyp", brands("iso6"), u32(0x200), brands("iso6", "iso5", "isom", "mp41")),
    box("moov", mvhd, ...traks, extendsBox(movie), ...metadata(movie)),
  ]);
}

function brands(...names: readonly string[]): Buffer {
  return Buffer.from(names.join(""), "latin1");
}

function extendsBox({ tracks, durationMs }: Movie): Buffer {
  const mehd = durationMs === undefined ? [] : [fullBox("mehd", { version: 1 }, u64(durationMs))];
  return box("mvex", ...mehd, ...tracks.map(({ id }) => fullBox("trex", {}, u32(id, 1, 0, 0, 0))));
}

function trackBox(track: MovieTrack, movie: Movie, createdS: number): Buffer {
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
  return box("trak", tkhd, mediaBox(track, createdS));
}

function mediaBox(track: MovieTrack, createdS: number): Buffer {
  const video = track.kind === "video";
  const mdhd = fullBox(
    "mdhd",
    { version: 1 },
    u64(createdS, createdS),
    u32(track.timescale),
    u64(0),
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
  const none = [fullBox("stts", {}, u32(0)), fullBox("stsc", {}, u32(0)), fullBox("stsz", {}, u32(0, 0))];
  const stbl = box("stbl", stsd, ...none, fullBox("stco", {}, u32(0)));
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
