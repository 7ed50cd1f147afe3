import type { Clock } from "../../../../src/base/time/clock.js";
import { NvrdError } from "../../../../src/base/value/errors.js";
import { Speech } from "../../../../src/camera/talk/speech.js";
import type { Talk, TalkRequest } from "../../../../src/camera/talk/talk-control.js";
import { silentLog } from "../../site/site-samples.js";

/** Cameras that hear everything at once, one speaker each. */
export class MemoryTalk implements Talk {
  readonly requests: TalkRequest[] = [];
  /** What was heard, by channel. */
  readonly heard = new Map<string, Buffer>();
  /** Cameras do not answer before it resolves. */
  silence: Promise<void> = Promise.resolve();
  readonly #clock: Clock;
  readonly #speaking = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isFree(channelId: string): boolean {
    return !this.#speaking.has(channelId);
  }

  async speak(request: TalkRequest): Promise<Speech> {
    const { channelId, format, by, signal } = request;
    const before = this.#speaking.get(channelId);
    if (before !== undefined) throw new NvrdError("CONFLICT", `${before} is speaking to the channel`);
    this.requests.push(request);
    const hear = (sound: Buffer): void => {
      this.heard.set(channelId, Buffer.concat([this.heard.get(channelId) ?? Buffer.alloc(0), sound]));
    };
    const speech = new Speech({
      ...{ format, clock: this.#clock, log: silentLog },
      open: async () => {
        await this.silence;
        return { channel: { close: async () => undefined }, voice: { say: hear, close: () => undefined } };
      },
    });
    this.#speaking.set(channelId, by.name);
    void speech.ended.then(() => this.#speaking.delete(channelId));
    signal.addEventListener("abort", () => speech.end(undefined), { once: true });
    await speech.begin();
    return speech;
  }
}
