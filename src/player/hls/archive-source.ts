import type { ArchiveAccess, ArchiveKey, ArchiveReader } from "../../archive/index.js";
import { type ByteBudget, type Clock, errorText, type Log, NvrdError } from "../../base/index.js";
import type { Transcoding } from "../../picture/index.js";
import type { RotationOf } from "../viewing/rotation.js";
import { ArchiveReading } from "./archive-reading.js";
import { ArchiveSegments } from "./archive-segments.js";
import { ArchiveTranscode } from "./archive-transcode.js";
import { ARCHIVE_SEGMENTS_AHEAD, ARCHIVE_SPEED_WHOLE_MAX, BLOCK_MS_MAX } from "./limits.js";
import { Packager } from "./packager.js";
import { type MediaFile, multivariantPlaylistText } from "./playlist.js";
import { SegmentRereading } from "./segment-rereading.js";
import { type SoundCodec, SoundFeed } from "./sound-feed.js";
import type { HlsSource, PlayerRequest, ReloadRequest } from "./source.js";

export interface ArchiveSourceOptions {
  readonly archive: ArchiveAccess;
  readonly key: ArchiveKey;
  /** Unix microseconds. */
  readonly startUs: number;
  /** Stream time per second of the player's time, 0.1 to 20. */
  readonly speed: number;
  /** Ignored at a speed other than 1. */
  readonly sound: boolean;
  readonly codec: SoundCodec;
  /** For recordings in a codec that no player shows. */
  readonly transcoding: Pick<Transcoding, "openPlayback">;
  readonly rotationOf: RotationOf;
  readonly clock: Clock;
  readonly log: Log;
  /** For the bytes read ahead for all players. */
  readonly budget: ByteBudget;
}

/** How long a player waits for the first segment of a recording. */
const FIRST_SEGMENT_TIMEOUT_MS = 10_000;
/** At the live edge, frames are held back no longer than this for those that may follow. */
const EDGE_WAIT_MS = 3000;

/**
 * Plays a recording for one player, from a time up to the live edge. The playlist grows as the player requests
 * segments, so that no more is read than it plays; if it goes back, the segment is read again.
 */
export class ArchiveSource implements HlsSource {
  readonly #options: ArchiveSourceOptions;
  readonly #sound: boolean;
  readonly #keyFramesOnly: boolean;
  readonly #reading: ArchiveReading;
  readonly #segments: ArchiveSegments;
  readonly #packager: Packager;
  readonly #rereading: SegmentRereading;
  /** The newest segment requested. */
  #newestRequested = -1;
  #working = false;
  #ended = false;
  #failure: NvrdError | undefined;
  #closed = false;
  #change: { readonly wait: Promise<void>; readonly notify: () => void } = signal();

  /** Throws NvrdError NOT_AVAILABLE if too many readers are open. */
  constructor(options: ArchiveSourceOptions) {
    this.#options = options;
    this.#segments = new ArchiveSegments(options.budget);
    const { archive, key, startUs, speed } = options;
    this.#sound = options.sound && speed === 1;
    this.#keyFramesOnly = speed > ARCHIVE_SPEED_WHOLE_MAX;
    const reader = archive.read(key, { fromUs: startUs, videoOnly: !this.#sound });
    this.#reading = this.#readingOf(reader, undefined);
    this.#packager = new Packager({ sink: this.#segments, parts: false, sound: this.#sound, speed });
    this.#rereading = new SegmentRereading({ open: (fromUs, keyAtUs) => this.#open(fromUs, keyAtUs) });
  }

  async ready(request: PlayerRequest): Promise<void> {
    this.#work();
    const isReady = (): boolean => this.#segments.last !== undefined || this.#ended;
    if (await this.#until(request, isReady, FIRST_SEGMENT_TIMEOUT_MS)) {
      if (this.#segments.last !== undefined) return;
    }
    throw (
      this.#failure ??
      new NvrdError("NOT_FOUND", "nothing is recorded at or after starttime", {
        hint: "see GET /archivefragments for what is recorded",
      })
    );
  }

  multivariantPlaylist(uri: string): string {
    const { last, bitsPerSecond } = this.#segments;
    const { codecs = "", width = 0, height = 0 } = last?.period ?? {};
    const { framesPerSecond } = this.#packager;
    return multivariantPlaylistText({ codecs, width, height, framesPerSecond, bitsPerSecond }, uri);
  }

  /** Lists what is read ahead; at the live edge, a `reload` waits for more. */
  async mediaPlaylist(request: PlayerRequest, reload?: ReloadRequest): Promise<Uint8Array> {
    this.#work();
    if (reload !== undefined) {
      const isThere = (): boolean => (this.#segments.last?.sequence ?? -1) >= reload.sequence || this.#ended;
      await this.#until(request, isThere, BLOCK_MS_MAX);
    }
    if (this.#segments.last === undefined) await this.ready(request);
    const { startUs } = this.#options;
    return Buffer.from(
      this.#segments.text({ startUs, lastSequence: this.#newestRequested + ARCHIVE_SEGMENTS_AHEAD }),
    );
  }

  async file(file: MediaFile): Promise<readonly Uint8Array[] | undefined> {
    if (file.kind === "part") return undefined;
    if (file.kind === "init") return this.#segments.init(file.period);
    const segment = this.#segments.find(file.sequence);
    if (segment === undefined) return undefined;
    this.#newestRequested = Math.max(this.#newestRequested, file.sequence);
    const bytes = this.#segments.take(file.sequence) ?? (await this.#rereading.read(segment));
    this.#work();
    return bytes === undefined ? undefined : [bytes];
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ended = true;
    this.#reading.close();
    this.#rereading.close();
    this.#segments.close();
    this.#change.notify();
  }

  #newFeed(): SoundFeed {
    return new SoundFeed(this.#options.codec, this.#options.log);
  }

  #open(fromUs: number, keyAtUs: number): ArchiveReading {
    const { archive, key } = this.#options;
    const reader = archive.read(key, { fromUs, videoOnly: !this.#sound, endsAtEdge: true });
    return this.#readingOf(reader, keyAtUs);
  }

  #readingOf(reader: ArchiveReader, keyAtUs: number | undefined): ArchiveReading {
    const { transcoding, rotationOf, speed, log } = this.#options;
    const { channelId } = this.#options.key;
    const transcode = new ArchiveTranscode({ transcoding, channelId, rotationOf, speed, keyAtUs });
    const feed = this.#newFeed();
    return new ArchiveReading({ reader, feed, transcode, keyFramesOnly: this.#keyFramesOnly, log });
  }

  /** Reads until enough segments are listed; at the live edge it waits for more recordings. Never rejects. */
  async #work(): Promise<void> {
    if (this.#working || this.#ended) return;
    this.#working = true;
    this.#failure = undefined;
    try {
      while (!this.#closed && this.#wantsMore()) await this.#readNext();
    } catch (error) {
      if (!this.#closed) this.#fail(error);
    } finally {
      this.#working = false;
      this.#notify();
    }
  }

  #wantsMore(): boolean {
    return (this.#segments.last?.sequence ?? -1) < this.#newestRequested + ARCHIVE_SEGMENTS_AHEAD;
  }

  async #readNext(): Promise<void> {
    // Also publishes the last seconds where recording has ended.
    const timer = this.#options.clock.setTimeout(() => this.#flush(), EDGE_WAIT_MS);
    const units = await this.#reading.next().finally(() => timer.clear());
    if (units === undefined) {
      this.close();
      return;
    }
    const before = this.#segments.last;
    for (const each of units) {
      if (each.kind === "sound") for (const unit of each.units) this.#packager.audio(unit);
      else this.#packager.video(each.unit);
    }
    if (this.#segments.last !== before) this.#notify();
  }

  #flush(): void {
    this.#packager.flush();
    this.#notify();
  }

  /** NOT_AVAILABLE (a volume does not answer): tried again with the next request. Other failures end the playlist. */
  #fail(error: unknown): void {
    this.#options.log.warn({ reason: errorText(error) }, "a recording cannot be packaged");
    const known =
      error instanceof NvrdError ? error : new NvrdError("INTERNAL", "the recording could not be packaged");
    this.#failure = known;
    if (known.code === "NOT_AVAILABLE") return;
    this.#packager.endPeriod();
    this.#ended = true;
    this.#reading.close();
  }

  #notify(): void {
    const { notify } = this.#change;
    this.#change = signal();
    notify();
  }

  /** Whether `isMet` becomes true within the time, before its player leaves. */
  async #until(request: PlayerRequest, isMet: () => boolean, timeoutMs: number): Promise<boolean> {
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#notify();
    };
    const timer = this.#options.clock.setTimeout(end, timeoutMs);
    request.onClose(end);
    try {
      while (!isMet() && !isOver && !this.#closed && (this.#working || !this.#ended)) {
        if (!this.#working && this.#failure !== undefined) return false;
        await this.#change.wait;
      }
      return isMet();
    } finally {
      isOver = true;
      timer.clear();
    }
  }
}

function signal(): { readonly wait: Promise<void>; readonly notify: () => void } {
  let notify: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => {
    notify = resolve;
  });
  return { wait, notify };
}
