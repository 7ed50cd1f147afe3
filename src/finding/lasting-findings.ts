import { type Clock, type ClockTimer, type Guid, type SeenKind, US_PER_MS } from "../base/index.js";
import {
  boxWithin,
  FINDING_PATH_MAX,
  FINDING_TEXT_CHARACTERS_MAX,
  FINDING_WORD_CHARACTERS_MAX,
  FINDING_ZONES_MAX,
  type Finding,
  type FindingBest,
  type FindingBox,
  type FindingDirection,
  type FindingMoment,
  type FindingSource,
  findingId,
} from "./finding.js";

/** Motion of one stay: what moves again within this pause goes on. */
export const MOTION_PAUSE_MS = 30_000;
/** Findings that last at a time, of a channel and in all; further ones are refused and counted. */
export const LASTING_OF_CHANNEL_MAX = 64;
const LASTING_MAX = 4096;
/** Begins of a channel that are remembered, so that no two findings have the same. */
const BEGINS_MAX = 256;

/** What is seen of a finding at a moment; what is left out is as before. */
export interface FindingGrowth {
  /** When it was seen, Unix microseconds. */
  readonly atUs: number;
  readonly box?: FindingBox | undefined;
  /** Where it is in the picture of this moment; default: `box`. */
  readonly shownBox?: FindingBox;
  /** 0 to 1; the greatest counts. */
  readonly score?: number | undefined;
  readonly strength?: number | undefined;
  readonly label?: string;
  /** Added to those it was in before. */
  readonly zones?: readonly string[];
  readonly line?: string;
  readonly direction?: FindingDirection;
  readonly text?: string;
  /** How good a picture of this moment is, any number; when left out, made of score, strength and the box. */
  readonly quality?: number;
}

export interface FindingBegin extends FindingGrowth {
  readonly channelId: Guid;
  readonly kind: SeenKind;
  readonly source: FindingSource;
  readonly sourceName?: string;
  /** It goes on where one like it ended no longer ago: one of the channel, kind, label, source and line. Default: it never does. */
  readonly pauseMs?: number;
}

/** Where findings are written to, whoever saw them. Never throws, never waits. */
export interface FindingWriter {
  /** The id to go on with; undefined: too much lasts at a time, and this is not kept. */
  begin(seen: FindingBegin): string | undefined;
  /** It is still seen. One that is over stays as it is. */
  grow(id: string, growth: FindingGrowth): void;
  /** It is seen no more since `atUs`; default: since it was seen last. */
  end(id: string, atUs?: number): void;
}

export type FindingChange = "began" | "grew" | "ended";
/** `box`: where it is now, if that was said. Must not throw. */
type FindingListener = (finding: Finding, change: FindingChange, box: FindingBox | undefined) => void;

interface Lasting {
  finding: Finding;
  readonly key: string;
  readonly pauseMs: number;
  quality: number;
  /** Between two moments of the path. */
  stepUs: number;
  /** Not seen any more, and over when this is due. */
  rest: ClockTimer | undefined;
}

/** The findings that last now; listeners hear of each that begins, grows and ends. */
export class LastingFindings implements FindingWriter {
  readonly #clock: Clock;
  readonly #channels = new Map<Guid, Map<string, Lasting>>();
  readonly #begins = new Map<Guid, number[]>();
  readonly #listeners = new Set<FindingListener>();
  #count = 0;
  #refused = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Findings that were refused since the start, because too many lasted. */
  get refused(): number {
    return this.#refused;
  }

  onChange(listener: FindingListener): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }

  begin(seen: FindingBegin): string | undefined {
    if (!Number.isFinite(seen.atUs)) throw new RangeError(`a finding at ${seen.atUs} µs`);
    const key = keyOf(seen);
    const resting = this.#resting(seen.channelId, key, seen.atUs);
    if (resting !== undefined) {
      resting.rest?.clear();
      resting.rest = undefined;
      this.#grow(resting, seen);
      return resting.finding.id;
    }
    const ofChannel = this.#channels.get(seen.channelId) ?? new Map<string, Lasting>();
    if (ofChannel.size >= LASTING_OF_CHANNEL_MAX || this.#count >= LASTING_MAX) {
      this.#refused += 1;
      return undefined;
    }
    const beginUs = this.#freeBegin(seen.channelId, Math.round(seen.atUs));
    const lasting = { ...newLasting(seen, beginUs), key };
    ofChannel.set(lasting.finding.id, lasting);
    this.#channels.set(seen.channelId, ofChannel);
    this.#count += 1;
    this.#notify(lasting.finding, "began", boxOf(seen));
    return lasting.finding.id;
  }

  grow(id: string, growth: FindingGrowth): void {
    const lasting = this.#find(id);
    if (lasting !== undefined) this.#grow(lasting, growth);
  }

  end(id: string, atUs?: number): void {
    const lasting = this.#find(id);
    if (lasting === undefined || lasting.rest !== undefined) return;
    if (atUs !== undefined) lasting.finding = { ...lasting.finding, ...seenUntil(lasting.finding, atUs) };
    const { pauseMs, finding } = lasting;
    const leftMs = Math.min(pauseMs, pauseMs - (this.#clock.nowUs() - finding.seenUs) / US_PER_MS);
    if (leftMs <= 0) this.#end(lasting);
    else lasting.rest = this.#clock.setTimeout(() => this.#end(lasting), leftMs);
  }

  /** Those that last: of a channel, or all. */
  lasting(channelId?: Guid): readonly Finding[] {
    const channels =
      channelId === undefined ? [...this.#channels.values()] : [this.#channels.get(channelId) ?? new Map()];
    return channels.flatMap((some) => [...some.values()].map(({ finding }: Lasting) => finding));
  }

  /** Nobody watches the channel any more: what lasts there ends, as it was seen last. */
  endChannel(channelId: Guid): void {
    for (const lasting of [...(this.#channels.get(channelId)?.values() ?? [])]) this.#end(lasting);
  }

  /** Ends all, as they were seen last. */
  stop(): void {
    for (const channelId of [...this.#channels.keys()]) this.endChannel(channelId);
  }

  #resting(channelId: Guid, key: string, atUs: number): Lasting | undefined {
    for (const lasting of this.#channels.get(channelId)?.values() ?? []) {
      const isNear = atUs - lasting.finding.seenUs <= lasting.pauseMs * US_PER_MS;
      if (lasting.rest !== undefined && lasting.key === key && isNear) return lasting;
    }
    return undefined;
  }

  #find(id: string): Lasting | undefined {
    const channelId = id.slice(0, id.lastIndexOf("-")) as Guid;
    return this.#channels.get(channelId)?.get(id);
  }

  #grow(lasting: Lasting, growth: FindingGrowth): void {
    lasting.finding = grown(lasting, growth);
    this.#notify(lasting.finding, "grew", boxOf(growth));
  }

  #end(lasting: Lasting): void {
    lasting.rest?.clear();
    const { id, channelId } = lasting.finding;
    const ofChannel = this.#channels.get(channelId);
    if (ofChannel?.delete(id) !== true) return;
    if (ofChannel.size === 0) this.#channels.delete(channelId);
    this.#count -= 1;
    this.#notify({ ...lasting.finding, isLasting: false }, "ended");
  }

  /** Two things that come in one picture begin a microsecond apart. */
  #freeBegin(channelId: Guid, atUs: number): number {
    const begins = this.#begins.get(channelId) ?? [];
    let beginUs = Math.max(0, atUs);
    while (begins.includes(beginUs)) beginUs += 1;
    this.#begins.set(channelId, [...begins, beginUs].slice(-BEGINS_MAX));
    return beginUs;
  }

  #notify(finding: Finding, change: FindingChange, box?: FindingBox): void {
    for (const listener of this.#listeners) listener(finding, change, box);
  }
}

function keyOf({ kind, source, sourceName = "", label = "", line = "" }: FindingBegin): string {
  return JSON.stringify([kind, source, sourceName, label, line]);
}

const FIRST_STEP_US = 200_000;

function newLasting(seen: FindingBegin, beginUs: number): Omit<Lasting, "key"> {
  const { channelId, kind, source, sourceName = "", pauseMs = 0, atUs } = seen;
  const finding: Finding = {
    id: findingId(channelId, beginUs),
    ...{ channelId, kind, source, sourceName: word(sourceName), beginUs, seenUs: beginUs },
    ...{ isLasting: true, label: "", score: undefined, strength: undefined, zones: [], line: "" },
    ...{ direction: undefined, text: "", path: [], best: { timeUs: atUs, box: undefined } },
  };
  const lasting = {
    finding,
    pauseMs,
    quality: Number.NEGATIVE_INFINITY,
    stepUs: FIRST_STEP_US,
    rest: undefined,
  };
  const first = grown({ ...lasting, key: "" }, seen);
  return { ...lasting, finding: first, quality: qualityOf(seen, boxOf(seen)) };
}

function grown(lasting: Lasting, growth: FindingGrowth): Finding {
  const { finding } = lasting;
  const { label, zones, line, direction, text } = growth;
  const box = boxOf(growth);
  return {
    ...finding,
    ...seenUntil(finding, growth.atUs),
    score: greatest(finding.score, growth.score),
    strength: greatest(finding.strength, growth.strength),
    path: box === undefined ? finding.path : pathWith(lasting, { timeUs: growth.atUs, box }),
    best: bestOf(lasting, growth, box),
    ...(label === undefined ? {} : { label: word(label).toLowerCase() }),
    ...(zones === undefined ? {} : { zones: zonesWith(finding.zones, zones) }),
    ...(line === undefined ? {} : { line: word(line) }),
    ...(direction === undefined ? {} : { direction }),
    ...(text === undefined ? {} : { text: text.slice(0, FINDING_TEXT_CHARACTERS_MAX) }),
  };
}

function boxOf({ box }: FindingGrowth): FindingBox | undefined {
  return box === undefined ? undefined : boxWithin(box);
}

function seenUntil({ seenUs }: Finding, atUs: number): { readonly seenUs: number } {
  return { seenUs: Math.max(seenUs, Math.round(atUs)) };
}

function greatest(before: number | undefined, now: number | undefined): number | undefined {
  if (now === undefined || Number.isNaN(now)) return before;
  return Math.max(before ?? 0, Math.min(1, now));
}

/** A picture with a thing in it is better than one without; else the surer and the larger. */
function qualityOf({ quality, score, strength }: FindingGrowth, box: FindingBox | undefined): number {
  if (quality !== undefined) return quality;
  return box === undefined ? -1 : (score ?? strength ?? 1) * Math.sqrt(box.width * box.height);
}

function bestOf(
  lasting: Lasting,
  growth: FindingGrowth,
  box: FindingBox | undefined,
): FindingBest | undefined {
  const quality = qualityOf(growth, box);
  if (quality <= lasting.quality) return lasting.finding.best;
  lasting.quality = quality;
  const { atUs, shownBox } = growth;
  return { timeUs: Math.round(atUs), box: shownBox === undefined ? box : boxWithin(shownBox) };
}

/** At most so many moments, at even distances: where there are more, every second leaves. */
function pathWith(lasting: Lasting, moment: FindingMoment): readonly FindingMoment[] {
  const { path } = lasting.finding;
  const last = path.at(-1);
  if (last !== undefined && moment.timeUs - last.timeUs < lasting.stepUs) return path;
  if (path.length < FINDING_PATH_MAX) return [...path, moment];
  lasting.stepUs *= 2;
  return [...path.filter((_, at) => at % 2 === 0), moment];
}

function zonesWith(before: readonly string[], more: readonly string[]): readonly string[] {
  const names = more.map(word).filter((name) => name !== "");
  return [...new Set([...before, ...names])].slice(0, FINDING_ZONES_MAX);
}

function word(text: string): string {
  return text.slice(0, FINDING_WORD_CHARACTERS_MAX);
}
