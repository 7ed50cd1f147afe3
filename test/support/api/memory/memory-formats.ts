import type { StreamType } from "../../../../src/base/kinds/stream-type.js";
import type { Camera, VideoFormatName } from "../../../../src/site/model/model.js";

/** What cameras and streams were found to be, as a test says. */
export class MemoryFormats {
  formatsRevision = 0;
  readonly #formats = new Map<string, VideoFormatName>();

  readonly #refusing = new Set<string>();

  refusesSound({ id }: Camera): boolean {
    return this.#refusing.has(id);
  }

  learnRefusal(channelId: string): void {
    this.#refusing.add(channelId);
    this.formatsRevision += 1;
  }

  learn(channelId: string, streamType: StreamType, format: VideoFormatName): void {
    this.#formats.set(`${channelId} ${streamType}`, format);
    this.formatsRevision += 1;
  }

  formatOf({ id }: Camera, streamType: StreamType): VideoFormatName | undefined {
    return this.#formats.get(`${id} ${streamType}`);
  }
}
