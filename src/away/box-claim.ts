import { type Clock, type Guid, MS_PER_MINUTE, parseGuid, US_PER_DAY, US_PER_MS } from "../base/index.js";
import { SendError, type Sender } from "./send/sender.js";

/** Below the prefix: which recorder sends there. */
export const CLAIM_KEY = "recorder.json";
const CLAIM_BYTES_MAX = 4096;
const NAME_LENGTH_MAX = 200;
/** It is looked at again so soon after the start, because two may have begun at once, */
const SOON_MS = MS_PER_MINUTE;
/** and then so often. */
const AGAIN_MS = 60 * MS_PER_MINUTE;
/** A recorder that has not said so for so long is gone: another one may go on in its place. */
const GONE_AFTER_US = US_PER_DAY;

interface Claimer {
  readonly id: Guid;
  readonly name: string;
}

interface Claim extends Claimer {
  readonly seenUs: number;
}

export interface BoxClaimOptions {
  readonly sender: Pick<Sender, "run">;
  readonly self: () => Promise<Claimer>;
  readonly clock: Clock;
}

/** One recorder a bucket and prefix: two would become one to whoever reads them, and each would name what the other did not send. */
export class BoxClaim {
  readonly #options: BoxClaimOptions;
  #dueUs = Number.NEGATIVE_INFINITY;
  #isOwn = false;

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
    if (found !== undefined && found.id !== own.id && clock.nowUs() - found.seenUs < GONE_AFTER_US) {
      this.#isOwn = false;
      throw taken(found);
    }
    const text = JSON.stringify({ ...own, seenUs: clock.nowUs() } satisfies Claim);
    await sender.run({ op: "put", key: CLAIM_KEY, content: Buffer.from(text) });
    this.#dueUs = clock.monotonicUs() + (this.#isOwn ? AGAIN_MS : SOON_MS) * US_PER_MS;
    this.#isOwn = true;
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
  const { id, name, seenUs } = read as { readonly [member in keyof Claim]?: unknown };
  const known = typeof id === "string" ? parseGuid(id) : undefined;
  if (known === undefined || typeof seenUs !== "number") return undefined;
  return { id: known, name: typeof name === "string" ? name.slice(0, NAME_LENGTH_MAX) : "", seenUs };
}

function taken({ id, name, seenUs }: Claim): SendError {
  const who = name === "" ? id : `${name} (${id})`;
  const seen = new Date(Math.floor(seenUs / US_PER_MS)).toISOString();
  const text = `the recorder ${who} sends to this bucket and prefix, the last time at ${seen}: use another prefix; if that recorder is gone, delete ${CLAIM_KEY} there, or wait a day`;
  return new SendError(text, { fault: "forbidden", isLasting: true, retryAfterMs: undefined });
}
