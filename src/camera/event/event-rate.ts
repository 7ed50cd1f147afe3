import { type Clock, type Log, type SeenKind, US_PER_MINUTE } from "../../base/index.js";
import type { Camera } from "../../site/index.js";
import type { CameraEventChange } from "./camera-event-states.js";

/** Events of one device in a minute, without motion; and those of them that only the camera's own words name. */
export const CAMERA_EVENTS_PER_MINUTE_MAX = 120;
export const OWN_EVENTS_PER_MINUTE_MAX = 40;

const OWN: ReadonlySet<SeenKind> = new Set(["rule", "other"]);

/**
 * How many events of a device are let through. What began unheard ends unheard, and what began ends, however many events there
 * are.
 */
export class EventRate {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #begun = new Set<string>();
  /** Start of the current minute, by the monotonic clock. */
  #minuteUs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #ownCount = 0;
  #ignored = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  lets(change: CameraEventChange, camera: Pick<Camera, "id">): boolean {
    const { kind, active, isAgain = false } = change;
    if (kind === "motion") return true;
    const thing = JSON.stringify([kind, change.sourceToken, change.name]);
    if (active === false) return this.#begun.delete(thing);
    if (isAgain) return this.#begun.has(thing);
    if (!this.#hasRoom(kind, camera)) return false;
    if (active === true) this.#begun.add(thing);
    return true;
  }

  #hasRoom(kind: SeenKind, { id }: Pick<Camera, "id">): boolean {
    const nowUs = this.#clock.monotonicUs();
    if (nowUs - this.#minuteUs >= US_PER_MINUTE) this.#beginMinute(nowUs, id);
    const isOwn = OWN.has(kind);
    const isFull =
      this.#count >= CAMERA_EVENTS_PER_MINUTE_MAX || (isOwn && this.#ownCount >= OWN_EVENTS_PER_MINUTE_MAX);
    if (!isFull) {
      this.#count += 1;
      if (isOwn) this.#ownCount += 1;
      return true;
    }
    if (this.#ignored === 0)
      this.#log.warn(
        { camera: id },
        "a camera sends too many events: further ones are ignored until this minute ends",
      );
    this.#ignored += 1;
    return false;
  }

  #beginMinute(nowUs: number, id: string): void {
    if (this.#ignored > 0)
      this.#log.warn(
        { camera: id, ignored: this.#ignored },
        "events of a camera were ignored: there were too many",
      );
    this.#minuteUs = nowUs;
    this.#count = 0;
    this.#ownCount = 0;
    this.#ignored = 0;
  }
}
