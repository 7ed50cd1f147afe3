import type { Clock, Log } from "../base/index.js";
import type { LiveStream } from "../live/index.js";
import { LivePackager } from "./live-packager.js";
import type { SoundCodec } from "./sound-feed.js";
import type { HlsSource } from "./source.js";

export interface LivePackagersOptions {
  readonly codec: SoundCodec;
  readonly clock: Clock;
  readonly log: Log;
}

interface Entry {
  readonly packager: LivePackager;
  players: number;
}

/** The live streams that are packaged now: each once with sound, once without, for all its players. */
export class LivePackagers {
  readonly #options: LivePackagersOptions;
  readonly #silent = new Map<LiveStream, Entry>();
  readonly #sounding = new Map<LiveStream, Entry>();

  constructor(options: LivePackagersOptions) {
    this.#options = options;
  }

  /** Streams that are packaged. */
  get size(): number {
    return this.#silent.size + this.#sounding.size;
  }

  /** Bytes held for all of them. */
  get byteLength(): number {
    const entries = [...this.#silent.values(), ...this.#sounding.values()];
    return entries.reduce((sum, { packager }) => sum + packager.byteLength, 0);
  }

  /** One more player of the stream; with the last one that closes its source the stream is left. */
  open(stream: LiveStream, sound: boolean): HlsSource {
    const entries = sound ? this.#sounding : this.#silent;
    let entry = entries.get(stream);
    if (entry === undefined || entry.packager.failed) {
      entry = { packager: new LivePackager({ stream, sound, ...this.#options }), players: 0 };
      entries.set(stream, entry);
      entry.packager.start();
    }
    return this.#sourceOf(stream, entries, entry);
  }

  #sourceOf(stream: LiveStream, entries: Map<LiveStream, Entry>, entry: Entry): HlsSource {
    const { packager } = entry;
    entry.players += 1;
    let closed = false;
    return {
      ready: () => packager.ready(),
      multivariantPlaylist: (uri) => packager.multivariantPlaylist(uri),
      mediaPlaylist: (reload) => packager.mediaPlaylist(reload),
      file: (file) => packager.file(file),
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
