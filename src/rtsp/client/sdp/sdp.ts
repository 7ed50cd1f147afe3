import { type MediaDescription, parse, type SessionDescription } from "sdp-transform";
import { NvrdError } from "../../../base/index.js";
import { type ControlBase, ControlReadings } from "../../message/rtsp-url.js";
import type { MediaTrack, PictureSize } from "../../rtp/types.js";
import { type Encoding, encodingOf, STATIC_PAYLOAD_TYPES } from "./sdp-encodings.js";
import { keyRequestOf, pictureGapUs } from "./sdp-feedback.js";
import { tidyDescription } from "./sdp-lines.js";
import { FormatParameters } from "./sdp-parameters.js";
import { keysOf, protectionText } from "./sdp-protection.js";

/** The tracks of a session description that nvrd supports, and the names of those it does not. */
export interface SessionOffer {
  /**
   * In the order in which they are to be tried: as described, but pictures of which the camera says that it does not send
   * them, and sound that it says it takes, behind the others of their kind.
   */
  readonly tracks: readonly MediaTrack[];
  /**
   * Sound that the camera takes (ONVIF Streaming, 5.3): of each media of sound that is `sendonly`, its payload types that
   * nvrd supports. They are in `tracks` too: some cameras say `sendonly` of what they send.
   */
  readonly backTracks: readonly MediaTrack[];
  /** Such as "video VP8", for the message that says why nothing is recorded. */
  readonly unsupported: readonly string[];
  /** Pictures are protected by keys that nvrd does not get. */
  readonly isLocked: boolean;
  /** Aggregate control URL, for PLAY and TEARDOWN of all tracks. */
  readonly aggregateControl: string;
  /** All of what it may be, by the reading of a track's controls that the camera knows (`MediaTrack.controls`). */
  readonly aggregateControls: readonly string[];
}

const CLOCK_RATE_MAX = 1_000_000;
const CHANNELS_MAX = 8;
const FIRST_DYNAMIC_TYPE = 96;
const PAYLOAD_TYPE_MAX = 127;
/** What a video without any name is most likely to be. */
const NAMELESS_VIDEO = "H264";
/** Widest and highest picture in a description that is believed. */
const PICTURE_SIDE_MAX = 32_768;

interface Place {
  readonly session: SessionDescription;
  readonly readings: ControlReadings;
  readonly parameters: FormatParameters;
}

/**
 * Reads a session description (RFC 4566) leniently: missing v=, o=, s= and t= lines, attributes in any order and in other
 * sections than their own, payload types without names. `base`: what control attributes are relative to. Throws NvrdError
 * BAD_REQUEST if it is too long or describes no media.
 */
export function parseSessionDescription(body: Buffer, base: ControlBase): SessionOffer {
  const session = parse(tidyDescription(body));
  if (session.media.length === 0) {
    throw new NvrdError("BAD_REQUEST", "the session description has no media");
  }
  const readings = new ControlReadings(base);
  const place = { session, readings, parameters: new FormatParameters(session) };
  const ordered: { readonly track: MediaTrack; readonly rank: number }[] = [];
  const backTracks: MediaTrack[] = [];
  const unsupported: string[] = [];
  for (const media of session.media) {
    const offered = tracksOf(place, media);
    const [track, ...alternatives] = offered;
    if (track === undefined && isSoundOff(media)) continue;
    if (track === undefined) unsupported.push(describe(session, media));
    else ordered.push({ track: { ...track, alternatives }, rank: rankOf(media) });
    if (media.type === "audio" && media.direction === "sendonly")
      backTracks.push(...offered.filter(({ payload }) => payload === undefined));
  }
  const tracks = joined(ordered.sort((one, other) => one.rank - other.rank).map(({ track }) => track));
  const aggregateControls = readings.of(textOf(session.control));
  const isLocked = session.media.some(
    (media) => media.type === "video" && keysOf(session, media)?.length === 0,
  );
  const aggregateControl = aggregateControls[0] ?? "";
  return { tracks, backTracks, unsupported, isLocked, aggregateControl, aggregateControls };
}

/** What has one control is one to the camera, however often it is described: it sends any of the types, by one SETUP. */
function joined(tracks: readonly MediaTrack[]): MediaTrack[] {
  const all: MediaTrack[] = [];
  for (const track of tracks) {
    const at = all.findIndex(({ kind, control }) => kind === track.kind && control === track.control);
    const first = all[at];
    if (first === undefined) all.push(track);
    else all[at] = joinedWith(first, track);
  }
  return all;
}

function joinedWith(first: MediaTrack, other: MediaTrack): MediaTrack {
  const { alternatives = [], ...described } = other;
  const offered = [...(first.alternatives ?? []), described, ...alternatives];
  const own = new Set(offered.map(({ payloadType }) => payloadType));
  const foreignTypes = new Set([...(first.foreignTypes ?? [])].filter((type) => !own.has(type)));
  return { ...first, alternatives: offered, foreignTypes };
}

/** Later ones are tried after earlier ones of their kind. */
function rankOf({ type, direction }: MediaDescription): number {
  return direction === "inactive" || (type === "audio" && direction === "sendonly") ? 1 : 0;
}

/** The camera has sound, and it is switched off: nothing is missing. */
function isSoundOff({ type, direction }: MediaDescription): boolean {
  return type === "audio" && direction === "inactive";
}

/** One track for each payload type that is supported. */
function tracksOf(place: Place, media: MediaDescription): MediaTrack[] {
  if (media.direction === "inactive" && media.type !== "video") return [];
  const srtpKeys = keysOf(place.session, media);
  if (srtpKeys?.length === 0) return [];
  const controls = controlsOf(place, media);
  const tracks: MediaTrack[] = [];
  for (const payloadType of payloadTypesOf(media)) {
    const name = nameOf(place, media, payloadType);
    const encoding = encodingOf(name);
    if (name === undefined || encoding === undefined) continue;
    const { clockRate, channels } = ratesOf(place, media, payloadType, encoding);
    if (clockRate === undefined) continue;
    tracks.push({
      kind: encoding.kind,
      codec: encoding.codec,
      payloadType,
      clockRate,
      channels,
      control: controls[0] ?? "",
      controls,
      fmtp: place.parameters.of(media, payloadType, name),
      payload: encoding.payload,
      size: sizeOf(media),
      foreignTypes: new Set(
        place.session.media.flatMap((other) => (other === media ? [] : payloadTypesOf(other))),
      ),
      keyRequest: keyRequestOf(media, payloadType),
      pictureGapUs: pictureGapUs(media),
      ...(srtpKeys !== undefined && { srtpKeys }),
    });
  }
  return tracks;
}

/** Without a control attribute, the only media is controlled as the whole. */
function controlsOf({ session, readings }: Place, media: MediaDescription): readonly string[] {
  const isAlone = media.control === undefined && session.media.length === 1;
  return readings.of(textOf(isAlone ? session.control : media.control));
}

function payloadTypesOf(media: MediaDescription): readonly number[] {
  const listed = (textOf(media.payloads) ?? "")
    .split(/\s+/)
    .filter((text) => /^\d{1,3}$/.test(text))
    .map(Number);
  const all = [...listed, ...media.rtp.map((entry) => entry.payload)];
  return [...new Set(all)].filter((payloadType) => payloadType <= PAYLOAD_TYPE_MAX);
}

type RtpMap = MediaDescription["rtp"][number];

/** Of the media itself; of another section, if it is none of that section's own types. */
function rtpMapOf(
  { session }: Place,
  media: MediaDescription,
  payloadType: number,
): Partial<RtpMap> | undefined {
  const isIts = (entry: RtpMap): boolean => entry.payload === payloadType;
  const own = media.rtp.find(isIts);
  if (own !== undefined) return own;
  const strayed = session.media.find(
    (other) =>
      other !== media && other.rtp.some(isIts) && !` ${textOf(other.payloads)} `.includes(` ${payloadType} `),
  );
  return strayed?.rtp.find(isIts);
}

function nameOf(place: Place, media: MediaDescription, payloadType: number): string | undefined {
  const named = textOf(rtpMapOf(place, media, payloadType)?.codec);
  if (named !== undefined && named !== "") return named;
  const fixed = STATIC_PAYLOAD_TYPES.get(payloadType)?.name;
  if (fixed !== undefined || payloadType < FIRST_DYNAMIC_TYPE) return fixed;
  // A type of the list that has no name of its own beside one that has: that is meant.
  if (media.rtp.length > 0) return undefined;
  const signed = place.parameters.encodingOf(media, payloadType);
  return signed ?? (media.type === "video" ? NAMELESS_VIDEO : undefined);
}

function ratesOf(
  place: Place,
  media: MediaDescription,
  payloadType: number,
  encoding: Encoding,
): { clockRate: number | undefined; channels: number } {
  const map = rtpMapOf(place, media, payloadType);
  const fixed = map === undefined ? STATIC_PAYLOAD_TYPES.get(payloadType) : undefined;
  const clockRateMax = encoding.clockRateMax ?? CLOCK_RATE_MAX;
  return {
    clockRate: bounded(map?.rate, clockRateMax) ?? fixed?.clockRate ?? encoding.clockRate,
    channels: encoding.channels ?? bounded(map?.encoding, CHANNELS_MAX) ?? fixed?.channels ?? 1,
  };
}

/** The size of pictures beyond what RFC 2435 can say: `a=framesize` (3GPP TS 26.234, 5.3.3.2), `a=x-dimensions`. */
function sizeOf(media: MediaDescription): PictureSize | undefined {
  for (const { value } of media.invalid ?? []) {
    const [, width, height] =
      /^(?:framesize: *\d+ +|x-dimensions: *)(\d{1,5})[-x, ]+(\d{1,5})/i.exec(value) ?? [];
    const size = {
      width: bounded(width, PICTURE_SIDE_MAX) ?? 0,
      height: bounded(height, PICTURE_SIDE_MAX) ?? 0,
    };
    if (size.width > 0 && size.height > 0) return size;
  }
  return undefined;
}

/** sdp-transform turns digits into numbers; here everything is text again. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function bounded(value: unknown, max: number): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 && number <= max ? number : undefined;
}

/** Kind and encoding of a media section for display, with the camera's text reduced to harmless characters. */
function describe(session: SessionDescription, media: MediaDescription): string {
  const names = payloadTypesOf(media)
    .map((type) => textOf(media.rtp.find((entry) => entry.payload === type)?.codec) ?? fixedName(type))
    .filter((name) => name !== "");
  const shown = names.length > 0 ? names.join(", ") : `payload type ${textOf(media.payloads) ?? "unknown"}`;
  const name = `${media.type} ${shown}`.replace(/[^\w ,.+-]/g, "?").slice(0, 80);
  return `${name} ${protectionText(session, media)}`.trimEnd();
}

function fixedName(payloadType: number): string {
  return STATIC_PAYLOAD_TYPES.get(payloadType)?.name ?? "";
}
