import {
  type Clock,
  type Guid,
  MS_PER_MINUTE,
  newGuid,
  parseGuid,
  US_PER_DAY,
  US_PER_MS,
} from "../base/index.js";
import { SendError, type Sender } from "./send/sender.js";

/** Below the prefix: which recorder sends there. */
export const CLAIM_KEY = "recorder.json";
const CLAIM_BYTES_MAX = 4096;
const NAME_LENGTH_MAX = 200;
/** ECMA-262, 21.4.1.1: the latest time that has a date. */
const TIME_MS_MAX = 8.64e15;
/** It is looked at again so soon after the start, because two may have begun at once, */
const SOON_MS = MS_PER_MINUTE;
/** and then so often. */
const AGAIN_MS = 60 * MS_PER_MINUTE;
/** A recorder that has not said so for so long is gone: another one may go on in its place. */
const GONE_AFTER_US = US_PER_DAY;
/** A clock before this was not set. */
const CLOCK_FROM_US = Date.UTC(2024, 0, 1) * US_PER_MS;

interface Claimer {
  readonly id: Guid;
  readonly name: string;
}

interface Claim extends Claimer {
  readonly seenUs: number;
  /** Of the run that wrote it; former versions wrote none. */
  readonly run?: Guid | undefined;
}

export interface BoxClaimOptions {
  readonly sender: Pick<Sender, "run">;
  readonly self: () => Promise<Claimer>;
  readonly clock: Clock;
}

/** One recorder a bucket and prefix: two would become one to whoever reads them, and each would name what the other did not send. */
export class BoxClaim {
  readonly #options: BoxClaimOptions;
  readonly #run = newGuid();
  #dueUs = Number.NEGATIVE_INFINITY;
  #isOwn = false;
  /** This run has written it. */
  #hasWritten = false;
  /** The other recorder's claim as it was seen, and since when it has not changed; monotonic. */
  #other: { readonly text: string; readonly sinceUs: number } | undefined;

  constructor(options: BoxClaimOptions) {
    this.#options = options;
  }

  /** Rejects with SendError where another recorder sends there. */
  async hold(): Promise<void> {
    const { sender, self, clock } = this.#options;
    if (clock.monotonicUs() < this.#dueUs) return;
    const own = await self();
    const content = await sender.run({ op: "get", key: CLAIM_KEY, bytesMax: CLAIM_BYTES_MAX });
    const found = content === undefined ? undefined : claimIn(content);
    // The run before this one wrote another; after this one has written, only a copy of this recorder can have.
    const isCopy = found?.id === own.id && this.#hasWritten && found.run !== this.#run;
    const isOther = found !== undefined && (found.id !== own.id || isCopy);
    if (isOther && !this.#isGone(found)) {
      this.#isOwn = false;
      throw taken(found, isCopy);
    }
    const text = JSON.stringify({ ...own, seenUs: clock.nowUs(), run: this.#run } satisfies Claim);
    await sender.run({ op: "put", key: CLAIM_KEY, content: Buffer.from(text) });
    this.#hasWritten = true;
    this.#dueUs = clock.monotonicUs() + (this.#isOwn ? AGAIN_MS : SOON_MS) * US_PER_MS;
    this.#isOwn = true;
  }

  /** By its own time where that can be; a clock that was wrong says nothing, so then it must not have changed for as long. */
  #isGone(found: Claim): boolean {
    const { clock } = this.#options;
    const [nowUs, monotonicUs, text] = [clock.nowUs(), clock.monotonicUs(), JSON.stringify(found)];
    if (this.#other?.text !== text) this.#other = { text, sinceUs: monotonicUs };
    if (monotonicUs - this.#other.sinceUs >= GONE_AFTER_US) return true;
    return found.seenUs >= CLOCK_FROM_US && nowUs - found.seenUs >= GONE_AFTER_US;
  }
}

/** Undefined: it cannot be read, and says nothing. */
function claimIn(content: Uint8Array): Claim | undefined {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(content).toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof read !== "object" || read === null) return undefined;
  const { id, name, seenUs, run } = read as { readonly [member in keyof Claim]?: unknown };
  const known = typeof id === "string" ? parseGuid(id) : undefined;
  if (known === undefined || typeof seenUs !== "number") return undefined;
  const ofRun = typeof run === "string" ? parseGuid(run) : undefined;
  return {
    ...{ id: known, name: typeof name === "string" ? name.slice(0, NAME_LENGTH_MAX) : "", seenUs },
    ...(ofRun === undefined ? {} : { run: ofRun }),
  };
}

function taken({ id, name, seenUs }: Claim, isCopy: boolean): SendError {
  const who = name === "" ? id : `${name} (${id})`;
  const time = Math.abs(seenUs) / US_PER_MS;
  const seen = time <= TIME_MS_MAX ? new Date(Math.floor(time)).toISOString() : "an unknown time";
  const whose = isCopy ? "a copy of this recorder, with its data directory," : `the recorder ${who}`;
  const text = `${whose} sends to this bucket and prefix, the last time at ${seen}: use another prefix; if that recorder is gone, delete ${CLAIM_KEY} there, or wait a day`;
  return new SendError(text, { fault: "forbidden", isLasting: true, retryAfterMs: undefined });
}
