import { MS_PER_SECOND, US_PER_MS } from "../base/index.js";
import type { AcmeProblem } from "../contract/answer/index.js";
import type { AcmeErrorDocument } from "./acme-objects.js";
import { readErrorDocument } from "./acme-objects.js";
import { AcmeFailure, quoted } from "./acme-problem.js";
import type { AcmeAnswer } from "./acme-transport.js";

const PREFIX = "urn:ietf:params:acme:error:";
export const BAD_NONCE = `${PREFIX}badNonce`;
export const ALREADY_REPLACED = `${PREFIX}alreadyReplaced`;
export const NO_ACCOUNT = `${PREFIX}accountDoesNotExist`;

/** RFC 8555, 6.7, by where they come. */
const OF_ANY: Readonly<Record<string, AcmeProblem>> = {
  rateLimited: "RateLimited",
  serverInternal: "ServerBusy",
  userActionRequired: "TermsChanged",
  externalAccountRequired: "AccountNeeded",
  accountDoesNotExist: "AccountRefused",
  badPublicKey: "AccountRefused",
  badSignatureAlgorithm: "AccountRefused",
  invalidContact: "EmailRefused",
  unsupportedContact: "EmailRefused",
  rejectedIdentifier: "NameRefused",
  unsupportedIdentifier: "NameRefused",
  caa: "CaaForbids",
  dns: "NameUnknown",
  connection: "NotReached",
  tls: "OtherAnswers",
  incorrectResponse: "OtherAnswers",
  badCSR: "ServerFaulty",
};
/** `unauthorized` of a challenge: something else answered; of the account: it may not. */
export type AcmeStage = "account" | "order" | "challenge";
const UNAUTHORIZED: Readonly<Record<AcmeStage, AcmeProblem>> = {
  account: "AccountRefused",
  order: "AccountRefused",
  challenge: "OtherAnswers",
};
const MALFORMED: Readonly<Record<AcmeStage, AcmeProblem>> = {
  account: "AccountRefused",
  order: "NameRefused",
  challenge: "Other",
};
/** A server that says later than this is not believed. */
const LATER_MS_MAX = 8 * 24 * 3_600 * MS_PER_SECOND;

/** What an error document of the authority means. */
export function failureOf(
  document: AcmeErrorDocument,
  {
    stage,
    name,
    untilUs,
  }: { readonly stage: AcmeStage; readonly name?: string | undefined; readonly untilUs?: number | undefined },
): AcmeFailure {
  // One of several names may be the cause: it is what can be mended.
  const [inner] = document.subproblems ?? [];
  const { type, detail } = inner ?? document;
  const host = inner?.identifier?.value ?? name;
  const problem = quoted(detail === "" ? type : detail);
  return new AcmeFailure(problemOfType(type, stage), problem, {
    name: host === undefined ? undefined : quoted(host),
    untilUs,
  });
}

/** What an answer means that is none of success. */
export function failureOfAnswer(answer: AcmeAnswer, stage: AcmeStage, nowUs: number): AcmeFailure {
  const later = retryAfterMs(answer, nowUs);
  const untilUs = later === undefined ? undefined : nowUs + later * US_PER_MS;
  const document = readErrorDocument(answer);
  if (document?.type.startsWith(PREFIX) === true) return failureOf(document, { stage, untilUs });
  const { status } = answer;
  const problem = `it answers with status ${status}${document?.detail ? `: ${quoted(document.detail)}` : ""}`;
  if (status === 429) return new AcmeFailure("RateLimited", problem, { untilUs });
  return new AcmeFailure(status >= 500 ? "ServerBusy" : "ServerFaulty", problem, { untilUs });
}

/** The header `Retry-After`, seconds or a date (RFC 9110, 10.2.3), at most eight days; undefined where there is none. */
export function retryAfterMs(answer: AcmeAnswer, nowUs: number): number | undefined {
  const text = answer.header("retry-after");
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * MS_PER_SECOND : Date.parse(text) - nowUs / US_PER_MS;
  return Number.isNaN(ms) || ms < 0 ? undefined : Math.min(ms, LATER_MS_MAX);
}

function problemOfType(type: string, stage: AcmeStage): AcmeProblem {
  const name = type.startsWith(PREFIX) ? type.slice(PREFIX.length) : "";
  if (name === "unauthorized") return UNAUTHORIZED[stage];
  if (name === "malformed") return MALFORMED[stage];
  return Object.hasOwn(OF_ANY, name) ? (OF_ANY[name] ?? "Other") : "Other";
}
