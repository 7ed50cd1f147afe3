import type { IndexReading, IndexStatus, RetentionCounts, VolumeStatus } from "../../archive/index.js";
import type { ClockWitness, MemoryBound } from "../../base/index.js";
import type { ObjectsCause } from "../../contract/answer/index.js";
import type { EventLogStatus } from "../../event/index.js";
import type { SiteWarning } from "../../site/index.js";
import type { DiskState } from "../disk/disk-state.js";
import type { ArchiveReach } from "./archive-reach.js";
import type { ArchiveStatus } from "./archive-status.js";
import type { CameraHealth } from "./camera-health.js";
import type { EventLoopFigures } from "./event-loop-delay.js";
import type { GcFigures } from "./gc-watch.js";
import type { MachineFigures } from "./machine.js";
import type { Crash, Run } from "./run-history.js";

/** One volume of the settings: what its threads count, and what the index and the disk say where it is there. */
export interface VolumeHealth {
  readonly directory: string;
  readonly isUsable: boolean;
  /** Nothing new is recorded onto it: it may be away. */
  readonly isRetired: boolean;
  /** Why it is left out; null while it is used. */
  readonly reason: string | null;
  readonly streams: number;
  readonly writtenBytes: number;
  readonly bytesPerSecond: number;
  readonly heldBytes: number;
  readonly heldBytesMax: number;
  readonly writeStallMs: number;
  readonly syncStallMs: number;
  readonly segmentsFailed: number;
  /** Bytes a day at the rate of the last 24 hours; undefined in the first minute. */
  readonly bytesPerDay: number | undefined;
  /** Undefined until it was asked for, and of a volume that never was there. */
  readonly status: VolumeStatus | undefined;
}

export interface IndexHealth extends IndexStatus {
  /** Undefined while no volume is being read into it. */
  readonly reading: IndexReading | undefined;
}

export interface ClockHealth {
  readonly isKnown: boolean;
  /** Why it is known; null while it is not. */
  readonly knownBy: ClockWitness | null;
  readonly isSynchronized: boolean;
  readonly fromBatteryClock: boolean;
  /** The kernel's bound on the error; null where it cannot be asked. */
  readonly errorMaxMs: number | null;
  /** Steps of the clock since the start, and the last one's size. */
  readonly steps: number;
  readonly lastStepMs: number | null;
}

/** What was left out for want of memory. */
export type MemoryShortage = "frames" | "preRoll" | "pictures" | "hls";

/** How much memory the service plans with, and what it was shared out to. */
export interface MemoryPlan {
  readonly limitBytes: number;
  readonly limitedBy: MemoryBound;
  /** With less, not even the minimum shares fit. */
  readonly neededBytes: number;
  /** Bytes by name, as docs/design/memory.md lists them. */
  readonly shares: Readonly<Record<string, number>>;
  /** What was left out in the last minute. */
  readonly leftOut: readonly MemoryShortage[];
}

export interface MemoryHealth extends MemoryPlan {
  readonly rssBytes: number;
  readonly heapUsedBytes: number;
  readonly heapTotalBytes: number;
  readonly heapBytesMax: number;
  readonly externalBytes: number;
  readonly arrayBufferBytes: number;
  /** Slabs for frames: allocated, free, and the limit. */
  readonly slabBytes: number;
  readonly slabIdleBytes: number;
  readonly slabBytesMax: number;
}

/** The state of the messages to an alarm target. */
export interface AlarmTargetHealth {
  readonly name: string;
  readonly isEnabled: boolean;
  /** The last try failed; it is repeated. */
  readonly isFailing: boolean;
  readonly waitingEvents: number;
  readonly omittedEvents: number;
  /** Why the last try failed, without anything secret. */
  readonly problem: string | undefined;
}

/** A target of recordings off the box. */
export interface AwayTargetHealth {
  readonly name: string;
  /** How far it is behind: recordings that have not gone yet. */
  readonly waiting: {
    readonly segments: number;
    readonly bytes: number;
    readonly oldestDay: string | undefined;
  };
  /** How long it has been failing; undefined: it is not. */
  readonly failingUs: number | undefined;
  /** Why the last try failed, without anything secret. */
  readonly problem: string | undefined;
}

/** What is kept of what was seen. */
export interface FindingsHealth {
  /** Files on the volumes that are still to be read: searches may lack what they have. */
  readonly unread: number;
  /** Findings that are over and wait for a volume. */
  readonly waiting: number;
  /** Since the start. */
  readonly lost: number;
  /** They could not be written last. */
  readonly isFailing: boolean;
}

/** The recorder's own motion detection. */
export interface MotionHealth {
  /** Cameras that it looks at. */
  readonly cameras: number;
  /** Those that it cannot see. */
  readonly blind: number;
  /** How many times further apart pictures are than the settings ask for; 1: as they ask. */
  readonly stretch: number;
  /** So many times that it is a problem. */
  readonly isStrained: boolean;
  /** Its share of the codec's threads in the last second, 0 to 1. */
  readonly codecShare: number;
}

/** The recorder's own detector of objects. */
export interface ObjectsHealth {
  /** Cameras that are looked at where something moves. */
  readonly cameras: number;
  readonly isReady: boolean;
  /** Why it does not look: at all, or at cameras that leave it to the machine; and in words. */
  readonly cause: ObjectsCause | null;
  readonly problem: string | null;
  /** Looks a second: of the last ten seconds, that cameras would take, and that the machine does. */
  readonly looksNow: number;
  readonly looksWanted: number;
  readonly looksPossible: number;
  /** How many times further apart pictures are than wanted, because decoding has its bound. */
  readonly decodingStretch: number;
  /** How much later than wanted. */
  readonly lateMs: number;
  /** Mean time of a look; null: not known yet. */
  readonly lookMs: number | null;
  readonly residentMb: number | null;
  /** Since the start. */
  readonly looks: number;
  readonly failures: number;
  readonly restarts: number;
}

/** The connection to the hub that the recorder belongs to. */
export interface HubHealth {
  /** `host:port`. */
  readonly hub: string;
  readonly isConnected: boolean;
  /** Since when it is connected or not, Unix µs. */
  readonly sinceUs: number;
}

/** What this recorder keeps of others. */
export interface ReplicasHealth {
  /** Why nothing can be kept; undefined: it can, or nobody has a share. */
  readonly problem: string | undefined;
  readonly shares: readonly {
    readonly name: string;
    readonly bytesMax: number;
    readonly usedBytes: number;
  }[];
}

/** A recorder of the LAN that stands by this one, as a partner. */
export interface PartnerHealth {
  readonly name: string;
  readonly isConnected: boolean;
  /** Since when it is heard or not, Unix µs. */
  readonly sinceUs: number;
  /** Its cameras that are recorded here, because it is silent. */
  readonly recordedHere: number;
  /** Why it does not keep the cameras of this recorder that it is to stand in for; undefined: it does, or there are none. */
  readonly reserveProblem: string | undefined;
}

/** The connection to the MQTT broker. */
export interface MqttHealth {
  /** Its address, without a login. */
  readonly broker: string;
  readonly isConnected: boolean;
  /** Since when it is connected or not, Unix µs. */
  readonly sinceUs: number;
  /** Why it is not connected; null while it is. */
  readonly problem: string | null;
  /** Events and answers that wait for the broker, and those that were dropped because too many waited. */
  readonly waitingMessages: number;
  readonly droppedMessages: number;
  /** Messages that the broker has confirmed. */
  readonly publishedMessages: number;
  readonly commandsDone: number;
  readonly commandsRefused: number;
}

/** What the API has answered since the start. */
export interface RequestCount {
  readonly method: string;
  /** As the route table spells it; `other` where there is no such route. */
  readonly route: string;
  readonly status: number;
  readonly count: number;
}

/** Ways in which video leaves the recorder, and its source. */
export const VIEWER_KINDS = [
  { over: "video", source: "live" },
  { over: "video", source: "recorded" },
  { over: "mobile", source: "live" },
  { over: "mobile", source: "recorded" },
  { over: "socket", source: "live" },
  { over: "hls", source: "live" },
  { over: "hls", source: "recorded" },
  { over: "rtsp", source: "live" },
  { over: "rtsp", source: "recorded" },
  { over: "export", source: "recorded" },
] as const;

export type ViewerKind = (typeof VIEWER_KINDS)[number];

export type ViewerCount = ViewerKind & {
  readonly now: number;
  readonly sinceStart: number;
};

export interface ApiFigures {
  readonly requests: readonly RequestCount[];
  /** Open viewers, listeners on /event, and streamed answers. */
  readonly openStreams: number;
  /** One of each kind, in the order of VIEWER_KINDS. */
  readonly viewers: readonly ViewerCount[];
  readonly eventListeners: number;
  readonly eventsNotSent: number;
  readonly liveSocket: LiveSocketFigures;
  /** Why HTTPS will lack a valid certificate; undefined: nothing is known of that. */
  readonly certificateProblem?: string | undefined;
}

/** The live socket's clients and what they are sent. */
export interface LiveSocketFigures {
  readonly clients: number;
  /** Subscriptions of all clients. */
  readonly liveWatches: number;
  readonly recordedWatches: number;
  /** Streams that are sent live, each built once for all who watch it. */
  readonly streams: number;
  readonly transcodedStreams: number;
  /** Pictures that were left out for clients that were behind, since the start. */
  readonly leftOut: number;
  /** Bytes that wait for clients in the service. */
  readonly waitingBytes: number;
}

export interface Versions {
  readonly nvrd: string;
  /** Of the build; empty: not known. */
  readonly commit: string;
  /** ISO 8601; empty: not known. */
  readonly commitTime: string;
  readonly node: string;
  /** Null without the codec. */
  readonly libav: string | null;
  readonly kernel: string;
}

/** What is wrong with a port of the service. */
export interface ListenerHealth {
  /** `HTTP`, `HTTPS` or `RTSP`. */
  readonly name: string;
  /** Nobody can connect; otherwise the certificate that is there cannot be used, and the former one is. */
  readonly isShut: boolean;
  readonly reason: string;
}

/** The bucket that is the archive. */
export interface BucketHealth {
  readonly name: string;
  /** Why it cannot be read; undefined while it can. */
  readonly problem: string | undefined;
}

/** The figures of the recorder at one moment, from which the report and the metrics are made. */
export interface HealthFigures {
  /** Unix µs. */
  readonly timeUs: number;
  readonly versions: Versions;
  /** Since this run began. */
  readonly uptimeSeconds: number;
  readonly cameras: readonly CameraHealth[];
  /** Cameras whose fault has lasted. */
  readonly faultyCameras: ReadonlySet<string>;
  /** What of the configuration is allowed and seldom meant. */
  readonly siteWarnings: readonly SiteWarning[];
  readonly archive: ArchiveStatus;
  readonly removed: RetentionCounts;
  /** Why it is not known what is protected; undefined: it is known. */
  readonly protectionLack: string | undefined;
  readonly index: IndexHealth;
  readonly eventLog: EventLogStatus;
  readonly findings: FindingsHealth | undefined;
  readonly volumes: readonly VolumeHealth[];
  /** How far the recordings will reach; undefined until it was asked for, and while that cannot be known. */
  readonly reach: Pick<ArchiveReach, "daysLeft" | "daysHeld"> | undefined;
  /** Undefined where disks are not looked at, or were not yet. */
  readonly disks: readonly DiskState[] | undefined;
  /** Why disks or their SMART are not known. */
  readonly disksProblem: string | undefined;
  readonly clock: ClockHealth;
  readonly memory: MemoryHealth;
  readonly machine: MachineFigures;
  readonly eventLoop: EventLoopFigures;
  readonly cpuSeconds: number;
  readonly gc: readonly GcFigures[];
  readonly transcodes: number;
  readonly alarms: readonly AlarmTargetHealth[];
  readonly away: readonly AwayTargetHealth[];
  /** Undefined unless the archive is a bucket. */
  readonly bucket: BucketHealth | undefined;
  /** Undefined where the recorder belongs to no hub. */
  readonly hub: HubHealth | undefined;
  readonly partners: readonly PartnerHealth[];
  readonly replicas: ReplicasHealth;
  /** Undefined without a broker. */
  readonly mqtt: MqttHealth | undefined;
  readonly motion: MotionHealth | undefined;
  readonly objects: ObjectsHealth | undefined;
  readonly api: ApiFigures;
  /** Ports that are not open, or lack something. */
  readonly listenerProblems: readonly ListenerHealth[];
  readonly runs: readonly Run[];
  readonly crash: Crash | undefined;
  /** State of parts that add their own section to the report, such as `update`. */
  readonly parts: Readonly<Record<string, unknown>>;
}
