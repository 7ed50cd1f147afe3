import type { Guid, SeenKind } from "../../base/index.js";

/**
 * Settings of a camera that are returned exactly as sent, so that programs that send complete camera objects get back what they
 * sent. docs/ref/api.md says which of them the service uses.
 */
export interface StoredSettings {
  readonly connection: KeptConnectionSettings;
  readonly archive: KeptArchiveSettings;
  readonly analyze: KeptAnalyzeSettings;
  /** Absent in configurations of the first versions. */
  readonly servers?: KeptServerBindings;
}

/** Failover servers for this one; null if none. */
export interface KeptServerBindings {
  readonly reservedServerId: Guid | null;
  readonly replicationServerId: Guid | null;
}

export interface KeptConnectionSettings {
  readonly ipv6Enabled: boolean;
  readonly ioProcessingEnabled: boolean;
  readonly soundTransmittingEnabled: boolean;
  readonly directNetworkConnectionEnabled: boolean;
  readonly gpuClientDecodingEnabled: boolean;
  readonly alternativeDecoderEnabled: boolean;
  readonly secureConnectionOnly: boolean;
  /** Whether the camera may redirect to another host; absent: it may not. */
  readonly redirectsAnywhere?: boolean;
  /** 0 to 100. */
  readonly soundVolume: number;
  /** Whether the camera is one channel of a device with several; absent: it is not. */
  readonly multiChannelServerEnabled?: boolean;
  /** The channel number, from 1; used only if enabled. */
  readonly multiChannelServerChannelNumber: number;
  readonly externalPorts: readonly ExternalPort[];
}

/** An external port, mapped to a port of the camera by a router. */
export interface ExternalPort {
  readonly integratedPort: number;
  readonly externalPort: number;
}

export interface KeptArchiveSettings {
  /** 1 to 6. */
  readonly preMotionSeconds: number;
  /** 1 to 6. */
  readonly postMotionSeconds: number;
  readonly frameRateLimitEnabled: boolean;
  readonly frameRateLimit: number;
  readonly deviceArchiveEnabled: boolean;
  readonly deviceArchiveSynchronizationEnabled: boolean;
}

export interface KeptAnalyzeSettings {
  readonly motionDetectorEnabled: boolean;
  readonly motionDetector: KeptMotionDetector | null;
  readonly faceDetectorEnabled: boolean;
  readonly faceDetectorMode: FaceDetectorMode;
  readonly interactiveSearchEnabled: boolean;
  /** Compact JSON; its members are not documented. Null when none. */
  readonly interactiveSearchJson: string | null;
  /** Absent in configurations of earlier versions, and where nothing was chosen. */
  readonly cameraEvents?: KeptCameraEvents;
}

/** Kinds of what the camera tells; null: the default. */
export interface KeptCameraEvents {
  /** Those that become events. */
  readonly marked: readonly SeenKind[] | null;
  /** Those that the channel is recorded on, where it is recorded on motion. */
  readonly recorded: readonly SeenKind[] | null;
}

export type FaceDetectorMode = "Basic" | "OptimizedQuality";

export interface KeptMotionDetector {
  readonly cameraDetectorEnabled: boolean;
  readonly startAndEndEventsEnabled: boolean;
  readonly independentFramesOnly: boolean;
  readonly customFrameRateEnabled: boolean;
  /** Used only if enabled. */
  readonly customFrameRate: number;
  /** Compact JSON of the detector's zones, whose members are not documented. Null when none. */
  readonly zonesJson: string | null;
}

/** The defaults of these settings. */
export const DEFAULT_STORED_SETTINGS: Required<StoredSettings> = {
  connection: {
    ipv6Enabled: false,
    ioProcessingEnabled: false,
    soundTransmittingEnabled: false,
    directNetworkConnectionEnabled: false,
    gpuClientDecodingEnabled: false,
    alternativeDecoderEnabled: false,
    secureConnectionOnly: false,
    soundVolume: 100,
    multiChannelServerEnabled: false,
    multiChannelServerChannelNumber: 1,
    externalPorts: [],
  },
  archive: {
    preMotionSeconds: 1,
    postMotionSeconds: 1,
    frameRateLimitEnabled: false,
    frameRateLimit: 0,
    deviceArchiveEnabled: false,
    deviceArchiveSynchronizationEnabled: false,
  },
  analyze: {
    motionDetectorEnabled: false,
    motionDetector: null,
    faceDetectorEnabled: false,
    faceDetectorMode: "Basic",
    interactiveSearchEnabled: false,
    interactiveSearchJson: null,
  },
  servers: { reservedServerId: null, replicationServerId: null },
};
