import * as v from "valibot";
import { type Guid, MASK, NvrdError } from "../../base/index.js";
import type { AlarmDelivery } from "../model/alarm-target.js";
import type { Analyser } from "../model/analyser.js";
import type { AwayTarget } from "../model/away-target.js";
import type { DirectorySettings } from "../model/directory.js";
import { LOCKED_SECRET, type Site } from "../model/model.js";
import { withDefaultParts } from "../model/site-defaults.js";
import { isSite, isTooDeep, shapeProblems } from "../schema/site-schema.js";
import { siteWarnings } from "../schema/site-warnings.js";
import { CONFIGURATION_FORMAT, isReadableFormat, newerFormatError } from "./revision-document.js";
import { addressesOf, withoutLogins } from "./without-logins.js";

/**
 * A configuration as a file for backup or transfer to another recorder: `{ "nvrdConfiguration": 10, "site": { … } }` without
 * passwords, and separately the passwords: `{ "nvrdConfigurationSecrets": 1, "cameras": { id: password }, … }`.
 */
export interface SiteExport {
  readonly document: Readonly<Record<string, unknown>>;
  readonly secrets: SiteSecrets;
}

const SECRETS_FORMAT = 1;

export interface SiteSecrets {
  readonly nvrdConfigurationSecrets: typeof SECRETS_FORMAT;
  /** Passwords by camera. */
  readonly cameras: Readonly<Record<Guid, string>>;
  /** The stored password hashes, by user; null: logs in without a password. */
  readonly users: Readonly<Record<Guid, string | null>>;
  readonly monitoringPassword: string;
  /** Passwords and keys by alarm target; absent in older files. */
  readonly alarms?: Readonly<Record<Guid, string>> | undefined;
  /** Secrets by target of recordings off the box; absent in older files. */
  readonly away?: Readonly<Record<Guid, AwaySecrets>> | undefined;
  /** Keys by analyser; absent in older files. */
  readonly analysers?: Readonly<Record<Guid, string>> | undefined;
  /** The account at the directory, and its password; absent in older files, and where there is none. */
  readonly directory?: DirectoryAccount | undefined;
}

/** It is that of one directory: it goes to no other one. */
type DirectoryAccount = Pick<DirectorySettings, "url" | "serviceDn" | "servicePassword">;

export type AwaySecrets = Pick<AwayTarget, (typeof AWAY_SECRETS)[number]>;
const AWAY_SECRETS = ["secretAccessKey", "sessionToken", "proxyPassword", "identity"] as const;

export interface SiteImport {
  readonly site: Site;
  /** Notes for the user: whose secrets are missing. */
  readonly notes: readonly string[];
}

const NAMES_TOLD_MAX = 20;

const secretsSchema = v.object({
  nvrdConfigurationSecrets: v.literal(SECRETS_FORMAT, `accepted: ${SECRETS_FORMAT}`),
  cameras: v.record(v.string(), v.string("accepted: a text")),
  users: v.record(v.string(), v.nullable(v.string("accepted: a text or null"))),
  monitoringPassword: v.string("accepted: a text"),
  alarms: v.optional(v.record(v.string(), v.string("accepted: a text"))),
  away: v.optional(
    v.record(
      v.string(),
      v.object({
        secretAccessKey: v.string(),
        sessionToken: v.string(),
        proxyPassword: v.string(),
        identity: v.optional(v.string(), ""),
      }),
    ),
  ),
  analysers: v.optional(v.record(v.string(), v.string("accepted: a text"))),
  directory: v.optional(v.object({ url: v.string(), serviceDn: v.string(), servicePassword: v.string() })),
});

/** The file for whoever may read it: without logins in addresses too. */
export function exportWithoutLogins(site: Site): Readonly<Record<string, unknown>> {
  const { document } = exportSite(site);
  return { ...document, site: withoutLogins(document.site) };
}

export function exportSite(site: Site): SiteExport {
  const cameras = site.cameras.map(({ connection: { password, ...connection }, ...camera }) => ({
    ...camera,
    connection,
  }));
  const users = site.users.map(({ secret, ...user }) => user);
  const { password, ...monitoring } = site.monitoring;
  const alarmTargets = site.alarmTargets.map((target) => ({
    ...target,
    delivery: openDelivery(target.delivery),
  }));
  const awayTargets = site.awayTargets.map((target) =>
    Object.fromEntries(Object.entries(target).filter(([name]) => !isAwaySecret(name))),
  );
  const analysers = site.analysers.map((analyser) => ({ ...analyser, source: openSource(analyser.source) }));
  const directory = openDirectory(site.directory);
  return {
    document: {
      nvrdConfiguration: CONFIGURATION_FORMAT,
      site: { ...site, cameras, users, monitoring, alarmTargets, awayTargets, analysers, ...directory },
    },
    secrets: {
      nvrdConfigurationSecrets: SECRETS_FORMAT,
      cameras: Object.fromEntries(site.cameras.map(({ id, connection }) => [id, connection.password])),
      users: Object.fromEntries(site.users.map(({ id, secret }) => [id, secret])),
      monitoringPassword: password,
      alarms: Object.fromEntries(site.alarmTargets.map(({ id, delivery }) => [id, alarmSecretOf(delivery)])),
      away: Object.fromEntries(site.awayTargets.map((target) => [target.id, awaySecretsOf(target)])),
      analysers: Object.fromEntries(site.analysers.map(({ id, source }) => [id, analyserKeyOf(source)])),
      ...directoryAccountOf(site.directory),
    },
  };
}

/**
 * Reads the output of `exportSite` for the recorder with the configuration `current`. Its server is replaced by this one.
 * Secrets missing in both files are taken from `current` by id, then from `former`. A user without a secret is locked, a camera
 * gets an empty password; `notes` lists them, and addresses whose login the file hides. Throws NvrdError BAD_REQUEST or FORMAT_NEWER; the store checks the result.
 */
export function importSite(options: {
  readonly document: unknown;
  readonly secrets?: unknown;
  readonly current: Site;
  /** Has the secrets of what `current` does not have any more. */
  readonly former?: Site;
  /** Names of users who keep the password they have here where their secret is not known by id. */
  readonly keepPasswords?: readonly string[];
}): SiteImport {
  const { document, current, former, keepPasswords = [] } = options;
  const kept = new Map(
    current.users
      .filter(({ name }) => keepPasswords.includes(name))
      .map(({ name, secret }) => [name, secret]),
  );
  const known = [current, former].map((site) => (site === undefined ? undefined : exportSite(site).secrets));
  const given = options.secrets === undefined ? undefined : readSecrets(options.secrets);
  const notes = new Notes();
  const site = withSecrets(siteOf(document), { sources: [given, ...known], kept, notes });
  if (!isSite(site)) throw refused(shapeProblems(site).join("; "));
  for (const { what, names } of siteWarnings(site)) for (const name of names) notes.add(what, name);
  return { site: onServer(site, current), notes: notes.texts };
}

function siteOf(document: unknown): unknown {
  if (isTooDeep(document)) throw refused("nested too deep");
  if (!isObject(document) || !("nvrdConfiguration" in document) || !("site" in document)) {
    throw refused("not an exported configuration");
  }
  const format = document.nvrdConfiguration;
  if (typeof format === "number" && format > CONFIGURATION_FORMAT) throw newerFormatError("this file");
  if (!isReadableFormat(format))
    throw refused(`nvrdConfiguration is no format: accepted are 1 to ${CONFIGURATION_FORMAT}`);
  return withDefaultParts(document.site);
}

function readSecrets(data: unknown): SiteSecrets {
  const result = v.safeParse(secretsSchema, data);
  // The library's message would only contain a path.
  if (!result.success) throw refused("the secrets are not those of an exported configuration");
  return result.output;
}

interface KnownSecrets {
  readonly sources: readonly (SiteSecrets | undefined)[];
  /** Secrets of users by name. */
  readonly kept: ReadonlyMap<unknown, string | null>;
  readonly notes: Notes;
}

/** The document with its secrets inserted; invalid data is left for the schema to reject. */
function withSecrets(site: unknown, { sources, kept, notes }: KnownSecrets): unknown {
  if (!isObject(site)) return site;
  const { cameras, users, monitoring, alarmTargets, awayTargets, analysers, directory } = site;
  const find = <T>(of: (secrets: SiteSecrets) => T | undefined): T | undefined =>
    sources
      .flatMap((source) => (source === undefined ? [] : [of(source)]))
      .find((value) => value !== undefined);
  const camera = (item: unknown): unknown => {
    if (!isObject(item) || !isObject(item.connection)) return item;
    if (hasHiddenLogin("cameras", item)) notes.add(`cameras with a ${HIDDEN}`, item.name);
    if ("password" in item.connection) return item;
    const password = find((secrets) => own(secrets.cameras, item.id));
    if (password === undefined) notes.add("cameras without a known password", item.name);
    return { ...item, connection: { ...item.connection, password: password ?? "" } };
  };
  const user = (item: unknown): unknown => {
    if (!isObject(item) || "secret" in item) return item;
    const ofId = find((secrets) => own(secrets.users, item.id));
    const secret = ofId === undefined ? kept.get(item.name) : ofId;
    if (secret === undefined) notes.add("users locked until they get a password", item.name);
    else if (ofId === undefined) notes.add("users who keep the password they have here", item.name);
    return { ...item, secret: secret === undefined ? LOCKED_SECRET : secret };
  };
  const target = (item: unknown): unknown => {
    if (!isObject(item) || !isObject(item.delivery)) return item;
    if (hasHiddenLogin("alarmTargets", item)) notes.add(`alarm targets with a ${HIDDEN}`, item.name);
    const member = item.delivery.kind === "webhook" ? "secret" : "password";
    if (item.delivery.kind === "syslog" || member in item.delivery) return item;
    const secret = find((secrets) => own(secrets.alarms ?? {}, item.id));
    if (secret === undefined) notes.add("alarm targets without a known password", item.name);
    return { ...item, delivery: { ...item.delivery, [member]: secret ?? "" } };
  };
  const away = (item: unknown): unknown => {
    if (!isObject(item) || AWAY_SECRETS.every((name) => name in item)) return item;
    const secrets = find(({ away: known }) => own(known ?? {}, item.id));
    if (secrets === undefined) notes.add("away targets without a known secret", item.name);
    return { secretAccessKey: "", sessionToken: "", proxyPassword: "", identity: "", ...secrets, ...item };
  };
  const analyser = (item: unknown): unknown => {
    if (!isObject(item) || !isObject(item.source)) return item;
    if (hasHiddenLogin("analysers", item)) notes.add(`analysers with a ${HIDDEN}`, item.name);
    if (item.source.kind !== "vision" || "apiKey" in item.source) return item;
    const apiKey = find((secrets) => own(secrets.analysers ?? {}, item.id));
    if (apiKey === undefined) notes.add("analysers without a known key", item.name);
    return { ...item, source: { ...item.source, apiKey: apiKey ?? "" } };
  };
  const account = (item: Readonly<Record<string, unknown>>): unknown => {
    if ("servicePassword" in item) return item;
    const { url, serviceDn } = item;
    const known = find(({ directory: one }) =>
      one?.url === url && one?.serviceDn === serviceDn ? one?.servicePassword : undefined,
    );
    if (known === undefined && serviceDn !== "") notes.add("directories without a known password", url);
    return { ...item, servicePassword: known ?? "" };
  };
  const password = find((secrets) => secrets.monitoringPassword);
  return {
    ...site,
    ...(Array.isArray(cameras) ? { cameras: cameras.map(camera) } : {}),
    ...(Array.isArray(users) ? { users: users.map(user) } : {}),
    ...(Array.isArray(alarmTargets) ? { alarmTargets: alarmTargets.map(target) } : {}),
    ...(Array.isArray(awayTargets) ? { awayTargets: awayTargets.map(away) } : {}),
    ...(Array.isArray(analysers) ? { analysers: analysers.map(analyser) } : {}),
    ...(isObject(monitoring) ? { monitoring: { password, ...monitoring } } : {}),
    ...(isObject(directory) ? { directory: account(directory) } : {}),
  };
}

/** An address of a file without logins, of which nobody here knows what was hidden. */
const HIDDEN = `hidden login (${MASK}) in an address, to be entered again`;

function hasHiddenLogin(list: "cameras" | "alarmTargets" | "analysers", item: unknown): boolean {
  return addressesOf(list, item).some((address) => address.includes(MASK));
}

/** The password or signing key of a target; empty if none. */
function alarmSecretOf(delivery: AlarmDelivery): string {
  if (delivery.kind === "webhook") return delivery.secret;
  return delivery.kind === "mail" ? delivery.password : "";
}

/** The key of a vision server; empty if none. */
function analyserKeyOf(source: Analyser["source"]): string {
  return source.kind === "vision" ? source.apiKey : "";
}

/** A source without its key. */
function openSource(source: Analyser["source"]): Readonly<Record<string, unknown>> {
  if (source.kind !== "vision") return { ...source };
  const { apiKey, ...rest } = source;
  return rest;
}

/** The directory without the password of its account. */
function openDirectory(directory: DirectorySettings | undefined): { readonly directory?: object } {
  if (directory === undefined) return {};
  const { servicePassword, ...open } = directory;
  return { directory: open };
}

function directoryAccountOf(directory: DirectorySettings | undefined): Pick<SiteSecrets, "directory"> {
  if (directory === undefined) return {};
  const { url, serviceDn, servicePassword } = directory;
  return { directory: { url, serviceDn, servicePassword } };
}

function isAwaySecret(name: string): boolean {
  return AWAY_SECRETS.some((secret) => secret === name);
}

function awaySecretsOf({ secretAccessKey, sessionToken, proxyPassword, identity }: AwayTarget): AwaySecrets {
  return { secretAccessKey, sessionToken, proxyPassword, identity };
}

/** A delivery without its secret. */
function openDelivery(delivery: AlarmDelivery): Readonly<Record<string, unknown>> {
  const { kind, ...rest } = delivery;
  const shown = Object.entries(rest).filter(([name]) => name !== "secret" && name !== "password");
  return { kind, ...Object.fromEntries(shown) };
}

/** Converts the configuration of one server to another: all references to the server are replaced. */
function onServer(site: Site, current: Site): Site {
  const own = (id: Guid): Guid => (id === site.server.id ? current.server.id : id);
  const { serverIds, proxyServerId } = site.monitoring;
  return {
    ...site,
    server: { ...site.server, id: current.server.id },
    cameras: site.cameras.map((camera) => ({ ...camera, ownerServerId: own(camera.ownerServerId) })),
    monitoring: {
      ...site.monitoring,
      serverIds: serverIds.map(own),
      proxyServerId: proxyServerId === null ? null : own(proxyServerId),
    },
  };
}

/** Sentences with bounded lists of names. */
class Notes {
  readonly #names = new Map<string, string[]>();

  add(what: string, name: unknown): void {
    this.#names.set(what, [...(this.#names.get(what) ?? []), typeof name === "string" ? name : "?"]);
  }

  get texts(): readonly string[] {
    return [...this.#names].map(([what, names]) => {
      const more = names.length > NAMES_TOLD_MAX ? `, and ${names.length - NAMES_TOLD_MAX} more` : "";
      return `${what}: ${names.slice(0, NAMES_TOLD_MAX).join(", ")}${more}`;
    });
  }
}

/** An own member of the record, not an inherited one. */
function own<T>(record: Readonly<Record<string, T>>, key: unknown): T | undefined {
  return typeof key === "string" && Object.hasOwn(record, key) ? record[key] : undefined;
}

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

function refused(reason: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `configuration not imported: ${reason}`, {
    hint: "give a file that nvrd config export wrote",
  });
}
