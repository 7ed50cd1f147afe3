import {
  cameraAnalysis,
  cameraArchive,
  cameraConnection,
  cameraServers,
  defaultsOf,
  type externalPort,
  type LaterOf,
  laterOf,
  type StoredOf,
} from "../../contract/index.js";

/** Settings of a camera that have defaults: configurations of the first versions, and cameras that nobody set up, have none. */
export interface StoredSettings {
  readonly connection: KeptConnectionSettings;
  readonly archive: StoredOf<LaterOf<typeof cameraArchive>>;
  readonly analyze: KeptAnalyzeSettings;
  /** Absent in configurations of the first versions. */
  readonly servers?: KeptServerBindings;
}

export type KeptConnectionSettings = StoredOf<LaterOf<typeof cameraConnection>>;
type KeptAnalyzeSettings = StoredOf<LaterOf<typeof cameraAnalysis>>;
/** Failover servers for this one; null if none. */
export type KeptServerBindings = StoredOf<LaterOf<typeof cameraServers>>;
/** An external port, mapped to a port of the camera by a router. */
export type ExternalPort = StoredOf<typeof externalPort>;
export type KeptMotionDetector = NonNullable<KeptAnalyzeSettings["motionDetector"]>;
/** Kinds of what the camera tells; null: the default. */
export type KeptCameraEvents = NonNullable<KeptAnalyzeSettings["cameraEvents"]>;

/** The defaults of these settings. */
export const DEFAULT_STORED_SETTINGS: Required<StoredSettings> = {
  connection: defaultsOf(laterOf(cameraConnection)),
  archive: defaultsOf(laterOf(cameraArchive)),
  analyze: defaultsOf(laterOf(cameraAnalysis)),
  servers: defaultsOf(laterOf(cameraServers)),
};
