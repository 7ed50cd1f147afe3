import type { Guid } from "../../base/index.js";
import type {
  MobileLevelName,
  mapFolder,
  mobileLevel,
  mobileSettings,
  monitoring,
  monitoringProxy,
  rtspSettings,
  StoredOf,
  StoredValueOf,
  view,
} from "../../contract/index.js";

/** The parts of the configuration other than servers, cameras, folders and accounts. Names follow the reference. */

/** A screen profile: cameras in a grid, for some groups or all of them. */
export interface View extends Omit<StoredOf<typeof view>, "groupIds" | "allGroups"> {
  readonly id: Guid;
  /** Groups whose users may use the view. */
  readonly groupIds: "all" | readonly Guid[];
}

/** A folder of places on the map. */
export type MapFolder = StoredValueOf<typeof mapFolder>;

/** One quality level of /mobile. */
export type MobileLevel = Omit<StoredOf<typeof mobileLevel>, "type">;

/** Settings for mobile programs and the web client. */
export interface MobileSettings extends Omit<StoredOf<typeof mobileSettings>, "resolutions"> {
  readonly levels: Readonly<Record<MobileLevelName, MobileLevel>>;
}

/** The RTSP server for viewers. */
export type RtspOutletSettings = StoredOf<typeof rtspSettings>;

/** A monitoring service, to which the recorder sends its health. The password is empty when there is none. */
export interface MonitoringSettings
  extends Omit<StoredOf<typeof monitoring>, "proxySettings">,
    StoredOf<typeof monitoringProxy> {}
