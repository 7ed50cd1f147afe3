import {
  CHANNEL_SELECTION,
  choice,
  query,
  type RouteDescription,
  STREAM_TYPE_SCHEMA,
  timeParameter,
  WHOLE,
} from "../route/index.js";

/** Decoded pictures, as /openapi.json describes them. */

const SIDE = { ...WHOLE, minimum: 1 };

export const SITE_DESCRIPTION: RouteDescription = {
  summary: "One picture of a channel, live or recorded, as JPEG",
  text: "ETag names the picture, Timestamp says when it was shown (UTC). Without a size 64x36. withcontenttype changes nothing: Content-Type always comes.",
  parameters: [
    ...CHANNEL_SELECTION,
    query(
      "streamtype",
      STREAM_TYPE_SCHEMA,
      "The stream. When left out the last one there is: live, one that is connected before one that is not; recorded, one that has the moment.",
    ),
    query("mode", { ...choice(["realtime", "archive"]), default: "realtime" }, "Live or recorded."),
    timeParameter("starttime", "The moment; needed with mode=archive, refused without."),
    query("resolutionx", SIDE, "Width, at most the real one. Alone, the shape is kept."),
    query("resolutiony", SIDE, "Height, at most the real one. Alone, the shape is kept."),
    query(
      "exact",
      { type: "boolean", default: false },
      "Live: the newest frame instead of the newest key frame.",
    ),
  ],
  answer: { text: "The JPEG.", content: { "image/jpeg": { type: "string", format: "binary" } } },
  errors: [404, 503],
};
