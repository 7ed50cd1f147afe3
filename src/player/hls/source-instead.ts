import { NvrdError } from "../../base/index.js";
import type { MediaFile } from "./playlist.js";
import type { HlsSource, PlayerRequest, ReloadRequest } from "./source.js";

/** A source with something to do when its player has gone. */
export function closing(source: HlsSource, onClose: () => void): HlsSource {
  let closed = false;
  return {
    ready: (request) => source.ready(request),
    multivariantPlaylist: (uri) => source.multivariantPlaylist(uri),
    mediaPlaylist: (request, reload) => source.mediaPlaylist(request, reload),
    file: (file, request) => source.file(file, request),
    close: () => {
      if (closed) return;
      closed = true;
      source.close();
      onClose();
    },
  };
}

/** A source, and another one in its place where it turns out that no player shows its codec. */
export class SourceInstead implements HlsSource {
  #source: HlsSource;
  #openOther: (() => HlsSource) | undefined;
  #closed = false;

  constructor(source: HlsSource, openOther: () => HlsSource) {
    this.#source = source;
    this.#openOther = openOther;
  }

  async ready(request: PlayerRequest): Promise<void> {
    try {
      await this.#source.ready(request);
    } catch (error) {
      if (this.#closed || !(error instanceof NvrdError) || error.code !== "NOT_SUPPORTED") throw error;
      this.#change(error);
      await this.#source.ready(request);
    }
  }

  multivariantPlaylist(uri: string): string {
    return this.#source.multivariantPlaylist(uri);
  }

  mediaPlaylist(request: PlayerRequest, reload?: ReloadRequest): Promise<Uint8Array> {
    return this.#source.mediaPlaylist(request, reload);
  }

  file(file: MediaFile, request: PlayerRequest): Promise<readonly Uint8Array[] | undefined> {
    return this.#source.file(file, request);
  }

  close(): void {
    this.#closed = true;
    this.#source.close();
  }

  /** Once: who has changed already stays with what it has. Throws `error` then. */
  #change(error: NvrdError): void {
    const open = this.#openOther;
    if (open === undefined) throw error;
    this.#openOther = undefined;
    const other = open();
    this.#source.close();
    this.#source = other;
  }
}
