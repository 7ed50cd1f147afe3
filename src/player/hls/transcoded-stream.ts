import { errorText, type Log } from "../../base/index.js";
import { Codec, Frame, LiveStream, type Subscription, type VideoFormat } from "../../live/index.js";
import type { Rotation, TranscodedPicture, Transcoding, Watch } from "../../picture/index.js";
import type { RotationOf } from "../viewing/rotation.js";
import { hlsTranscode, TranscodedFormat } from "./transcoded-format.js";

export interface TranscodedStreamOptions {
  /** In a codec that no player shows. */
  readonly source: LiveStream;
  readonly transcoding: Pick<Transcoding, "watch">;
  readonly rotationOf: RotationOf;
  readonly log: Log;
}

/**
 * A live stream as H.264, with the sound as it is. It is a stream like a camera's, so that what packages streams need not
 * know of it; the source is transcoded while it has subscribers. Its pictures are turned as the setting says; a change of it
 * holds from the next key frame on.
 */
export class TranscodedStream {
  readonly stream: LiveStream;
  readonly #options: TranscodedStreamOptions;
  #work: { watch: Watch; readonly sound: Subscription; readonly states: Subscription } | undefined;
  #rotation: Rotation = 0;
  #format = new TranscodedFormat();
  #lastUs = 0;
  #isLogged = false;

  constructor(options: TranscodedStreamOptions) {
    this.#options = options;
    this.stream = new LiveStream(options.source.key, options.log);
    this.stream.setState(options.source.state);
  }

  /** Throws NvrdError NOT_AVAILABLE when too much is transcoded already. */
  start(): void {
    if (this.#work !== undefined) return;
    const { source } = this.#options;
    const sink = {
      onFrame: (frame: Frame) => {
        if (!frame.isAudio) return;
        // `publish` gives a lease back.
        frame.retain();
        this.stream.publish(frame);
      },
    };
    const watch = this.#watch();
    const sound = source.subscribe(sink, { fromGop: false, atOnce: true });
    const states = source.onState((state) => this.stream.setState(state));
    this.#work = { watch, sound, states };
  }

  /** Calling it twice is harmless. */
  stop(): void {
    this.#work?.watch.close();
    this.#work?.sound.close();
    this.#work?.states.close();
    this.#work = undefined;
    this.stream.setState({ state: "idle" });
  }

  #watch(): Watch {
    const { source, transcoding, rotationOf } = this.#options;
    this.#rotation = rotationOf(source.key);
    const viewer = {
      ready: true,
      onPicture: (picture: TranscodedPicture) => this.#publish(picture),
      onFault: (error: unknown) => this.#logFault(error),
    };
    return transcoding.watch({ stream: source, spec: hlsTranscode(this.#rotation), viewer });
  }

  /** Not within the call that hands a picture over. */
  #turn(): void {
    const { source, rotationOf } = this.#options;
    if (this.#work === undefined || this.#rotation === rotationOf(source.key)) return;
    this.#work.watch.close();
    try {
      this.#work.watch = this.#watch();
    } catch (error) {
      this.#logFault(error);
      this.stop();
    }
  }

  #publish(picture: TranscodedPicture): void {
    const { timeUs, key, data } = picture;
    if (timeUs <= this.#lastUs) return;
    this.#lastUs = timeUs;
    const format = this.#formatOf(picture);
    const ranges = [{ slab: undefined, bytes: data }];
    const times = { decodeTimeUs: timeUs, presentationOffsetUs: 0 };
    const whole = { damaged: false, undecodable: false, discontinuity: false };
    this.stream.publish(new Frame({ format, ...times, key, ...whole, ranges }));
    if (this.#format.needsKey(timeUs)) this.#work?.watch.askForKey();
    if (key) queueMicrotask(() => this.#turn());
  }

  /** Without an encoder the picture keeps its codec: whoever packages it says that it cannot be played. */
  #formatOf(picture: TranscodedPicture): VideoFormat {
    const { videoFormat } = this.#options.source;
    if (picture.form !== "h264" && videoFormat !== undefined) return videoFormat;
    return this.#format.of(picture, videoFormat?.codec ?? Codec.MJPEG);
  }

  #logFault(error: unknown): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    const { log, source } = this.#options;
    log.warn(
      { stream: source.toString(), reason: errorText(error) },
      "a stream cannot be transcoded for HLS",
    );
  }
}
