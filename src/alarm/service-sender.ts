import {
  type Clock,
  errorText,
  type Language,
  type Log,
  MASK,
  setTimeLimit,
  US_PER_MS,
  withAnyOf,
} from "../base/index.js";
import { type MessageFormName, shownWord, webhook } from "../contract/index.js";
import type { EventRecord } from "../event/index.js";
import type { WebhookDelivery } from "../site/index.js";
import { type AlarmMessage, oneLine } from "./alarm-message.js";
import { filledBody, filledHeaders, filledPath, type MessageValues } from "./filled-request.js";
import { type PostAnswer, postForAnswer, retryAfterMs } from "./http-post.js";
import { messageContent } from "./message-content.js";
import type { MESSAGE_REQUESTS, MessageRequest, MessageRequests } from "./message-requests.js";
import { messageValues } from "./message-values.js";
import { isAccepted, notTaken, Refusal } from "./refusal.js";
import type { WebhookReach } from "./webhook-reach.js";

/** An answer of a service is read up to here. */
const ANSWER_BYTES_MAX = 64 * 1024;
const FAULT_LENGTH_MAX = 200;
/** What is taken from an answer is an id or an address. */
const TAKEN_LENGTH_MAX = 2048;
/** Shorter parts of an address are words that an answer may well have too. */
const SECRET_LENGTH_MIN = 8;
/** A larger picture is not sent. */
const PICTURE_BYTES_MAX = 1024 * 1024;
/** A picture that takes longer to be made and sent is left out: the rest of an attempt's time is for the text. */
const PICTURE_MS_MAX = 9_000;

export interface ServiceSending {
  readonly reach: WebhookReach;
  readonly language: () => Language;
  /** The picture of an event as a JPEG; rejects where there is none. Undefined: all messages go without. */
  readonly pictureOf: ((event: EventRecord, signal: AbortSignal) => Promise<Uint8Array>) | undefined;
  readonly clock: Clock;
  /** Gets the reason why a message goes without its picture. */
  readonly log: Log;
}

/** The service that a webhook sends to; undefined: it sends nvrd's own document. */
export function serviceOf({ form = "nvrd" }: WebhookDelivery): keyof typeof MESSAGE_REQUESTS | undefined {
  const name: MessageFormName = shownWord(webhook.Form.of, form);
  return name === "Nvrd" ? undefined : name;
}

/** Sends a message as the service wants it (`MESSAGE_REQUESTS`). Rejects as `SendAlarm` does. */
export async function sendToService(
  { delivery, requests }: { readonly delivery: WebhookDelivery; readonly requests: MessageRequests },
  message: AlarmMessage,
  signal: AbortSignal,
  sending: ServiceSending,
): Promise<void> {
  const way = { delivery, requests, signal, sending };
  if (delivery.hasPicture !== false && (await isSentWithPicture(message, way))) return;
  await sendAll(requests.text, valuesOf(message, way), way);
}

/** Resolves with whether the service took the message with its picture. */
async function isSentWithPicture(message: AlarmMessage, way: Way): Promise<boolean> {
  const { requests, signal, sending } = way;
  const { event } = messageContent(message, sending.language());
  if (requests.picture === undefined || event === undefined) return false;
  const late = new AbortController();
  const timer = setTimeLimit(sending.clock, () => late.abort(), PICTURE_MS_MAX);
  try {
    return await withAnyOf([signal, late.signal], async (either) => {
      const picture = await pictureFor(event, either, sending);
      if (picture === undefined || requests.picture === undefined) return false;
      await sendAll(requests.picture, valuesOf(message, way, picture), { ...way, signal: either, picture });
      return true;
    });
  } catch (error) {
    // One that takes too long or is too large, or that the token may not send, does not cost the message.
    const isLeftOut = late.signal.aborted || error instanceof Refusal;
    if (signal.aborted || !isLeftOut) throw error;
    const isLate = late.signal.aborted;
    logLeftOut(sending, event, isLate ? `it took longer than ${PICTURE_MS_MAX} ms` : errorText(error));
    return false;
  } finally {
    timer.clear();
  }
}

/** Who gets alarms without pictures wants to know what keeps them away. */
function logLeftOut({ log }: ServiceSending, { channelId }: EventRecord, reason: string): void {
  log.info({ channel: channelId, reason }, "an alarm is sent without its picture");
}

/** Undefined: nothing was recorded then, or it is too large. Rejects where `signal` is aborted. */
async function pictureFor(
  event: EventRecord,
  signal: AbortSignal,
  sending: ServiceSending,
): Promise<Uint8Array | undefined> {
  try {
    const jpeg = await sending.pictureOf?.(event, signal);
    signal.throwIfAborted();
    if (jpeg === undefined || jpeg.length <= PICTURE_BYTES_MAX) return jpeg;
    logLeftOut(sending, event, `it has ${jpeg.length} bytes, of at most ${PICTURE_BYTES_MAX}`);
  } catch (error) {
    signal.throwIfAborted();
    logLeftOut(sending, event, errorText(error));
  }
  return undefined;
}

function valuesOf(
  message: AlarmMessage,
  { delivery, requests, sending }: Way,
  picture?: Uint8Array,
): MessageValues {
  const language = sending.language();
  return messageValues(delivery, message, { requests, language, size: picture?.length ?? 0 });
}

interface Way {
  readonly delivery: WebhookDelivery;
  readonly requests: MessageRequests;
  readonly signal: AbortSignal;
  readonly sending: ServiceSending;
  /** What the requests send with the message. */
  readonly picture?: Uint8Array;
}

/** The requests of a message, each with what the ones before it were answered. */
async function sendAll(requests: readonly MessageRequest[], given: MessageValues, way: Way): Promise<void> {
  const values = new Map(given);
  for (const request of requests) {
    const answer = await send(request, values, way);
    for (const [name, place] of Object.entries(request.take ?? {})) {
      const taken = at(answer, place);
      if (typeof taken !== "string" || taken.length > TAKEN_LENGTH_MAX)
        throw new Error(`${hostOf(way)} answered without ${place.join(".")}`);
      values.set(name, taken);
    }
  }
}

/** Resolves with the answer as JSON; undefined: it is none. */
async function send(request: MessageRequest, values: MessageValues, way: Way): Promise<unknown> {
  const { delivery, signal, sending, picture } = way;
  const url = addressOf(request, values, delivery);
  const { type, bytes } = await filledBody(request.body, values, picture);
  const headers = {
    ...{ "Content-Type": type, "Content-Length": String(bytes.length), "User-Agent": "nvrd" },
    // What a service names for a file gets the file alone.
    ...(request.at === undefined ? filledHeaders(request, values) : {}),
  };
  const answer = await postForAnswer(url, {
    ...{ headers, body: bytes, signal, reach: sending.reach, answerBytesMax: ANSWER_BYTES_MAX },
    ...(request.method === undefined ? {} : { method: request.method }),
  });
  const json = jsonOf(answer.body);
  const { accepted } = request;
  const isTaken = accepted === undefined || at(json, [accepted]) === true;
  if (isAccepted(answer.status) && isTaken) return json;
  throw refusal({ url, answer, json }, values, way);
}

/** Of one scheme with the service: what goes there is a picture of somebody's home. */
function addressOf(
  { path, at: named }: MessageRequest,
  values: MessageValues,
  { url }: WebhookDelivery,
): URL {
  if (named === undefined)
    return new URL(path === "" ? url : `${url.replace(/\/+$/, "")}${filledPath(path, values)}`);
  const text = values.get(named) ?? "";
  const { protocol, host } = new URL(url);
  if (URL.canParse(text) && new URL(text).protocol === protocol) return new URL(text);
  throw new Error(`${host} named no ${protocol}// address for the picture`);
}

function refusal(
  { url, answer, json }: { readonly url: URL; readonly answer: PostAnswer; readonly json: unknown },
  values: MessageValues,
  { delivery, requests, sending }: Way,
): Error {
  const { fault, retry } = requests;
  const said = fault === undefined ? answer.body.toString("utf8") : at(json, fault);
  const reason = typeof said === "string" && said !== "" ? `: ${withoutSecrets(said, delivery, values)}` : "";
  const asked = retry === undefined ? undefined : at(json, retry.at);
  const nowMs = Math.floor(sending.clock.nowUs() / US_PER_MS);
  const retryMs =
    retry !== undefined && typeof asked === "number" && Number.isFinite(asked)
      ? Math.max(0, Math.ceil(asked * retry.unitMs))
      : retryAfterMs(answer.retryAfter, nowMs);
  return notTaken(`${url.host} answered ${answer.status}${reason}`, answer.status, retryMs);
}

/** Services quote what they received. */
function withoutSecrets(said: string, { url }: WebhookDelivery, values: MessageValues): string {
  const { pathname, search } = new URL(url);
  const secrets = [values.get("token") ?? "", ...`${pathname}${search}`.split(/[/?&=]/)];
  const masked = secrets
    .filter((secret, index) => secret.length >= SECRET_LENGTH_MIN || (index === 0 && secret !== ""))
    .reduce((text, secret) => text.replaceAll(secret, MASK), said);
  return oneLine(masked).trim().slice(0, FAULT_LENGTH_MAX);
}

function hostOf({ delivery }: Way): string {
  return new URL(delivery.url).host;
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // Some services answer with a word, or a proxy with a page.
    return undefined;
  }
}

function at(value: unknown, place: readonly (string | number)[]): unknown {
  return place.reduce<unknown>(
    (part, step) =>
      typeof part === "object" && part !== null && Object.hasOwn(part, step)
        ? (part as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );
}
