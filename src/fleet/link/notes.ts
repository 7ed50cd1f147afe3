import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import * as v from "valibot";
import { type Clock, type Guid, parseGuid, setTimeLimit, US_PER_SECOND } from "../../base/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";

/**
 * Notes of one box to another by way of their hub, which passes them on and keeps none. A hub asks a box once for what it says to others,
 * a line a note; to a box each is a request of its own. Whoever gets one believes the hub in nothing but who it is from.
 */

/** GET: what the box says to others, as long as the connection lasts. */
export const NOTES_PATH = "/fleet/notes";
/** POST: what another one says to the box. */
export const NOTE_PATH = "/fleet/note";
/** Who says it. */
export const FROM_HEADER = "nvrd-from";
/** A note, or a line of them, is no longer. */
export const NOTE_BYTES_MAX = 65_536;
const NOTE_MS_MAX = 5000;
/** Notes that a box takes in a second; the partners of a recorder need a few. */
const NOTES_A_SECOND = 32;

const lineSchema = v.object({
  To: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))),
  Text: v.pipe(v.string(), v.maxLength(NOTE_BYTES_MAX)),
});

/** Undefined: it is none. */
export function readNoteLine(line: string): { readonly to: Guid; readonly text: string } | undefined {
  try {
    const { To, Text } = v.parse(lineSchema, JSON.parse(line));
    return { to: To, text: Text };
  } catch {
    // Of a box in strange hands, or of a newer version.
    return undefined;
  }
}

export interface NotesOptions {
  readonly onNote: (from: Guid, text: string) => void;
  readonly clock: Clock;
}

/** A box's end: what it says, to each hub that asks, and what is said to it. */
export class Notes {
  readonly #options: NotesOptions;
  readonly #hubs = new Set<ServerHttp2Stream>();
  #secondUs = 0;
  #taken = 0;

  constructor(options: NotesOptions) {
    this.#options = options;
  }

  /** Says something to another box. A hub that does not read misses it. */
  say(to: Guid, text: string): void {
    const line = `${JSON.stringify({ To: to, Text: text })}\n`;
    for (const hub of this.#hubs) if (hub.writableLength < NOTE_BYTES_MAX) hub.write(line);
  }

  /** A hub's request. False: it is about something else. */
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean {
    const { ":method": method, ":path": path } = headers;
    if (method === "GET" && path === NOTES_PATH) this.#follow(stream);
    else if (method === "POST" && path === NOTE_PATH) void this.#hear(stream, headers[FROM_HEADER]);
    else return false;
    return true;
  }

  #follow(stream: ServerHttp2Stream): void {
    this.#hubs.add(stream);
    stream.once("close", () => this.#hubs.delete(stream));
    stream.respond({ ":status": 200, "content-type": "application/x-ndjson" });
  }

  /** Never rejects: who a note is from and what it says is checked by whoever is meant. */
  async #hear(stream: ServerHttp2Stream, said: string | string[] | undefined): Promise<void> {
    const { clock, onNote } = this.#options;
    const from = typeof said === "string" ? parseGuid(said) : undefined;
    const limit = setTimeLimit(clock, () => stream.destroy(), NOTE_MS_MAX);
    try {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > NOTE_BYTES_MAX) break;
        chunks.push(chunk);
      }
      const isTaken = from !== undefined && bytes <= NOTE_BYTES_MAX && this.#hasTurn();
      if (!stream.destroyed) stream.respond({ ":status": isTaken ? 204 : 429 }, { endStream: true });
      if (isTaken) onNote(from, Buffer.concat(chunks).toString("utf8"));
    } catch {
      // The hub has ended it before its end: there is no note.
      stream.destroy();
    } finally {
      limit.clear();
    }
  }

  #hasTurn(): boolean {
    const nowUs = this.#options.clock.monotonicUs();
    if (nowUs - this.#secondUs >= US_PER_SECOND) [this.#secondUs, this.#taken] = [nowUs, 0];
    this.#taken += 1;
    return this.#taken <= NOTES_A_SECOND;
  }
}
