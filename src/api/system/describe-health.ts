import { RUN_ENDS } from "../../health/index.js";
import {
  bothAnswer,
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  jsonAnswer,
  listOf,
  NUMBER,
  objectOf,
  orNull,
  RESPONSE_TYPE,
  type RouteDescription,
  TEXT,
  WHOLE,
} from "../route/index.js";

/** How the recorder is, as /openapi.json describes it. */

const FIGURE = orNull({ ...NUMBER, minimum: 0 });
const ERROR = orNull(FLAG);

export const HDD_STATUS_DESCRIPTION: RouteDescription = {
  summary: "How the archive is: its size, writing speed, depth and errors",
  parameters: [RESPONSE_TYPE],
  answer: bothAnswer(
    objectOf({
      ServerState: TEXT,
      ArchiveSizeMb: { ...FIGURE, description: "Megabytes (10^6 bytes)." },
      ArchiveWriteSpeedMBps: { ...FIGURE, description: "Megabits (10^6) a second." },
      ArchiveDepthDays: FIGURE,
      IsArchiveOverload: ERROR,
      ArchiveErrors: objectOf({
        ErrorDb: ERROR,
        ErrorFrameSaving: ERROR,
        ErrorAllDrives: ERROR,
        ErrorFramesShrinked: ERROR,
        BadSmartStatus: ERROR,
      }),
    }),
    "The state, at most a second old. Null: not known; XML leaves such an element out.",
  ),
};

const WORDS_OR_NULL = orNull(TEXT);
const PROBLEM = objectOf({
  Code: { ...TEXT, description: "For programs; the page lists them." },
  Severity: choice(["error", "warning"]),
  Text: TEXT,
  Action: { ...TEXT, description: "What to do." },
  ChannelId: orNull(GUID),
});
const CAMERA = objectOf({
  Id: GUID,
  Name: TEXT,
  IsDisabled: FLAG,
  IsConnected: FLAG,
  MustRecord: { ...FLAG, description: "To be recorded now, by its mode, schedule, motion or a user." },
  IsRecording: FLAG,
  Streams: listOf(objectOf({ StreamType: TEXT, State: TEXT, Cause: WORDS_OR_NULL, Reason: WORDS_OR_NULL })),
});
const VOLUME = objectOf({
  Directory: TEXT,
  IsUsable: FLAG,
  Reason: WORDS_OR_NULL,
  FreeBytes: FIGURE,
  BytesPerSecond: FIGURE,
  DaysLeft: {
    ...FIGURE,
    description: "Until the oldest recordings give way, at the rate of the last 24 hours.",
  },
  DaysHeld: FIGURE,
  DepthDays: FIGURE,
});
const RESTART = objectOf({
  Start: ISO_TIME,
  LastSeen: ISO_TIME,
  End: { ...orNull(choice(RUN_ENDS)), description: "How the run ended; null: it goes on." },
  Detail: WORDS_OR_NULL,
  Version: TEXT,
});

export const HEALTH_DESCRIPTION: RouteDescription = {
  summary: "How the recorder is: what is wrong, cameras, volumes, disks, clock, memory, versions, restarts",
  text: "Channels that the user may not see are in no list and not counted.",
  answer: jsonAnswer(
    objectOf({
      State: choice(["ok", "warning", "error"]),
      Summary: { ...TEXT, description: "One line for people." },
      Time: ISO_TIME,
      Problems: listOf(PROBLEM),
      Cameras: objectOf({
        Configured: WHOLE,
        Enabled: WHOLE,
        Connected: WHOLE,
        ToRecord: WHOLE,
        Recording: WHOLE,
        List: listOf(CAMERA),
      }),
      Archive: objectOf({ SizeMb: FIGURE, DepthDays: FIGURE, DaysLeft: FIGURE, DaysHeld: FIGURE }),
      Volumes: listOf(VOLUME),
      Disks: { type: ["array", "null"], description: "Null: not looked at yet." },
      Clock: objectOf({ IsKnown: FLAG, IsSynchronized: FLAG, ErrorMaxMs: FIGURE, Steps: WHOLE }),
      Memory: objectOf({ RssBytes: NUMBER, SystemAvailableBytes: FIGURE }),
      Machine: objectOf({
        UptimeSeconds: FIGURE,
        Load: { type: ["array", "null"] },
        Temperatures: listOf(objectOf({})),
      }),
      Service: objectOf({
        UptimeSeconds: NUMBER,
        EventLoop: objectOf({ P50Ms: NUMBER, P99Ms: NUMBER, MaxMs: NUMBER }),
      }),
      Versions: objectOf({ Nvrd: TEXT, Node: TEXT, Libav: WORDS_OR_NULL, Kernel: TEXT }),
      Restarts: listOf(RESTART),
    }),
    "The state, at most a second old. Null: not known. Status 200 whatever is wrong: look at `State`.",
  ),
};

export const METRICS_DESCRIPTION: RouteDescription = {
  summary: "The recorder's figures for Prometheus",
  text: "Channels that the user may not see have no series.",
  answer: { text: "Prometheus' text format, version 0.0.4.", content: { "text/plain": TEXT } },
};

export const SUPPORT_DESCRIPTION: RouteDescription = {
  summary: "A support bundle: log, settings, configuration, health and events, without secrets",
  answer: {
    text: "A tar archive, gzipped.",
    content: { "application/gzip": { type: "string", format: "binary" } },
  },
};
