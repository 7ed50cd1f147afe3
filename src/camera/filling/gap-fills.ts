import { fragmentOrigin, type RemovedTimesAccess } from "../../archive/index.js";
import {
  type Clock,
  type ClockKnowledge,
  type ClockTimer,
  errorText,
  type Guid,
  type Interval,
  type Log,
  NvrdError,
  STREAM_TYPES,
  US_PER_DAY,
  US_PER_SECOND,
} from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import { archiveStreamType, type Camera, type SiteStore } from "../../site/index.js";
import type { RunningTask, Tasks } from "../../task/index.js";
import type { Cards } from "../card/card-control.js";
import { CameraFailure } from "../description/camera-failure.js";
import { type FillHours, isWithin } from "./fill-hours.js";
import type { Gap } from "./gap.js";
import { GapBook, type GapEntry, TRIES_MAX } from "./gap-book.js";
import { fillGap, type GapArchive } from "./gap-fill.js";
import { type FillOrder, plannedGaps, type ReasonedGap } from "./gap-plan.js";

/** How often gaps are looked for. */
const LOOK_MS = 10_000;
/** How often it is looked whether the hours are over. */
const HOURS_LOOK_MS = 30_000;
/** Tries where the camera has nothing, or a part: what it records it may put on its card a while later. */
const INCOMPLETE_TRIES_MAX = 3;
/** Gaps of one run; further ones follow in the next. */
const GAPS_A_RUN_MAX = 64;
const CANCELLED = "cancelled by a user";
/** A camera that is away is no reason to give a gap up: it is tried until the gap is too old. */
const NEVER_GIVEN_UP = Number.POSITIVE_INFINITY;

export interface FillSettings {
  readonly order: FillOrder;
  /** Undefined: at once. */
  readonly hours: FillHours | undefined;
  readonly bytesPerSecondMax: number;
  readonly days: number;
}

export interface GapFillsOptions {
  readonly settings: FillSettings;
  readonly site: Pick<SiteStore, "current">;
  readonly cards: Cards;
  /** Whether the gaps of a camera are to be filled. */
  readonly isWanted: (camera: Camera) => boolean;
  readonly archive: GapArchive & { indexFault(): string | undefined };
  readonly removed: Pick<RemovedTimesAccess, "of">;
  /** Why times without recordings have none. */
  readonly explain: (channelId: Guid, holes: readonly Interval[]) => Promise<readonly ReasonedGap[]>;
  readonly tasks: Pick<Tasks, "start">;
  readonly events: Pick<EventLog, "raise">;
  readonly knowledge: Pick<ClockKnowledge, "isKnown">;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is known of filling the gaps of a channel. */
export interface FillState {
  readonly isFilling: boolean;
  readonly gaps: readonly GapEntry[];
}

/** What became of gaps, for users. */
export interface GapFillStates {
  state(channelId: Guid): FillState;
}

/** Fills gaps of recordings from the cards of cameras: looks for them, one camera and one gap at a time, each as often as is worth it. */
export class GapFills implements GapFillStates {
  readonly #options: GapFillsOptions;
  readonly #book: GapBook;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  #timer: ClockTimer | undefined;
  #looking: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #fillingId: Guid | undefined;
  /** Ends the present run without any word on its gaps. */
  #ending = new AbortController();
  /** The camera that was served last: the next look begins behind it. */
  #lastId: Guid | undefined;

  constructor(options: GapFillsOptions) {
    this.#options = options;
    this.#log = options.log.child({ part: "card" });
    this.#book = new GapBook({ ...options, log: this.#log });
  }

  start(): void {
    this.#book.start();
    this.#timer = this.#options.clock.setInterval(() => this.#lookSoon(), LOOK_MS);
  }

  /** What is being fetched ends with a whole group of pictures; the next start goes on behind it. */
  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#stopping.abort();
    await this.#looking;
    await this.#running;
    await this.#book.stop();
  }

  state(channelId: Guid): FillState {
    return { isFilling: this.#fillingId === channelId, gaps: this.#book.of(channelId) };
  }

  /** The configuration changed: nothing is fetched any more from a camera that is gone, switched off, or not to be filled. */
  follow(): void {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === this.#fillingId);
    if (this.#fillingId !== undefined && (camera === undefined || !this.#isWanted(camera)))
      this.#ending.abort();
  }

  #isWanted(camera: Camera): boolean {
    return !camera.disabled && this.#options.isWanted(camera);
  }

  #lookSoon(): void {
    if (this.#looking !== undefined || this.#running !== undefined) return;
    this.#looking = this.#look()
      .catch((error: unknown) => this.#log.warn({ error: errorText(error) }, "gaps cannot be looked for"))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(): Promise<void> {
    const { site, archive, knowledge, clock, cards } = this.#options;
    if (!knowledge.isKnown || !this.#isTime() || archive.indexFault() !== undefined) return;
    const isThere = (channelId: Guid): boolean => site.current.cameras.some(({ id }) => id === channelId);
    this.#book.retain(isThere, clock.nowUs() - this.#options.settings.days * US_PER_DAY);
    for (const camera of this.#inTurn(site.current.cameras)) {
      if (this.#stopping.signal.aborted) return;
      if (!this.#isWanted(camera) || cards.isSupported(camera) !== true) continue;
      const gaps = await this.#due(camera);
      if (gaps.length === 0) continue;
      this.#begin(camera, gaps);
      return;
    }
  }

  /** Each camera gets its turn, however many gaps another has. */
  #inTurn(cameras: readonly Camera[]): readonly Camera[] {
    const at = cameras.findIndex(({ id }) => id === this.#lastId) + 1;
    return [...cameras.slice(at), ...cameras.slice(0, at)];
  }

  async #due(camera: Camera): Promise<readonly Gap[]> {
    const { archive, removed, explain, settings, clock } = this.#options;
    const channelId = camera.id;
    const nowUs = clock.nowUs();
    // What is older than what was deleted last would be deleted at once.
    const deletedUs = Math.max(0, ...removed.of(channelId).map(({ toUs }) => toUs));
    const { maxDays } = camera.archive;
    const days = maxDays > 0 ? Math.min(maxDays, settings.days) : settings.days;
    const sinceUs = Math.max(deletedUs, nowUs - days * US_PER_DAY);
    const gaps = await plannedGaps({
      recorded: archive
        .fragments({ channelId, streamTypes: STREAM_TYPES }, sinceUs, nowUs)
        .map(({ id, fromUs, toUs }) => ({ fromUs, toUs, isFromCard: fragmentOrigin(id) === "camera" })),
      settled: this.#book.settled(channelId),
      explain: (holes) => explain(channelId, holes),
      ...{ sinceUs, nowUs, order: settings.order },
    });
    return gaps
      .map((gap) => ({ channelId, ...gap }))
      .filter((gap) => this.#book.isDue(gap, nowUs))
      .slice(0, GAPS_A_RUN_MAX);
  }

  /** Throws nothing: where too much long work is under way, the next look tries again. */
  #begin(camera: Camera, gaps: readonly Gap[]): void {
    this.#lastId = camera.id;
    try {
      this.#running = new Promise<void>((resolve) => {
        this.#options.tasks.start({
          kind: "FillGaps",
          owner: undefined,
          subject: camera.name,
          canCancel: true,
          run: (task) => this.#run(camera, gaps, task).finally(() => resolve()),
        });
      }).then(() => {
        this.#running = undefined;
      });
    } catch (error) {
      this.#running = undefined;
      this.#log.debug({ error: errorText(error) }, "gaps wait for other long work");
    }
  }

  async #run(camera: Camera, gaps: readonly Gap[], task: RunningTask): Promise<void> {
    const ending = new AbortController();
    this.#ending = ending;
    const watch = this.#options.clock.setInterval(() => {
      if (!this.#isTime()) ending.abort();
    }, HOURS_LOOK_MS);
    const signal = AbortSignal.any([task.signal, this.#stopping.signal, ending.signal]);
    const totalUs = gaps.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0);
    const result = { Gaps: gaps.length, Filled: 0, Failed: 0, Seconds: 0 };
    let doneUs = 0;
    this.#fillingId = camera.id;
    try {
      for (const gap of gaps) {
        if (signal.aborted) break;
        task.step(spanText(gap));
        const lengthUs = gap.toUs - gap.fromUs;
        const onProgress = (part: number): void => task.progress((doneUs + part * lengthUs) / totalUs);
        const entry = await this.#try(camera, gap, { signal, onProgress });
        doneUs += lengthUs;
        task.progress(doneUs / totalUs);
        if (entry === undefined) continue;
        if (entry.state === "filled") result.Filled += 1;
        else result.Failed += 1;
        result.Seconds += Math.round(entry.filledUs / US_PER_SECOND);
        task.result({ ...result });
      }
    } finally {
      watch.clear();
      this.#fillingId = undefined;
      if (task.signal.aborted && !this.#stopping.signal.aborted) this.#cancel(camera, gaps);
    }
  }

  /** Undefined where it was ended by us: it goes on later. */
  async #try(
    camera: Camera,
    gap: Gap,
    { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (part: number) => void },
  ): Promise<GapEntry | undefined> {
    const { cards, archive, settings, clock } = this.#options;
    const key = { channelId: camera.id, streamType: archiveStreamType(camera) };
    const common = { gap, key, cards, archive, clock, signal, onProgress, log: this.#log };
    try {
      const { filledUs, missing } = await fillGap({
        ...common,
        bytesPerSecondMax: settings.bytesPerSecondMax,
      });
      if (signal.aborted) return undefined;
      const entry =
        missing === undefined
          ? this.#book.filled(gap, filledUs)
          : this.#book.failed(gap, { reason: missing, filledUs, triesMax: INCOMPLETE_TRIES_MAX });
      this.#reportGap(camera, entry);
      return entry;
    } catch (error) {
      if (signal.aborted) return undefined;
      const reason = error instanceof NvrdError ? reasonOf(error) : "it failed: the log says why";
      this.#log.warn(
        { channel: camera.id, gap: spanText(gap), error: errorText(error) },
        "a gap cannot be filled",
      );
      const isAway = error instanceof CameraFailure && error.lostCause === "unreachable";
      const triesMax = isAway ? NEVER_GIVEN_UP : TRIES_MAX;
      const entry = this.#book.failed(gap, { reason, filledUs: this.#keptUs(camera, gap), triesMax });
      this.#reportGap(camera, entry);
      return entry;
    }
  }

  #cancel(camera: Camera, gaps: readonly Gap[]): void {
    const settled = this.#book.settled(camera.id);
    for (const gap of gaps) {
      if (settled.some(({ fromUs, toUs }) => fromUs <= gap.fromUs && toUs >= gap.toUs)) continue;
      this.#reportGap(camera, this.#book.givenUp(gap, CANCELLED, this.#keptUs(camera, gap)));
    }
  }

  /** Of a gap, what came from the camera before its filling ended in the middle. */
  #keptUs(camera: Camera, { fromUs, toUs }: Interval): number {
    const key = { channelId: camera.id, streamTypes: STREAM_TYPES };
    return this.#options.archive
      .fragments(key, fromUs, toUs)
      .filter(({ id }) => fragmentOrigin(id) === "camera")
      .reduce((sum, part) => sum + Math.min(toUs, part.toUs) - Math.max(fromUs, part.fromUs), 0);
  }

  #reportGap(camera: Camera, entry: GapEntry): void {
    const { state, filledUs, fromUs, toUs, reason } = entry;
    if (state === "waiting" || (state === "filled" && filledUs === 0)) return;
    const isFilled = state === "filled";
    const missing = Math.round((toUs - fromUs - filledUs) / US_PER_SECOND);
    // A gap counts as filled where some seconds at its ends are missing.
    const rest = missing > 0 ? `, ${missing} s could not be filled` : "";
    const filled = `${spanText(entry)}: ${Math.round(filledUs / US_PER_SECOND)} s${rest}`;
    this.#options.events.raise({
      typeId: (isFilled ? EVENT_TYPES.gapFilled : EVENT_TYPES.gapGivenUp).id,
      channelId: camera.id,
      channelName: camera.name,
      comment: isFilled ? filled : `${filled}, ${reason}`,
    });
  }

  #isTime(): boolean {
    const { settings, clock } = this.#options;
    return settings.hours === undefined || isWithin(settings.hours, clock.nowUs());
  }
}

function reasonOf({ message, hint }: NvrdError): string {
  return hint === "" ? message : `${message}: ${hint}`;
}

function spanText({ fromUs, toUs }: Interval): string {
  const text = (us: number): string => new Date(us / 1000).toISOString().slice(0, 19);
  return `${text(fromUs)}Z to ${text(toUs)}Z`;
}
