import { STREAM_TYPES } from "../base/index.js";
import type { Camera, SecurityObject, Site, StreamSettings } from "../site/index.js";
import { archiveStreamKey } from "./channel-selection.js";

/** The camera object of the configuration API (rest-api.md, Camera object); the password is never given: null. */
export function cameraObject(camera: Camera, site: Site): Record<string, unknown> {
  const onMap = camera.latitude !== null && camera.longitude !== null;
  return {
    Id: camera.id,
    Name: camera.name,
    Disabled: camera.disabled,
    ServerBindingsSettings: {
      OwnerServerId: camera.ownerServerId,
      ReservedServerId: null,
      ReplicationServerId: null,
    },
    ParentSecObjectId: parentOf(site.rootSecurityObject, camera.id)?.id ?? site.rootSecurityObject.id,
    Description: camera.description,
    ConnectionSettings: connectionObject(camera),
    ArchiveSettings: archiveObject(camera),
    AnalyzeSettings: analyzeObject(camera),
    MapSettings: { Latitude: camera.latitude, Longitude: camera.longitude, IsOnMap: onMap },
  };
}

/** The security object that directly holds a channel. */
function parentOf(node: SecurityObject, channelId: string): SecurityObject | undefined {
  if (node.channelIds.includes(channelId)) return node;
  for (const child of node.children) {
    const found = parentOf(child, channelId);
    if (found !== undefined) return found;
  }
  return undefined;
}

function connectionObject(camera: Camera): Record<string, unknown> {
  const { connection } = camera;
  const { Main: main, Alternative: alternative } = connection.streams;
  return {
    ModelId: connection.modelId,
    Hostname: connection.hostname,
    Login: connection.login,
    Password: null,
    MainVideoStreamFormat: main.format,
    AltVideoStreamEnabled: alternative.enabled,
    AltVideoStreamFormat: alternative.format,
    SoundReceivingEnabled: connection.soundReceivingEnabled,
    PtzEnabled: connection.ptzEnabled,
    Ipv6Enabled: false,
    MultiChannelServerEnabled: false,
    MultiChannelServerChannelNum: 1,
    IoProcessingEnabled: false,
    SoundTransmittingEnabled: false,
    ExternalNetworkPorts: [],
    SoundVolume: 100,
    MainVideoAdditionalParams: main.additionalParams,
    AltVideoAdditionalParams: alternative.additionalParams,
    MainStreamRotationMode: main.rotationMode,
    AltStreamRotationMode: alternative.rotationMode,
    DirectNetworkConnectionToCameraEnabled: false,
    GpuClientVideoDecodingEnabled: false,
    AlternativeVideoDecoderEnabled: false,
    IsSecureConnectionEnabled: false,
    StreamSettings: Object.fromEntries(
      STREAM_TYPES.map((type) => [`${type}StreamSettings`, streamObject(connection.streams[type])]),
    ),
  };
}

function streamObject(stream: StreamSettings): Record<string, unknown> {
  return {
    VideoStreamEnabled: stream.enabled,
    VideoFormat: stream.format,
    VideoAdditionalParams: stream.additionalParams,
    RotationMode: stream.rotationMode,
    Roles: stream.roles,
  };
}

function archiveObject(camera: Camera): Record<string, unknown> {
  const { archive } = camera;
  return {
    ArchivingDisabled: archive.archivingDisabled,
    ArchivingMode: archive.archivingMode,
    ArchivingVideoStreamType: archiveStreamKey(camera).streamType,
    ArchivingMinDeepnessInDays: archive.minDays,
    ArchivingMaxDeepnessInDays: archive.maxDays,
    ArchivingSoundDisabled: archive.archivingSoundDisabled,
    PreMotionDetectionRecSecs: 1,
    PostMotionDetectionRecSecs: 1,
    LimitRecordFpsAndOnlyIndepFramesEnabled: false,
    LimitedRecordFps: 0,
    DeviceArchiveEnabled: false,
    DeviceArchiveAutoSynchronizationEnabled: false,
  };
}

function analyzeObject(camera: Camera): Record<string, unknown> {
  const analyzed = camera.connection.streams.Alternative.roles.includes("VideoAnalysis");
  return {
    MotionDetectorEnabled: false,
    MotionDetectorSettings: null,
    AnalyzeStreamType: analyzed ? "Alternative" : "Main",
    FaceDetectorEnabled: false,
    FaceDetectorMode: "Basic",
    InteractiveSearchEnabled: false,
    InteractiveSearchSettings: null,
  };
}
