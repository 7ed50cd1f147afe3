import { SEEN_KINDS } from "../../base/index.js";
import {
  choice,
  decimal,
  flag,
  group,
  id,
  integer,
  line,
  list,
  listOf,
  type MessageOf,
  meaning,
  number,
  oneOf,
  optional,
  text,
  type ValueOf,
  whole,
} from "../kinds/kinds.js";
import { GAP_REASONS } from "./timeline.js";

/**
 * Messages of the live socket, `GET /api/live` with the subprotocol `nvrd.live.1` (docs/ref/live-socket.md). Text messages are
 * JSON, one object each, with `type`. Binary messages are media, described there byte by byte.
 */

/** Families of codecs that a client may be able to play. */
export const LIVE_CODECS = ["avc1", "hvc1", "mp4a", "flac"] as const;
export type LiveCodec = (typeof LIVE_CODECS)[number];

const PLAY_SPEED_MIN = 0.25;
const PLAY_SPEED_MAX = 32;
/** Largest side of a tile: a wall of screens. */
const TILE_SIDE_MAX = 32_768;
/** Of one `play`; how many channels may play is decided where they are played. */
const PLAY_WATCHES_MAX = 64;
/** Unix milliseconds in the year 2255: microseconds are exact up to there. */
const TIME_MS_MAX = 9_000_000_000_000;

export const watchId = meaning("The client's number of the subscription.", whole(1, 65_535));

const side = decimal(1, TILE_SIDE_MAX);
const tile = meaning(
  "The size of the picture in device pixels: the service picks the smallest stream that fills it.",
  group({ width: side, height: side }),
);
export type Tile = ValueOf<typeof tile>;

const playSpeed = meaning(
  "Below 0 backwards, by key frames. Beyond 4 only key frames are sent.",
  oneOf(decimal(PLAY_SPEED_MIN, PLAY_SPEED_MAX), decimal(-PLAY_SPEED_MAX, -PLAY_SPEED_MIN)),
);
export type PlaySpeed = ValueOf<typeof playSpeed>;

const time = meaning("Unix milliseconds.", decimal(0, TIME_MS_MAX));
const watched = {
  tile: optional(tile),
  stream: optional(
    meaning(
      "`auto` (default) is the smallest stream that fills the tile, `main` the main stream, `alternative` the smallest of the others.",
      choice("auto", "main", "alternative"),
    ),
  ),
  sound: optional(meaning("Whether sound is sent too. Default `false`.", flag)),
  boxes: optional(
    meaning("Whether `boxes` say where in the picture something is seen; live alone. Default `false`.", flag),
  ),
} as const;
const watch = group({ id: watchId, channel: id, ...watched, tile });

/** Playbacks of one client. */
export const DECKS = 2;
const deck = {
  deck: optional(meaning("Which of the client's playbacks is meant. Default 0.", whole(0, DECKS - 1))),
} as const;

/** By their types; the text of each says what it does. */
export const liveOrders = {
  hello: meaning(
    "Once, first: what the client plays.",
    group({
      codecs: meaning(
        "Families of codecs, as in the `codecs` parameter of RFC 6381. Others than `avc1`, `hvc1`, `mp4a` and `flac` are ignored.",
        list(line(64), 16, "codecs"),
      ),
    }),
  ),
  watch: meaning("Begins to watch a channel live. `id` is free again after `leave` and `ended`.", watch),
  change: meaning(
    "Changes a subscription, live or of a playback; what is left out stays.",
    group({ id: watchId, ...watched }),
  ),
  leave: meaning("Ends a subscription. A playback ends with its last one.", group({ id: watchId })),
  play: meaning(
    "Plays recordings of several channels in step. A client has two playbacks at most: another one on the same deck takes its place.",
    group({
      ...deck,
      watches: {
        ...list(watch, PLAY_WATCHES_MAX, "channels"),
        min: { count: 1, accepted: "at least one channel" },
      },
      from: time,
      speed: optional(playSpeed),
      paused: optional(meaning("Begins paused, with the picture at `from`. Default `false`.", flag)),
    }),
  ),
  seek: meaning("Goes on from another moment.", group({ ...deck, to: time })),
  scan: meaning(
    "Sends the key frames between two moments, as fast as the client takes them: for a hand that is drawn along a timeline. Stands.",
    group({
      ...deck,
      from: time,
      to: time,
      every: meaning(
        "Key frames that follow sooner are left out, milliseconds. At most 500 are sent of each channel.",
        decimal(1, TIME_MS_MAX),
      ),
    }),
  ),
  speed: meaning("Plays on at another speed.", group({ ...deck, speed: playSpeed })),
  pause: meaning("Stands at the time of the clock.", group(deck)),
  resume: meaning("Goes on from there.", group(deck)),
  states: meaning(
    "Asks for the state of each channel that the user may watch live: at first of those with something to report, then of each that changes, at most once a second; or ends that.",
    group({ on: flag }),
  ),
  step: meaning(
    "One picture forwards or backwards, of the first channel of the playback; the others follow in time. Pauses.",
    group({ ...deck, by: oneOf(whole(1, 1), whole(-1, -1)) }),
  ),
} as const;

/** What a client sends. */
export type ClientMessage = MessageOf<typeof liveOrders>;
type OrderOf<T extends keyof typeof liveOrders> = MessageOf<Pick<typeof liveOrders, T>>;
export type HelloMessage = OrderOf<"hello">;
export type WatchMessage = OrderOf<"watch">;
export type ChangeMessage = OrderOf<"change">;
export type LeaveMessage = OrderOf<"leave">;
export type PlayMessage = OrderOf<"play">;
export type StatesMessage = OrderOf<"states">;
/** Orders to the playback that there is. */
export type PlaybackOrder = OrderOf<"seek" | "scan" | "speed" | "pause" | "resume" | "step">;

/** Why a subscription shows nothing just now. It goes on by itself when the reason is gone. */
export const PROBLEM_REASON_TEXTS = {
  starting: "the stream is being connected",
  "camera-lost": "the camera does not answer, or the stream broke off; `text` says how",
  "recorder-lost": "at a hub: the recorder that has the camera is not connected to it; `text` says why",
  "camera-refuses-login": "the camera refuses the login",
  "switched-off": "the channel is switched off",
  "no-playable-stream": "there is no stream that the client plays, and none can be made",
  "too-many-viewers":
    "it would have to be transcoded, and too much is transcoded already; tried again every 5 s",
  "index-opening": "[recordings](#what-a-client-does-not-get): those of before the start are not known yet",
  "recording-not-readable": "[recordings](#what-a-client-does-not-get): they cannot be read",
} as const;
export type ProblemReason = keyof typeof PROBLEM_REASON_TEXTS;

/** Why a stream is not the one that the tile asks for. */
export const STREAM_REASON_TEXTS = {
  "codec-not-playable":
    "the client does not play the codec of the stream that fits, or that stream has no IDR picture where it could begin: it is transcoded",
  "only-stream": "the channel has no other one, or its camera does not answer",
  "sound-codec-not-playable": "there is sound, in a codec that the client does not play",
} as const;

const wordsOf = <T extends string>(texts: Readonly<Record<T, string>>) =>
  choice(...(Object.keys(texts) as T[]));
const code = meaning("One of [errors](errors.md).", text);
const forPeople = meaning("For people.", text);

const part = decimal(0, 1);
const seenBox = group({
  kind: meaning("`motion`: something moves there.", choice(...SEEN_KINDS)),
  label: meaning("`car`, `dog`; empty where the kind says it all.", text),
  left: meaning("Parts of the picture as it is shown, from its upper left corner.", part),
  top: part,
  width: part,
  height: part,
});
/** Something that is seen, and where. */
export type SeenBox = ValueOf<typeof seenBox>;

/** By their types; the text of each says when it comes. */
export const liveNotices = {
  welcome: meaning(
    "The answer to `hello`.",
    group({
      version: text,
      time: meaning("The service's clock now, in Unix milliseconds.", number),
      limits: meaning(
        "How many subscriptions a client may have, how many channels play in step, and how many playbacks a client has.",
        group({ watches: integer, playbackChannels: integer, decks: integer }),
      ),
    }),
  ),
  stream: meaning(
    "The stream whose init segment follows; sent again whenever it changes.",
    group({
      id: watchId,
      feed: meaning("The service's number of this stream: binary messages carry it.", integer),
      mime: meaning(
        "For `MediaSource.isTypeSupported` and `addSourceBuffer`, with all tracks' codecs.",
        text,
      ),
      source: meaning(
        "`transcode`: H.264 made from a stream that the client does not play.",
        choice("main", "alternative", "transcode"),
      ),
      width: integer,
      height: integer,
      sound: flag,
      reason: optional(
        meaning("Why it is not the stream that the tile asks for.", wordsOf(STREAM_REASON_TEXTS)),
      ),
    }),
  ),
  problem: meaning(
    "Why a subscription has no pictures now.",
    group({
      id: watchId,
      reason: wordsOf(PROBLEM_REASON_TEXTS),
      since: optional(
        meaning("The last picture, or when the state began; left out where that is not known.", number),
      ),
      text: forPeople,
    }),
  ),
  dropped: meaning(
    "The client was behind: pictures were left out, and it goes on with a key frame.",
    group({ id: watchId, count: meaning("How many pictures.", integer) }),
  ),
  gap: meaning(
    "Nothing is recorded between two moments: the playback jumps over them.",
    group({
      id: watchId,
      from: number,
      to: number,
      reason: meaning("As in [`/api/timeline`](api.md#get-apitimeline).", choice(...GAP_REASONS)),
    }),
  ),
  playback: meaning(
    "The playback as it is now: sent after each order, and when it reaches an end.",
    group({
      ...deck,
      state: choice("playing", "paused", "edge", "start"),
      time: number,
      speed: playSpeed,
    }),
  ),
  state: meaning(
    "How a channel is, asked for by `states`. Of a channel without a state, pictures come and nothing is seen; such a state comes once for a channel that is switched off, gone or not to be watched any more.",
    group({
      channel: id,
      isLost: meaning("Its camera does not answer, or refuses.", flag),
      seen: meaning("What is seen or heard there now, or was a moment ago.", listOf(choice(...SEEN_KINDS))),
    }),
  ),
  boxes: meaning(
    "Where in the picture something is seen now, asked for by `boxes`: all of it whenever it changes, at most four times a second. A picture shows it when it was seen, which may be a second ago.",
    group({
      id: watchId,
      boxes: meaning("Empty: nothing.", listOf(seenBox)),
    }),
  ),
  ended: meaning("The subscription is over.", group({ id: watchId, code, text: forPeople })),
  error: meaning(
    "A message that was not understood or not taken: nothing changed.",
    group({ id: optional(watchId), code, text: forPeople }),
  ),
} as const;

/** What the service sends. */
export type ServerMessage = MessageOf<typeof liveNotices>;
/** How a channel is. */
export type StateMessage = MessageOf<Pick<typeof liveNotices, "state">>;
/** Where something is seen. */
export type BoxesMessage = MessageOf<Pick<typeof liveNotices, "boxes">>;
/** Describes the stream whose init segment follows. */
export type StreamMessage = MessageOf<Pick<typeof liveNotices, "stream">>;
