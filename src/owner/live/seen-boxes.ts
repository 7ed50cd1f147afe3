import type { Clock, ClockTimer, Guid } from "../../base/index.js";
import type { SeenBox } from "../../contract/answer/index.js";
import type { Finding, FindingBox, FindingChange, LastingFindings } from "../../finding/index.js";

/** How often changes are reported. */
const REPORT_INTERVAL_MS = 250;
/** What moves is reported for so long after it was seen: then nothing moves there. */
const MOTION_US = 1_000_000;
/** A thing that stands still is looked at each five seconds. */
const THING_US = 7_000_000;
/** What is over, and what only happens, is reported for so long. */
const OVER_US = 2_000_000;

/** Must not throw. */
type BoxesListener = (boxes: readonly SeenBox[]) => void;

interface Place {
  readonly box: SeenBox;
  /** When it is over unless it is seen again, by the monotonic clock. */
  readonly untilUs: number;
}

/** A channel that somebody follows. */
interface Followed {
  readonly listeners: Set<BoxesListener>;
  /** By finding. */
  readonly places: Map<string, Place>;
  reported: readonly SeenBox[];
}

export interface SeenBoxesOptions {
  readonly findings: Pick<LastingFindings, "onChange">;
  readonly clock: Clock;
}

/** Where in the pictures of channels something is seen now, for those who watch them; without any, nothing is done. */
export class SeenBoxes {
  readonly #options: SeenBoxesOptions;
  readonly #channels = new Map<Guid, Followed>();
  #findings: { close(): void } | undefined;
  #timer: ClockTimer | undefined;

  constructor(options: SeenBoxesOptions) {
    this.#options = options;
  }

  /** Reports at once what is known, then what changes. */
  follow(channelId: Guid, listener: BoxesListener): { close(): void } {
    const followed = this.#channels.get(channelId) ?? {
      listeners: new Set(),
      places: new Map(),
      reported: [],
    };
    followed.listeners.add(listener);
    this.#channels.set(channelId, followed);
    this.#findings ??= this.#options.findings.onChange((...seen) => this.#see(...seen));
    this.#timer ??= this.#options.clock.setInterval(() => this.#report(), REPORT_INTERVAL_MS);
    if (followed.reported.length > 0) listener(followed.reported);
    return { close: () => this.#leave(channelId, listener) };
  }

  #leave(channelId: Guid, listener: BoxesListener): void {
    const listeners = this.#channels.get(channelId)?.listeners;
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#channels.delete(channelId);
    if (this.#channels.size > 0) return;
    this.#findings?.close();
    this.#timer?.clear();
    this.#findings = undefined;
    this.#timer = undefined;
  }

  #see(finding: Finding, change: FindingChange, box: FindingBox | undefined): void {
    const { channelId, id, kind, label, seenUs } = finding;
    const places = this.#channels.get(channelId)?.places;
    const { clock } = this.#options;
    const nowUs = clock.monotonicUs();
    const known = places?.get(id);
    if (change === "ended") {
      if (known !== undefined)
        places?.set(id, { ...known, untilUs: Math.min(known.untilUs, nowUs + OVER_US) });
    } else if (box !== undefined) {
      const lastsUs = kind === "motion" ? MOTION_US : THING_US;
      // What a program posts may have been seen long ago.
      const agoUs = clock.nowUs() - seenUs;
      if (agoUs < lastsUs)
        places?.set(id, { box: { kind, label, ...box }, untilUs: nowUs + lastsUs - Math.max(0, agoUs) });
    }
  }

  #report(): void {
    const nowUs = this.#options.clock.monotonicUs();
    for (const followed of this.#channels.values()) {
      for (const [id, { untilUs }] of followed.places) if (untilUs <= nowUs) followed.places.delete(id);
      const boxes = [...followed.places.values()].map(({ box }) => box);
      const isSame =
        boxes.length === followed.reported.length &&
        boxes.every((box, index) => box === followed.reported[index]);
      if (isSame) continue;
      followed.reported = boxes;
      for (const listener of followed.listeners) listener(boxes);
    }
  }
}
