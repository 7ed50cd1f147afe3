import type { Clock, ClockTimer, Guid, SeenKind } from "../base/index.js";

/** Things of one kind and channel that are told apart: rules, inputs. */
export const SEEN_THINGS_MAX = 64;
/** How long something that only happens counts as being so, unless the source says how long. */
export const SEEN_MOMENT_MS = 5000;

/** What a source tells of a channel. */
interface SeenChange {
  readonly channelId: Guid;
  readonly kind: SeenKind;
  /** Which of several: the name of a rule or an input. */
  readonly name: string;
  /** Undefined: it happens now. */
  readonly active: boolean | undefined;
  readonly lastsMs?: number;
}

/** A kind begins or ends to be so at a channel. Must not throw. */
export type SeenListener = (channelId: Guid, kind: SeenKind, active: boolean) => void;

/** What is so now, by channel and kind: what a camera, or a detector, last told. */
export class SeenStates {
  readonly #clock: Clock;
  /** By channel and kind: the names that are so, with the end of those that only happened. A kind without names is known. */
  readonly #channels = new Map<Guid, Map<SeenKind, Map<string, ClockTimer | undefined>>>();
  readonly #listeners = new Set<SeenListener>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  report({ channelId, kind, name, active, lastsMs = SEEN_MOMENT_MS }: SeenChange): void {
    const names = this.#namesOf(channelId, kind);
    if (active === false) {
      this.#end(channelId, kind, name);
      return;
    }
    if (!names.has(name) && names.size >= SEEN_THINGS_MAX) return;
    // What happens within what lasts ends with it.
    if (active === undefined && names.has(name) && names.get(name) === undefined) return;
    const wasActive = names.size > 0;
    names.get(name)?.clear();
    const isOver = (): void => this.#end(channelId, kind, name);
    names.set(name, active === undefined ? this.#clock.setTimeout(isOver, lastsMs) : undefined);
    if (!wasActive) this.#notify(channelId, kind, true);
  }

  /** A source can tell of this kind. */
  know(channelId: Guid, kind: SeenKind): void {
    this.#namesOf(channelId, kind);
  }

  /** The kinds that are known of a channel, and whether they are so now. */
  of(channelId: Guid): ReadonlyMap<SeenKind, boolean> {
    const kinds = this.#channels.get(channelId) ?? new Map<SeenKind, Map<string, unknown>>();
    return new Map([...kinds].map(([kind, names]) => [kind, names.size > 0] as const));
  }

  onChange(listener: SeenListener): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }

  /** Nothing is so any more: nobody hears of the channel. */
  forget(channelId: Guid): void {
    for (const [kind, names] of this.#channels.get(channelId) ?? [])
      for (const name of [...names.keys()]) this.#end(channelId, kind, name);
  }

  /** Ends all without telling anybody. */
  stop(): void {
    this.#listeners.clear();
    for (const kinds of this.#channels.values())
      for (const names of kinds.values()) for (const timer of names.values()) timer?.clear();
    this.#channels.clear();
  }

  #namesOf(channelId: Guid, kind: SeenKind): Map<string, ClockTimer | undefined> {
    const kinds = this.#channels.get(channelId) ?? new Map<SeenKind, Map<string, ClockTimer | undefined>>();
    this.#channels.set(channelId, kinds);
    const names = kinds.get(kind) ?? new Map<string, ClockTimer | undefined>();
    kinds.set(kind, names);
    return names;
  }

  #end(channelId: Guid, kind: SeenKind, name: string): void {
    const names = this.#channels.get(channelId)?.get(kind);
    if (names?.has(name) !== true) return;
    names.get(name)?.clear();
    names.delete(name);
    if (names.size === 0) this.#notify(channelId, kind, false);
  }

  #notify(channelId: Guid, kind: SeenKind, active: boolean): void {
    for (const listener of this.#listeners) listener(channelId, kind, active);
  }
}
