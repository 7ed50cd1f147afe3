import { EMPTY_GUID, type Guid, parseGuid, SEEN_KINDS, type SeenKind } from "../../base/index.js";
import { type DeviceModel, deviceModel } from "../../camera/index.js";
import { readMotionZones } from "../../recording/index.js";
import type { BodyReader } from "../../route/index.js";
import {
  type ExternalPort,
  type KeptCameraEvents,
  type KeptMotionDetector,
  type KeptServerBindings,
  SITE_LIMITS,
  type StoredSettings,
} from "../../site/index.js";
import { warnOfSwitches } from "./model-switches.js";

export const FACE_DETECTOR_MODES = ["Basic", "OptimizedQuality"] as const;
const PORT_MAX = 65_535;
const GUID_LENGTH_MAX = 64;

/** The sections of a camera object with stored settings. */
export interface StoredSections {
  readonly connection: BodyReader;
  readonly archive: BodyReader;
  readonly analyze: BodyReader;
  readonly servers: BodyReader;
  /** The present settings, or the defaults; absent or null members keep these values. */
  readonly before: Required<StoredSettings>;
  /** The camera's model and server. */
  readonly modelId: Guid;
  readonly serverId: Guid;
}

/**
 * Reads the stored settings. Reports only malformed values, and values that are impossible for this server and its camera
 * models.
 */
export function readStoredSettings(sections: StoredSections): Required<StoredSettings> {
  const { before } = sections;
  const model = deviceModel(sections.modelId);
  return {
    connection: readConnection(sections.connection, before.connection, model),
    archive: readArchive(sections.archive, before.archive),
    analyze: readAnalyze(sections.analyze, before.analyze),
    servers: readServers(sections.servers, before.servers, sections.serverId),
  };
}

function readServers(reader: BodyReader, before: KeptServerBindings, serverId: Guid): KeptServerBindings {
  const server = (name: string, known: Guid | null): Guid | null => {
    const text = reader.text(name, GUID_LENGTH_MAX);
    if (reader.isNull(name) || text === "" || text === EMPTY_GUID) return null;
    if (text === undefined) return known;
    const id = parseGuid(text);
    if (id === serverId) reader.fault(name, "is this server: send another one, or null");
    return id ?? reader.fault(name, "must be a server's id, or null") ?? known;
  };
  return {
    reservedServerId: server("ReservedServerId", before.reservedServerId),
    replicationServerId: server("ReplicationServerId", before.replicationServerId),
  };
}

function readConnection(
  reader: BodyReader,
  before: StoredSettings["connection"],
  model: DeviceModel | undefined,
): StoredSettings["connection"] {
  warnOfSwitches(reader, model);
  const flag = (name: string, known: boolean) => reader.boolean(name) ?? known;
  return {
    ipv6Enabled: flag("Ipv6Enabled", before.ipv6Enabled),
    ioProcessingEnabled: flag("IoProcessingEnabled", before.ioProcessingEnabled),
    soundTransmittingEnabled: flag("SoundTransmittingEnabled", before.soundTransmittingEnabled),
    directNetworkConnectionEnabled: flag(
      "DirectNetworkConnectionToCameraEnabled",
      before.directNetworkConnectionEnabled,
    ),
    gpuClientDecodingEnabled: flag("GpuClientVideoDecodingEnabled", before.gpuClientDecodingEnabled),
    alternativeDecoderEnabled: flag("AlternativeVideoDecoderEnabled", before.alternativeDecoderEnabled),
    secureConnectionOnly: flag("IsSecureConnectionEnabled", before.secureConnectionOnly),
    // Written only when it is on, so that versions that do not know it read the rest.
    ...(flag("RedirectToOtherHostsEnabled", before.redirectsAnywhere ?? false)
      ? { redirectsAnywhere: true }
      : {}),
    multiChannelServerEnabled: flag("MultiChannelServerEnabled", before.multiChannelServerEnabled ?? false),
    soundVolume: reader.integer("SoundVolume", 0, SITE_LIMITS.soundVolumeMax) ?? before.soundVolume,
    multiChannelServerChannelNumber:
      reader.integer("MultiChannelServerChannelNum", 0, SITE_LIMITS.multiChannelServerChannelsMax) ??
      before.multiChannelServerChannelNumber,
    externalPorts: readPorts(reader, model) ?? before.externalPorts,
  };
}

/** A list replaces the present one. */
function readPorts(reader: BodyReader, model: DeviceModel | undefined): readonly ExternalPort[] | undefined {
  if (reader.value("ExternalNetworkPorts") === undefined) return undefined;
  const ports = new Map<number, ExternalPort>();
  for (const item of reader.children("ExternalNetworkPorts", SITE_LIMITS.externalPortsMax)) {
    const integratedPort = item.integer("DefaultPortValue", 1, PORT_MAX);
    const externalPort = item.integer("PortValue", 1, PORT_MAX);
    for (const name of ["DefaultPortValue", "PortValue"]) {
      if (item.value(name) === undefined) item.fault(name, "is required: send both ports");
    }
    if (integratedPort === undefined || externalPort === undefined) continue;
    const modelPorts = model?.defaultPorts ?? [];
    if (modelPorts.length > 0 && !modelPorts.includes(integratedPort)) {
      item.fault("DefaultPortValue", `is the model's and must not be changed: ${modelPorts.join(", ")}`);
    }
    if (ports.has(integratedPort)) item.fault("DefaultPortValue", "occurs twice in the list");
    ports.set(integratedPort, { integratedPort, externalPort });
  }
  return [...ports.values()];
}

function readArchive(reader: BodyReader, before: StoredSettings["archive"]): StoredSettings["archive"] {
  const { motionSecondsMin, motionSecondsMax, frameRateMax } = SITE_LIMITS;
  const seconds = (name: string) => reader.integer(name, motionSecondsMin, motionSecondsMax);
  return {
    preMotionSeconds: seconds("PreMotionDetectionRecSecs") ?? before.preMotionSeconds,
    postMotionSeconds: seconds("PostMotionDetectionRecSecs") ?? before.postMotionSeconds,
    frameRateLimitEnabled:
      reader.boolean("LimitRecordFpsAndOnlyIndepFramesEnabled") ?? before.frameRateLimitEnabled,
    frameRateLimit: reader.number("LimitedRecordFps", 0, frameRateMax) ?? before.frameRateLimit,
    deviceArchiveEnabled: reader.boolean("DeviceArchiveEnabled") ?? before.deviceArchiveEnabled,
    deviceArchiveSynchronizationEnabled:
      reader.boolean("DeviceArchiveAutoSynchronizationEnabled") ?? before.deviceArchiveSynchronizationEnabled,
  };
}

function readAnalyze(reader: BodyReader, before: StoredSettings["analyze"]): StoredSettings["analyze"] {
  return {
    motionDetectorEnabled: reader.boolean("MotionDetectorEnabled") ?? before.motionDetectorEnabled,
    motionDetector: readMotionDetector(reader, before.motionDetector),
    faceDetectorEnabled: reader.boolean("FaceDetectorEnabled") ?? before.faceDetectorEnabled,
    faceDetectorMode: reader.oneOf("FaceDetectorMode", FACE_DETECTOR_MODES) ?? before.faceDetectorMode,
    interactiveSearchEnabled: reader.boolean("InteractiveSearchEnabled") ?? before.interactiveSearchEnabled,
    interactiveSearchJson:
      reader.json("InteractiveSearchSettings", SITE_LIMITS.keptJsonLengthMax) ?? before.interactiveSearchJson,
    ...readCameraEvents(reader, before.cameraEvents),
  };
}

/** Null gives the defaults back, as a whole and for each of the two lists; a list replaces the present one. */
function readCameraEvents(
  analyze: BodyReader,
  before: KeptCameraEvents | undefined,
): Pick<StoredSettings["analyze"], "cameraEvents"> {
  if (analyze.isNull("CameraEventSettings")) return {};
  if (analyze.value("CameraEventSettings") === undefined)
    return before === undefined ? {} : { cameraEvents: before };
  const reader = analyze.child("CameraEventSettings");
  const list = (name: string, known: readonly SeenKind[] | null | undefined) =>
    reader.isNull(name) ? null : (reader.listOf(name, SEEN_KINDS) ?? known ?? null);
  return {
    cameraEvents: {
      marked: list("Marked", before?.marked),
      recorded: list("Recorded", before?.recorded),
    },
  };
}

function readMotionDetector(
  analyze: BodyReader,
  before: KeptMotionDetector | null,
): KeptMotionDetector | null {
  const reader = analyze.child("MotionDetectorSettings");
  if (analyze.value("MotionDetectorSettings") === undefined) return before;
  const flag = (name: string, known: boolean | undefined) => reader.boolean(name) ?? known ?? false;
  return {
    cameraDetectorEnabled: flag("BuildInCameraDetectorEnabled", before?.cameraDetectorEnabled),
    startAndEndEventsEnabled: flag(
      "GenerationOfEventMotionStartAndEndEnabled",
      before?.startAndEndEventsEnabled,
    ),
    independentFramesOnly: flag("DetectOnlyIndependentFrames", before?.independentFramesOnly),
    customFrameRateEnabled: flag("CustomFpsEnabled", before?.customFrameRateEnabled),
    customFrameRate:
      reader.number("CustomFpsValue", 0, SITE_LIMITS.frameRateMax) ?? before?.customFrameRate ?? 0,
    zonesJson: readZones(reader, before?.zonesJson ?? null),
  };
}

/** Null takes the zones away. What is kept already passes: a program that sends whole camera objects sends the zones of older versions, too. */
function readZones(reader: BodyReader, before: string | null): string | null {
  if (reader.isNull("Zones")) return null;
  const json = reader.json("Zones", SITE_LIMITS.keptJsonLengthMax);
  if (json === undefined || json === before) return before;
  for (const { at, accepted } of readMotionZones(reader.value("Zones")).faults)
    reader.fault(`Zones${at}`, accepted);
  return json;
}
