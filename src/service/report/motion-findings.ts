import type { Clock, Guid } from "../../base/index.js";
import { type FindingSource, type FindingWriter, MOTION_PAUSE_MS } from "../../finding/index.js";
import type { MotionChange, MotionSource, MotionStates } from "../../recording/index.js";
import type { SiteStore } from "../../site/index.js";
import { nearTime } from "./event-mapping.js";

/** Whose motion is a finding. What an analyser or a camera saw besides is one of its own; who is blind sees none. */
const SOURCES: Readonly<Partial<Record<MotionSource, FindingSource>>> = {
  recorder: "motion",
  camera: "camera",
  external: "program",
};

export interface MotionFindingsOptions {
  readonly motion: Pick<MotionStates, "onReport" | "seen">;
  readonly findings: FindingWriter;
  readonly site: Pick<SiteStore, "current">;
  readonly clock: Clock;
}

/** Makes findings of motion: one for each source of a channel, from the first zone in which it moves to the last. */
export class MotionFindings {
  readonly #options: MotionFindingsOptions;
  /** Those that last, by channel and source. */
  readonly #ids = new Map<string, string>();
  #listening: { close(): void } | undefined;

  constructor(options: MotionFindingsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#listening = this.#options.motion.onReport((change) => this.#take(change));
  }

  stop(): void {
    this.#listening?.close();
  }

  #take(change: MotionChange): void {
    const source = SOURCES[change.source];
    if (source === undefined) return;
    const key = `${change.channelId} ${source}`;
    if (change.active) this.#moves(key, source, change);
    else if (!this.#isMoving(change)) this.#rests(key, change);
  }

  #moves(key: string, source: FindingSource, change: MotionChange): void {
    const { findings, site, clock } = this.#options;
    const { channelId, box, strength, zone } = change;
    if (!site.current.cameras.some(({ id }) => id === channelId)) return;
    const growth = {
      ...{ atUs: nearTime(change.timeUs, clock), box, strength },
      ...(zone === "" ? {} : { zones: [zone] }),
    };
    const known = this.#ids.get(key);
    if (known !== undefined) {
      findings.grow(known, growth);
      return;
    }
    const id = findings.begin({ channelId, kind: "motion", source, pauseMs: MOTION_PAUSE_MS, ...growth });
    if (id !== undefined) this.#ids.set(key, id);
  }

  #rests(key: string, { timeUs }: MotionChange): void {
    const id = this.#ids.get(key);
    this.#ids.delete(key);
    if (id !== undefined) this.#options.findings.end(id, nearTime(timeUs, this.#options.clock));
  }

  #isMoving({ channelId, source }: { readonly channelId: Guid; readonly source: MotionSource }): boolean {
    return this.#options.motion.seen(channelId).some((claim) => claim.source === source);
  }
}
