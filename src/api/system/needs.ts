import type { ChosenDirectory } from "../../access/index.js";
import type { AlarmControl, PushControl } from "../../alarm/index.js";
import type { ArchiveAccess, RecordedBytes, RemovedTimesAccess } from "../../archive/index.js";
import type { AwayControl } from "../../away/index.js";
import type { Clock } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import type { DiskHistory } from "../../health/index.js";
import type { SiteStore } from "../../site/index.js";
import type { StorageControl } from "../../storage/index.js";
import type { ServerReach } from "../route/index.js";
import type {
  CertificatePlace,
  HealthQuestions,
  HealthStates,
  MachineHistory,
  MonitoringStates,
  Restarts,
  ServiceLogReader,
  SiteRevisions,
  SupportBundles,
  Updates,
  WallClock,
} from "./states.js";

/** What the routes of this topic work with. */
export interface SystemNeeds {
  readonly archive: ArchiveAccess;
  /** What each channel records in a day. */
  readonly channelBytes: Pick<RecordedBytes, "read">;
  /** What retention has removed. */
  readonly removedTimes: RemovedTimesAccess;
  readonly alarms: AlarmControl;
  readonly pushes: PushControl;
  readonly away: AwayControl;
  /** The disks of the machine and what can be done with them. */
  readonly storage: StorageControl;
  /** What the disks said of themselves, for years. */
  readonly diskHistory: Pick<DiskHistory, "of">;
  readonly health: HealthStates;
  readonly monitoring: HealthQuestions;
  readonly monitoringStates: MonitoringStates;
  readonly history: MachineHistory;
  readonly restarts: Restarts;
  readonly events: EventLog;
  readonly serviceLog: ServiceLogReader;
  readonly site: SiteStore;
  readonly revisions: SiteRevisions;
  readonly certificates: CertificatePlace;
  readonly directory: ChosenDirectory;
  /** The ports in use. */
  readonly reach: ServerReach;
  /** Version of the software. */
  readonly version: string;
  readonly support: SupportBundles;
  readonly clock: Clock;
  /** The same clock, and who vouches for it. */
  readonly wallClock: WallClock;
  readonly updates: Updates;
}
