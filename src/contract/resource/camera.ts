import { OBJECT_LABELS, SEEN_KINDS, STREAM_TYPES } from "../../base/kinds/index.js";
import {
  by,
  choice,
  clearable,
  decimal,
  derived,
  flag,
  group,
  type InputOf,
  id,
  json,
  keptOnly,
  late,
  later,
  line,
  lines,
  list,
  name,
  needed,
  nullable,
  type ObjectOf,
  optional,
  own,
  secret,
  sparse,
  storedAs,
  type ValueOf,
  week,
  whole,
  writeOnly,
} from "../kinds/kinds.js";

/** Cameras: `/configure/channels`. What is said of the members is in `camera-texts.ts`. */

/** Most frames of a second that a limit can name. */
export const FRAME_RATE_MAX = 240;
/** A setting whose members are anybody's own. */
const keptJson = json(4096);
const off = by(flag, false);
const frameRate = by(decimal(0, FRAME_RATE_MAX), 0);
const streamName = choice(...STREAM_TYPES);
const anyFormat = choice("MJPEG", "MPEG4_Part2", "H264", "Hevc");
const videoFormat = by(anyFormat, "H264");
const rotation = by(choice("None", "By90ClockwiseDegree", "By90AntiClockwiseDegree", "By180Degree"), "None");
const streamRole = choice("Archive", "VideoAnalysis", "DesktopClient", "MobileClient");
const additionalParams = by(line(2048), "");

/** A stream of a camera; ThirdAlternative is an addition of nvrd. */
export const cameraStream = {
  VideoStreamEnabled: storedAs("enabled", flag),
  VideoFormat: storedAs("format", videoFormat),
  VideoAdditionalParams: storedAs("additionalParams", additionalParams),
  RotationMode: rotation,
  Roles: list(streamRole, streamRole.of.length, "roles"),
  /** ONVIF: token of the media profile that was chosen for this stream; absent: chosen by resolution. */
  ProfileToken: own(late(line(256))),
} as const;

const port = whole(1, 65_535);

/** A port of a router, mapped to a port of the camera. */
export const externalPort = {
  DefaultPortValue: storedAs("integratedPort", port),
  PortValue: storedAs("externalPort", port),
} as const;

export const cameraConnection = {
  ModelId: needed(id),
  /** An address, or for the model "RTSP/RTP device" a whole rtsp:// or rtsps:// URL. */
  Hostname: by(line(2048), ""),
  Login: by(line(256), ""),
  Password: secret(by(line(256), "")),
  MainVideoStreamFormat: derived(videoFormat),
  AltVideoStreamEnabled: derived(flag),
  AltVideoStreamFormat: derived(anyFormat),
  SoundReceivingEnabled: by(flag, true),
  PtzEnabled: off,
  Ipv6Enabled: later(off),
  MultiChannelServerEnabled: later(late(off)),
  MultiChannelServerChannelNum: later(storedAs("multiChannelServerChannelNumber", by(whole(0, 1024), 1))),
  IoProcessingEnabled: later(off),
  SoundTransmittingEnabled: later(off),
  ExternalNetworkPorts: later(
    storedAs("externalPorts", list(group(externalPort, "DefaultPortValue", "PortValue"), 16, "ports")),
  ),
  SoundVolume: later(by(whole(0, 100), 100)),
  MainVideoAdditionalParams: derived(additionalParams),
  AltVideoAdditionalParams: derived(additionalParams),
  MainStreamRotationMode: derived(rotation),
  AltStreamRotationMode: derived(rotation),
  DirectNetworkConnectionToCameraEnabled: keptOnly(
    later(storedAs("directNetworkConnectionEnabled", off)),
    "for clients",
  ),
  GpuClientVideoDecodingEnabled: keptOnly(later(storedAs("gpuClientDecodingEnabled", off)), "for clients"),
  AlternativeVideoDecoderEnabled: keptOnly(later(storedAs("alternativeDecoderEnabled", off)), "for clients"),
  IsSecureConnectionEnabled: later(storedAs("secureConnectionOnly", off)),
  RedirectToOtherHostsEnabled: later(sparse(storedAs("redirectsAnywhere", off))),
  StreamSettings: storedAs(
    "streams",
    group({
      MainStreamSettings: storedAs("Main", group(cameraStream)),
      AlternativeStreamSettings: storedAs("Alternative", group(cameraStream)),
      SecondAlternativeStreamSettings: storedAs("SecondAlternative", group(cameraStream)),
      ThirdAlternativeStreamSettings: storedAs("ThirdAlternative", group(cameraStream)),
    }),
  ),
  ClearPassword: writeOnly(off),
  AcceptDevice: writeOnly(off),
  /** ONVIF: added by its address alone; its streams are set on first contact with the device, and this is removed. */
  FindStreams: own(late(flag)),
  /** ONVIF: the device's endpoint reference (`urn:uuid:…`), used to find it at another address. */
  DeviceIdentity: own(late(line(256))),
} as const;

const archiveDays = by(whole(0, 36_500), 0);
const motionSeconds = by(whole(1, 6), 1);

export const cameraArchive = {
  ArchivingDisabled: off,
  ArchivingMode: by(choice("AlwaysOn", "OnlyManual", "BySchedule", "MDandManual"), "AlwaysOn"),
  ArchivingVideoStreamType: derived(by(streamName, "Main")),
  ArchivingMinDeepnessInDays: storedAs("minDays", archiveDays),
  ArchivingMaxDeepnessInDays: storedAs("maxDays", archiveDays),
  ArchivingSoundDisabled: off,
  PreMotionDetectionRecSecs: later(storedAs("preMotionSeconds", motionSeconds)),
  PostMotionDetectionRecSecs: later(storedAs("postMotionSeconds", motionSeconds)),
  LimitRecordFpsAndOnlyIndepFramesEnabled: later(storedAs("frameRateLimitEnabled", off)),
  LimitedRecordFps: later(storedAs("frameRateLimit", frameRate)),
  Schedule: sparse(clearable(week)),
  DeviceArchiveEnabled: later(off),
  DeviceArchiveAutoSynchronizationEnabled: later(storedAs("deviceArchiveSynchronizationEnabled", off)),
} as const;

export const motionDetector = {
  BuildInCameraDetectorEnabled: storedAs("cameraDetectorEnabled", off),
  GenerationOfEventMotionStartAndEndEnabled: storedAs("startAndEndEventsEnabled", off),
  DetectOnlyIndependentFrames: storedAs("independentFramesOnly", off),
  CustomFpsEnabled: storedAs("customFrameRateEnabled", off),
  CustomFpsValue: storedAs("customFrameRate", frameRate),
  Zones: storedAs("zonesJson", clearable(keptJson)),
} as const;

const seenKinds = clearable(list(choice(...SEEN_KINDS), SEEN_KINDS.length, "kinds"));

/** Kinds of what the camera reports; null: the default. */
export const cameraEvents = { Marked: seenKinds, Recorded: seenKinds } as const;

const share = decimal(0, 1);
const objectLabel = choice(...OBJECT_LABELS);
const objectPercent = by(whole(25, 95), 50);
/** Percent of the picture that a thing fills. */
const fills = decimal(0, 100);

const objectKinds = clearable(list(objectLabel, OBJECT_LABELS.length, "kinds"));

/** The least length of a line, in parts of the picture: shorter ones are crossed by chance. */
export const OBJECT_LINE_LENGTH_MIN = 0.02;

/** A line that things cross, from its first point to its second. */
export const objectLine = {
  Name: needed(line(64)),
  X1: storedAs("fromX", needed(share)),
  Y1: storedAs("fromY", needed(share)),
  X2: storedAs("toX", needed(share)),
  Y2: storedAs("toY", needed(share)),
  Direction: by(choice("Both", "LeftToRight", "RightToLeft"), "Both"),
  Kinds: sparse(objectKinds),
} as const;

/** What differs for one kind. */
export const objectScore = {
  Kind: needed(objectLabel),
  MinScore: objectPercent,
  MinSize: sparse(by(fills, 0)),
  MaxSize: sparse(by(fills, 100)),
} as const;

/** What the recorder's own detector looks for in a camera's pictures. */
export const cameraObjects = {
  Mode: by(choice("Auto", "On", "Off"), "Auto"),
  Kinds: objectKinds,
  MinScore: objectPercent,
  Scores: list(group(objectScore), OBJECT_LABELS.length, "kinds"),
  MinSize: by(fills, 0),
  MaxSize: by(fills, 100),
  LoiteringSeconds: by(whole(0, 3600), 0),
  Lines: list(group(objectLine), 8, "lines"),
} as const;

export const cameraAnalysis = {
  MotionDetectorEnabled: later(off),
  MotionDetectorSettings: later(storedAs("motionDetector", nullable(group(motionDetector)))),
  AnalyzeStreamType: derived(streamName),
  FaceDetectorEnabled: later(off),
  FaceDetectorMode: later(by(choice("Basic", "OptimizedQuality"), "Basic")),
  InteractiveSearchEnabled: later(off),
  InteractiveSearchSettings: later(storedAs("interactiveSearchJson", nullable(keptJson))),
  ObjectDetectionSettings: later(storedAs("objects", optional(clearable(group(cameraObjects))))),
  CameraEventSettings: later(storedAs("cameraEvents", optional(clearable(group(cameraEvents))))),
} as const;

export const cameraServers = {
  OwnerServerId: derived(id),
  ReservedServerId: later(clearable(id)),
  ReplicationServerId: later(clearable(id)),
} as const;

export const cameraPosition = {
  Latitude: clearable(decimal(-90, 90, "degrees")),
  Longitude: clearable(decimal(-180, 180, "degrees")),
  /** Where the camera looks, in degrees clockwise from north; north by default. */
  Azimuth: late(by(decimal(0, 360, "degrees"), 0)),
  /** Whether the position is shown; by default if there is one. */
  IsOnMap: late(storedAs("onMap", flag)),
} as const;

export const camera = {
  Id: id,
  Name: name,
  Disabled: off,
  ServerBindingsSettings: derived(group(cameraServers)),
  ParentSecObjectId: derived(id),
  Description: by(lines(1024), ""),
  ConnectionSettings: derived(group(cameraConnection)),
  ArchiveSettings: derived(group(cameraArchive)),
  AnalyzeSettings: derived(group(cameraAnalysis)),
  MapSettings: derived(group(cameraPosition)),
} as const;

export type CameraObject = ObjectOf<typeof camera>;
export type CameraInput = InputOf<typeof camera>;
export type CameraEventSettings = ObjectOf<typeof cameraEvents>;
export type ObjectDetectionSettings = ObjectOf<typeof cameraObjects>;

export type VideoFormatName = ValueOf<typeof videoFormat>;
export type RotationMode = ValueOf<typeof rotation>;
export type StreamRole = ValueOf<typeof streamRole>;
export type ArchivingMode = ValueOf<(typeof cameraArchive)["ArchivingMode"]>;
