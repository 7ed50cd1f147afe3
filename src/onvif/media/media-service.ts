import {
  type DeviceService,
  forEverybody,
  forUser,
  type Operation,
  type UserCall,
} from "../soap/operation.js";
import { invalidArgument, SoapFault, textElement, xmlText } from "../soap/soap-message.js";
import {
  audioEncoder,
  audioEncoder2,
  audioEncoderToken,
  audioSourceConfiguration,
  resolution,
  videoEncoder,
  videoEncoder2,
  videoEncoderToken,
  videoSourceConfiguration,
} from "./media-parts.js";
import { type Profile, type Profiles, TOKENS } from "./profiles.js";
import { liveAddress, snapshotAddress } from "./stream-addresses.js";

/** Most profiles that a client may expect; the cameras decide. */
const PROFILES_MAX = 1024;

export interface MediaOptions {
  readonly profiles: Profiles;
  /** 0: there is no RTSP server. */
  readonly rtspPort: () => number;
  /** The PTZ configuration of a profile's camera as an element with this name; empty when it has none for the user. */
  readonly ptz: (name: string, call: UserCall, profile: Profile) => Promise<string>;
}

/** Which configurations a client wants, with the element of each. */
type Kind = "VideoSource" | "AudioSource" | "VideoEncoder" | "AudioEncoder" | "PTZ";

/** The element of the answer to a list, and what each profile has in it. */
interface List {
  readonly operation: string;
  readonly element: string;
  readonly one: (name: string, profile: Profile) => string;
  readonly token: (profile: Profile) => string;
}

/** Media of the first version (ONVIF Media Service Specification): the profiles, read only. */
export function mediaService(options: MediaOptions): DeviceService {
  const { profiles } = options;
  const capabilities =
    '<trt:Capabilities SnapshotUri="true" Rotation="false" VideoSourceMode="false" OSD="false">' +
    `<trt:ProfileCapabilities MaximumNumberOfProfiles="${PROFILES_MAX}"/>` +
    '<trt:StreamingCapabilities RTPMulticast="false" RTP_TCP="true" RTP_RTSP_TCP="true" NonAggregateControl="false" NoRTSPStreaming="false"/>' +
    "</trt:Capabilities>";
  return {
    name: "media_service",
    prefix: "trt",
    version: { major: 26, minor: 6 },
    capabilities,
    legacyCapability: (address) => ({
      name: "Media",
      xml:
        `<tt:Media>${textElement("tt:XAddr", address)}<tt:StreamingCapabilities><tt:RTPMulticast>false</tt:RTPMulticast>` +
        "<tt:RTP_TCP>true</tt:RTP_TCP><tt:RTP_RTSP_TCP>true</tt:RTP_RTSP_TCP></tt:StreamingCapabilities></tt:Media>",
    }),
    operations: new Map<string, Operation>([
      ["GetServiceCapabilities", forEverybody(() => capabilities)],
      [
        "GetProfiles",
        forUser(async (call) => {
          const all = await profiles.all(call.user, call.signal);
          const elements = all.map((profile) => profileXml("trt:Profiles", options, call, profile));
          return (await Promise.all(elements)).join("");
        }),
      ],
      [
        "GetProfile",
        forUser(async (call) => profileXml("trt:Profile", options, call, await askedProfile(options, call))),
      ],
      ["GetStreamUri", forUser((call) => streamUri(options, call))],
      [
        "GetSnapshotUri",
        forUser(async (call) => mediaUri(snapshotAddress(call.place, await askedProfile(options, call)))),
      ],
      ["GetVideoSources", forUser((call) => videoSources(options, call))],
      ["GetAudioSources", forUser((call) => audioSources(options, call))],
      ...LISTS.flatMap((list) => listOperations(options, list)),
    ]),
  };
}

const LISTS: readonly List[] = [
  {
    operation: "VideoSourceConfiguration",
    element: "Configuration",
    one: videoSourceConfiguration,
    token: ({ camera }) => TOKENS.videoSourceConfiguration(camera.id),
  },
  {
    operation: "VideoEncoderConfiguration",
    element: "Configuration",
    one: videoEncoder,
    token: videoEncoderToken,
  },
  {
    operation: "AudioSourceConfiguration",
    element: "Configuration",
    one: (name, profile) => (profile.audio === undefined ? "" : audioSourceConfiguration(name, profile)),
    token: ({ camera }) => TOKENS.audioSourceConfiguration(camera.id),
  },
  {
    operation: "AudioEncoderConfiguration",
    element: "Configuration",
    one: audioEncoder,
    token: audioEncoderToken,
  },
];

/** `Get…Configurations` of all, and `Get…Configuration` of one. */
function listOperations(
  { profiles }: MediaOptions,
  { operation, element, one, token }: List,
): [string, Operation][] {
  return [
    [
      `Get${operation}s`,
      forUser(async ({ user, signal }) =>
        eachOnce(await profiles.all(user, signal), token)
          .map((profile) => one(`trt:${element}s`, profile))
          .join(""),
      ),
    ],
    [
      `Get${operation}`,
      forUser(async ({ user, content, signal }) => {
        const wanted = content.text("ConfigurationToken");
        const found = eachOnce(await profiles.all(user, signal), token).find(
          (each) => token(each) === wanted,
        );
        const xml = found === undefined ? "" : one(`trt:${element}`, found);
        if (xml === "") throw invalidArgument("NoConfig", "there is no configuration with this token");
        return xml;
      }),
    ],
  ];
}

/** Media of the second version: the one that knows H.265. */
export function media2Service(options: MediaOptions): DeviceService {
  const { profiles } = options;
  const capabilities =
    '<tr2:Capabilities SnapshotUri="true" Rotation="false" VideoSourceMode="false" OSD="false" Mask="false" SourceMask="false">' +
    `<tr2:ProfileCapabilities MaximumNumberOfProfiles="${PROFILES_MAX}" ConfigurationsSupported="VideoSource VideoEncoder AudioSource AudioEncoder PTZ"/>` +
    '<tr2:StreamingCapabilities RTSPStreaming="true" RTPMulticast="false" RTP_RTSP_TCP="true" NonAggregateControl="false" AutoStartMulticast="false"/>' +
    "</tr2:Capabilities>";
  const list = (one: List["one"], token: List["token"]): Operation =>
    forUser(async (call) => {
      const [wanted, inProfile] = [
        call.content.text("ConfigurationToken"),
        call.content.text("ProfileToken"),
      ];
      const all =
        inProfile === ""
          ? await profiles.all(call.user, call.signal)
          : [await profiles.one(call.user, inProfile, call.signal)];
      return eachOnce(all, token)
        .filter((profile) => wanted === "" || token(profile) === wanted)
        .map((profile) => one("tr2:Configurations", profile))
        .join("");
    });
  const [videoSource, , audioSource] = LISTS;
  return {
    name: "media2_service",
    prefix: "tr2",
    version: { major: 26, minor: 6 },
    capabilities,
    operations: new Map<string, Operation>([
      ["GetServiceCapabilities", forEverybody(() => capabilities)],
      ["GetProfiles", forUser((call) => profiles2(options, call))],
      ["GetStreamUri", forUser((call) => streamUri2(options, call))],
      [
        "GetSnapshotUri",
        forUser(async (call) =>
          textElement("tr2:Uri", snapshotAddress(call.place, await askedProfile(options, call))),
        ),
      ],
      ["GetVideoEncoderConfigurations", list(videoEncoder2, videoEncoderToken)],
      ["GetAudioEncoderConfigurations", list(audioEncoder2, audioEncoderToken)],
      ...(videoSource === undefined
        ? []
        : [["GetVideoSourceConfigurations", list(videoSource.one, videoSource.token)] as const]),
      ...(audioSource === undefined
        ? []
        : [["GetAudioSourceConfigurations", list(audioSource.one, audioSource.token)] as const]),
    ]),
  };
}

async function askedProfile(
  { profiles }: MediaOptions,
  { user, content, signal }: UserCall,
): Promise<Profile> {
  return await profiles.one(user, content.text("ProfileToken"), signal);
}

/** The first profile of each token: streams of one camera share its source. */
function eachOnce(all: readonly Profile[], token: (profile: Profile) => string): readonly Profile[] {
  const found = new Map<string, Profile>();
  for (const profile of all) if (!found.has(token(profile))) found.set(token(profile), profile);
  return [...found.values()];
}

async function profileXml(
  name: string,
  { ptz }: MediaOptions,
  call: UserCall,
  profile: Profile,
): Promise<string> {
  const sound = audioEncoder("tt:AudioEncoderConfiguration", profile);
  return (
    `<${name} token="${xmlText(profile.token)}" fixed="true">${textElement("tt:Name", profile.name)}` +
    videoSourceConfiguration("tt:VideoSourceConfiguration", profile) +
    (sound === "" ? "" : audioSourceConfiguration("tt:AudioSourceConfiguration", profile)) +
    videoEncoder("tt:VideoEncoderConfiguration", profile) +
    `${sound}${await ptz("tt:PTZConfiguration", call, profile)}</${name}>`
  );
}

async function profiles2(options: MediaOptions, call: UserCall): Promise<string> {
  const { content, user, signal } = call;
  const token = content.text("Token");
  const asked: readonly string[] = content.children("Type").map((type) => type.text());
  const isWanted = (kind: Kind): boolean => asked.includes("All") || asked.includes(kind);
  const found =
    token === ""
      ? await options.profiles.all(user, signal)
      : [await options.profiles.one(user, token, signal)];
  const all = await Promise.all(
    found.map(async (profile) => {
      const sound = audioEncoder2("tr2:AudioEncoder", profile);
      const configurations = [
        isWanted("VideoSource") ? videoSourceConfiguration("tr2:VideoSource", profile) : "",
        isWanted("AudioSource") && sound !== "" ? audioSourceConfiguration("tr2:AudioSource", profile) : "",
        isWanted("VideoEncoder") ? videoEncoder2("tr2:VideoEncoder", profile) : "",
        isWanted("AudioEncoder") ? sound : "",
        isWanted("PTZ") ? await options.ptz("tr2:PTZ", call, profile) : "",
      ].join("");
      return (
        `<tr2:Profiles token="${xmlText(profile.token)}" fixed="true">${textElement("tr2:Name", profile.name)}` +
        `${asked.length === 0 ? "" : `<tr2:Configurations>${configurations}</tr2:Configurations>`}</tr2:Profiles>`
      );
    }),
  );
  return all.join("");
}

async function streamUri(options: MediaOptions, call: UserCall): Promise<string> {
  const setup = call.content.child("StreamSetup");
  requireUnicast(setup?.text("Stream") ?? "", setup?.text("Transport", "Protocol") ?? "", [
    "UDP",
    "TCP",
    "RTSP",
  ]);
  return mediaUri(addressOf(options, call));
}

function streamUri2(options: MediaOptions, call: UserCall): string {
  const protocol = call.content.text("Protocol");
  requireUnicast("RTP-Unicast", protocol, ["RtspUnicast", "RTSP"]);
  return textElement("tr2:Uri", addressOf(options, call));
}

/** Without waiting for its format: the address is the same. */
function addressOf({ profiles, rtspPort }: MediaOptions, { user, content, place }: UserCall): string {
  const profile = profiles.find(user, content.text("ProfileToken"));
  if (profile === undefined) throw invalidArgument("NoProfile", "there is no profile with this token");
  return liveAddress(place, rtspPort(), { user, profile });
}

function requireUnicast(stream: string, protocol: string, served: readonly string[]): void {
  const isServed =
    (stream === "" || stream === "RTP-Unicast") && (protocol === "" || served.includes(protocol));
  if (!isServed)
    throw new SoapFault(
      "Sender",
      ["InvalidArgVal", "InvalidStreamSetup"],
      `streams are sent over RTSP, unicast: ${served.join(", ")}`,
    );
}

/** An address that remains as long as the profile. */
export function mediaUri(address: string): string {
  return (
    `<trt:MediaUri>${textElement("tt:Uri", address)}<tt:InvalidAfterConnect>false</tt:InvalidAfterConnect>` +
    "<tt:InvalidAfterReboot>false</tt:InvalidAfterReboot><tt:Timeout>PT0S</tt:Timeout></trt:MediaUri>"
  );
}

async function videoSources({ profiles }: MediaOptions, { user, signal }: UserCall): Promise<string> {
  return eachOnce(await profiles.all(user, signal), ({ camera }) => camera.id)
    .map(
      (profile) =>
        `<trt:VideoSources token="${TOKENS.videoSource(profile.camera.id)}">` +
        `${textElement("tt:Framerate", profile.framesPerSecond)}${resolution(profile)}</trt:VideoSources>`,
    )
    .join("");
}

async function audioSources({ profiles }: MediaOptions, { user, signal }: UserCall): Promise<string> {
  const heard = (await profiles.all(user, signal)).filter(({ audio }) => audio !== undefined);
  return eachOnce(heard, ({ camera }) => camera.id)
    .map(
      ({ camera, audio }) =>
        `<trt:AudioSources token="${TOKENS.audioSource(camera.id)}">${textElement("tt:Channels", audio?.channels ?? 1)}</trt:AudioSources>`,
    )
    .join("");
}
