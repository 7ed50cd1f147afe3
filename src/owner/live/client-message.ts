import * as v from "valibot";
import { NvrdError, parseGuid } from "../../base/index.js";
import {
  type ClientMessage,
  LIVE_CODECS,
  LIVE_STREAM_CHOICES,
  type LiveCodec,
  PLAY_SPEED_MAX,
  PLAY_SPEED_MIN,
  WATCH_ID_MAX,
} from "../../contract/answer/index.js";

/** Largest side of a tile: a wall of screens. */
const TILE_SIDE_MAX = 32_768;
const CODECS_MAX = 16;
/** Watches of one `play`; how many channels may play is decided where they are played. */
const PLAY_WATCHES_MAX = 64;
/** Unix milliseconds in the year 2255: microseconds are exact up to there. */
const TIME_MS_MAX = 9_000_000_000_000;

const id = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(WATCH_ID_MAX));
const side = v.pipe(v.number(), v.minValue(1), v.maxValue(TILE_SIDE_MAX));
const tile = v.object({ width: side, height: side });
const stream = v.picklist(LIVE_STREAM_CHOICES);
const channel = v.pipe(
  v.string(),
  v.maxLength(64),
  v.check((text) => parseGuid(text) !== undefined, "not a GUID"),
  v.transform((text) => parseGuid(text) ?? text),
);
const speed = v.pipe(
  v.number(),
  v.check(
    (value) => Math.abs(value) >= PLAY_SPEED_MIN && Math.abs(value) <= PLAY_SPEED_MAX,
    `not ${PLAY_SPEED_MIN} to ${PLAY_SPEED_MAX}, or -${PLAY_SPEED_MIN} to -${PLAY_SPEED_MAX}`,
  ),
);
const timeMs = v.pipe(v.number(), v.minValue(0), v.maxValue(TIME_MS_MAX));
const watch = {
  id,
  channel,
  tile,
  stream: v.exactOptional(stream),
  sound: v.exactOptional(v.boolean()),
};

const MESSAGE = v.variant("type", [
  v.object({
    type: v.literal("hello"),
    // Codecs that this version does not know are none that it could send.
    codecs: v.pipe(
      v.array(v.pipe(v.string(), v.maxLength(64))),
      v.maxLength(CODECS_MAX),
      v.transform((names) => names.filter(isCodec)),
    ),
  }),
  v.object({ type: v.literal("watch"), ...watch }),
  v.object({
    type: v.literal("change"),
    id,
    tile: v.exactOptional(tile),
    stream: v.exactOptional(stream),
    sound: v.exactOptional(v.boolean()),
  }),
  v.object({ type: v.literal("leave"), id }),
  v.object({
    type: v.literal("play"),
    watches: v.pipe(v.array(v.object(watch)), v.minLength(1), v.maxLength(PLAY_WATCHES_MAX)),
    from: timeMs,
    speed: v.exactOptional(speed),
    paused: v.exactOptional(v.boolean()),
  }),
  v.object({ type: v.literal("seek"), to: timeMs }),
  v.object({ type: v.literal("speed"), speed }),
  v.object({ type: v.picklist(["pause", "resume"]) }),
  v.object({ type: v.literal("step"), by: v.picklist([1, -1]) }),
]);

function isCodec(name: string): name is LiveCodec {
  return LIVE_CODECS.some((codec) => codec === name);
}

/** Reads a message. Throws NvrdError BAD_REQUEST that names what is wrong with it. */
export function readClientMessage(text: string | undefined): ClientMessage {
  if (text === undefined) throw new NvrdError("BAD_REQUEST", "a binary message: only text is understood");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NvrdError("BAD_REQUEST", "the message is not JSON", {
      cause,
      hint: "send one object of docs/ref/live-socket.md",
    });
  }
  const result = v.safeParse(MESSAGE, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = v.getDotPath(issue) ?? "the message";
  throw new NvrdError("BAD_REQUEST", `${path}: ${issue.message}`, {
    hint: "see docs/ref/live-socket.md for the messages and their members",
  });
}

/** The number of the subscription that a message is about, where it can be read, for the error. */
export function idOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const result = v.safeParse(v.object({ id }), JSON.parse(text));
    return result.success ? result.output.id : undefined;
  } catch {
    // Not JSON: the error says so.
    return undefined;
  }
}
