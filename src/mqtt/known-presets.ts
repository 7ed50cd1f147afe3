import { type Clock, errorText, type Guid, type Log, US_PER_MINUTE, US_PER_SECOND } from "../base/index.js";
import type { Ptz, PtzPreset } from "../camera/index.js";
import type { Camera } from "../site/index.js";

/** Presets of a camera that become buttons; a camera may have a thousand. */
export const PRESETS_MAX = 64;
const NAME_LENGTH_MAX = 64;
/** How often cameras are asked. After a failure that is sooner: the pause is doubled up to this. */
const ASK_US = 10 * US_PER_MINUTE;
const ASK_AGAIN_FIRST_US = 5 * US_PER_SECOND;

export interface KnownPresetsOptions {
  readonly ptz: Pick<Ptz, "capabilities">;
  readonly clock: Clock;
  readonly log: Log;
  onChange(channelId: Guid): void;
}

interface Known {
  /** Undefined until the camera has listed them. */
  presets: readonly PtzPreset[] | undefined;
  askUs: number;
  /** Pause after the next failure. */
  againUs: number;
}

/** The presets of the cameras, asked one camera after the other. */
export class KnownPresets {
  readonly #options: KnownPresetsOptions;
  readonly #known = new Map<Guid, Known>();
  #isAsking = false;
  #isStopped = false;

  constructor(options: KnownPresetsOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#isStopped = true;
  }

  of(channelId: Guid): readonly PtzPreset[] | undefined {
    return this.#known.get(channelId)?.presets;
  }

  /** Asks those that are due; `cameras` are the ones that can be moved. */
  ask(cameras: readonly Camera[]): void {
    const ids = new Set(cameras.map(({ id }) => id));
    for (const id of [...this.#known.keys()]) if (!ids.has(id)) this.#known.delete(id);
    if (!this.#isAsking) void this.#askAll(cameras);
  }

  async #askAll(cameras: readonly Camera[]): Promise<void> {
    this.#isAsking = true;
    for (const { id } of cameras) {
      const known = this.#known.get(id) ?? {
        presets: undefined,
        askUs: Number.NEGATIVE_INFINITY,
        againUs: ASK_AGAIN_FIRST_US,
      };
      this.#known.set(id, known);
      if (!this.#isStopped && this.#options.clock.monotonicUs() >= known.askUs) await this.#askOne(id, known);
    }
    this.#isAsking = false;
  }

  async #askOne(id: Guid, known: Known): Promise<void> {
    const { ptz, clock, log, onChange } = this.#options;
    try {
      const { presets } = await ptz.capabilities(id);
      const listed = presets
        .slice(0, PRESETS_MAX)
        .map(({ index, name }) => ({ index, name: shortName(name) }));
      known.askUs = clock.monotonicUs() + ASK_US;
      known.againUs = ASK_AGAIN_FIRST_US;
      if (JSON.stringify(listed) === JSON.stringify(known.presets)) return;
      known.presets = listed;
      onChange(id);
    } catch (error) {
      known.askUs = clock.monotonicUs() + known.againUs;
      known.againUs = Math.min(known.againUs * 2, ASK_US);
      log.debug({ channel: id, error: errorText(error) }, "the camera does not list its presets");
    }
  }
}

function shortName(name: string): string {
  return name
    .replace(/[\p{Cc}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, NAME_LENGTH_MAX);
}
