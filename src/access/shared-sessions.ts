import * as v from "valibot";
import { type Clock, errorText, type Log, Semaphore, US_PER_HOUR, US_PER_MS } from "../base/index.js";
import { KEPT_SESSION, type KeptSession } from "./session-file.js";

/** What was read of a session counts for so long: one that ends elsewhere ends here within it. */
export const SHARED_FOR_MS = 3000;
/** Reads of the store at once, and what waits for one: strangers send keys that are none. */
const READS_AT_ONCE = 8;
const READS_WAITING_MAX = 64;
/** Keys of sessions that there are not, so that nobody makes the store work by one cookie. */
const UNKNOWN_MAX = 1024;
const FOLDER = "hub/sessions/";
/** When one was used last: a document of its own, so that nothing brings a session back that has ended meanwhile. */
const USES = "hub/session-uses/";
/** A use is written anew after this. */
const USED_AGAIN_US = 12 * US_PER_HOUR;
/** While the store does not answer, what is known here counts, and is asked for again after this. */
const TRUSTED_MS = 30_000;

/** Where several servers that are one keep their sessions. */
export interface SessionDocuments {
  /** Undefined: there is none. Rejects where that is not known. */
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  names(folder: string): Promise<readonly string[]>;
}

export interface SharedSessionsOptions {
  readonly documents: SessionDocuments;
  /** Notifies the other servers that a session has ended, or belongs to another password. */
  readonly say: (key: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A session as all keep it; where it is used is each one's own. */
export type SharedSession = Omit<KeptSession, "ageUs" | "idleUs">;

/** Sessions that several servers have together, one document each. Written when one begins; removed when it ends. */
export class SharedSessions {
  readonly #options: SharedSessionsOptions;
  readonly #turns = new Semaphore({ atOnce: READS_AT_ONCE, waitingMax: READS_WAITING_MAX });
  /** When each was last known to be there; monotonic µs. */
  readonly #checked = new Map<string, number>();
  readonly #unknown = new Map<string, number>();
  /** When its use was written last; monotonic µs. */
  readonly #noted = new Map<string, number>();
  readonly #reading = new Map<string, Promise<SharedSession | "none" | "unknown">>();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: SharedSessionsOptions) {
    this.#options = options;
  }

  /** Whether what is known here of a session still counts. */
  isFresh(key: string): boolean {
    const checkedUs = this.#checked.get(key);
    return checkedUs !== undefined && this.#nowUs - checkedUs < SHARED_FOR_MS * US_PER_MS;
  }

  /** `none`: it has ended, or never was; `unknown`: the store does not answer. Never rejects but with NvrdError TOO_MANY_REQUESTS. */
  read(key: string): Promise<SharedSession | "none" | "unknown"> {
    const missedUs = this.#unknown.get(key);
    if (missedUs !== undefined && this.#nowUs - missedUs < SHARED_FOR_MS * US_PER_MS)
      return Promise.resolve("none");
    const known = this.#reading.get(key);
    if (known !== undefined) return known;
    const reading = this.#turns.run(() => this.#read(key)).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  /** Writes it for all. Resolves when it is there, or the log says that it is not: then it counts here alone until it is checked. */
  keep(session: SharedSession): Promise<void> {
    this.#checked.set(session.key, this.#nowUs);
    this.#unknown.delete(session.key);
    return this.#inOrder(() => this.#options.documents.write(nameOf(session.key), JSON.stringify(session)));
  }

  /** It is used here now. */
  used(key: string): void {
    const nowUs = this.#nowUs;
    const notedUs = this.#noted.get(key);
    if (notedUs !== undefined && nowUs - notedUs < USED_AGAIN_US) return;
    this.#noted.set(key, nowUs);
    // Its beginning says the same for the first hours.
    if (notedUs === undefined) return;
    const usedUs = this.#options.clock.nowUs();
    void this.#inOrder(() => this.#options.documents.write(useOf(key), JSON.stringify({ usedUs })));
  }

  /** The store does not answer: what is known here counts for a while. */
  trust(key: string): void {
    this.#checked.set(key, this.#nowUs + (TRUSTED_MS - SHARED_FOR_MS) * US_PER_MS);
  }

  /** Ends it for all. */
  end(key: string): void {
    this.forget(key);
    void this.#inOrder(async () => {
      await this.#options.documents.remove(nameOf(key));
      this.#options.say(key);
      await this.#options.documents.remove(useOf(key));
    });
  }

  /** It is not known here any more; it may be there for others. */
  forget(key: string): void {
    this.#checked.delete(key);
    this.#noted.delete(key);
  }

  /** Resolves when what was begun is written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Removes what is too old to count: a server that has ended left it. Never rejects. */
  async sweep(isOver: (session: SharedSession) => boolean): Promise<void> {
    try {
      for (const name of await this.#options.documents.names(FOLDER)) {
        const key = /^hub\/sessions\/(.+)\.json$/.exec(name)?.[1];
        const read = key === undefined ? "none" : await this.#read(key);
        if (read === "none" || (read !== "unknown" && isOver(read)))
          await this.#options.documents.remove(name);
        if (read === "none" && key !== undefined) await this.#options.documents.remove(useOf(key));
      }
    } catch (error) {
      this.#options.log.debug({ reason: errorText(error) }, "old sessions are still in the store");
    }
  }

  async #read(key: string): Promise<SharedSession | "none" | "unknown"> {
    let said: string | undefined;
    try {
      said = await this.#options.documents.read(nameOf(key));
    } catch (error) {
      this.#options.log.warn(
        { reason: errorText(error) },
        "whether a session has ended elsewhere is not known",
      );
      return "unknown";
    }
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), SHARED), said);
    if (read.success && read.output.key === key) {
      this.#checked.set(key, this.#nowUs);
      return {
        ...read.output,
        lastUsedUs: Math.max(read.output.lastUsedUs, await this.#lastUse(read.output)),
      };
    }
    this.#checked.delete(key);
    if (this.#unknown.size >= UNKNOWN_MAX) this.#unknown.clear();
    this.#unknown.set(key, this.#nowUs);
    return "none";
  }

  /** 0: it is not known, or too young for that. */
  async #lastUse({ key, sinceUs }: SharedSession): Promise<number> {
    if (this.#options.clock.nowUs() - sinceUs < USED_AGAIN_US) return 0;
    try {
      const said = await this.#options.documents.read(useOf(key));
      const read = v.safeParse(v.pipe(v.string(), v.parseJson(), USE), said);
      return read.success ? read.output.usedUs : 0;
    } catch {
      // The store answered for the session a moment ago, and is asked again.
      return this.#options.clock.nowUs();
    }
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work).catch((error: unknown) => {
      this.#options.log.error(
        { reason: errorText(error) },
        "a session was not written for the other hubs: it counts at this one, or ends there later",
      );
    });
    this.#writing = done;
    return done;
  }

  get #nowUs(): number {
    return this.#options.clock.monotonicUs();
  }
}

const USE = v.object({ usedUs: v.pipe(v.number(), v.finite()) });
const SHARED = v.omit(KEPT_SESSION, ["ageUs", "idleUs"]);

function nameOf(key: string): string {
  return `${FOLDER}${key}.json`;
}

function useOf(key: string): string {
  return `${USES}${key}.json`;
}
