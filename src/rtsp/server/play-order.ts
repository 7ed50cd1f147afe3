import { parseIsoTime, US_PER_SECOND } from "../../base/index.js";
import { formatClockTime } from "../message/clock-time.js";
import { RequestError } from "./server-request.js";

/** Limits of Scale and Speed. Other values are clamped, and the response states the value used. */
export const RATE_MIN = 0.1;
export const RATE_MAX = 20;

/** Largest normal play time accepted, in seconds. */
const NPT_SECONDS_MAX = 1e9;

/** Which frames are requested (ONVIF Streaming Specification, 6.4): all, key frames, or key frames at an interval. */
export interface WantedFrames {
  readonly keyOnly: boolean;
  /** 0: every one. */
  readonly intervalUs: number;
}

/** How a client requests a recording to be played (RFC 2326, 12.29, 12.34, 12.35; ONVIF Streaming Specification, 6). */
export interface PlayOrder {
  /** Playback begins with the key frame at or before this time. Unix microseconds. */
  readonly fromUs: number;
  /** Undefined: up to the end of the recording. */
  readonly toUs: number | undefined;
  /** Continues after the frame with this decode time, which the client already has. */
  readonly afterUs: number | undefined;
  /** Rate of the recording's time relative to the viewer's. */
  readonly scale: number;
  /** Rate of delivery; timestamps do not change. */
  readonly speed: number;
  /** False: as fast as the client reads. */
  readonly rateControl: boolean;
  readonly frames: WantedFrames;
}

type RangeUnit = "npt" | "clock";

interface Range {
  readonly unit: RangeUnit;
  readonly fromUs: number | undefined;
  readonly toUs: number | undefined;
}

/** The position of a session in its recording. */
export interface PlayPosition {
  /** The time of npt=0, Unix microseconds. */
  readonly startUs: number;
  /** Decode time of the newest frame that was sent; undefined before the first. */
  readonly sentUs: number | undefined;
  /** Scale if PLAY has none. */
  readonly scale: number;
}

export interface ReadPlayOrder {
  readonly order: PlayOrder;
  /** Unit of times in the response. */
  readonly unit: RangeUnit;
}

type Headers = ReadonlyMap<string, string>;

/** Whether a PLAY changes the playback; otherwise, while playing, it is a keep-alive. */
export function changesPlay(headers: Headers): boolean {
  return ["range", "scale", "speed", "frames", "rate-control"].some((name) => headers.has(name));
}

/** Reads a PLAY of a recording. Throws RequestError 400, 457 or 501. */
export function readPlayOrder(headers: Headers, position: PlayPosition): ReadPlayOrder {
  const range = readRange(headers.get("range"), position.startUs);
  const isGoingOn = range?.fromUs === undefined && position.sentUs !== undefined;
  const fromUs = range?.fromUs ?? position.sentUs ?? position.startUs;
  const toUs = range?.toUs;
  if (toUs !== undefined && toUs <= fromUs) {
    throw new RequestError(457, "the range ends at or before its start: reverse play is not supported");
  }
  return {
    order: {
      fromUs,
      toUs,
      afterUs: isGoingOn ? position.sentUs : undefined,
      scale: readScale(headers.get("scale")) ?? position.scale,
      speed: readRate(headers.get("speed"), "Speed") ?? 1,
      rateControl: readSwitch(headers.get("rate-control"), "Rate-Control"),
      frames: readFrames(headers.get("frames")),
    },
    unit: range?.unit ?? "npt",
  };
}

/** Throws RequestError 457 or 501 for a range that a live stream does not have; players request npt=0 or now. */
export function requireLiveRange(headers: Headers): void {
  const range = readRange(headers.get("range"), 0);
  if (range?.unit === "clock")
    throw new RequestError(457, "a live stream has no clock range: use mode=archive to play a recording");
}

/** The Range header of a response (RFC 2326, 12.29). */
export function formatRange(
  unit: RangeUnit,
  times: { readonly startUs: number; readonly fromUs: number; readonly toUs: number | undefined },
): string {
  const { startUs, fromUs, toUs } = times;
  const spell = (us: number) =>
    unit === "clock" ? formatClockTime(us) : Math.max(0, (us - startUs) / US_PER_SECOND).toFixed(3);
  return `${unit}=${spell(fromUs)}-${toUs === undefined ? "" : spell(toUs)}`;
}

function readRange(header: string | undefined, startUs: number): Range | undefined {
  const text = header?.split(";", 1)[0]?.trim();
  if (text === undefined || text === "") return undefined;
  const match = /^([a-z0-9-]+)\s*=\s*([^-]*?)\s*-\s*([^-]*)$/i.exec(text);
  const unit = match?.[1]?.toLowerCase();
  const [, , from = "", to = ""] = match ?? [];
  if (unit === "npt") {
    const at = (npt: number | undefined) => (npt === undefined ? undefined : startUs + npt);
    return { unit, fromUs: at(readNpt(from)), toUs: at(readNpt(to)) };
  }
  // GStreamer counts from 1900 unless it replays according to ONVIF: an end before 1970 means no end.
  if (unit === "clock") return { unit, fromUs: readClockTime(from), toUs: readClockTime(to) || undefined };
  if (unit !== undefined) throw new RequestError(501, "the unit of Range must be npt or clock");
  throw new RequestError(400, "the Range is invalid: use npt=10.5- or clock=20261121T090000Z-");
}

/** Microseconds; undefined, for `now` or an empty value, is the session's position (RFC 2326, 3.6). */
function readNpt(text: string): number | undefined {
  if (text === "" || text.toLowerCase() === "now") return undefined;
  const match = /^(?:(\d{1,6}):([0-5]?\d):)?(\d{1,9}(?:\.\d{0,9})?)$/.exec(text);
  if (match === null) throw new RequestError(457, "npt is seconds (10.5) or hours (0:10:05.5)");
  const [, hours = "0", minutes = "0", rest = "0"] = match;
  const seconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
  if (!(seconds <= NPT_SECONDS_MAX)) throw new RequestError(457, "npt is beyond any recording");
  return Math.round(seconds * US_PER_SECOND);
}

function readClockTime(text: string): number | undefined {
  if (text === "" || text.toLowerCase() === "now") return undefined;
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/i.exec(text);
  const [, year, month, day, hour, minute, second, fraction = ""] = match ?? [];
  // Nothing is recorded before 1970: a player's earliest time is 1900.
  if (match !== null && Number(year) < 1970) return 0;
  const timeUs =
    match === null
      ? undefined
      : parseIsoTime(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}Z`);
  if (timeUs === undefined) throw new RequestError(457, "clock is UTC, as 20261121T090000.5Z");
  return timeUs;
}

function readScale(text: string | undefined): number | undefined {
  if (text !== undefined && /^\s*-/.test(text))
    throw new RequestError(501, "this server does not support reverse play: use a Scale above 0");
  return readRate(text, "Scale");
}

function readRate(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  // Speed may be a range of rates, of which the first is the lowest (RFC 2326, 12.35).
  const match = /^\s*(\d{1,6}(?:\.\d{1,9})?)\s*(?:-.*)?$/.exec(text);
  const rate = Number(match?.[1]);
  if (match === null || rate === 0) throw new RequestError(400, `${name} is a number above 0, as 2.0`);
  return Math.min(Math.max(rate, RATE_MIN), RATE_MAX);
}

function readSwitch(text: string | undefined, name: string): boolean {
  const word = text?.trim().toLowerCase() ?? "yes";
  if (word !== "yes" && word !== "no") throw new RequestError(400, `${name} is yes or no`);
  return word === "yes";
}

function readFrames(text: string | undefined): WantedFrames {
  const match = /^\s*(?:(all|predicted)|intra(?:\/(\d{1,9}))?)\s*$/i.exec(text ?? "all");
  if (match === null) throw new RequestError(400, "Frames is all, predicted, intra or intra/MILLISECONDS");
  return { keyOnly: match[1] === undefined, intervalUs: Number(match[2] ?? 0) * 1000 };
}
