import { ProtectedTimes } from "../../../../src/archive/retention/protected-times.js";
import type { ChannelDays } from "../../../../src/archive/retention/removal-queue.js";
import type { SegmentSummary } from "../../../../src/archive/segment/segment-summary.js";
import type { VolumeQuota } from "../../../../src/archive/segment/volume-room.js";
import type { Interval } from "../../../../src/base/index.js";
import type { Guid } from "../../../../src/base/value/guid.js";
import type { SeededRandom } from "../../base/seeded-random.js";
import type { SimulatedCamera } from "./simulated-camera.js";

const SECOND_US = 1_000_000;
const DAYS_PER_SECOND = 1 / 86_400;
/** Within what a quota holds, and beyond it. */
const MIN_SECONDS: readonly number[] = [0, 10, 60];
const MAX_SECONDS: readonly number[] = [0, 0, 90];
const PROTECTED_MAX = 4;
const PROTECTED_US_MAX = 6 * SECOND_US;

/** What retention keeps to: the volumes' quota, the channels' days, which last some seconds here, and protected times. */
export class SimulatedRules {
  readonly quota: VolumeQuota;
  /** What retention removed against them. */
  readonly problems: string[] = [];
  readonly #random: SeededRandom;
  readonly #cameras: readonly SimulatedCamera[];
  readonly #days: ReadonlyMap<Guid, ChannelDays>;
  readonly #spans = new Map<Guid, Interval[]>();
  readonly #protected = new ProtectedTimes();

  constructor(options: { quotaBytes: number; cameras: readonly SimulatedCamera[]; random: SeededRandom }) {
    const { quotaBytes, cameras, random } = options;
    this.quota = { quotaBytes };
    this.#random = random;
    this.#cameras = cameras;
    this.#days = new Map(
      cameras.map(({ key }) => {
        const minDays = random.pick(MIN_SECONDS) * DAYS_PER_SECOND;
        return [key.channelId, { minDays, maxDays: random.pick(MAX_SECONDS) * DAYS_PER_SECOND }];
      }),
    );
  }

  readonly daysOf = (channelId: Guid): ChannelDays => this.#days.get(channelId) ?? { minDays: 0, maxDays: 0 };

  readonly protectedUntil = (channelId: Guid, fromUs: number, toUs: number): number | undefined =>
    this.#protected.until(channelId, fromUs, toUs);

  /** Somebody protects some seconds before `nowUs` of a camera; it lasts. */
  protectSome(nowUs: number): void {
    const { channelId } = this.#random.pick(this.#cameras).key;
    const spans = this.#spans.get(channelId) ?? [];
    if (spans.length >= PROTECTED_MAX) return;
    const toUs = nowUs - this.#random.below(PROTECTED_US_MAX);
    spans.push({ fromUs: toUs - this.#random.below(PROTECTED_US_MAX) - 1, toUs });
    this.#spans.set(channelId, spans);
    this.#protected.set(channelId, spans);
  }

  /** Looks at what retention is about to remove. */
  readonly onRemove = (summaries: readonly SegmentSummary[]): void => {
    for (const { segmentId, key, fromUs, toUs } of summaries) {
      if (this.protectedUntil(key.channelId, fromUs, toUs) !== undefined)
        this.problems.push(`retention removes segment ${segmentId}, which is protected`);
    }
  };
}
