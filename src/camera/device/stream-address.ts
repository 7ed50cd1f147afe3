import { errorText, type StreamType } from "../../base/index.js";
import type { LostCause } from "../../contract/answer/index.js";
import { parseRtspUrl, STREAM_PORTS, STREAM_SCHEME, type StreamScheme } from "../../rtsp/index.js";
import { type Camera, cameraOptions, type ExternalPort } from "../../site/index.js";
import type { DeviceProfile } from "../description/device-description.js";
import { parseDeviceHost, urlHost } from "../description/device-host.js";
import { channelNumberOf } from "./channel-number.js";
import type { DeviceModel, ModelConnection } from "./device-model.js";
import { deviceModel, streamPath } from "./models.js";
import { profileOf } from "./profile-choice.js";

/** The address of one stream of a camera. Compared as a whole: a change reconnects only this stream. */
export interface StreamAddress {
  /** URL with a scheme of `STREAM_SCHEME`, without credentials. */
  readonly url: string;
  readonly login: string;
  readonly password: string;
  readonly wantAudio: boolean;
  /** Identifies the device: its streams share a budget of login attempts. */
  readonly device: string;
  /** No connection without TLS. */
  readonly secureOnly: boolean;
  readonly ipv4Only: boolean;
  /** The camera may send the recorder to another host. */
  readonly redirectsAnywhere: boolean;
  /** The same stream through HTTP or HTTPS, for a device whose RTSP port refuses; undefined where the owner gave a whole URL. */
  readonly tunnelUrl: string | undefined;
}

/** What is known about the address of a stream. */
export type StreamTarget =
  | { readonly kind: "address"; readonly address: StreamAddress }
  /** The device is being asked. */
  | { readonly kind: "pending" }
  /** There is no usable address; the reason is for the installer. */
  | { readonly kind: "lost"; readonly cause: LostCause; readonly reason: string };

/** What is known about an ONVIF device: its last answer, possibly from before a restart, or why it does not answer. */
export interface DeviceKnowledge {
  readonly profiles: readonly DeviceProfile[] | undefined;
  readonly failure: { readonly cause: LostCause; readonly reason: string } | undefined;
}

/** How the streams of a camera are found. */
export function connectionOf(camera: Camera): ModelConnection {
  return deviceModel(camera.connection.modelId)?.connection ?? "url";
}

/** Identifies the device behind a camera. */
export function deviceOf(camera: Camera): string {
  const { hostname } = camera.connection;
  if (connectionOf(camera) !== "url") return hostname.trim();
  try {
    const { host, port } = parseRtspUrl(hostname);
    return `${urlHost(host.toLowerCase())}:${port}`;
  } catch {
    // Not a valid URL, although it was checked when configured: the text itself identifies the device.
    return hostname;
  }
}

/**
 * The target of a camera's stream; undefined if the camera is disabled or has no such stream. `device` is used only for models
 * connected over ONVIF.
 */
export function streamTarget(
  camera: Camera,
  streamType: StreamType,
  device: () => DeviceKnowledge,
): StreamTarget | undefined {
  const { connection } = camera;
  const settings = connection.streams[streamType];
  if (camera.disabled || !settings.enabled) return undefined;
  const model = deviceModel(connection.modelId);
  const kind = model?.connection ?? "url";
  if (kind === "url") {
    const url = streamType === "Main" ? connection.hostname : settings.additionalParams;
    return url === ""
      ? undefined
      : targetOf(camera, mapPort(url, cameraOptions(camera).connection.externalPorts));
  }
  if (STREAM_SCHEME.test(settings.additionalParams)) return targetOf(camera, settings.additionalParams);
  const found =
    kind === "onvif" || model === undefined
      ? onvifUrl(camera, streamType, device())
      : pathUrl(camera, streamType, model);
  if (typeof found !== "string") return found;
  const url = withParameters(found, settings.additionalParams);
  return targetOf(camera, url, tunnelOf(url, camera));
}

/** The target of a recording that a device keeps, by the corrected address that it gave. */
export function recordingTarget(camera: Camera, url: string): StreamTarget {
  return targetOf(
    camera,
    cameraOptions(camera).connection.secureConnectionOnly ? secureUrl(url, camera) : url,
  );
}

export function sameTarget(one: StreamTarget, other: StreamTarget): boolean {
  if (one.kind === "address" && other.kind === "address") return sameAddress(one.address, other.address);
  if (one.kind === "lost" && other.kind === "lost")
    return one.reason === other.reason && one.cause === other.cause;
  return one.kind === other.kind;
}

function sameAddress(one: StreamAddress, other: StreamAddress): boolean {
  return (
    one.url === other.url &&
    one.login === other.login &&
    one.password === other.password &&
    one.wantAudio === other.wantAudio &&
    one.secureOnly === other.secureOnly &&
    one.ipv4Only === other.ipv4Only &&
    one.redirectsAnywhere === other.redirectsAnywhere &&
    one.tunnelUrl === other.tunnelUrl
  );
}

function targetOf(camera: Camera, url: string, tunnelUrl?: string): StreamTarget {
  const { connection } = camera;
  const {
    secureConnectionOnly: secureOnly,
    ipv6Enabled,
    redirectsAnywhere,
  } = cameraOptions(camera).connection;
  if (secureOnly && !/^rtsp(?:s|\+https):/i.test(url)) {
    const reason =
      "the stream's address is not secure, and only secure connections are allowed: use rtsps://";
    return { kind: "lost", cause: "insecure", reason };
  }
  const fault = faultOf(url);
  if (fault !== undefined) return { kind: "lost", cause: "no-stream", reason: fault };
  const address: StreamAddress = {
    url,
    login: connection.login,
    password: connection.password,
    wantAudio: connection.soundReceivingEnabled,
    device: deviceOf(camera),
    secureOnly,
    ipv4Only: !ipv6Enabled,
    redirectsAnywhere: redirectsAnywhere ?? false,
    tunnelUrl,
  };
  return { kind: "address", address };
}

/** The same path at the device's HTTP port: the one that is configured, else the usual one. */
function tunnelOf(url: string, camera: Camera): string | undefined {
  const { hostname } = camera.connection;
  const parsed = parseDeviceHost(hostname);
  if (parsed === undefined || !/^rtsps?:/i.test(url)) return undefined;
  const { secureConnectionOnly } = cameraOptions(camera).connection;
  const isHttps = secureConnectionOnly || /^https:/i.test(hostname.trim());
  // What is encrypted stays encrypted.
  const scheme = isHttps || /^rtsps:/i.test(url) ? "rtsp+https" : "rtsp+http";
  // The port of a bare address is one of HTTP only where ONVIF is asked there.
  const isWebPort = /^https?:/i.test(hostname.trim()) || connectionOf(camera) === "onvif";
  const isOfScheme = isHttps === (scheme === "rtsp+https");
  const named = isWebPort && isOfScheme ? parsed.port : undefined;
  return replacedPort(url, scheme, named ?? outerPort(STREAM_PORTS[scheme], camera));
}

/** The fault of an address; undefined if none. It may come from a device, a file or parameters, so it is checked again here. */
function faultOf(url: string): string | undefined {
  try {
    parseRtspUrl(url);
    return undefined;
  } catch (error) {
    return `the stream's address cannot be used: ${errorText(error)}`;
  }
}

function onvifUrl(camera: Camera, streamType: StreamType, device: DeviceKnowledge): string | StreamTarget {
  if (device.profiles === undefined) {
    return device.failure === undefined ? { kind: "pending" } : { kind: "lost", ...device.failure };
  }
  const uri = profileOf(camera, streamType, device.profiles)?.streamUri;
  if (uri === undefined) {
    const channel = channelNumberOf(camera);
    const count = device.profiles.filter((profile) => profile.channelNumber === channel).length;
    const reason =
      count === 0
        ? `the device has no video source ${channel}: check the channel number`
        : `the device offers ${count} ${count === 1 ? "profile" : "profiles"}, none is left for ${streamType}: switch the stream off, or add a profile at the device`;
    return { kind: "lost", cause: "no-stream", reason };
  }
  return cameraOptions(camera).connection.secureConnectionOnly ? secureUrl(uri, camera) : uri;
}

/** A device that is asked over TLS may still report rtsp:// addresses; then the same path is tried on the RTSPS port. */
function secureUrl(uri: string, camera: Camera): string {
  if (/^rtsp\+http:/i.test(uri))
    return replacedPort(uri, "rtsp+https", outerPort(STREAM_PORTS["rtsp+https"], camera));
  if (!/^rtsp:/i.test(uri)) return uri;
  const port = outerPort(deviceModel(camera.connection.modelId)?.ports.rtsps ?? STREAM_PORTS.rtsps, camera);
  return replacedPort(uri, "rtsps", port);
}

function replacedPort(uri: string, scheme: string, port: number): string {
  return uri.replace(
    /^[a-z+]+:\/\/(\[[^\]]*\]|[^/?#:]*)(?::\d+)?/i,
    (_all, host: string) => `${scheme}://${host}:${port}`,
  );
}

function pathUrl(camera: Camera, streamType: StreamType, model: DeviceModel): string | StreamTarget {
  const { connection } = camera;
  const path = streamPath(model, streamType, {
    channel: channelNumberOf(camera),
    format: connection.streams[streamType].format,
  });
  const parsed = parseDeviceHost(connection.hostname);
  if (path === undefined) {
    const reason = `${model.manufacturer} ${model.name} has no ${streamType} stream: switch it off`;
    return { kind: "lost", cause: "no-stream", reason };
  }
  if (parsed === undefined) {
    return { kind: "lost", cause: "unreachable", reason: "the camera's address cannot be read: correct it" };
  }
  const isSecure = cameraOptions(camera).connection.secureConnectionOnly;
  const usual = isSecure
    ? (model.ports.rtsps ?? STREAM_PORTS.rtsps)
    : (model.ports.rtsp ?? STREAM_PORTS.rtsp);
  const isUrl = /^https?:/i.test(connection.hostname.trim());
  // The port of a bare address is the RTSP port; the port of a URL is the HTTP port.
  const port = isUrl ? outerPort(usual, camera) : (parsed.port ?? outerPort(usual, camera));
  return `${isSecure ? "rtsps" : "rtsp"}://${urlHost(parsed.host)}:${port}${path}`;
}

/** The external port for a port of the device. */
function outerPort(port: number, camera: Camera): number {
  const mapped = cameraOptions(camera).connection.externalPorts.find(
    ({ integratedPort }) => integratedPort === port,
  );
  return mapped?.externalPort ?? port;
}

/** A complete URL has the device's own port; a router may map it. */
function mapPort(url: string, ports: readonly ExternalPort[]): string {
  if (ports.length === 0) return url;
  const match = /^([a-z+]+):\/\/(\[[^\]]*\]|[^/?#:]*)(?::(\d+))?/i.exec(url);
  const usual = STREAM_PORTS[match?.[1]?.toLowerCase() as StreamScheme];
  if (match === null || usual === undefined) return url;
  const [whole, scheme = "", host = "", portText] = match;
  const port = portText === undefined ? usual : Number(portText);
  const mapped = ports.find(({ integratedPort }) => integratedPort === port);
  return mapped === undefined ? url : `${scheme}://${host}:${mapped.externalPort}${url.slice(whole.length)}`;
}

/** Adds parameters to the query of an address. */
function withParameters(url: string, parameters: string): string {
  const text = parameters.trim().replace(/^[?&]+/, "");
  if (text === "") return url;
  const separator = !url.includes("?") ? "?" : /[?&]$/.test(url) ? "" : "&";
  return url + separator + text;
}
