import path from "node:path";
import * as v from "valibot";
import { isAddressRange } from "../base/index.js";

/**
 * The kinds of values of settings. Each accepts a value from a JSON file, or the text of a flag or an environment variable, and
 * describes what it accepts. A kind returns the value, or `undefined` if it is not accepted.
 */
export interface ValueKind<T> {
  /** What is accepted, for error messages and the reference. */
  readonly accepts: string;
  read(value: unknown): T | undefined;
}

function kind<T>(accepts: string, schema: v.GenericSchema<unknown, T>): ValueKind<T> {
  return {
    accepts,
    read: (value) => {
      const result = v.safeParse(schema, value);
      return result.success ? result.output : undefined;
    },
  };
}

/** The digits of a number in a flag or a variable; 15 of them are exact in a double. */
const numberText = v.pipe(v.string(), v.trim(), v.regex(/^\d{1,15}$/), v.transform(Number));

/** A whole number in a range, including the limits. */
export function wholeNumber(min: number, max: number, meaning = ""): ValueKind<number> {
  const accepts = `a whole number, ${min} to ${max}${meaning}`;
  const number = v.union([v.number(), numberText]);
  return kind(accepts, v.pipe(number, v.safeInteger(), v.minValue(min), v.maxValue(max)));
}

/** A TCP port, or 0 for off. */
export const port: ValueKind<number> = wholeNumber(0, 65_535, "; 0 = off");

/** One of some words; case does not matter. */
export function oneOf<const T extends string>(words: readonly T[]): ValueKind<T> {
  const find = (text: string) => words.find((word) => word.toLowerCase() === text.trim().toLowerCase());
  const schema = v.pipe(
    v.string(),
    v.transform(find),
    v.custom<T>((word) => word !== undefined),
  );
  return kind(`one of ${words.join(", ")}`, schema);
}

const PATH_LENGTH_MAX = 4096;

/** A path of a file or directory. */
export const filePath: ValueKind<string> = kind(
  `a path, at most ${PATH_LENGTH_MAX} characters`,
  v.pipe(v.string(), v.nonEmpty(), v.maxLength(PATH_LENGTH_MAX), v.excludes("\0")),
);

/** A line of text that passes a check; surrounding blanks are ignored. */
export function textWhere(
  accepts: string,
  rule: { readonly lengthMax: number; accept(text: string): boolean },
): ValueKind<string> {
  const schema = v.pipe(
    v.string(),
    v.trim(),
    v.maxLength(rule.lengthMax),
    v.regex(/^\P{Cc}+$/u),
    v.check((text) => rule.accept(text)),
  );
  return kind(accepts, schema);
}

/** An IP address to listen on. */
export const ipAddress: ValueKind<string> = kind(
  "an IPv4 or IPv6 address; 0.0.0.0 = all of IPv4, :: = all of both",
  v.pipe(v.string(), v.trim(), v.ip()),
);

/** A short name. */
export const productName: ValueKind<string> = kind(
  "1 to 32 letters, digits, blanks, dots, dashes",
  v.pipe(v.string(), v.trim(), v.regex(/^[A-Za-z0-9][A-Za-z0-9 .-]{0,31}$/)),
);

const ORIGINS_MAX = 64;

/** A list of web origins (RFC 6454), or a comma-separated text. */
export const origins: ValueKind<readonly string[]> = kind(
  `a list of at most ${ORIGINS_MAX} origins such as https://panel.example:8443, or * for all; as text: with commas`,
  v.pipe(
    v.union([v.array(v.string()), v.pipe(v.string(), v.transform(splitAtCommas))]),
    v.maxLength(ORIGINS_MAX),
    v.check((list) => list.every((origin) => origin === "*" || isOrigin(origin))),
    v.readonly(),
  ),
);

/** Who may show the page in a frame: origins and `self`; `none`, and nothing, for nobody. */
export const frameAncestors: ValueKind<readonly string[]> = kind(
  `a list of at most ${ORIGINS_MAX} origins such as https://panel.example:8443, and self; none for nobody; as text: with commas`,
  v.pipe(
    v.union([v.array(v.string()), v.pipe(v.string(), v.transform(splitAtCommas))]),
    v.transform((list) => (list.length === 1 && list[0] === "none" ? [] : list)),
    v.maxLength(ORIGINS_MAX),
    v.check((list) => list.every((origin) => origin === "self" || isOrigin(origin))),
    v.readonly(),
  ),
);

const CONTACT_LENGTH_MAX = 256;
/** A name with a top-level domain; those of RFC 2606 and RFC 6762 that lead nowhere are refused. */
const DOMAIN =
  "(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\\.)+(?!(?:invalid|localhost|local|localdomain|test|example|internal|intranet|private|home|corp|onion|alt|arpa|lan)$)(?:[A-Za-z]{2,63}|xn--[A-Za-z0-9-]{2,59})";
const CONTACT_MAIL = new RegExp(`^mailto:[A-Za-z0-9._%+-]{1,64}@${DOMAIN}$`);

/** A `mailto:` or `https:` address of a domain on the internet (RFC 8292, 2.1). */
export const contactAddress: ValueKind<string> = textWhere(
  "mailto:NAME@DOMAIN or https://DOMAIN/PATH, of a domain on the internet",
  {
    lengthMax: CONTACT_LENGTH_MAX,
    accept: (text) => CONTACT_MAIL.test(text) || isContactPage(text),
  },
);

function isContactPage(text: string): boolean {
  if (!text.startsWith("https://") || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  return username === "" && password === "" && new RegExp(`^${DOMAIN}$`).test(hostname);
}

const PATH_PREFIX_LENGTH_MAX = 64;

/** A path of a proxy, without a slash at its end; empty: none. */
export const pathPrefix: ValueKind<string> = kind(
  `a path such as /nvr: a slash and letters, digits, dots, dashes and underscores, also several; at most ${PATH_PREFIX_LENGTH_MAX} characters`,
  v.pipe(
    v.string(),
    v.maxLength(PATH_PREFIX_LENGTH_MAX),
    v.regex(/^(?:(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*\/?)?$/),
    v.transform((path) => path.replace(/\/$/, "")),
  ),
);

const ADDRESS_RANGES_MAX = 64;

/** A list of addresses and ranges of addresses, also as a text with commas. */
export const addressRanges: ValueKind<readonly string[]> = kind(
  `a list of at most ${ADDRESS_RANGES_MAX} addresses or ranges such as 10.0.0.2, 172.16.0.0/12, fd00::/8; as text: with commas`,
  v.pipe(
    v.union([v.array(v.string()), v.pipe(v.string(), v.transform(splitAtCommas))]),
    v.maxLength(ADDRESS_RANGES_MAX),
    v.check((list) => list.every(isAddressRange)),
    v.readonly(),
  ),
);

const USER_NAMES_MAX = 256;
const USER_NAME_LENGTH_MAX = 128;

/** A list of names of users, also as a text with commas. */
export const userNames: ValueKind<readonly string[]> = kind(
  `a list of at most ${USER_NAMES_MAX} names of users, or * for all; as text: with commas`,
  v.pipe(
    v.union([v.array(v.string()), v.pipe(v.string(), v.transform(splitAtCommas))]),
    v.transform((list) => list.map((name) => name.trim())),
    v.maxLength(USER_NAMES_MAX),
    v.check((list) => list.every((name) => name !== "" && name.length <= USER_NAME_LENGTH_MAX)),
    v.readonly(),
  ),
);

/** An amount of disk: bytes, or a share of the disk, perhaps of so many bytes at the most. */
export type DiskAmount =
  | { readonly bytes: number }
  | { readonly percent: number; readonly bytesMax?: number };

const UNIT_BYTES: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** Bytes as a number, or a text such as `500 GB`, `1.5TB` (powers of 1000, as disks are sold), `80%` of the disk. */
export const diskAmount: ValueKind<DiskAmount> = kind(
  "bytes as a number, or a text such as 500 GB, 1.5 TB or 80% (of the disk)",
  v.union([
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(0),
      v.transform((bytes): DiskAmount => ({ bytes })),
    ),
    v.pipe(
      v.string(),
      v.transform(readAmountText),
      v.custom<DiskAmount>((amount) => amount !== undefined),
    ),
  ]),
);

function readAmountText(text: string): DiskAmount | undefined {
  const match = /^\s*(\d{1,15}(?:\.\d{1,3})?)\s*(%|[KMGT]?B)?\s*$/i.exec(text);
  if (match === null) return undefined;
  const number = Number(match[1]);
  const unit = (match[2] ?? "B").toUpperCase();
  if (unit === "%") return number >= 1 && number <= 100 ? { percent: number } : undefined;
  const bytes = Math.round(number * (UNIT_BYTES[unit] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? { bytes } : undefined;
}

/** Bytes in a range, including the limits; a text may have a unit (powers of 1000). */
export function byteCount(min: number, max: number): ValueKind<number> {
  return kind(
    `bytes as a number, or a text such as 500 MB or 1.5 GB; ${min} to ${max}`,
    v.pipe(
      v.unknown(),
      v.transform((value) => {
        const amount = diskAmount.read(value);
        return amount !== undefined && "bytes" in amount ? amount.bytes : Number.NaN;
      }),
      v.safeInteger(),
      v.minValue(min),
      v.maxValue(max),
    ),
  );
}

/** The bytes of an amount on a disk of `totalBytes`. */
export function bytesOf(amount: DiskAmount, totalBytes: number): number {
  if ("bytes" in amount) return amount.bytes;
  const { percent, bytesMax = Number.POSITIVE_INFINITY } = amount;
  return Math.min(bytesMax, Math.floor((totalBytes * percent) / 100));
}

/** A directory to record into, with its limits. */
export interface VolumeSetting {
  readonly path: string;
  /** Maximum amount recorded; absent: everything except the reserve. */
  readonly quota?: DiskAmount;
  /** This much of the disk stays free. */
  readonly reserve: DiskAmount;
  /** The directory must be a mount point. */
  readonly mount?: true;
  /** Recorded into only while no other volume is usable. */
  readonly standIn?: true;
  /** The drive's workload rating: terabytes (10^12) written a year. */
  readonly workloadTbPerYear?: number;
}

/** The lesser of an amount and a share of the disk, whose size is not known yet. */
export function reserveOf(amount: DiskAmount): { readonly bytes: number; readonly percent: number } {
  if ("bytes" in amount) return { bytes: amount.bytes, percent: Number.POSITIVE_INFINITY };
  return { bytes: amount.bytesMax ?? Number.POSITIVE_INFINITY, percent: amount.percent };
}

/** A system and its logs share the disk with the recordings of a first try; of a small disk most is for recordings. */
export const DEFAULT_RESERVE: DiskAmount = { percent: 5, bytesMax: 1e9 };
const VOLUMES_MAX = 32;
const WORKLOAD_TB_MAX = 1_000_000;

const amountMember = v.pipe(
  v.unknown(),
  v.transform((value) => diskAmount.read(value)),
  v.custom<DiskAmount>((amount) => amount !== undefined),
);
const volume = v.pipe(
  v.strictObject({
    path: v.pipe(v.string(), v.nonEmpty(), v.maxLength(PATH_LENGTH_MAX), v.excludes("\0")),
    quotaBytes: v.optional(amountMember),
    reserveBytes: v.optional(amountMember),
    mount: v.optional(v.boolean()),
    workloadTbPerYear: v.optional(v.pipe(v.number(), v.gtValue(0), v.maxValue(WORKLOAD_TB_MAX))),
  }),
  v.transform(
    ({ path: directory, quotaBytes, reserveBytes, mount, workloadTbPerYear }): VolumeSetting => ({
      path: directory,
      reserve: reserveBytes ?? DEFAULT_RESERVE,
      ...(quotaBytes === undefined ? {} : { quota: quotaBytes }),
      ...(mount === true ? { mount } : {}),
      ...(workloadTbPerYear === undefined ? {} : { workloadTbPerYear }),
    }),
  ),
);

/** A list of volumes; as text: the same list as JSON, or paths with commas. */
export const volumes: ValueKind<readonly VolumeSetting[]> = kind(
  `a list of 1 to ${VOLUMES_MAX} objects with path, and if wanted quotaBytes and reserveBytes (${diskAmount.accepts}), ` +
    "mount (true or false) and workloadTbPerYear (a number above 0), no path twice; as text: the list as JSON, or paths " +
    "with commas",
  v.pipe(
    v.unknown(),
    v.transform(volumesFromText),
    v.array(volume),
    v.minLength(1),
    v.maxLength(VOLUMES_MAX),
    v.check((list) => new Set(list.map((entry) => path.resolve(entry.path))).size === list.length),
    v.readonly(),
  ),
);

function volumesFromText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (!value.trim().startsWith("[")) return splitAtCommas(value).map((directory) => ({ path: directory }));
  try {
    return JSON.parse(value);
  } catch {
    // Not JSON: reported below like any other value that is not accepted.
    return undefined;
  }
}

function splitAtCommas(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}
