import {
  isKeyFramesFragment,
  type OpenSegment,
  type RecordedChange,
  type SegmentIndex,
  type SegmentSummary,
} from "../archive/index.js";
import { type Guid, type Interval, type StreamType, US_PER_DAY, US_PER_SECOND } from "../base/index.js";
import type { EventLog } from "../event/index.js";
import type { AwayPlan } from "../site/index.js";
import { eventTimes } from "./plan/event-times.js";
import { type IndexedSegments, recordedDays, segmentsIn } from "./plan/recorded-days.js";
import {
  type Candidate,
  candidateAs,
  dayBeginUs,
  dayOf,
  formOf,
  isEnough,
  type SegmentForm,
} from "./plan/sent-segment.js";
import { joined, overlapsAny } from "./plan/spans.js";
import { wantedStreams } from "./plan/wanted.js";

/** Days whose waiting segments are listed in memory; of others only their number is known. */
const LISTED_DAYS_MAX = 64;
/** Segments looked at without a pause: others wait for some milliseconds. */
const LOOKUPS_A_TURN = 200;
/** Days looked through before something of them goes: after a start there are as many as cameras, times days. */
const DAYS_A_TURN = 16;
/** New recordings of a day that are remembered until the next one is chosen; of more the day is looked through. */
const FRESH_MAX = 32;
/** Recordings of which only the events go are looked through again so often while events may still come. */
const AGAIN_US = 60 * US_PER_SECOND;

/** A channel of a target, as it is now. */
export interface QueuedChannel {
  readonly channelId: Guid;
  readonly plan: AwayPlan;
  /** Older segments go only if they are protected. */
  readonly sinceUs: number;
}

export interface SendQueueOptions {
  readonly index: IndexedSegments & Pick<SegmentIndex, "dayTotal">;
  readonly channels: () => readonly QueuedChannel[];
  readonly protectedRanges: (channelId: Guid) => readonly Interval[];
  readonly events: Pick<EventLog, "moments">;
  readonly sentOf: (channelId: Guid, day: string) => Promise<SentDay>;
  /** Days that were found to be sent, whole, what they held and what was wanted of them then: they are not looked through at each start. */
  readonly settled: SettledDays;
  readonly nowUs: () => number;
  readonly monotonicUs: () => number;
}

/** What lies in the bucket of a day. */
export interface SentDay {
  /** Whether as much of a segment is there. */
  has(segmentId: number, form: SegmentForm): boolean;
  /** A manifest names all of it. */
  readonly isNamed: boolean;
}

export interface SettledDays {
  get(name: string): string | undefined;
  /** Undefined: it is not settled any more. */
  set(name: string, wanted: string | undefined): void;
  /** Forgets days that have no recordings here any more. */
  retain(isHere: (name: string) => boolean): void;
}

/** Recordings of the last days may still come in, from a crash or a late event. */
const SETTLED_AFTER_US = 3 * US_PER_DAY;

interface QueuedDay {
  readonly channelId: Guid;
  readonly day: string;
  /** Oldest first; undefined: not listed. */
  waiting: Waiting[] | undefined;
  count: number;
  bytes: number;
  protectedCount: number;
  /** Recorded since it was looked through: not listed yet. */
  fresh: SegmentSummary[];
  /** From this time of its segments on it is to be looked through; undefined: it was. */
  dirtyUs: number | undefined;
  lookedUs: number;
}

interface Waiting extends Candidate {
  readonly isProtected: boolean;
  notBeforeUs: number;
}

/** What waits, for the owner. */
export interface QueueSize {
  readonly segments: number;
  readonly bytes: number;
  readonly oldestDay: string | undefined;
  /** Some days have not been looked through yet. */
  readonly isCounting: boolean;
}

/**
 * What is to be sent to a target, in its order: protected first, then the newest, so that a backlog goes when nothing new waits.
 * It is no list on the disk: it is what the index has and the journals have not, day by day.
 */
export class SendQueue {
  readonly #options: SendQueueOptions;
  readonly #days = new Map<string, QueuedDay>();
  /** Those under way: they still count, and are not the next. */
  readonly #taken = new Set<string>();
  #protected = "";
  /** Days that a refresh has found up to now; undefined: none is under way. */
  #found: Set<string> | undefined;

  constructor(options: SendQueueOptions) {
    this.#options = options;
  }

  /** Finds days that have recordings; those that are not settled are looked through again. Others have their turn after each camera. */
  async refresh(): Promise<void> {
    const { index, channels, protectedRanges } = this.#options;
    const found = new Set<string>();
    this.#found = found;
    for (const { channelId, plan, sinceUs } of channels()) {
      const oldestUs = Math.min(sinceUs, ...protectedRanges(channelId).map(({ fromUs }) => fromUs));
      const wanted = this.#wantedOf({ channelId, plan, sinceUs });
      const streams = wantedStreams(plan);
      for (const streamType of streams)
        for (const day of recordedDays(index, { channelId, streamType }, Math.max(0, oldestUs - US_PER_DAY)))
          found.add(this.#find(channelId, day, wanted, streams));
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#found = undefined;
    for (const name of this.#days.keys()) if (!found.has(name)) this.#days.delete(name);
    this.#options.settled.retain((name) => found.has(name));
  }

  /** Whether a day has recordings here. */
  has(channelId: Guid, day: string): boolean {
    return this.#days.has(nameOf(channelId, day));
  }

  /** A segment was added to the index or removed from it. */
  note({ key: { channelId, streamType }, fromUs, added }: RecordedChange): void {
    const channel = this.#options.channels().find((known) => known.channelId === channelId);
    if (channel === undefined) return;
    const day = dayOf(fromUs);
    const known = this.#days.get(nameOf(channelId, day));
    // What is known of the day need not be looked up again for one that comes to it.
    const isSimple = channel.plan.content !== "events" && known?.dirtyUs === undefined;
    if (added === undefined || !isSimple || known?.waiting === undefined || known.fresh.length >= FRESH_MAX) {
      this.#ensure(channelId, day, fromUs);
      return;
    }
    if (!wantedStreams(channel.plan).includes(streamType)) return;
    this.#unsettled(nameOf(channelId, day));
    known.fresh.push(added);
  }

  /** Days and their segments to look through again: a journal has changed. */
  unsettle(channelId: Guid, day: string): void {
    this.#ensure(channelId, day);
  }

  size(): QueueSize {
    let segments = 0;
    let bytes = 0;
    let oldestDay: string | undefined;
    let isCounting = false;
    for (const day of this.#days.values()) {
      segments += day.count;
      bytes += day.bytes;
      isCounting ||= day.dirtyUs !== undefined || day.fresh.length > 0;
      if (day.count > 0 && (oldestDay === undefined || day.day < oldestDay)) oldestDay = day.day;
    }
    return { segments, bytes, oldestDay, isCounting };
  }

  /** Whether nothing of a day waits. */
  isSettled(channelId: Guid, day: string): boolean {
    const queued = this.#days.get(nameOf(channelId, day));
    return (
      queued === undefined ||
      (queued.count === 0 && queued.dirtyUs === undefined && queued.fresh.length === 0)
    );
  }

  /** What goes next; undefined: nothing waits, or what waits is postponed. Rejects when journals or events cannot be read. */
  async next(): Promise<Candidate | undefined> {
    await this.#followProtection();
    const nowUs = this.#options.monotonicUs();
    for (const day of this.#days.values()) if (day.fresh.length > 0) await this.#list(day);
    const newestFirst = [...this.#days.values()].sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0));
    const due = newestFirst.filter((day) => this.#isDue(day, nowUs));
    // Evidence is found at once; of the others some go while the rest is looked through.
    const guarded = due.filter((day) => this.#isGuarded(day));
    await this.#lookAt(guarded);
    const others = due.filter((day) => !guarded.includes(day));
    for (let at = 0; at < others.length; at += DAYS_A_TURN) {
      await this.#lookAt(others.slice(at, at + DAYS_A_TURN));
      const found = await this.#first(newestFirst);
      if (found !== undefined) return found;
    }
    return await this.#first(newestFirst);
  }

  /** Some at once: each waits for its journal. */
  async #lookAt(days: readonly QueuedDay[]): Promise<void> {
    for (let at = 0; at < days.length; at += DAYS_A_TURN)
      await Promise.all(days.slice(at, at + DAYS_A_TURN).map((day) => this.#look(day)));
  }

  async #first(newestFirst: readonly QueuedDay[]): Promise<Candidate | undefined> {
    return (
      (await this.#best(newestFirst, ({ protectedCount }) => protectedCount > 0, true)) ??
      (await this.#best(newestFirst, ({ count }) => count > 0, false))
    );
  }

  /** Whether something of a day may be protected. */
  #isGuarded({ channelId, day }: QueuedDay): boolean {
    const fromUs = dayBeginUs(day);
    const around = { fromUs, toUs: fromUs + 2 * US_PER_DAY };
    return overlapsAny(joined(this.#options.protectedRanges(channelId)), around);
  }

  /** It is under way until it is given back. */
  take(candidate: Candidate): void {
    this.#taken.add(takenName(candidate));
  }

  /** It is under way no more; where it was not removed it goes again. */
  giveBack(candidate: Candidate): void {
    this.#taken.delete(takenName(candidate));
  }

  isTaken(segment: Pick<Candidate, "channelId" | "segmentId">): boolean {
    return this.#taken.has(takenName(segment));
  }

  /** It lies in the bucket in that form, or is gone. */
  remove(
    { channelId, fromUs, segmentId }: Pick<Candidate, "channelId" | "fromUs" | "segmentId">,
    form: SegmentForm = "whole",
  ): void {
    const day = this.#days.get(nameOf(channelId, dayOf(fromUs)));
    const isIt = (waiting: Waiting): boolean =>
      waiting.segmentId === segmentId && isEnough(form, formOf(waiting));
    const at = day?.waiting?.findIndex(isIt) ?? -1;
    if (day?.waiting === undefined || at < 0) return;
    const [removed] = day.waiting.splice(at, 1);
    day.count -= 1;
    day.bytes -= removed?.bytes ?? 0;
    if (removed?.isProtected === true) day.protectedCount -= 1;
  }

  postpone(candidate: Candidate, ms: number): void {
    const day = this.#days.get(nameOf(candidate.channelId, dayOf(candidate.fromUs)));
    const found = day?.waiting?.find(({ segmentId }) => segmentId === candidate.segmentId);
    if (found !== undefined) found.notBeforeUs = this.#options.monotonicUs() + ms * 1000;
  }

  /** Whether a segment would go, were it here; for what retention has removed. */
  async wants(segment: SegmentSummary): Promise<boolean> {
    const { channelId, streamType } = segment.key;
    const channel = this.#options.channels().find((known) => known.channelId === channelId);
    if (channel === undefined || !wantedStreams(channel.plan).includes(streamType)) return false;
    const spans = await this.#wantedSpans(channel, segment);
    const day = dayOf(segment.fromUs);
    const sent = await this.#options.sentOf(channelId, day);
    const form = this.#wantedForm(channel, spans, segment);
    return form !== undefined && !sent.has(segment.segmentId, form);
  }

  /**
   * A day with recordings; one that is settled need not be looked through, as long as it holds what it held then: what came to
   * it while nobody listened, or was forgotten in a power cut, is seen by that.
   */
  #find(channelId: Guid, day: string, wanted: string, streams: readonly StreamType[]): string {
    const name = nameOf(channelId, day);
    const settled = this.#options.settled.get(name);
    const isSettled =
      settled !== undefined && settled === `${wanted} ${this.#heldOf(channelId, day, streams)}`;
    if (isSettled && this.#days.get(name)?.dirtyUs === undefined) {
      const known = this.#days.get(name);
      if (known === undefined) this.#days.set(name, emptyDay(channelId, day, false));
      return name;
    }
    return this.#ensure(channelId, day);
  }

  /** What is wanted of a channel, as a text to compare. */
  #wantedOf({ channelId, plan, sinceUs }: QueuedChannel): string {
    const ranges = this.#options.protectedRanges(channelId).map(({ fromUs, toUs }) => [fromUs, toUs]);
    const { content, stream, secondsBefore, secondsAfter } = plan;
    return JSON.stringify([content, stream, secondsBefore, secondsAfter, sinceUs, ranges]);
  }

  /** What the index has of a day, as a text to compare. */
  #heldOf(channelId: Guid, day: string, streams: readonly StreamType[]): string {
    const number = dayBeginUs(day) / US_PER_DAY;
    const totals = streams.map((streamType) =>
      this.#options.index.dayTotal({ channelId, streamType }, number),
    );
    return JSON.stringify(totals.map(({ segments, bytes, durationUs }) => [segments, bytes, durationUs]));
  }

  /** @param fromUs Segments that begin earlier are as they were. */
  #ensure(channelId: Guid, day: string, fromUs = 0): string {
    const name = nameOf(channelId, day);
    this.#unsettled(name);
    const known = this.#days.get(name);
    if (known !== undefined) known.dirtyUs = Math.min(known.dirtyUs ?? fromUs, fromUs);
    else this.#days.set(name, emptyDay(channelId, day, true));
    return name;
  }

  #unsettled(name: string): void {
    // It was recorded into, or looked at again, while others are found.
    this.#found?.add(name);
    if (this.#options.settled.get(name) !== undefined) this.#options.settled.set(name, undefined);
  }

  /** Lists what was recorded since a day was looked through. */
  async #list(day: QueuedDay): Promise<void> {
    const channel = this.#options.channels().find(({ channelId }) => channelId === day.channelId);
    const sent = await this.#options.sentOf(day.channelId, day.day);
    // From here on nothing waits: what comes meanwhile is in its place.
    const { fresh, waiting } = day;
    day.fresh = [];
    // It is looked through anyway, and all of it.
    if (channel === undefined || waiting === undefined) return;
    const guarded = joined(this.#options.protectedRanges(day.channelId));
    for (const segment of fresh) {
      const form = this.#wantedForm(channel, undefined, segment);
      if (form === undefined || sent.has(segment.segmentId, form)) continue;
      const isProtected = overlapsAny(guarded, segment);
      insert(day, waiting, { ...candidateAs(segment, form), isProtected, notBeforeUs: 0 });
    }
    if (waiting.length <= fresh.length) this.#boundLists();
  }

  async #followProtection(): Promise<void> {
    const { channels, protectedRanges } = this.#options;
    const ranges = channels().map(({ channelId }) => [
      channelId,
      protectedRanges(channelId).map(({ fromUs, toUs }) => [fromUs, toUs]),
    ]);
    const text = JSON.stringify(ranges);
    if (text === this.#protected) return;
    await this.refresh();
    this.#protected = text;
  }

  #isDue(day: QueuedDay, nowUs: number): boolean {
    if (day.dirtyUs !== undefined) return true;
    const channel = this.#options.channels().find(({ channelId }) => channelId === day.channelId);
    const isOpen = dayBeginUs(day.day) + 2 * US_PER_DAY > this.#options.nowUs();
    return channel?.plan.content === "events" && isOpen && nowUs - day.lookedUs > AGAIN_US;
  }

  async #look(day: QueuedDay): Promise<void> {
    const { channels, index, sentOf, monotonicUs } = this.#options;
    const channel = channels().find(({ channelId }) => channelId === day.channelId);
    if (channel === undefined) {
      this.#days.delete(nameOf(day.channelId, day.day));
      return;
    }
    const fromUs = dayBeginUs(day.day);
    const span = { fromUs, toUs: fromUs + US_PER_DAY };
    const sent = await sentOf(day.channelId, day.day);
    const spans = await this.#wantedSpans(channel, span);
    const guarded = joined(this.#options.protectedRanges(day.channelId));
    // With each recording a day changes: what was known before it need not be looked up again.
    const isKnown = day.waiting !== undefined && channel.plan.content !== "events";
    const sinceUs = isKnown ? Math.max(fromUs, day.dirtyUs ?? fromUs) : fromUs;
    // Changes from here on are looked for again.
    day.dirtyUs = undefined;
    day.fresh = day.fresh.filter((segment) => segment.fromUs < sinceUs);
    day.lookedUs = monotonicUs();
    const before = new Map(day.waiting?.map(({ segmentId, notBeforeUs }) => [segmentId, notBeforeUs]));
    const waiting: Waiting[] = [];
    // Which form is wanted depends on them only where key frames are.
    const withGops = channel.plan.content === "keyFrames";
    let lookups = 0;
    for (const streamType of wantedStreams(channel.plan)) {
      const later = { fromUs: sinceUs, toUs: span.toUs };
      const key = { channelId: day.channelId, streamType };
      for (const segment of segmentsIn(index, key, later, { withGops })) {
        if (++lookups % LOOKUPS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
        if (isOpen(segment)) continue;
        const form = this.#wantedForm(channel, spans, segment);
        if (form === undefined || sent.has(segment.segmentId, form)) continue;
        waiting.push({
          ...candidateAs(segment, form),
          isProtected: overlapsAny(guarded, segment),
          notBeforeUs: before.get(segment.segmentId) ?? 0,
        });
      }
    }
    const earlier = day.waiting?.filter((one) => one.fromUs < sinceUs) ?? [];
    // Some may have arrived while others were looked up.
    const left = [...earlier, ...waiting].filter((one) => !sent.has(one.segmentId, formOf(one)));
    day.waiting = left.sort((a, b) => a.fromUs - b.fromUs);
    day.count = left.length;
    day.bytes = left.reduce((sum, { bytes }) => sum + bytes, 0);
    day.protectedCount = left.filter(({ isProtected }) => isProtected).length;
    if (sent.isNamed) this.#settle(channel, day);
    this.#boundLists();
  }

  #settle(channel: QueuedChannel, { channelId, day, count, dirtyUs }: QueuedDay): void {
    const isOver = dayBeginUs(day) + SETTLED_AFTER_US < this.#options.nowUs();
    if (count > 0 || dirtyUs !== undefined || !isOver) return;
    const held = this.#heldOf(channelId, day, wantedStreams(channel.plan));
    this.#options.settled.set(nameOf(channelId, day), `${this.#wantedOf(channel)} ${held}`);
  }

  /** Undefined: all of it. */
  async #wantedSpans(
    { channelId, plan }: QueuedChannel,
    span: Interval,
  ): Promise<readonly Interval[] | undefined> {
    if (plan.content === "everything" || plan.content === "keyFrames") return undefined;
    if (plan.content !== "events") return [];
    return await eventTimes(this.#options.events, channelId, span, plan);
  }

  /** Protected times are evidence: they go whole. Undefined: nothing of a segment goes. */
  #wantedForm(
    { channelId, plan, sinceUs }: QueuedChannel,
    spans: readonly Interval[] | undefined,
    segment: SegmentSummary,
  ): SegmentForm | undefined {
    const isProtected = overlapsAny(joined(this.#options.protectedRanges(channelId)), segment);
    const isMeant = segment.toUs > sinceUs && (spans === undefined || overlapsAny(spans, segment));
    if (!isProtected && !isMeant) return undefined;
    // One that was restored as key frames has nothing else.
    if (isKeyFramesFragment(segment.fragmentId)) return "key frames";
    if (isProtected || plan.content !== "keyFrames") return "whole";
    return segment.gops.length > 0 ? "key frames" : undefined;
  }

  async #best(
    newestFirst: readonly QueuedDay[],
    has: (day: QueuedDay) => boolean,
    isProtected: boolean,
  ): Promise<Candidate | undefined> {
    const nowUs = this.#options.monotonicUs();
    let best: Candidate | undefined;
    for (const day of newestFirst) {
      if (best !== undefined && dayOf(best.fromUs) > day.day) break;
      if (!has(day)) continue;
      if (day.waiting === undefined) await this.#look(day);
      const found = day.waiting?.findLast(
        (waiting) =>
          // An older one than what was found is no better.
          (best !== undefined && waiting.fromUs <= best.fromUs) ||
          (waiting.notBeforeUs <= nowUs && (!isProtected || waiting.isProtected) && !this.isTaken(waiting)),
      );
      if (found !== undefined && (best === undefined || found.fromUs > best.fromUs)) best = found;
    }
    return best;
  }

  /** Months of backlog are counted, and listed when their turn comes. */
  #boundLists(): void {
    const listed = [...this.#days.values()].filter(({ waiting }) => (waiting?.length ?? 0) > 0);
    listed.sort((a, b) => (a.day < b.day ? -1 : 1));
    for (const day of listed.slice(0, Math.max(0, listed.length - LISTED_DAYS_MAX))) day.waiting = undefined;
  }
}

function isOpen(segment: SegmentSummary | OpenSegment): segment is OpenSegment {
  return "readableBytes" in segment;
}

/** Puts one into a day's list by its beginning, where it is not there yet. */
function insert(day: QueuedDay, waiting: Waiting[], one: Waiting): void {
  const at = waiting.findLastIndex(({ fromUs }) => fromUs <= one.fromUs);
  for (let same = at; waiting[same]?.fromUs === one.fromUs; same--)
    if (waiting[same]?.segmentId === one.segmentId) return;
  waiting.splice(at + 1, 0, one);
  day.count += 1;
  day.bytes += one.bytes;
  if (one.isProtected) day.protectedCount += 1;
}

function emptyDay(channelId: Guid, day: string, isDirty: boolean): QueuedDay {
  return {
    ...{ channelId, day, waiting: undefined, count: 0, bytes: 0, protectedCount: 0 },
    ...{ fresh: [], dirtyUs: isDirty ? 0 : undefined, lookedUs: Number.NEGATIVE_INFINITY },
  };
}

function takenName({ channelId, segmentId }: Pick<Candidate, "channelId" | "segmentId">): string {
  return `${channelId}/${segmentId}`;
}

function nameOf(channelId: Guid, day: string): string {
  return `${channelId}/${day}`;
}
