import { LANGUAGES } from "../../base/index.js";
import { choice, decimal, flag, id, meaning, whole } from "../kinds/kinds.js";
import { filled, moment, onOff, or, type Parameters } from "./parameters.js";

/** Parameters that routes share, and those of live and recorded streams. */

export const formatQuery = {
  responsetype: meaning("The format of the answer.", or(choice("xml", "json"), "xml")),
} as const satisfies Parameters;

/** Of texts for people. */
export const language = or(choice(...LANGUAGES), "en");

/** Of these exactly one. */
export const channelParameters = {
  channelid: meaning("The channel's id. Give exactly one of `channelid`, `channel` and `channelnum`.", id),
  channel: meaning("The channel's name; in any case, where only one channel has it.", filled),
  channelnum: meaning(
    "The channel's number, counted from 0 over the channels the user may see.",
    whole(0, 999_999),
  ),
} as const satisfies Parameters;

/** Of one picture that may not be recorded: a browser writes an error for each 404. */
export const optionalPicture = {
  optional: meaning("`true`: where nothing is recorded, 204 without a body takes the place of 404.", flag),
} as const satisfies Parameters;

const mode = meaning("Live or recorded.", or(choice("realtime", "archive"), "realtime"));

/** `MainVideo` and `AlternativeVideo` are other names. */
export const streamType = choice(
  "Main",
  "Alternative",
  "SecondAlternative",
  "ThirdAlternative",
  "MainVideo",
  "AlternativeVideo",
);

/** What is played, live or recorded: of /video, /mobile and /hls. */
export const playingParameters = {
  streamtype: meaning(
    "The stream. When left out: `Main`; with `mode=archive` all that is recorded of the channel, each moment from the stream that has it.",
    streamType,
  ),
  mode,
  starttime: meaning(
    "Where the recording begins. If nothing is recorded then (in a gap, before the beginning or in the future), it begins with what is recorded nearest to it. Required with `mode=archive`, refused without.",
    moment,
  ),
  speed: meaning("The speed of a recording. Only 1 for live.", or(decimal(0.1, 20), 1)),
  sound: onOff,
} as const satisfies Parameters;

export const videoQuery = {
  ...channelParameters,
  ...playingParameters,
  sound: meaning(
    "`on` (also `true`, `1`): G.711 µ-law (8 kHz, mono) between the frames, converted if the camera sends anything else.",
    onOff,
  ),
} as const satisfies Parameters;

const side = decimal(1, 100_000);

/** What /mobile has besides. */
export const transcodingParameters = {
  soundformat: meaning("The format of the sound.", or(choice("pcm", "g711u", "g711a", "aac"), "g711u")),
  fps: meaning("Maximum pictures per second. Default: the level's limit.", decimal(0.01, 1000)),
  resolutionx: meaning("The requested width; the closest level is used. Default: the lowest level's.", side),
  resolutiony: meaning("The requested height. Default: the lowest level's.", side),
  oneframeonly: meaning(
    "`true`: one JPEG, then the answer ends. Its body is a part's headers and the JPEG.",
    flag,
  ),
  withcontenttype: meaning("With `oneframeonly`: only the JPEG, as `image/jpeg`.", flag),
} as const satisfies Parameters;

export const mobileQuery = {
  ...channelParameters,
  ...playingParameters,
  sound: meaning(
    "`on`: sound between the pictures. Of a recording also at another speed: it comes as fast as the pictures, and is not changed in pitch or length, as with `/video`.",
    onOff,
  ),
  ...transcodingParameters,
} as const satisfies Parameters;

export const hlsQuery = {
  ...channelParameters,
  ...playingParameters,
  sound: meaning(
    "`on`: with AAC sound. AAC from the camera is unchanged, other sound is converted to AAC with 16 kHz, mono. For a recording only at speed 1.",
    onOff,
  ),
} as const satisfies Parameters;

const count = whole(0, 999_999_999);

/** Blocking reload of a media playlist (rfc8216bis, 6.2.5.2). */
export const hlsReloadQuery = {
  _hls_msn: meaning(
    "Of the media playlist: waits until it holds this segment, at most 8 s. More than one segment ahead is 400.",
    count,
  ),
  _hls_part: meaning("With `_hls_msn`: waits for this part of the segment.", count),
} as const satisfies Parameters;

const stillSide = whole(1, 999_999_999);
const SIDE_TEXT =
  "At most the real size: a larger value is reduced to it. The default of the other side follows from the aspect ratio.";

/** Of one picture; `channelParameters` says of which channel. */
export const stillParameters = {
  streamtype: meaning(
    "The stream. When left out: live, of the streams that are switched on and that the user may receive, from `ThirdAlternative` to `Main`, the first, whoever watches; another one only while that is lost; recorded, the first in that order that has the moment, else the one recorded nearest to it.",
    streamType,
  ),
  mode,
  starttime: meaning("The time. Required with `mode=archive`, refused without.", moment),
  resolutionx: meaning(`The width. Without any size the picture is 64x36. ${SIDE_TEXT}`, stillSide),
  resolutiony: meaning(`The height. ${SIDE_TEXT}`, stillSide),
  exact: meaning(
    "Live: the newest frame instead of the newest key frame. This requires decoding all frames since the key frame.",
    flag,
  ),
  ...optionalPicture,
} as const satisfies Parameters;

export const siteQuery = { ...channelParameters, ...stillParameters } as const satisfies Parameters;
