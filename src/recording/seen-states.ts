import type { Clock, ClockTimer, Guid, SeenKind } from "../base/index.js";

/** Things of one kind and channel that are distinguished: rules, inputs. */
export const SEEN_THINGS_MAX = 64;
/** How long something that only happens counts as being so, unless the source says how long. */
export const SEEN_MOMENT_MS = 5000;

/** Who sees: the camera itself, or the recorder. */
type SeenSource = "camera" | "recorder";

/** What a source reports of a channel. */
interface SeenChange {
  readonly channelId: Guid;
  readonly kind: SeenKind;
  readonly source: SeenSource;
  /** Which of several: the name of a rule or an input. */
  readonly name: string;
  /** Undefined: it happens now. */
  readonly active: boolean | undefined;
  readonly lastsMs?: number;
}

/** A kind begins or ends to be so at a channel. Must not throw. */
export type SeenListener = (channelId: Guid, kind: SeenKind, active: boolean) => void;

/** What is so now, by channel and kind: what a camera, or a detector, last reported. */
export class SeenStates {
  readonly #clock: Clock;
  /** By channel and kind: the things that are so, with the end of those that only happened. A kind without things is known. */
  readonly #channels = new Map<Guid, Map<SeenKind, Map<string, ClockTimer | undefined>>>();
  readonly #listeners = new Set<SeenListener>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  report({ channelId, kind, source, name, active, lastsMs = SEEN_MOMENT_MS }: SeenChange): void {
    const things = this.#thingsOf(channelId, kind);
    const thing = `${source} ${name}`;
    if (active === false) {
      this.#end(channelId, kind, thing);
      return;
    }
    if (!things.has(thing) && things.size >= SEEN_THINGS_MAX) return;
    // What happens within what lasts ends with it.
    if (active === undefined && things.has(thing) && things.get(thing) === undefined) return;
    const wasActive = things.size > 0;
    things.get(thing)?.clear();
    const isOver = (): void => this.#end(channelId, kind, thing);
    things.set(thing, active === undefined ? this.#clock.setTimeout(isOver, lastsMs) : undefined);
    if (!wasActive) this.#notify(channelId, kind, true);
  }

  /** A source can report this kind. */
  know(channelId: Guid, kind: SeenKind): void {
    this.#thingsOf(channelId, kind);
  }

  /** The kinds that are known of a channel, and whether they are so now. */
  of(channelId: Guid): ReadonlyMap<SeenKind, boolean> {
    const kinds = this.#channels.get(channelId) ?? new Map<SeenKind, Map<string, unknown>>();
    return new Map([...kinds].map(([kind, things]) => [kind, things.size > 0] as const));
  }

  onChange(listener: SeenListener): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }

  /** Nothing that the source reported is so any more: nothing is heard of it. */
  forget(channelId: Guid, source: SeenSource): void {
    for (const [kind, things] of this.#channels.get(channelId) ?? [])
      for (const thing of [...things.keys()])
        if (thing.startsWith(`${source} `)) this.#end(channelId, kind, thing);
  }

  /** Ends all without a notification. */
  stop(): void {
    this.#listeners.clear();
    for (const kinds of this.#channels.values())
      for (const things of kinds.values()) for (const timer of things.values()) timer?.clear();
    this.#channels.clear();
  }

  #thingsOf(channelId: Guid, kind: SeenKind): Map<string, ClockTimer | undefined> {
    const kinds = this.#channels.get(channelId) ?? new Map<SeenKind, Map<string, ClockTimer | undefined>>();
    this.#channels.set(channelId, kinds);
    const things = kinds.get(kind) ?? new Map<string, ClockTimer | undefined>();
    kinds.set(kind, things);
    return things;
  }

  #end(channelId: Guid, kind: SeenKind, thing: string): void {
    const things = this.#channels.get(channelId)?.get(kind);
    if (things?.has(thing) !== true) return;
    things.get(thing)?.clear();
    things.delete(thing);
    if (things.size === 0) this.#notify(channelId, kind, false);
  }

  #notify(channelId: Guid, kind: SeenKind, active: boolean): void {
    for (const listener of this.#listeners) listener(channelId, kind, active);
  }
}
