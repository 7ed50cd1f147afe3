import { define } from "./definition.js";
import { byteCount, filePath, oneOf, textWhere } from "./values.js";

/** The settings of a server whose archive is a bucket of object storage: it has no cameras, and records nothing. */

const ENDPOINT_LENGTH_MAX = 512;
const REGION_LENGTH_MAX = 64;
const PREFIX_LENGTH_MAX = 128;
const KEY_LENGTH_MAX = 256;
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9._-]+\/)+$/;

const endpoint = (schemes: RegExp) => (text: string) => {
  if (!schemes.test(text) || !URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return username === "" && password === "" && pathname === "/" && search === "" && hash === "";
};

export const BUCKET_SETTING_DEFINITIONS = {
  bucketEndpoint: define<string | undefined>({
    kind: textWhere("http://host or https://host, with :port if it is another one; no path, no login", {
      lengthMax: ENDPOINT_LENGTH_MAX,
      accept: endpoint(/^https?:\/\//i),
    }),
    fallback: undefined,
    fallbackText: "none: the archive is on disks",
    description:
      "The object storage (S3) whose recordings this server shows, instead of recording: those that other recorders sent there. " +
      "It has no cameras and no volumes, and changes nothing in the bucket. See the [guide](../guide/away.md#many-boxes-one-place).",
  }),
  bucketName: define<string | undefined>({
    kind: textWhere("the name of a bucket", { lengthMax: 63, accept: (text) => BUCKET.test(text) }),
    fallback: undefined,
    fallbackText: "none; required with `bucketEndpoint`",
    description: "The bucket at `bucketEndpoint`.",
  }),
  bucketPrefix: define<string | undefined>({
    kind: textWhere("folders of letters, digits, dots, dashes and underscores, each with / at its end", {
      lengthMax: PREFIX_LENGTH_MAX,
      accept: (text) => PREFIX.test(text),
    }),
    fallback: undefined,
    fallbackText: "none: the whole bucket",
    description:
      "Where in the bucket the recorders are: the `Prefix` of one recorder's target, or a folder directly below which there " +
      "are the prefixes of up to 1,000.",
  }),
  bucketRegion: define({
    kind: textWhere("a region", {
      lengthMax: REGION_LENGTH_MAX,
      accept: (text) => /^[A-Za-z0-9-]+$/.test(text),
    }),
    fallback: "us-east-1",
    description: "The bucket's region, as the server wants it in signatures.",
  }),
  bucketStyle: define<"path" | "host">({
    kind: oneOf(["path", "host"]),
    fallback: "path",
    description: "How the bucket is named: `path`: `https://host/bucket/…`; `host`: `https://bucket.host/…`.",
  }),
  bucketAccessKeyId: define<string | undefined>({
    kind: textWhere("an access key id", {
      lengthMax: KEY_LENGTH_MAX,
      accept: (text) => /^[\x21-\x7e]+$/.test(text),
    }),
    fallback: undefined,
    fallbackText: "none; required with `bucketEndpoint`",
    description: "The login. It needs to list and to read, and nothing else: give it no more.",
  }),
  bucketSecretKeyFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText:
      "none; under systemd the credential `nvrd.bucket-secret-key`; required with `bucketEndpoint`",
    description: "File with the secret of `bucketAccessKeyId`, one line. Read at the start.",
  }),
  bucketIdentityFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none: what is encrypted cannot be played",
    description:
      "File with the private key (age, `AGE-SECRET-KEY-1…`, one line) of recorders that encrypt what they send. Read at the start.",
  }),
  bucketCaFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "the certificate authorities of Node.js",
    description:
      "Certificates that are accepted as issuers of the storage's certificate, PEM. Read at the start.",
  }),
  bucketProxy: define<string | undefined>({
    kind: textWhere("http://host:port, without a login", {
      lengthMax: ENDPOINT_LENGTH_MAX,
      accept: endpoint(/^http:\/\//i),
    }),
    fallback: undefined,
    fallbackText: "none",
    description: "The proxy on the way to the storage.",
  }),
  bucketCacheBytes: define({
    kind: byteCount(0, 1e12),
    fallback: 1e9,
    unit: "bytes",
    description:
      "Disk space for recordings that were fetched, in the data directory; those used longest ago go first. 1 GiB of the disk stays free.",
  }),
} as const;

type BucketSettingName = keyof typeof BUCKET_SETTING_DEFINITIONS;
export const BUCKET_PATH_SETTINGS = [
  "bucketSecretKeyFile",
  "bucketIdentityFile",
  "bucketCaFile",
] as const satisfies readonly BucketSettingName[];

/** Contradictions between the settings, as sentences; `given` returns what was given. */
export function bucketProblems(
  given: (name: BucketSettingName | "volumes" | "volumesDirectory") => unknown,
): string[] {
  const has = (name: Parameters<typeof given>[0]): boolean => given(name) !== undefined;
  const names = Object.keys(BUCKET_SETTING_DEFINITIONS) as BucketSettingName[];
  const first = names.find((name) => name !== "bucketEndpoint" && has(name));
  if (!has("bucketEndpoint"))
    return first === undefined ? [] : [`${first}: requires bucketEndpoint, which is missing`];
  const needed = ["bucketName", "bucketAccessKeyId", "bucketSecretKeyFile"] as const;
  const problems = needed.filter((name) => !has(name)).map((name) => `${name}: required with bucketEndpoint`);
  if (has("volumes"))
    problems.push("bucketEndpoint, volumes: the archive is a bucket, or on disks: give one of them");
  if (has("bucketCaFile") && !String(given("bucketEndpoint")).toLowerCase().startsWith("https:"))
    problems.push("bucketCaFile: needs bucketEndpoint with https://");
  return problems;
}
