import { choice, GUID, type JsonSchema, range, TEXT, WHOLE } from "./json-schema.js";
import { type ParameterDescription, query, type RouteDescription } from "./route-description.js";

/** The live and recorded streams, and what others have in common with them. */

/** A time in any of the spellings that parameters take. */
export const TIME: JsonSchema = { type: "string", format: "nvrd-time" };

export const RESPONSE_TYPE: ParameterDescription = query(
  "responsetype",
  { ...choice(["xml", "json"]), default: "xml" },
  "The format of the answer.",
);

/** A time of any accepted spelling. */
export function timeParameter(
  name: string,
  text: string,
  options: { readonly required?: true } = {},
): ParameterDescription {
  return query(name, TIME, text, options);
}

/** Exactly one of three. */
export const CHANNEL_SELECTION: readonly ParameterDescription[] = [
  query("channelid", GUID, "The channel's id. Give exactly one of `channelid`, `channel` and `channelnum`."),
  query("channel", TEXT, "The channel's name; in any case, where only one channel has it."),
  query(
    "channelnum",
    { ...WHOLE, minimum: 0 },
    "The channel's number, counted from 0 over the channels the user may see.",
  ),
];

/** The spellings of a stream's type. */
export const STREAM_TYPE_SCHEMA = choice([
  "Main",
  "Alternative",
  "SecondAlternative",
  "ThirdAlternative",
  "MainVideo",
  "AlternativeVideo",
]);

export const MODE: ParameterDescription = query(
  "mode",
  { ...choice(["realtime", "archive"]), default: "realtime" },
  "Live or recorded.",
);

/** What /video, /mobile and /hls take alike. */
export const STREAM_PARAMETERS: readonly ParameterDescription[] = [
  ...CHANNEL_SELECTION,
  query(
    "streamtype",
    STREAM_TYPE_SCHEMA,
    "The stream. When left out: `Main`; with `mode=archive` the recorded stream.",
  ),
  MODE,
  timeParameter("starttime", "Where the recording begins. Required with `mode=archive`, refused without."),
  query("speed", { ...range(0.1, 20), default: 1 }, "How fast a recording is sent. Live takes only 1."),
];

export const SOUND = { ...choice(["on", "off"]), default: "off" };

/** Which channel a stream needs. */
export const STREAM_ACCESS =
  "The channel must be allowed live, or with `mode=archive` in the archive. The stream ends when the user loses a right, is removed, or the channel is switched off.";

export const STREAM_ERRORS = {
  404: "There is no such channel or stream, or nothing is recorded of it at or after `starttime`.",
  503: "The camera sends nothing (after 4.5 s when it does not answer, after 10 s when it does), the index of recordings is not open yet (`Retry-After`), or there are too many streams (512).",
};

export const VIDEO_DESCRIPTION: RouteDescription = {
  topic: "video",
  summary: "Streams a channel's frames as the camera sent them, live or recorded, without end",
  access: STREAM_ACCESS,
  parameters: [
    ...STREAM_PARAMETERS,
    query(
      "sound",
      SOUND,
      "`on` (also `true`, `1`): G.711 µ-law (8 kHz, mono) between the frames, converted where the camera sends A-law or AAC.",
    ),
  ],
  answer: {
    text: "A stream of parts, `multipart/x-mixed-replace; boundary=myboundary`.",
    content: { "multipart/x-mixed-replace": { type: "string", format: "binary" } },
  },
  errors: STREAM_ERRORS,
  text: [
    "Each part:",
    "",
    "```text",
    "--myboundary",
    "Content-Type: video, h264, I-frame",
    "Timestamp: 21.11.2026 09:00:00.040",
    "Content-Length: 48213",
    "",
    "…the frame…",
    "--myboundary",
    "```",
    "",
    "- `Content-Type` is `image/jpeg`, `video, mpeg4, I-frame`, `video, mpeg4, P-frame`, the same with `h264` and `h265`, or `audio, PCMU`.",
    "- H.264 and H.265 come as Annex B, a key frame with its parameter sets.",
    "- `Timestamp` is the presentation time of the picture, UTC.",
    "- The boundary line after a frame is sent together with that frame.",
    "- A key frame that was damaged or lost is left out, with all frames up to the next complete one. Other damaged frames come without the NAL units that were lost.",
    "",
    "**Live.** The answer begins with the current group of pictures, at a complete key frame. A stream that nobody records is connected while somebody watches it; status and headers are sent with the first frame. After 60 s without a frame the stream ends. A client that is more than 5 s or 4 MiB behind loses frames up to the next key frame. A client that takes nothing for 10 s is closed.",
    "",
    "**Archive.** The frames from the key frame before `starttime` up to `starttime` come at once. Those after it are paced by their times and `speed`. Gaps are skipped without waiting: a `starttime` in a gap begins with the next frame. At the live edge the answer stays open and continues as frames are recorded. Nothing is dropped: the server waits for a slow client. When nothing comes within 10 s the answer is 404; at once when `starttime` is later than that.",
  ],
  example: [
    'curl -sN -u "$AUTH" "$NVR/video?channelnum=0" --output live.multipart',
    'curl -sN -u "$AUTH" "$NVR/video?channel=Gate&mode=archive&starttime=21.11.2026+09:00:00&speed=4" --output archive.multipart',
  ],
};
