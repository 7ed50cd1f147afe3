import type { LiveStream, MediaFormat, Subscription } from "../../live/index.js";
import type { MountDescription, MountSink, MountSource } from "./mount.js";

interface LiveMountOptions {
  readonly title: string;
  readonly stream: LiveStream;
  /** Start a viewer with the current GOP; false: with the next key frame, as most cameras do. */
  readonly fromGop: boolean;
  /** Formats to describe before the stream has sent a frame. */
  readonly formats?: readonly MediaFormat[];
}

/** A live stream as a mount. */
export class LiveMount implements MountSource {
  readonly #options: LiveMountOptions;

  constructor(options: LiveMountOptions) {
    this.#options = options;
  }

  async describe(): Promise<MountDescription | undefined> {
    const { stream, title, formats = [] } = this.#options;
    const video = stream.videoFormat ?? formats.find((format) => "width" in format);
    const audio = stream.audioFormat ?? formats.find((format) => "sampleRate" in format);
    const known = [video, audio].filter((format) => format !== undefined);
    return known.length === 0 ? undefined : { title, formats: known };
  }

  open(sink: MountSink): Subscription {
    const { stream, fromGop } = this.#options;
    return stream.subscribe(sink, { fromGop, atOnce: true });
  }
}
