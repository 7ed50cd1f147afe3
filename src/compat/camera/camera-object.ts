import { redactUrl, STREAM_TYPES } from "../../base/index.js";
import {
  archiveStreamType,
  type Camera,
  isOnMap,
  type KeptCameraEvents,
  type KeptMotionDetector,
  type Site,
  type StreamSettings,
  storedSettings,
} from "../../site/index.js";
import { roleHolder } from "./camera-roles-input.js";
import { scheduleObject } from "./camera-schedule-input.js";
import { parentIdOf } from "./camera-tree.js";

/** The camera object of the configuration API; the password is always null. */
export function cameraObject(camera: Camera, site: Site): Record<string, unknown> {
  const { servers } = storedSettings(camera);
  return {
    Id: camera.id,
    Name: camera.name,
    Disabled: camera.disabled,
    ServerBindingsSettings: {
      OwnerServerId: camera.ownerServerId,
      ReservedServerId: servers.reservedServerId,
      ReplicationServerId: servers.replicationServerId,
    },
    ParentSecObjectId: parentIdOf(camera.id, site),
    Description: camera.description,
    ConnectionSettings: connectionObject(camera),
    ArchiveSettings: archiveObject(camera),
    AnalyzeSettings: analyzeObject(camera),
    MapSettings: {
      Latitude: camera.latitude,
      Longitude: camera.longitude,
      Azimuth: camera.azimuth ?? 0,
      IsOnMap: isOnMap(camera),
    },
  };
}

function connectionObject(camera: Camera): Record<string, unknown> {
  const { connection } = camera;
  const kept = storedSettings(camera).connection;
  const { Main: main, Alternative: alternative } = connection.streams;
  return {
    ModelId: connection.modelId,
    // Some cameras want login and password within the path: masked, and taken back as they were by PUT.
    Hostname: redactUrl(connection.hostname),
    Login: connection.login,
    Password: null,
    MainVideoStreamFormat: main.format,
    AltVideoStreamEnabled: alternative.enabled,
    AltVideoStreamFormat: alternative.format,
    SoundReceivingEnabled: connection.soundReceivingEnabled,
    PtzEnabled: connection.ptzEnabled,
    Ipv6Enabled: kept.ipv6Enabled,
    MultiChannelServerEnabled: kept.multiChannelServerEnabled ?? false,
    MultiChannelServerChannelNum: kept.multiChannelServerChannelNumber,
    IoProcessingEnabled: kept.ioProcessingEnabled,
    SoundTransmittingEnabled: kept.soundTransmittingEnabled,
    ExternalNetworkPorts: kept.externalPorts.map(({ integratedPort, externalPort }) => ({
      DefaultPortValue: integratedPort,
      PortValue: externalPort,
    })),
    SoundVolume: kept.soundVolume,
    MainVideoAdditionalParams: redactUrl(main.additionalParams),
    AltVideoAdditionalParams: redactUrl(alternative.additionalParams),
    MainStreamRotationMode: main.rotationMode,
    AltStreamRotationMode: alternative.rotationMode,
    DirectNetworkConnectionToCameraEnabled: kept.directNetworkConnectionEnabled,
    GpuClientVideoDecodingEnabled: kept.gpuClientDecodingEnabled,
    AlternativeVideoDecoderEnabled: kept.alternativeDecoderEnabled,
    IsSecureConnectionEnabled: kept.secureConnectionOnly,
    RedirectToOtherHostsEnabled: kept.redirectsAnywhere ?? false,
    StreamSettings: Object.fromEntries(
      STREAM_TYPES.map((type) => [`${type}StreamSettings`, streamObject(connection.streams[type])]),
    ),
  };
}

function streamObject(stream: StreamSettings): Record<string, unknown> {
  return {
    VideoStreamEnabled: stream.enabled,
    VideoFormat: stream.format,
    VideoAdditionalParams: redactUrl(stream.additionalParams),
    RotationMode: stream.rotationMode,
    Roles: stream.roles,
  };
}

function archiveObject(camera: Camera): Record<string, unknown> {
  const { archive } = camera;
  const kept = storedSettings(camera).archive;
  return {
    ArchivingDisabled: archive.archivingDisabled,
    ArchivingMode: archive.archivingMode,
    ArchivingVideoStreamType: archiveStreamType(camera),
    ArchivingMinDeepnessInDays: archive.minDays,
    ArchivingMaxDeepnessInDays: archive.maxDays,
    ArchivingSoundDisabled: archive.archivingSoundDisabled,
    PreMotionDetectionRecSecs: kept.preMotionSeconds,
    PostMotionDetectionRecSecs: kept.postMotionSeconds,
    LimitRecordFpsAndOnlyIndepFramesEnabled: kept.frameRateLimitEnabled,
    LimitedRecordFps: kept.frameRateLimit,
    Schedule: scheduleObject(archive.schedule),
    DeviceArchiveEnabled: kept.deviceArchiveEnabled,
    DeviceArchiveAutoSynchronizationEnabled: kept.deviceArchiveSynchronizationEnabled,
  };
}

function analyzeObject(camera: Camera): Record<string, unknown> {
  const kept = storedSettings(camera).analyze;
  return {
    MotionDetectorEnabled: kept.motionDetectorEnabled,
    MotionDetectorSettings: motionDetectorObject(kept.motionDetector),
    AnalyzeStreamType: roleHolder("VideoAnalysis", camera.connection.streams) ?? "Main",
    FaceDetectorEnabled: kept.faceDetectorEnabled,
    FaceDetectorMode: kept.faceDetectorMode,
    InteractiveSearchEnabled: kept.interactiveSearchEnabled,
    InteractiveSearchSettings: jsonValue(kept.interactiveSearchJson),
    ...cameraEventsMember(kept.cameraEvents),
  };
}

function motionDetectorObject(detector: KeptMotionDetector | null): Record<string, unknown> | null {
  if (detector === null) return null;
  return {
    BuildInCameraDetectorEnabled: detector.cameraDetectorEnabled,
    GenerationOfEventMotionStartAndEndEnabled: detector.startAndEndEventsEnabled,
    DetectOnlyIndependentFrames: detector.independentFramesOnly,
    CustomFpsEnabled: detector.customFrameRateEnabled,
    CustomFpsValue: detector.customFrameRate,
    Zones: jsonValue(detector.zonesJson),
  };
}

/** Only where something was chosen: the reference has no such member. */
function cameraEventsMember(events: KeptCameraEvents | undefined): Record<string, unknown> {
  if (events === undefined) return {};
  return { CameraEventSettings: { Marked: events.marked, Recorded: events.recorded } };
}

function jsonValue(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
