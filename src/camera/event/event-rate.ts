import { type Clock, type Guid, type Log, type SeenKind, US_PER_MINUTE } from "../../base/index.js";
import type { Camera } from "../../site/index.js";
import type { CameraEventChange } from "./camera-event-states.js";

/** Events of one channel in a minute, without motion; and those of them that only the camera's own words name. */
export const CAMERA_EVENTS_PER_MINUTE_MAX = 120;
export const OWN_EVENTS_PER_MINUTE_MAX = 40;

const OWN: ReadonlySet<SeenKind> = new Set(["rule", "other"]);

/** What a channel reported in the current minute. */
interface Minute {
  /** Its start, by the monotonic clock. */
  startUs: number;
  count: number;
  ownCount: number;
  ignored: number;
}

/**
 * How many events of a device's channels are let through: one that sees much takes nothing from the others. What began unheard
 * ends unheard, and what began ends, however many events there are.
 */
export class EventRate {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #begun = new Set<string>();
  readonly #minutes = new Map<Guid, Minute>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  lets(change: CameraEventChange, camera: Pick<Camera, "id" | "name">): boolean {
    const { kind, active, isAgain = false } = change;
    if (kind === "motion") return true;
    const thing = JSON.stringify([kind, change.sourceToken, change.name]);
    if (active === false) return this.#begun.delete(thing);
    if (isAgain) return this.#begun.has(thing);
    if (!this.#hasRoom(kind, camera)) return false;
    if (active === true) this.#begun.add(thing);
    return true;
  }

  #hasRoom(kind: SeenKind, { id, name }: Pick<Camera, "id" | "name">): boolean {
    const minute = this.#minuteOf(id, name);
    const isOwn = OWN.has(kind);
    const isFull =
      minute.count >= CAMERA_EVENTS_PER_MINUTE_MAX || (isOwn && minute.ownCount >= OWN_EVENTS_PER_MINUTE_MAX);
    if (!isFull) {
      minute.count += 1;
      if (isOwn) minute.ownCount += 1;
      return true;
    }
    if (minute.ignored === 0)
      this.#log.warn(
        { camera: id, name },
        "a camera sends too many events: further ones are ignored until this minute ends",
      );
    minute.ignored += 1;
    return false;
  }

  #minuteOf(id: Guid, name: string): Minute {
    const nowUs = this.#clock.monotonicUs();
    const known = this.#minutes.get(id);
    if (known !== undefined && nowUs - known.startUs < US_PER_MINUTE) return known;
    const ignored = known?.ignored ?? 0;
    if (ignored > 0)
      this.#log.warn({ camera: id, name, ignored }, "events of a camera were ignored: there were too many");
    const next = { startUs: nowUs, count: 0, ownCount: 0, ignored: 0 };
    this.#minutes.set(id, next);
    return next;
  }
}
