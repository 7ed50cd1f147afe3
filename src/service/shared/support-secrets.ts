import path from "node:path";
import { ROOT_PASSWORD_FILE } from "../../access/index.js";
import { readPlainSync } from "../../base/index.js";
import { CENSORED, type Secret } from "../../health/index.js";
import type { Settings } from "../../settings/index.js";
import { exportSite, exportWithoutLogins, type Site, URL_LOGIN } from "../../site/index.js";

/** The file contains one password. */
const PASSWORD_FILE_LENGTH_MAX = 4096;
const PASSWORD_FILE_BYTES_MAX = 64 * 1024;
/** Settings whose values are secrets; file paths are not. */
const SECRET_NAME = /(password|secret|token|credential|key)$/i;
const NOT_SECRET = new Set(["tlsKey"]);

type SecretSettings = Pick<Settings, "dataDir"> &
  Partial<
    Pick<
      Settings,
      | "ldapServicePasswordFile"
      | "mqttPasswordFile"
      | "bucketSecretKeyFile"
      | "bucketIdentityFile"
      | "hubStoreSecretKeyFile"
      | "oidcClientSecretFile"
    >
  >;

/** All secrets that nvrd knows, for removing them from texts. */
export function knownSecrets(settings: SecretSettings, site: Site | undefined): readonly Secret[] {
  const root = process.env.NVRD_ROOT_PASSWORD;
  const { dataDir, ldapServicePasswordFile, mqttPasswordFile } = settings;
  const { bucketSecretKeyFile, bucketIdentityFile, hubStoreSecretKeyFile, oidcClientSecretFile } = settings;
  const own = path.join(dataDir, ROOT_PASSWORD_FILE);
  const files = [
    ...[own, ldapServicePasswordFile, mqttPasswordFile, bucketSecretKeyFile, bucketIdentityFile],
    ...[hubStoreSecretKeyFile, oidcClientSecretFile],
  ];
  return [
    ...(root === undefined ? [] : [{ value: root, login: "root" }]),
    ...files
      .flatMap((file) => (file === undefined ? [] : linesOf(file)))
      .map((value) => ({ value, login: "root" })),
    ...(site === undefined ? [] : siteSecrets(site)),
  ];
}

function siteSecrets(site: Site): Secret[] {
  const {
    users,
    monitoringPassword,
    alarms = {},
    away = {},
    analysers = {},
    directory,
    broker,
  } = exportSite(site).secrets;
  const cameras = site.cameras.flatMap(({ connection }) => {
    const { login, password, hostname, streams } = connection;
    const addresses = [hostname, ...Object.values(streams).map(({ additionalParams }) => additionalParams)];
    return [{ value: password, login }, ...addresses.flatMap(addressSecrets)];
  });
  const logins = site.users.flatMap(({ id, name }) => {
    const value = users[id];
    return value == null ? [] : [{ value, login: name }];
  });
  const targets = site.alarmTargets.flatMap(({ id, delivery }) => {
    const value = alarms[id] ?? "";
    if (delivery.kind === "mail") return [{ value, login: delivery.login }];
    return delivery.kind === "webhook" ? [{ value }, ...webhookSecrets(delivery.url)] : [];
  });
  const stores = site.awayTargets.flatMap(({ id, accessKeyId, proxyLogin }) => [
    { value: away[id]?.secretAccessKey ?? "", login: accessKeyId },
    { value: away[id]?.sessionToken ?? "" },
    { value: away[id]?.proxyPassword ?? "", login: proxyLogin },
    { value: away[id]?.identity ?? "" },
  ]);
  const keys = Object.values(analysers).map((value) => ({ value }));
  const account =
    directory === undefined ? [] : [{ value: directory.servicePassword, login: directory.serviceDn }];
  const atBroker = broker === undefined ? [] : [{ value: broker.password, login: broker.login }];
  return [
    ...cameras,
    ...logins,
    ...targets,
    ...stores,
    ...keys,
    ...account,
    ...atBroker,
    { value: monitoringPassword },
    ...querySecrets(site.monitoring.url),
  ];
}

/** The webhook addresses of chat services contain a secret in path and query. */
function webhookSecrets(url: string): Secret[] {
  const rest = /^https?:\/\/[^/?#]*\/?([^#]*)/i.exec(url)?.[1] ?? "";
  return [...addressSecrets(url), { value: rest }, { value: rest.split("?")[1] ?? "" }];
}

/** The query of an address may have a token. */
function querySecrets(url: string): Secret[] {
  const value = /^[^?#]*\?([^#]+)/.exec(url)?.[1];
  return [...addressSecrets(url), ...(value === undefined ? [] : [{ value }])];
}

/** The password in an address, percent-encoded and decoded. */
function addressSecrets(address: string): Secret[] {
  const [, login = "", value = ""] = URL_LOGIN.exec(address) ?? [];
  if (value === "") return [];
  return [
    { value, login },
    { value: decoded(value), login: decoded(login) },
  ];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded
  }
}

function linesOf(file: string): string[] {
  try {
    const text = readPlainSync(file, PASSWORD_FILE_BYTES_MAX)
      .toString("utf8")
      .slice(0, PASSWORD_FILE_LENGTH_MAX);
    return text.split(/\s+/).filter((word) => word !== "");
  } catch {
    return []; // missing or unreadable, so it cannot occur in our texts
  }
}

/** The configuration as written by `nvrd config export`, with logins removed from addresses. */
export function configurationWithoutSecrets(site: Site): unknown {
  return exportWithoutLogins(site);
}

/** The settings without the values of secrets. Addresses among them have no logins: settings refuse them. */
export function settingsWithoutSecrets(settings: Settings): unknown {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const isSecret = SECRET_NAME.test(name) && !NOT_SECRET.has(name) && value !== undefined;
      return [name, isSecret ? CENSORED : value];
    }),
  );
}
