import { SERVICE_NAMESPACES, xmlText } from "./onvif-camera-soap.js";
import type {
  MakerStyle,
  OnvifCameraOptions,
  ScriptedProfile,
  ScriptedService,
  ScriptedSpace,
} from "./onvif-camera-types.js";

/** What an answer may need to know of the device. */
export interface DeviceFacts {
  readonly options: OnvifCameraOptions;
  readonly style: MakerStyle;
  readonly uuid: string;
  readonly profiles: readonly ScriptedProfile[];
  /** `http://host:port` as the device names itself. */
  readonly origin: string;
  readonly rtspUrl: (profile: ScriptedProfile) => string;
  readonly snapshotUrl: (profile: ScriptedProfile) => string;
  /** Names of PTZ presets by their tokens. */
  readonly presets: ReadonlyMap<string, string>;
  /** The device's own time. */
  readonly now: () => Date;
  /** Addresses are written without escaping ampersands. */
  readonly bareAmpersands: boolean;
}

type Answer = (facts: DeviceFacts, request: string) => string | undefined;

/** The answers that only tell, by operation: elements of the body with the usual prefixes; undefined: no such thing. */
const moment = (name: string, date: Date): string =>
  `<tt:${name}><tt:Time><tt:Hour>${date.getUTCHours()}</tt:Hour><tt:Minute>${date.getUTCMinutes()}</tt:Minute><tt:Second>${date.getUTCSeconds()}</tt:Second></tt:Time><tt:Date><tt:Year>${date.getUTCFullYear()}</tt:Year><tt:Month>${date.getUTCMonth() + 1}</tt:Month><tt:Day>${date.getUTCDate()}</tt:Day></tt:Date></tt:${name}>`;

export const ANSWERS: Readonly<Record<string, Answer>> = {
  "device GetSystemDateAndTime": ({ now, options: { reportedTime } }) => {
    const date = new Date(now().getTime() + (reportedTime?.offsetMs ?? 0));
    const zone =
      reportedTime?.zone === undefined
        ? ""
        : `<tt:TimeZone><tt:TZ>${reportedTime.zone}</tt:TZ></tt:TimeZone>`;
    const local =
      reportedTime?.localMs === undefined
        ? ""
        : moment("LocalDateTime", new Date(date.getTime() + reportedTime.localMs));
    return `<tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:DateTimeType>NTP</tt:DateTimeType><tt:DaylightSavings>false</tt:DaylightSavings>${zone}${moment("UTCDateTime", date)}${local}</tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>`;
  },
  "device GetDeviceInformation": ({ options, style }) =>
    `<tds:GetDeviceInformationResponse><tds:Manufacturer>${options.manufacturer ?? style.manufacturer}</tds:Manufacturer><tds:Model>${options.model ?? style.model}</tds:Model><tds:FirmwareVersion>${options.firmware ?? "9.80.1"}</tds:FirmwareVersion><tds:SerialNumber>${options.serial ?? "B8A44F000001"}</tds:SerialNumber><tds:HardwareId>714</tds:HardwareId></tds:GetDeviceInformationResponse>`,
  "device GetEndpointReference": ({ uuid, style }) =>
    `<tds:GetEndpointReferenceResponse><tds:GUID>${style.writeIdentity(uuid)}</tds:GUID></tds:GetEndpointReferenceResponse>`,
  "device GetServices": (facts) =>
    `<tds:GetServicesResponse>${services(facts)
      .filter(([name]) => !isLeftOut(name, facts.options.unlisted))
      .map(
        ([name, path]) =>
          `<tds:Service><tds:Namespace>${SERVICE_NAMESPACES[name]}</tds:Namespace><tds:XAddr>${facts.origin}${path}</tds:XAddr><tds:Version><tt:Major>2</tt:Major><tt:Minor>60</tt:Minor></tds:Version></tds:Service>`,
      )
      .join("")}</tds:GetServicesResponse>`,
  "device GetCapabilities": (facts) => capabilities(facts),
  "media1 GetVideoSources": ({ profiles }) =>
    `<trt:GetVideoSourcesResponse>${sourceNumbers(profiles)
      .map((number) => {
        const { width, height } = largest(profiles, number);
        return `<trt:VideoSources token="source_${number}"><tt:Framerate>25.0</tt:Framerate><tt:Resolution><tt:Width>${width}</tt:Width><tt:Height>${height}</tt:Height></tt:Resolution></trt:VideoSources>`;
      })
      .join("")}</trt:GetVideoSourcesResponse>`,
  "media1 GetProfiles": (facts) =>
    `<trt:GetProfilesResponse>${facts.profiles.map((profile) => media1Profile(profile, facts)).join("")}</trt:GetProfilesResponse>`,
  "media2 GetProfiles": (facts, request) => {
    const withType = /<[\w:]*Type>All</.test(request);
    return `<tr2:GetProfilesResponse>${facts.profiles.map((profile) => media2Profile(profile, facts, withType)).join("")}</tr2:GetProfilesResponse>`;
  },
  "media1 GetStreamUri": (facts, request) => {
    const profile = profileOf(facts, request);
    const isOffered = facts.options.onlyTunnels !== true || /Protocol>HTTP</.test(request);
    return profile === undefined || !isOffered
      ? undefined
      : `<trt:GetStreamUriResponse><trt:MediaUri><tt:Uri>${uri(facts, facts.rtspUrl(profile))}</tt:Uri><tt:InvalidAfterConnect>false</tt:InvalidAfterConnect><tt:InvalidAfterReboot>false</tt:InvalidAfterReboot><tt:Timeout>PT60S</tt:Timeout></trt:MediaUri></trt:GetStreamUriResponse>`;
  },
  "media2 GetStreamUri": (facts, request) => {
    const profile = profileOf(facts, request);
    if (profile === undefined || /Protocol>(?:RTSPS|RtspsUnicast)</.test(request)) return undefined;
    if (facts.options.onlyTunnels === true && !/Protocol>RtspOverHttp</.test(request)) return undefined;
    return `<tr2:GetStreamUriResponse><tr2:Uri>${uri(facts, facts.rtspUrl(profile))}</tr2:Uri></tr2:GetStreamUriResponse>`;
  },
  "media1 GetSnapshotUri": (facts, request) => {
    const profile = profileOf(facts, request);
    return profile === undefined
      ? undefined
      : `<trt:GetSnapshotUriResponse><trt:MediaUri><tt:Uri>${uri(facts, facts.snapshotUrl(profile))}</tt:Uri></trt:MediaUri></trt:GetSnapshotUriResponse>`;
  },
  "media2 GetSnapshotUri": (facts, request) => {
    const profile = profileOf(facts, request);
    return profile === undefined
      ? undefined
      : `<tr2:GetSnapshotUriResponse><tr2:Uri>${uri(facts, facts.snapshotUrl(profile))}</tr2:Uri></tr2:GetSnapshotUriResponse>`;
  },
  "media1 SetSynchronizationPoint": (facts, request) =>
    profileOf(facts, request) === undefined ? undefined : "<trt:SetSynchronizationPointResponse/>",
  "ptz GetNodes": ({ options }) => ptzNodes(options.ptzSpaces ?? PTZ_SPACES, options.ptzHome ?? true),
  "ptz GetPresets": ({ presets }) =>
    `<tptz:GetPresetsResponse>${[...presets].map(([token, name]) => `<tptz:Preset token="${token}"><tt:Name>${name}</tt:Name></tptz:Preset>`).join("")}</tptz:GetPresetsResponse>`,
  "ptz GetStatus": () =>
    `<tptz:GetStatusResponse><tptz:PTZStatus><tt:Position><tt:PanTilt x="0.5" y="-0.25"/><tt:Zoom x="0"/></tt:Position></tptz:PTZStatus></tptz:GetStatusResponse>`,
  "events GetServiceCapabilities": ({ options }) => {
    const only = options.events === "base-notification";
    return `<tev:GetServiceCapabilitiesResponse><tev:Capabilities WSSubscriptionPolicySupport="${only}" WSPullPointSupport="false" MaxNotificationProducers="4" MaxPullPoints="${only ? 0 : 8}"/></tev:GetServiceCapabilitiesResponse>`;
  },
};

/** By token, until they are changed. */
export const PTZ_PRESETS: readonly (readonly [string, string])[] = [
  ["1", "Gate"],
  ["3", "Yard"],
];

/** What a node without scripted spaces has. */
const PTZ_SPACES: readonly ScriptedSpace[] = [
  "AbsolutePanTiltPosition",
  "AbsoluteZoomPosition",
  "RelativePanTiltTranslation",
  "ContinuousPanTiltVelocity",
  "ContinuousZoomVelocity",
].map((kind) => ({ kind }));

function ptzNodes(spaces: readonly ScriptedSpace[], home: boolean): string {
  const range = (axis: string, [min, max]: readonly [number, number]): string =>
    `<tt:${axis}Range><tt:Min>${min}</tt:Min><tt:Max>${max}</tt:Max></tt:${axis}Range>`;
  const written = spaces.map(({ kind, uri: own, x, y }) => {
    const ranges = (x === undefined ? "" : range("X", x)) + (y === undefined ? "" : range("Y", y));
    return `<tt:${kind}Space><tt:URI>${own ?? `${SERVICE_NAMESPACES.ptz}/${kind}`}</tt:URI>${ranges}</tt:${kind}Space>`;
  });
  return `<tptz:GetNodesResponse><tptz:PTZNode token="node_1" FixedHomePosition="false"><tt:Name>Dome</tt:Name><tt:SupportedPTZSpaces>${written.join("")}</tt:SupportedPTZSpaces><tt:MaximumNumberOfPresets>100</tt:MaximumNumberOfPresets><tt:HomeSupported>${home}</tt:HomeSupported><tt:AuxiliaryCommands>tt:Wiper|On</tt:AuxiliaryCommands></tptz:PTZNode></tptz:GetNodesResponse>`;
}

function services(facts: DeviceFacts): [keyof typeof SERVICE_NAMESPACES, string][] {
  const media = facts.options.media ?? facts.style.media;
  const all: [keyof typeof SERVICE_NAMESPACES, string][] = [["device", "/onvif/device_service"]];
  if (media !== "media2") all.push(["media1", "/onvif/media1_service"]);
  if (media !== "media1") all.push(["media2", "/onvif/media2_service"]);
  if (facts.options.ptz === true) all.push(["ptz", "/onvif/ptz_service"]);
  if (facts.options.ptz === true) all.push(["imaging", "/onvif/imaging_service"]);
  if (facts.options.relayService === "deviceio") all.push(["deviceio", "/onvif/deviceio_service"]);
  if (facts.options.card !== undefined)
    all.push(["search", "/onvif/search_service"], ["replay", "/onvif/replay_service"]);
  if (facts.options.events !== "none") all.push(["events", "/onvif/events_service"]);
  return all;
}

function isLeftOut(name: string, leftOut: readonly ScriptedService[] = []): boolean {
  return leftOut.some((service) => service === name);
}

function capabilities(facts: DeviceFacts): string {
  const names = {
    device: "Device",
    media1: "Media",
    ptz: "PTZ",
    events: "Events",
    imaging: "Imaging",
    media2: "",
    deviceio: "DeviceIO",
    search: "",
    replay: "",
  } as const;
  const parts = services(facts)
    .filter(([name]) => names[name] !== "" && !isLeftOut(name, facts.options.withoutCapability))
    .map(([name, path]) => {
      const only = facts.options.events === "base-notification";
      const more =
        name === "events"
          ? `<tt:WSSubscriptionPolicySupport>true</tt:WSSubscriptionPolicySupport><tt:WSPullPointSupport>${!only}</tt:WSPullPointSupport>`
          : "";
      return `<tt:${names[name]}><tt:XAddr>${facts.origin}${path}</tt:XAddr>${more}</tt:${names[name]}>`;
    });
  return `<tds:GetCapabilitiesResponse><tds:Capabilities>${parts.join("")}</tds:Capabilities></tds:GetCapabilitiesResponse>`;
}

function sourceNumbers(profiles: readonly ScriptedProfile[]): number[] {
  return [...new Set(profiles.map((profile) => profile.source))].sort((one, other) => one - other);
}

function largest(profiles: readonly ScriptedProfile[], source: number): ScriptedProfile {
  const own = profiles.filter((profile) => profile.source === source);
  const [first] = own.sort((one, other) => other.width - one.width);
  if (first === undefined) throw new Error(`no profile has source ${source}`);
  return first;
}

function uri(facts: DeviceFacts, address: string): string {
  return facts.bareAmpersands ? address : xmlText(address);
}

function profileOf(facts: DeviceFacts, request: string): ScriptedProfile | undefined {
  const token = /ProfileToken>([^<]*)</.exec(request)?.[1];
  return facts.profiles.find((profile) => profile.token === token);
}

const MEDIA1_ENCODINGS: Readonly<Record<string, string>> = { "MPV4-ES": "MPEG4", H265: "H264", AV1: "H264" };
const MEDIA1_AUDIO: Readonly<Record<string, string>> = { PCMU: "G711", "MP4A-LATM": "AAC" };

function ptzConfiguration({
  ptzNodeToken = "node_1",
  ptzConfiguration: more = "",
}: OnvifCameraOptions): string {
  return `<tt:Name>ptz</tt:Name><tt:UseCount>1</tt:UseCount><tt:NodeToken>${ptzNodeToken}</tt:NodeToken>${more}`;
}

/** Media knows no H.265: devices call it H264 there. */
function media1Profile(profile: ScriptedProfile, { options }: DeviceFacts): string {
  const isUnnamed = profile.media1Encoder === "unnamed";
  const encoding = isUnnamed ? "" : (MEDIA1_ENCODINGS[profile.encoding] ?? profile.encoding);
  const head = `<trt:Profiles fixed="true" token="${profile.token}"><tt:Name>${profile.name}</tt:Name>`;
  const source = `<tt:VideoSourceConfiguration token="vsc_${profile.source}"><tt:Name>source</tt:Name><tt:UseCount>2</tt:UseCount><tt:SourceToken>source_${profile.source}</tt:SourceToken><tt:Bounds height="${profile.height}" width="${profile.width}" y="0" x="0"/></tt:VideoSourceConfiguration>`;
  if (profile.media1Encoder === "bare") return `${head}</trt:Profiles>`;
  if (profile.media1Encoder === "none") return `${head}${source}</trt:Profiles>`;
  const gop = `<tt:GovLength>${profile.gopLength}</tt:GovLength>`;
  const codec = encoding === "JPEG" || isUnnamed ? "" : `<tt:${encoding}>${gop}</tt:${encoding}>`;
  const audio = profile.audio;
  return (
    head +
    source +
    `<tt:VideoEncoderConfiguration token="vec_${profile.token}"><tt:Name>encoder</tt:Name><tt:UseCount>1</tt:UseCount><tt:Encoding>${encoding}</tt:Encoding><tt:Resolution><tt:Width>${profile.width}</tt:Width><tt:Height>${profile.height}</tt:Height></tt:Resolution><tt:Quality>5</tt:Quality><tt:RateControl><tt:FrameRateLimit>${profile.framesPerSecond}</tt:FrameRateLimit><tt:EncodingInterval>1</tt:EncodingInterval><tt:BitrateLimit>4096</tt:BitrateLimit></tt:RateControl>${codec}</tt:VideoEncoderConfiguration>` +
    (audio === undefined
      ? ""
      : `<tt:AudioEncoderConfiguration token="aec"><tt:Name>audio</tt:Name><tt:Encoding>${options.audioEncoding ?? MEDIA1_AUDIO[audio] ?? audio}</tt:Encoding></tt:AudioEncoderConfiguration>`) +
    (options.ptz === true
      ? `<tt:PTZConfiguration token="ptz">${ptzConfiguration(options)}</tt:PTZConfiguration>`
      : "") +
    "</trt:Profiles>"
  );
}

function media2Profile(profile: ScriptedProfile, { options }: DeviceFacts, whole: boolean): string {
  const ptz = options.ptz === true ? `<tr2:PTZ token="ptz">${ptzConfiguration(options)}</tr2:PTZ>` : "";
  const audio =
    profile.audio === undefined
      ? ""
      : `<tr2:AudioEncoder token="aec"><tt:Name>audio</tt:Name><tt:Encoding>${options.audioEncoding ?? profile.audio}</tt:Encoding></tr2:AudioEncoder>`;
  const configurations = `<tr2:Configurations><tr2:VideoSource token="vsc_${profile.source}"><tt:Name>source</tt:Name><tt:SourceToken>source_${profile.source}</tt:SourceToken></tr2:VideoSource><tr2:VideoEncoder token="vec_${profile.token}" GovLength="${profile.gopLength}" Profile="Main"><tt:Name>encoder</tt:Name><tt:Encoding>${profile.encoding}</tt:Encoding><tt:Resolution><tt:Width>${profile.width}</tt:Width><tt:Height>${profile.height}</tt:Height></tt:Resolution><tt:RateControl ConstantBitRate="false"><tt:FrameRateLimit>${profile.framesPerSecond}</tt:FrameRateLimit><tt:BitrateLimit>4096</tt:BitrateLimit></tt:RateControl><tt:Quality>5</tt:Quality></tr2:VideoEncoder>${audio}${ptz}<tr2:Analytics token="an"><tt:Name>analytics</tt:Name></tr2:Analytics></tr2:Configurations>`;
  return `<tr2:Profiles token="${profile.token}" fixed="true"><tr2:Name>${profile.name}</tr2:Name>${whole ? configurations : ""}</tr2:Profiles>`;
}
