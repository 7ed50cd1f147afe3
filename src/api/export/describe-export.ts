import {
  CHANNEL_SELECTION,
  choice,
  FLAG,
  GUID,
  header,
  ISO_TIME,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  query,
  type RouteDescription,
  SOUND,
  STREAM_TYPE_SCHEMA,
  TEXT,
  timeParameter,
  WHOLE,
} from "../route/index.js";

/** Most stretches that a digest lists. */
const STRETCHES_MAX = 1000;

/** What `digest=true` answers. */
const DIGEST = named(
  "ExportDigest",
  objectOf({
    Sha256: meaning("Of exactly the file that the same parameters give.", TEXT),
    Bytes: WHOLE,
    ETag: TEXT,
    ChannelId: GUID,
    ChannelName: TEXT,
    StreamType: TEXT,
    Sound: FLAG,
    FromTime: ISO_TIME,
    ToTime: ISO_TIME,
    DurationSeconds: NUMBER,
    Stretches: meaning(
      `Each run without a gap; at most ${STRETCHES_MAX} of them.`,
      listOf(
        objectOf({
          FromTime: ISO_TIME,
          ToTime: ISO_TIME,
          MovieSeconds: meaning("Where it stands in the file.", NUMBER),
        }),
      ),
    ),
    StretchesCount: WHOLE,
    ServerId: GUID,
    ServerName: TEXT,
    ConfigurationId: GUID,
    ServerVersion: TEXT,
    ComputedTime: ISO_TIME,
  }),
);

export const EXPORT_ARCHIVE_DESCRIPTION: RouteDescription = {
  topic: "export",
  summary: "Returns what is recorded of a time as an MP4 file",
  access: "The channel must be allowed in the archive.",
  text: [
    "The file holds the frames as the camera sent them, and is made while it is sent. It begins with the key frame at or before `fromtime` and ends before `totime`. What is missing in between stays missing, as time.",
    "",
    "- `Content-Length` is known beforehand. `Content-Disposition` offers a file name made of channel and time.",
    "- `Range` (one range; several are answered with the whole file), `If-Range`, `If-Match`, `If-None-Match` and HEAD work, so a download can be resumed and players can seek, as long as all of it is still recorded.",
    "- The `ETag` is strong: it changes with anything that the file is made of.",
    "- When recordings are removed while they are sent, the answer ends before its length is reached.",
    "",
    "With `digest=true` the answer is the SHA-256 of that file, as JSON. The file is read once to compute it. Meanwhile blanks are sent before the object, which JSON allows, so that the connection does not look dead. Asked again, the digest comes at once.",
  ],
  parameters: [
    ...CHANNEL_SELECTION,
    timeParameter("fromtime", "The file begins with the key frame at or before it.", { required: true }),
    timeParameter("totime", "Where the file ends; at most 24 hours later.", { required: true }),
    query("streamtype", STREAM_TYPE_SCHEMA, "The stream. When left out: the one that is recorded now."),
    query("sound", SOUND, "`on` adds the recorded sound."),
    query(
      "digest",
      { ...choice(["true", "false"]), default: "false" },
      "The file's SHA-256 instead of the file.",
    ),
    header("Range", TEXT, "The bytes wanted, one range: the answer is 206."),
    header("If-Range", TEXT, "The ETag the range belongs to. The whole file comes where it has changed."),
    header("If-Match", TEXT, "ETags: 412 where none is the file's."),
    header("If-None-Match", TEXT, "ETags: 304 where one is the file's."),
  ],
  answer: {
    text: "The file, or its digest.",
    content: { "video/mp4": { type: "string", format: "binary" }, "application/json": DIGEST },
  },
  errors: {
    404: "There is no such channel or stream, or nothing is recorded of the time.",
    412: "None of the ETags of `If-Match` is the file's.",
    416: "The range lies outside the file.",
    429: "Four exports of the user are under way.",
    501: "The codec cannot be described to players.",
    503: "Eight exports are under way, or the index of recordings is not open yet (`Retry-After`).",
  },
  example: [
    'curl -u "$AUTH" -OJ "$NVR/exportarchive?channelid=22222222-0000-4000-8000-000000000001&fromtime=21.11.2026+09:00:00&totime=21.11.2026+10:00:00"',
    'curl -u "$AUTH" "$NVR/exportarchive?channelid=22222222-0000-4000-8000-000000000001&fromtime=21.11.2026+09:00:00&totime=21.11.2026+10:00:00&digest=true"',
  ],
};
