import { choice, query, type RouteDescription, STREAM_PARAMETERS, TEXT, WHOLE } from "../route/index.js";

/** HTTP Live Streaming, as /openapi.json describes it. */

const NAME = "What GET /hls answered. Whoever has it is let in.";

export const HLS_DESCRIPTION: RouteDescription = {
  summary: "A name below /hls/ under which a player finds a channel's stream as HLS",
  text: "The name is good until it was not used for 30 s, or the user may no longer watch the stream.",
  parameters: [
    ...STREAM_PARAMETERS,
    query(
      "sound",
      { ...choice(["on", "off"]), default: "off" },
      "AAC beside the pictures; of a recording at speed 1.",
    ),
  ],
  answer: { text: "The name, with the ending .m3u8.", content: { "text/plain": TEXT } },
  errors: [404, 501],
};

export const HLS_PLAYLIST_DESCRIPTION: RouteDescription = {
  summary: "The multivariant playlist of a name",
  pathValues: { name: NAME },
  answer: {
    text: "The playlist; its URIs are relative.",
    content: { "application/vnd.apple.mpegurl": { type: "string" } },
  },
  errors: [404],
};

export const HLS_FILE_DESCRIPTION: RouteDescription = {
  summary: "What a playlist names: the media playlist, init segments, segments and parts",
  pathValues: { name: NAME, file: "As a playlist spells it." },
  parameters: [
    query("_hls_msn", WHOLE, "Of the media playlist: answered once it holds this segment, or after 8 s."),
    query("_hls_part", WHOLE, "With _hls_msn: this part of the segment."),
  ],
  answer: {
    text: "The playlist, or fragmented MP4.",
    content: {
      "application/vnd.apple.mpegurl": { type: "string" },
      "video/mp4": { type: "string", format: "binary" },
    },
  },
  errors: [404],
};
