import * as v from "valibot";
import { GUID_PATTERN } from "../../contract/reading/index.js";

/** What two boxes say to each other: joining over HTTP/1.1, all else over HTTP/2 (RFC 9113), both below TLS 1.3. */

export const JOIN_PATH = "/partner/join";
export const BEAT_PATH = "/partner/beat";
export const LEAVE_PATH = "/partner/leave";
/** No message is longer, nor an answer. */
export const MESSAGE_BYTES_MAX = 65_536;
/** What strangers may send: a token, names and addresses; the main thread reads it. */
export const JOIN_BYTES_MAX = 8192;
/** Addresses of one box. */
export const HOSTS_MAX = 8;
/** Channels of a box that a beat can name. */
const CHANNELS_MAX = 512;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
const guid = v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN)));
const port = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));
/** Names and addresses, IPv6 without brackets. */
const host = v.pipe(text(253), v.regex(/^[A-Za-z0-9][A-Za-z0-9.:-]*$|^::[0-9A-Fa-f:.]*$/));

/** Who a box is, and where it is reached. */
const presenceEntries = {
  Name: v.pipe(text(128), v.minLength(1)),
  Version: text(64),
  Hosts: v.pipe(v.array(host), v.maxLength(HOSTS_MAX)),
  /** For partners. */
  Port: port,
  /** Of the API; 0: off. */
  HttpPort: port,
  HttpsPort: port,
};

export const presence = v.object(presenceEntries);
export type Presence = v.InferOutput<typeof presence>;

export const joinRequest = v.object({ Token: text(64), Id: guid, ...presenceEntries });
export type JoinRequest = v.InferOutput<typeof joinRequest>;

export const joinAnswer = v.object({ Id: guid, ...presenceEntries });
export type JoinAnswer = v.InferOutput<typeof joinAnswer>;

/** Said every half a second, and answered with the same of the other. */
export const beat = v.object({
  ...presenceEntries,
  /** What this box records at the moment, for how long already without a pause, ms, and what comes of it of late; older versions do not say that. */
  Recording: v.pipe(
    v.array(
      v.object({
        Id: guid,
        ForMs: v.pipe(v.number(), v.minValue(0)),
        BytesPerSecond: v.fallback(v.optional(v.pipe(v.number(), v.finite(), v.minValue(0))), undefined),
      }),
    ),
    v.maxLength(CHANNELS_MAX),
  ),
});
export type Beat = v.InferOutput<typeof beat>;

/** Why a box is not let in. */
export const JOIN_REFUSALS = ["token", "known", "full", "self", "request", "fault"] as const;
export type JoinRefusal = (typeof JOIN_REFUSALS)[number];
export const refusal = v.object({ Reason: v.picklist(JOIN_REFUSALS) });
