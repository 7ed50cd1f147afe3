import type { ArchiveAccess, RecordedBytes, RemovedTimesAccess } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { SiteStore } from "../../site/index.js";
import type {
  HealthQuestions,
  HealthStates,
  MachineHistory,
  MonitoringStates,
  ServiceLogReader,
  SupportBundles,
} from "./states.js";

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
