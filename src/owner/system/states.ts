import type { ChosenDirectory } from "../../access/index.js";
import type { ClockKnowledge } from "../../base/index.js";
import type { UpdateState, Upload } from "../../box/update/index.js";
import type { BrokerState, OnvifDeviceState } from "../../contract/answer/index.js";
import type { EventLog } from "../../event/index.js";
import type { MqttHealth } from "../../health/index.js";
import type { BrokerInConfiguration, HistoryEntry, Site, SiteStore, User } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface SystemNeeds {
  readonly broker: BrokerControl;
  readonly directory: ChosenDirectory;
  readonly events: EventLog;
  readonly onvifDevice: OnvifDeviceControl;
  readonly restarts: Restarts;
  readonly revisions: SiteRevisions;
  readonly site: SiteStore;
  readonly updates: Updates;
  /** Version of the software. */
  readonly version: string;
  /** The wall clock, and who vouches for it. */
  readonly wallClock: WallClock;
}

/** Updates of the whole system. */
export interface Updates {
  readonly state: UpdateState;
  /** See `Updater.receive`. `by`: the sender, for the log. */
  receive(upload: Upload, by: string): Promise<UpdateState>;
}

/** The wall clock, and who vouches for it. */
export interface WallClock extends Pick<ClockKnowledge, "isKnown" | "knownBy"> {
  nowUs(): number;
  /** Takes the wall clock as right from now on. Does nothing when it is known already. */
  trust(): void;
}

/** The MQTT broker that the recorder is at, and trials of one. */
export interface BrokerControl {
  readonly source: BrokerState["Source"];
  /** Undefined: there is no broker. */
  readonly health: MqttHealth | undefined;
  /** That of the settings file, whether it holds or not. */
  readonly urlOfFile: string | undefined;
  /** Rejects with an Error in words where the broker does not let the recorder in. Nothing is published. */
  try(broker: BrokerInConfiguration, signal: AbortSignal): Promise<void>;
}

/** The recorder as an ONVIF device. */
export interface OnvifDeviceControl {
  readonly source: OnvifDeviceState["Source"];
  readonly isRunning: boolean;
  /** Whether the user of this name may use it. */
  isFor(userName: string): boolean;
  /** Whether the user can log in: the password is known. */
  isReady(user: User): boolean;
}

/** What can be restarted: the service, or the machine. */
export const RESTARTED = ["Recorder", "Box"] as const;
export type Restarted = (typeof RESTARTED)[number];

export interface Restarts {
  readonly canRestartBox: boolean;
  /** It begins a moment later. Rejects with NvrdError NOT_SUPPORTED. `by`: the user's name. */
  ask(what: Restarted, by: string): Promise<void>;
}

/** Former revisions of the configuration. */
export interface SiteRevisions {
  history(): Promise<readonly HistoryEntry[]>;
  /** Rejects with NvrdError NOT_FOUND. */
  revision(number: number): Promise<Site>;
}
