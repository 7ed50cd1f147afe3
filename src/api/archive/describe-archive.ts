import { STREAM_TYPES } from "../../base/index.js";
import {
  bothAnswer,
  choice,
  FLAG,
  GUID,
  header,
  ISO_TIME,
  jsonAnswer,
  listOf,
  meaning,
  named,
  objectOf,
  orNull,
  query,
  RESPONSE_TYPE,
  type RouteDescription,
  TEXT,
  textUpTo,
  timeParameter,
  WHOLE,
} from "../route/index.js";

/** What is recorded, /command, and protected times. */

const INDEX_IS_OPENING = "The index of recordings is not open yet (`Retry-After`).";

export const FRAGMENTS_DESCRIPTION: RouteDescription = {
  topic: "archive",
  summary: "Lists the runs of recording that overlap an interval, oldest first",
  access: "The channel must be allowed in the archive.",
  text: [
    "The interval includes both its ends, and fragments are not cut to it. When `fromtime` and `totime` are equal, the fragment that holds the moment is found; `fromtime` later than `totime` is 400. The newest fragment ends where recording has come to.",
    "",
    "`streamtype` is an addition of nvrd's. What was recorded before `Roles` gave the archive to another stream is found by the name of the earlier stream.",
    "",
    "More than 250 fragments are sent in chunks, as they are read. Such an answer is closed when the client takes more than 5 minutes for it, or when the user's rights change meanwhile.",
  ],
  parameters: [
    query("channelid", GUID, "The channel.", { required: true }),
    timeParameter("fromtime", "The first moment of the interval.", { required: true }),
    timeParameter("totime", "The last moment of the interval.", { required: true }),
    query("streamtype", choice(STREAM_TYPES), "The stream. When left out: the one that is recorded now."),
    RESPONSE_TYPE,
  ],
  answer: bothAnswer(
    objectOf({
      Fragments: listOf(
        objectOf({ Id: GUID, FromTime: ISO_TIME, ToTime: meaning("Later than `FromTime`.", ISO_TIME) }),
      ),
    }),
    "The fragments.",
  ),
  errors: { 404: "There is no such channel or stream.", 503: INDEX_IS_OPENING },
  example: [
    'curl -u "$AUTH" "$NVR/archivefragments?channelid=22222222-0000-4000-8000-000000000001&fromtime=21.11.2026+00:00:00&totime=22.11.2026+00:00:00&responsetype=json"',
  ],
};

const COMMAND_TYPES = [
  "findarchive",
  "gettime",
  "getprofiles",
  "getchannelsstates",
  "getallregisteredevents",
];

/** POST is the same as GET; a body is ignored. */
export const COMMAND_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Answers questions by type: recorded at a moment, clock, views, states of channels, event types",
  access: "`findarchive` needs the channel in the archive.",
  text: [
    "| `type` | answer |",
    "|---|---|",
    "| `findarchive` | `HasArchive`: whether the moment `searchtime` lies in a recorded fragment of the channel. `NearestFrameTimestamp`: the recorded key frame nearest to it, null when `HasArchive` is false |",
    "| `gettime` | The server's clock, UTC |",
    "| `getchannelsstates` | Of each channel that the user may see and that is switched on: `IsRecordingOn`, whether its frames go to the disk now (not while the camera is lost or the disk takes none); and the state of each of its streams: `Active` while frames arrive, `Connecting`, `Lost`, or `Idle` when nobody asks for it |",
    "| `getallregisteredevents` | The event types: `Id`, `GuiName` |",
    "| `getprofiles` | The views (`Id`, `Name`) that the user's group may use and that hold a camera the user may watch. Senior administrators may use all |",
    "",
    "Any other type is 400, and the answer names those there are. The body of a POST is ignored.",
    "",
    "**The format** is `responsetype`, else the parameter `accept`, else the header `Accept`, else XML. When `accept` or `Accept` names `application/xml` or `application/json` (of two, the one with the greater weight), the body stands alone after a byte order mark. Otherwise, with `*/*` too, lines with time, error code, message and body length in bytes come before it, then an empty line.",
  ],
  parameters: [
    query("type", choice(COMMAND_TYPES), "What is asked.", { required: true }),
    query("channelid", GUID, "`findarchive`: the channel. Required there."),
    timeParameter("searchtime", "`findarchive`: the moment. Required there."),
    query(
      "streamtype",
      choice(STREAM_TYPES),
      "`findarchive`: the stream. When left out: the one that is recorded now.",
    ),
    RESPONSE_TYPE,
    query("accept", choice(["application/xml", "application/json"]), "The format, and no lines before it."),
    header("Accept", TEXT, "As the parameter `accept`."),
  ],
  answer: {
    text: "What was asked, after a preamble or a byte order mark.",
    content: { "text/plain": TEXT, "application/xml": TEXT, "application/json": {} },
  },
  errors: { 404: "There is no such channel or stream.", 503: INDEX_IS_OPENING },
  example: [
    'curl -u "$AUTH" "$NVR/command?type=findarchive&channelid=22222222-0000-4000-8000-000000000001&searchtime=21.11.2026+09:00:00&accept=application/json"',
    'curl -u "$AUTH" "$NVR/command?type=gettime&responsetype=json"',
    'curl -u "$AUTH" -X POST "$NVR/command?type=getprofiles"',
  ],
};

const PROTECTED = named(
  "ProtectedTime",
  objectOf({
    Id: GUID,
    ChannelId: GUID,
    FromTime: ISO_TIME,
    ToTime: ISO_TIME,
    Comment: TEXT,
    UserId: meaning("Who protected it.", GUID),
    UserName: TEXT,
    CreatedTime: ISO_TIME,
    Bytes: meaning(
      "Of the segments that overlap the time. A segment that is only partly within counts whole, and stays whole.",
      WHOLE,
    ),
  }),
);
const CHANNEL = { id: "The channel's id." };
const PROTECTED_ACCESS =
  "The channel must be allowed in the archive. Senior administrators also reach what was protected of a camera that is gone.";
const NO_CHANNEL = "There is no such channel.";

const PROTECTED_EXAMPLE = {
  Id: "0d9c1f7e-55a4-4f0a-9d3b-7f1d0c0b8a11",
  ChannelId: "22222222-0000-4000-8000-000000000001",
  FromTime: "2026-11-21T09:00:00.0000000Z",
  ToTime: "2026-11-21T09:10:00.0000000Z",
  Comment: "fence climbed, report 12",
  UserId: "66666666-0000-4000-8000-000000000001",
  UserName: "root",
  CreatedTime: "2026-11-21T10:02:11.1200000Z",
  Bytes: 312_400_128,
};

export const PROTECTED_DESCRIPTION: RouteDescription = {
  topic: "archive",
  summary: "Lists the channel's protected times, oldest first",
  access: PROTECTED_ACCESS,
  pathValues: CHANNEL,
  answer: jsonAnswer(listOf(PROTECTED), "The protected times."),
  errors: { 404: NO_CHANNEL },
  example: ['curl -u "$AUTH" "$NVR/api/channels/22222222-0000-4000-8000-000000000001/protected"'],
};

export const PROTECT_DESCRIPTION: RouteDescription = {
  topic: "archive",
  summary: "Protects recordings from removal (the evidence lock)",
  access: PROTECTED_ACCESS,
  text: [
    "The recordings of the time are kept, whatever their age and however little space there is, until the protection is lifted. What is protected may take up to `protectedPercentMax` (a setting, 30 %) of what a volume may hold.",
  ],
  pathValues: CHANNEL,
  body: {
    required: true,
    text: "`FromTime` and `ToTime` are ISO 8601 (UTC where no zone stands) or `dd.MM.yyyy HH:mm:ss[.fff]`. They are at most 31 days apart, and not in the future.",
    schema: objectOf(
      { FromTime: TEXT, ToTime: TEXT, Comment: meaning("Line breaks are allowed.", textUpTo(1000)) },
      ["FromTime", "ToTime"],
    ),
  },
  answer: jsonAnswer(PROTECTED, "The new protected time.", PROTECTED_EXAMPLE),
  errors: {
    404: NO_CHANNEL,
    409: "Too much would be protected, or there are 1000 protected times. Nothing is protected.",
    503: "The index of recordings is not open yet (`Retry-After`), or the system disk takes no file.",
  },
  example: [
    'curl -u "$AUTH" "$NVR/api/channels/22222222-0000-4000-8000-000000000001/protected" --data \'{',
    '  "FromTime": "2026-11-21T09:00:00Z", "ToTime": "2026-11-21T09:10:00Z", "Comment": "fence climbed, report 12"}\'',
  ],
};

export const UNPROTECT_DESCRIPTION: RouteDescription = {
  topic: "archive",
  summary: "Lifts the protection of a protected time",
  access: PROTECTED_ACCESS,
  text: ["The recordings are then removed when retention asks for it, like any others."],
  pathValues: { ...CHANNEL, protectedid: "The protected time's id." },
  answer: jsonAnswer(objectOf({ Id: GUID }), "The protection is lifted."),
  errors: { 404: "There is no such channel or protected time." },
  example: [
    'PROTECTED="$NVR/api/channels/22222222-0000-4000-8000-000000000001/protected"',
    'ID=$(curl -s -u "$AUTH" "$PROTECTED" --data \'{"FromTime": "2026-11-21T09:00:00Z", "ToTime": "2026-11-21T09:10:00Z"}\' | sed \'s/.*"Id":"\\([^"]*\\)".*/\\1/\')',
    'curl -u "$AUTH" -X DELETE "$PROTECTED/$ID"',
  ],
};

const RECORDING = {
  ChannelId: GUID,
  Recording: meaning("The channel is to be recorded now, in whatever mode and for whatever reason.", FLAG),
  IsRecordingOn: meaning(
    "Frames go to the disk now. False within the first second, and while the camera is lost or the disk takes none.",
    FLAG,
  ),
  ArchivingMode: TEXT,
  Reason: meaning("Why it is to be recorded; null when it is not.", orNull(TEXT)),
  SwitchedOn: meaning("A user switched it on.", FLAG),
  SwitchedOnBy: orNull(TEXT),
  SwitchedOnTime: orNull(ISO_TIME),
};
const RECORDING_ACCESS = "The user must see the channel.";

const RECORDING_EXAMPLE = {
  ChannelId: "22222222-0000-4000-8000-000000000001",
  Recording: true,
  IsRecordingOn: true,
  ArchivingMode: "OnlyManual",
  Reason: "started by root",
  SwitchedOn: true,
  SwitchedOnBy: "root",
  SwitchedOnTime: "2026-11-21T09:00:00.0000000Z",
};

export const RECORDING_DESCRIPTION: RouteDescription = {
  topic: "channel",
  summary: "Reports whether the channel is recorded, and why",
  access: RECORDING_ACCESS,
  pathValues: CHANNEL,
  answer: jsonAnswer(objectOf(RECORDING), "The state of the recording.", RECORDING_EXAMPLE),
  errors: { 404: NO_CHANNEL },
  example: ['curl -u "$AUTH" "$NVR/api/channels/22222222-0000-4000-8000-000000000001/recording"'],
};

export const SWITCH_RECORDING_DESCRIPTION: RouteDescription = {
  topic: "channel",
  summary: "Starts or stops the recording of a channel with the mode OnlyManual or MDandManual",
  access: RECORDING_ACCESS,
  text: [
    "It acts at once. The recording begins with the key frame at or before the request; in the mode `MDandManual`, `PreMotionDetectionRecSecs` earlier. It continues after a restart, until a user stops it, the mode becomes one without a manual part, or the channel is deleted. With `MDandManual`, false stops only the user's part: motion is still recorded.",
  ],
  pathValues: CHANNEL,
  body: {
    required: true,
    schema: objectOf({ Recording: meaning("True starts the recording, false stops it.", FLAG) }),
  },
  answer: jsonAnswer(
    objectOf({
      ...RECORDING,
      KeptOverRestart: meaning(
        "False: the system disk took no file, and a restart of the service forgets the switch.",
        FLAG,
      ),
    }),
    "The state of the recording now.",
    { ...RECORDING_EXAMPLE, KeptOverRestart: true },
  ),
  errors: { 404: NO_CHANNEL, 409: "The mode is another one, or the channel or its archiving is disabled." },
  example: [
    'curl -u "$AUTH" "$NVR/api/channels/22222222-0000-4000-8000-000000000001/recording" --data \'{"Recording": true}\'',
  ],
};
