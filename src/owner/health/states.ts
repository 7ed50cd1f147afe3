import type { ArchiveAccess, RecordedBytes, RemovedTimesAccess } from "../../archive/index.js";
import type { Clock, Guid } from "../../base/index.js";
import type { HistorySpan, LogLevel } from "../../contract/answer/index.js";
import type { ArchiveStatus, HealthFigures, HistoryView } from "../../health/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface HealthNeeds {
  readonly archive: ArchiveAccess;
  /** What each channel records in a day. */
  readonly channelBytes: Pick<RecordedBytes, "read">;
  readonly clock: Clock;
  readonly health: HealthStates;
  readonly history: MachineHistory;
  readonly monitoring: HealthQuestions;
  readonly monitoringStates: MonitoringStates;
  /** What retention has removed. */
  readonly removedTimes: RemovedTimesAccess;
  readonly serviceLog: ServiceLogReader;
  readonly site: SiteStore;
  readonly support: SupportBundles;
}

/** The last known state of the recorder, from memory. */
export interface HealthStates {
  readonly status: ArchiveStatus;
}

/** All health data of the recorder, for monitoring. */
export interface HealthQuestions {
  /** Cached for a second. Never rejects. */
  figures(): Promise<HealthFigures>;
}

/** Whether health arrives at the monitoring service. */
export interface MonitoringStates {
  /** Undefined: it is off. */
  readonly state:
    | {
        /** Unix microseconds. */
        readonly lastTriedUs: number | undefined;
        readonly lastSentUs: number | undefined;
        readonly sent: number;
        readonly failed: number;
        readonly problem: string | undefined;
      }
    | undefined;
}

/** What the machine did in the last day and month. */
export interface MachineHistory {
  read(span: HistorySpan): HistoryView;
}

/** Creates support bundles for remote diagnosis. */
export interface SupportBundles {
  /** A gzipped tar archive without secrets. Concurrent requests get the same one. */
  create(): Promise<Uint8Array>;
}

export interface LogQuery {
  /** This bad or worse. */
  readonly level: LogLevel;
  /** About this camera. */
  readonly channelId: Guid | undefined;
  /** In the text, in any case. */
  readonly text: string | undefined;
  readonly sinceUs: number | undefined;
  readonly limit: number;
}

export interface ServiceLogLine {
  /** Unix µs. */
  readonly timeUs: number;
  readonly level: LogLevel;
  /** The message, and its members in brackets: `(channel=… reason=…)`. */
  readonly text: string;
}

export interface ServiceLogPage {
  /** The journal goes back further than this run; the memory has its newest lines. */
  readonly source: "Journal" | "Memory";
  /** The newest first. */
  readonly lines: readonly ServiceLogLine[];
  /** There are older lines that match. */
  readonly hasMore: boolean;
}

/** The service's own log. */
export interface ServiceLogReader {
  read(query: LogQuery): Promise<ServiceLogPage>;
}
