import { type SeenKind, US_PER_MS, US_PER_SECOND } from "../../base/index.js";
import type { PropertyOperation } from "./camera-event-message.js";
import type { CameraSignal, SignalBatch } from "./camera-event-signal.js";
import { MOMENTS } from "./seen-words.js";

/** States that are followed of one device. */
export const CAMERA_STATES_MAX = 512;
/** Topics and items of which is remembered whether they ever say that something ends. */
const ITEMS_MAX = 512;
/** Said again after so long, and never that it ended: it happens, and happens again. */
const AGAIN_US = 5 * US_PER_SECOND;
/** How long such a thing lasts: as long as it is said again, within bounds. */
const MOMENT_MS = 5000;
const MOMENT_MS_MAX = 35_000;
/** How long a state is believed that was never said to end: with and without the device calling it a property. */
const PROPERTY_US = 600 * US_PER_SECOND;
const UNPROVEN_US = 60 * US_PER_SECOND;
/** A state that was said so often, each time within so long, is repeated while it lasts: one denial among them may be an error. */
const REPEATS_MIN = 3;
const REPEATED_US_MAX = 3 * US_PER_SECOND;
/** How long the end of such a state is doubted: it is not when it is denied again, or not said again. */
const DOUBT_US = 4 * US_PER_SECOND;

/** A change at a device: something began, ended, or happened. */
export interface CameraEventChange {
  readonly kind: SeenKind;
  readonly name: string;
  readonly sourceToken: string;
  /** Undefined: a momentary event. */
  readonly active: boolean | undefined;
  readonly detail: string;
  /** Unix microseconds. */
  readonly timeUs: number;
  /** It lasts, and is repeated for those that forget. */
  readonly isAgain?: boolean;
  /** How long a momentary event counts, milliseconds. */
  readonly lastsMs?: number;
}

/** When a message came: by the wall clock, with its age taken off, and by the monotonic one. Microseconds. */
export interface MessageTime {
  readonly timeUs: number;
  readonly monotonicUs: number;
}

export interface CameraEventStatesOptions {
  report(change: CameraEventChange): void;
  /** The device has such a state, which is not active. */
  know(state: Pick<CameraSignal, "kind" | "sourceToken">): void;
  /** A state is not followed, because there are too many. */
  onTooMany(): void;
}

interface State {
  readonly group: string;
  signal: CameraSignal;
  active: boolean | undefined;
  /** The device has reported it since the subscription began. */
  isConfirmed: boolean;
  isProperty: boolean;
  /** When it was said to be so last, monotonic. */
  saidUs: number;
  /** How often it was said again, each time soon. */
  repeats: number;
  /** When it was said to have ended, which is doubted; undefined: it was not. */
  deniedAt: MessageTime | undefined;
}

/**
 * The states of one device; repeated messages are reported once. After a lost connection the states are kept until the device
 * reports them again (ONVIF Core, 9.4: a new subscription gets each state as Initialized). A state that is not reported again
 * has ended. An item that is never said to end is a moment each time it is said.
 */
export class CameraEventStates {
  readonly #options: CameraEventStatesOptions;
  readonly #states = new Map<string, State>();
  /** Those of a list. */
  readonly #listed = new Set<string>();
  /** How many states say that one thing is so, by the thing. */
  readonly #things = new Map<string, number>();
  /** Items that were said to end. */
  readonly #ending = new Set<string>();
  /** The device reports its states since a subscription began: what it calls initial is. */
  #isBeginning = true;
  /** Items that only say that something happens, and when they said it last, monotonic. */
  readonly #happening = new Map<string, number>();

  constructor(options: CameraEventStatesOptions) {
    this.#options = options;
  }

  /** A subscription began: the device will report all its states. */
  begin(): void {
    this.#isBeginning = true;
    for (const state of this.#states.values()) state.isConfirmed = false;
  }

  /** The device has reported its initial states: the others have ended. */
  settle(timeUs: number): void {
    this.#isBeginning = false;
    for (const [key, state] of this.#states) if (!state.isConfirmed) this.#remove(key, state, timeUs);
  }

  /** Ends states that were never said to end, or are of an object that is not heard of, and are too old to be believed. */
  expire({ timeUs, monotonicUs }: MessageTime): void {
    for (const [key, state] of this.#states) {
      const { item, isOfObject } = state.signal;
      if (state.active !== true) continue;
      if (state.deniedAt !== undefined && monotonicUs - state.deniedAt.monotonicUs >= DOUBT_US)
        this.#end(state, state.deniedAt.timeUs);
      const isEndTold = this.#ending.has(item) && !isOfObject && state.repeats < REPEATS_MIN;
      if (isEndTold) continue;
      const believedUs = state.isProperty ? PROPERTY_US : UNPROVEN_US;
      if (monotonicUs - state.saidUs > believedUs) this.#remove(key, state, timeUs);
    }
  }

  /** When the first end that is doubted is to be believed, monotonic; undefined: none is. */
  get doubtEndsUs(): number | undefined {
    let firstUs: number | undefined;
    for (const { deniedAt } of this.#states.values())
      if (deniedAt !== undefined)
        firstUs = Math.min(firstUs ?? Number.POSITIVE_INFINITY, deniedAt.monotonicUs + DOUBT_US);
    return firstUs;
  }

  take(batch: SignalBatch, said: PropertyOperation | undefined, time: MessageTime): void {
    const { group, ofTopic, signals, isComplete } = batch;
    // Some call all that they say initial.
    const operation = said === "Initialized" && !this.#isBeginning ? "Changed" : said;
    if (operation === "Deleted") {
      const items = ofTopic === undefined ? undefined : itemsOf(ofTopic);
      for (const [key, state] of this.#states) {
        const isOfTopic = items !== undefined && state.signal.item.startsWith(items);
        if (state.group === group || isOfTopic) this.#remove(key, state, time.timeUs);
      }
      return;
    }
    for (const signal of signals) this.#takeOne(group, signal, operation, time);
    if (!isComplete) return;
    const present = new Set(signals.map(({ key }) => key));
    for (const key of this.#listed) {
      const state = this.#states.get(key);
      if (state?.group === group && !present.has(key)) this.#end(state, time.timeUs);
    }
  }

  /** Reports what lasts again, because claims of motion expire. */
  renew(timeUs: number): void {
    for (const { signal, active, isConfirmed } of this.#states.values())
      if (active === true && isConfirmed) this.#report(signal, timeUs, { isAgain: true });
  }

  /** Ends what is so now: nobody follows the device any more. */
  end(timeUs: number): void {
    for (const [key, state] of this.#states) this.#remove(key, state, timeUs);
  }

  #takeOne(
    group: string,
    signal: CameraSignal,
    operation: PropertyOperation | undefined,
    time: MessageTime,
  ): void {
    const { key, item, active } = signal;
    const known = this.#states.get(key);
    if (active === undefined) {
      this.#takeMoment(group, signal, operation, time);
      return;
    }
    if (!active) {
      remember(this.#ending, item);
      this.#happening.delete(item);
      if (known === undefined) this.#add(group, signal, operation, time);
      else {
        known.isConfirmed = true;
        this.#deny(known, time);
      }
      return;
    }
    if (operation !== "Initialized" && this.#onlyHappens(signal, operation, known, time)) {
      this.#happened(signal, known, time);
      return;
    }
    this.#begin(group, signal, operation, time);
  }

  #begin(
    group: string,
    signal: CameraSignal,
    operation: PropertyOperation | undefined,
    time: MessageTime,
  ): void {
    const known = this.#states.get(signal.key) ?? this.#add(group, signal, operation, time);
    if (known === undefined) return;
    const isRepeated = known.active === true && time.monotonicUs - known.saidUs <= REPEATED_US_MAX;
    known.repeats = isRepeated ? known.repeats + 1 : 0;
    Object.assign(known, { isConfirmed: true, saidUs: time.monotonicUs, deniedAt: undefined });
    if (known.active === true) return;
    Object.assign(known, { active: true, signal });
    if (this.#count(signal, 1) === 1) this.#report(signal, time.timeUs);
  }

  /** It is said to have ended. Cameras that repeat each second that somebody is there deny it once in a while (Tapo). */
  #deny(state: State, time: MessageTime): void {
    const isRepeated =
      state.active === true &&
      state.repeats >= REPEATS_MIN &&
      time.monotonicUs - state.saidUs <= REPEATED_US_MAX;
    if (isRepeated && state.deniedAt === undefined) state.deniedAt = time;
    else this.#end(state, (state.deniedAt ?? time).timeUs);
  }

  /** A message without a state: it happened, or a value is another one. */
  #takeMoment(
    group: string,
    signal: CameraSignal,
    operation: PropertyOperation | undefined,
    time: MessageTime,
  ): void {
    const known = this.#states.get(signal.key);
    // A repeated counter value adds nothing.
    const isValue = signal.kind === "rule" || signal.kind === "other";
    const isRepeated = isValue && known !== undefined && known.signal.detail === signal.detail;
    if (operation !== undefined) {
      const state = known ?? this.#add(group, signal, operation, time);
      if (state !== undefined) Object.assign(state, { signal, isConfirmed: true });
    }
    if (operation === undefined || (operation === "Changed" && !isRepeated))
      this.#report(signal, time.timeUs);
  }

  /** Whether `true` says that something happens, and not that something is so until it is said to be over. */
  #onlyHappens(
    { item, kind }: CameraSignal,
    operation: PropertyOperation | undefined,
    known: State | undefined,
    { monotonicUs }: MessageTime,
  ): boolean {
    if (this.#ending.has(item)) return false;
    if (this.#happening.has(item)) return true;
    if (operation === undefined && MOMENTS.has(kind)) return true;
    return known?.active === true && known.isConfirmed && monotonicUs - known.saidUs >= AGAIN_US;
  }

  #happened(signal: CameraSignal, known: State | undefined, { timeUs, monotonicUs }: MessageTime): void {
    const { item, key } = signal;
    const lastUs = this.#happening.get(item) ?? known?.saidUs;
    if (known !== undefined) this.#remove(key, known, timeUs);
    const betweenMs = lastUs === undefined ? 0 : (monotonicUs - lastUs) / US_PER_MS;
    const lastsMs = betweenMs + MOMENT_MS <= MOMENT_MS_MAX ? betweenMs + MOMENT_MS : MOMENT_MS;
    this.#happening.delete(item);
    if (this.#happening.size >= ITEMS_MAX) forgetOldest(this.#happening);
    this.#happening.set(item, monotonicUs);
    this.#report({ ...signal, active: undefined }, timeUs, { lastsMs });
  }

  /** Follows a state that is not active; undefined: there are too many that are. */
  #add(
    group: string,
    signal: CameraSignal,
    operation: PropertyOperation | undefined,
    { monotonicUs }: MessageTime,
  ): State | undefined {
    if (this.#states.size >= CAMERA_STATES_MAX && !this.#makeRoom()) {
      this.#options.onTooMany();
      return undefined;
    }
    const state: State = {
      ...{ group, signal, active: signal.active === undefined ? undefined : false },
      ...{ isConfirmed: true, isProperty: operation !== undefined, saidUs: monotonicUs },
      ...{ repeats: 0, deniedAt: undefined },
    };
    this.#states.set(signal.key, state);
    if (signal.isListed) this.#listed.add(signal.key);
    if (signal.active !== undefined) this.#options.know(signal);
    return state;
  }

  /** What is not active can be forgotten: its next message reports it anew. */
  #makeRoom(): boolean {
    for (const [key, { active }] of this.#states)
      if (active !== true) {
        this.#delete(key);
        return true;
      }
    return false;
  }

  #remove(key: string, state: State, timeUs: number): void {
    this.#delete(key);
    this.#end(state, timeUs);
  }

  #delete(key: string): void {
    this.#states.delete(key);
    this.#listed.delete(key);
  }

  #end(state: State, timeUs: number): void {
    const { signal } = state;
    state.deniedAt = undefined;
    if (state.active !== true) return;
    state.active = false;
    if (this.#count(signal, -1) === 0) this.#report({ ...signal, active: false }, timeUs);
  }

  /** Several messages about one thing, such as two tampering detectors, count as one. Returns how many say that it is so. */
  #count({ kind, sourceToken, name }: CameraSignal, change: 1 | -1): number {
    const thing = JSON.stringify([kind, sourceToken, kind === "tampering" ? "" : name]);
    const count = (this.#things.get(thing) ?? 0) + change;
    if (count === 0) this.#things.delete(thing);
    else this.#things.set(thing, count);
    return count;
  }

  #report(
    { kind, name, sourceToken, active, detail }: CameraSignal,
    timeUs: number,
    more: Pick<CameraEventChange, "isAgain" | "lastsMs"> = {},
  ): void {
    this.#options.report({ kind, name, sourceToken, active, detail, timeUs, ...more });
  }
}

/** What `item` of all signals of a topic begins with. */
function itemsOf(topic: string): string {
  return `${JSON.stringify([topic]).slice(0, -1)},`;
}

/** The oldest goes where there are too many. */
function remember(items: Set<string>, item: string): void {
  if (items.has(item)) return;
  if (items.size >= ITEMS_MAX) forgetOldest(items);
  items.add(item);
}

function forgetOldest(items: Set<string> | Map<string, unknown>): void {
  for (const oldest of items.keys()) {
    items.delete(oldest);
    return;
  }
}
