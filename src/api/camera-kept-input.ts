import { EMPTY_GUID } from "../base/index.js";
import {
  DEFAULT_KEPT_SETTINGS,
  type ExternalPort,
  type KeptMotionDetector,
  type KeptSettings,
  SITE_LIMITS,
} from "../site/index.js";
import type { BodyReader } from "./body-reader.js";

const DEFAULTS = DEFAULT_KEPT_SETTINGS;
const FACE_DETECTOR_MODES = ["Basic", "OptimizedQuality"] as const;
const PORT_MAX = 65_535;

/** The sections of one camera object that hold settings which are only kept. */
export interface KeptSections {
  readonly connection: BodyReader;
  readonly archive: BodyReader;
  readonly analyze: BodyReader;
  readonly servers: BodyReader;
}

/**
 * Reads what is kept and given back but not acted on yet (rest-api.md, Camera object). What is left out or null has
 * its default. Faults only what is malformed, or what cannot be true of this server and its camera models.
 */
export function readKeptSettings(sections: KeptSections): KeptSettings {
  refuseImpossible(sections);
  return {
    connection: readConnection(sections.connection),
    archive: readArchive(sections.archive),
    analyze: readAnalyze(sections.analyze),
  };
}

/** There is one server, and no model is a channel of a video server. */
function refuseImpossible({ connection, servers }: KeptSections): void {
  for (const name of ["ReservedServerId", "ReplicationServerId"]) {
    const id = servers.text(name, 64) ?? "";
    if (id !== "" && id !== EMPTY_GUID) servers.fault(name, "names no other server of this configuration");
  }
  if (connection.boolean("MultiChannelServerEnabled") === true) {
    connection.fault("MultiChannelServerEnabled", "the model is no video server: leave it false");
  }
}

function readConnection(reader: BodyReader): KeptSettings["connection"] {
  const fallback = DEFAULTS.connection;
  return {
    ipv6Enabled: flag(reader, "Ipv6Enabled"),
    ioProcessingEnabled: flag(reader, "IoProcessingEnabled"),
    soundTransmittingEnabled: flag(reader, "SoundTransmittingEnabled"),
    directNetworkConnectionEnabled: flag(reader, "DirectNetworkConnectionToCameraEnabled"),
    gpuClientDecodingEnabled: flag(reader, "GpuClientVideoDecodingEnabled"),
    alternativeDecoderEnabled: flag(reader, "AlternativeVideoDecoderEnabled"),
    secureConnectionOnly: flag(reader, "IsSecureConnectionEnabled"),
    soundVolume: reader.integer("SoundVolume", 0, SITE_LIMITS.soundVolumeMax) ?? fallback.soundVolume,
    multiChannelServerChannelNumber:
      reader.integer("MultiChannelServerChannelNum", 0, SITE_LIMITS.multiChannelServerChannelsMax) ??
      fallback.multiChannelServerChannelNumber,
    externalPorts: readPorts(reader),
  };
}

function readPorts(reader: BodyReader): readonly ExternalPort[] {
  const items = reader.children("ExternalNetworkPorts", SITE_LIMITS.externalPortsMax);
  return items.flatMap((item) => {
    const integratedPort = item.integer("DefaultPortValue", 1, PORT_MAX);
    const externalPort = item.integer("PortValue", 1, PORT_MAX);
    for (const name of ["DefaultPortValue", "PortValue"]) {
      if (item.value(name) === undefined) item.fault(name, "is required: send both ports");
    }
    return integratedPort === undefined || externalPort === undefined
      ? []
      : [{ integratedPort, externalPort }];
  });
}

function readArchive(reader: BodyReader): KeptSettings["archive"] {
  const { motionSecondsMin, motionSecondsMax, frameRateMax } = SITE_LIMITS;
  const seconds = (name: string) => reader.integer(name, motionSecondsMin, motionSecondsMax);
  return {
    preMotionSeconds: seconds("PreMotionDetectionRecSecs") ?? DEFAULTS.archive.preMotionSeconds,
    postMotionSeconds: seconds("PostMotionDetectionRecSecs") ?? DEFAULTS.archive.postMotionSeconds,
    frameRateLimitEnabled: flag(reader, "LimitRecordFpsAndOnlyIndepFramesEnabled"),
    frameRateLimit: reader.number("LimitedRecordFps", 0, frameRateMax) ?? DEFAULTS.archive.frameRateLimit,
    deviceArchiveEnabled: flag(reader, "DeviceArchiveEnabled"),
    deviceArchiveSynchronizationEnabled: flag(reader, "DeviceArchiveAutoSynchronizationEnabled"),
  };
}

function readAnalyze(reader: BodyReader): KeptSettings["analyze"] {
  return {
    motionDetectorEnabled: flag(reader, "MotionDetectorEnabled"),
    motionDetector: readMotionDetector(reader),
    faceDetectorEnabled: flag(reader, "FaceDetectorEnabled"),
    faceDetectorMode:
      reader.oneOf("FaceDetectorMode", FACE_DETECTOR_MODES) ?? DEFAULTS.analyze.faceDetectorMode,
    interactiveSearchEnabled: flag(reader, "InteractiveSearchEnabled"),
    interactiveSearchJson: reader.json("InteractiveSearchSettings", SITE_LIMITS.keptJsonLengthMax) ?? null,
  };
}

function readMotionDetector(analyze: BodyReader): KeptMotionDetector | null {
  const reader = analyze.child("MotionDetectorSettings");
  if (analyze.value("MotionDetectorSettings") === undefined) return null;
  return {
    cameraDetectorEnabled: flag(reader, "BuildInCameraDetectorEnabled"),
    startAndEndEventsEnabled: flag(reader, "GenerationOfEventMotionStartAndEndEnabled"),
    independentFramesOnly: flag(reader, "DetectOnlyIndependentFrames"),
    customFrameRateEnabled: flag(reader, "CustomFpsEnabled"),
    customFrameRate: reader.number("CustomFpsValue", 0, SITE_LIMITS.frameRateMax) ?? 0,
    zonesJson: reader.json("Zones", SITE_LIMITS.keptJsonLengthMax) ?? null,
  };
}

/** False when it is left out, as all of these are by default. */
function flag(reader: BodyReader, name: string): boolean {
  return reader.boolean(name) ?? false;
}
