import {
  query,
  type RouteDescription,
  SOUND,
  STREAM_ACCESS,
  STREAM_PARAMETERS,
  TEXT,
  WHOLE,
} from "../route/index.js";

/** HTTP Live Streaming. */

const NAME = "What `GET /hls` returned; the ending `.m3u8` may be left out.";
const NAME_ERRORS = { 429: "8 requests of this name are under way. `Retry-After` says how long to wait." };

export const HLS_DESCRIPTION: RouteDescription = {
  topic: "hls",
  summary: "Returns a name below /hls/ under which a player finds a channel's stream",
  access: STREAM_ACCESS,
  text: [
    "The name is text, `0123…cdef.m3u8`. It has 160 random bits and lets in whoever has it, without credentials, because players send none with the URLs of a playlist. It stands for this stream under the rights it was asked for with.",
    "",
    "- A name is gone (404) 30 s after its last use, and within a second of a change that takes away the right, the user, the password, the channel or the stream. Users of a directory are checked every minute.",
    "- A user may have 32 names (429 with `Retry-After`). There may be 256 names in all, 32 of them of recordings (503).",
    "- Names are not logged.",
    "- The answer comes with the first complete segment.",
  ],
  parameters: [
    ...STREAM_PARAMETERS,
    query(
      "sound",
      SOUND,
      "`on`: AAC beside the pictures. AAC of the camera stays as it is, G.711 becomes AAC of 16 kHz, mono. Of a recording only at speed 1.",
    ),
  ],
  answer: { text: "The name, with the ending `.m3u8`.", content: { "text/plain": TEXT } },
  errors: {
    404: "There is no such channel or stream, or nothing is recorded of it.",
    429: "The user has 32 names. `Retry-After` says how long to wait.",
    501: "The stream is neither H.264 nor H.265.",
    503: "No segment came within 4.5 s from a camera that does not answer, within 10 s from another; or there are too many streams or names.",
  },
  example: [
    'curl -u "$AUTH" "$NVR/hls?channelnum=0"',
    'curl -u "$AUTH" "$NVR/hls?channel=Gate&mode=archive&starttime=21.11.2026+09:00:00&speed=2"',
  ],
};

export const HLS_PLAYLIST_DESCRIPTION: RouteDescription = {
  topic: "hls",
  summary: "Returns the multivariant playlist of a name",
  pathValues: { name: NAME },
  text: [
    "It has one variant, with `CODECS`, `RESOLUTION`, `FRAME-RATE` and the highest `BANDWIDTH` so far. Its one URI is relative: `{name}/media.m3u8`.",
  ],
  answer: {
    text: "The playlist.",
    content: { "application/vnd.apple.mpegurl": { type: "string" } },
  },
  errors: { 404: "The name is gone.", ...NAME_ERRORS },
  example: ['NAME=$(curl -s -u "$AUTH" "$NVR/hls?channelnum=0&sound=on")', 'curl "$NVR/hls/$NAME"'],
};

export const HLS_FILE_DESCRIPTION: RouteDescription = {
  topic: "hls",
  summary: "Returns what a playlist names: the media playlist, init segments, segments and parts",
  pathValues: { name: NAME, file: "As a playlist spells it." },
  text: [
    "`media.m3u8` is the media playlist. It names init segments (`i0.mp4`), segments (`s0.m4s`) and parts (`p0.0.m4s`), all fragmented MP4 and relative to it.",
    "",
    "- `EXT-X-TARGETDURATION` is 5.",
    "- Each segment has `EXT-X-PROGRAM-DATE-TIME`, the presentation time of its first picture.",
    "- A gap or another format begins with `EXT-X-DISCONTINUITY` and an init segment of its own.",
    "- Without `sound=on` there is no sound track.",
    "- A file that a client takes longer than 30 s for is closed.",
    "",
    "**Live.** The playlist holds 16 s and more. Players that know `EXT-X-PART` get parts of 0.44 to 0.5 s (longer below 13 pictures a second, none below 5); `PART-HOLD-BACK` keeps them 1.5 s behind. `?_HLS_msn=N` and `&_HLS_part=P` wait for that segment or part. After 8 s the playlist comes as it is, because players give up after 10 s. The part that `EXT-X-PRELOAD-HINT` names is waited for too.",
    "",
    "**Archive.** The playlist grows from the key frame before `starttime` as segments are asked for, 3 segments ahead, and keeps 720. `EXT-X-START` says where `starttime` is. At the live edge it continues as frames are recorded. `speed` is in the times of the pictures, so an ordinary player shows them that fast; above 4 there are only key frames. There is no `EXT-X-ENDLIST`, because more may be recorded.",
  ],
  parameters: [
    query(
      "_hls_msn",
      WHOLE,
      "Of the media playlist: waits until it holds this segment, at most 8 s. More than one segment ahead is 400.",
    ),
    query("_hls_part", WHOLE, "With `_hls_msn`: waits for this part of the segment."),
  ],
  answer: {
    text: "The playlist, or fragmented MP4.",
    content: {
      "application/vnd.apple.mpegurl": { type: "string" },
      "video/mp4": { type: "string", format: "binary" },
    },
  },
  errors: { 404: "The name is gone, or the file: read the playlist again.", ...NAME_ERRORS },
  example: [
    'NAME=$(curl -s -u "$AUTH" "$NVR/hls?channelnum=0&sound=on")',
    'curl "$NVR/hls/$(basename "$NAME" .m3u8)/media.m3u8"',
  ],
};
