import type { Clock, ClockTimer } from "../../base/index.js";

const SEQUENCES = 0x10000;
/**
 * So many packets in a row with the same distance show how the camera counts: where lost packets may be the cause, where none has followed
 * the one before yet, and where neither can be;
 */
const UPWARD_STEPS_MIN = 12;
const FIRST_STEPS_MIN = 4;
const OTHER_STEPS_MIN = 3;
/** and so many times as many each time that it was wrong, and no more than this. */
const AGAIN_FACTOR = 4;
const FACTOR_MAX = 64;
/** Distances further apart than this are no way of counting. */
const STEP_MAX = 64;
/** Numbers with their bytes in order that are further apart are another sequence. */
const SWAPPED_APART_MAX = 3000;
/** How long packets with odd numbers wait for those after them: as long as for missing ones, or as a track's first packet does. */
const ODD_WAIT_MS = 100;
const FIRST_WAIT_MS = 20;
/** Packets further apart are not of one picture that was turned round on the way. */
const PICTURE_APART_US = 15_000;
/** How long those of a session's first picture wait that came downwards: for the next one, which shows whether the camera counts so. */
const DOWNWARD_WAIT_MS = 300;
/** Numbers of a track that others of its session look at. A power of two. */
const RECENT = 1024;
/** So many gaps in a row in which all numbers are another track's show that they share a counter. */
const SHARED_GAPS_MIN = 6;
const NOTHING = -1;
const RTP_HEADER_BYTES = 12;
/** Reports, which some cameras send where their packets go (RFC 5761, 4). */
const RTCP_TYPE_FIRST = 192;
const RTCP_TYPE_LAST = 223;

/** How a camera's numbers are to be read. */
type Reading = "plain" | "swapped" | "stepped" | "by-arrival";

/** The numbers of all tracks of a session, some of which count by one counter. */
export class SessionNumbers {
  readonly #tracks: Int32Array[] = [];

  addTrack(): Int32Array {
    const recent = new Int32Array(RECENT).fill(NOTHING);
    this.#tracks.push(recent);
    return recent;
  }

  /** Whether a packet with this number came lately, of a track other than the one of `own`. */
  isOfOther(own: Int32Array, sequence: number): boolean {
    return this.#tracks.some((recent) => recent !== own && recent[sequence % RECENT] === sequence);
  }
}

export interface NumberReadingOptions {
  readonly clock: Clock;
  /** Of all tracks of the session. */
  readonly session?: SessionNumbers | undefined;
  /** Receives the packets, in the order in which they came, with numbers that follow each other. */
  deliver(packet: Buffer): void;
}

/**
 * Reads the numbers of one track's packets (UDP) where they do not count by one: by two, downwards, with their bytes swapped, or by a
 * counter that another track shares. They are written anew into the packets, so that whatever orders packets and finds losses
 * by them sees a sequence. How the camera counts is found out from the packets themselves, which wait for that; one number that
 * contradicts it ends it. Nothing waits of a camera whose numbers follow each other.
 */
export class NumberReading {
  readonly #clock: Clock;
  readonly #deliver: NumberReadingOptions["deliver"];
  readonly #session: SessionNumbers | undefined;
  readonly #recent: Int32Array;
  #reading: Reading = "plain";
  #step = 1;
  /** Of the newest packet: the number that it came with, and its source. */
  #raw = NOTHING;
  #source = 0;
  #time = 0;
  /** The newest number that was given. */
  #given = 0;
  /** Packets that wait, in the order in which they came, and the number before them. */
  #odd: Buffer[] = [];
  #rawBeforeOdd = 0;
  /** It is the session's first packet that waits, and no other. */
  #isFirstAlone = false;
  /** Packets in a row with this distance, and with one by which their bytes are swapped. */
  #oddStep = 0;
  #sameSteps = 0;
  /** One of them is of another picture than the one before: those of one picture may have been turned round on the way. */
  #isOverPictures = false;
  /** When the newest packet came whose number does not follow the one before. */
  #oddUs = 0;
  #swappedSteps = 0;
  #factor = 1;
  /** Packets in a row that went back by the numbers that were given. */
  #backSteps = 0;
  /** A number followed the one before. */
  #sawNext = false;
  #gapFrom = NOTHING;
  #gapTo = NOTHING;
  #sharedGaps = 0;
  #timer: ClockTimer | undefined;

  constructor(options: NumberReadingOptions) {
    this.#clock = options.clock;
    this.#deliver = (packet) => options.deliver(packet);
    this.#session = options.session;
    this.#recent = options.session?.addTrack() ?? new Int32Array(RECENT).fill(NOTHING);
  }

  /** Takes one datagram. Its memory may be written to. */
  push(packet: Buffer): void {
    const type = packet[1] ?? 0;
    if (packet.length < RTP_HEADER_BYTES || (type >= RTCP_TYPE_FIRST && type <= RTCP_TYPE_LAST)) {
      this.#deliver(packet);
      return;
    }
    const sequence = packet.readUInt16BE(2);
    const source = packet.readUInt32BE(8);
    const before = this.#raw;
    if (before === NOTHING) {
      this.#begin(packet, sequence, source);
      return;
    }
    const isNext = source === this.#source;
    const step = isNext ? signed(sequence - before) : 1;
    const time = packet.readUInt32BE(4);
    const isOtherTime = time !== this.#time;
    this.#recent[sequence % RECENT] = sequence;
    this.#raw = sequence;
    this.#source = source;
    this.#time = time;
    if (this.#reading !== "plain") this.#read(packet, before, isNext);
    else if (step === 1) {
      this.#sameSteps = 0;
      this.#swappedSteps = 0;
      this.#sawNext ||= isNext;
      if (this.#odd.length > 0) this.#release();
      this.#given = sequence;
      this.#deliver(packet);
    } else this.#await(packet, before, step, isOtherTime);
  }

  close(): void {
    this.#odd = [];
    this.#timer?.clear();
    this.#timer = undefined;
  }

  /** The first packet waits for the second, which may have an odd number: both are delivered together. */
  #begin(packet: Buffer, sequence: number, source: number): void {
    this.#recent[sequence % RECENT] = sequence;
    this.#raw = sequence;
    this.#source = source;
    this.#time = packet.readUInt32BE(4);
    this.#oddUs = this.#clock.monotonicUs();
    this.#given = (sequence - 1 + SEQUENCES) % SEQUENCES;
    this.#odd.push(packet);
    this.#isFirstAlone = true;
    this.#timer = this.#clock.setTimeout(() => this.#release(), FIRST_WAIT_MS);
  }

  /** A packet whose number does not follow the one before: it waits for others that show why. */
  #await(packet: Buffer, before: number, step: number, isOtherTime: boolean): void {
    const isSame = step === this.#oddStep;
    const nowUs = this.#clock.monotonicUs();
    const isOther = isOtherTime || nowUs - this.#oddUs >= PICTURE_APART_US;
    this.#oddUs = nowUs;
    if (!isSame && this.#isFirstTurned()) this.#release();
    this.#sameSteps = isSame ? this.#sameSteps + 1 : 1;
    this.#isOverPictures = isOther || (isSame && this.#isOverPictures);
    this.#swappedSteps = signed(swapped(this.#raw) - swapped(before)) === 1 ? this.#swappedSteps + 1 : 0;
    this.#oddStep = step;
    if (this.#odd.length === 0 && step < 0 && !this.#isOverPictures) {
      this.#given = this.#raw;
      this.#deliver(packet);
      return;
    }
    if (this.#odd.length === 0) this.#rawBeforeOdd = before;
    // The session's first one waits among them.
    else if (this.#isFirstAlone) this.#rawBeforeOdd = NOTHING;
    const isSecond = this.#isFirstAlone;
    this.#isFirstAlone = false;
    this.#odd.push(packet);
    if (this.#isSharedGap(before, step)) this.#sharedGaps += 1;
    else if (step > 0) this.#sharedGaps = 0;
    const reading = this.#shown(step);
    if (reading !== undefined) this.#turnTo(reading, step);
    // One that has another distance than the packet before it shows nothing.
    else if (this.#sameSteps === 1 && this.#swappedSteps === 0 && this.#odd.length > 1 && !isSecond)
      this.#release();
    else this.#wait(step, isSecond);
  }

  #wait(step: number, isSecond: boolean): void {
    if (isSecond && step < 0) {
      this.#timer?.clear();
      this.#timer = this.#clock.setTimeout(() => this.#release(), DOWNWARD_WAIT_MS);
    }
    this.#timer ??= this.#clock.setTimeout(() => this.#release(), step > 0 ? ODD_WAIT_MS : FIRST_WAIT_MS);
  }

  /** How the camera counts, where the packets until now show it. */
  #shown(step: number): Reading | undefined {
    if (this.#swappedSteps >= OTHER_STEPS_MIN * this.#factor) return "swapped";
    if (this.#sharedGaps >= SHARED_GAPS_MIN) return "by-arrival";
    const upwardMin = this.#sawNext ? UPWARD_STEPS_MIN : FIRST_STEPS_MIN;
    const stepsMin = (step > 0 ? upwardMin : OTHER_STEPS_MIN) * this.#factor;
    if (step === 0 || Math.abs(step) > STEP_MAX || this.#sameSteps < stepsMin) return undefined;
    return step > 0 || this.#isOverPictures ? "stepped" : undefined;
  }

  /** Whether all numbers of the gap before the newest one are those of another track, and its own are not. */
  #isSharedGap(before: number, step: number): boolean {
    const from = this.#gapFrom;
    const to = this.#gapTo;
    const isGap = step > 1 && step <= STEP_MAX;
    this.#gapFrom = isGap ? before : NOTHING;
    this.#gapTo = this.#raw;
    if (from === NOTHING || this.#session === undefined) return false;
    if (this.#isOfOther(from) || this.#isOfOther(to)) return false;
    for (let at = (from + 1) % SEQUENCES; at !== to; at = (at + 1) % SEQUENCES)
      if (!this.#isOfOther(at)) return false;
    return true;
  }

  #isOfOther(sequence: number): boolean {
    return this.#session?.isOfOther(this.#recent, sequence) === true;
  }

  #turnTo(reading: Reading, step: number): void {
    this.#reading = reading;
    this.#step = step;
    const waiting = this.#odd;
    let before = this.#rawBeforeOdd;
    this.close();
    for (const packet of waiting) {
      const raw = packet.readUInt16BE(2);
      this.#give(packet, before === NOTHING ? 1 : (this.#advance(before, raw) ?? 1));
      before = raw;
    }
  }

  /** Delivers what waits with the numbers that it came with. */
  #release(): void {
    // What orders packets takes none before the first one.
    const waiting = this.#isFirstTurned() ? this.#odd.reverse() : this.#odd;
    this.#isFirstAlone = false;
    this.close();
    for (const packet of waiting) {
      this.#given = packet.readUInt16BE(2);
      this.#deliver(packet);
    }
  }

  /** Whether the packets of the session's first picture wait, turned round on the way. */
  #isFirstTurned(): boolean {
    const isFirst = this.#rawBeforeOdd === NOTHING && this.#odd.length > 1;
    return isFirst && this.#oddStep === -1 && this.#sameSteps >= this.#odd.length - 1;
  }

  #read(packet: Buffer, before: number, isNext: boolean): void {
    const advance = isNext ? this.#advance(before, this.#raw) : 1;
    this.#backSteps = advance !== undefined && advance < 0 ? this.#backSteps + 1 : 0;
    if (advance !== undefined && this.#backSteps < OTHER_STEPS_MIN) {
      this.#give(packet, advance);
      return;
    }
    this.#reading = "plain";
    this.#backSteps = 0;
    this.#factor = Math.min(AGAIN_FACTOR * this.#factor, FACTOR_MAX);
    this.#sameSteps = 0;
    this.#swappedSteps = 0;
    this.#given = this.#raw;
    this.#deliver(packet);
  }

  /** How many packets on the camera has counted; undefined where it does not count so. */
  #advance(before: number, raw: number): number | undefined {
    if (this.#reading === "by-arrival") return 1;
    if (this.#reading === "swapped") {
      const apart = signed(swapped(raw) - swapped(before));
      return Math.abs(apart) > SWAPPED_APART_MAX ? undefined : apart;
    }
    const apart = signed(raw - before) / this.#step;
    return Number.isInteger(apart) ? apart : undefined;
  }

  #give(packet: Buffer, advance: number): void {
    this.#given = (this.#given + advance + SEQUENCES) % SEQUENCES;
    packet.writeUInt16BE(this.#given, 2);
    this.#deliver(packet);
  }
}

function signed(apart: number): number {
  return ((apart + 3 * (SEQUENCES / 2)) % SEQUENCES) - SEQUENCES / 2;
}

function swapped(sequence: number): number {
  return ((sequence & 0xff) << 8) | (sequence >> 8);
}
