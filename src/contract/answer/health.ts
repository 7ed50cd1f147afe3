import { STREAM_TYPES } from "../../base/index.js";
import {
  amount,
  anything,
  asText,
  choice,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  nullable,
  number,
  open,
  text,
  time,
  unlisted,
  type ValueOf,
} from "../kinds/kinds.js";
import { LOSS_IDS } from "./stream.js";
import { clockWitness } from "./system/clock.js";

/** The health of the recorder: `/api/health`. */

/** How a run of the service ended. */
export const RUN_ENDS = [
  /** In order: by a signal, systemd or a user. */
  "stopped",
  /** In order, for an update. */
  "updated",
  /** In order, by itself: it could not go on. */
  "failed",
  /** By an unexpected error, or by a signal that indicates one (SIGSEGV, SIGABRT). */
  "crashed",
  /** From outside, while the machine ran on: SIGKILL, the watchdog, no memory. */
  "killed",
  /** With the machine: power was lost, the kernel crashed, or it was switched off without a shutdown. */
  "power-lost",
] as const;
export type RunEnd = (typeof RUN_ENDS)[number];

/** Null if unknown. */
const figure = nullable(amount);
const words = nullable(text);
const problem = group({
  Code: meaning("For programs: see the table below.", text),
  Severity: choice("error", "warning"),
  Text: meaning("What is wrong, and with what.", text),
  Action: meaning("What to do.", text),
  Title: meaning("What is wrong, for the owner of the box.", text),
  Remedy: meaning("What the owner can do.", text),
  ChannelId: nullable(id),
});
const stream = group({
  StreamType: asText(choice(...STREAM_TYPES)),
  State: meaning(
    "`idle`, `connecting`, `waiting` (for a key frame), `active` or `lost`.",
    asText(choice("idle", "connecting", "waiting", "active", "lost")),
  ),
  Cause: meaning("As in [the channel's status](#get-apichannelsidstatus).", words),
  Reason: words,
  Losses: meaning(
    "As in [the channel's status](#get-apichannelsidstatus), `Text` and `Remedy` in the asked `language`.",
    listOf(group({ Id: choice(...LOSS_IDS), Detail: text, Count: integer, Text: text, Remedy: text })),
  ),
  Codec: unlisted(nullable(text)),
  Width: unlisted(nullable(integer)),
  Height: unlisted(nullable(integer)),
  Pictures: unlisted(integer),
  Bytes: unlisted(integer),
});
export type StreamHealth = ValueOf<typeof stream>;

const camera = group({
  Id: id,
  Name: text,
  IsDisabled: flag,
  IsConnected: flag,
  MustRecord: meaning("Whether it must be recorded now, by its mode, schedule, motion or a user.", flag),
  IsRecording: flag,
  Streams: meaning(
    "Also codec and size as the camera sends them; since the stream was made `Frames` of video and audio, `Pictures` of them, `Bytes`, `DamagedFrames`, `Connects`; `FramesDropped` and `FramesThinned` on the way to the disk; `Viewers` now.",
    listOf(stream),
  ),
});
export type CameraHealth = ValueOf<typeof camera>;

const volume = group({
  Directory: text,
  IsUsable: flag,
  Reason: meaning("Why it is not used.", words),
  FreeBytes: meaning("Of the file system, like `TotalBytes`.", figure),
  BytesPerSecond: meaning("Of late.", figure),
  DaysLeft: meaning(
    "Days until the oldest recordings are deleted, at the volume's rate of the last 24 hours: for want of bytes, or of inodes where they end before.",
    figure,
  ),
  DaysHeld: meaning("Days that the volume holds when full, at that rate.", figure),
  DepthDays: meaning("Age of its oldest recording.", figure),
});
const restart = group({
  Start: time,
  LastSeen: meaning("Updated every 5 minutes.", time),
  End: meaning(
    "How the run ended. Null: it is running. `failed`: it could not continue. `crashed`: an unexpected error, or a signal such as SIGSEGV. `killed`: SIGKILL, the watchdog, out of memory. `power-lost`: together with the machine.",
    nullable(choice(...RUN_ENDS)),
  ),
  Detail: meaning("Details, if known.", words),
  Version: text,
});

const OBJECTS_CAUSES = ["no-weights", "failing", "small-machine", "slow-machine"] as const;
export type ObjectsCause = (typeof OBJECTS_CAUSES)[number];

export const health = group({
  State: meaning(
    "`warning`: needs attention. `error`: recordings are lost, or will be soon.",
    choice("ok", "warning", "error"),
  ),
  Summary: meaning("One line of text, at most 200 characters.", text),
  Time: time,
  Problems: meaning("The present problems, errors first.", listOf(problem)),
  Cameras: group({
    Configured: integer,
    Enabled: integer,
    Connected: integer,
    ToRecord: meaning("Channels that must be recorded now, by mode, schedule, motion or a user.", integer),
    Recording: integer,
    List: listOf(camera),
  }),
  Archive: meaning(
    "`SizeMb`, `WriteMbitPerSecond`, `DepthDays` and `Errors` are those of /hddstatus. Also what retention has deleted since the start, and the state of the index, the event log and the findings.",
    group({
      SizeMb: figure,
      DepthDays: figure,
      DaysLeft: meaning(
        "Days until the oldest recordings are deleted for want of room, of all volumes that are recorded onto, as `FullTime` of `/api/archive` has it. Null while the rate is not known, and where limits of age keep the disks from becoming full.",
        figure,
      ),
      DaysHeld: meaning("Days when full, as `/api/archive` has it. Null like `DaysLeft`.", figure),
      Index: group({
        Ready: meaning("The index is open.", flag),
        Reading: meaning(
          "How far the volumes are read in of which the index knows nothing or not all; null while none is being read. Recording goes on meanwhile, and what is read is played.",
          nullable(group({ Files: integer, Share: meaning("0 to 1.", number) })),
        ),
      }),
      Findings: meaning(
        "What is kept of [what was seen](#get-apifindings). Null while the recorder starts.",
        nullable(
          group({
            Unread: meaning("Files on the volumes that are still to be read for searches.", integer),
            Waiting: meaning("Findings that are over and wait for a volume.", integer),
            Lost: meaning("Findings that were not kept since the start.", integer),
            IsFailing: meaning("They could not be written last.", flag),
          }),
        ),
      ),
    }),
  ),
  Volumes: meaning(
    "Each volume of the settings. Also `UsedBytes`, `AllowedBytes` and `ProtectedBytes` of recordings, `BytesPerDay` at the present rate, the bytes waiting to be written, the duration of the current write and sync, and `WorkloadShare` of the drive's rating.",
    listOf(volume),
  ),
  Disks: meaning(
    "The machine's disks with their SMART data, and its meaning in `Summary`. Null: not read yet. `DisksProblem` is the reason why they cannot be read.",
    nullable(listOf(anything)),
  ),
  Clock: meaning(
    "Also `FromBatteryClock`, and `LastStepMs`.",
    group({
      IsKnown: meaning("See [time](../design/time.md).", flag),
      KnownBy: clockWitness,
      IsSynchronized: meaning("By a time server.", flag),
      ErrorMaxMs: meaning("The kernel's maximum error.", figure),
      Steps: meaning("Since the start.", integer),
    }),
  ),
  Memory: meaning(
    "Of the process and its heap, of the slabs that frames lie in, and of the machine. Also `LimitBytes` that the service plans with, `LimitedBy` (`machine`, `control group`, `setting`), `NeededBytes`, `Shares` by name ([memory](../design/memory.md)), and `LeftOut`: what there was not enough memory for in the last minute (`frames`, `preRoll`, `pictures`, `hls`).",
    group({ RssBytes: number, SystemAvailableBytes: figure }),
  ),
  Machine: meaning(
    "Also `SystemDisk`: the disk of the data directory.",
    group({
      UptimeSeconds: figure,
      Load: meaning("Over 1, 5 and 15 minutes.", nullable(listOf(anything))),
      Temperatures: meaning("Of the kernel's thermal zones.", listOf(group({}))),
    }),
  ),
  Service: meaning(
    "Also `CpuSeconds`, `OpenFiles`, open streams, listeners of /event, transcodes, and `Viewers` now and since the start by way (`video`, `mobile`, `hls`, `rtsp`, `export`) and source (`live`, `recorded`).",
    group({
      UptimeSeconds: number,
      EventLoop: meaning(
        "The delay of the event loop in the worst of the last five minutes, and its utilization.",
        group({ P50Ms: number, P99Ms: number, MaxMs: number }),
      ),
    }),
  ),
  Alarms: meaning(
    "Each alarm target by name: whether it is reachable, waiting and omitted events, and the last failure.",
    listOf(anything),
  ),
  Away: meaning(
    "Each away target that is on: how far it is behind. More is in [GET /api/away](#get-apiaway).",
    listOf(
      group({
        Name: text,
        IsFailing: flag,
        WaitingSegments: meaning("Recordings that have not gone yet.", integer),
        WaitingBytes: integer,
        OldestWaitingDay: meaning("UTC.", words),
      }),
    ),
  ),
  Motion: meaning(
    "The recorder's own [motion detection](../design/motion.md). Null: the recorder has not started.",
    nullable(
      group({
        Cameras: meaning("Cameras that it looks at; not those that report motion themselves.", integer),
        Blind: meaning("Those that it cannot see.", integer),
        Stretch: meaning(
          "How many times further apart pictures are than the settings ask for; 1: as they ask.",
          number,
        ),
        CodecShare: meaning("Its share of the codec's threads in the last second, 0 to 1.", number),
      }),
    ),
  ),
  Objects: meaning(
    "The recorder's own [detector of objects](objects.md). Null: the recorder has not started.",
    nullable(
      group({
        Cameras: meaning("Cameras that are looked at where something moves.", integer),
        IsReady: flag,
        Cause: meaning(
          "Why cameras are not looked at: all of them (`no-weights`: the recorder was made without; `failing`: its process fails), or those that leave it to the machine (`small-machine`, `slow-machine`).",
          nullable(choice(...OBJECTS_CAUSES)),
        ),
        Problem: meaning("The cause in words, and what it would take.", words),
        LooksNow: meaning("Looks a second in the last ten seconds.", number),
        LooksWanted: meaning("That cameras would take now.", number),
        LooksPossible: meaning("That the machine does within half a processor; at most 15.", number),
        DecodingStretch: meaning(
          "How many times further apart pictures for looks are than wanted, because decoding them has a quarter of the codec's threads. 1: as wanted.",
          number,
        ),
        LateMs: meaning("How much later than wanted looks are.", number),
        LookMs: meaning("Mean time of a look. Null: not measured yet.", figure),
        ResidentMb: meaning("Memory of the detector's process. Null: it does not run.", figure),
        Looks: meaning("Since the start.", integer),
        Failures: meaning("Looks that failed, and pictures that could not be decoded.", integer),
        Restarts: meaning("Of the detector's process, after it failed.", integer),
      }),
    ),
  ),
  Mqtt: meaning(
    "The MQTT broker ([guide](../guide/home-assistant.md)). Null: there is none.",
    nullable(
      group({
        Broker: text,
        IsConnected: flag,
        Since: meaning("Connected, or not, since then.", time),
        Problem: meaning("Why it is not connected.", words),
        WaitingMessages: meaning("Events and answers that wait for the broker; at most 500.", integer),
        DroppedMessages: meaning("Dropped since the start, because more waited.", integer),
        PublishedMessages: meaning("That the broker has confirmed.", integer),
        CommandsDone: integer,
        CommandsRefused: integer,
      }),
    ),
  ),
  Versions: group({
    Nvrd: meaning(
      "`1.0.0`; of a build between releases with when its commit was made and which it is.",
      text,
    ),
    Commit: meaning("Git's name of the commit it was built of; empty: not known.", text),
    CommitTime: meaning("When that commit was made, ISO 8601; empty: not known.", text),
    Node: text,
    Libav: meaning("Null without the codec.", words),
    Kernel: text,
  }),
  Restarts: meaning("This run and up to 19 before it, newest first.", listOf(restart)),
  LastCrash: meaning("Time and version. The text is in the support bundle.", nullable(open)),
});
export type Health = ValueOf<typeof health>;
