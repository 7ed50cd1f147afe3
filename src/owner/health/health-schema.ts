import { PROBLEMS, type ProblemCode, RUN_ENDS } from "../../health/index.js";
import { LOSS_IDS } from "../../live/index.js";
import {
  choice,
  FIGURE,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  listOf,
  meaning,
  NUMBER,
  objectOf,
  orNull,
  TEXT,
  WHOLE,
} from "../../route/index.js";
import { CLOCK_WITNESS } from "../system/index.js";

/* The schema of the health report for /openapi.json. */

const WORDS_OR_NULL = orNull(TEXT);
const PROBLEM = objectOf({
  Code: meaning("For programs: see the table below.", TEXT),
  Severity: choice(["error", "warning"]),
  Text: meaning("What is wrong, and with what.", TEXT),
  Action: meaning("What to do.", TEXT),
  Title: meaning("What is wrong, for the owner of the box.", TEXT),
  Remedy: meaning("What the owner can do.", TEXT),
  ChannelId: orNull(GUID),
});
const CAMERA = objectOf({
  Id: GUID,
  Name: TEXT,
  IsDisabled: FLAG,
  IsConnected: FLAG,
  MustRecord: meaning("Whether it must be recorded now, by its mode, schedule, motion or a user.", FLAG),
  IsRecording: FLAG,
  Streams: meaning(
    "Also codec and size as the camera sends them; since the stream was made `Frames` of video and audio, `Pictures` of them, `Bytes`, `DamagedFrames`, `Connects`; `FramesDropped` and `FramesThinned` on the way to the disk; `Viewers` now.",
    listOf(
      objectOf({
        StreamType: TEXT,
        State: meaning("`idle`, `connecting`, `waiting` (for a key frame), `active` or `lost`.", TEXT),
        Cause: meaning("As in [the channel's status](#get-apichannelsidstatus).", WORDS_OR_NULL),
        Reason: WORDS_OR_NULL,
        Losses: meaning(
          "As in [the channel's status](#get-apichannelsidstatus), `Text` and `Remedy` in the asked `language`.",
          listOf(objectOf({ Id: choice(LOSS_IDS), Detail: TEXT, Count: WHOLE, Text: TEXT, Remedy: TEXT })),
        ),
      }),
    ),
  ),
});
const VOLUME = objectOf({
  Directory: TEXT,
  IsUsable: FLAG,
  Reason: meaning("Why it is not used.", WORDS_OR_NULL),
  FreeBytes: meaning("Of the file system, like `TotalBytes`.", FIGURE),
  BytesPerSecond: meaning("Of late.", FIGURE),
  DaysLeft: meaning(
    "Days until the oldest recordings are deleted, at the present rate: for want of bytes, or of inodes where they end before.",
    FIGURE,
  ),
  DaysHeld: meaning("Days that the volume holds when full, at the present rate.", FIGURE),
  DepthDays: meaning("Age of its oldest recording.", FIGURE),
});
const RESTART = objectOf({
  Start: ISO_TIME,
  LastSeen: meaning("Updated every 5 minutes.", ISO_TIME),
  End: meaning(
    "How the run ended. Null: it is running. `failed`: it could not continue. `crashed`: an unexpected error, or a signal such as SIGSEGV. `killed`: SIGKILL, the watchdog, out of memory. `power-lost`: together with the machine.",
    orNull(choice(RUN_ENDS)),
  ),
  Detail: meaning("Details, if known.", WORDS_OR_NULL),
  Version: TEXT,
});

/** The conditions of the problems; severity and action are defined with the codes. */
const PROBLEM_TIMES: Readonly<Record<ProblemCode, string>> = {
  "camera-lost": "a camera that must be recorded, or is watched, sends nothing for 15 s",
  "camera-not-recorded":
    "a camera sends and must be recorded, and for 15 s none of its frames is written to a disk",
  "camera-waiting": "a camera sends, and for some seconds no key frame has come",
  "camera-losing": "within the last minute something that came from a camera could not be recorded",
  "camera-incomplete":
    "a camera announces or offers something that is not recorded, such as sound of an unknown kind",
  "cameras-same-name": "two or more cameras have one name",
  "cameras-same-device": "two or more cameras are one input of one device, by its identity or its address",
  "volume-lost": "a volume in the settings is not usable",
  "volume-too-small":
    "what is to stay free of a volume's disk (`reserveBytes`) leaves less than 32 MB for recordings: each is deleted as soon as it is written",
  "volume-crowded":
    "files that are no recordings take at least as much of a volume's disk as they leave for recordings, and that is less than 32 MB, or less than a day of recording",
  "protection-unknown":
    "the list of protected times cannot be read, in the data directory and on a volume, or that of the recordings that were given to cameras: retention deletes nothing there",
  "no-volume": "no volume in the settings is usable",
  "frames-dropped": "`ErrorFrameSaving` of [/hddstatus](#get-hddstatus)",
  "frames-thinned": "`ErrorFramesShrinked` of [/hddstatus](#get-hddstatus)",
  "index-failing": "the index cannot be opened or written",
  "event-log-failing": "the event log cannot be written",
  "events-lost": "events were dropped since the start, because the log could not be written",
  "disk-failing": "a disk's verdict is `failing`; the text is the disk's summary",
  "disk-worn": "a disk's verdict is `worn`",
  "disks-unknown": "the health of the disks cannot be read",
  "disk-overworked": "more is written to a volume in a year than its `workloadTbPerYear`",
  "system-disk-full": "less than 3 % of the data directory's disk is free",
  "volume-files-low":
    "a volume's file system has few inodes left while more than 5 % of its bytes are free: retention removes recordings for want of inodes",
  "system-disk-files-low":
    "the data directory's disk has inodes for fewer than 1000 files, or 3 % of what it can hold",
  "clock-unknown": "the clock is not known to be set",
  "memory-low":
    "less than 5 % of the memory, or 64 MB, is available; or less than 5 % of what the service's control group allows",
  "memory-small": "there is less memory than the minimum for all parts of the service",
  "memory-short": "in the last minute there was not enough memory for pictures, the pre-roll or live HLS",
  "frame-memory-low":
    "more than 90 % of the memory for frames is in use, or frames were dropped because of it in the last minute",
  "too-hot": "a thermal zone is within 5 °C of its critical point; without one, at 85 °C",
  "event-loop-late": "in one of the last five minutes, one in a hundred checks was more than 500 ms late",
  "alarm-failing": "the last attempt to reach an alarm target failed",
  "away-failing": "for an hour, recordings have not gone to an away target that is on",
  "bucket-failing": "the bucket that is the archive (`bucketEndpoint`) could not be listed or read last",
  "mqtt-lost": "the MQTT broker of the settings cannot be used",
  "certificate-not-renewed":
    "less than a quarter of the certificate's lifetime is left and its [authority](#put-apisystemcertificateacme) gave none, or three tries for the first one failed",
  "ends-unclean":
    "of the runs that ended in the last 24 hours three or more crashed, failed or were killed; power failures do not count",
};

/** A table of the problems, in Markdown. */
export const PROBLEM_ROWS = Object.entries(PROBLEMS).map(
  ([code, [severity, action]]) =>
    `| \`${code}\` | ${severity} | ${PROBLEM_TIMES[code as ProblemCode]} | ${action} |`,
);

export const HEALTH: JsonSchema = objectOf({
  State: meaning(
    "`warning`: needs attention. `error`: recordings are lost, or will be soon.",
    choice(["ok", "warning", "error"]),
  ),
  Summary: meaning("One line of text, at most 200 characters.", TEXT),
  Time: ISO_TIME,
  Problems: meaning("The present problems, errors first.", listOf(PROBLEM)),
  Cameras: objectOf({
    Configured: WHOLE,
    Enabled: WHOLE,
    Connected: WHOLE,
    ToRecord: meaning("Channels that must be recorded now, by mode, schedule, motion or a user.", WHOLE),
    Recording: WHOLE,
    List: listOf(CAMERA),
  }),
  Archive: meaning(
    "`SizeMb`, `WriteMbitPerSecond`, `DepthDays` and `Errors` are those of /hddstatus. Also what retention has deleted since the start, and the state of the index and the event log.",
    objectOf({
      SizeMb: FIGURE,
      DepthDays: FIGURE,
      DaysLeft: meaning(
        "Days until the oldest recordings are deleted, of all volumes that are recorded onto.",
        FIGURE,
      ),
      DaysHeld: meaning("Days when full, of all volumes that are recorded onto.", FIGURE),
      Index: objectOf({
        Ready: meaning("The index is open.", FLAG),
        Reading: meaning(
          "How far the volumes are read in of which the index knows nothing or not all; null while none is being read. Recording goes on meanwhile, and what is read is played.",
          orNull(objectOf({ Files: WHOLE, Share: meaning("0 to 1.", NUMBER) })),
        ),
      }),
    }),
  ),
  Volumes: meaning(
    "Each volume of the settings. Also `UsedBytes`, `AllowedBytes` and `ProtectedBytes` of recordings, `BytesPerDay` at the present rate, the bytes waiting to be written, the duration of the current write and sync, and `WorkloadShare` of the drive's rating.",
    listOf(VOLUME),
  ),
  Disks: {
    type: ["array", "null"],
    description:
      "The machine's disks with their SMART data, and its meaning in `Summary`. Null: not read yet. `DisksProblem` is the reason why they cannot be read.",
  },
  Clock: meaning(
    "Also `FromBatteryClock`, and `LastStepMs`.",
    objectOf({
      IsKnown: meaning("See [time](../design/time.md).", FLAG),
      KnownBy: CLOCK_WITNESS,
      IsSynchronized: meaning("By a time server.", FLAG),
      ErrorMaxMs: meaning("The kernel's maximum error.", FIGURE),
      Steps: meaning("Since the start.", WHOLE),
    }),
  ),
  Memory: meaning(
    "Of the process and its heap, of the slabs that frames lie in, and of the machine. Also `LimitBytes` that the service plans with, `LimitedBy` (`machine`, `control group`, `setting`), `NeededBytes`, `Shares` by name ([memory](../design/memory.md)), and `LeftOut`: what there was not enough memory for in the last minute (`frames`, `preRoll`, `pictures`, `hls`).",
    objectOf({ RssBytes: NUMBER, SystemAvailableBytes: FIGURE }),
  ),
  Machine: meaning(
    "Also `SystemDisk`: the disk of the data directory.",
    objectOf({
      UptimeSeconds: FIGURE,
      Load: { type: ["array", "null"], description: "Over 1, 5 and 15 minutes." },
      Temperatures: meaning("Of the kernel's thermal zones.", listOf(objectOf({}))),
    }),
  ),
  Service: meaning(
    "Also `CpuSeconds`, `OpenFiles`, open streams, listeners of /event, transcodes, and `Viewers` now and since the start by way (`video`, `mobile`, `hls`, `rtsp`, `export`) and source (`live`, `recorded`).",
    objectOf({
      UptimeSeconds: NUMBER,
      EventLoop: meaning(
        "The delay of the event loop in the worst of the last five minutes, and its utilization.",
        objectOf({ P50Ms: NUMBER, P99Ms: NUMBER, MaxMs: NUMBER }),
      ),
    }),
  ),
  Alarms: {
    type: "array",
    description:
      "Each alarm target by name: whether it is reachable, waiting and omitted events, and the last failure.",
  },
  Away: meaning(
    "Each away target that is on: how far it is behind. More is in [GET /api/away](#get-apiaway).",
    listOf(
      objectOf({
        Name: TEXT,
        IsFailing: FLAG,
        WaitingSegments: meaning("Recordings that have not gone yet.", WHOLE),
        WaitingBytes: WHOLE,
        OldestWaitingDay: meaning("UTC.", WORDS_OR_NULL),
      }),
    ),
  ),
  Mqtt: meaning(
    "The MQTT broker of the settings ([guide](../guide/home-assistant.md)). Null: there is none.",
    orNull(
      objectOf({
        Broker: TEXT,
        IsConnected: FLAG,
        Since: meaning("Connected, or not, since then.", ISO_TIME),
        Problem: meaning("Why it is not connected.", WORDS_OR_NULL),
        WaitingMessages: meaning("Events and answers that wait for the broker; at most 500.", WHOLE),
        DroppedMessages: meaning("Dropped since the start, because more waited.", WHOLE),
        PublishedMessages: meaning("That the broker has confirmed.", WHOLE),
        CommandsDone: WHOLE,
        CommandsRefused: WHOLE,
      }),
    ),
  ),
  Versions: objectOf({
    Nvrd: TEXT,
    Node: TEXT,
    Libav: meaning("Null without the codec.", WORDS_OR_NULL),
    Kernel: TEXT,
  }),
  Restarts: meaning("This run and up to 19 before it, newest first.", listOf(RESTART)),
  LastCrash: {
    type: ["object", "null"],
    description: "Time and version. The text is in the support bundle.",
  },
});
