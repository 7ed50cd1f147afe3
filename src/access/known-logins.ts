import * as v from "valibot";
import { type Clock, DelayedFile, errorText, type Log, readSmallFile, US_PER_MS } from "../base/index.js";
import { RecentMap } from "./recent-map.js";

/** An address is known so long after its last login with a password that was checked. */
export const KNOWN_MS = 30 * 24 * 3600 * 1000;
/** Addresses, and users at an address; the one whose login is longest ago gives way. Only right logins are entered. */
export const KNOWN_MAX = 4096;
export const KNOWN_LOGINS_FILE = "known-logins.json";
/** Nobody but the service reads who logs in from where. */
const FILE_MODE = 0o600;
/** Logins within this are written together; a power cut loses no more. */
const WRITE_DELAY_MS = 5000;
/** A larger file is none of ours: a user's name has 64 characters, an address 39. */
const TEXT_LENGTH_MAX = 4_000_000;

const ENTRIES = v.array(v.object({ Key: v.string(), AtUs: v.pipe(v.number(), v.finite()) }));
const KEPT = v.object({ Version: v.literal(1), Addresses: ENTRIES, Users: ENTRIES });

export interface KnownLoginsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Where they are kept over a restart; undefined: not at all. */
  readonly file?: string | undefined;
}

/** From where users have logged in. A guesser who has no account is in no such place. Neither passwords nor hashes of them. */
export class KnownLogins {
  readonly #options: KnownLoginsOptions;
  readonly #addresses = new RecentMap<string, number>(KNOWN_MAX);
  readonly #pairs = new RecentMap<string, number>(KNOWN_MAX);
  readonly #file: DelayedFile | undefined;

  constructor(options: KnownLoginsOptions) {
    this.#options = options;
    const { file, clock, log } = options;
    if (file === undefined) return;
    this.#read(file);
    this.#file = new DelayedFile({
      ...{ file, clock, delayMs: WRITE_DELAY_MS, mode: FILE_MODE },
      text: () => this.#text(),
      onFailed: (error) => {
        const reason = errorText(error);
        log.warn({ file, reason }, "where users log in from cannot be written: a restart forgets it");
      },
    });
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
    await this.#file?.stop();
  }

  #isKnown(table: RecentMap<string, number>, key: string): boolean {
    const atUs = table.get(key);
    return atUs !== undefined && this.#options.clock.monotonicUs() - atUs < KNOWN_MS * US_PER_MS;
  }

  #read(file: string): void {
    try {
      const text = readSmallFile(file);
      if (text === undefined) return;
      if (text.length > TEXT_LENGTH_MAX) throw new RangeError(`it has ${text.length} characters`);
      const { Addresses, Users } = v.parse(KEPT, JSON.parse(text));
      this.#enter(this.#addresses, Addresses);
      this.#enter(this.#pairs, Users);
    } catch (error) {
      this.#options.log.warn(
        { file, reason: errorText(error) },
        "where users log in from cannot be read: their next login is as if it were the first",
      );
    }
  }

  /** The file has the time of the day, and this the one that never goes back: a login in the future counts from now. */
  #enter(table: RecentMap<string, number>, entries: v.InferOutput<typeof ENTRIES>): void {
    const { clock } = this.#options;
    const [nowUs, monotonicUs] = [clock.nowUs(), clock.monotonicUs()];
    for (const { Key, AtUs } of entries) table.set(Key, monotonicUs - Math.max(0, nowUs - AtUs));
  }

  #text(): string {
    const { clock } = this.#options;
    const [nowUs, monotonicUs] = [clock.nowUs(), clock.monotonicUs()];
    const entriesOf = (table: RecentMap<string, number>) =>
      [...table.entries()]
        .filter(([, atUs]) => monotonicUs - atUs < KNOWN_MS * US_PER_MS)
        .map(([Key, atUs]) => ({ Key, AtUs: nowUs - (monotonicUs - atUs) }));
    const kept = { Version: 1, Addresses: entriesOf(this.#addresses), Users: entriesOf(this.#pairs) };
    return `${JSON.stringify(kept)}\n`;
  }
}
