import { dateTimeContent, xmlText } from "../onvif/index.js";

/** The answers of a simulated ONVIF device (ONVIF Core, Media and Media2 service specifications). */

/** One profile: a stream that the device offers. */
export interface OnvifProfile {
  readonly token: string;
  readonly name: string;
  readonly encoding: "H264" | "H265" | "JPEG";
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  /** Frames from key frame to key frame; 1 for JPEG. */
  readonly gopLength: number;
  readonly hasSound: boolean;
  /** `rtsp://…`, without credentials. */
  readonly streamUrl: string;
}

/** The identity of a device. */
export interface OnvifFacts {
  /** Endpoint reference, `urn:uuid:…`. */
  readonly identity: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly firmware: string;
  readonly serial: string;
  /** All profiles of the one video source, the largest first. */
  readonly profiles: readonly OnvifProfile[];
}

/** Address and time of the device. */
export interface OnvifPlace {
  /** `http://host:port`. */
  readonly origin: string;
  readonly nowMs: number;
}

export const SERVICE_PATHS = {
  device: "/onvif/device_service",
  media: "/onvif/media_service",
  media2: "/onvif/media2_service",
} as const;
export const SNAPSHOT_PATH = "/snapshot.jpg";

const NAMESPACES = {
  device: "http://www.onvif.org/ver10/device/wsdl",
  media: "http://www.onvif.org/ver10/media/wsdl",
  media2: "http://www.onvif.org/ver20/media/wsdl",
} as const;

export type ServiceName = keyof typeof SERVICE_PATHS;
const SERVICES: readonly ServiceName[] = ["device", "media", "media2"];
const SOURCE = "source";

/**
 * The content of the response's body, with prefix `m` for the service's namespace; undefined if there is no such
 * operation.
 */
export function onvifAnswer(
  service: ServiceName,
  operation: string,
  question: { readonly facts: OnvifFacts; readonly place: OnvifPlace; readonly request: string },
): string | undefined {
  const { facts, place, request } = question;
  const content = contentOf(service, operation, { facts, place, profile: profileOf(facts, request) });
  return content === undefined
    ? undefined
    : `<m:${operation}Response xmlns:m="${NAMESPACES[service]}">${content}</m:${operation}Response>`;
}

interface Question {
  readonly facts: OnvifFacts;
  readonly place: OnvifPlace;
  /** The profile that the request names. */
  readonly profile: OnvifProfile | undefined;
}

function contentOf(service: ServiceName, operation: string, question: Question): string | undefined {
  if (service === "device") return deviceContent(operation, question);
  const { facts, place, profile } = question;
  const address = operation === "GetSnapshotUri" ? place.origin + SNAPSHOT_PATH : profile?.streamUrl;
  switch (operation) {
    case "GetVideoSources":
      return service === "media" ? videoSource(facts) : undefined;
    case "GetProfiles":
      return facts.profiles
        .map((each) => (service === "media" ? mediaProfile(each, "Profiles") : media2Profile(each)))
        .join("");
    case "GetProfile":
      return service === "media" && profile !== undefined ? mediaProfile(profile, "Profile") : undefined;
    case "GetStreamUri":
    case "GetSnapshotUri":
      return profile === undefined || address === undefined ? undefined : uri(service, address);
    case "GetServiceCapabilities":
      return `<m:Capabilities SnapshotUri="true"/>`;
    default:
      return undefined;
  }
}

function deviceContent(operation: string, { facts, place }: Question): string | undefined {
  switch (operation) {
    case "GetSystemDateAndTime":
      return dateAndTime(new Date(place.nowMs));
    case "GetDeviceInformation":
      return [
        ["Manufacturer", facts.manufacturer],
        ["Model", facts.model],
        ["FirmwareVersion", facts.firmware],
        ["SerialNumber", facts.serial],
        ["HardwareId", facts.model],
      ]
        .map(([name, value = ""]) => `<m:${name}>${xmlText(value)}</m:${name}>`)
        .join("");
    case "GetEndpointReference":
      return `<m:GUID>${xmlText(facts.identity)}</m:GUID>`;
    case "GetServices":
      return SERVICES.map(
        (name) =>
          `<m:Service><m:Namespace>${NAMESPACES[name]}</m:Namespace>` +
          `<m:XAddr>${xmlText(place.origin)}${SERVICE_PATHS[name]}</m:XAddr>` +
          "<m:Version><tt:Major>2</tt:Major><tt:Minor>60</tt:Minor></m:Version></m:Service>",
      ).join("");
    case "GetCapabilities":
      return `<m:Capabilities>${capability("Device", place, "device")}${capability("Media", place, "media")}</m:Capabilities>`;
    case "GetServiceCapabilities":
      return "<m:Capabilities><m:Network/><m:Security/><m:System/></m:Capabilities>";
    default:
      return undefined;
  }
}

function capability(name: string, { origin }: OnvifPlace, service: ServiceName): string {
  return `<tt:${name}><tt:XAddr>${xmlText(origin)}${SERVICE_PATHS[service]}</tt:XAddr></tt:${name}>`;
}

function dateAndTime(date: Date): string {
  return (
    "<m:SystemDateAndTime><tt:DateTimeType>NTP</tt:DateTimeType><tt:DaylightSavings>false</tt:DaylightSavings>" +
    `<tt:UTCDateTime>${dateTimeContent(date)}</tt:UTCDateTime></m:SystemDateAndTime>`
  );
}

function profileOf({ profiles }: OnvifFacts, request: string): OnvifProfile | undefined {
  const token = /ProfileToken\s*>([^<]{0,64})</.exec(request)?.[1]?.trim();
  return profiles.find((profile) => profile.token === token);
}

function uri(service: ServiceName, address: string): string {
  if (service === "media2") return `<m:Uri>${xmlText(address)}</m:Uri>`;
  return (
    `<m:MediaUri><tt:Uri>${xmlText(address)}</tt:Uri><tt:InvalidAfterConnect>false</tt:InvalidAfterConnect>` +
    "<tt:InvalidAfterReboot>false</tt:InvalidAfterReboot><tt:Timeout>PT60S</tt:Timeout></m:MediaUri>"
  );
}

function videoSource({ profiles }: OnvifFacts): string {
  const [largest] = profiles;
  if (largest === undefined) return "";
  return (
    `<m:VideoSources token="${SOURCE}"><tt:Framerate>${largest.framesPerSecond}</tt:Framerate>` +
    `${resolution(largest)}</m:VideoSources>`
  );
}

function resolution({ width, height }: OnvifProfile): string {
  return `<tt:Resolution><tt:Width>${width}</tt:Width><tt:Height>${height}</tt:Height></tt:Resolution>`;
}

/** Media does not support H.265: such a profile has no encoder there (only in Media2). */
function mediaProfile(profile: OnvifProfile, name: "Profile" | "Profiles"): string {
  const { token, encoding, framesPerSecond, gopLength, hasSound } = profile;
  const gop =
    encoding === "H264"
      ? `<tt:H264><tt:GovLength>${gopLength}</tt:GovLength><tt:H264Profile>High</tt:H264Profile></tt:H264>`
      : "";
  const rate = `<tt:RateControl><tt:FrameRateLimit>${framesPerSecond}</tt:FrameRateLimit><tt:EncodingInterval>1</tt:EncodingInterval><tt:BitrateLimit>4096</tt:BitrateLimit></tt:RateControl>`;
  const video =
    encoding === "H265"
      ? ""
      : `<tt:VideoEncoderConfiguration token="v-${xmlText(token)}"><tt:Name>video</tt:Name><tt:UseCount>1</tt:UseCount><tt:Encoding>${encoding}</tt:Encoding>${resolution(profile)}<tt:Quality>5</tt:Quality>${rate}${gop}</tt:VideoEncoderConfiguration>`;
  const sound = hasSound
    ? '<tt:AudioEncoderConfiguration token="audio"><tt:Name>audio</tt:Name><tt:UseCount>1</tt:UseCount><tt:Encoding>G711</tt:Encoding><tt:Bitrate>64</tt:Bitrate><tt:SampleRate>8</tt:SampleRate></tt:AudioEncoderConfiguration>'
    : "";
  return (
    `<m:${name} token="${xmlText(token)}" fixed="true"><tt:Name>${xmlText(profile.name)}</tt:Name>` +
    `<tt:VideoSourceConfiguration token="${SOURCE}"><tt:Name>source</tt:Name><tt:UseCount>1</tt:UseCount><tt:SourceToken>${SOURCE}</tt:SourceToken><tt:Bounds x="0" y="0" width="${profile.width}" height="${profile.height}"/></tt:VideoSourceConfiguration>` +
    `${video}${sound}</m:${name}>`
  );
}

function media2Profile(profile: OnvifProfile): string {
  const { token, encoding, framesPerSecond, gopLength, hasSound } = profile;
  const sound = hasSound
    ? '<m:AudioEncoder token="audio"><tt:Name>audio</tt:Name><tt:Encoding>PCMU</tt:Encoding><tt:Bitrate>64</tt:Bitrate><tt:SampleRate>8</tt:SampleRate></m:AudioEncoder>'
    : "";
  return (
    `<m:Profiles token="${xmlText(token)}" fixed="true"><m:Name>${xmlText(profile.name)}</m:Name><m:Configurations>` +
    `<m:VideoSource token="${SOURCE}"><tt:Name>source</tt:Name><tt:UseCount>1</tt:UseCount><tt:SourceToken>${SOURCE}</tt:SourceToken></m:VideoSource>` +
    `<m:VideoEncoder token="v-${xmlText(token)}" GovLength="${gopLength}" Profile="Main"><tt:Name>video</tt:Name><tt:UseCount>1</tt:UseCount><tt:Encoding>${encoding}</tt:Encoding>${resolution(profile)}<tt:RateControl ConstantBitRate="false"><tt:FrameRateLimit>${framesPerSecond}</tt:FrameRateLimit><tt:BitrateLimit>4096</tt:BitrateLimit></tt:RateControl><tt:Quality>5</tt:Quality></m:VideoEncoder>` +
    `${sound}</m:Configurations></m:Profiles>`
  );
}
