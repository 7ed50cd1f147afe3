import type { Guid, SeenKind } from "../base/index.js";

/** Whether something of a kind is in a zone now. */
export interface ZoneState {
  readonly zone: string;
  readonly kind: SeenKind;
  readonly active: boolean;
}

/** What is in the zones of cameras now: a person at the gate. Known are the zones and kinds that the recorder looks for. */
export class ZoneStates {
  readonly #channels = new Map<Guid, Map<string, ZoneState>>();
  readonly #listeners = new Set<() => void>();

  /** These kinds are looked for in these zones; no others are known of the channel from now on. */
  know(channelId: Guid, zones: readonly string[], kinds: readonly SeenKind[]): void {
    const before = this.#channels.get(channelId);
    const known = new Map<string, ZoneState>();
    for (const zone of zones)
      for (const kind of kinds) {
        const key = keyOf(zone, kind);
        known.set(key, before?.get(key) ?? { zone, kind, active: false });
      }
    if (known.size === 0) this.#channels.delete(channelId);
    else this.#channels.set(channelId, known);
    if (known.size !== (before?.size ?? 0) || [...known.keys()].some((key) => before?.has(key) !== true))
      this.#notify();
  }

  /** Nothing happens for a zone or kind that is not known. */
  report(channelId: Guid, { zone, kind, active }: ZoneState): void {
    const known = this.#channels.get(channelId);
    const before = known?.get(keyOf(zone, kind));
    if (known === undefined || before === undefined || before.active === active) return;
    known.set(keyOf(zone, kind), { zone, kind, active });
    this.#notify();
  }

  of(channelId: Guid): readonly ZoneState[] {
    return [...(this.#channels.get(channelId)?.values() ?? [])];
  }

  /** The listener must not throw. */
  onChange(listener: () => void): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function keyOf(zone: string, kind: SeenKind): string {
  return `${kind} ${zone}`;
}
