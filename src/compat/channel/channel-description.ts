import { hasRight, type Principal } from "../../access/index.js";
import { type Guid, STREAM_TYPES, type StreamType } from "../../base/index.js";
import { deviceModel } from "../../camera/index.js";
import { attribute, type Description, element, list, type Member, object } from "../../route/index.js";
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

/** A channel in the members of the reference, by their names in JSON. */
export interface ChannelFacts {
  readonly Id: Guid;
  readonly Name: string;
  readonly Description: string;
  readonly DeviceInfo: string;
  readonly AttachedToServer: string;
  readonly IsDisabled: boolean;
  readonly IsSoundOn: boolean;
  readonly IsArchivingEnabled: boolean;
  readonly IsSoundArchivingEnabled: boolean;
  readonly AllowedRealtime: boolean;
  readonly AllowedArchive: boolean;
  readonly IsPtzOn: boolean;
  readonly IsTransmitSoundOn: boolean;
  readonly ArchiveMode: string;
  readonly ArchiveStreamType: string;
  readonly ArchiveVideoFormat: string;
  readonly ArchiveRotationMode: string;
  readonly IsFaceRecOn: boolean;
  readonly IsPeopleCountingOn: boolean;
  readonly IsObjectCountingOn: boolean;
  /** In hours; may be fractional. */
  readonly TimeZoneOffset: number;
  readonly Streams: readonly {
    readonly StreamType: string;
    readonly StreamFormat: string;
    readonly RotationMode: string;
  }[];
  readonly UserScenarios: readonly {
    readonly Id: Guid;
    readonly Name: string;
    readonly NeedConfirmation: boolean;
  }[];
  readonly GeoPosition: {
    readonly Latitude: number;
    readonly Longitude: number;
    readonly Azimuth: number;
  } | null;
}

export function describeChannel(camera: Camera, view: ChannelView): Description {
  return describeChannelFacts(channelFacts(camera, view));
}

/** The order of the attributes is part of the contract, because one program reads them by index. */
export function describeChannelFacts(facts: ChannelFacts): Description {
  const { IsFaceRecOn, Streams, UserScenarios, GeoPosition } = facts;
  return object(
    ...attributesOf(facts, BEFORE_FACES),
    attribute("IsFaceAnalystEnabled", IsFaceRecOn, { json: "IsFaceRecOn" }),
    ...attributesOf(facts, BEHIND_FACES),
    element("Streams", list("StreamInfo", Streams.map(describeStream))),
    element("UserScenarios", list("UserScenario", UserScenarios.map(describeScenario))),
    element("GeoPosition", describePosition(GeoPosition)),
  );
}

const BEFORE_FACES = [
  ...(["Id", "Name", "Description", "DeviceInfo", "AttachedToServer", "IsDisabled", "IsSoundOn"] as const),
  ...(["IsArchivingEnabled", "IsSoundArchivingEnabled", "AllowedRealtime", "AllowedArchive"] as const),
  ...(["IsPtzOn", "IsTransmitSoundOn", "ArchiveMode", "ArchiveStreamType"] as const),
  ...(["ArchiveVideoFormat", "ArchiveRotationMode"] as const),
] as const;
const BEHIND_FACES = ["IsPeopleCountingOn", "IsObjectCountingOn", "TimeZoneOffset"] as const;

function attributesOf<Name extends (typeof BEFORE_FACES | typeof BEHIND_FACES)[number]>(
  facts: ChannelFacts,
  names: readonly Name[],
): Member[] {
  return names.map((name) => attribute(name, facts[name]));
}

function describeStream({ StreamType, StreamFormat, RotationMode }: ChannelFacts["Streams"][number]) {
  return object(
    attribute("StreamType", StreamType),
    attribute("StreamFormat", StreamFormat),
    attribute("RotationMode", RotationMode),
  );
}

function describeScenario({ Id, Name, NeedConfirmation }: ChannelFacts["UserScenarios"][number]) {
  return object(
    attribute("Id", Id),
    attribute("Name", Name),
    attribute("NeedConfirmation", NeedConfirmation),
  );
}

function describePosition(position: ChannelFacts["GeoPosition"]): Description | null {
  if (position === null) return null;
  const { Latitude, Longitude, Azimuth } = position;
  return object(
    attribute("Latitude", Latitude),
    attribute("Longitude", Longitude),
    attribute("Azimuth", Azimuth),
  );
}

function channelFacts(camera: Camera, view: ChannelView): ChannelFacts {
  const { principal, site } = view;
  const model = deviceModel(camera.connection.modelId);
  const recordedType = archiveStreamType(camera);
  const recorded = camera.connection.streams[recordedType];
  const { connection } = camera.kept ?? DEFAULT_CAMERA_OPTIONS;
  const format = (type: StreamType): VideoFormatName =>
    view.formats?.formatOf(camera, type) ?? camera.connection.streams[type].format;
  return {
    Id: camera.id,
    Name: camera.name,
    Description: camera.description,
    DeviceInfo: model === undefined ? "" : `${model.manufacturer} ${model.name}`,
    AttachedToServer: camera.ownerServerId,
    IsDisabled: camera.disabled,
    IsSoundOn: camera.connection.soundReceivingEnabled,
    IsArchivingEnabled: !camera.archive.archivingDisabled,
    IsSoundArchivingEnabled: !camera.archive.archivingSoundDisabled,
    AllowedRealtime: principal.mayWatchRealtime(camera.id),
    AllowedArchive: principal.mayWatchArchive(camera.id),
    IsPtzOn: camera.connection.ptzEnabled && model?.ptzSupported === true,
    IsTransmitSoundOn:
      connection.soundTransmittingEnabled &&
      model?.soundTransmittingSupported === true &&
      view.formats?.refusesSound(camera) !== true,
    ArchiveMode: camera.archive.archivingMode,
    ArchiveStreamType: recordedType,
    ArchiveVideoFormat: format(recordedType),
    ArchiveRotationMode: recorded.rotationMode,
    IsFaceRecOn: isFaceAnalysed(camera, site),
    // Nothing is counted.
    IsPeopleCountingOn: false,
    IsObjectCountingOn: false,
    TimeZoneOffset: view.timeZoneOffsetHours,
    Streams: streamFacts(camera, format),
    UserScenarios: scenarioFacts(camera, site, principal),
    GeoPosition: isOnMap(camera)
      ? { Latitude: camera.latitude ?? 0, Longitude: camera.longitude ?? 0, Azimuth: camera.azimuth ?? 0 }
      : null,
  };
}

function streamFacts(camera: Camera, format: (type: StreamType) => VideoFormatName): ChannelFacts["Streams"] {
  const { streams } = camera.connection;
  return STREAM_TYPES.filter((type) => streams[type].enabled).map((type) => ({
    StreamType: type,
    StreamFormat: format(type),
    RotationMode: streams[type].rotationMode,
  }));
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

/** None for users who may not run scenarios. */
function scenarioFacts(camera: Camera, site: Site, principal: Principal): ChannelFacts["UserScenarios"] {
  if (!hasRight(principal, "CanRunUserScenarios")) return [];
  return site.userScenarios
    .filter(({ channelIds }) => channelIds.includes(camera.id))
    .map(({ id, name, needConfirmation }) => ({ Id: id, Name: name, NeedConfirmation: needConfirmation }));
}
