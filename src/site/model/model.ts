import type { Guid } from "../../base/index.js";
import type {
  camera,
  cameraArchive,
  cameraConnection,
  cameraPosition,
  cameraStream,
  FirstOf,
  GroupRight,
  group,
  RotationMode,
  StoredOf,
} from "../../contract/index.js";
import type { AlarmTarget } from "./alarm-target.js";
import type { Analyser } from "./analyser.js";
import type { AwayTarget } from "./away-target.js";
import type { BrokerInConfiguration } from "./broker.js";
import type { CameraOptions } from "./camera-options.js";
import type { DirectorySettings } from "./directory.js";
import type { OnvifDeviceSettings } from "./onvif-device.js";
import type { UserScenario } from "./scenario.js";
import type {
  MapFolder,
  MobileSettings,
  MonitoringSettings,
  RtspOutletSettings,
  View,
} from "./site-settings.js";

export type { ArchivingMode, RotationMode, StreamRole, VideoFormatName } from "../../contract/index.js";
export {
  type DayRange,
  isScheduled,
  type LocalClock,
  type LocalTime,
  WEEK_DAYS,
  type WeekDay,
  type WeeklySchedule,
} from "./week.js";

/**
 * The stored configuration: plain, immutable data. Names follow the reference. If the API has two names for one thing, it is
 * stored once, under the newer name (StreamSettings).
 */
export interface Site {
  readonly id: Guid;
  /** Rises by one with every applied change. */
  readonly revision: number;
  /** When the change was applied, Unix microseconds. */
  readonly appliedAtUs: number;
  readonly server: ServerEntry;
  readonly cameras: readonly Camera[];
  /** The root of the tree of security objects (folders of cameras). */
  readonly rootSecurityObject: SecurityObject;
  readonly groups: readonly UserGroup[];
  readonly users: readonly User[];
  readonly views: readonly View[];
  /** The root of the map's tree of locations. */
  readonly mapLocations: MapFolder;
  readonly userScenarios: readonly UserScenario[];
  readonly mobile: MobileSettings;
  readonly rtsp: RtspOutletSettings;
  readonly monitoring: MonitoringSettings;
  readonly alarmTargets: readonly AlarmTarget[];
  readonly awayTargets: readonly AwayTarget[];
  readonly analysers: readonly Analyser[];
  /** Absent: that of the settings file holds, if it names one. */
  readonly directory?: DirectorySettings;
  readonly broker?: BrokerInConfiguration;
  readonly onvifDevice?: OnvifDeviceSettings;
  /** Whether clients take time zones into account. */
  readonly useTimeZones: boolean;
  /** Whether users may make links to files for people without a login; they may not when absent. */
  readonly fileLinksEnabled?: boolean;
}

export interface ServerEntry {
  readonly id: Guid;
  readonly name: string;
}

export interface SecurityObject {
  readonly id: Guid;
  readonly name: string | null;
  readonly children: readonly SecurityObject[];
  readonly channelIds: readonly Guid[];
}

/** Rotation of the picture for each mode, degrees clockwise. */
export const ROTATION_DEGREES = {
  None: 0,
  By90ClockwiseDegree: 90,
  By180Degree: 180,
  By90AntiClockwiseDegree: 270,
} as const satisfies Readonly<Record<RotationMode, number>>;
export type StreamSettings = StoredOf<typeof cameraStream>;
export type ConnectionSettings = StoredOf<FirstOf<typeof cameraConnection>>;
export type ArchiveSettings = StoredOf<FirstOf<typeof cameraArchive>>;

export interface Camera
  extends StoredOf<Pick<typeof camera, "Id" | "Name" | "Description" | "Disabled">>,
    StoredOf<typeof cameraPosition> {
  readonly ownerServerId: Guid;
  readonly connection: ConnectionSettings;
  readonly archive: ArchiveSettings;
  /** Default `DEFAULT_CAMERA_OPTIONS`. */
  readonly kept?: CameraOptions;
}

/**
 * `seniorAdministrators`: the group of those who have all rights and may use the configuration API. `ptzPriority`: a value of the
 * client programs; the user with the higher priority takes over a camera. `gridTypes`: screen grids that the group's users may
 * choose. `directoryGroups`: names or DNs of directory groups whose members log in with this group; compared ignoring case.
 */
export interface UserGroup extends Omit<StoredOf<typeof group>, "rights" | "channelsAccessOptions"> {
  readonly id: Guid;
  readonly rights: Readonly<Record<GroupRight, boolean>>;
  /** Channels the group may watch; "all" for senior administrators. */
  readonly realtimeChannels: "all" | readonly Guid[];
  readonly archiveChannels: "all" | readonly Guid[];
}

export interface User {
  readonly id: Guid;
  readonly name: string;
  readonly groupId: Guid;
  /**
   * `scrypt$N$r$p$salt$hash` of the lower-case MD5 of the password; null: logs in without a password;
   * `LOCKED_SECRET`: cannot log in (root before its first password).
   */
  readonly secret: string | null;
}

/** The secret that no password matches. */
export const LOCKED_SECRET = "locked";
