import type { AgeClock } from "../archive/index.js";
import {
  type Clock,
  formatIsoTime,
  type Guid,
  type Interval,
  type Log,
  NvrdError,
  newGuid,
  US_PER_DAY,
  US_PER_MINUTE,
  US_PER_SECOND,
} from "../base/index.js";
import { EVENT_TYPES, type EventLog } from "../event/index.js";
import type { AwayLockMode, AwayTarget } from "../site/index.js";
import type { DayBooks } from "./day-books.js";
import { LockCopy } from "./lock-copy.js";
import { type EvidenceLock, LockFile } from "./lock-file.js";
import { segmentKey } from "./plan/manifest.js";
import { isSameLock, lockFor, lockText, readLockText } from "./plan/object-lock.js";
import { type DayEntry, dayBeginUs, dayOf, type SentEntry } from "./plan/sent-segment.js";
import type { ObjectLock } from "./s3/s3-bucket.js";
import { SendError, type Sender } from "./send/sender.js";

/** Most locks of a target: each is looked at for each object of its days. */
const LOCKS_MAX = 1000;
const RETRY_US = 10 * US_PER_MINUTE;
/** A lifted lock in governance mode ends so soon: servers refuse a time that is not in the future. */
const RELEASE_US = US_PER_MINUTE;
/** The answer to who asks for a lock does not wait longer for the bucket's. */
const PROOF_MS_MAX = 8000;
/** Whose fault it is that an object is not locked, though the storage answers: others of the queue need not wait. */
const OWN_FAULTS: ReadonlySet<string> = new Set(["unsupported", "no-lock", "locked", "forbidden", "answer"]);

export interface LockWish extends Interval {
  readonly channelId: Guid;
  readonly mode: AwayLockMode;
  readonly untilUs: number;
  readonly isHeld: boolean;
  readonly comment: string;
  readonly userName: string;
}
export type LockChange = Partial<Pick<LockWish, "mode" | "untilUs" | "isHeld">>;

/** A lock, and how far it has come. */
export interface EvidenceLockState extends EvidenceLock {
  /** Objects of its time that are in the bucket. */
  readonly segments: number;
  /** Of them those that are as it wants them. */
  readonly done: number;
  /** Some days have not been looked through yet. */
  readonly isCounting: boolean;
  readonly problem: string | undefined;
}

export interface EvidenceLocksOptions {
  readonly directory: string;
  readonly target: Pick<AwayTarget, "name" | "lock" | "recipients">;
  readonly sender: Pick<Sender, "run">;
  readonly books: Pick<DayBooks, "entriesOf" | "lockOf" | "noteLock">;
  readonly channels: () => readonly Guid[];
  readonly protectedRanges: (channelId: Guid) => readonly Interval[];
  readonly events: Pick<EventLog, "raise">;
  readonly onMissing: (channelId: Guid, day: string, entry: SentEntry) => Promise<void>;
  readonly clock: Clock;
  /** A lock is over, and forgotten, by it: a clock that is wrong ends none. */
  readonly ages: AgeClock;
  readonly log: Log;
}

/**
 * Locks in the bucket: the server refuses to delete what they name, whoever asks with the recorder's key. What an object's lock
 * is known to be stands in the journal of its day; the locks that are wanted are a file. A lock is on an object when the server says so.
 */
export class EvidenceLocks {
  readonly #options: EvidenceLocksOptions;
  readonly #file: LockFile;
  readonly #copy: LockCopy;
  /** The bucket may know of locks that the file does not have: it is lost. */
  #isPartial = false;
  #isCopied = false;
  #locks: readonly EvidenceLock[] = [];
  /** `<channel>/<day>` to look through. */
  readonly #dirty = new Set<string>();
  #waiting: DayEntry[] = [];
  readonly #counts = new Map<string, { readonly segments: number; readonly done: number }>();
  #protected = "";
  #lookedDay = "";
  #hasLock = false;
  #retryUs = 0;
  #problem: string | undefined;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: EvidenceLocksOptions) {
    this.#options = options;
    this.#file = new LockFile(options);
    const { sender, target, log } = options;
    this.#copy = new LockCopy({ sender, isSealed: target.recipients.length > 0, log });
  }

  start(): void {
    const { locks, isPartial = false } = this.#file.load();
    this.#locks = locks;
    this.#isPartial = isPartial;
  }

  states(): readonly EvidenceLockState[] {
    return this.#locks.map((lock) => this.#stateOf(lock));
  }

  /** Resolves when it is durable; the objects follow. Rejects with NvrdError CONFLICT or NOT_AVAILABLE. */
  async add(wish: LockWish): Promise<EvidenceLockState> {
    this.#check(wish);
    if (wish.userName !== "") await this.#prove();
    const lock = {
      ...wish,
      ...{ id: newGuid(), isLifted: false, createdUs: this.#options.clock.nowUs() },
    };
    return await this.#inTurn(async () => {
      if (this.#locks.length >= LOCKS_MAX)
        throw new NvrdError("CONFLICT", `a target has ${LOCKS_MAX} locks at the most: lift some`);
      await this.#replace([...this.#locks, lock], lock);
      return this.#stateOf(lock);
    });
  }

  /** Rejects as `add`, and with NOT_FOUND. */
  async change(id: Guid, change: LockChange): Promise<EvidenceLockState> {
    return await this.#inTurn(async () => {
      const before = this.#find(id);
      const now = { ...before, ...change };
      this.#check(now);
      const isWeaker = now.mode !== "compliance" || now.untilUs < before.untilUs;
      if (this.#isFixed(before) && isWeaker) throw fixed(before);
      await this.#replace(
        this.#locks.map((lock) => (lock === before ? now : lock)),
        now,
      );
      return this.#stateOf(now);
    });
  }

  /** Releases its objects; what another lock holds stays locked. Rejects as `change`. */
  async lift(id: Guid): Promise<EvidenceLockState> {
    return await this.#inTurn(async () => {
      const before = this.#find(id);
      if (this.#isFixed(before)) throw fixed(before);
      const now = { ...before, isLifted: true };
      await this.#replace(
        this.#locks.map((lock) => (lock === before ? now : lock)),
        now,
      );
      return this.#stateOf(now);
    });
  }

  /** Where there can be no lock, the request is refused at once. Without a link it is set later. */
  async #prove(): Promise<void> {
    const { sender, clock, target } = this.#options;
    const late = new Promise<true>((resolve) => clock.setTimeout(() => resolve(true), PROOF_MS_MAX));
    const asked = sender.run({ op: "has-lock" }).catch((error: unknown) => {
      return !(error instanceof SendError && OWN_FAULTS.has(error.fault));
    });
    if (!(await Promise.race([asked, late])))
      throw new NvrdError("CONFLICT", `the bucket of ${target.name} has no object lock`, {
        hint: "it can only be had by a bucket that is created with it: create one, and make it a target",
      });
  }

  has(id: Guid): boolean {
    return this.#locks.some((lock) => lock.id === id && !lock.isLifted);
  }

  /** Whether an object is to be kept: ageing leaves it. */
  isWanted(channelId: Guid, span: Interval): boolean {
    return this.#locks.some((lock) => !lock.isLifted && covers(lock, channelId, span));
  }

  /** An object was sent, or sent again: then it is a new one, without a lock. */
  noteSent(channelId: Guid, { fromUs, toUs }: Interval): void {
    if (this.#locks.some((lock) => covers(lock, channelId, { fromUs, toUs })))
      this.#dirty.add(`${channelId}/${dayOf(fromUs)}`);
  }

  /** Locks or releases one object; false: nothing is to be done. Rejects with SendError where the storage cannot be used. */
  async step(): Promise<boolean> {
    const { clock } = this.#options;
    const mayAsk = (): boolean => clock.monotonicUs() >= this.#retryUs;
    if (this.#isPartial && !(mayAsk() && (await this.#tried(() => this.#recover())))) return false;
    await this.#followProtection();
    await this.#lookDaily();
    return mayAsk() && (await this.#tried(async () => (await this.#copied()) || (await this.#next())));
  }

  /** Reports what is no fault of the storage as a whole. */
  async #tried(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SendError) || !OWN_FAULTS.has(error.fault)) throw error;
      this.#fail(error.message);
      return false;
    }
  }

  /** The file is lost, with the system disk for example: the bucket says which locks there are. */
  async #recover(): Promise<boolean> {
    const there = await this.#copy.read();
    await this.#inTurn(async () => {
      const known = new Set(this.#locks.map(({ id }) => id));
      const found = there.filter(({ id }) => !known.has(id)).slice(0, LOCKS_MAX - known.size);
      if (found.length > 0) {
        const locks = [...found, ...this.#locks];
        await this.#file.save({ locks });
        this.#locks = locks;
        this.#options.log.warn(
          { locks: found.length },
          "the locks of a target are known from its bucket again",
        );
      }
      this.#isPartial = false;
    });
    return true;
  }

  /** Copies the locks into the bucket; false: it has them. */
  async #copied(): Promise<boolean> {
    if (this.#isCopied) return false;
    this.#isCopied = true;
    try {
      return await this.#copy.write(this.#locks);
    } catch (error) {
      this.#isCopied = false;
      throw error;
    }
  }

  async #next(): Promise<boolean> {
    while (this.#waiting.length === 0) {
      const [name] = this.#dirty;
      if (name === undefined) return false;
      if (!(await this.#canLock())) return false;
      this.#dirty.delete(name);
      try {
        await this.#look(name);
      } catch (error) {
        this.#dirty.add(name);
        throw error;
      }
    }
    const [next] = this.#waiting;
    if (next === undefined) return false;
    await this.#settle(next);
    this.#waiting.shift();
    if (this.#waiting.length === 0) await this.#look(`${next.channelId}/${next.day}`);
    this.#problem = undefined;
    return true;
  }

  /** A server that knows no locks might store the request's text in the object's place, so it is asked first. */
  async #canLock(): Promise<boolean> {
    if (this.#hasLock) return true;
    this.#hasLock = await this.#options.sender.run({ op: "has-lock" });
    if (!this.#hasLock) this.#fail("the bucket has no object lock");
    return this.#hasLock;
  }

  /** What of a day is not as it should be. */
  async #look(name: string): Promise<void> {
    const { books, clock } = this.#options;
    const [channelId = "", day = ""] = name.split("/");
    const nowUs = clock.nowUs();
    const counts = new Map<Guid, { segments: number; done: number }>();
    for (const entry of await books.entriesOf(channelId, day)) {
      const wanted = this.#covering(channelId, entry);
      if (wanted.length === 0) continue;
      const known = readLockText(await books.lockOf(channelId, day, entry.segmentId));
      const isDone = known !== undefined && isSameLock(known, lockFor(wanted, nowUs), nowUs);
      if (!isDone) this.#waiting.push({ channelId, day, entry });
      for (const { id } of wanted) {
        const { segments, done } = counts.get(id) ?? { segments: 0, done: 0 };
        counts.set(id, { segments: segments + 1, done: done + Number(isDone) });
      }
    }
    for (const lock of this.#locks)
      if (lock.channelId === channelId)
        this.#counts.set(`${lock.id}/${day}`, counts.get(lock.id) ?? { segments: 0, done: 0 });
  }

  async #settle({ channelId, day, entry }: DayEntry): Promise<void> {
    const { sender, books, clock, onMissing } = this.#options;
    const key = segmentKey(channelId, entry);
    const nowUs = clock.nowUs();
    const wanted = this.#covering(channelId, entry);
    if (wanted.length === 0) return;
    const want = lockFor(wanted, nowUs);
    const there = await sender.run({ op: "lock-of", key });
    if (there === undefined) return await onMissing(channelId, day, entry);
    const now = isSameLock(there, want, nowUs) ? there : await this.#apply(key, there, want);
    await books.noteLock(channelId, day, entry.segmentId, lockText(now));
  }

  /** Resolves with the lock that the journal is to know. Rejects where the server has not done what it was asked. */
  async #apply(key: string, there: ObjectLock, want: ObjectLock): Promise<ObjectLock> {
    const { sender, clock } = this.#options;
    const nowUs = clock.nowUs();
    const isFixed = there.retention?.mode === "compliance" && there.retention.untilUs > nowUs;
    const isFree = there.retention === undefined || there.retention.untilUs <= nowUs + RELEASE_US;
    const release =
      isFree || isFixed ? undefined : ({ mode: "governance", untilUs: nowUs + RELEASE_US } as const);
    // One that was locked more strictly elsewhere stays so.
    const isStricter = isFixed && (there.retention?.untilUs ?? 0) >= (want.retention?.untilUs ?? 0);
    const isThere = isSameLock({ ...there, isHeld: want.isHeld }, want, nowUs);
    const kept = isStricter || isThere ? undefined : want.retention;
    const retention = want.retention === undefined ? release : kept;
    const isHeld = there.isHeld === want.isHeld ? undefined : want.isHeld;
    await sender.run({ op: "lock", key, retention, isHeld });
    const after = await sender.run({ op: "lock-of", key });
    const isKept =
      retention === undefined || (after?.retention?.untilUs ?? 0) >= retention.untilUs - US_PER_SECOND;
    if (after === undefined || after.isHeld !== want.isHeld || !isKept)
      throw new SendError("the storage has not locked an object, though it said so", {
        ...{ fault: "answer", isLasting: true, retryAfterMs: undefined },
      });
    return want;
  }

  /** A protected time gets the lock of the configuration, once. */
  async #followProtection(): Promise<void> {
    const { channels, protectedRanges, target, clock, ages, events } = this.#options;
    const { mode, days, isHeld } = target.lock;
    // Its days are counted from now on.
    if ((mode === "none" && !isHeld) || !ages.isKnown) return;
    const ranges = channels().flatMap((channelId) =>
      protectedRanges(channelId).map(({ fromUs, toUs }) => ({ channelId, fromUs, toUs })),
    );
    const text = JSON.stringify(ranges);
    if (text === this.#protected) return;
    const untilUs = dayBeginUs(dayOf(clock.nowUs())) + (days + 1) * US_PER_DAY;
    for (const range of ranges) {
      const isKnown = this.#locks.some(
        (lock) =>
          lock.userName === "" &&
          lock.channelId === range.channelId &&
          lock.fromUs === range.fromUs &&
          lock.toUs === range.toUs,
      );
      if (isKnown || this.#locks.length >= LOCKS_MAX) continue;
      await this.add({ ...range, mode, untilUs, isHeld, comment: "", userName: "" });
      events.raise({
        typeId: EVENT_TYPES.awayLocked.id,
        channelId: range.channelId,
        comment: `${target.name}: ${spanOf(range)}: ${wordsOf(this.#options.target.lock, untilUs)}`,
      });
    }
    this.#protected = text;
  }

  /** At the start and with each new day: locks that are over are forgotten, and all others looked through. */
  async #lookDaily(): Promise<void> {
    const today = dayOf(this.#options.clock.nowUs());
    if (today === this.#lookedDay) return;
    this.#lookedDay = today;
    const lasting = this.#locks.filter((lock) => !this.#isOver(lock));
    if (lasting.length < this.#locks.length) await this.#inTurn(() => this.#replace(lasting));
    for (const lock of lasting) this.#markDays(lock);
  }

  /** One that is lifted while its time is protected would come again, were it forgotten. */
  #isOver(lock: EvidenceLock): boolean {
    const { ages, protectedRanges } = this.#options;
    const state = this.#stateOf(lock);
    if (!lock.isLifted) return !lock.isHeld && ages.isKnown && lock.untilUs <= ages.nowUs;
    if (state.isCounting || state.done < state.segments) return false;
    return !protectedRanges(lock.channelId).some(
      ({ fromUs, toUs }) => fromUs === lock.fromUs && toUs === lock.toUs,
    );
  }

  #stateOf(lock: EvidenceLock): EvidenceLockState {
    let segments = 0;
    let done = 0;
    let isCounting = false;
    for (const day of daysOf(lock)) {
      const count = this.#counts.get(`${lock.id}/${day}`);
      isCounting ||= count === undefined || this.#dirty.has(`${lock.channelId}/${day}`);
      segments += count?.segments ?? 0;
      done += count?.done ?? 0;
    }
    return { ...lock, segments, done, isCounting, problem: this.#problem };
  }

  #covering(channelId: Guid, span: Interval): readonly EvidenceLock[] {
    return this.#locks.filter((lock) => covers(lock, channelId, span));
  }

  #markDays(lock: EvidenceLock): void {
    for (const day of daysOf(lock)) this.#dirty.add(`${lock.channelId}/${day}`);
  }

  /** Durable first: what was confirmed survives a crash. */
  async #replace(locks: readonly EvidenceLock[], changed?: EvidenceLock): Promise<void> {
    await this.#file.save({ locks, isPartial: this.#isPartial });
    this.#locks = locks;
    this.#isCopied = false;
    for (const name of [...this.#counts.keys()])
      if (!locks.some(({ id }) => name.startsWith(id))) this.#counts.delete(name);
    if (changed !== undefined) this.#markDays(changed);
    this.#retryUs = 0;
  }

  #find(id: Guid): EvidenceLock {
    const lock = this.#locks.find((known) => known.id === id && !known.isLifted);
    if (lock === undefined) throw new NvrdError("NOT_FOUND", `there is no lock ${id}`);
    return lock;
  }

  #isFixed({ mode, untilUs }: EvidenceLock): boolean {
    return mode === "compliance" && untilUs > this.#options.clock.nowUs();
  }

  #check({
    fromUs,
    toUs,
    mode,
    untilUs,
    isHeld,
  }: Omit<LockWish, "channelId" | "comment" | "userName">): void {
    if (fromUs >= toUs) throw new NvrdError("CONFLICT", "the time to be locked ends before it begins");
    if (mode === "none" && !isHeld)
      throw new NvrdError("CONFLICT", "nothing would be locked: give a Mode with UntilDay, or LegalHold");
    if (mode !== "none" && untilUs <= this.#options.clock.nowUs())
      throw new NvrdError("CONFLICT", "UntilDay is over already: give a later one");
  }

  #fail(text: string): void {
    const { clock, events, target, log } = this.#options;
    this.#retryUs = clock.monotonicUs() + RETRY_US;
    this.#hasLock = false;
    if (this.#problem === text) return;
    this.#problem = text;
    log.warn({ problem: text }, "recordings off the box cannot be locked");
    events.raise({ typeId: EVENT_TYPES.awayLockFailing.id, comment: `${target.name}: ${text}` });
  }

  /** Changes run one after the other. */
  async #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#changing.then(change);
    this.#changing = turn.catch(() => undefined); // reported by `turn` itself
    return await turn;
  }
}

function spanOf({ fromUs, toUs }: Interval): string {
  return `${formatIsoTime(fromUs)} to ${formatIsoTime(toUs)}`;
}

function wordsOf({ mode, isHeld }: AwayTarget["lock"], untilUs: number): string {
  const kind = mode === "none" ? [] : [`${mode} until ${formatIsoTime(untilUs)}`];
  return [...kind, ...(isHeld ? ["legal hold"] : [])].join(", ");
}

function covers(lock: EvidenceLock, channelId: Guid, { fromUs, toUs }: Interval): boolean {
  return lock.channelId === channelId && lock.fromUs < toUs && lock.toUs > fromUs;
}

/** The days whose segments may reach into it. */
function daysOf({ fromUs, toUs }: Interval): readonly string[] {
  const days: string[] = [];
  const firstUs = dayBeginUs(dayOf(Math.max(0, fromUs - US_PER_DAY)));
  for (let dayUs = firstUs; dayUs < toUs; dayUs += US_PER_DAY) days.push(dayOf(dayUs));
  return days;
}

function fixed({ untilUs }: EvidenceLock): NvrdError {
  return new NvrdError(
    "CONFLICT",
    `it is locked in compliance mode until ${formatIsoTime(untilUs)}: nobody can lift or shorten that before`,
    { hint: "LegalHold can be taken off, and UntilDay put off" },
  );
}
