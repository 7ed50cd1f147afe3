import type { AlarmDelivery } from "./alarm-target.js";
import type { Analyser } from "./analyser.js";
import type { AwayTarget } from "./away-target.js";
import type { BrokerInConfiguration } from "./broker.js";
import type { ExternalPort } from "./camera-options.js";
import { cameraOptions } from "./camera-settings.js";
import type { DirectorySettings } from "./directory.js";
import type { Camera } from "./model.js";
import type { MonitoringSettings } from "./site-settings.js";

/**
 * The places that a secret is sent to: scheme, host and port, as texts to compare. Whose certificates are believed there
 * counts as well, and so does a proxy that reads what is sent; none: it goes nowhere.
 */
export type SecretPlaces = readonly string[];

const PORTS: Readonly<Record<string, number>> = {
  ...{ "http:": 80, "https:": 443, "ldap:": 389, "ldaps:": 636 },
  ...{ "mqtt:": 1883, "mqtts:": 8883 },
  ...{ "rtsp:": 554, "rtsps:": 322, "rtsp+http:": 80, "rtsp+https:": 443 },
};

/** The places of each secret of the configuration that is sent to an address which a request may change. */
export const SECRET_PLACES = {
  /** The password of a camera: its device, and the streams that have addresses of their own. */
  camera: cameraPlaces,
  /** The password of the monitoring service. */
  monitoring: ({ url, isProxyServerEnabled, proxyUrl = "" }: MonitoringSettings): SecretPlaces =>
    url === "" ? [] : [webPlace(url, { proxy: isProxyServerEnabled ? proxyUrl : "" })],
  /** The key of a webhook, the password of a mail server. */
  alarm: alarmPlaces,
  /** The keys of off-site storage. */
  awayKeys: ({ endpoint, authority, proxy }: AwayTarget): SecretPlaces => [
    webPlace(endpoint, { authority, proxy }),
  ],
  /** The password of the proxy on the way there. */
  awayProxy: ({ proxy }: AwayTarget): SecretPlaces => (proxy === "" ? [] : [webPlace(proxy)]),
  /** The key of an analyser. */
  analyser: (source: Analyser["source"]): SecretPlaces =>
    source.kind === "vision" ? [webPlace(source.url, source)] : [],
  /** The password of the account at a directory. */
  directory: ({ url, startTls, authority, serviceDn }: DirectorySettings): SecretPlaces => [
    JSON.stringify([plainPlace(url), startTls, authority, serviceDn]),
  ],
  /** The password of the login at a broker. */
  broker: ({ url, authority, login }: BrokerInConfiguration): SecretPlaces => [
    JSON.stringify([plainPlace(url), authority, login]),
  ],
} as const;

/** Whether a secret that goes to `before` would go to another place too. */
export function goesElsewhere(before: SecretPlaces, after: SecretPlaces): boolean {
  return after.some((place) => !before.includes(place));
}

/** An address as what sends to it reads it. Over TLS a proxy sees nothing, unless certificates of others are believed. */
function webPlace(
  address: string,
  { authority = "", proxy = "" }: { readonly authority?: string; readonly proxy?: string } = {},
): string {
  if (!URL.canParse(address)) return address;
  const { protocol, hostname, port } = new URL(address);
  const place = `${protocol}//${hostname}:${port === "" ? PORTS[protocol] : port}`;
  const isPlain = protocol === "http:";
  return JSON.stringify([place, isPlain ? "" : authority, isPlain && proxy !== "" ? webPlace(proxy) : ""]);
}

/**
 * An address of which only scheme, host and port are separated. What stands between the slashes is taken as it is: addresses
 * of cameras are read by parsers of their own, and two that are alike here are alike to all of them.
 */
function plainPlace(address: string, ports: readonly ExternalPort[] = []): string {
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*:)\/\/(.*)$/is.exec(address) ?? [];
  if (scheme === undefined) return address;
  const [, host = "", given] = /^([^/?#]*?)(?::(\d+))?(?:[/?#].*)?$/s.exec(rest) ?? [];
  const protocol = scheme.toLowerCase();
  const port = given === undefined ? PORTS[protocol] : Number(given);
  const outer = ports.find(({ integratedPort }) => integratedPort === port)?.externalPort ?? port;
  return `${protocol}//${host.toLowerCase()}:${outer}`;
}

function alarmPlaces(delivery: AlarmDelivery): SecretPlaces {
  if (delivery.kind === "webhook") return [webPlace(delivery.url)];
  if (delivery.kind === "syslog") return [];
  const { security, host, port } = delivery;
  return [`${security}//${host.toLowerCase()}:${port}`];
}

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

function cameraPlaces(camera: Camera): SecretPlaces {
  const { streams } = camera.connection;
  const hostname = camera.connection.hostname.trim();
  const { externalPorts } = cameraOptions(camera).connection;
  const isStream = /^rtsp[a-z+]*:/i.test(hostname);
  const ports = isStream ? externalPorts : [];
  const own = Object.values(streams)
    .map(({ additionalParams }) => additionalParams.trim())
    .filter((params) => HAS_SCHEME.test(params))
    .map((url) => plainPlace(url, ports));
  return [...(isStream ? [plainPlace(hostname, ports)] : devicePlaces(camera)), ...own];
}

/** A device says itself where its streams are, on its own host: unencrypted ones only where these are allowed. */
function devicePlaces(camera: Camera): SecretPlaces {
  const hostname = camera.connection.hostname.trim();
  if (hostname === "") return [];
  const { secureConnectionOnly: isSecure, externalPorts } = cameraOptions(camera).connection;
  const plain = plainPlace(HAS_SCHEME.test(hostname) ? hostname : `http://${hostname}`);
  const services = HAS_SCHEME.test(hostname)
    ? [plain]
    : [...(isSecure ? [] : [plain]), plainPlace(`https://${hostname}`)];
  const streams = `streams of ${plainPlace(`http://${hostname.replace(HAS_SCHEME, "")}`)}`;
  const all = isSecure ? services : [...services, streams];
  // A router in front of several cameras distinguishes them by their ports.
  return externalPorts.length === 0 ? all : all.map((place) => JSON.stringify([place, externalPorts]));
}
