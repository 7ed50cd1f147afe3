import { ByteBudget, type Clock, type Log, NvrdError } from "../../base/index.js";
import type { LiveStream } from "../../live/index.js";
import type { Transcoding } from "../../picture/index.js";
import type { RotationOf } from "../viewing/rotation.js";
import { PACKAGING_BYTES_MAX } from "./limits.js";
import { LivePackager } from "./live-packager.js";
import { isPlayable } from "./media-unit.js";
import type { SoundCodec } from "./sound-feed.js";
import type { HlsSource } from "./source.js";
import { closing, SourceInstead } from "./source-instead.js";
import { TranscodedStream } from "./transcoded-stream.js";

export interface LivePackagersOptions {
  readonly codec: SoundCodec;
  /** For streams in a codec that no player shows. */
  readonly transcoding: Pick<Transcoding, "watch">;
  readonly rotationOf: RotationOf;
  readonly clock: Clock;
  readonly log: Log;
  /** Most bytes of all packagers together; PACKAGING_BYTES_MAX by default. */
  readonly bytesMax?: number | undefined;
}

/** With more than this share of the memory in use, no further stream is packaged: windows would have to shrink. */
const FULL_ABOVE_SHARE = 0.75;
/** Retry-After for a player that was refused. */
const RETRY_AFTER_MS = 10_000;

interface Entry {
  readonly packager: LivePackager;
  players: number;
}

/** The live streams being packaged: each once with sound and once without, for all its players. */
export class LivePackagers {
  readonly #options: LivePackagersOptions;
  readonly #silent = new Map<LiveStream, Entry>();
  readonly #sounding = new Map<LiveStream, Entry>();

  readonly #transcoded = new Map<LiveStream, { readonly stream: TranscodedStream; players: number }>();
  readonly #budget: ByteBudget;

  constructor(options: LivePackagersOptions) {
    this.#options = options;
    this.#budget = new ByteBudget(options.bytesMax ?? PACKAGING_BYTES_MAX);
  }

  /** Streams that are packaged. */
  get size(): number {
    return this.#silent.size + this.#sounding.size;
  }

  /** How often a stream was refused for lack of memory. */
  get refusals(): number {
    return this.#budget.refusals;
  }

  /** Bytes held for all of them. */
  get byteLength(): number {
    return this.#budget.bytes;
  }

  /**
   * Adds a player of the stream; the stream is left when the last one closes its source. Throws NvrdError NOT_AVAILABLE
   * if the memory is used up and the stream is not packaged yet.
   */
  open(stream: LiveStream, sound: boolean): HlsSource {
    const { videoFormat } = stream;
    const isShown = videoFormat === undefined || isPlayable(videoFormat.codec);
    if (!isShown || !stream.isEnteredCleanly) return this.#openTranscoded(stream, sound);
    const source = this.#openPlain(stream, sound);
    // The codec of a stream that is not connected is known with its first frame.
    return new SourceInstead(source, () => this.#openTranscoded(stream, sound));
  }

  /** As `open`. The transcode is shared by all players, with sound and without. */
  #openTranscoded(stream: LiveStream, sound: boolean): HlsSource {
    const { transcoding, rotationOf, log } = this.#options;
    const known = this.#transcoded.get(stream);
    const entry = known ?? {
      stream: new TranscodedStream({ source: stream, transcoding, rotationOf, log }),
      players: 0,
    };
    entry.stream.start();
    this.#transcoded.set(stream, entry);
    entry.players += 1;
    const leave = (): void => {
      entry.players -= 1;
      if (entry.players > 0) return;
      this.#transcoded.delete(stream);
      entry.stream.stop();
    };
    try {
      return closing(this.#openPlain(entry.stream.stream, sound), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #openPlain(stream: LiveStream, sound: boolean): HlsSource {
    const entries = sound ? this.#sounding : this.#silent;
    let entry = entries.get(stream);
    if (entry === undefined || entry.packager.failed) {
      this.#requireRoom();
      const packager = new LivePackager({ stream, sound, ...this.#options, budget: this.#budget });
      entry = { packager, players: 0 };
      entries.set(stream, entry);
      entry.packager.start();
    }
    return this.#sourceOf(stream, entries, entry);
  }

  #requireRoom(): void {
    if (this.#budget.hasRoom(this.#budget.bytesMax * (1 - FULL_ABOVE_SHARE))) return;
    throw new NvrdError("NOT_AVAILABLE", "the memory for live HLS is used up by other streams", {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }

  #sourceOf(stream: LiveStream, entries: Map<LiveStream, Entry>, entry: Entry): HlsSource {
    const { packager } = entry;
    entry.players += 1;
    let closed = false;
    return {
      ready: (request) => packager.ready(request),
      multivariantPlaylist: (uri) => packager.multivariantPlaylist(uri),
      mediaPlaylist: (request, reload) => packager.mediaPlaylist(request, reload),
      file: (file, request) => packager.file(file, request),
      close: () => {
        if (closed) return;
        closed = true;
        entry.players -= 1;
        if (entry.players > 0) return;
        packager.close();
        if (entries.get(stream) === entry) entries.delete(stream);
      },
    };
  }
}
