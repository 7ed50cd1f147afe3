import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Duplex } from "node:stream";
import * as v from "valibot";
import { type Clock, type ClockTimer, type Guid, NvrdError, setTimeLimit } from "../../base/index.js";
import { ABOUT_PATH } from "../link/gate.js";
import { HUBS_HEADER } from "../link/hub-places.js";
import { LINK_ROLES, type LinkRole } from "../link/link-messages.js";
import { NOTE_BYTES_MAX, NOTES_PATH, readNoteLine } from "../link/notes.js";
import { NOTES_SINCE, PROTOCOL, PROTOCOL_HEADER } from "../link/protocol.js";

/** What a box may send of one answer before the hub has passed it on. */
export const UNACKNOWLEDGED_BYTES_MAX = 256 * 1024;
/** The same of all answers of one connection. */
const CONNECTION_BYTES_MAX = 4 * 1024 * 1024;
const SESSION_MEGABYTES_MAX = 8;
/** A box is asked so often whether it is there and how it does, and has so long to answer. */
const ASK_MS = 20_000;
const ANSWER_MS_MAX = 15_000;
const ABOUT_BYTES_MAX = 16_384;
/** Problems that a box reports at most. */
const PROBLEMS_MAX = 32;
/** Requests to one box that wait or are being answered. */
const STREAMS_MAX = 256;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** A recorder of an older version says none. */
export const boxFigures = v.object({
  cameras: count,
  camerasLost: count,
  volumes: count,
  volumesAtFault: count,
  daysLeft: v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0))),
  problemCount: count,
  problems: v.pipe(
    v.array(
      v.object({
        code: v.pipe(v.string(), v.maxLength(64)),
        severity: v.picklist(["error", "warning"]),
        text: v.pipe(v.string(), v.maxLength(500)),
      }),
    ),
    v.maxLength(PROBLEMS_MAX),
  ),
});
const aboutAnswer = v.object({
  Name: v.pipe(v.string(), v.maxLength(128)),
  Version: v.pipe(v.string(), v.maxLength(64)),
  Health: v.pipe(v.string(), v.maxLength(500)),
  Role: v.picklist(LINK_ROLES),
  Figures: v.fallback(v.optional(boxFigures), undefined),
  Revision: v.fallback(v.optional(count), undefined),
  Protocol: v.fallback(v.optional(count), undefined),
  /** Marks what the hub may read of its off-site storage; absent: nothing. */
  Storage: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(64))), undefined),
});
export type BoxSaid = v.InferOutput<typeof aboutAnswer>;

/** Why a connection has ended: by the box or on the way; it answered no more; by this hub. */
export type LinkEnd = "ended" | "silent" | "closed";

export interface BoxLinkOptions {
  readonly socket: Duplex;
  /** Where the hubs are that the box may connect to, as codes name them; empty: this one alone. */
  readonly hubs: () => readonly string[];
  readonly onSaid: (said: BoxSaid) => void;
  /** The box says something to another one. */
  readonly onNote: (to: Guid, text: string) => void;
  readonly onEnd: (end: LinkEnd) => void;
  readonly clock: Clock;
}

/** The hub's end of one connection of a box: a client of HTTP/2 over it. */
export class BoxLink {
  readonly #options: BoxLinkOptions;
  readonly #session: ClientHttp2Session;
  readonly #timer: ClockTimer;
  #streams = 0;
  #role: LinkRole | undefined;
  #end: LinkEnd = "ended";
  #hasNotes = false;

  constructor(options: BoxLinkOptions) {
    this.#options = options;
    const { socket, clock, onEnd } = options;
    const session = connect("https://box", {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: UNACKNOWLEDGED_BYTES_MAX },
      maxSessionMemory: SESSION_MEGABYTES_MAX,
    });
    this.#session = session;
    session.on("error", () => session.destroy());
    session.once("connect", () => session.setLocalWindowSize(CONNECTION_BYTES_MAX));
    this.#timer = clock.setInterval(() => void this.#ask(), ASK_MS);
    session.once("close", () => {
      this.#timer.clear();
      onEnd(this.#end);
    });
    void this.#ask();
  }

  /** What it is for; undefined: the box has not said yet. */
  get role(): LinkRole | undefined {
    return this.#role;
  }

  get isOpen(): boolean {
    return !this.#session.destroyed && !this.#session.closed;
  }

  close(): void {
    this.#end = "closed";
    this.#session.destroy();
  }

  /** Begins a request. Throws NvrdError NOT_AVAILABLE where too many are under way. */
  request(headers: OutgoingHttpHeaders, { hasBody }: { readonly hasBody: boolean }): ClientHttp2Stream {
    if (this.#streams >= STREAMS_MAX)
      throw new NvrdError("NOT_AVAILABLE", "too many requests to this recorder are under way");
    const stream = this.#session.request(headers, { endStream: !hasBody });
    this.#streams += 1;
    stream.once("close", () => {
      this.#streams -= 1;
    });
    return stream;
  }

  /** Never rejects: a box that does not answer is disconnected. */
  async #ask(): Promise<void> {
    if (!this.isOpen) return;
    const { clock, onSaid } = this.#options;
    const limit = setTimeLimit(clock, () => this.#giveUp(), ANSWER_MS_MAX);
    try {
      const said = v.safeParse(aboutAnswer, JSON.parse(await this.#aboutText()));
      if (!said.success) throw new TypeError("it says nothing of itself that can be read");
      const { Role, Protocol = 1 } = said.output;
      this.#role = Role;
      onSaid(said.output);
      if (Role === "commands" && Protocol >= NOTES_SINCE) void this.#readNotes();
    } catch {
      // A box that does not say what it is cannot be used; when it is there again it comes by itself.
      this.#giveUp();
    } finally {
      limit.clear();
    }
  }

  /** Reads what the box says to others, once at a time. Never rejects: it is asked for again with the next look. */
  async #readNotes(): Promise<void> {
    if (this.#hasNotes || !this.isOpen) return;
    this.#hasNotes = true;
    const stream = this.#session.request({ ":path": NOTES_PATH }, { endStream: true });
    try {
      let rest = "";
      for await (const chunk of stream.setEncoding("utf8") as AsyncIterable<string>) {
        const lines = `${rest}${chunk}`.split("\n");
        rest = lines.pop() ?? "";
        if (rest.length > 2 * NOTE_BYTES_MAX) throw new RangeError("a note is too long");
        for (const line of lines) this.#takeNote(line);
      }
    } catch {
      // The connection has ended, or the box is in strange hands.
      stream.destroy();
    }
    this.#hasNotes = false;
  }

  #takeNote(line: string): void {
    const note = readNoteLine(line);
    if (note !== undefined) this.#options.onNote(note.to, note.text);
  }

  #giveUp(): void {
    if (!this.isOpen) return;
    this.#end = "silent";
    this.#session.destroy();
  }

  async #aboutText(): Promise<string> {
    const hubs = this.#options.hubs().join(",");
    const places = hubs === "" ? {} : { [HUBS_HEADER]: hubs };
    const headers = { ":path": ABOUT_PATH, [PROTOCOL_HEADER]: `${PROTOCOL}`, ...places };
    const stream = this.#session.request(headers, { endStream: true });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > ABOUT_BYTES_MAX) throw new RangeError("the answer is too long");
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }
}

/** The head of a box's answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Rejects with NvrdError NOT_AVAILABLE where the connection ends first. */
export async function headOf(stream: ClientHttp2Stream): Promise<AnswerHead> {
  return await new Promise((resolve, reject) => {
    const lost = (): void => {
      reject(new NvrdError("NOT_AVAILABLE", "the connection to the recorder has ended"));
    };
    stream.once("response", (headers) =>
      resolve({ status: headers[":status"] ?? 502, headers: plainHeaders(headers) }),
    );
    stream.once("error", lost);
    stream.once("close", lost);
  });
}

/** An answer as a whole. */
export interface WholeAnswer extends AnswerHead {
  readonly body: Buffer;
}

/**
 * Reads an answer as a whole, within so many bytes and so much time. Rejects with NvrdError NOT_AVAILABLE where it is not there by then,
 * or is too long; the request is then closed.
 */
export async function wholeAnswer(
  stream: ClientHttp2Stream,
  { bytesMax, ms, clock }: { readonly bytesMax: number; readonly ms: number; readonly clock: Clock },
): Promise<WholeAnswer> {
  const limit = setTimeLimit(clock, () => stream.destroy(), ms);
  try {
    const head = await headOf(stream);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new NvrdError("NOT_AVAILABLE", "the recorder's answer is too long");
      chunks.push(chunk);
    }
    const length = head.headers.find(([name]) => name === "content-length")?.[1];
    if (stream.aborted || (length !== undefined && Number(length) !== bytes))
      throw new NvrdError("NOT_AVAILABLE", "the recorder's answer did not come in time");
    return { ...head, body: Buffer.concat(chunks) };
  } finally {
    limit.clear();
    stream.destroy();
  }
}

function plainHeaders(headers: IncomingHttpHeaders): AnswerHead["headers"] {
  return Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(":") || typeof value !== "string" ? [] : [[name, value] as const],
  );
}
