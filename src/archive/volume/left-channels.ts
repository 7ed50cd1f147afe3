import { mkdirSync } from "node:fs";
import * as v from "valibot";
import { errorText, type Guid, type Log, NvrdError } from "../../base/index.js";
import { KeptFile, keptGuid, keptKind } from "../../kept/index.js";

/** Most channels whose recordings off the box were given up; beyond it those given up longest ago are known again. */
const LEFT_MAX = 4096;

const fileSchema = v.object({
  channels: v.pipe(
    v.array(v.object({ id: keptGuid, untilUs: v.pipe(v.number(), v.safeInteger()) })),
    v.maxLength(LEFT_MAX),
  ),
});

export const LEFT_CHANNELS_KIND = keptKind({
  name: "left-channels.json",
  says: "deleted cameras whose recordings off the box are not shown any more",
  policy: "forget",
  damaged: "cannot be read: recordings off the box of deleted cameras are those of former cameras again",
  schema: fileSchema,
});

export interface LeftChannelsOptions {
  /** Directory of the service's own small files. */
  readonly dataDir: string;
  readonly log: Log;
}

/** Channels that were deleted with their recordings: what is left of them off the box makes no former camera. */
export class LeftChannels {
  readonly #options: LeftChannelsOptions;
  readonly #file: KeptFile<typeof fileSchema>;
  /** Up to when, Unix µs; those that were left longest ago first. */
  readonly #untilUs = new Map<Guid, number>();

  constructor(options: LeftChannelsOptions) {
    this.#options = options;
    this.#file = new KeptFile(LEFT_CHANNELS_KIND, { directory: options.dataDir, log: options.log });
  }

  start(): void {
    mkdirSync(this.#options.dataDir, { recursive: true });
    for (const { id, untilUs } of this.#file.read()?.channels ?? []) this.#untilUs.set(id, untilUs);
  }

  /** Whether all that was recorded of a channel until then was given up. */
  isLeft(channelId: Guid, toUs: number): boolean {
    return toUs <= (this.#untilUs.get(channelId) ?? Number.NEGATIVE_INFINITY);
  }

  /** Resolves when it is durable. Rejects with NvrdError NOT_AVAILABLE when it cannot be; nothing has changed then. */
  async leave(channelId: Guid, untilUs: number): Promise<void> {
    const left = new Map(this.#untilUs);
    left.delete(channelId);
    left.set(channelId, untilUs);
    const channels = [...left].slice(-LEFT_MAX).map(([id, atUs]) => ({ id, untilUs: atUs }));
    try {
      await this.#file.replace({ channels });
    } catch (cause) {
      const text = `that a camera was deleted was not noted in ${this.#file.path}: ${errorText(cause)}`;
      throw new NvrdError("NOT_AVAILABLE", text, { cause });
    }
    this.#untilUs.clear();
    for (const { id, untilUs: atUs } of channels) this.#untilUs.set(id, atUs);
  }
}
