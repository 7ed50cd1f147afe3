import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import {
  type ClockTrust,
  errorText,
  LANGUAGES,
  type Language,
  type LogOptions,
  NvrdError,
} from "../base/index.js";
import { CREDENTIAL_PREFIX, Credentials } from "../host/systemd/index.js";
import { BUCKET_PATH_SETTINGS, BUCKET_SETTING_DEFINITIONS, bucketProblems } from "./bucket-settings.js";
import { CARD_SETTING_DEFINITIONS } from "./card-settings.js";
import { absentCredential, givenCredentials, namedCredential } from "./credentials.js";
import { define, type SettingDefinition } from "./definition.js";
import { LDAP_SETTING_DEFINITIONS, ldapProblems } from "./directory-settings.js";
import { HUB_SETTING_DEFINITIONS } from "./hub-settings.js";
import {
  HUB_STORE_PATH_SETTINGS,
  HUB_STORE_SETTING_DEFINITIONS,
  hubStoreProblems,
} from "./hub-store-settings.js";
import { MEMORY_SETTING_DEFINITIONS } from "./memory-settings.js";
import { MQTT_PATH_SETTINGS, MQTT_SETTING_DEFINITIONS, mqttProblems } from "./mqtt-settings.js";
import { OIDC_PATH_SETTINGS, OIDC_SETTING_DEFINITIONS, oidcProblems } from "./oidc-settings.js";
import { ONVIF_SETTING_DEFINITIONS } from "./onvif-settings.js";
import {
  addressRanges,
  byteCount,
  bytesOf,
  contactAddress,
  DEFAULT_RESERVE,
  filePath,
  frameAncestors,
  ipAddress,
  oneOf,
  origins,
  pathPrefix,
  port,
  productName,
  type VolumeSetting,
  volumes,
  wholeNumber,
} from "./values.js";

const SHOWN_LENGTH_MAX = 80;

/** How the log is written to standard output. */
export type LogFormat = "auto" | "text" | "json";

/**
 * The settings of the service. Each is defined once, here, and can be given by a flag, by an environment variable or in the
 * settings file (JSON), in this order of precedence. docs/ref/settings.md is generated from these definitions.
 */
export const SETTING_DEFINITIONS = {
  dataDir: define({
    kind: filePath,
    fallback: "./data",
    description: "Directory of the configuration, the index and the control socket, on the system disk.",
    flag: "data",
  }),
  listen: define({
    kind: ipAddress,
    fallback: "0.0.0.0",
    description: "Address on which the HTTP, HTTPS and RTSP servers listen. `::` means IPv6 and IPv4.",
    flag: "listen",
  }),
  httpPort: define({
    kind: port,
    fallback: 8080,
    description: "Port of the API over HTTP.",
    flag: "http-port",
  }),
  httpsPort: define({
    kind: port,
    fallback: 18_080,
    description: "Port of the API over HTTPS.",
    flag: "https-port",
  }),
  rtspPort: define({
    kind: port,
    fallback: 554,
    description:
      "Port of the RTSP server for viewers, unless the configuration (`PUT /configure/rtsp`) has another one; 0: none, " +
      "whatever the configuration says. A port that is not available is logged and retried each second.",
    flag: "rtsp-port",
  }),
  tlsCertificate: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "one that the recorder's own authority signs, in the data directory",
    description:
      "Certificate chain for HTTPS, PEM. Requires `tlsKey`. Under systemd, settings that name a file accept " +
      "`credential:NAME` as well (docs/guide/secure.md).",
  }),
  tlsKey: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "the key of that certificate",
    description: "Private key for HTTPS, PEM. Requires `tlsCertificate`.",
  }),
  codecHardware: define<"auto" | "off">({
    kind: oneOf(["auto", "off"]),
    fallback: "auto",
    description:
      "Hardware decoders and encoders (V4L2 M2M, Rockchip MPP): `auto` uses those that decode and encode a test clip " +
      "right, `off` none.",
  }),
  logLevel: define<LogOptions["level"]>({
    kind: oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
    fallback: "info",
    description: "Log level. The log goes to standard output.",
  }),
  logFormat: define<LogFormat>({
    kind: oneOf(["auto", "text", "json"]),
    fallback: "auto",
    description:
      "How a line of the log looks: `json` is one JSON object per line, `text` a line to read, with the camera's name before " +
      "the message. `auto`: `text` on a terminal, else `json`. The journal gets its own fields in any case.",
  }),
  volumes: define<readonly VolumeSetting[] | undefined>({
    kind: volumes,
    fallback: undefined,
    fallbackText: "one volume, the directory `volume` in the data directory",
    description:
      "Directories to record into, one per disk. At most `quotaBytes` is recorded into each (default: no limit), " +
      "and `reserveBytes` of its disk stay free (default: 5 %, at most 1 GB); the oldest recordings are deleted. With " +
      "`mount: true` a directory that is not a mount point is refused, so that nothing is recorded onto the system disk while " +
      "the volume's disk is not mounted. " +
      "`workloadTbPerYear` is the drive's workload rating, for the health report.",
  }),
  protectedPercentMax: define({
    kind: wholeNumber(0, 90),
    fallback: 30,
    unit: "%",
    description:
      "Share of what a volume may hold that users may protect from retention (evidence lock). Beyond it a request is refused.",
  }),
  segmentSeconds: define({
    kind: wholeNumber(5, 110),
    fallback: 60,
    unit: "s",
    description: "Length of a segment file; it ends at the first key frame after that.",
  }),
  syncIntervalMs: define({
    kind: wholeNumber(100, 2000),
    fallback: 1000,
    unit: "ms",
    description: "How often recordings are synced to the disk. A power cut loses at most this much.",
  }),
  clockTrust: define<ClockTrust>({
    kind: oneOf(["auto", "network", "always"]),
    fallback: "auto",
    description:
      "When the machine's clock is believed. `auto`: once a time server disciplines it, the kernel took it from a battery " +
      "clock or from the host of a virtual machine, somebody sets it, or an operator confirms it (`POST /api/clock`); the " +
      "times of earlier recordings are then corrected, and until then no recording is deleted because of its age. " +
      "`network`: the same without battery clock and host, for a machine whose battery clock is bad. `always`: at once, " +
      "for a machine that has none of these and is right all the same.",
  }),
  volumesDirectory: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none: the volumes are those of `volumes`",
    description:
      "File systems mounted directly below it, with a name that begins with `nvrd-`, are volumes without being listed in " +
      "`volumes`: at the start, and when they are mounted later. The Debian package and the image set `/srv`. If `volumes` " +
      "is not set, the data directory is recorded into only while there is no such disk.",
  }),
  diskKeeper: define({
    kind: filePath,
    fallback: "/run/nvrd-disks/keeper.sock",
    description:
      "Socket of the root process that formats disks for nvrd (`nvrd disk-keeper`); set by the Debian package.",
  }),
  networkKeeper: define({
    kind: filePath,
    fallback: "/run/nvrd-network/keeper.sock",
    description:
      "Socket of the root process that changes the machine's network for nvrd (`nvrd network-keeper`); set by the Debian package.",
  }),
  diskReport: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none: a service with root rights reads SMART itself, any other has no SMART data",
    description:
      "The report on the disks (SMART) that `nvrd disk-report --out FILE`, run by root, writes every 30 minutes. It is read " +
      "each minute.",
  }),
  modelsFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "`models.json` in the data directory, if it exists",
    description:
      "Camera models that extend or replace the bundled ones (JSON, docs/ref/models.md). Read at the start.",
  }),
  cameraEventPort: define({
    kind: wholeNumber(0, 65_535, "; 0 = any free port"),
    fallback: 0,
    description:
      "TCP port to which cameras without ONVIF pull points push their events. It is open only while there is such a camera, " +
      "on the local address that the camera uses, and only for that camera.",
  }),
  readTickMs: define({
    kind: wholeNumber(10, 500),
    fallback: 200,
    unit: "ms",
    description:
      "How often a camera's socket is read while nobody watches it live. A longer interval costs less CPU. A camera that is only " +
      "recorded is read half as often, at least every 400 ms or as this says: with the writes to the disk.",
  }),
  eventDays: define({
    kind: wholeNumber(1, 3650),
    fallback: 365,
    unit: "days",
    description: "How long events are kept; older ones are deleted.",
  }),
  eventBytesMax: define({
    kind: byteCount(16e6, 1e12),
    fallback: 1e9,
    unit: "bytes",
    description:
      "Maximum size of the event log's file; the oldest events are deleted. A gigabyte holds about eight " +
      "million events without pictures. A file that is already larger does not shrink, but does not grow either.",
  }),
  language: define<Language>({
    kind: oneOf(LANGUAGES),
    fallback: "en",
    description:
      "Language in which event types are named (`EventDescription`, `/archive_event_types`): `en` English, `ru` Russian. Events that are kept already are named in it too.",
  }),
  timeZoneChoice: define<"machine" | "owner">({
    kind: oneOf(["machine", "owner"]),
    fallback: "machine",
    description:
      "Who decides on the time zone: `machine`: it is the machine's; `owner`: it is chosen at the first run (`POST /api/setup`) " +
      "and kept in the data directory. The image sets `owner`.",
  }),
  ...MEMORY_SETTING_DEFINITIONS,
  stillCacheBytes: define({
    kind: byteCount(0, 1e9),
    fallback: 32e6,
    unit: "bytes",
    description:
      "Memory for the cache of single pictures (`/site`). 32 MB hold about 10,000 thumbnails of 64x36. A picture that " +
      "nobody asks for again goes after 20 to 40 s. A machine with little memory caches less (docs/design/memory.md).",
  }),
  updateDir: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none: only an image has slots for updates",
    description:
      "Directory in which the units of the image report the progress of an update (docs/design/update.md). The service only reads it.",
  }),
  corsOrigins: define<readonly string[]>({
    kind: origins,
    fallback: ["*"],
    description:
      "Web pages that may call the API from a browser (Access-Control-Allow-Origin). `*`: any page may read, and none may change anything, open a socket or begin work; pages that are named may. Empty: none.",
  }),
  page: define<"on" | "off">({
    kind: oneOf(["on", "off"]),
    fallback: "on",
    description:
      "Whether the recorder's own page is served to browsers at `/`. The API is the same without it.",
  }),
  pageFrameAncestors: define<readonly string[]>({
    kind: frameAncestors,
    fallback: [],
    fallbackText: "none: no other page may",
    description:
      "Web pages that may show the recorder's page in a frame: origins, and `self` for this address. In a page of another " +
      "site nobody can log in, because browsers keep the session's cookie from it.",
  }),
  trustedProxies: define<readonly string[]>({
    kind: addressRanges,
    fallback: [],
    fallbackText: "none: the client is who connects",
    description:
      "Reverse proxies in front of the API. Where one of them connects, the client's address is the last one in " +
      "`X-Forwarded-For` that is not a trusted proxy's itself; from others the header is ignored. Failed logins and " +
      "requests under way are counted by this address, and events name it. A proxy that sets no such header shares one " +
      "address among its clients.",
  }),
  pathPrefix: define<string>({
    kind: pathPrefix,
    fallback: "",
    fallbackText: "none",
    description:
      "The path below which a reverse proxy has the recorder, such as `/nvr`: what is asked for there is answered as without it. " +
      "Not needed where the proxy takes the path off before it passes a request on (docs/guide/proxy.md).",
  }),
  webhookPrivateTargets: define<"allow" | "forbid">({
    kind: oneOf(["allow", "forbid"]),
    fallback: "allow",
    description:
      "Whether webhooks of alarms, what is sent to the monitoring service, and pictures for analysers may reach addresses that are no hosts of the internet: this machine, private networks, " +
      "and reserved ranges. `forbid`: what a name stands for is checked when it is connected to.",
  }),
  pushPrivateTargets: define<"allow" | "forbid">({
    kind: oneOf(["allow", "forbid"]),
    fallback: "forbid",
    description:
      "Whether messages to browsers may go to push services that are no hosts of the internet. Every user names one by " +
      "subscribing. `forbid`: what a name stands for is checked when it is connected to.",
  }),
  pushContact: define({
    kind: contactAddress,
    fallback: "mailto:nvrd@example.com",
    description:
      "Whom the operator of a push service may turn to about messages to browsers: your mail address or page. It goes to the push " +
      "services with each message. Apple's refuses names that are none on the internet.",
  }),
  productType: define({
    kind: productName,
    fallback: "Ultra",
    description: "Name of the licence in /configex. Enterprise and Ultra include the configuration API.",
  }),
  ...LDAP_SETTING_DEFINITIONS,
  ...OIDC_SETTING_DEFINITIONS,
  ...MQTT_SETTING_DEFINITIONS,
  ...ONVIF_SETTING_DEFINITIONS,
  ...HUB_SETTING_DEFINITIONS,
  ...HUB_STORE_SETTING_DEFINITIONS,
  ...CARD_SETTING_DEFINITIONS,
  ...BUCKET_SETTING_DEFINITIONS,
} as const;

type Definitions = typeof SETTING_DEFINITIONS;
export type SettingName = keyof Definitions;
export const SETTING_NAMES = Object.keys(SETTING_DEFINITIONS) as SettingName[];

type ValueOf<N extends SettingName> = Definitions[N] extends SettingDefinition<infer T> ? T : never;
type GivenSettings = { -readonly [N in SettingName]: ValueOf<N> };

/** The settings in effect: every setting with its value, paths absolute. */
export interface Settings extends Readonly<Omit<GivenSettings, "volumes">> {
  readonly volumes: readonly VolumeSetting[];
  /** Whether another port is used if one is in use or privileged; the demo sets it. Not a setting of the file. */
  readonly portFallback: boolean;
}

export interface SettingSources {
  /** By flag name, without dashes; `config` is the settings file. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths in flags and variables; that of the process when absent. */
  readonly workingDirectory?: string;
  readonly portFallback?: boolean;
  /** The default log level; that of the definition when absent. */
  readonly fallbackLogLevel?: LogOptions["level"];
  /** The default volumes; the directory `volume` in the data directory when absent. */
  readonly fallbackVolumes?: (dataDir: string) => readonly VolumeSetting[];
}

/** Name of the event log in the data directory. Without a dot: lmdb treats a path with a dot as a file. */
export const EVENTS_NAME = "events";

const FILE_BYTES_MAX = 1024 * 1024;
const PROBLEMS_NAMED_MAX = 20;
/** Variables with the prefix that are not settings. */
const OTHER_VARIABLES = new Set(["NVRD_CONFIG", "NVRD_ROOT_PASSWORD"]);
/** Variables of tests and benchmarks. */
const FOREIGN_VARIABLES = /^NVRD_(?:TEST|BENCH|WRITE)_/;
const PORT_PAIRS: readonly (readonly [SettingName, SettingName])[] = [
  ["httpPort", "httpsPort"],
  ["httpPort", "rtspPort"],
  ["httpsPort", "rtspPort"],
  ["cameraEventPort", "httpPort"],
  ["cameraEventPort", "httpsPort"],
  ["cameraEventPort", "rtspPort"],
];
const PATH_SETTINGS: readonly SettingName[] = [
  "dataDir",
  "tlsCertificate",
  "modelsFile",
  "diskReport",
  "updateDir",
  "diskKeeper",
  "networkKeeper",
  "volumesDirectory",
  "tlsKey",
  "ldapCaFile",
  "ldapServicePasswordFile",
  ...MQTT_PATH_SETTINGS,
  ...BUCKET_PATH_SETTINGS,
  ...OIDC_PATH_SETTINGS,
  ...HUB_STORE_PATH_SETTINGS,
];

/** The environment variable of a setting: `httpPort` is `NVRD_HTTP_PORT`; the data directory is `NVRD_DATA`. */
export function variableOf(name: SettingName): string {
  if (name === "dataDir") return "NVRD_DATA";
  return `NVRD_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/**
 * Reads the settings from all sources. Throws NvrdError SETTINGS_INVALID that lists every value that is not accepted, its
 * source, and what is accepted.
 */
export function loadSettings(sources: SettingSources): Settings {
  const workingDirectory = sources.workingDirectory ?? process.cwd();
  const credentials = new Credentials(sources.environment.CREDENTIALS_DIRECTORY);
  const reading = new SettingsReading({ logLevel: sources.fallbackLogLevel }, credentials);
  const file = sources.flags.config ?? sources.environment.NVRD_CONFIG;
  if (file !== undefined) readFile(reading, path.resolve(workingDirectory, file));
  readEnvironment(reading, sources.environment, workingDirectory);
  for (const name of SETTING_NAMES) {
    const { flag } = definitionOf(name);
    const text = flag === undefined ? undefined : sources.flags[flag];
    if (text !== undefined) reading.take(name, text, `flag --${flag}`, workingDirectory);
  }
  const given = reading.finish();
  const dataDir = path.resolve(workingDirectory, given.dataDir);
  const fallbackVolumes = sources.fallbackVolumes ?? defaultVolumes;
  return {
    ...given,
    dataDir,
    ...volumeSettings(given, fallbackVolumes(dataDir)),
    portFallback: sources.portFallback ?? false,
  };
}

/** A server that shows a bucket has no volumes, also where disks are mounted. */
function volumeSettings(
  { volumes, volumesDirectory, bucketEndpoint }: GivenSettings,
  fallback: readonly VolumeSetting[],
): Pick<Settings, "volumes" | "volumesDirectory"> {
  if (bucketEndpoint !== undefined) return { volumes: [], volumesDirectory: undefined };
  return { volumes: volumes ?? standIns(fallback, volumesDirectory), volumesDirectory };
}

function defaultVolumes(dataDir: string): readonly VolumeSetting[] {
  return [{ path: path.join(dataDir, "volume"), reserve: DEFAULT_RESERVE }];
}

/** If mounted disks become volumes automatically, the default volume on the system disk is only used while there is none. */
function standIns(
  volumes: readonly VolumeSetting[],
  volumesDirectory: string | undefined,
): readonly VolumeSetting[] {
  return volumesDirectory === undefined ? volumes : volumes.map((volume) => ({ ...volume, standIn: true }));
}

/** A volume's limits on a disk of `totalBytes`, in bytes. */
export function volumeBounds(
  volume: VolumeSetting,
  totalBytes: number,
): { readonly path: string; readonly quotaBytes?: number; readonly reserveBytes: number } {
  const bounds = { path: volume.path, reserveBytes: bytesOf(volume.reserve, totalBytes) };
  return volume.quota === undefined ? bounds : { ...bounds, quotaBytes: bytesOf(volume.quota, totalBytes) };
}

/** Collects values, where later sources override earlier ones, and all problems. */
class SettingsReading {
  readonly #fallbacks: Partial<Record<SettingName, unknown>>;
  readonly #values = new Map<SettingName, unknown>();
  readonly #credentials: Credentials;
  readonly #problems: string[] = [];

  constructor(fallbacks: Partial<Record<SettingName, unknown>>, credentials: Credentials) {
    this.#fallbacks = fallbacks;
    this.#credentials = credentials;
  }

  /** Sets `value`, or records the problem if it is not accepted. */
  take(name: SettingName, value: unknown, source: string, directory: string): void {
    const { kind } = definitionOf(name);
    const accepted = kind.read(value);
    if (accepted === undefined) {
      this.refuse(`${name}: ${shown(value)} (${source}) is not accepted; accepted: ${kind.accepts}`);
      return;
    }
    const credential = PATH_SETTINGS.includes(name) ? namedCredential(accepted) : undefined;
    if (credential === undefined) this.#values.set(name, withAbsolutePaths(name, accepted, directory));
    else this.#takeCredential(name, credential, source);
  }

  #takeCredential(name: SettingName, credential: string, source: string): void {
    const file = this.#credentials.fileOf(credential);
    if (file !== undefined) this.#values.set(name, file);
    else this.refuse(absentCredential(`${name}: ${shown(CREDENTIAL_PREFIX + credential)} (${source})`));
  }

  refuse(problem: string): void {
    this.#problems.push(problem);
  }

  /** Returns all settings; throws if there were problems. */
  finish(): GivenSettings {
    for (const [name, file] of givenCredentials(this.#credentials, (name) => this.#values.has(name)))
      this.#values.set(name, file);
    if (this.#values.has("tlsCertificate") !== this.#values.has("tlsKey")) {
      this.refuse("tlsCertificate, tlsKey: give both, or neither");
    }
    for (const problem of ldapProblems((name) => this.#values.has(name))) this.refuse(problem);
    for (const problem of bucketProblems((name) => this.#values.get(name))) this.refuse(problem);
    for (const problem of hubStoreProblems((name) => this.#values.get(name))) this.refuse(problem);
    for (const problem of oidcProblems((name) => this.#values.get(name))) this.refuse(problem);
    for (const problem of mqttProblems((name) => this.#values.get(name))) this.refuse(problem);
    for (const [name, other] of PORT_PAIRS) {
      const value = this.#valueOf(name);
      if (value !== 0 && value === this.#valueOf(other)) this.refuse(`${name}, ${other}: both are ${value}`);
    }
    const named = this.#problems.slice(0, PROBLEMS_NAMED_MAX);
    if (named.length > 0) throw new NvrdError("SETTINGS_INVALID", named.join("\n"));
    // Each value was checked by the kind in its definition.
    return Object.fromEntries(SETTING_NAMES.map((name) => [name, this.#valueOf(name)])) as GivenSettings;
  }

  #valueOf(name: SettingName): unknown {
    return this.#values.get(name) ?? this.#fallbacks[name] ?? definitionOf(name).fallback;
  }
}

function definitionOf(name: SettingName): SettingDefinition<unknown> {
  return SETTING_DEFINITIONS[name];
}

function readFile(reading: SettingsReading, file: string): void {
  const data = parseFile(file);
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw new NvrdError("SETTINGS_INVALID", `${file}: not a JSON object`);
  }
  for (const [key, value] of Object.entries(data)) {
    const name = SETTING_NAMES.find((known) => known === key);
    if (name === undefined)
      reading.refuse(`${shown(key)} (file ${file}) is not a setting; ${suggestion(key, SETTING_NAMES)}`);
    else reading.take(name, value, `file ${file}`, path.dirname(file));
  }
}

function parseFile(file: string): unknown {
  try {
    if (statSync(file).size > FILE_BYTES_MAX) throw new Error(`longer than ${FILE_BYTES_MAX} bytes`);
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new NvrdError("SETTINGS_INVALID", `settings file ${file}: ${errorText(error)}`, { cause: error });
  }
}

function readEnvironment(
  reading: SettingsReading,
  environment: SettingSources["environment"],
  directory: string,
): void {
  const byVariable = new Map(SETTING_NAMES.map((name) => [variableOf(name), name]));
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || !variable.startsWith("NVRD_")) continue;
    if (OTHER_VARIABLES.has(variable) || FOREIGN_VARIABLES.test(variable)) continue;
    const name = byVariable.get(variable);
    if (name !== undefined) reading.take(name, text, `environment ${variable}`, directory);
    else
      reading.refuse(
        `${shown(variable)} (environment) is not a setting; ${suggestion(variable, [...byVariable.keys()])}`,
      );
  }
}

/** Paths of a file are relative to the file, others to the working directory. */
function withAbsolutePaths(name: SettingName, value: unknown, directory: string): unknown {
  if (PATH_SETTINGS.includes(name)) return path.resolve(directory, String(value));
  if (name !== "volumes") return value;
  return (value as readonly VolumeSetting[]).map((volume) => ({
    ...volume,
    path: path.resolve(directory, volume.path),
  }));
}

/** The known words with the longest common prefix, otherwise all of them. */
function suggestion(word: string, known: readonly string[]): string {
  const fold = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
  const folded = fold(word);
  const near = known.filter((name) => fold(name).startsWith(folded.slice(0, -2)) && folded.length > 3);
  return near.length > 0 ? `did you mean ${near.join(" or ")}?` : `settings are: ${known.join(", ")}`;
}

/** A value for a message: JSON, truncated. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}
