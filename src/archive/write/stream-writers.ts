import { errorText, type Guid, type Log, type StreamKey, streamKeyText } from "../../base/index.js";
import type { SegmentedStreamWriter } from "./stream-writer.js";
import type { WritingSegment } from "./writing-segment.js";

export interface StreamWritersOptions {
  readonly create: (key: StreamKey) => SegmentedStreamWriter;
  readonly log: Log;
}

/** The writers of the archive: one a stream, from its first use until its channel is gone. */
export class StreamWriters {
  readonly #options: StreamWritersOptions;
  readonly #writers = new Map<string, SegmentedStreamWriter>();
  /** Streams of channels that are gone: their writers are forgotten once they are drained. */
  readonly #leaving = new Set<string>();

  constructor(options: StreamWritersOptions) {
    this.#options = options;
  }

  [Symbol.iterator](): Iterator<SegmentedStreamWriter> {
    return this.#writers.values();
  }

  /** The stream's writer, made where there is none. */
  of(key: StreamKey): SegmentedStreamWriter {
    const text = streamKeyText(key);
    this.#leaving.delete(text);
    const known = this.#writers.get(text);
    if (known !== undefined) return known;
    const writer = this.#options.create(key);
    this.#writers.set(text, writer);
    return writer;
  }

  /** See `ArchiveAccess.retainWriters`. */
  retain(isThere: (channelId: Guid) => boolean): void {
    for (const [text, writer] of this.#writers) {
      if (isThere(writer.key.channelId) || this.#leaving.has(text)) continue;
      this.#leaving.add(text);
      writer
        .end()
        .catch((error: unknown) => this.#options.log.info({ stream: text }, errorText(error)))
        .finally(() => this.#forgetDrained(text));
    }
  }

  /** The disk has taken frames of a segment. */
  onWritten(segment: WritingSegment): void {
    this.#writers.get(segment.keyText)?.onWritten(segment);
  }

  /** A segment is durable, or given up. */
  onFinished(segment: WritingSegment): void {
    const text = segment.keyText;
    this.#writers.get(text)?.onFinished(segment);
    this.#forgetDrained(text);
  }

  #forgetDrained(text: string): void {
    if (!this.#leaving.has(text) || this.#writers.get(text)?.isDrained === false) return;
    this.#leaving.delete(text);
    this.#writers.delete(text);
  }
}
