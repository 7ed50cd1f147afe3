import {
  cameraAnalysis,
  cameraArchive,
  cameraConnection,
  cameraObjects,
  cameraServers,
  defaultsOf,
  type externalPort,
  type LaterOf,
  laterOf,
  type StoredOf,
} from "../../contract/index.js";

/**
 * Settings of a camera beside those of its connection and recording, each with a default; kept as `kept`. Configurations of the
 * first versions have none.
 */
export interface CameraOptions {
  readonly connection: ConnectionOptions;
  readonly archive: StoredOf<LaterOf<typeof cameraArchive>>;
  readonly analyze: AnalysisOptions;
  /** Absent in configurations of the first versions. */
  readonly servers?: ServerBindings;
}

export type ConnectionOptions = StoredOf<LaterOf<typeof cameraConnection>>;
type AnalysisOptions = StoredOf<LaterOf<typeof cameraAnalysis>>;
/** Failover servers for this one; null if none. */
export type ServerBindings = StoredOf<LaterOf<typeof cameraServers>>;
/** An external port, mapped to a port of the camera by a router. */
export type ExternalPort = StoredOf<typeof externalPort>;
export type DetectorOptions = NonNullable<AnalysisOptions["motionDetector"]>;
/** Kinds of what the camera reports; null: the default. */
export type CameraEventChoice = NonNullable<AnalysisOptions["cameraEvents"]>;

/** What the recorder itself looks for. */
export type ObjectChoice = NonNullable<AnalysisOptions["objects"]>;

/** What it looks for where nobody chose. */
export const DEFAULT_OBJECTS: ObjectChoice = defaultsOf(cameraObjects);

/** The options of a camera that was stored without. */
export const DEFAULT_CAMERA_OPTIONS: Required<CameraOptions> = {
  connection: defaultsOf(laterOf(cameraConnection)),
  archive: defaultsOf(laterOf(cameraArchive)),
  analyze: defaultsOf(laterOf(cameraAnalysis)),
  servers: defaultsOf(laterOf(cameraServers)),
};

/** Those of a new camera where nobody chose others: its motion is detected, by itself where it reports motion. */
export const NEW_CAMERA_OPTIONS: Required<CameraOptions> = {
  ...DEFAULT_CAMERA_OPTIONS,
  analyze: { ...DEFAULT_CAMERA_OPTIONS.analyze, motionDetectorEnabled: true },
};
