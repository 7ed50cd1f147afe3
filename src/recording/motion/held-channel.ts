import type { ClockTimer } from "../../base/index.js";
import { MOTION_ZONES_MAX, type MotionBox } from "./motion-change.js";

/** What the camera says lasts in a zone. */
interface Lasting {
  readonly box: MotionBox | undefined;
  /** When it is dropped unless it is renewed, by the monotonic clock. */
  readonly untilUs: number;
}

/** A channel whose camera is moved: what the camera says lasts meanwhile is kept here, and counts again once it stands still. */
export class HeldChannel {
  readonly #zones = new Map<string, Lasting>();
  #end: ClockTimer | undefined;
  /** When it ends, by the monotonic clock. */
  #untilUs = 0;

  get untilUs(): number {
    return this.#untilUs;
  }

  /** It lasts until then: `end` ends it. */
  last(untilUs: number, end: ClockTimer): void {
    this.#end?.clear();
    this.#end = end;
    this.#untilUs = untilUs;
  }

  keep(zone: string, lasting: Lasting): void {
    const hasRoom = this.#zones.has(zone) || this.#zones.size < MOTION_ZONES_MAX;
    this.#zones.set(hasRoom ? zone : "", lasting);
  }

  /** It is over in the zone; empty: in all. */
  drop(zone: string): void {
    if (zone === "") this.#zones.clear();
    else this.#zones.delete(zone);
  }

  /** Ends it; answers what lasts by then. */
  close(nowUs: number): readonly (Lasting & { readonly zone: string })[] {
    this.#end?.clear();
    return [...this.#zones].flatMap(([zone, lasting]) =>
      lasting.untilUs > nowUs ? { zone, ...lasting } : [],
    );
  }
}
