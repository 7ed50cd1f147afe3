import { Worker } from "node:worker_threads";
import {
  type AnsweringThread,
  builtScript,
  type Clock,
  ORDER_WORKER,
  OrderThread,
  orderThreadOf,
} from "../../base/index.js";
import { XmlError, type XmlTokens } from "./xml-tokens.js";

/** Longest that a document may take, in milliseconds: the worst megabyte takes a hundredth of it. Then the thread is ended. */
export const READ_MS_MAX = 2000;
/** The thread ends when it had nothing to read for so long, in milliseconds. */
export const IDLE_MS_MAX = 30_000;
/** Documents that wait for their turn, a megabyte each at the most. */
const WAITING_MAX = 32;

export interface XmlOrder {
  readonly bytes: Uint8Array;
  readonly charset: string | undefined;
}

export type XmlReply = { readonly tokens: XmlTokens } | { readonly refusal: string };

/** A thread that reads documents; a test gives one that never does. */
export type ReadingThread = AnsweringThread<XmlOrder, XmlReply>;

/** Reads documents on a thread of its own, one after the other. */
export class XmlThread {
  readonly #thread: OrderThread<XmlOrder, XmlReply>;

  constructor(clock: Clock, start: () => ReadingThread = startThread) {
    const limits = { orderMsMax: READ_MS_MAX, idleMsMax: IDLE_MS_MAX, waitingMax: WAITING_MAX };
    this.#thread = new OrderThread({ clock, start, ...limits });
  }

  /** Rejects with XmlError. */
  async read(bytes: Uint8Array, charset: string | undefined): Promise<XmlTokens> {
    if (this.#thread.isFull) throw new XmlError("too much else is being read just now");
    const reply = await this.#thread.ask({ bytes, charset });
    if (reply === undefined) throw new XmlError("reading it took too long or too much memory");
    if ("refusal" in reply) throw new XmlError(reply.refusal);
    return reply.tokens;
  }
}

function startThread(): ReadingThread {
  return orderThreadOf(
    new Worker(builtScript(import.meta.url, "xml-worker"), { ...ORDER_WORKER, name: "xml" }),
  );
}
