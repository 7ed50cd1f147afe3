import type { ByteBudget, Clock } from "../../base/index.js";
import type { SocketSink } from "./socket-sink.js";

/** Bytes that may be on their way to a client before pictures are left out, however quick its link is. */
export const CLIENT_BEHIND_BYTES_MAX = 4 * 1024 * 1024;
/** Of a link of which nothing is known yet. */
const WINDOW_BYTES_FIRST = 128 * 1024;
/** So much is always tried: a small key frame. */
const WINDOW_BYTES_MIN = 64 * 1024;
/** A slow link gets so much at once as it carries in this time. */
const WINDOW_MS = 500;
/** A way there and back that takes so much longer than the shortest has a queue; up to the first it may be a longer one. */
const SHORT_MS = 200;
const LONG_MS = 600;
/** Sound may be on its way beyond the window: it is little, and a hole in it is heard. */
const SOUND_BYTES_MORE = 32 * 1024;
/** How often the way is measured: seldom while it is free, often while much is on it. */
const PROBE_MS = 200;
const PROBE_FREE_MS = 1000;
/** On a way without a queue, what was sent so long ago has come. */
const COME_MS = 250;
const PROBES_MAX = 16;
/** A client that has answered no ping so long after the first has read it answers none. */
const ANSWER_MS_MAX = 5000;
/** A client that takes nothing at all for this long is disconnected. */
export const CLIENT_STALLED_MS_MAX = 30_000;

/** Bytes that may wait for all clients; less on a small machine. Beyond it pictures are left out for those that are behind. */
export const CLIENTS_WAITING_BYTES_MAX = 256 * 1024 * 1024;

/** A ping: its answer says that all that was sent before it has come. */
interface Probe {
  readonly number: number;
  readonly sentBytes: number;
  readonly underWayBytes: number;
  readonly us: number;
}

/**
 * How much may be on its way to a client. What the kernel holds for a slow link cannot be seen, and is seconds of pictures; so
 * the client is asked by pings what has come. The bound follows the time that their answers take. It is one for all that a
 * client watches, because they share its connection.
 */
export class SocketPace {
  readonly #connection: SocketSink;
  readonly #clock: Clock;
  /** Shared by all clients. */
  readonly #budget: ByteBudget;
  /** Bytes of the budget that this client has. */
  #counted = 0;
  /** When it took something, the last time. */
  #takenUs: number;
  #window = WINDOW_BYTES_FIRST;
  #widenedUs = Number.NEGATIVE_INFINITY;
  /** Pings without an answer, oldest first. */
  #probes: Probe[] = [];
  #probeCount = 0;
  #probedUs = Number.NEGATIVE_INFINITY;
  #probedBytes = 0;
  /** Bytes of which it is known that they have come. */
  #arrivedBytes = 0;
  #shortestMs = Number.POSITIVE_INFINITY;
  /** The newest answer came without a queue. */
  #isQuick = false;
  /** What had been sent by some time ago, in steps. */
  #slotUs = 0;
  #slotBytes = 0;
  #nextSlotBytes = 0;

  constructor(connection: SocketSink, budget: ByteBudget, clock: Clock) {
    this.#connection = connection;
    this.#budget = budget;
    this.#clock = clock;
    this.#takenUs = clock.monotonicUs();
  }

  /** Bytes that can be sent now; none is less than 0. */
  get room(): number {
    return this.#window - this.#underWay();
  }

  /** Whether so little is on its way that more does not have to wait. */
  get isFree(): boolean {
    return this.#underWay() <= this.#window / 4;
  }

  /** Whether so many bytes more can be sent now. */
  takes(bytes: number): boolean {
    const underWay = this.#underWay();
    // One that is larger than the window goes when the way is free.
    if (underWay <= WINDOW_BYTES_MIN / 4) return true;
    return underWay + bytes <= this.#window && this.#budget.hasRoom(bytes);
  }

  takesSound(bytes: number): boolean {
    return this.takes(bytes - SOUND_BYTES_MORE);
  }

  /** The connection has taken something of what waited for it. */
  drained(): void {
    this.#takenUs = this.#clock.monotonicUs();
    this.#count(this.#takenUs);
  }

  /** A ping was answered. */
  answered(text: string): void {
    const at = this.#probes.findIndex(({ number }) => `${number}` === text);
    const probe = this.#probes[at];
    if (probe === undefined) return;
    this.#probes.splice(0, at + 1);
    const ms = (this.#clock.monotonicUs() - probe.us) / 1000;
    this.#shortestMs = Math.min(this.#shortestMs, ms);
    this.#arrivedBytes = probe.sentBytes;
    const queueMs = ms - this.#shortestMs;
    const { underWayBytes } = probe;
    this.#isQuick = queueMs <= SHORT_MS && ms <= 4 * LONG_MS;
    // A late answer to little is that of a busy machine, and says nothing of the link.
    const isMuch = underWayBytes >= this.#window / 4;
    if (isMuch && (queueMs > LONG_MS || ms > 4 * LONG_MS)) this.#narrow((underWayBytes / ms) * WINDOW_MS);
    // Once in a round: what was sent before the last change says nothing of it. And only where so much was on the way.
    else if (isMuch && this.#isQuick && probe.us >= this.#widenedUs) this.#widen();
  }

  /** The client has gone. */
  close(): void {
    this.#budget.giveBack(this.#counted);
    this.#counted = 0;
  }

  /** Whether the client has taken nothing for too long. */
  get isStalled(): boolean {
    if (this.#connection.waitingBytes === 0) return false;
    return this.#clock.monotonicUs() - this.#takenUs > CLIENT_STALLED_MS_MAX * 1000;
  }

  #narrow(bytes: number): void {
    this.#window = Math.max(WINDOW_BYTES_MIN, Math.min(this.#window, Math.round(bytes)));
  }

  #widen(): void {
    this.#window = Math.min(CLIENT_BEHIND_BYTES_MAX, this.#window * 2);
    this.#widenedUs = this.#clock.monotonicUs();
  }

  /** Bytes that have not come there, as far as it is known. */
  #underWay(): number {
    const nowUs = this.#clock.monotonicUs();
    const waiting = this.#count(nowUs);
    const { sentBytes } = this.#connection;
    const [oldest] = this.#probes;
    const silentMs = oldest === undefined ? 0 : (nowUs - oldest.us) / 1000;
    const isMute = this.#arrivedBytes === 0 && waiting === 0 && silentMs > ANSWER_MS_MAX;
    if (isMute) return waiting;
    if (nowUs - this.#slotUs > COME_MS * 1000) {
      this.#slotUs = nowUs;
      this.#slotBytes = this.#nextSlotBytes;
      this.#nextSlotBytes = sentBytes;
    }
    const isFree = this.#isQuick && silentMs <= this.#shortestMs + SHORT_MS;
    const arrived = isFree ? Math.max(this.#arrivedBytes, this.#slotBytes) : this.#arrivedBytes;
    const underWay = Math.max(waiting, sentBytes - arrived);
    this.#probe(sentBytes, underWay, nowUs);
    return underWay;
  }

  #probe(sentBytes: number, underWayBytes: number, nowUs: number): void {
    const news = sentBytes - this.#probedBytes;
    if (news === 0 || this.#probes.length >= PROBES_MAX) return;
    const sinceMs = (nowUs - this.#probedUs) / 1000;
    const isMuch = underWayBytes > this.#window / 4;
    const isDue = isMuch ? sinceMs >= PROBE_MS || news >= this.#window / 4 : sinceMs >= PROBE_FREE_MS;
    if (!isDue) return;
    this.#probeCount += 1;
    this.#probes.push({ number: this.#probeCount, sentBytes, underWayBytes, us: nowUs });
    this.#probedUs = nowUs;
    this.#probedBytes = sentBytes;
    this.#connection.ping(`${this.#probeCount}`);
  }

  /** Bytes that wait in this process. */
  #count(nowUs: number): number {
    const waiting = this.#connection.waitingBytes;
    if (waiting === 0) this.#takenUs = nowUs;
    if (waiting === this.#counted) return waiting;
    this.#budget.giveBack(this.#counted);
    this.#budget.take(waiting);
    this.#counted = waiting;
    return waiting;
  }
}
