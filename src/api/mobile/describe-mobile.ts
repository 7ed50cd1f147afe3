import {
  choice,
  query,
  type RouteDescription,
  range,
  SOUND,
  STREAM_ACCESS,
  STREAM_PARAMETERS,
} from "../route/index.js";

const SIDE = range(1, 100_000);
const SWITCH = { ...choice(["true", "false"]), default: "false" };

export const MOBILE_DESCRIPTION: RouteDescription = {
  topic: "mobile",
  summary:
    "Streams a channel's pictures and sound, transcoded for mobile programs and browsers, live or recorded",
  access: STREAM_ACCESS,
  text: [
    "**The level.** Of the levels that are switched on ([`/configure/mobile`](#get-configuremobile)) the closest one is taken: by the ratio of each side to what is asked, and by the ratio by which its `FpsLimit` falls short of `fps`. Of equally close levels the one whose limit is nearer is taken, then the lower one. The picture is fitted into the level's size: it keeps its shape and is never larger than its source. `fps` is bounded by the level's `FpsLimit` and by the one of all levels. The stream's `RotationMode` is applied.",
    "",
    "**Parts** are those of [`/video`](#get-video). Pictures are `image/jpeg`, or at a level with `UsePFrames`, where the platform has an encoder, `video, h264, I-frame` and `video, h264, P-frame` (Annex B, parameter sets with each I-frame). A JPEG is JFIF without EXIF and has at most 60 000 bytes at 640x480, 180 000 at 1280x720, and others in proportion to their pixels (at least 16 000).",
    "",
    "**Sound** is `audio, PCMU` and `audio, PCMA` (G.711), `audio, PCM` (16 bits, little endian), each mono at 8000 samples a second, or `audio, AAC` (mono, ADTS frames, which tell their rate).",
    "",
    "**Live.** The newest picture comes at once. A slow client loses pictures, and no other client does.",
    "",
    "**Recorded.** It begins with the picture of `starttime`. Where nothing is recorded then, in the future too, it begins with the nearest one. Gaps are skipped. Pictures for which the recorder or the client is too late are left out.",
    "",
    "A stream also ends when the configuration changes what its level is: ask again.",
  ],
  parameters: [
    ...STREAM_PARAMETERS,
    query("sound", SOUND, "`on`: sound between the pictures. Of a recording only at speed 1."),
    query(
      "soundformat",
      { ...choice(["pcm", "g711u", "g711a", "aac"]), default: "g711u" },
      "The format of the sound.",
    ),
    query("fps", range(0.01, 1000), "Most pictures a second. When left out: the level's limit."),
    query(
      "resolutionx",
      SIDE,
      "The width wanted: the closest level is taken. When left out: the lowest level's.",
    ),
    query("resolutiony", SIDE, "The height wanted. When left out: the lowest level's."),
    query(
      "oneframeonly",
      SWITCH,
      "`true`: one JPEG, then the answer ends. Its body is a part's headers and the JPEG.",
    ),
    query("withcontenttype", SWITCH, "With `oneframeonly`: only the JPEG, as `image/jpeg`."),
  ],
  answer: {
    text: "A stream of parts, `multipart/x-mixed-replace; boundary=myboundary`, or one picture.",
    content: {
      "multipart/x-mixed-replace": { type: "string", format: "binary" },
      "image/jpeg": { type: "string", format: "binary" },
    },
  },
  errors: {
    403: "A right is missing, or the mobile server or all its levels are switched off.",
    404: "There is no such channel or stream, or nothing is recorded of it.",
    501: "The recorder's codec is not installed.",
    503: "The camera sends nothing, or too much is being transcoded (`Retry-After`).",
  },
  example: [
    'curl -sN -u "$AUTH" "$NVR/mobile?channelnum=0&resolutionX=640&resolutionY=480&fps=25" --output mobile.multipart',
    'curl -sN -u "$AUTH" "$NVR/mobile?channel=Gate&mode=archive&starttime=21.11.2026+09:00:00&speed=4" --output mobile.multipart',
    'curl -u "$AUTH" "$NVR/mobile?channelnum=0&oneframeonly=true&withcontenttype=true" --output picture.jpeg',
  ],
};
