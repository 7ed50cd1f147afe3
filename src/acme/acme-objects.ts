import * as v from "valibot";
import { AcmeFailure } from "./acme-problem.js";
import type { AcmeAnswer } from "./acme-transport.js";

/** What an authority's server answers (RFC 8555, 7.1 and RFC 9773): as much as is used, checked once. Other members are ignored. */

const URL_LENGTH_MAX = 2048;
const TEXT_LENGTH_MAX = 10_000;
const LIST_MAX = 128;
/** RFC 8555, 8: base64url, of at least 128 bits. */
const TOKEN = /^[\w-]{22,256}$/;

const url = v.pipe(v.string(), v.maxLength(URL_LENGTH_MAX));
const text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));

const directory = v.object({
  newNonce: url,
  newAccount: url,
  newOrder: url,
  renewalInfo: v.optional(url),
  meta: v.optional(
    v.object({ termsOfService: v.optional(url), externalAccountRequired: v.optional(v.boolean()) }),
  ),
});
const identifier = v.object({ type: text, value: text });
const problem = v.object({
  type: v.optional(text, "about:blank"),
  detail: v.optional(text, ""),
  subproblems: v.optional(
    v.pipe(
      v.array(v.object({ type: text, detail: v.optional(text, ""), identifier: v.optional(identifier) })),
      v.maxLength(LIST_MAX),
    ),
  ),
});
const order = v.object({
  status: v.picklist(["pending", "ready", "processing", "valid", "invalid"]),
  authorizations: v.pipe(v.array(url), v.minLength(1), v.maxLength(LIST_MAX)),
  finalize: url,
  certificate: v.optional(url),
  error: v.optional(problem),
});
const challenge = v.object({
  type: text,
  url,
  status: v.optional(text),
  token: v.optional(text),
  error: v.optional(problem),
});
const authorization = v.object({
  status: v.picklist(["pending", "valid", "invalid", "deactivated", "expired", "revoked"]),
  identifier,
  challenges: v.pipe(v.array(challenge), v.maxLength(LIST_MAX)),
});
const account = v.object({ status: v.optional(text) });
const renewalInfo = v.object({
  suggestedWindow: v.object({
    start: v.pipe(v.string(), v.isoTimestamp()),
    end: v.pipe(v.string(), v.isoTimestamp()),
  }),
});

export const ACME_OBJECTS = { directory, order, authorization, account, renewalInfo, challenge } as const;
export type AcmeDirectory = v.InferOutput<typeof directory>;
export type AcmeOrder = v.InferOutput<typeof order>;
export type AcmeAuthorization = v.InferOutput<typeof authorization>;
export type AcmeChallenge = v.InferOutput<typeof challenge>;
export type AcmeErrorDocument = v.InferOutput<typeof problem>;

/** Throws AcmeFailure where it is no such object. */
export function readObject<const T extends keyof typeof ACME_OBJECTS>(
  kind: T,
  answer: AcmeAnswer,
): v.InferOutput<(typeof ACME_OBJECTS)[T]> {
  const value = answer.type === "application/json" ? jsonOf(answer.body) : undefined;
  const read = v.safeParse(ACME_OBJECTS[kind], value);
  if (read.success) return read.output as v.InferOutput<(typeof ACME_OBJECTS)[T]>;
  const what =
    value === undefined ? `(${answer.status}, ${answer.type.slice(0, 60) || "without a type"}) ` : "";
  throw new AcmeFailure("ServerFaulty", `its answer ${what}is no ${kind} of ACME`);
}

/** The server's problem document (RFC 7807); undefined without one. */
export function readErrorDocument(answer: AcmeAnswer): AcmeErrorDocument | undefined {
  if (answer.type !== "application/problem+json" && answer.type !== "application/json") return undefined;
  const read = v.safeParse(problem, jsonOf(answer.body));
  return read.success ? read.output : undefined;
}

/** The token of a challenge. Throws AcmeFailure where it is none: it becomes part of a path. */
export function tokenOf({ token }: AcmeChallenge): string {
  if (token !== undefined && TOKEN.test(token)) return token;
  throw new AcmeFailure("ServerFaulty", "the token of its challenge is none");
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined; // the reader says what was expected
  }
}
