import { type MediaDescription, parse, type SessionDescription } from "sdp-transform";
import { NvrdError } from "../../base/index.js";
import { Codec } from "../../live/index.js";
import { type CryptoAttribute, srtpKeysOf } from "../depacketize/srtp-keys.js";
import type { MediaTrack } from "../depacketize/types.js";
import { resolveControl } from "../message/rtsp-url.js";

/** Limits of a session description, checked before it is parsed. */
export const SDP_BYTES_MAX = 128 * 1024;
export const SDP_LINES_MAX = 1000;
export const SDP_LINE_LENGTH_MAX = 16 * 1024;
/** Most parameters of one fmtp that are kept. */
const FMTP_PARAMETERS_MAX = 64;

/** The tracks of a session description that nvrd supports, and the names of those it does not. */
export interface SessionOffer {
  /** In the description's order. */
  readonly tracks: readonly MediaTrack[];
  /**
   * Sound that the camera takes (ONVIF Streaming, 5.3): of each media of sound that is `sendonly`, its payload types that
   * nvrd supports. They are in `tracks` too: some cameras say `sendonly` of what they send.
   */
  readonly backTracks: readonly MediaTrack[];
  /** Such as "video VP8", for the message that says why nothing is recorded. */
  readonly unsupported: readonly string[];
  /** Aggregate control URL, for PLAY and TEARDOWN of all tracks. */
  readonly aggregateControl: string;
}

interface Encoding {
  readonly codec: Codec;
  readonly kind: "video" | "audio";
  /** Used when the description names no clock rate. */
  readonly clockRate: number | undefined;
}

/** Encoding names (RFC 6184, 7798, 6416, 2435, 3551, 3640), lower case. */
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ["h264", { codec: Codec.H264, kind: "video", clockRate: 90_000 }],
  ["h265", { codec: Codec.H265, kind: "video", clockRate: 90_000 }],
  ["hevc", { codec: Codec.H265, kind: "video", clockRate: 90_000 }],
  ["mp4v-es", { codec: Codec.MPEG4, kind: "video", clockRate: 90_000 }],
  ["jpeg", { codec: Codec.MJPEG, kind: "video", clockRate: 90_000 }],
  ["pcmu", { codec: Codec.PCMU, kind: "audio", clockRate: 8000 }],
  ["pcma", { codec: Codec.PCMA, kind: "audio", clockRate: 8000 }],
  ["mpeg4-generic", { codec: Codec.AAC, kind: "audio", clockRate: undefined }],
]);

/** Static payload types (RFC 3551, 6) that cameras send without an rtpmap. */
const STATIC_PAYLOAD_TYPES: ReadonlyMap<number, string> = new Map([
  [0, "PCMU"],
  [8, "PCMA"],
  [26, "JPEG"],
]);
const CLOCK_RATE_MAX = 1_000_000;
const CHANNELS_MAX = 8;

/**
 * Reads a session description (RFC 4566) leniently: missing v=, o=, s= and t= lines, attributes in any order, spaces at
 * line ends. Control attributes are resolved against `base`. Throws NvrdError BAD_REQUEST if it exceeds the limits
 * above or describes no media.
 */
export function parseSessionDescription(body: Buffer, base: string): SessionOffer {
  const session = parse(normalise(body));
  if (session.media.length === 0) {
    throw new NvrdError("BAD_REQUEST", "the session description has no media");
  }
  const aggregateControl = resolveControl(base, textOf(session.control));
  const tracks: MediaTrack[] = [];
  const backTracks: MediaTrack[] = [];
  const unsupported: string[] = [];
  for (const media of session.media) {
    const offered = tracksOf(session, media, base, aggregateControl);
    const [track] = offered;
    if (track !== undefined) tracks.push(track);
    else unsupported.push(describe(media));
    if (media.type === "audio" && media.direction === "sendonly") backTracks.push(...offered);
  }
  return { tracks, backTracks, unsupported, aggregateControl };
}

function normalise(body: Buffer): string {
  if (body.length > SDP_BYTES_MAX) {
    throw new NvrdError("BAD_REQUEST", `the session description is longer than ${SDP_BYTES_MAX} bytes`);
  }
  const lines = body.toString("latin1").split(/\r\n|\n|\r/);
  if (lines.length > SDP_LINES_MAX || lines.some((line) => line.length > SDP_LINE_LENGTH_MAX)) {
    throw new NvrdError(
      "BAD_REQUEST",
      `the session description has more than ${SDP_LINES_MAX} or overlong lines`,
    );
  }
  return lines
    .map((line) => line.trim().replace(/^a=(rtpmap|fmtp|control):\s+/i, "a=$1:"))
    .filter((line) => line !== "")
    .join("\r\n");
}

/** One track for each payload type that is supported. */
function tracksOf(
  session: SessionDescription,
  media: MediaDescription,
  base: string,
  aggregateControl: string,
): MediaTrack[] {
  const srtpKeys = isProtected(media) ? srtpKeysOf(cryptoOf(media)) : undefined;
  if (media.direction === "inactive" || srtpKeys?.length === 0) return [];
  const tracks: MediaTrack[] = [];
  for (const payloadType of payloadTypesOf(media)) {
    const map = media.rtp.find((entry) => entry.payload === payloadType);
    const name = textOf(map?.codec) ?? STATIC_PAYLOAD_TYPES.get(payloadType);
    const encoding = ENCODINGS.get(name?.toLowerCase() ?? "");
    const clockRate = bounded(map?.rate, CLOCK_RATE_MAX) ?? encoding?.clockRate;
    if (encoding === undefined || encoding.kind !== media.type || clockRate === undefined) continue;
    const control = textOf(media.control);
    tracks.push({
      kind: encoding.kind,
      codec: encoding.codec,
      payloadType,
      clockRate,
      channels: bounded(map?.encoding, CHANNELS_MAX) ?? 1,
      control:
        control === undefined && session.media.length === 1
          ? aggregateControl
          : resolveControl(base, control),
      fmtp: fmtpOf(media, payloadType),
      ...(srtpKeys !== undefined && { srtpKeys }),
    });
  }
  return tracks;
}

function isProtected(media: MediaDescription): boolean {
  return /SAVP/i.test(textOf(media.protocol) ?? "");
}

function cryptoOf(media: MediaDescription): CryptoAttribute[] {
  return (media.crypto ?? []).map(({ suite, config, sessionConfig }) => ({
    suite: textOf(suite) ?? "",
    keys: textOf(config) ?? "",
    parameters: textOf(sessionConfig) ?? "",
  }));
}

function payloadTypesOf(media: MediaDescription): number[] {
  const listed = (textOf(media.payloads) ?? "")
    .split(/\s+/)
    .filter((text) => /^\d{1,3}$/.test(text))
    .map(Number);
  return [...listed, ...media.rtp.map((entry) => entry.payload)].filter((payloadType) => payloadType <= 127);
}

/** sdp-transform turns digits into numbers; here everything is text again. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function bounded(value: unknown, max: number): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 && number <= max ? number : undefined;
}

function fmtpOf(media: MediaDescription, payloadType: number): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const line of media.fmtp) {
    if (line.payload !== payloadType) continue;
    for (const part of (textOf(line.config) ?? "").split(";")) {
      const equals = part.indexOf("=");
      const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
      if (name === "" || parameters.size >= FMTP_PARAMETERS_MAX) continue;
      parameters.set(name, equals < 0 ? "" : part.slice(equals + 1).trim());
    }
  }
  return parameters;
}

/** Kind and encoding of a media section for display, with the camera's text reduced to harmless characters. */
function describe(media: MediaDescription): string {
  const names = media.rtp.map((entry) => textOf(entry.codec) ?? "");
  const shown = names.length > 0 ? names.join(", ") : `payload type ${textOf(media.payloads) ?? "unknown"}`;
  const secret = isProtected(media) ? " with SRTP keys that are not supported" : "";
  return `${media.type} ${shown}`.replace(/[^\w ,.+-]/g, "?").slice(0, 80) + secret;
}
