import { type Guid, NvrdError, Semaphore, US_PER_MS } from "../../base/index.js";
import { OFF_SITE_HEADER, type WholeAnswer, wholeAnswer } from "../../fleet/index.js";
import type { Answer, Headers } from "../../http/index.js";
import { answerLongJson, type EndpointResult, type RequestContext } from "../../route/index.js";
import { openBox } from "./box-request.js";
import type { BoxesControl, FleetNeeds } from "./fleet-control.js";

/** An answer made of several recorders' waits no longer for them: whose part is missing is said. */
export const GATHER_MS_MAX = 5000;
/** Recorders that are asked at once for one answer. */
const AT_ONCE = 32;
/** Of one recorder. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;
/** Of all of them for one answer. */
const GATHERED_BYTES_MAX = 64 * 1024 * 1024;
const OFF_SITE: Headers = [[OFF_SITE_HEADER, "off-site storage"]];
/** Names the recorders whose part of an answer is missing. */
export const MISSING_HEADER = "Recorders-Missing";
/** Beyond it their number alone is said. */
const NAMED_MISSING_MAX = 50;

/** What one recorder is asked. */
export interface GatherAsk {
  readonly boxId: Guid;
  /** Path and query. */
  readonly path: string;
  readonly body?: Uint8Array;
}

export interface Gathered<T> {
  readonly parts: readonly { readonly boxId: Guid; readonly part: T }[];
  /** Who did not answer in time, is not there, or refused. */
  readonly missing: readonly Guid[];
  /** Whether something of it was read from off-site storage, because its recorder is silent. */
  readonly isOffSite: boolean;
  /** What one of those who refused has answered. */
  readonly refusal: Answer | undefined;
}

/** A recorder's answer that is none to what was asked. */
class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`the recorder answers with status ${answer.status}`);
    this.answer = answer;
  }
}

/** Asks recorders, all in the same time. Never waits longer than `GATHER_MS_MAX`. */
export async function gather<T extends NonNullable<unknown>>(
  context: RequestContext<FleetNeeds>,
  asks: readonly GatherAsk[],
  read: (text: string, boxId: Guid) => T,
): Promise<Gathered<T>> {
  const { clock } = context.needs;
  const endUs = clock.monotonicUs() + GATHER_MS_MAX * US_PER_MS;
  const turns = new Semaphore({ atOnce: AT_ONCE, waitingMax: Number.POSITIVE_INFINITY });
  let bytes = 0;
  let refusal: Answer | undefined;
  let isOffSite = false;
  const one = async (ask: GatherAsk) => {
    const ms = (endUs - clock.monotonicUs()) / US_PER_MS;
    if (ms <= 0 || bytes > GATHERED_BYTES_MAX) return { boxId: ask.boxId, part: undefined };
    try {
      const { headers, body } = await answerOf(context, ask, ms);
      const text = body.toString("utf8");
      isOffSite ||= headers.some(([name]) => name === OFF_SITE_HEADER);
      bytes += text.length;
      return { boxId: ask.boxId, part: read(text, ask.boxId) };
    } catch (error) {
      if (error instanceof Refusal) refusal ??= error.answer;
      context.log.debug(
        { box: ask.boxId, reason: String(error) },
        "a recorder's part of an answer is missing",
      );
      return { boxId: ask.boxId, part: undefined };
    }
  };
  const answers = await Promise.all(asks.map((ask) => turns.run(() => one(ask))));
  return {
    parts: answers.flatMap(({ boxId, part }) => (part === undefined ? [] : [{ boxId, part }])),
    missing: answers.flatMap(({ boxId, part }) => (part === undefined ? [boxId] : [])),
    ...{ isOffSite, refusal },
  };
}

async function answerOf(
  context: RequestContext<FleetNeeds>,
  { boxId, path, body }: GatherAsk,
  ms: number,
): Promise<WholeAnswer> {
  const { request, needs } = context;
  const method = request.method === "HEAD" ? "GET" : request.method;
  const headers = { ":method": method, ":path": path, "content-type": "application/json" };
  const hasBody = body !== undefined && body.length > 0;
  const stream = await openBox(context, { boxId, path }, { headers, role: "commands", hasBody });
  if (hasBody) stream.end(body);
  const answer = await wholeAnswer(stream, { bytesMax: ANSWER_BYTES_MAX, ms, clock: needs.clock });
  const { status, body: said } = answer;
  if (status !== 200)
    throw new Refusal({ status, headers: [["Content-Type", "application/json"]], body: said });
  return answer;
}

/** A JSON answer that may be long, whose part of it is missing, and whether something of it was read from off-site storage. */
export function answerGathered(
  context: RequestContext<FleetNeeds>,
  value: unknown,
  {
    missing,
    isOffSite = false,
  }: Partial<Pick<Gathered<unknown>, "isOffSite">> & Pick<Gathered<unknown>, "missing">,
): Promise<EndpointResult> {
  return answerLongJson(context, value, [...missingHeader(missing), ...(isOffSite ? OFF_SITE : [])]);
}

/** Says whose part of an answer is missing; none where nobody's is. */
export function missingHeader(missing: readonly Guid[]): Headers {
  if (missing.length === 0) return [];
  const named = missing.slice(0, NAMED_MISSING_MAX).join(", ");
  return [[MISSING_HEADER, missing.length > NAMED_MISSING_MAX ? `${missing.length}: ${named}, …` : named]];
}

/** Throws NvrdError NOT_AVAILABLE, or returns a recorder's refusal, where nobody has answered; undefined where somebody has. */
export function nobodyAnswered({ parts, missing, refusal }: Gathered<unknown>): Answer | undefined {
  if (parts.length > 0 || missing.length === 0) return undefined;
  if (refusal !== undefined) return refusal;
  throw new NvrdError("NOT_AVAILABLE", "none of the recorders that have it answers", {
    hint: "see GET /api/boxes",
  });
}

/** All recorders of the hub that may be asked. */
export function allBoxes(boxes: BoxesControl): readonly Guid[] {
  return boxes.boxes().map(({ id }) => id);
}
