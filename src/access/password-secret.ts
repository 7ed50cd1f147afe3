import { hash as hashAtOnce, randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/**
 * The stored form of a password: `scrypt$N$r$p$salt$hash`, the salted scrypt (RFC 7914) of the lower-case hexadecimal MD5 that
 * clients send. Salt and hash are in base64url.
 */

export interface ScryptCost {
  /** CPU and memory cost, a power of two. */
  readonly N: number;
  /** Block size. Memory is 128 × N × r bytes. */
  readonly r: number;
  readonly p: number;
}

/** 16 MiB and about 40 ms of one x86 core, 100 ms of an ARM one. */
export const SCRYPT_COST: ScryptCost = { N: 16_384, r: 8, p: 1 };
/** Maximum memory cost of a stored secret, because it is read from disk. */
const SCRYPT_MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const SCRYPT_PARALLEL_MAX = 4;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** The key derivation function; replaceable so that tests can count its calls. */
export type DeriveKey = (password: string, salt: Uint8Array, cost: ScryptCost) => Promise<Uint8Array>;

/** scrypt on the thread pool. */
export const deriveWithScrypt: DeriveKey = (password, salt, cost) =>
  new Promise((resolve, reject) => {
    // Twice the required memory, because OpenSSL counts its own overhead against maxmem.
    const options = { ...cost, maxmem: 256 * cost.N * cost.r };
    scrypt(password, salt, HASH_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });

interface ParsedSecret {
  readonly cost: ScryptCost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** The secret for a password whose MD5 is `md5Hex` (32 hexadecimal digits, either case). Throws RangeError. */
export async function hashPassword(md5Hex: string, derive: DeriveKey = deriveWithScrypt): Promise<string> {
  if (!isMd5(md5Hex)) throw new RangeError("not an MD5 in hexadecimal");
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(md5Hex.toLowerCase(), salt, SCRYPT_COST);
  const { N, r, p } = SCRYPT_COST;
  return `scrypt$${N}$${r}$${p}$${salt.toString("base64url")}$${Buffer.from(hash).toString("base64url")}`;
}

/** Called with each password that is hashed, and its hash. */
type NewPasswordListener = (secret: string, password: string) => void;

const NEW_PASSWORD_LISTENERS = new Set<NewPasswordListener>();

/** Calls `listener` for each password that comes as it is, and not as its MD5, to be set. Returns what ends that. */
export function onNewPassword(listener: NewPasswordListener): () => void {
  NEW_PASSWORD_LISTENERS.add(listener);
  return () => NEW_PASSWORD_LISTENERS.delete(listener);
}

/** `hashPassword` of a password as it is. */
export async function hashNewPassword(password: string): Promise<string> {
  const secret = await hashPassword(md5OfPassword(password));
  for (const listener of NEW_PASSWORD_LISTENERS) listener(secret, password);
  return secret;
}

/** Whether `text` has the form of an MD5 in hexadecimal. */
export function isMd5(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text);
}

/** The MD5 of a password, as clients make it. */
export function md5OfPassword(password: string): string {
  return hashAtOnce("md5", password, "hex");
}

const NO_SALT = Buffer.alloc(SALT_BYTES);

/**
 * Whether `md5Hex` is the password of `secret`. Always makes one derivation, even without a secret (`undefined`, `null`,
 * locked, damaged), so that the duration does not reveal whether the user exists.
 */
export async function matchesSecret(
  md5Hex: string,
  secret: string | null | undefined,
  derive: DeriveKey = deriveWithScrypt,
): Promise<boolean> {
  const parsed = typeof secret === "string" ? parseSecret(secret) : undefined;
  const hash = await derive(md5Hex.toLowerCase(), parsed?.salt ?? NO_SALT, parsed?.cost ?? SCRYPT_COST);
  return parsed !== undefined && hash.length === parsed.hash.length && timingSafeEqual(hash, parsed.hash);
}

function parseSecret(secret: string): ParsedSecret | undefined {
  const [scheme, N = "", r = "", p = "", salt = "", hash = "", ...rest] = secret.split("$");
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const sane =
    scheme === "scrypt" &&
    rest.length === 0 &&
    [cost.N, cost.r, cost.p].every((value) => Number.isSafeInteger(value) && value >= 1) &&
    cost.N >= 2 &&
    Number.isInteger(Math.log2(cost.N)) &&
    128 * cost.N * cost.r <= SCRYPT_MEMORY_BYTES_MAX &&
    cost.p <= SCRYPT_PARALLEL_MAX;
  const parsed = { cost, salt: Buffer.from(salt, "base64url"), hash: Buffer.from(hash, "base64url") };
  return sane && parsed.salt.length >= SALT_BYTES && parsed.hash.length === HASH_BYTES ? parsed : undefined;
}
