import { NvrdError } from "../../../../src/base/value/errors.js";
import type {
  CardContents,
  CardPlayback,
  CardPlayRequest,
  Cards,
} from "../../../../src/camera/card/card-control.js";
import type { Frame } from "../../../../src/live/frame.js";
import type { Camera } from "../../../../src/site/model/model.js";

/** Cameras' own archives, as a test fills them. */
export class MemoryCards implements Cards {
  readonly supported = new Set<string>();
  contentsNow: CardContents | undefined;
  /** Given out one list at a time; then the playback is over. */
  readonly frames: (readonly Frame[])[] = [];
  readonly played: CardPlayRequest[] = [];

  isSupported(camera: Camera): boolean {
    return this.supported.has(camera.id);
  }

  async contents(): Promise<CardContents> {
    if (this.contentsNow === undefined)
      throw new NvrdError("NOT_SUPPORTED", "the camera offers no recordings of its own (ONVIF Profile G)");
    return this.contentsNow;
  }

  async play(request: CardPlayRequest): Promise<CardPlayback> {
    this.played.push(request);
    const left = [...this.frames];
    return { next: async () => left.shift() ?? [], receivedBytes: 0, close: () => undefined };
  }
}
