import type { CheckProgress } from "../../../archive/index.js";
import { BYTES_PER_MB, type Clock } from "../../../base/index.js";

/** Interval of the lines. */
const INTERVAL_US = 500_000;
/** The remaining time is shown after this fraction of the phase; before that it is too inaccurate. */
const SHARE_ESTIMATED_MIN = 0.02;

/** Formats the progress, speed and remaining time of a check: `45 % files: 12345, 1234/s, 2 min left`. */
export class CheckProgressText {
  readonly #clock: Clock;
  readonly #say: (line: string) => void;
  #phase: CheckProgress["phase"] | undefined;
  #beganUs = 0;
  #began: CheckProgress | undefined;
  #saidUs = 0;

  constructor(clock: Clock, say: (line: string) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  note(progress: CheckProgress): void {
    const nowUs = this.#clock.monotonicUs();
    if (this.#phase !== progress.phase) {
      this.#phase = progress.phase;
      this.#beganUs = nowUs;
      this.#began = progress;
    }
    if (nowUs - this.#saidUs < INTERVAL_US) return;
    this.#saidUs = nowUs;
    this.#say(this.#text(progress, (nowUs - this.#beganUs) / 1e6));
  }

  #text(progress: CheckProgress, seconds: number): string {
    const { phase, share } = progress;
    const done = progress[phase];
    const parts = [`${Math.floor(share * 100)} % ${phase}: ${done}`];
    const since = this.#began;
    if (since !== undefined && seconds > 0) {
      parts.push(`${Math.round((done - since[phase]) / seconds)}/s`);
      if (progress.bytes > 0)
        parts.push(`${Math.round((progress.bytes - since.bytes) / seconds / BYTES_PER_MB)} MB/s`);
      const gained = share - since.share;
      if (gained >= SHARE_ESTIMATED_MIN) parts.push(`${durationText((seconds * (1 - share)) / gained)} left`);
    }
    return parts.join(", ");
  }
}

function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
