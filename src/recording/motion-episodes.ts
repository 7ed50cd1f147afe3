import { type Clock, type ClockTimer, type Guid, US_PER_MS } from "../base/index.js";
import type { MotionChange } from "./motion/motion-change.js";
import type { MotionStates } from "./motion/motion-states.js";
import type { MotionEpisode } from "./recording-reason.js";

/** The longest delay of a motion report: the pre-roll is longer by it. */
export const MOTION_LATE_US_MAX = 2_000_000;
/** How long to wait, after the last second of a motion, for a stream without frames. */
const MOTION_END_SLACK_US = 1_000_000;

export interface MotionEpisodesOptions {
  readonly motion: readonly MotionStates[];
  readonly clock: Clock;
  /** How long after motion the channel is recorded, microseconds; undefined if it is not recorded on motion. */
  readonly afterUs: (channelId: Guid) => number | undefined;
  /** A channel's episode began, got its end, or is over. */
  readonly changed: (channelId: Guid) => void;
}

/** The runs of motion that channels are recorded for: from motion's beginning to the seconds after its end. */
export class MotionEpisodes {
  readonly #options: MotionEpisodesOptions;
  readonly #episodes = new Map<Guid, MotionEpisode>();
  readonly #timers = new Map<Guid, ClockTimer>();
  #subscriptions: { close(): void }[] = [];

  constructor(options: MotionEpisodesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#subscriptions = this.#options.motion.map((states) =>
      states.onMotion((change) => {
        // While another source's motion goes on, the episode does.
        const others = this.#options.motion.filter((other) => other !== states);
        if (!others.some((other) => other.isActive(change.channelId))) this.#onMotion(change);
      }),
    );
  }

  stop(): void {
    for (const { close } of this.#subscriptions.splice(0)) close();
    for (const channelId of [...this.#episodes.keys()]) this.#end(channelId);
  }

  of(channelId: Guid): MotionEpisode | undefined {
    return this.#episodes.get(channelId);
  }

  /** After a change of the channel's settings: a channel that is now recorded on motion joins the current motion. */
  follow(channelId: Guid): void {
    const { motion, clock, afterUs } = this.#options;
    if (afterUs(channelId) === undefined) this.#end(channelId);
    else if (!this.#episodes.has(channelId) && motion.some((states) => states.isActive(channelId)))
      this.#episodes.set(channelId, {
        source: "recorder",
        zone: "",
        beganUs: clock.nowUs(),
        untilUs: undefined,
      });
  }

  #onMotion(change: MotionChange): void {
    const { channelId, source, zone } = change;
    const { clock, afterUs, changed } = this.#options;
    const lastsUs = afterUs(channelId);
    if (lastsUs === undefined) return;
    // A camera's clock may be wrong.
    const nowUs = clock.nowUs();
    const timeUs = Math.min(nowUs, Math.max(change.timeUs, nowUs - MOTION_LATE_US_MAX));
    if (change.active) {
      this.#end(channelId);
      this.#episodes.set(channelId, { source, zone, beganUs: timeUs, untilUs: undefined });
    } else this.#letEnd(channelId, timeUs + lastsUs);
    changed(channelId);
  }

  #letEnd(channelId: Guid, untilUs: number): void {
    const episode = this.#episodes.get(channelId);
    if (episode === undefined || episode.untilUs !== undefined) return;
    const { clock, changed } = this.#options;
    this.#episodes.set(channelId, { ...episode, untilUs });
    const over = (): void => {
      this.#end(channelId);
      changed(channelId);
    };
    const delayUs = untilUs - clock.nowUs() + MOTION_END_SLACK_US;
    this.#timers.set(channelId, clock.setTimeout(over, delayUs / US_PER_MS));
  }

  #end(channelId: Guid): void {
    this.#timers.get(channelId)?.clear();
    this.#timers.delete(channelId);
    this.#episodes.delete(channelId);
  }
}
