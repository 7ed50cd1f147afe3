import * as v from "valibot";
import { type Clock, type Log, US_PER_MS } from "../base/index.js";
import { type Kept, KeptFile, keptKind } from "../kept/index.js";
import { RecentMap } from "./recent-map.js";

/** An address is known so long after its last login with a password that was checked. */
export const KNOWN_MS = 30 * 24 * 3600 * 1000;
/** Addresses, and users at an address; the one whose login is longest ago gives way. Only right logins are entered. */
export const KNOWN_MAX = 4096;
/** Nobody but the service reads who logs in from where. */
const FILE_MODE = 0o600;
/** Logins within this are written together; a power cut loses no more. */
const WRITE_DELAY_MS = 5000;

const ENTRIES = v.array(v.object({ Key: v.string(), AtUs: v.pipe(v.number(), v.finite()) }));
const KEPT = v.object({ Addresses: ENTRIES, Users: ENTRIES });

export const KNOWN_LOGINS_KIND = keptKind({
  name: "known-logins.json",
  says: "from where users have logged in",
  policy: "forget",
  damaged: "where users log in from cannot be read: their next login is as if it were the first",
  unsaved: "where users log in from cannot be written: a restart forgets it",
  severity: "warn",
  versionMember: "Version",
  schema: KEPT,
  mode: FILE_MODE,
  delayMs: WRITE_DELAY_MS,
});

export interface KnownLoginsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Where they are kept over a restart; undefined: not at all. */
  readonly dataDir?: string | undefined;
}

/** From where users have logged in. A guesser who has no account is in no such place. Neither passwords nor hashes of them. */
export class KnownLogins {
  readonly #options: KnownLoginsOptions;
  readonly #addresses = new RecentMap<string, number>(KNOWN_MAX);
  readonly #pairs = new RecentMap<string, number>(KNOWN_MAX);
  readonly #file: KeptFile<typeof KEPT> | undefined;

  constructor(options: KnownLoginsOptions) {
    this.#options = options;
    const { dataDir: directory, clock, log } = options;
    if (directory === undefined) return;
    this.#file = new KeptFile(KNOWN_LOGINS_KIND, { directory, clock, log, content: () => this.#content() });
    const kept = this.#file.read();
    this.#enter(this.#addresses, kept?.Addresses ?? []);
    this.#enter(this.#pairs, kept?.Users ?? []);
  }

  add(login: { readonly pair: string; readonly address: string }): void {
    const nowUs = this.#options.clock.monotonicUs();
    this.#addresses.set(login.address, nowUs);
    this.#pairs.set(login.pair, nowUs);
    this.#file?.changed();
  }

  hasAddress(address: string): boolean {
    return this.#isKnown(this.#addresses, address);
  }

  /** Whether this user has logged in from this address. */
  hasPair(pair: string): boolean {
    return this.#isKnown(this.#pairs, pair);
  }

  /** Resolves when all is in the file. */
  async stop(): Promise<void> {
    await this.#file?.flush();
  }

  #isKnown(table: RecentMap<string, number>, key: string): boolean {
    const atUs = table.get(key);
    return atUs !== undefined && this.#options.clock.monotonicUs() - atUs < KNOWN_MS * US_PER_MS;
  }

  /** The file has the time of the day, and this the one that never goes back: a login in the future counts from now. */
  #enter(table: RecentMap<string, number>, entries: v.InferOutput<typeof ENTRIES>): void {
    const { clock } = this.#options;
    const [nowUs, monotonicUs] = [clock.nowUs(), clock.monotonicUs()];
    for (const { Key, AtUs } of entries) table.set(Key, monotonicUs - Math.max(0, nowUs - AtUs));
  }

  #content(): Kept<typeof KEPT> {
    const { clock } = this.#options;
    const [nowUs, monotonicUs] = [clock.nowUs(), clock.monotonicUs()];
    const entriesOf = (table: RecentMap<string, number>) =>
      [...table.entries()]
        .filter(([, atUs]) => monotonicUs - atUs < KNOWN_MS * US_PER_MS)
        .map(([Key, atUs]) => ({ Key, AtUs: nowUs - (monotonicUs - atUs) }));
    return { Addresses: entriesOf(this.#addresses), Users: entriesOf(this.#pairs) };
  }
}
