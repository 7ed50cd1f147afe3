import { ECDH } from "node:crypto";
import * as v from "valibot";
import { type Guid, LANGUAGES, type Language, parseGuid } from "../base/index.js";
import { NAME_LENGTH_MAX } from "../contract/index.js";
import { type EventSelection, storedSelection } from "../site/index.js";

/** Browsers that one user may have messages sent to, and all users together. */
export const PUSHES_PER_USER_MAX = 10;
export const PUSHES_MAX = 256;
/** Messages an hour to one browser; further events are counted in the next one. */
export const PUSHES_PER_HOUR_MAX = 60;
export const ENDPOINT_LENGTH_MAX = 1024;

/** Where a browser's push service takes messages for it, and what encrypts them (RFC 8291). Whoever has it may send. */
export interface PushAddress {
  readonly endpoint: string;
  /** The browser's public key: 65 bytes, base64url. */
  readonly p256dh: string;
  /** The secret that both sides share: 16 bytes, base64url. */
  readonly auth: string;
}

/** One browser of one user that is notified of events. */
export interface PushSubscription extends EventSelection {
  readonly id: Guid;
  readonly userId: Guid;
  /** As the user calls the browser. */
  readonly name: string;
  /** Of the messages. */
  readonly language: Language;
  readonly address: PushAddress;
  /** Unix µs. */
  readonly sinceUs: number;
}

const KEY_BYTES = 65;
const AUTH_BYTES = 16;
/** An uncompressed point (SEC 1, 2.3.3). */
const UNCOMPRESSED = 4;

/** Whether a text is the public key of a browser. */
export function isPushKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  if (!isBase64url(text) || bytes.length !== KEY_BYTES || bytes[0] !== UNCOMPRESSED) return false;
  try {
    ECDH.convertKey(bytes, "prime256v1");
    return true;
  } catch {
    // No point of the curve.
    return false;
  }
}

/** Whether a text is the secret of a subscription. */
export function isPushSecret(text: string): boolean {
  return isBase64url(text) && Buffer.from(text, "base64url").length === AUTH_BYTES;
}

/** Whether a text may be where messages are sent: over TLS, without a login. Which hosts are allowed is decided in sending. */
export function isPushEndpoint(text: string): boolean {
  if (text.length > ENDPOINT_LENGTH_MAX || !URL.canParse(text)) return false;
  const { protocol, username, password, hash, hostname } = new URL(text);
  return protocol === "https:" && username === "" && password === "" && hash === "" && hostname !== "";
}

function isBase64url(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}={0,2}$/.test(text);
}

const guid = v.pipe(
  v.string(),
  v.check((text) => parseGuid(text) === text),
);
const subscription = v.object({
  id: guid,
  userId: guid,
  name: v.pipe(v.string(), v.maxLength(NAME_LENGTH_MAX)),
  language: v.picklist(LANGUAGES),
  address: v.object({
    endpoint: v.pipe(v.string(), v.check(isPushEndpoint)),
    p256dh: v.pipe(v.string(), v.check(isPushKey)),
    auth: v.pipe(v.string(), v.check(isPushSecret)),
  }),
  sinceUs: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  ...storedSelection,
});

/** What is kept of all of them. */
export const PUSH_FILE_SCHEMA = v.object({
  /** The key that the browsers know the recorder by; its private half never leaves this file. */
  key: v.nullable(v.object({ publicKey: v.pipe(v.string(), v.check(isPushKey)), privateKey: v.string() })),
  subscriptions: v.pipe(v.array(subscription), v.maxLength(PUSHES_MAX)),
});
export type PushFileContent = v.InferOutput<typeof PUSH_FILE_SCHEMA>;
export type PushKey = NonNullable<PushFileContent["key"]>;
