import * as v from "valibot";
import { type Guid, MASK, NvrdError } from "../../base/index.js";
import type { AlarmDelivery } from "../model/alarm-target.js";
import type { Analyser } from "../model/analyser.js";
import type { AwayTarget } from "../model/away-target.js";
import type { BrokerInConfiguration } from "../model/broker.js";
import type { DirectorySettings } from "../model/directory.js";
import { knownAddress, maskedPath, maskedQuery } from "../model/masked-address.js";
import { LOCKED_SECRET, type Site } from "../model/model.js";
import { goesElsewhere, SECRET_PLACES, type SecretPlaces } from "../model/secret-places.js";
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
  /** Whole addresses of webhooks by alarm target, and that of the monitoring service; absent in older files. */
  readonly webhooks?: Readonly<Record<Guid, string>> | undefined;
  readonly monitoringUrl?: string | undefined;
  /** Secrets by target of recordings off the box; absent in older files. */
  readonly away?: Readonly<Record<Guid, AwaySecrets>> | undefined;
  /** Keys by analyser; absent in older files. */
  readonly analysers?: Readonly<Record<Guid, string>> | undefined;
  /** The account at the directory, and its password; absent in older files, and where there is none. */
  readonly directory?: DirectoryAccount | undefined;
  /** The login at the MQTT broker, and its password; likewise. */
  readonly broker?: BrokerLogin | undefined;
}

/** It is that of one directory: it goes to no other one. */
type DirectoryAccount = Pick<DirectorySettings, "url" | "serviceDn" | "servicePassword">;
type BrokerLogin = Pick<BrokerInConfiguration, "url" | "login" | "password">;

export type AwaySecrets = Pick<AwayTarget, (typeof AWAY_SECRETS)[number]>;
const AWAY_SECRETS = ["secretAccessKey", "sessionToken", "proxyPassword", "identity"] as const;

export interface SiteImport {
  readonly site: Site;
  /** Notes for the user: whose secrets are missing. */
  readonly notes: readonly string[];
}

const NAMES_LISTED_MAX = 20;

/** The file of passwords, and what of it a command line gets. */
export const siteSecretsSchema = v.object({
  nvrdConfigurationSecrets: v.literal(SECRETS_FORMAT, `accepted: ${SECRETS_FORMAT}`),
  cameras: v.record(v.string(), v.string("accepted: a text")),
  users: v.record(v.string(), v.nullable(v.string("accepted: a text or null"))),
  monitoringPassword: v.string("accepted: a text"),
  alarms: v.optional(v.record(v.string(), v.string("accepted: a text"))),
  webhooks: v.optional(v.record(v.string(), v.string("accepted: a text"))),
  monitoringUrl: v.optional(v.string("accepted: a text")),
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
  broker: v.optional(v.object({ url: v.string(), login: v.string(), password: v.string() })),
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
  const { password, url: monitoringUrl, ...rest } = site.monitoring;
  const monitoring = { ...rest, url: maskedQuery(monitoringUrl) };
  const alarmTargets = site.alarmTargets.map((target) => ({
    ...target,
    delivery: openDelivery(target.delivery),
  }));
  const awayTargets = site.awayTargets.map((target) =>
    Object.fromEntries(Object.entries(target).filter(([name]) => !isAwaySecret(name))),
  );
  const analysers = site.analysers.map((analyser) => ({ ...analyser, source: openSource(analyser.source) }));
  const services = { ...openDirectory(site.directory), ...openBroker(site.broker) };
  return {
    document: {
      nvrdConfiguration: CONFIGURATION_FORMAT,
      site: { ...site, cameras, users, monitoring, alarmTargets, awayTargets, analysers, ...services },
    },
    secrets: {
      nvrdConfigurationSecrets: SECRETS_FORMAT,
      cameras: Object.fromEntries(site.cameras.map(({ id, connection }) => [id, connection.password])),
      users: Object.fromEntries(site.users.map(({ id, secret }) => [id, secret])),
      monitoringPassword: password,
      alarms: Object.fromEntries(site.alarmTargets.map(({ id, delivery }) => [id, alarmSecretOf(delivery)])),
      webhooks: Object.fromEntries(
        site.alarmTargets.flatMap(({ id, delivery }) =>
          delivery.kind === "webhook" ? [[id, delivery.url]] : [],
        ),
      ),
      monitoringUrl,
      away: Object.fromEntries(site.awayTargets.map((target) => [target.id, awaySecretsOf(target)])),
      analysers: Object.fromEntries(site.analysers.map(({ id, source }) => [id, analyserKeyOf(source)])),
      ...directoryAccountOf(site.directory),
      ...brokerLoginOf(site.broker),
    },
  };
}

/**
 * Reads the output of `exportSite` for the recorder with the configuration `current`. Its server is replaced by this one.
 * Secrets missing in both files are taken from `current` by id, then from `former`, where they go to the same place as there. A
 * user without a secret is locked, a camera gets an empty password; `notes` lists them, users who then log in without a
 * password, and addresses whose login the file hides. Throws NvrdError BAD_REQUEST or FORMAT_NEWER; the store checks the result.
 */
export function importSite(options: {
  readonly document: unknown;
  readonly secrets?: unknown;
  readonly current: Site;
  /** What the document was made of; it has the secrets of what `current` does not have any more. */
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
  const known = former === undefined ? [current] : [current, former];
  const given = options.secrets === undefined ? undefined : readSecrets(options.secrets);
  const notes = new Notes();
  const missing: Missing = { secrets: new Set(), away: new Map() };
  const site = withGivenSecrets(siteOf(document), given, missing);
  if (!isSite(site)) throw refused(shapeProblems(site).join("; "));
  for (const { what, names } of siteWarnings(site)) for (const name of names) notes.add(what, name);
  const whole = withKnownSecrets(withKnownAddresses(site, known.toReversed()), known, {
    missing,
    kept,
    notes,
  });
  const open = new Set(current.users.filter(({ secret }) => secret === null).map(({ id }) => id));
  for (const { id, name, secret } of whole.users)
    if (secret === null && !open.has(id)) notes.add("users who log in without a password now", name);
  return { site: onServer(whole, current), notes: notes.texts };
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
  const result = v.safeParse(siteSecretsSchema, data);
  // The library's message would only contain a path.
  if (!result.success) throw refused("the secrets are not those of an exported configuration");
  return result.output;
}

/** What is known beside the files: which items lack a secret, and the secrets of users by name. */
interface KnownBeside {
  readonly missing: Missing;
  readonly kept: ReadonlyMap<string, string | null>;
  readonly notes: Notes;
}

/** The items whose secrets neither file has. */
interface Missing {
  readonly secrets: Set<unknown>;
  readonly away: Map<unknown, readonly AwaySecret[]>;
}

type AwaySecret = (typeof AWAY_SECRETS)[number];
/** In place of ids, for what there is one of. */
const MONITORING = "monitoring";
const DIRECTORY = "directory";
const BROKER = "broker";

/** The document with the secrets of the second file; invalid data is left for the schema to reject. */
function withGivenSecrets(site: unknown, given: SiteSecrets | undefined, missing: Missing): unknown {
  if (!isObject(site)) return site;
  const { cameras, users, monitoring, alarmTargets, awayTargets, analysers, directory, broker } = site;
  /** The secret of an item; what stands for it where there is none. */
  const secretOf = <T>(id: unknown, known: T | undefined, otherwise: T): T => {
    if (known === undefined) missing.secrets.add(id);
    return known === undefined ? otherwise : known;
  };
  const camera = (item: unknown): unknown => {
    if (!isObject(item) || !isObject(item.connection) || "password" in item.connection) return item;
    const password = secretOf(item.id, own(given?.cameras, item.id), "");
    return { ...item, connection: { ...item.connection, password } };
  };
  const user = (item: unknown): unknown => {
    if (!isObject(item) || "secret" in item) return item;
    return { ...item, secret: secretOf(item.id, own(given?.users, item.id), LOCKED_SECRET) };
  };
  const target = (item: unknown): unknown => {
    if (!isObject(item) || !isObject(item.delivery) || item.delivery.kind === "syslog") return item;
    const isWebhook = item.delivery.kind === "webhook";
    const member = isWebhook ? "secret" : "password";
    const url = isWebhook
      ? { url: addressOf(item.delivery.url, own(given?.webhooks, item.id), maskedPath) }
      : {};
    const delivery = { ...item.delivery, ...url };
    if (member in delivery) return { ...item, delivery };
    return {
      ...item,
      delivery: { ...delivery, [member]: secretOf(item.id, own(given?.alarms, item.id), "") },
    };
  };
  const away = (item: unknown): unknown => {
    if (!isObject(item)) return item;
    const absent = AWAY_SECRETS.filter((name) => !(name in item));
    const secrets = own(given?.away, item.id);
    if (absent.length > 0 && secrets === undefined) missing.away.set(item.id, absent);
    return { ...Object.fromEntries(absent.map((name) => [name, ""])), ...secrets, ...item };
  };
  const analyser = (item: unknown): unknown => {
    if (!isObject(item) || !isObject(item.source)) return item;
    if (item.source.kind !== "vision" || "apiKey" in item.source) return item;
    const apiKey = secretOf(item.id, own(given?.analysers, item.id), "");
    return { ...item, source: { ...item.source, apiKey } };
  };
  const account = (item: Readonly<Record<string, unknown>>): unknown => {
    if ("servicePassword" in item) return item;
    const one = given?.directory;
    const isSame = one?.url === item.url && one?.serviceDn === item.serviceDn;
    return { ...item, servicePassword: secretOf(DIRECTORY, isSame ? one?.servicePassword : undefined, "") };
  };
  const login = (item: Readonly<Record<string, unknown>>): unknown => {
    if ("password" in item) return item;
    const one = given?.broker;
    const isSame = one?.url === item.url && one?.login === item.login;
    return { ...item, password: secretOf(BROKER, isSame ? one?.password : undefined, "") };
  };
  const service = (item: Readonly<Record<string, unknown>>): unknown => {
    const url = addressOf(item.url, given?.monitoringUrl, maskedQuery);
    if ("password" in item) return { ...item, url };
    return { ...item, url, password: secretOf(MONITORING, given?.monitoringPassword, "") };
  };
  return {
    ...site,
    ...(Array.isArray(cameras) ? { cameras: cameras.map(camera) } : {}),
    ...(Array.isArray(users) ? { users: users.map(user) } : {}),
    ...(Array.isArray(alarmTargets) ? { alarmTargets: alarmTargets.map(target) } : {}),
    ...(Array.isArray(awayTargets) ? { awayTargets: awayTargets.map(away) } : {}),
    ...(Array.isArray(analysers) ? { analysers: analysers.map(analyser) } : {}),
    ...(isObject(monitoring) ? { monitoring: service(monitoring) } : {}),
    ...(isObject(directory) ? { directory: account(directory) } : {}),
    ...(isObject(broker) ? { broker: login(broker) } : {}),
  };
}

/** The whole address, where that of the file is how it is shown. */
function addressOf(address: unknown, whole: string | undefined, shown: (url: string) => string): unknown {
  if (typeof address !== "string" || whole === undefined) return address;
  return knownAddress(address, whole, shown) ?? address;
}

/** Addresses of which the file hides a part, as the first of `known` has them that shows the same. */
function withKnownAddresses(site: Site, known: readonly Site[]): Site {
  const whole = (url: string, ones: readonly string[], shown: (url: string) => string): string =>
    ones.find((one) => shown(one) === url) ?? url;
  const monitoringUrls = known.map(({ monitoring }) => monitoring.url);
  return {
    ...site,
    monitoring: { ...site.monitoring, url: whole(site.monitoring.url, monitoringUrls, maskedQuery) },
    alarmTargets: site.alarmTargets.map((target) => {
      const { delivery } = target;
      if (delivery.kind !== "webhook") return target;
      const urls = sameOf(target, known, ({ alarmTargets }) => alarmTargets).flatMap((one) =>
        one.delivery.kind === "webhook" ? [one.delivery.url] : [],
      );
      return { ...target, delivery: { ...delivery, url: whole(delivery.url, urls, maskedPath) } };
    }),
  };
}

function sameOf<T extends { readonly id: Guid }>(
  item: T,
  known: readonly Site[],
  list: (site: Site) => readonly T[],
): readonly T[] {
  return known.flatMap((site) => list(site).filter(({ id }) => id === item.id));
}

/** The first that goes to the same place: a file may have another address for a camera of the same id. */
function stayingAt<T>(item: T, ones: readonly T[], places: (one: T) => SecretPlaces): T | undefined {
  return ones.find((one) => !goesElsewhere(places(one), places(item)));
}

/** The site with the secrets of `known` that are missing. */
function withKnownSecrets(site: Site, known: readonly Site[], { missing, kept, notes }: KnownBeside): Site {
  const isMissing = ({ id }: { readonly id: Guid }): boolean => missing.secrets.has(id);
  return {
    ...site,
    cameras: site.cameras.map((camera) => {
      if (hasHiddenLogin("cameras", camera)) notes.add(`cameras with a ${HIDDEN}`, camera.name);
      if (!isMissing(camera)) return camera;
      const same = stayingAt(
        camera,
        sameOf(camera, known, ({ cameras }) => cameras),
        SECRET_PLACES.camera,
      );
      if (same === undefined) notes.add("cameras without a known password", camera.name);
      const password = same?.connection.password ?? "";
      return { ...camera, connection: { ...camera.connection, password } };
    }),
    users: site.users.map((user) => {
      if (!isMissing(user)) return user;
      const [same] = sameOf(user, known, ({ users }) => users);
      if (same !== undefined) return { ...user, secret: same.secret };
      const secret = kept.get(user.name);
      if (secret === undefined) notes.add("users locked until they get a password", user.name);
      else notes.add("users who keep the password they have here", user.name);
      return secret === undefined ? user : { ...user, secret };
    }),
    alarmTargets: site.alarmTargets.map((target) => {
      if (hasHiddenLogin("alarmTargets", target)) notes.add(`alarm targets with a ${HIDDEN}`, target.name);
      if (!isMissing(target)) return target;
      const ones = sameOf(target, known, ({ alarmTargets }) => alarmTargets)
        .map(({ delivery }) => delivery)
        .filter(({ kind }) => kind === target.delivery.kind);
      const same = stayingAt(target.delivery, ones, SECRET_PLACES.alarm);
      if (same === undefined) notes.add("alarm targets without a known password", target.name);
      return same === undefined
        ? target
        : { ...target, delivery: withSecret(target.delivery, alarmSecretOf(same)) };
    }),
    awayTargets: site.awayTargets.map((target) => {
      const secrets = awaySecretsFrom(
        sameOf(target, known, (one) => one.awayTargets),
        target,
      );
      const absent = missing.away.get(target.id) ?? [];
      if (absent.some((name) => secrets[name] === undefined))
        notes.add("away targets without a known secret", target.name);
      return { ...target, ...Object.fromEntries(absent.map((name) => [name, secrets[name] ?? ""])) };
    }),
    analysers: site.analysers.map((analyser) => {
      if (hasHiddenLogin("analysers", analyser)) notes.add(`analysers with a ${HIDDEN}`, analyser.name);
      if (!isMissing(analyser) || analyser.source.kind !== "vision") return analyser;
      const ones = sameOf(analyser, known, ({ analysers }) => analysers).flatMap(({ source }) =>
        source.kind === "vision" ? [source] : [],
      );
      const same = stayingAt(analyser.source, ones, SECRET_PLACES.analyser);
      if (same === undefined) notes.add("analysers without a known key", analyser.name);
      return { ...analyser, source: { ...analyser.source, apiKey: same?.apiKey ?? "" } };
    }),
    ...withKnownServices(site, known, { missing, notes }),
  };
}

interface MissingBeside {
  readonly missing: Missing;
  readonly notes: Notes;
}

/** The same for what there is one of. */
function withKnownServices(
  { monitoring, directory, broker }: Site,
  known: readonly Site[],
  beside: MissingBeside,
): Pick<Site, "monitoring" | "directory" | "broker"> {
  const { missing, notes } = beside;
  const services = known.map((one) => one.monitoring);
  const service = stayingAt(monitoring, services, SECRET_PLACES.monitoring);
  const isServiceMissing = missing.secrets.has(MONITORING);
  if (isServiceMissing && service === undefined && services.some(({ password }) => password !== ""))
    notes.add("monitoring services without a known password", monitoring.url);
  const password = isServiceMissing ? (service?.password ?? "") : monitoring.password;
  return {
    monitoring: { ...monitoring, password },
    ...(directory === undefined ? {} : { directory: withKnownAccount(directory, known, beside) }),
    ...(broker === undefined ? {} : { broker: withKnownLogin(broker, known, beside) }),
  };
}

function withKnownAccount(
  directory: DirectorySettings,
  known: readonly Site[],
  { missing, notes }: MissingBeside,
): DirectorySettings {
  if (!missing.secrets.has(DIRECTORY)) return directory;
  const accounts = known.flatMap((one) => (one.directory === undefined ? [] : [one.directory]));
  const account = stayingAt(directory, accounts, SECRET_PLACES.directory);
  if (account === undefined && directory.serviceDn !== "")
    notes.add("directories without a known password", directory.url);
  return { ...directory, servicePassword: account?.servicePassword ?? "" };
}

function withKnownLogin(
  broker: BrokerInConfiguration,
  known: readonly Site[],
  { missing, notes }: MissingBeside,
): BrokerInConfiguration {
  if (!missing.secrets.has(BROKER)) return broker;
  const logins = known.flatMap((one) => (one.broker === undefined ? [] : [one.broker]));
  const login = stayingAt(broker, logins, SECRET_PLACES.broker);
  if (login === undefined && broker.login !== "") notes.add("brokers without a known password", broker.url);
  return { ...broker, password: login?.password ?? "" };
}

/** The keys and the proxy's password of the first that goes to the same place; the private key goes nowhere. */
function awaySecretsFrom(ones: readonly AwayTarget[], target: AwayTarget): Partial<AwaySecrets> {
  const keys = stayingAt(target, ones, SECRET_PLACES.awayKeys);
  const proxy = stayingAt(target, ones, SECRET_PLACES.awayProxy);
  return {
    ...(keys === undefined ? {} : { secretAccessKey: keys.secretAccessKey, sessionToken: keys.sessionToken }),
    ...(proxy === undefined ? {} : { proxyPassword: proxy.proxyPassword }),
    ...(ones[0] === undefined ? {} : { identity: ones[0].identity }),
  };
}

function withSecret(delivery: AlarmDelivery, secret: string): AlarmDelivery {
  if (delivery.kind === "syslog") return delivery;
  return delivery.kind === "webhook" ? { ...delivery, secret } : { ...delivery, password: secret };
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

/** The broker without the password of its login. */
function openBroker(broker: BrokerInConfiguration | undefined): { readonly broker?: object } {
  if (broker === undefined) return {};
  const { password, ...open } = broker;
  return { broker: open };
}

function brokerLoginOf(broker: BrokerInConfiguration | undefined): Pick<SiteSecrets, "broker"> {
  if (broker === undefined) return {};
  const { url, login, password } = broker;
  return { broker: { url, login, password } };
}

function isAwaySecret(name: string): boolean {
  return AWAY_SECRETS.some((secret) => secret === name);
}

function awaySecretsOf({ secretAccessKey, sessionToken, proxyPassword, identity }: AwayTarget): AwaySecrets {
  return { secretAccessKey, sessionToken, proxyPassword, identity };
}

/** A delivery without its secret, and with its address as it may be shown. */
function openDelivery(delivery: AlarmDelivery): Readonly<Record<string, unknown>> {
  const { kind, ...rest } = delivery;
  const shown = Object.entries(rest).filter(([name]) => name !== "secret" && name !== "password");
  const url = delivery.kind === "webhook" ? { url: maskedPath(delivery.url) } : {};
  return { kind, ...Object.fromEntries(shown), ...url };
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
      const more = names.length > NAMES_LISTED_MAX ? `, and ${names.length - NAMES_LISTED_MAX} more` : "";
      return `${what}: ${names.slice(0, NAMES_LISTED_MAX).join(", ")}${more}`;
    });
  }
}

/** An own member of the record, not an inherited one. */
function own<T>(record: Readonly<Record<string, T>> | undefined, key: unknown): T | undefined {
  return record !== undefined && typeof key === "string" && Object.hasOwn(record, key)
    ? record[key]
    : undefined;
}

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

function refused(reason: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `configuration not imported: ${reason}`, {
    hint: "give a file that nvrd config export wrote",
  });
}
