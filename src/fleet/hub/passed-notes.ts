import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { type Clock, type Guid, setTimeLimit } from "../../base/index.js";
import { FROM_HEADER, NOTE_PATH } from "../link/notes.js";

/** Notes of one box that are on their way. Beyond it they are lost, as on any network. */
const UNDER_WAY_MAX = 16;
const NOTE_MS_MAX = 5000;

export interface PassedNotesOptions {
  readonly isOurs: (id: Guid) => boolean;
  /** Begins a request to a box; undefined where it is not connected. May throw. */
  readonly open: (id: Guid, headers: OutgoingHttpHeaders) => ClientHttp2Stream | undefined;
  readonly clock: Clock;
}

/** What boxes of a hub say to each other through it. */
export class PassedNotes {
  readonly #options: PassedNotesOptions;
  readonly #underWay = new Map<Guid, number>();

  constructor(options: PassedNotesOptions) {
    this.#options = options;
  }

  /** A note that cannot be passed on is lost: whoever waits for an answer says it again. */
  pass(from: Guid, to: Guid, text: string): void {
    const { isOurs, open, clock } = this.#options;
    const count = this.#underWay.get(from) ?? 0;
    if (!isOurs(to) || to === from || count >= UNDER_WAY_MAX) return;
    let stream: ClientHttp2Stream | undefined;
    try {
      stream = open(to, { ":method": "POST", ":path": NOTE_PATH, [FROM_HEADER]: from });
    } catch {
      // Too many requests to it are under way.
      return;
    }
    if (stream === undefined) return;
    this.#underWay.set(from, count + 1);
    const limit = setTimeLimit(clock, () => stream.destroy(), NOTE_MS_MAX);
    stream.on("error", () => stream.destroy());
    stream.once("close", () => {
      limit.clear();
      const left = (this.#underWay.get(from) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(from);
      else this.#underWay.set(from, left);
    });
    stream.resume();
    stream.end(text);
  }
}
