import type { Guid } from "../../base/index.js";

/**
 * Settings of a camera that began as kept only: given back as they were given, so that a program that sends whole
 * camera objects finds again what it sent. Which of them the service acts on by now is said in docs/ref/api.md.
 */
export interface StoredSettings {
  readonly connection: KeptConnectionSettings;
  readonly archive: KeptArchiveSettings;
  readonly analyze: KeptAnalyzeSettings;
  /** Absent in configurations of the first versions. */
  readonly servers?: KeptServerBindings;
}

/** Servers that stand in for this one; null when none. */
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
  /** Which channel, from 1; counts only when enabled. */
  readonly multiChannelServerChannelNumber: number;
  readonly externalPorts: readonly ExternalPort[];
}

/** A port of the camera as it is reached from outside its network. */
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
}

export type FaceDetectorMode = "Basic" | "OptimizedQuality";

export interface KeptMotionDetector {
  readonly cameraDetectorEnabled: boolean;
  readonly startAndEndEventsEnabled: boolean;
  readonly independentFramesOnly: boolean;
  readonly customFrameRateEnabled: boolean;
  /** Counts only when enabled. */
  readonly customFrameRate: number;
  /** Compact JSON of the detector's zones, whose members are not documented. Null when none. */
  readonly zonesJson: string | null;
}

/** What a camera has that was given none of it. */
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
