import { TARGET_DURATION_S } from "./limits.js";

/** One part in a playlist. */
export interface ListedPart {
  readonly durationUs: number;
  /** Holds a key frame. */
  readonly independent: boolean;
}

/** One segment in a playlist. */
export interface ListedSegment {
  readonly sequence: number;
  /** Index of its init segment, which a playlist names when it changes. */
  readonly period: number;
  /** It follows a gap, or another format. */
  readonly discontinuity: boolean;
  /** Presentation time of its first picture, Unix microseconds. */
  readonly timeUs: number;
  /** Of the complete segment; undefined while it grows. */
  readonly durationUs: number | undefined;
  /** Empty if none are listed. */
  readonly parts: readonly ListedPart[];
}

export interface MediaPlaylist {
  /** Oldest first; the last one may grow. */
  readonly segments: readonly ListedSegment[];
  /** Discontinuities that have left the list. */
  readonly discontinuitySequence: number;
  /** Undefined: no parts and no blocking reload. */
  readonly partTargetUs: number | undefined;
  /** Where a player should begin: microseconds after the start of the first segment. */
  readonly startUs?: number;
}

/** PART-HOLD-BACK in parts (rfc8216bis, 4.4.3.8: at least two, three are recommended). */
const PARTS_HELD_BACK = 3;

/** The media playlist's text. Its URIs are relative to it. */
export function mediaPlaylistText(playlist: MediaPlaylist): string {
  const { segments, discontinuitySequence, partTargetUs, startUs } = playlist;
  const first = segments[0]?.sequence ?? 0;
  const lines = [
    "#EXTM3U",
    "#EXT-X-VERSION:9",
    `#EXT-X-TARGETDURATION:${TARGET_DURATION_S}`,
    ...(partTargetUs === undefined ? [] : partHeader(partTargetUs)),
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuitySequence}`,
    ...(startUs === undefined ? [] : [`#EXT-X-START:TIME-OFFSET=${seconds(startUs)},PRECISE=YES`]),
  ];
  let period: number | undefined;
  for (const segment of segments) {
    // Discontinuities before the first are counted in the header.
    if (segment.discontinuity && segment.sequence !== first) lines.push("#EXT-X-DISCONTINUITY");
    if (segment.period !== period) lines.push(`#EXT-X-MAP:URI="${initName(segment.period)}"`);
    period = segment.period;
    lines.push(...segmentLines(segment));
  }
  if (partTargetUs !== undefined) lines.push(preloadHint(segments));
  return `${lines.join("\n")}\n`;
}

function partHeader(partTargetUs: number): string[] {
  const target = seconds(partTargetUs);
  return [
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${seconds(PARTS_HELD_BACK * partTargetUs)}`,
    `#EXT-X-PART-INF:PART-TARGET=${target}`,
  ];
}

function segmentLines({ sequence, timeUs, durationUs, parts }: ListedSegment): string[] {
  const lines = [`#EXT-X-PROGRAM-DATE-TIME:${new Date(timeUs / 1000).toISOString()}`];
  for (const [index, part] of parts.entries()) {
    const independent = part.independent ? ",INDEPENDENT=YES" : "";
    lines.push(
      `#EXT-X-PART:DURATION=${seconds(part.durationUs)},URI="${partName(sequence, index)}"${independent}`,
    );
  }
  if (durationUs !== undefined) lines.push(`#EXTINF:${seconds(durationUs)},`, segmentName(sequence));
  return lines;
}

/** The next part, which a player requests before it exists. */
function preloadHint(segments: readonly ListedSegment[]): string {
  const last = segments.at(-1);
  const grows = last !== undefined && last.durationUs === undefined;
  const sequence = (last?.sequence ?? -1) + (grows ? 0 : 1);
  return `#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${partName(sequence, grows ? last.parts.length : 0)}"`;
}

/** Seconds, with microsecond precision. */
function seconds(us: number): string {
  return (us / 1_000_000).toFixed(6).replace(/\.?0+$/, "");
}

export interface StreamDescription {
  /** RFC 6381, all tracks, comma between them. */
  readonly codecs: string;
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number | undefined;
  /** Of the segment with the highest bit rate. */
  readonly bitsPerSecond: number;
}

/** The multivariant playlist's text: one variant, at `uri`. */
export function multivariantPlaylistText(stream: StreamDescription, uri: string): string {
  const { codecs, width, height, framesPerSecond, bitsPerSecond } = stream;
  const attributes = [
    `BANDWIDTH=${Math.max(1, Math.ceil(bitsPerSecond))}`,
    `CODECS="${codecs}"`,
    ...(width > 0 && height > 0 ? [`RESOLUTION=${width}x${height}`] : []),
    ...(framesPerSecond === undefined ? [] : [`FRAME-RATE=${framesPerSecond.toFixed(3)}`]),
  ];
  return `#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-STREAM-INF:${attributes.join(",")}\n${uri}\n`;
}

/** A file named in a playlist. */
export type MediaFile =
  | { readonly kind: "init"; readonly period: number }
  | { readonly kind: "segment"; readonly sequence: number }
  | { readonly kind: "part"; readonly sequence: number; readonly part: number };

export const MEDIA_PLAYLIST_NAME = "media.m3u8";

export function initName(period: number): string {
  return `i${period}.mp4`;
}

export function segmentName(sequence: number): string {
  return `s${sequence}.m4s`;
}

export function partName(sequence: number, part: number): string {
  return `p${sequence}.${part}.m4s`;
}

/** Parses a file name used in playlists; undefined for any other. */
export function parseMediaFile(name: string): MediaFile | undefined {
  const match = /^(?:i(\d{1,9})\.mp4|s(\d{1,9})\.m4s|p(\d{1,9})\.(\d{1,4})\.m4s)$/.exec(name);
  if (match === null) return undefined;
  const [, init, segment, sequence, part] = match;
  if (init !== undefined) return { kind: "init", period: Number(init) };
  if (segment !== undefined) return { kind: "segment", sequence: Number(segment) };
  return { kind: "part", sequence: Number(sequence), part: Number(part) };
}
