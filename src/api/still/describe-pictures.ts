import {
  CHANNEL_SELECTION,
  MODE,
  query,
  type RouteDescription,
  STREAM_TYPE_SCHEMA,
  timeParameter,
  WHOLE,
} from "../route/index.js";

const SIDE = { ...WHOLE, minimum: 1 };
const SIDE_TEXT =
  "At most the real size: a larger value counts as that. Given alone, the other side follows from the picture's shape.";

export const SITE_DESCRIPTION: RouteDescription = {
  topic: "still",
  summary: "Returns one picture of a channel as JPEG, live or of a recorded moment",
  access:
    "The channel must be allowed live, or with `mode=archive` in the archive. Without `CanReceiveMainStream` the main stream is not chosen when `streamtype` is left out.",
  text: [
    "**Live.** Of a stream that is connected the answer comes at once. A camera that nobody watches is connected, and stays connected for 10 s after the last picture. When the camera is lost, does not answer within 4.5 s or sends no key frame within 10 s, it is asked for a snapshot of its own where it has one (at most 4 s); the snapshot is checked and encoded again. Otherwise the answer is 503 with the reason.",
    "",
    "**Archive.** The picture is exactly the frame shown at `starttime`, or the last one before it. Where nothing was recorded then, in a gap, before the beginning or in the future, it is the nearest: the last frame before or the first one after. In a group of pictures with more than 1000 frames or 32 MiB it is the last frame within that; in one that cannot be decoded so far it is the key frame.",
    "",
    "- The header `Timestamp` says when the picture was shown (UTC, as in the parts of [`/video`](#get-video)). `ETag` changes with the picture.",
    "- The stream's `RotationMode` is applied.",
    "- The parameter `withcontenttype` changes nothing: `Content-Type` always comes.",
    "- Pictures that were already made are kept in memory (setting `stillCacheBytes`) and come at once.",
  ],
  parameters: [
    ...CHANNEL_SELECTION,
    query(
      "streamtype",
      STREAM_TYPE_SCHEMA,
      "The stream. When left out: live, of the streams that are switched on and that the user may receive, from `ThirdAlternative` to `Main`, the first that is connected, else the first; recorded, the first in that order that has the moment, else the one recorded nearest to it.",
    ),
    MODE,
    timeParameter("starttime", "The moment. Required with `mode=archive`, refused without."),
    query("resolutionx", SIDE, `The width. Without any size the picture is 64x36. ${SIDE_TEXT}`),
    query("resolutiony", SIDE, `The height. ${SIDE_TEXT}`),
    query(
      "exact",
      { type: "boolean", default: false },
      "Live: the newest frame instead of the newest key frame. It costs the decoding of all frames since the key frame.",
    ),
  ],
  answer: { text: "The JPEG (JFIF).", content: { "image/jpeg": { type: "string", format: "binary" } } },
  errors: {
    404: "There is no such channel or stream, or nothing is recorded of it.",
    503: "The camera sends nothing, a frame cannot be decoded, the index of recordings is not open yet, or too many pictures wait to be made (160) or to be sent by cameras (64). `Retry-After` comes with the last two.",
  },
  example: [
    'curl -u "$AUTH" "$NVR/site?channelnum=0&resolutionx=320" --output now.jpg',
    'curl -u "$AUTH" "$NVR/site?channel=Gate&mode=archive&starttime=21.11.2026+09:00:01.400" --output then.jpg',
  ],
};
