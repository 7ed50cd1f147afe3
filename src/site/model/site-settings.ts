import type { Guid } from "../../base/index.js";

/** The parts of the configuration other than servers, cameras, folders and accounts. Names follow the reference. */

/** A screen profile: cameras in a grid, for some groups or all of them. */
export interface View {
  readonly id: Guid;
  readonly name: string;
  /** In the grid's order; a camera may be in several cells. */
  readonly channelIds: readonly Guid[];
  readonly gridType: string;
  /** Groups whose users may use the view. */
  readonly groupIds: "all" | readonly Guid[];
}

/** A folder of places on the map. */
export interface MapFolder {
  readonly name: string;
  readonly locations: readonly MapLocation[];
  readonly folders: readonly MapFolder[];
}

export interface MapLocation {
  readonly name: string;
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
  /** The map's scale step, 0 (the world) to 24. */
  readonly zoom: number;
}

export const MOBILE_LEVELS = ["Low", "Middle", "High"] as const;
export type MobileLevelName = (typeof MOBILE_LEVELS)[number];

/** One quality level of /mobile. */
export interface MobileLevel {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly isEnabled: boolean;
  /** Maximum frames per second. */
  readonly fpsLimit: number;
  readonly usePFrames: boolean;
}

/** Settings for mobile programs and the web client. */
export interface MobileSettings {
  readonly isEnabled: boolean;
  readonly isProxyEnabled: boolean;
  readonly isMobilePushEnabled: boolean;
  /** The port shown to mobile programs; null: the service's HTTP port. */
  readonly port: number | null;
  readonly fpsLimit: number;
  readonly usePFrames: boolean;
  readonly levels: Readonly<Record<MobileLevelName, MobileLevel>>;
}

/** The RTSP server for viewers. */
export interface RtspOutletSettings {
  readonly isEnabled: boolean;
  /** The port shown to clients; null: the port in the service's settings. */
  readonly tcpPort: number | null;
  readonly isMjpegEnabled: boolean;
}

/** A monitoring service, to which the recorder sends its health. */
export interface MonitoringSettings {
  readonly isEnabled: boolean;
  /** An http:// or https:// URL; empty when none. */
  readonly url: string;
  /** Write-only for the API; empty when none. */
  readonly password: string;
  /** Kept alone: there is one server. */
  readonly isNewServerEnabled: boolean;
  readonly pushIntervalSeconds: number;
  readonly serverIds: readonly Guid[];
  readonly isProxyServerEnabled: boolean;
  readonly proxyServerId: Guid | null;
  /** The address of an HTTP proxy, used where the proxy is enabled; absent: none. */
  readonly proxyUrl?: string;
}
