import type { Clock } from "../../../../src/base/time/clock.js";
import type { Guid } from "../../../../src/base/value/guid.js";
import type { RecordingStates } from "../../../../src/compat/channel/recording-states.js";
import type { ManualSwitch } from "../../../../src/recording/manual-switches.js";
import type { ManualRequest, RecordingState } from "../../../../src/recording/recorder.js";
import type { TimedRecording } from "../../../../src/recording/timed-recordings.js";

/** Recording as the API sees it, without a recorder: what a test puts in, and what users switch, whatever the mode. */
export class MemoryRecording implements RecordingStates {
  /** Channels that are being recorded. */
  readonly recorded = new Set<Guid>();
  /** What scenarios have recorded. */
  readonly timed: { channelId: Guid; seconds: number; by: TimedRecording }[] = [];
  readonly #switches = new Map<Guid, ManualSwitch>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isRecording(channelId: Guid): boolean {
    return this.recorded.has(channelId);
  }

  state(channelId: Guid): RecordingState {
    const by = this.#switches.get(channelId);
    const isRecording = this.isRecording(channelId);
    const always = isRecording ? ({ kind: "always" } as const) : undefined;
    return {
      reason: by === undefined ? always : { kind: "manual", by },
      isRecording,
      isConnected: isRecording,
    };
  }

  manualSwitch(channelId: Guid): ManualSwitch | undefined {
    return this.#switches.get(channelId);
  }

  recordFor(channelId: Guid, seconds: number, by: TimedRecording): void {
    this.timed.push({ channelId, seconds, by });
  }

  async switchManually({ channelId, on, userId, userName }: ManualRequest): Promise<boolean> {
    if (on) this.#switches.set(channelId, { userId, userName, sinceUs: this.#clock.nowUs() });
    else this.#switches.delete(channelId);
    return true;
  }
}
