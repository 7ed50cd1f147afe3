import { Worker } from "node:worker_threads";
import {
  type AnsweringThread,
  builtScript,
  type Clock,
  NvrdError,
  ORDER_WORKER,
  OrderThread,
  orderThreadOf,
} from "../../base/index.js";
import { compareNote, type RevisionNote, readNote } from "./revision-note.js";

/** Larger documents are read on another thread: one of this size takes 1 ms, 5 on a small machine. */
export const HERE_BYTES_MAX = 64 * 1024;
/** Longest that a document may take, in milliseconds, the start of the thread included: the largest takes a second. */
const READ_MS_MAX = 60_000;
/** The thread ends when it had nothing to read for so long, in milliseconds. */
const IDLE_MS_MAX = 2000;
/** The history is read one document after the other. */
const WAITING_MAX = 1;
/** Of the thread: the largest document, what it is parsed into, and its text again. */
const HEAP_MB = 256;

export interface RevisionOrder {
  readonly bytes: Uint8Array;
  /** The document to compare it with. */
  readonly former?: Uint8Array;
}

/** `note` undefined: it has to be compared. */
export interface RevisionReply {
  readonly note: RevisionNote | undefined;
}

export type RevisionThread = AnsweringThread<RevisionOrder, RevisionReply>;

/** Reads what documents say of themselves: large ones on a thread of its own, as they hold the main thread for too long. */
export class RevisionReader {
  readonly #thread: OrderThread<RevisionOrder, RevisionReply>;

  constructor(clock: Clock, start: () => RevisionThread = startThread) {
    const limits = { orderMsMax: READ_MS_MAX, idleMsMax: IDLE_MS_MAX, waitingMax: WAITING_MAX };
    this.#thread = new OrderThread({ clock, start, ...limits });
  }

  /** `former`: the document before it, asked for where it is needed. Rejects with NOT_AVAILABLE. */
  async read(bytes: Uint8Array, former: () => Promise<Uint8Array>): Promise<RevisionNote> {
    const { note } = await this.#ask({ bytes });
    if (note !== undefined) return note;
    const compared = await this.#ask({ bytes, former: await former() });
    if (compared.note === undefined) throw new Error("a document was compared, and nothing was said of it");
    return compared.note;
  }

  async #ask(order: RevisionOrder): Promise<RevisionReply> {
    if (order.bytes.length + (order.former?.length ?? 0) <= HERE_BYTES_MAX) return answerOrder(order);
    const reply = await this.#thread.ask(order);
    if (reply === undefined)
      throw new NvrdError("NOT_AVAILABLE", "the history of the configuration could not be read in time");
    return reply;
  }
}

/** What the thread says of an order. */
export function answerOrder({ bytes, former }: RevisionOrder): RevisionReply {
  return { note: former === undefined ? readNote(bytes) : compareNote(bytes, former) };
}

function startThread(): RevisionThread {
  const resourceLimits = { ...ORDER_WORKER.resourceLimits, maxOldGenerationSizeMb: HEAP_MB };
  const options = { ...ORDER_WORKER, resourceLimits, name: "revisions" };
  return orderThreadOf(new Worker(builtScript(import.meta.url, "revision-worker"), options));
}
