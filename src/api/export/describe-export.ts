import {
  CHANNEL_SELECTION,
  choice,
  FLAG,
  GUID,
  header,
  ISO_TIME,
  listOf,
  objectOf,
  query,
  type RouteDescription,
  STREAM_TYPE_SCHEMA,
  TEXT,
  timeParameter,
  WHOLE,
} from "../route/index.js";

const NUMBER = { type: "number" } as const;

/** What `digest=true` answers. */
const DIGEST = objectOf({
  Sha256: TEXT,
  Bytes: WHOLE,
  ETag: TEXT,
  ChannelId: GUID,
  ChannelName: TEXT,
  StreamType: TEXT,
  Sound: FLAG,
  FromTime: ISO_TIME,
  ToTime: ISO_TIME,
  DurationSeconds: NUMBER,
  Stretches: listOf(objectOf({ FromTime: ISO_TIME, ToTime: ISO_TIME, MovieSeconds: NUMBER })),
  StretchesCount: WHOLE,
  ServerId: GUID,
  ServerName: TEXT,
  ConfigurationId: GUID,
  ServerVersion: TEXT,
  ComputedTime: ISO_TIME,
});

export const EXPORT_ARCHIVE_DESCRIPTION: RouteDescription = {
  summary: "What is recorded of a time as an MP4 file",
  text: "Content-Length, Range (206, 416), If-Range, If-Match (412), If-None-Match (304) and HEAD: a download can be resumed as long as all of it is still recorded. With digest=true the SHA-256 of the file instead, blanks before it while it is computed.",
  parameters: [
    ...CHANNEL_SELECTION,
    timeParameter("fromtime", "The file begins with the key frame at or before it.", { required: true }),
    timeParameter("totime", "Where it ends; at most 24 hours later.", { required: true }),
    query("streamtype", STREAM_TYPE_SCHEMA, "The stream; without it the one that is recorded now."),
    query("sound", { ...choice(["on", "off"]), default: "off" }, "With the recorded sound."),
    query(
      "digest",
      { ...choice(["true", "false"]), default: "false" },
      "The file's SHA-256 instead of the file.",
    ),
    header("Range", TEXT, "The bytes that are wanted, one range."),
    header("If-Range", TEXT, "The ETag the range is of; the whole file where it has changed."),
    header("If-Match", TEXT, "ETags; 412 where none is the file's."),
    header("If-None-Match", TEXT, "ETags; 304 where one is the file's."),
  ],
  answer: {
    text: "The file, or its digest.",
    content: { "video/mp4": { type: "string", format: "binary" }, "application/json": DIGEST },
  },
  errors: [404, 412, 416, 501],
};
