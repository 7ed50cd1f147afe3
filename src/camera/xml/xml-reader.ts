import { type Allowance, type Clock, PeerBudget, pauseUnlessAborted, SystemClock } from "../../base/index.js";
import { bytesCost, documentCost, worstCost } from "./xml-cost.js";
import { readDocument } from "./xml-document.js";
import { XmlElement } from "./xml-element.js";
import { XmlThread } from "./xml-thread.js";
import { XmlError, type XmlTokens } from "./xml-tokens.js";

/** Larger documents are read on another thread: the worst of this size takes 3 ms of a small machine. */
export const HERE_BYTES_MAX = 32 * 1024;
/** What is read here in one turn of the event loop, in units of cost: some 4 ms of the worst. */
const TURN_COST_MAX = 12_000;
/** Four of the worst megabytes at once, and then one in two seconds; of all devices twenty, and ten a second. */
const DEVICE: Allowance = { burst: 250_000, perSecond: 30_000 };
const ALL: Allowance = { burst: 1_250_000, perSecond: 600_000 };
/** Longest that a device's answer waits to be read, in milliseconds. */
const WAIT_MS_MAX = 5000;

export interface XmlReading {
  /** The address of the device that sent it. */
  readonly peer: string;
  readonly charset?: string | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a document of a device, hostile or broken as it may be: within what that device and all devices may cost, a large
 * one on another thread. Rejects with XmlError.
 */
export function readXml(bytes: Buffer, reading: XmlReading): Promise<XmlElement> {
  const { clock } = reading;
  const reader = READERS.get(clock) ?? new XmlReader(clock);
  READERS.set(clock, reader);
  return reader.read(bytes, reading);
}

/** What all devices may cost is one budget of the process: that of its clock. A test with its own clock has its own. */
const READERS = new WeakMap<Clock, XmlReader>();
/** A thread takes the time that it takes, whatever clock a test has. */
const THREAD = new XmlThread(new SystemClock());

/** `readXml` with a thread that a test may give. */
export class XmlReader {
  readonly #clock: Clock;
  readonly #thread: XmlThread;
  readonly #budget: PeerBudget;
  readonly #turn = new Turn();

  constructor(clock: Clock, thread = THREAD) {
    this.#clock = clock;
    this.#thread = thread;
    this.#budget = new PeerBudget({ clock, peer: DEVICE, all: ALL });
  }

  async read(bytes: Buffer, { peer, charset, signal }: Omit<XmlReading, "clock">): Promise<XmlElement> {
    const isSmall = bytes.length <= HERE_BYTES_MAX;
    // Paid before, so that many at once are many; what it did not cost is given back.
    const worst = worstCost(bytes.length);
    await this.#pay(peer, { worst, isSmall, signal });
    const tokens = await (isSmall ? this.#readHere(bytes, charset) : this.#thread.read(bytes, charset));
    this.#budget.charge(peer, documentCost(bytes.length, tokens) - worst);
    return XmlElement.document(tokens);
  }

  /** Small documents wait for their own device's debts alone: others cannot hold up what cameras usually say. */
  async #pay(
    peer: string,
    { worst, isSmall, signal }: { worst: number; isSmall: boolean; signal?: AbortSignal | undefined },
  ): Promise<void> {
    for (let waitedMs = 0; ; ) {
      const ms = isSmall ? this.#budget.ownWaitMs(peer) : this.#budget.waitMs(peer);
      if (ms === 0) {
        this.#budget.charge(peer, worst);
        return;
      }
      waitedMs += ms;
      if (waitedMs > WAIT_MS_MAX)
        throw new XmlError("more than can be read came from it in the last seconds");
      await pauseUnlessAborted(this.#clock, Math.ceil(ms), signal);
      if (signal?.aborted === true) throw new XmlError("reading it was given up");
    }
  }

  async #readHere(bytes: Buffer, charset: string | undefined): Promise<XmlTokens> {
    while (this.#turn.cost > TURN_COST_MAX) await new Promise((resolve) => setImmediate(resolve));
    this.#turn.add(bytesCost(bytes.length));
    const tokens = readDocument(bytes, charset);
    this.#turn.add(documentCost(0, tokens));
    return tokens;
  }
}

/** Counts within one turn of the event loop. */
class Turn {
  #cost = 0;

  get cost(): number {
    return this.#cost;
  }

  add(cost: number): void {
    if (this.#cost === 0 && cost > 0)
      setImmediate(() => {
        this.#cost = 0;
      });
    this.#cost += cost;
  }
}
