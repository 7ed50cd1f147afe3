import { define } from "./definition.js";
import { filePath, textWhere } from "./values.js";

/** The settings of several hubs that have the same recorders: what they share. */

const PLACE_LENGTH_MAX = 512;
const PLACE = /^https?:\/\/[^/?#@\s]+\/[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]\/(?:[A-Za-z0-9._-]+\/)*$/i;

export const HUB_STORE_SETTING_DEFINITIONS = {
  hubStore: define<string | undefined>({
    kind: textWhere(
      "https://host/bucket/ or https://host/bucket/folder/, with :port if it is another one; no login",
      {
        lengthMax: PLACE_LENGTH_MAX,
        accept: (text) => PLACE.test(text) && URL.canParse(text),
      },
    ),
    fallback: undefined,
    fallbackText: "none: this hub is alone, and its list is in the data directory",
    description:
      "Where in object storage (S3) the list of this hub's recorders is. Several hubs with the same `hubStore` and `hubAuthorityFile` are one: each " +
      "has all recorders, whichever of them these are connected to. Nothing else of a hub has to be kept. See the [guide](../guide/fleet.md#several-hubs).",
  }),
  hubStoreRegion: define({
    kind: textWhere("a region", { lengthMax: 64, accept: (text) => /^[A-Za-z0-9-]+$/.test(text) }),
    fallback: "us-east-1",
    description: "The region of `hubStore`, as the server wants it in signatures.",
  }),
  hubStoreAccessKeyId: define<string | undefined>({
    kind: textWhere("an access key id", { lengthMax: 256, accept: (text) => /^[\x21-\x7e]+$/.test(text) }),
    fallback: undefined,
    fallbackText: "none; required with `hubStore`",
    description:
      "The login at `hubStore`. It needs to list, to read, to write and to delete below `hub/` there, and nothing else.",
  }),
  hubStoreSecretKeyFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none; under systemd the credential `nvrd.hub-store-secret-key`; required with `hubStore`",
    description: "File with the secret of `hubStoreAccessKeyId`, one line. Read at the start.",
  }),
  hubStoreCaFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "the certificate authorities of Node.js",
    description:
      "Certificates that are accepted as issuers of the storage's certificate, PEM. Read at the start.",
  }),
  hubAuthorityFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none: the hub makes one of its own; required with `hubStore`",
    description:
      "File with key and certificate of the authority of several hubs, PEM, the same at all of them: recorders trust whoever has it. Read at the start.",
  }),
  hubPeerAddress: define<string | undefined>({
    kind: textWhere(
      "a host name or an address, with :port where other hubs reach this one at another one than `hubPort`",
      {
        lengthMax: 262,
        accept: (text) => readHubAddress(text) !== undefined,
      },
    ),
    fallback: undefined,
    fallbackText: "an address of this machine, and `hubPort`",
    description:
      "How the other hubs of `hubStore` reach this one. Behind a balancer this is the machine's own address.",
  }),
} as const;

export const HUB_STORE_PATH_SETTINGS = [
  "hubStoreSecretKeyFile",
  "hubStoreCaFile",
  "hubAuthorityFile",
] as const;

type HubStoreSettingName = keyof typeof HUB_STORE_SETTING_DEFINITIONS;

const ADDRESS =
  /^([A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::([1-9]\d{0,4}))?$/;
const PORT_MAX = 65_535;

/** A host without brackets, and the port; undefined: none is named. Undefined for a text that is none. */
export function readHubAddress(
  text: string,
): { readonly host: string; readonly port: number | undefined } | undefined {
  const [, host, port] = ADDRESS.exec(text) ?? [];
  if (host === undefined || Number(port ?? 1) > PORT_MAX) return undefined;
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: port === undefined ? undefined : Number(port) };
}

/** Contradictions between the settings, as sentences; `given` returns what was given. */
export function hubStoreProblems(given: (name: HubStoreSettingName | "hubPort") => unknown): string[] {
  const has = (name: HubStoreSettingName): boolean => given(name) !== undefined;
  const names = Object.keys(HUB_STORE_SETTING_DEFINITIONS) as HubStoreSettingName[];
  const first = names.find((name) => name !== "hubStore" && name !== "hubAuthorityFile" && has(name));
  if (!has("hubStore")) return first === undefined ? [] : [`${first}: requires hubStore, which is missing`];
  const needed = ["hubStoreAccessKeyId", "hubStoreSecretKeyFile", "hubAuthorityFile"] as const;
  const problems = needed.filter((name) => !has(name)).map((name) => `${name}: required with hubStore`);
  if ((given("hubPort") ?? 0) === 0) problems.push("hubStore: requires hubPort, which is missing");
  if (has("hubStoreCaFile") && !String(given("hubStore")).toLowerCase().startsWith("https:"))
    problems.push("hubStoreCaFile: needs hubStore with https://");
  return problems;
}
