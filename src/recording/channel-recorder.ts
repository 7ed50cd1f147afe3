import type { ArchiveAccess, StreamWriter } from "../archive/index.js";
import { errorText, type Log } from "../base/index.js";
import type { Frame, FrameSink, LiveStream, StreamState, Subscription } from "../live/index.js";

export interface ChannelRecorderOptions {
  readonly stream: LiveStream;
  readonly archive: ArchiveAccess;
  readonly withSound: boolean;
  readonly log: Log;
}

/**
 * Records one stream from the moment it is made until `stop`: every frame the camera sends from then on goes to the
 * archive. It does not begin with the current GOP: a recording that ended in it has those frames already.
 */
export class ChannelRecorder implements FrameSink {
  readonly stream: LiveStream;
  /** Whether sound is recorded too; may change while recording. */
  withSound: boolean;
  readonly #writer: StreamWriter;
  readonly #log: Log;
  readonly #frames: Subscription;
  readonly #states: Subscription;

  constructor(options: ChannelRecorderOptions) {
    this.stream = options.stream;
    this.withSound = options.withSound;
    this.#log = options.log;
    this.#writer = options.archive.writer(options.stream.key);
    this.#states = this.stream.onState((state) => this.#onState(state));
    this.#frames = this.stream.subscribe(this, { fromGop: false, atOnce: false });
  }

  onFrame(frame: Frame): void {
    if (frame.isAudio && !this.withSound) return;
    this.#writer.append(frame);
  }

  /** Ends the recording; resolves when what was recorded is durable. */
  async stop(): Promise<void> {
    this.#frames.close();
    this.#states.close();
    await this.#end();
  }

  /** A camera that is gone leaves a closed segment, not one that waits for it. */
  #onState(state: StreamState): void {
    if (state.state === "lost" || state.state === "idle") this.#end();
  }

  async #end(): Promise<void> {
    try {
      await this.#writer.end();
    } catch (error) {
      this.#log.error(
        { stream: this.stream.toString(), reason: errorText(error) },
        "segment not closed; it is recovered at the next start",
      );
    }
  }
}
