import path from "node:path";
import {
  type AgeClock,
  type BootTime,
  codecsOfHead,
  HEADER_FIXED_BYTES,
  type RecordedChange,
  type SegmentIndex,
  type SegmentSummary,
  volumeOfHead,
} from "../archive/index.js";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Interval,
  type Log,
  MS_PER_MINUTE,
  MS_PER_SECOND,
  pauseUnlessAborted,
  US_PER_MS,
  withAnyOf,
} from "../base/index.js";
import { EVENT_TYPES, type EventLog } from "../event/index.js";
import { ownCameras, type Site } from "../site/index.js";
import { Ageing, keptFromUs } from "./ageing.js";
import { Audit, type AuditFinding, type ManifestFinding, type MissingManifest } from "./audit.js";
import { BootTable } from "./boot-table.js";
import { BoxClaim } from "./box-claim.js";
import { AGES_TAG } from "./bucket-rules.js";
import { DayBooks, type DayFacts } from "./day-books.js";
import { EvidenceLocks } from "./evidence-locks.js";
import { FoundDays, type FoundDaysOptions } from "./found-days.js";
import { MissedRecordings } from "./missed-recordings.js";
import { gopTables } from "./plan/gop-tables.js";
import { manifestFolder, segmentKey } from "./plan/manifest.js";
import { isUsedUp, monthOf, rateAt, type Sends, sendsAt } from "./plan/send-limits.js";
import { type Candidate, candidateAs, dayOf, formOf, type SentEntry } from "./plan/sent-segment.js";
import { joined, overlapsAny } from "./plan/spans.js";
import { planOf } from "./plan/wanted.js";
import { RoomMaking } from "./room-making.js";
import { SeenRate } from "./seen-rate.js";
import type { SentSegment, UploadProgress } from "./send/send-messages.js";
import { SendError, Sender, type StartSendingThread } from "./send/sender.js";
import { type QueuedChannel, type QueueSize, SendQueue } from "./send-queue.js";
import { SENDS_MAX, SendsUnderWay } from "./sends-under-way.js";
import { type SendTarget, s3TargetOf, sealingOf } from "./target-address.js";
import { type SentDay, TargetState } from "./target-state.js";
import { Untagging } from "./untagging.js";

/** What the owner sees of a target. */
export interface AwayTargetState {
  readonly id: Guid;
  readonly name: string;
  readonly isEnabled: boolean;
  /** `starting`: recordings are looked through; `idle`: nothing waits; `paused`: the hour or the month's volume allows nothing. */
  readonly activity: "starting" | "idle" | "sending" | "paused" | "failing";
  readonly waiting: QueueSize;
  readonly sentSegments: number;
  readonly sentBytes: number;
  readonly monthBytes: number;
  /** The newest days on which something was sent, the oldest first. */
  readonly sentDays: readonly SentDay[];
  readonly lastSentUs: number | undefined;
  readonly problem: string | undefined;
  /** How long nothing goes because of it. */
  readonly failingUs: number | undefined;
}

/** What replication uses of the recorder. */
export interface AwaySources {
  readonly site: { readonly current: Site };
  readonly index: Pick<SegmentIndex, "following" | "dayTotal" | "closed">;
  /** With those that are only in a bucket: their GOP tables are named again; default: `index`. */
  readonly allSegments?: Pick<SegmentIndex, "following">;
  /** Whether the index knows all recordings. */
  readonly isKnown: () => boolean;
  /** By what the age of recordings is measured. */
  readonly ages: AgeClock;
  /** Where the file of a segment may be; empty: its disk is not there. */
  readonly pathsOf: (segment: {
    readonly volumeId: Guid;
    readonly channelId: Guid;
    readonly stream: Candidate["stream"];
    readonly segmentId: number;
    readonly epoch: number;
    readonly fromUs: number;
  }) => readonly string[];
  readonly protectedRanges: (channelId: Guid) => readonly Interval[];
  readonly events: Pick<EventLog, "moments" | "search" | "raise">;
  /** The times of boots whose clock was set later. */
  readonly bootTimes: () => ReadonlyMap<Guid, BootTime>;
  /** All lines of what was found of a channel on a day; undefined: none. */
  readonly findingsOf: FoundDaysOptions["findingsOf"];
  /** Server, channel, gaps and events of a time, for its manifest. */
  readonly factsOf: (channelId: Guid, span: Interval) => Promise<DayFacts>;
}

/** How long replication waits; shorter in tests. */
export interface AwayTiming {
  readonly idleMs: number;
  readonly retryMsMin: number;
  readonly retryMsMax: number;
  readonly retryLastingMsMin: number;
  /** Trouble that passes sooner is no event. */
  readonly reportAfterMs: number;
  readonly refreshMs: number;
  /** With nothing to send, what was sent is named after this time. */
  readonly nameMs: number;
  /** Key frames stay so long beside the whole segment that a manifest names instead: who has read an older one reads them still. */
  readonly replacedMs: number;
}

export const AWAY_TIMING: AwayTiming = {
  idleMs: 5 * MS_PER_SECOND,
  retryMsMin: 5 * MS_PER_SECOND,
  retryMsMax: 10 * MS_PER_MINUTE,
  retryLastingMsMin: MS_PER_MINUTE,
  reportAfterMs: MS_PER_MINUTE,
  refreshMs: 60 * MS_PER_MINUTE,
  nameMs: 30 * MS_PER_SECOND,
  replacedMs: 60 * MS_PER_MINUTE,
};
/** A file that cannot be read, or is not there yet. */
const POSTPONED_MS = 30 * MS_PER_SECOND;
/** The hours of the week are looked at so often while something is under way. */
const LIMIT_LOOK_MS = 10 * MS_PER_SECOND;
/** Of so many steps one reads back, while others wait. */
const STEPS_PER_AUDIT = 8;
/** Of so many one locks, while others wait. */
const STEPS_PER_LOCK = 2;

export interface ReplicationOptions extends AwaySources {
  readonly target: SendTarget;
  readonly dataDir: string;
  readonly start: StartSendingThread;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing: AwayTiming;
  /** Segments sent at once; default 3. */
  readonly sendsMax?: number;
}

/** Sends to one target what its plan says, some segments at once, for as long as the service runs. */
export class Replication {
  readonly #options: ReplicationOptions;
  readonly #log: Log;
  readonly #state: TargetState;
  readonly #sender: Sender;
  readonly #underWay = new SendsUnderWay();
  readonly #seen: SeenRate;
  readonly #claim: BoxClaim;
  readonly #books: DayBooks;
  readonly #queue: SendQueue;
  readonly #audit: Audit;
  readonly #missed: MissedRecordings;
  readonly #ageing: Ageing;
  readonly #room: RoomMaking;
  readonly #untagging: Untagging;
  readonly locks: EvidenceLocks;
  readonly #stopping = new AbortController();
  #channels: readonly QueuedChannel[] = [];
  #running: Promise<void> = Promise.resolve();
  #limiting: ClockTimer | undefined;
  /** Ends the pause that it has; undefined: it has none, or one that has to end by itself. */
  #wake: AbortController | undefined;
  #activity: AwayTargetState["activity"] = "starting";
  #problem: string | undefined;
  #failures = 0;
  #failingSinceUs = 0;
  #isReported = false;
  #refreshUs = Number.NEGATIVE_INFINITY;
  #namedUs: number;
  #steps = 0;
  #needsRoom = false;

  constructor(options: ReplicationOptions) {
    const { target, dataDir, clock, events, index, protectedRanges, factsOf, start } = options;
    this.#options = options;
    this.#seen = new SeenRate(clock);
    this.#log = options.log.child({ part: "away", target: target.name });
    const directory = path.join(dataDir, "away", target.id);
    const log = this.#log;
    this.#state = new TargetState({ directory, clock, log });
    this.#sender = new Sender({
      target: s3TargetOf(target),
      sealing: sealingOf(target),
      start,
      onBytes: (bytes) => {
        this.#state.noteBytes(monthOf(this.#now()), bytes);
        this.#seen.note(bytes);
      },
    });
    const allFactsOf = async (channelId: Guid, span: Interval): Promise<DayFacts> => {
      const gops = await gopTables(options.allSegments ?? index, channelId, span);
      const facts = await factsOf(channelId, span);
      return { ...(target.recipients.length > 0 ? withoutWords(facts) : facts), gops };
    };
    // Their words are for nobody where recordings are encrypted.
    const findingsOf: AwaySources["findingsOf"] =
      target.recipients.length > 0 ? async () => undefined : options.findingsOf;
    this.#claim = new BoxClaim({ sender: this.#sender, self: () => this.#self(), clock });
    const bootTable = new BootTable({ sender: this.#sender, bootTimes: options.bootTimes, log });
    this.#books = new DayBooks({
      ...{ directory, sender: this.#sender, factsOf: allFactsOf, clock, log },
      beforeNaming: () => bootTable.send(),
      findings: new FoundDays({ sender: this.#sender, findingsOf, clock }),
      replacedMs: options.timing.replacedMs,
    });
    this.#queue = new SendQueue({
      ...{ index, protectedRanges, events },
      channels: () => this.#channels,
      sentOf: (channelId, day) => this.#books.sentOf(channelId, day),
      settled: this.#state,
      nowUs: () => clock.nowUs(),
      monotonicUs: () => clock.monotonicUs(),
    });
    this.#audit = new Audit({
      sender: this.#sender,
      state: this.#state,
      percent: () => target.auditPercent,
      today: () => dayOf(clock.nowUs()),
      onFinding: (finding) => this.#found(finding),
      isAgeing: (channelId, entry) => this.#isAgeing(channelId, entry),
      onManifest: (finding) => this.#foundManifest(finding),
      missingAmong: (listed) => this.#books.unlisted(listed),
      onMissing: (finding) => this.#foundNoManifest(finding),
    });
    this.locks = new EvidenceLocks({
      ...{ directory, target, sender: this.#sender, books: this.#books, protectedRanges, events, clock, log },
      ages: options.ages,
      channels: () => this.#channels.map(({ channelId }) => channelId),
      onMissing: (channelId, day, entry) => this.#found({ channelId, day, entry, isMissing: true }),
    });
    const leaving = {
      ...{ sender: this.#sender, books: this.#books, protectedRanges, ages: options.ages },
      isLocked: (channelId: Guid, span: Interval) => this.locks.isWanted(channelId, span),
    };
    this.#room = new RoomMaking({ ...leaving, state: this.#state });
    this.#ageing = new Ageing({ ...leaving, target, log, roomFromUs: () => this.#room.fromUs });
    this.#untagging = new Untagging({
      ...{ target, sender: this.#sender, books: this.#books, protectedRanges, clock, log },
      channels: () => this.#channels.map(({ channelId }) => channelId),
    });
    this.#missed = new MissedRecordings({ target, queue: this.#queue, events, clock, log });
    this.#namedUs = clock.monotonicUs();
  }

  get target(): SendTarget {
    return this.#options.target;
  }

  start(): void {
    this.#state.start();
    this.locks.start();
    this.#limiting = this.#options.clock.setInterval(() => this.#limit(), LIMIT_LOOK_MS);
    this.#running = this.#run();
  }

  /** What is under way is given up; the next start goes on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#limiting?.clear();
    this.#wake?.abort();
    this.#sender.stop();
    await this.#running;
    await this.#books.stop();
    await this.#state.stop();
  }

  state(): AwayTargetState {
    const { clock, target } = this.#options;
    const { id, name, isEnabled } = target;
    const { sentSegments, sentBytes, sentDays, lastSentUs } = this.#state.kept;
    return {
      ...{ id, name, isEnabled, sentSegments, sentBytes, sentDays, lastSentUs },
      activity: this.#activity === "sending" && this.#rate() === 0 ? "paused" : this.#activity,
      waiting: this.#queue.size(),
      monthBytes: this.#monthBytes(),
      problem: this.#problem,
      failingUs: this.#problem === undefined ? undefined : clock.monotonicUs() - this.#failingSinceUs,
    };
  }

  /** A segment was added to the index or removed from it; undefined: it is another index. */
  noteChange(change: RecordedChange | undefined): void {
    if (change === undefined) this.#refreshUs = Number.NEGATIVE_INFINITY;
    else this.#queue.note(change);
    this.#wake?.abort();
  }

  /** Retention removes a segment. */
  noteRemoved(segment: SegmentSummary): void {
    this.#missed.note(segment);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const pauseMs = await this.#step();
        this.#works();
        if (pauseMs > 0) await this.#pause(pauseMs);
      } catch (error) {
        // It is the target that has a rest: what is under way ends first, and nothing else begins.
        const failure = await this.#underWay.settle(error);
        if (signal.aborted) return;
        const pauseMs = await this.#madeRoom(failure).catch((why: unknown) => this.#fails(why));
        await this.#pause(pauseMs ?? this.#fails(failure), false);
      }
    }
    await this.#underWay.settle();
  }

  /** Where another recorder is full its oldest recordings go at once. Undefined: it is something else, or nothing can go. */
  async #madeRoom(failure: unknown): Promise<number | undefined> {
    const isFull = failure instanceof SendError && failure.fault === "full";
    if (!isFull || this.#options.target.recorder === undefined || !(await this.#room.raise()))
      return undefined;
    this.#needsRoom = true;
    this.#refreshUs = Number.NEGATIVE_INFINITY;
    return 0;
  }

  /** Rejects with SendError. */
  async #makeRoom(): Promise<boolean> {
    if (!this.#needsRoom) return false;
    if (await this.#ageing.step()) return true;
    this.#needsRoom = false;
    await this.#books.nameDue(true);
    return false;
  }

  /** One object, or the beginning of one; answers how long to wait before the next one. Rejects with SendError. */
  async #step(): Promise<number> {
    const { timing, target, isKnown, clock } = this.#options;
    const sendsMax = this.#sends().atOnce;
    await this.#underWay.atMost(sendsMax);
    if (!isKnown()) return timing.idleMs;
    // What was removed is asked for before its journal may go.
    if (this.#channels.length > 0) await this.#missed.report();
    await this.#refresh();
    if (this.#limit() === 0 || isUsedUp(target, this.#monthBytes())) {
      this.#activity = "paused";
      return timing.idleMs;
    }
    // What is under way may use up the month's volume: then it is known when it has ended.
    if (isUsedUp(target, this.#monthBytes() + this.#underWay.bytes)) return await this.#oneEnds();
    // Where nothing was sent and nothing is to be, somebody else may send.
    if (this.#state.kept.sentSegments > 0 && this.#channels.length > 0) await this.#claim.hold();
    if (await this.#makeRoom()) return 0;
    await this.#books.nameDue(false);
    this.#steps += 1;
    // Evidence comes first, and does not hold up what is new.
    if (this.#steps % STEPS_PER_LOCK === 1 && (await this.#keepEvidence())) return 0;
    const next = await this.#queue.next();
    if (next !== undefined && (this.#steps % STEPS_PER_AUDIT !== 0 || !(await this.#audit.step()))) {
      this.#activity = "sending";
      await this.#claim.hold();
      if (this.#underWay.isHeldUp(next)) return await this.#oneEnds();
      if (await this.#learns(next)) return 0;
      this.#begin(next);
      // After a failure one alone shows whether it goes again.
      await this.#underWay.atMost(this.#problem === undefined ? sendsMax - 1 : 0);
      return 0;
    }
    if (next !== undefined) return 0;
    if (this.#underWay.size > 0) return await this.#oneEnds();
    if (clock.monotonicUs() - this.#namedUs >= timing.nameMs * US_PER_MS) {
      await this.#books.nameDue(true);
      this.#namedUs = clock.monotonicUs();
    }
    if ((await this.#keepEvidence()) || (await this.#ageing.step())) return 0;
    if (await this.#audit.step()) return 0;
    this.#activity = "idle";
    return timing.idleMs;
  }

  /** Whether the bucket has of a day what was not known here: it is looked through again. */
  async #learns({ channelId, fromUs }: Candidate): Promise<boolean> {
    const day = dayOf(fromUs);
    if (!(await this.#books.compare(channelId, day))) return false;
    this.#queue.unsettle(channelId, day);
    return true;
  }

  /** As manifests name this recorder. */
  async #self(): Promise<DayFacts["server"]> {
    const { factsOf, target } = this.#options;
    const facts = await factsOf(this.#channels[0]?.channelId ?? "", { fromUs: 0, toUs: 1 });
    return (target.recipients.length > 0 ? withoutWords(facts) : facts).server;
  }

  /** Has the sender keep to the limit of the hour, and answers it. A segment may be under way for hours. */
  #limit(): number | undefined {
    const rate = this.#rate();
    this.#sender.limit(rate);
    return rate;
  }

  /** As the bandwidth is now, by the limit and by what the link was seen to carry. */
  #sends(): Sends {
    const limit = this.#rate() ?? Number.POSITIVE_INFINITY;
    const seen = this.#seen.bytesPerSecond ?? Number.POSITIVE_INFINITY;
    return sendsAt(Math.min(limit, seen), this.#options.sendsMax ?? SENDS_MAX);
  }

  #rate(): number | undefined {
    return rateAt(this.#options.target, this.#now());
  }

  async #oneEnds(): Promise<number> {
    await this.#underWay.atMost(Math.max(0, this.#underWay.size - 1));
    return 0;
  }

  #monthBytes(): number {
    const { month, monthBytes } = this.#state.kept;
    return month === monthOf(this.#now()) ? monthBytes : 0;
  }

  #begin(candidate: Candidate): void {
    if (this.#stopping.signal.aborted) return;
    this.#queue.take(candidate);
    const sending = this.#send(candidate).finally(() => this.#queue.giveBack(candidate));
    this.#underWay.begin(candidate, sending);
  }

  async #keepEvidence(): Promise<boolean> {
    return (await this.#untagging.step()) || (await this.locks.step());
  }

  async #send(candidate: Candidate): Promise<void> {
    const { clock, pathsOf } = this.#options;
    const { channelId, fromUs } = candidate;
    const day = dayOf(fromUs);
    const paths = pathsOf(candidate);
    if (paths.length === 0) return this.#queue.postpone(candidate, POSTPONED_MS);
    const isSealed = this.#options.target.recipients.length > 0;
    const key = segmentKey(channelId, { ...candidate, sealedBytes: isSealed ? 0 : undefined });
    const upload = this.#state.uploadOf(key);
    let sentBytes = 0;
    try {
      const { bytes } = candidate;
      const tag = this.#tagOf(candidate);
      const file = { paths, bytes, headBytes: HEADER_FIXED_BYTES, ...tag };
      const isKeyFrames = formOf(candidate) === "key frames";
      const { partBytes } = this.#sends();
      const more = {
        isKeyFrames,
        ...(upload === undefined ? {} : { upload }),
        ...(partBytes === undefined ? {} : { partBytes }),
      };
      const work = { op: "segment", key, ...file, ...more } as const;
      const onUpload = (progress: UploadProgress): void => this.#state.noteUpload(key, progress);
      const ended = this.#seen.begin();
      const sent = await this.#sender.run(work, onUpload).finally(ended);
      sentBytes = sent.keyFrames?.bytes ?? bytes;
      await this.#books.note(channelId, day, entryOf(candidate, sent));
      if (tag.tag !== undefined && this.#tagOf(candidate).tag === undefined)
        this.#untagging.look(channelId, day);
    } catch (error) {
      if (!(error instanceof SendError) || (error.fault !== "gone" && error.fault !== "file")) throw error;
      return this.#cannotRead(candidate, error);
    }
    this.#queue.remove(candidate, formOf(candidate));
    this.locks.noteSent(channelId, candidate);
    this.#state.noteSent(sentBytes, clock.nowUs());
    if (this.#state.kept.upload?.key === key) this.#state.change({ upload: undefined });
  }

  /** Rules of the bucket remove what has it, by its age: what is protected later loses it again. */
  #tagOf({ channelId, fromUs, toUs }: Candidate): { readonly tag?: string } {
    const { target, protectedRanges } = this.#options;
    if (target.keepDays === null || target.ageBy !== "bucket") return {};
    return overlapsAny(joined(protectedRanges(channelId)), { fromUs, toUs }) ? {} : { tag: AGES_TAG };
  }

  /** Its disk fails, it moves just then, or retention has taken it: the index knows. */
  #cannotRead(candidate: Candidate, error: SendError): void {
    const { channelId, stream: streamType, fromUs, segmentId } = candidate;
    if (this.#options.index.closed({ key: { channelId, streamType }, segmentId, fromUs }) !== undefined) {
      this.#log.info({ segmentId, error: error.message }, "a recording cannot be read now: it is sent later");
      this.#queue.postpone(candidate, POSTPONED_MS);
    } else this.#queue.remove(candidate);
  }

  /** An object in the bucket is gone or changed: while its segment is here it is sent again. */
  async #found({ channelId, day, entry, isMissing }: AuditFinding): Promise<void> {
    const { fromUs, stream: streamType, segmentId } = entry;
    const here = this.#options.index.closed({ key: { channelId, streamType }, segmentId, fromUs });
    await this.#books.compare(channelId, day);
    await this.#books.forget(channelId, day, segmentId);
    const key = segmentKey(channelId, entry);
    const what = isMissing ? "is missing" : "is not what was sent";
    const then = here === undefined ? "it is not here any more" : "it is sent again";
    this.#reportDamage(channelId, key, `${what}: ${then}`);
    if (here === undefined) return;
    // Where it cannot be sent now, the day says that it waits.
    this.#queue.unsettle(channelId, day);
    const candidate = candidateAs(here, formOf(entry));
    if (!this.#queue.isTaken(candidate)) this.#begin(candidate);
  }

  /** A manifest cannot be read: it is written anew from the journal of its day. */
  async #foundManifest({ channelId, day, key }: ManifestFinding): Promise<void> {
    const isKnown = await this.#books.nameAgain(channelId, day);
    const then = isKnown ? "it is written anew" : "what it named is not known here any more";
    this.#reportDamage(channelId, key, `cannot be read: ${then}`);
  }

  /** A manifest is gone, and perhaps what it named: the day is looked through, and named anew as it is then. */
  async #foundNoManifest({ channelId, day }: MissingManifest): Promise<void> {
    const entries = await this.#books.lookThrough(channelId, day);
    const lost = entries.filter(({ isThere, entry }) => !isThere && !this.#isAgeing(channelId, entry));
    const here = lost.filter(({ entry: { fromUs, stream: streamType, segmentId } }) =>
      this.#options.index.closed({ key: { channelId, streamType }, segmentId, fromUs }),
    );
    for (const { entry } of lost) await this.#books.forget(channelId, day, entry.segmentId);
    const found = `of ${entries.length} recordings of the day ${lost.length} are missing or changed, ${here.length} are sent again`;
    this.#reportDamage(channelId, manifestFolder(channelId, day), `is missing: it is written anew; ${found}`);
    await this.#books.nameAgain(channelId, day);
    this.#queue.unsettle(channelId, day);
  }

  #isAgeing(channelId: Guid, entry: SentEntry): boolean {
    const { protectedRanges } = this.#options;
    return entry.fromUs < this.#keptFromUs() && !overlapsAny(joined(protectedRanges(channelId)), entry);
  }

  #reportDamage(channelId: Guid, key: string, what: string): void {
    const { events, target, site } = this.#options;
    const camera = site.current.cameras.find(({ id }) => id === channelId);
    this.#log.error({ key }, "an object in the bucket is missing or changed");
    events.raise({
      typeId: EVENT_TYPES.awayDamaged.id,
      ...(camera === undefined ? {} : { channelId, channelName: camera.name }),
      comment: `${target.name}: ${key} ${what}`,
    });
  }

  async #refresh(): Promise<void> {
    const { clock, timing, site, target } = this.#options;
    const nowUs = clock.monotonicUs();
    if (nowUs - this.#refreshUs < timing.refreshMs * US_PER_MS) return;
    this.#refreshUs = nowUs;
    this.#channels = ownCameras(site.current).map(({ id }) => {
      const plan = planOf(target, id);
      const sinceUs = this.#state.sinceUs(id, plan.from, clock.nowUs());
      // What would be removed there at once does not go.
      return { channelId: id, plan, sinceUs: Math.max(sinceUs, this.#keptFromUs()) };
    });
    await this.#queue.refresh();
    await this.#books.retain((channelId, day) => this.#isNeeded(channelId, day));
  }

  /** What is older goes from there, and does not go there. */
  #keptFromUs(): number {
    const { target, ages } = this.#options;
    return Math.max(keptFromUs(target, ages.nowUs), this.#room.fromUs);
  }

  #isNeeded(channelId: Guid, day: string): boolean {
    return this.#queue.has(channelId, day) || this.#underWay.hasOf(channelId, day);
  }

  /** Locks were changed: they are followed at once. */
  wake(): void {
    this.#wake?.abort();
  }

  /** Cameras came or went. */
  noteSite(): void {
    this.#refreshUs = Number.NEGATIVE_INFINITY;
    this.#wake?.abort();
  }

  #works(): void {
    if (this.#problem === undefined) return;
    const { events, target } = this.#options;
    this.#problem = undefined;
    this.#failures = 0;
    if (!this.#isReported) return;
    this.#isReported = false;
    this.#log.info({}, "recordings go off the box again");
    events.raise({ typeId: EVENT_TYPES.awayWorks.id, comment: target.name });
  }

  /** Answers how long to wait: longer each time, and longer from the start where only somebody can mend it. */
  #fails(error: unknown): number {
    const { clock, timing } = this.#options;
    const text = errorText(error);
    const { isLasting, retryAfterMs = 0 } =
      error instanceof SendError ? error : { isLasting: false, retryAfterMs: 0 };
    if (this.#problem === undefined) this.#failingSinceUs = clock.monotonicUs();
    const lastsMs = (clock.monotonicUs() - this.#failingSinceUs) / US_PER_MS;
    if (isLasting || lastsMs >= timing.reportAfterMs) this.#reportFailure(text);
    this.#problem = text;
    this.#activity = "failing";
    const firstMs = isLasting ? timing.retryLastingMsMin : timing.retryMsMin;
    const waitMs = Math.min(timing.retryMsMax, firstMs * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    return Math.max(waitMs, Math.min(retryAfterMs, timing.retryMsMax));
  }

  #reportFailure(problem: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { events, target } = this.#options;
    this.#log.warn({ problem }, "recordings do not go off the box: trying again");
    events.raise({ typeId: EVENT_TYPES.awayFailing.id, comment: `${target.name}: ${problem}` });
  }

  async #pause(ms: number, mayWake = true): Promise<void> {
    const wake = new AbortController();
    if (mayWake) this.#wake = wake;
    const signals = [wake.signal, this.#stopping.signal];
    await withAnyOf(signals, (signal) => pauseUnlessAborted(this.#options.clock, ms, signal));
    this.#wake = undefined;
  }

  #now(): Date {
    return new Date(Math.floor(this.#options.clock.nowUs() / US_PER_MS));
  }
}

/** Beside encrypted recordings lies nothing that says what is seen in them. */
function withoutWords({ server, channel }: DayFacts): DayFacts {
  return { server: { id: server.id, name: "" }, channel: { id: channel.id, name: "" }, gaps: [], events: [] };
}

/** What lies in the bucket of a segment that was sent. */
function entryOf(candidate: Candidate, { sha256, head, sealedBytes, keyFrames }: SentSegment): SentEntry {
  const { channelId: _channel, ...facts } = withoutPlace(candidate);
  return {
    // The segment may have been moved since it was queued: what is sent says where it belongs.
    ...{ ...facts, volumeId: volumeOfHead(head), sha256, ...codecsOfHead(head) },
    ...(sealedBytes === undefined ? {} : { sealedBytes }),
    ...(keyFrames === undefined
      ? {}
      : {
          ...{ bytes: keyFrames.bytes, videoFrames: keyFrames.frames, audioFrames: 0 },
          gops: keyFrames.gops,
        }),
  };
}

/** A queue's entry has more members than a manifest's. */
function withoutPlace(candidate: Candidate): Candidate {
  const { channelId, stream, segmentId, volumeId, fragmentId, fragmentSequence, epoch } = candidate;
  const { fromUs, toUs, bytes, videoFrames, audioFrames } = candidate;
  return {
    ...{ channelId, stream, segmentId, volumeId, fragmentId, fragmentSequence, epoch },
    ...{ fromUs, toUs, bytes, videoFrames, audioFrames },
  };
}
