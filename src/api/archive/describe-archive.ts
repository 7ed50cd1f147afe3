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

/** What is recorded, /command, and protected times, as /openapi.json describes them. */

export const FRAGMENTS_DESCRIPTION: RouteDescription = {
  summary: "The runs of recording that overlap an interval, oldest first, not cut to it",
  parameters: [
    query("channelid", GUID, "The channel.", { required: true }),
    timeParameter("fromtime", "The interval's first moment.", { required: true }),
    timeParameter("totime", "The interval's last moment.", { required: true }),
    query("streamtype", choice(STREAM_TYPES), "The stream; without it the one that is recorded now."),
    RESPONSE_TYPE,
  ],
  answer: bothAnswer(
    objectOf({ Fragments: listOf(objectOf({ Id: GUID, FromTime: ISO_TIME, ToTime: ISO_TIME })) }),
    "The fragments.",
  ),
  errors: [404],
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
  summary: "Questions by type: recorded at a moment, clock, views, states of channels, event types",
  text: "A text preamble precedes the body unless the parameter accept or the header Accept names application/xml or application/json.",
  parameters: [
    query("type", choice(COMMAND_TYPES), "What is asked.", { required: true }),
    query("channelid", GUID, "findarchive: the channel."),
    timeParameter("searchtime", "findarchive: the moment."),
    query("streamtype", choice(STREAM_TYPES), "findarchive: the stream, as for /archivefragments."),
    RESPONSE_TYPE,
    query("accept", choice(["application/xml", "application/json"]), "The format, and no preamble."),
    header("Accept", TEXT, "As the parameter accept."),
  ],
  answer: {
    text: "What was asked, behind a preamble or a byte order mark.",
    content: { "text/plain": TEXT, "application/xml": TEXT, "application/json": {} },
  },
  errors: [404],
};

const PROTECTED = objectOf({
  Id: GUID,
  ChannelId: GUID,
  FromTime: ISO_TIME,
  ToTime: ISO_TIME,
  Comment: TEXT,
  UserId: GUID,
  UserName: TEXT,
  CreatedTime: ISO_TIME,
  Bytes: WHOLE,
});
const CHANNEL = { id: "The channel's id." };

export const PROTECTED_DESCRIPTION: RouteDescription = {
  summary: "The channel's protected times, oldest first",
  pathValues: CHANNEL,
  answer: jsonAnswer(listOf(PROTECTED), "The protected times."),
  errors: [404],
};

export const PROTECT_DESCRIPTION: RouteDescription = {
  summary: "Protects recordings from removal",
  pathValues: CHANNEL,
  body: {
    required: true,
    schema: objectOf({ FromTime: TEXT, ToTime: TEXT, Comment: textUpTo(1000) }, ["FromTime", "ToTime"]),
  },
  answer: jsonAnswer(PROTECTED, "The new protected time."),
  errors: [404, 409],
};

export const UNPROTECT_DESCRIPTION: RouteDescription = {
  summary: "Lifts the protection of a protected time",
  pathValues: { ...CHANNEL, protectedid: "The protected time's id." },
  answer: jsonAnswer(objectOf({ Id: GUID }), "It is lifted."),
  errors: [404],
};

const RECORDING = {
  ChannelId: GUID,
  Recording: FLAG,
  IsRecordingOn: FLAG,
  ArchivingMode: TEXT,
  Reason: orNull(TEXT),
  SwitchedOn: FLAG,
  SwitchedOnBy: orNull(TEXT),
  SwitchedOnTime: orNull(ISO_TIME),
};

export const RECORDING_DESCRIPTION: RouteDescription = {
  summary: "Whether the channel is recorded, and why",
  pathValues: CHANNEL,
  answer: jsonAnswer(
    objectOf(RECORDING),
    "`Recording`: it is to be recorded now; `IsRecordingOn`: frames go to the disk.",
  ),
  errors: [404],
};

export const SWITCH_RECORDING_DESCRIPTION: RouteDescription = {
  summary: "Starts or stops the recording of a channel with the mode OnlyManual or MDandManual",
  pathValues: CHANNEL,
  body: { required: true, schema: objectOf({ Recording: FLAG }) },
  answer: jsonAnswer(
    objectOf({ ...RECORDING, KeptOverRestart: FLAG }),
    "How it stands now, and whether a restart of the service goes on with it.",
  ),
  errors: [404, 409],
};
