import { choice, query, type RouteDescription, range, STREAM_PARAMETERS } from "../route/index.js";

/** GET /mobile, as /openapi.json describes it. */
export const MOBILE_DESCRIPTION: RouteDescription = {
  summary: "A channel's pictures and sound, transcoded for mobile programs and browsers, live or recorded",
  parameters: [
    ...STREAM_PARAMETERS,
    query(
      "sound",
      { ...choice(["on", "off"]), default: "off" },
      "Sound between the pictures; in archive mode at speed 1 only.",
    ),
    query(
      "soundformat",
      { ...choice(["pcm", "g711u", "g711a", "aac"]), default: "g711u" },
      "PCM (16 bits, little endian) and G.711 have 8000 samples a second; AAC comes in ADTS frames.",
    ),
    query(
      "fps",
      range(0.01, 1000),
      "Pictures a second at the most, bounded by the quality level; its limit when left out.",
    ),
    query("resolutionx", range(1, 100_000), "Width that is wished for: the closest quality level is taken."),
    query("resolutiony", range(1, 100_000), "Height that is wished for."),
    query(
      "oneframeonly",
      { ...choice(["true", "false"]), default: "false" },
      "One picture, then the answer ends.",
    ),
    query(
      "withcontenttype",
      { ...choice(["true", "false"]), default: "false" },
      "With oneframeonly: the bare JPEG, without the headers of a part.",
    ),
  ],
  answer: {
    text: "Parts with Content-Type, Timestamp and Content-Length, each followed by its boundary line.",
    content: {
      "multipart/x-mixed-replace": { type: "string", format: "binary" },
      "image/jpeg": { type: "string", format: "binary" },
    },
  },
  errors: [404, 501, 503],
};
