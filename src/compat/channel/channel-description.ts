import { hasRight, type Principal } from "../../access/index.js";
import { STREAM_TYPES, type StreamType } from "../../base/index.js";
import { deviceModel } from "../../camera/index.js";
import { attribute, type Description, element, list, object } from "../../route/index.js";
import {
  archiveStreamType,
  type Camera,
  cameraOptions,
  DEFAULT_CAMERA_OPTIONS,
  isOnMap,
  type Site,
  type VideoFormatName,
} from "../../site/index.js";
import type { KnownFormats } from "./known-formats.js";

/** The data for a channel's description, besides the camera. */
export interface ChannelView {
  readonly site: Site;
  readonly principal: Principal;
  /** Offset of the server's time zone from UTC; may be fractional. */
  readonly timeZoneOffsetHours: number;
  /** What streams are found to be; absent: they are what is configured. */
  readonly formats?: KnownFormats;
}

/** The order of the attributes is part of the contract, because one program reads them by index. */
export function describeChannel(camera: Camera, view: ChannelView): Description {
  const { principal, site } = view;
  const model = deviceModel(camera.connection.modelId);
  const recordedType = archiveStreamType(camera);
  const recorded = camera.connection.streams[recordedType];
  const { connection } = camera.kept ?? DEFAULT_CAMERA_OPTIONS;
  const format = (type: StreamType): VideoFormatName =>
    view.formats?.formatOf(camera, type) ?? camera.connection.streams[type].format;
  return object(
    attribute("Id", camera.id),
    attribute("Name", camera.name),
    attribute("Description", camera.description),
    attribute("DeviceInfo", model === undefined ? "" : `${model.manufacturer} ${model.name}`),
    attribute("AttachedToServer", camera.ownerServerId),
    attribute("IsDisabled", camera.disabled),
    attribute("IsSoundOn", camera.connection.soundReceivingEnabled),
    attribute("IsArchivingEnabled", !camera.archive.archivingDisabled),
    attribute("IsSoundArchivingEnabled", !camera.archive.archivingSoundDisabled),
    attribute("AllowedRealtime", principal.mayWatchRealtime(camera.id)),
    attribute("AllowedArchive", principal.mayWatchArchive(camera.id)),
    attribute("IsPtzOn", camera.connection.ptzEnabled && model?.ptzSupported === true),
    attribute(
      "IsTransmitSoundOn",
      connection.soundTransmittingEnabled &&
        model?.soundTransmittingSupported === true &&
        view.formats?.refusesSound(camera) !== true,
    ),
    attribute("ArchiveMode", camera.archive.archivingMode),
    attribute("ArchiveStreamType", recordedType),
    attribute("ArchiveVideoFormat", format(recordedType)),
    attribute("ArchiveRotationMode", recorded.rotationMode),
    attribute("IsFaceAnalystEnabled", isFaceAnalysed(camera, site), { json: "IsFaceRecOn" }),
    // Nothing is counted.
    attribute("IsPeopleCountingOn", false),
    attribute("IsObjectCountingOn", false),
    attribute("TimeZoneOffset", view.timeZoneOffsetHours),
    element("Streams", list("StreamInfo", describeStreams(camera, format))),
    element("UserScenarios", list("UserScenario", describeScenarios(camera, site, principal))),
    element("GeoPosition", describePosition(camera)),
  );
}

function describeStreams(camera: Camera, format: (type: StreamType) => VideoFormatName): Description[] {
  const { streams } = camera.connection;
  return STREAM_TYPES.filter((type) => streams[type].enabled).map((type) =>
    object(
      attribute("StreamType", type),
      attribute("StreamFormat", format(type)),
      attribute("RotationMode", streams[type].rotationMode),
    ),
  );
}

/** Whether an analyser looks for faces in the camera's pictures. */
function isFaceAnalysed(camera: Camera, { analysers }: Site): boolean {
  if (camera.disabled || !cameraOptions(camera).analyze.faceDetectorEnabled) return false;
  return analysers.some(
    ({ isEnabled, source }) =>
      isEnabled &&
      source.kind === "vision" &&
      source.faces &&
      (source.channelIds === "all" || source.channelIds.includes(camera.id)),
  );
}

/** Empty for users who may not run scenarios. */
function describeScenarios(camera: Camera, site: Site, principal: Principal): Description[] {
  if (!hasRight(principal, "CanRunUserScenarios")) return [];
  return site.userScenarios
    .filter(({ channelIds }) => channelIds.includes(camera.id))
    .map(({ id, name, needConfirmation }) =>
      object(attribute("Id", id), attribute("Name", name), attribute("NeedConfirmation", needConfirmation)),
    );
}

function describePosition(camera: Camera): Description | null {
  if (!isOnMap(camera)) return null;
  return object(
    attribute("Latitude", camera.latitude),
    attribute("Longitude", camera.longitude),
    attribute("Azimuth", camera.azimuth ?? 0),
  );
}
