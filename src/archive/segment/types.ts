import type { Guid, Interval, StreamKey, StreamType } from "../../base/index.js";
import type { Codec, Frame, MediaFormat } from "../../live/index.js";
import type { SegmentSummary } from "./segment-summary.js";

/** A run of recording of one stream without a gap. */
export interface ArchiveFragment {
  /** Lasts as long as any of the fragment's segments. */
  readonly id: Guid;
  /** Decode time of the first frame, Unix microseconds. */
  readonly fromUs: number;
  /** End of the last frame, later than `fromUs`. */
  readonly toUs: number;
}

/**
 * Several streams of a channel, read as one recording. Each moment comes from the first of them that has it.
 */
export interface ChannelKey {
  readonly channelId: Guid;
  /** The preferred one first; not empty. */
  readonly streamTypes: readonly StreamType[];
}

/** What is read: the recording of one stream, or of a channel's streams as one. */
export type ArchiveKey = StreamKey | ChannelKey;

/** The streams that are read, the preferred one first. */
export function streamTypesOf(key: ArchiveKey): readonly StreamType[] {
  return "streamType" in key ? [key.streamType] : key.streamTypes;
}

/** A fragment in the recorded order of its stream: epoch, then time. */
export interface RecordedStretch extends ArchiveFragment {
  readonly epoch: number;
}

/** What a stream's closed segments of a day add up to. */
export interface DayTotal {
  readonly segments: number;
  readonly bytes: number;
  /** Recorded time. */
  readonly durationUs: number;
}

/** A closed segment that was added, moved or removed. */
export interface RecordedChange {
  readonly key: StreamKey;
  readonly fromUs: number;
  readonly toUs: number;
  /** The segment that was added; undefined: it was moved or removed. */
  readonly added?: SegmentSummary;
}

/** Undefined: the index is another one from now on. It must not throw or block. */
export type RecordedChangeListener = (change: RecordedChange | undefined) => void;

/** Takes one stream's frames onto a volume. */
export interface StreamWriter {
  /** Takes a frame on the frame path; retains it until it is written. Never throws, never waits. */
  append(frame: Frame): void;
  /**
   * Closes the segment: what was appended is written, synced and indexed. Resolves when it is durable. `beforeUs`: decode
   * time of the stream's next picture, which is not recorded; what follows is no part of the recording.
   */
  end(beforeUs?: number): Promise<void>;
  /**
   * The camera is lost, and the recording continues when it is back. Closes the segment as `end` does; that of a camera that keeps
   * coming and going stays open for some seconds, so that it does not make a file each time.
   */
  interrupt(): Promise<void>;
  /** True while what is appended reaches the disk: some of it has, none was dropped since, and none waits for long. */
  readonly isWriting: boolean;
}

/** A frame read back. `bytes` is valid until the reader's next `next()` or `close()`. */
export interface ArchivedFrame {
  readonly codec: Codec;
  /** The stream it was recorded of. */
  readonly streamType: StreamType;
  /**
   * What a decoder must know, as the segment's header says: the same object for a segment's frames. Absent where the
   * header does not tell.
   */
  readonly format?: MediaFormat;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
  readonly key: boolean;
  readonly damaged: boolean;
  /** As in Frame: nobody is served it. */
  readonly undecodable: boolean;
  /** True for the first frame after a gap: a new fragment. */
  readonly startsFragment: boolean;
  readonly bytes: Uint8Array;
}

export interface ReadOptions {
  /** Start: the reader begins with the last key frame at or before it, in a gap with the next frame after it. Unix µs. */
  readonly fromUs: number;
  /** Leave audio out. */
  readonly videoOnly?: boolean;
  /** At the live edge `next()` resolves with an empty list, as after `close()`, instead of waiting for more. */
  readonly endsAtEdge?: boolean;
  /** Called each time `next()` begins to wait at the live edge. Must not throw. */
  readonly onEdge?: () => void;
}

/** Reads a recording from a moment on, across segments, volumes, streams and gaps, up to and beyond the live edge. */
export interface ArchiveReader {
  /**
   * The next frames in the order they were recorded, at least one. At the live edge it waits until more is
   * recorded, unless it `endsAtEdge`. One call at a time. Rejects with NvrdError NOT_AVAILABLE when the volume does not answer; a
   * damaged stretch is skipped up to the next key frame. After `close()` it resolves with an empty list.
   */
  next(): Promise<readonly ArchivedFrame[]>;
  close(): void;
}

/** What is recorded of a stream within a UTC day, cut to it. Each in order, without overlaps. */
export interface RecordedDay {
  readonly runs: readonly Interval[];
  /** What of the runs has sound. */
  readonly sound: readonly Interval[];
  /** What of the runs is left as key frames alone. */
  readonly keyFrames: readonly Interval[];
  /** What of the runs the camera kept, and was fetched later. */
  readonly fromCamera: readonly Interval[];
}

/** A channel and how far its recordings reach. */
export interface RecordedChannel {
  readonly id: Guid;
  readonly fromUs: number;
  readonly toUs: number;
  /** All of it is off the box. */
  readonly isAway?: boolean;
}

/** The archive as the other rooms see it. */
export interface ArchiveAccess {
  writer(key: StreamKey): StreamWriter;
  /**
   * Ends and forgets the writers of channels that `isThere` does not know, each once what it took is on the disk. Who holds
   * one of them uses it no more; `writer` gives the channel one again.
   */
  retainWriters(isThere: (channelId: Guid) => boolean): void;
  /** Fragments that overlap `[fromUs, toUs)`, oldest first, the one being recorded included; not cut to the interval. */
  fragments(key: ArchiveKey, fromUs: number, toUs: number): ArchiveFragment[];
  /** Where what is recorded lies off the box alone, in order, cut to the interval. */
  awayOnly(key: ArchiveKey, fromUs: number, toUs: number): Interval[];
  /** Where nothing but key frames is left of what was recorded, in order, cut to the interval. */
  keyFramesOnly(key: ArchiveKey, fromUs: number, toUs: number): Interval[];
  /** Whether the recording of a stream has sound at a moment; undefined where it has none of it. */
  hasSoundAt(key: StreamKey, timeUs: number): boolean | undefined;
  /** What `keepDay` was given of a day (since 1970, UTC); undefined if nothing, or if the day has changed since. */
  keptDay(key: StreamKey, day: number): RecordedDay | undefined;
  /** Keeps what is recorded of a day that is over in the index, so that it need not be read from its rows again. */
  keepDay(key: StreamKey, day: number, recorded: RecordedDay): void;
  /** Calls `listener` for each change of what is recorded, but for the segment that is being written. */
  onChange(listener: RecordedChangeListener): void;
  /**
   * Why it is not known what was recorded from `fromUs` (default: ever) on, for a user to read: the index is not open, or
   * what a crash or a lost index left out of it is being read in. Undefined where everything is known.
   */
  indexFault(fromUs?: number): string | undefined;
  /**
   * Why recordings may be missing from every answer until somebody acts, for a user to read: the index lacks those of a volume that
   * is away or cannot be read. Undefined where none are, and as long as `indexFault` says that they are still to come.
   */
  indexLack(): string | undefined;
  /** Time of the recorded key frame nearest to `timeUs`; undefined when nothing is recorded. */
  nearestFrameUs(key: ArchiveKey, timeUs: number): number | undefined;
  /** Whether `timeUs` lies in a fragment. */
  hasArchiveAt(key: ArchiveKey, timeUs: number): boolean;
  /** Whether anything is recorded of a channel, in any of its streams; of one whose recordings were given away nothing is. */
  hasChannel(channelId: Guid): boolean;
  /** Every channel that anything is recorded of as its own, here or off the box, those that the configuration does not know included. */
  recordedChannels(): readonly RecordedChannel[];
  /** The last name that the volumes know of a channel, or a place off the box; undefined where none does. */
  recordedName(channelId: Guid): string | undefined;
  /**
   * Removes all that is recorded of a channel up to now, in the background. Resolves when that is noted durably.
   * Rejects with NvrdError NOT_AVAILABLE when it cannot be.
   */
  deleteChannel(channelId: Guid): Promise<void>;
  /** The former cameras whose recordings belong to another camera, which answers for them. */
  givenRecordings(): readonly { readonly formerId: Guid; readonly channelId: Guid }[];
  /**
   * Gives a former camera's recordings to a camera, whose own come first where both have a moment. Resolves when that is
   * durable. Rejects with NvrdError NOT_AVAILABLE when it cannot be; nothing has changed then.
   */
  giveRecordings(formerId: Guid, channelId: Guid): Promise<void>;
  /** Makes them those of a former camera again. Resolves and rejects as `giveRecordings` does. */
  takeBackRecordings(formerId: Guid): Promise<void>;
  /** Throws NvrdError NOT_AVAILABLE when too many readers are open. */
  read(key: ArchiveKey, options: ReadOptions): ArchiveReader;
}
