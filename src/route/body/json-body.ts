import { Worker } from "node:worker_threads";
import {
  type AnsweringThread,
  builtScript,
  NvrdError,
  ORDER_WORKER,
  OrderThread,
  orderThreadOf,
  SystemClock,
} from "../../base/index.js";
import { parseJsonText } from "./json-text.js";

/** Larger bodies are parsed on another thread: the worst of this size takes 1 ms, 5 on a small machine. */
export const HERE_BYTES_MAX = 16 * 1024;
/** Longest that a body may take, in milliseconds, the start of the thread included: the worst megabyte takes a hundredth of it. */
const PARSE_MS_MAX = 10_000;
/** The thread ends when it had nothing to parse for so long, in milliseconds. */
const IDLE_MS_MAX = 30_000;
/** Bodies that wait for their turn. */
const WAITING_MAX = 32;

export interface JsonOrder {
  readonly bytes: Uint8Array;
}

export type JsonReply =
  | { readonly value: unknown }
  | { readonly refusal: { readonly message: string; readonly hint: string } };

/** What large bodies were found to be, by their bytes. */
const PARSED = new WeakMap<Uint8Array, JsonReply>();

/** Parses large bodies of requests on a thread of its own, before an endpoint asks for their value. */
export class JsonBodies {
  readonly #thread: OrderThread<JsonOrder, JsonReply>;

  constructor(start: () => AnsweringThread<JsonOrder, JsonReply> = startThread) {
    this.#thread = new OrderThread({
      // A thread takes the time that it takes, whatever clock a test has.
      ...{ clock: new SystemClock(), start },
      ...{ orderMsMax: PARSE_MS_MAX, idleMsMax: IDLE_MS_MAX, waitingMax: WAITING_MAX },
    });
  }

  /** Whether the body is for the other thread. */
  isLarge(body: Uint8Array): boolean {
    return body.length > HERE_BYTES_MAX && !PARSED.has(body);
  }

  /** After it `parseJsonBody` has the value, or the refusal, at once. Rejects with TOO_MANY_REQUESTS or NOT_AVAILABLE. */
  async parse(body: Uint8Array): Promise<void> {
    const reply = await this.#thread.ask({ bytes: body });
    if (reply === undefined) throw new NvrdError("NOT_AVAILABLE", "the body could not be read in time");
    PARSED.set(body, reply);
  }
}

function startThread(): AnsweringThread<JsonOrder, JsonReply> {
  return orderThreadOf(
    new Worker(builtScript(import.meta.url, "json-worker"), { ...ORDER_WORKER, name: "json" }),
  );
}

/** The JSON value of a body: of a large one as it was parsed elsewhere. Throws as `parseJsonText`. */
export function parseJsonBody(body: Uint8Array): unknown {
  const known = PARSED.get(body);
  if (known === undefined) return parseJsonText(body);
  if ("value" in known) return known.value;
  const { message, hint } = known.refusal;
  throw new NvrdError("BAD_REQUEST", message, { hint });
}
