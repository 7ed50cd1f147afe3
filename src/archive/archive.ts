import {
  CLOCK_KNOWN,
  type Clock,
  type ClockKnowledge,
  endsWithin,
  errorText,
  type Guid,
  type Interval,
  type Log,
  readBootId,
  STREAM_TYPES,
  type StreamKey,
  US_PER_DAY,
} from "../base/index.js";
import type { FrameReader, SlabPool } from "../live/index.js";
import { startVolumeThread } from "./disk/start-thread.js";
import type { VolumeReserve } from "./disk/volume-messages.js";
import type { StartVolumeThread } from "./disk/volume-thread.js";
import { NoticeBoard } from "./notice/notice-board.js";
import type { ArchiveNoticeListener } from "./notice/notices.js";
import { AllSegments, type AwayChannel, type AwayRecordings } from "./read/all-segments.js";
import { ArchiveQueries } from "./read/archive-queries.js";
import { SegmentReader } from "./read/archive-reader.js";
import { GivenSegments } from "./read/given-segments.js";
import { LiveEdge } from "./read/live-edge.js";
import { OpenReaders } from "./read/open-readers.js";
import type { RecordedAccess } from "./read/recorded-access.js";
import { openRecordedFile, type RecordedFile } from "./read/recorded-file.js";
import { RecordedFrameReader } from "./read/recorded-frame-reader.js";
import type { RecordedQuery, RecordedSegment } from "./read/recorded-segments.js";
import type { SegmentPlaces } from "./read/segment-places.js";
import { SegmentKeeper } from "./repair/segment-keeper.js";
import { ChannelRemoval } from "./retention/channel-removal.js";
import { newCameraFragmentId } from "./segment/fragment-origin.js";
import type { SegmentIndex } from "./segment/segment-index.js";
import { segmentIdOf } from "./segment/segment-summary.js";
import type {
  ArchiveAccess,
  ArchiveFragment,
  ArchiveKey,
  ArchiveReader,
  ReadOptions,
  RecordedChange,
  RecordedChangeListener,
  RecordedChannel,
  RecordedDay,
  StreamWriter,
} from "./segment/types.js";
import { ArchiveClock } from "./time/archive-clock.js";
import { Epochs } from "./time/epochs.js";
import { ChannelNames } from "./volume/channel-names.js";
import { type GivenRecording, GivenRecordings } from "./volume/given-recordings.js";
import { LeftChannels } from "./volume/left-channels.js";
import type { OverloadCounters } from "./volume/overload-counters.js";
import type { UseOf, Volume } from "./volume/volume.js";
import { type AbsentVolume, VolumeSet } from "./volume/volume-set.js";
import { GapWriter } from "./write/gap-writer.js";
import { HELD_BYTES_MAX_DEFAULT } from "./write/held-frames.js";
import { SEGMENT_SECONDS_DEFAULT } from "./write/segment-sequence.js";
import { SegmentedStreamWriter, type StreamWriterOptions } from "./write/stream-writer.js";
import { StreamWriters } from "./write/stream-writers.js";
import { SYNC_INTERVAL_MS_DEFAULT, WRITE_TICK_MS_DEFAULT } from "./write/volume-writer.js";
import type { WritingSegment } from "./write/writing-segment.js";

const NO_NAMES: ReadonlyMap<Guid, string> = new Map();
/** Longest wait for the disks when the archive stops. */
const STOP_TIMEOUT_MS = 2_000;

export interface VolumeSettings {
  /** A directory on the disk. */
  readonly path: string;
  /** Whether the directory has to be a mount point; default false. */
  readonly mount?: boolean;
  /** Recorded into only while no other volume can be; default false. */
  readonly standIn?: boolean;
  /** How much of the disk stays free: it is no volume where that leaves nothing. Retention has its own word for it. */
  readonly reserve?: VolumeReserve;
}

export interface ArchiveOptions {
  /** Directory of the service's own small files, on the system disk. */
  readonly dataDir: string;
  readonly volumes: readonly VolumeSettings[];
  readonly index: SegmentIndex;
  readonly clock: Clock;
  /** The state of `clock`; default: known. */
  readonly knowledge?: ClockKnowledge;
  /** The kernel's id of this boot; default: what the kernel says. */
  readonly bootId?: Guid;
  readonly log: Log;
  /** Wanted length of a segment in seconds; default 60. */
  readonly segmentSeconds?: number;
  /** Time between two writes to a volume; default 400 ms. */
  readonly tickMs?: number;
  /** Time between two syncs; default 1000 ms. */
  readonly syncIntervalMs?: number;
  /** Most bytes of frames waiting for one volume; default 64 MiB. */
  readonly heldBytesMax?: number;
  readonly readersMax?: number;
  /** Whether an empty directory may become a volume; default true. */
  readonly mayInitialise?: boolean;
  /** How long the start waits for the volumes, those that take longer join later; default 3 s. */
  readonly startWaitMs?: number;
  /** Whether something is to be recorded soon, so that volumes are prepared for it; default: it is. */
  readonly expectsStreams?: () => boolean;
  /** Starts a volume's threads; tests put their own in. */
  readonly startThread?: StartVolumeThread;
  /** A volume's bounds and use, for choosing one; default: it may take whatever is free. */
  readonly useOf?: UseOf;
  /** Names of the configured channels, which volumes carry; default: there are none. */
  readonly channelNames?: () => ReadonlyMap<Guid, string>;
  /** Whether a volume is being read into the index, or still has to be compared with it; default: none is. */
  readonly isReadIn?: (volumeId: Guid) => boolean;
}

/**
 * The archive: records streams onto volumes and reads them back. Recording continues whatever the index does;
 * a volume that fails or hangs holds up its own streams only.
 */
export class Archive implements ArchiveAccess, RecordedAccess {
  readonly #options: ArchiveOptions;
  readonly #index: SegmentIndex;
  readonly #log: Log;
  readonly #volumes: VolumeSet;
  readonly #keeper: SegmentKeeper;
  readonly #removal: ChannelRemoval;
  readonly #left: LeftChannels;
  readonly #epochs: Epochs;
  readonly #notices: NoticeBoard;
  /** The state of the clock, and the correction of times recorded before it was known. */
  readonly archiveClock: ArchiveClock;
  readonly #edge = new LiveEdge();
  readonly #writers: StreamWriters;
  /** Writers of what cameras kept, while they are used. */
  readonly #gapWriters = new Set<SegmentedStreamWriter>();
  readonly #writing = new Map<number, WritingSegment>();
  readonly #readers: OpenReaders;
  readonly #all: AllSegments;
  readonly #queries: ArchiveQueries;
  /** Which former cameras' recordings belong to another camera. */
  readonly given: GivenRecordings;
  readonly #givenSegments: GivenSegments;
  readonly #changeListeners: RecordedChangeListener[] = [];
  readonly #places: SegmentPlaces;
  readonly #volumeOf = (volumeId: Guid) => this.#volumes.get(volumeId);
  readonly #recoveries = new Set<Promise<void>>();
  readonly #bootId: Guid;
  readonly #names: ChannelNames;
  #startedUs = 0;
  /** All that earlier runs recorded lies before this. */
  #ownUs = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(options: ArchiveOptions) {
    const { clock, index } = options;
    this.#options = options;
    this.#index = index;
    this.#all = new AllSegments(index);
    const log = options.log.child({ room: "archive" });
    this.#log = log;
    this.given = new GivenRecordings({ dataDir: options.dataDir, log });
    this.#givenSegments = this.#createGivenSegments();
    this.#queries = new ArchiveQueries(this.#givenSegments, this.#familyOf);
    this.#places = this.#createPlaces();
    index.onChange((change) => this.#notifyChange(change));
    this.#all.onChange((change) => this.#notifyChange(change));
    this.given.onChange(() => this.#notifyChange(undefined));
    this.#notices = new NoticeBoard(log);
    const { dataDir, knowledge = CLOCK_KNOWN } = options;
    const bootId = options.bootId ?? readBootId(log);
    this.#bootId = bootId;
    const notice = this.#notices.post;
    this.archiveClock = new ArchiveClock({
      ...{ knowledge, clock, bootId, dataDir, notice, log },
      openSegments: () => this.#writing.size,
    });
    const { dating, bootTimes } = this.archiveClock;
    const newestIndexed = (key: StreamKey) => index.newest(key);
    this.#epochs = new Epochs({ dataDir, bootId, newestIndexed, dating, clock, log });
    this.#volumes = new VolumeSet({
      dataDir: options.dataDir,
      volumes: options.volumes,
      notice: this.#notices.post,
      mayInitialise: options.mayInitialise ?? true,
      startWaitMs: options.startWaitMs,
      volume: {
        startThread: options.startThread ?? startVolumeThread,
        listener: {
          onReadable: (segment) => this.#onReadable(segment),
          onClosed: (segment) => this.#onClosed(segment),
          onFailed: (segment) => this.#onFailed(segment),
        },
        bootTimes,
        clock,
        log,
        tickMs: options.tickMs ?? WRITE_TICK_MS_DEFAULT,
        syncIntervalMs: options.syncIntervalMs ?? SYNC_INTERVAL_MS_DEFAULT,
        heldBytesMax: options.heldBytesMax ?? HELD_BYTES_MAX_DEFAULT,
        ...(options.useOf === undefined ? {} : { useOf: options.useOf }),
        ...(options.expectsStreams === undefined ? {} : { expectsStreams: options.expectsStreams }),
      },
      onTaken: (volume, found) => this.#recover(volume, found.openFiles),
      clock,
      log,
    });
    this.#writers = new StreamWriters({ create: (key) => this.#createWriter(key), log });
    this.#readers = new OpenReaders(options.readersMax);
    this.#keeper = new SegmentKeeper({ index, volumeOf: this.#volumeOf, bootTimes, clock, log });
    this.#names = new ChannelNames({
      volumes: () => this.volumeAccess(),
      recorded: () => index.streams().map(({ channelId }) => channelId),
      present: options.channelNames ?? (() => NO_NAMES),
      clock,
      log,
    });
    this.#removal = this.#channelRemoval();
    this.#left = new LeftChannels({ dataDir: options.dataDir, log });
  }

  /** Opens the volumes. A refused or slow volume is left out and retried; recording can start at once. */
  async start(): Promise<void> {
    this.#startedUs = this.#options.clock.nowUs();
    this.given.start();
    this.#left.start();
    this.#epochs.start();
    // Times of a clock that is not known yet are corrected later, also those of this boot's earlier runs.
    if (this.archiveClock.isKnown) this.#ownUs = this.#epochs.beginsAtUs;
    this.archiveClock.start(this.#epochs);
    this.#keeper.start();
    await this.#volumes.start();
    if (this.#options.mayInitialise !== false) this.#removal.start();
    if (this.#options.channelNames !== undefined) this.#names.start();
  }

  /**
   * Closes all segments durably and releases the volumes, within 3 s whatever the disks do. A thread that hangs in a disk call is
   * abandoned, and keeps the process from exiting by itself.
   */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    const { clock } = this.#options;
    // Failures were logged where they occurred.
    const endsInTime = (work: Promise<unknown>) =>
      endsWithin(work, { clock, ms: STOP_TIMEOUT_MS }).catch(() => false);
    this.#readers.stop();
    const ends = [...this.#writers, ...this.#gapWriters].map((writer) => writer.end());
    const done = Promise.all([...ends, ...this.#recoveries])
      .then(() => this.#index.flush())
      .then(() => this.#keeper.settled());
    done.catch((error: unknown) => this.#log.error(`index not flushed: ${errorText(error)}`));
    if (!(await endsInTime(done))) {
      this.#log.error("not all segments could be closed in time: the next start recovers them");
    }
    this.#keeper.stop();
    if (!(await endsInTime(this.#removal.stop()))) {
      this.#log.warn("recordings of removed channels will be deleted after the next start");
    }
    await endsInTime(this.#names.stop());
    await this.#volumes.stop();
    await this.#epochs.stop();
    await this.archiveClock.stop();
  }

  /** Subscribes to notices for users (`notices.ts`). Returns a function that unsubscribes. */
  onNotice(listener: ArchiveNoticeListener): () => void {
    return this.#notices.listen(listener);
  }

  /** Whether the volumes keep up, and the losses of each stream since the start. */
  overload(): OverloadCounters {
    const streams = [...this.#writers].map((writer) => ({
      key: writer.key,
      volumeId: writer.volume?.id,
      framesThinned: writer.losses.framesThinned,
      framesDropped: writer.losses.framesDropped,
      thinning: writer.losses.isThinning,
      dropping: writer.losses.isDropping,
    }));
    const volumes = this.#volumes.volumes.map((volume) => ({
      ...volume.counters(),
      isRetired: this.#volumes.isRetiredAt(volume.directory),
    }));
    return { volumes, streams };
  }

  /**
   * Accepts whichever volume is at a path of the settings, or creates one if the path is empty; returns its id. Rejects
   * with NOT_FOUND, CONFLICT while it is in use, VOLUME_REFUSED or NOT_AVAILABLE.
   */
  adoptVolume(path: string): Promise<Guid> {
    return this.#volumes.adopt(path);
  }

  /** A path whose volume was given up may be adopted; see `VolumeSet.readmit`. */
  readmitVolume(path: string): Promise<void> {
    return this.#volumes.readmit(path);
  }

  /** A disk that came after the start joins the volumes; see `VolumeSet.add`. */
  addVolume(volume: Omit<VolumeSettings, "standIn">): Promise<void> {
    return this.#volumes.add(volume);
  }

  /** Stops or resumes recording onto a volume; see `VolumeSet.retire`. */
  retireVolume(path: string, retired: boolean): Promise<void> {
    return this.#volumes.retire(path, retired);
  }

  /** Where volumes lie that were given up; see `VolumeSet.forget`. */
  forgottenAt(): readonly string[] {
    return this.#volumes.forgottenAt();
  }

  /** A disk was unmounted; see `VolumeSet.left`. */
  volumeLeft(path: string): Promise<void> {
    return this.#volumes.left(path);
  }

  /** Removes a volume permanently; its recordings leave the index with the next check. Returns its id; see `VolumeSet.forget`. */
  forgetVolume(path: string): Promise<Guid | undefined> {
    return this.#volumes.forget(path);
  }

  /** The id of the volume that belongs at a directory, present or not; undefined if none was opened yet. */
  volumeIdAt(directory: string): Guid | undefined {
    return this.#volumes.knownAt(directory);
  }

  /** The volume that a channel is recorded onto now; undefined: it is not recorded. */
  volumeNowOf(channelId: Guid): Guid | undefined {
    for (const { key, volumeId } of this.#writing.values()) if (key.channelId === channelId) return volumeId;
    return undefined;
  }

  /** The volumes that cameras are recorded onto; those that stand in for them are not among them. */
  recordedOnto(): readonly Volume[] {
    return this.#volumes.recordedOnto();
  }

  /** Whether nothing new is recorded onto the volume. */
  isRetired(volumeId: Guid): boolean {
    return this.#volumes.isRetired(volumeId);
  }

  /** Since when nothing new is recorded onto the volume at a directory; undefined if it is, or that is not known. */
  retiredSinceUs(directory: string): number | undefined {
    return this.#volumes.retiredSinceUs(directory);
  }

  /** Resolves when the segments that a crash left open are indexed. */
  async recovered(): Promise<void> {
    while (this.#recoveries.size > 0) await Promise.all(this.#recoveries);
  }

  /** The volumes in use, for retention, check and rebuild. */
  volumeAccess(): readonly Volume[] {
    return this.#volumes.volumes.filter((volume) => volume.isIdentified);
  }

  /** Directories of the volumes that are left out, and why. */
  absentVolumes(): readonly AbsentVolume[] {
    return this.#volumes.absent();
  }

  /** Whether a volume is being looked at for the first time: nothing is known yet of what it holds. */
  get isOpening(): boolean {
    return this.#volumes.isOpening;
  }

  /** Ids of all volumes that belong to this recorder, including absent ones. */
  knownVolumeIds(): readonly Guid[] {
    return this.#volumes.knownIds();
  }

  /** The epoch that is being recorded. */
  get epoch(): number {
    return this.#epochs.epoch;
  }

  writer(key: StreamKey): StreamWriter {
    return this.#writers.of(key);
  }

  /** A writer for what the camera kept of a gap; its `end` must be called. */
  gapWriter(key: StreamKey): GapWriter {
    const writer = new SegmentedStreamWriter({
      ...this.#writerOptions(key),
      notice: () => undefined, // nothing that is recorded now is lost
      // It is recorded late: the stream's newest end and its epoch are not its matter.
      epochs: {
        note: () => undefined,
        newestUs: () => 0,
        epochFrom: () => this.#epochs.epoch,
        takeSegmentId: () => this.#epochs.takeSegmentId(),
      },
      dating: { provisionalOffsetUs: () => undefined },
      newFragmentId: newCameraFragmentId,
    });
    this.#gapWriters.add(writer);
    return new GapWriter(writer, () => this.#gapWriters.delete(writer));
  }

  retainWriters(isThere: (channelId: Guid) => boolean): void {
    this.#writers.retain(isThere);
  }

  fragments(key: ArchiveKey, fromUs: number, toUs: number): ArchiveFragment[] {
    return this.#queries.fragments(key, fromUs, toUs);
  }

  indexFault(fromUs = 0): string | undefined {
    if (fromUs >= this.#ownUs) return undefined;
    const { ready, failure } = this.#index.status();
    if (ready && this.isOpening) return "volumes are being opened";
    if (ready) return this.#isReadIn() ? "recordings are being read into the index" : undefined;
    if (failure === undefined) return "the index of recordings is being opened";
    return "the index of recordings cannot be opened: GET /api/health says why";
  }

  indexLack(): string | undefined {
    if (!this.#index.status().ready || this.isOpening || this.#isReadIn()) return undefined;
    const lacking = this.knownVolumeIds().filter((id) => !this.#index.isWhole(id)).length;
    if (lacking === 0) return undefined;
    return `recordings of ${lacking === 1 ? "a volume" : `${lacking} volumes`} could not be read: GET /api/health says more`;
  }

  /** Of a disk that takes nothing new as well: it may hold what is asked for. */
  #isReadIn(): boolean {
    const isReadIn = this.#options.isReadIn ?? (() => false);
    return this.volumeAccess().some(({ id }) => this.#keeper.isRecovering(id) || isReadIn(id));
  }

  nearestFrameUs(key: ArchiveKey, timeUs: number): number | undefined {
    return this.#queries.nearestFrameUs(key, timeUs);
  }

  hasArchiveAt(key: ArchiveKey, timeUs: number): boolean {
    return this.#queries.hasArchiveAt(key, timeUs);
  }

  hasSoundAt(key: StreamKey, timeUs: number): boolean | undefined {
    return this.#queries.hasSoundAt(key, timeUs);
  }

  keptDay(key: StreamKey, day: number): RecordedDay | undefined {
    return this.#isHere(key, day) ? this.#index.keptDay(key, day) : undefined;
  }

  keepDay(key: StreamKey, day: number, recorded: RecordedDay): void {
    if (this.#isHere(key, day)) this.#index.keepDay(key, day, recorded);
  }

  /** The index keeps nothing of a day that depends on what is off the box: that changes without it. */
  #isHere(key: StreamKey, day: number): boolean {
    // Nor of a camera that was given others' recordings: they change without its own.
    if (this.#familyOf(key.channelId).length > 1) return false;
    return this.#all.isHere(key, day * US_PER_DAY, (day + 1) * US_PER_DAY);
  }

  onChange(listener: RecordedChangeListener): void {
    this.#changeListeners.push(listener);
  }

  /** Recordings off the box, from now on; they are read as those on the volumes are. */
  setAway(away: readonly AwayRecordings[]): void {
    this.#all.setAway(away);
  }

  /** The segments on the volumes and off the box. */
  get allSegments(): Pick<SegmentIndex, "following"> {
    return this.#all;
  }

  awayOnly(key: ArchiveKey, fromUs: number, toUs: number): Interval[] {
    return this.#all.awayOnly(this.#queries.streams(key), fromUs, toUs);
  }

  keyFramesOnly(key: ArchiveKey, fromUs: number, toUs: number): Interval[] {
    return this.#all.keyFramesOnly(this.#queries.streams(key), fromUs, toUs);
  }

  hasChannel(channelId: Guid): boolean {
    if (this.#ownerOf(channelId) !== channelId) return false;
    const family = this.#familyOf(channelId);
    const isHere = family.some((id) =>
      STREAM_TYPES.some((streamType) => this.#index.newest({ channelId: id, streamType }) !== undefined),
    );
    return isHere || this.#awayChannels().some(({ id }) => family.includes(id));
  }

  recordedChannels(): RecordedChannel[] {
    const here = this.#channelsHere();
    const away = this.#awayChannels().map(({ id, fromUs, toUs }) => {
      const own = here.get(id);
      if (own === undefined) return { id, fromUs, toUs, isAway: true };
      return { id, fromUs: Math.min(fromUs, own.fromUs), toUs: Math.max(toUs, own.toUs) };
    });
    for (const channel of away) here.set(channel.id, channel);
    return [...here.values()];
  }

  /** Those of which anything is off the box, but for what was given up. */
  #awayChannels(): readonly AwayChannel[] {
    return this.#all.awayChannels().filter(({ id, toUs }) => !this.#left.isLeft(id, toUs));
  }

  #channelsHere(): Map<Guid, RecordedChannel> {
    const reach = new Map<Guid, RecordedChannel>();
    for (const key of this.#index.streams()) {
      const first = this.#index.seek(key, 0, { withGops: false });
      const last = this.#index.newest(key);
      if (first === undefined || last === undefined) continue;
      const { channelId: id } = key;
      const known = reach.get(id) ?? { fromUs: first.fromUs, toUs: last.toUs };
      reach.set(id, {
        id,
        fromUs: Math.min(known.fromUs, first.fromUs),
        toUs: Math.max(known.toUs, last.toUs),
      });
    }
    return reach;
  }

  recordedName(channelId: Guid): string | undefined {
    return this.#names.of(channelId) ?? this.#all.awayChannels().find(({ id }) => id === channelId)?.name;
  }

  async deleteChannel(channelId: Guid): Promise<void> {
    const family = this.#familyOf(channelId);
    const away = this.#all.awayChannels().filter(({ id }) => family.includes(id));
    const untilUs = Math.max(this.#options.clock.nowUs(), ...away.map(({ toUs }) => toUs));
    for (const id of family) await this.#left.leave(id, untilUs);
    for (const id of family) await this.#removal.remove(id);
    if (family.length > 1) await this.given.forget(channelId);
  }

  givenRecordings(): readonly GivenRecording[] {
    return this.given.list().filter(({ formerId }) => this.#ownerOf(formerId) !== formerId);
  }

  giveRecordings(formerId: Guid, channelId: Guid): Promise<void> {
    return this.given.give(formerId, channelId);
  }

  takeBackRecordings(formerId: Guid): Promise<void> {
    return this.given.takeBack(formerId);
  }

  read(key: ArchiveKey, options: ReadOptions): ArchiveReader {
    const { takeHandle } = this.#readers;
    const context = {
      order: this.#queries.order(key),
      places: this.#places,
      writingOf: (segmentId: number) => this.#writing.get(segmentId),
      bootTimes: this.archiveClock.bootTimes,
      edge: this.#edge,
      takeHandle,
      clock: this.#options.clock,
      log: this.#log,
    };
    return this.#readers.add((onClose) => new SegmentReader(options, { ...context, onClose }));
  }

  recorded(key: ArchiveKey, time: RecordedQuery): Iterable<RecordedSegment> {
    return this.#queries.recorded(key, time);
  }

  openRecorded(segment: RecordedSegment, gone?: AbortSignal): Promise<RecordedFile> {
    const { takeHandle } = this.#readers;
    return this.#readers.open((onClose) =>
      openRecordedFile(segment, { places: this.#places, takeHandle, onClose, gone }),
    );
  }

  /** Reads back frames that streams released once they are recorded; their memory is of `pool`. */
  frameReader(pool: SlabPool): FrameReader {
    const { takeHandle } = this.#readers;
    return new RecordedFrameReader({ places: this.#places, takeHandle, pool });
  }

  /** Who is configured again has its own recordings, whoever they were given to. */
  readonly #ownerOf = (channelId: Guid): Guid => {
    const owner = this.given.ownerOf(channelId);
    return owner === channelId || this.#isConfigured(channelId) ? channelId : owner;
  };

  readonly #familyOf = (channelId: Guid): readonly Guid[] => {
    const family = this.given.familyOf(channelId);
    if (family.length === 1) return family;
    return family.filter((id) => id === channelId || !this.#isConfigured(id));
  };

  #isConfigured(channelId: Guid): boolean {
    return this.#options.channelNames?.().has(channelId) === true;
  }

  #notifyChange(change: RecordedChange | undefined): void {
    this.#givenSegments.noteChange(change);
    const channelId = change === undefined ? undefined : this.#ownerOf(change.key.channelId);
    const isGiven = channelId !== undefined && channelId !== change?.key.channelId;
    const notified =
      change === undefined || !isGiven ? change : { ...change, key: { ...change.key, channelId } };
    for (const listener of this.#changeListeners) listener(notified);
  }

  #createGivenSegments(): GivenSegments {
    const [ownerOf, familyOf] = [this.#ownerOf, this.#familyOf];
    return new GivenSegments({ all: this.#all, ownerOf, familyOf, epoch: () => this.epoch });
  }

  #createPlaces(): SegmentPlaces {
    const asRecorded: SegmentPlaces["asRecorded"] = (segment) => this.#givenSegments.asRecorded(segment);
    return {
      volumeOf: this.#volumeOf,
      asRecorded,
      copyOf: (segment) => this.#all.copyOf(segment),
      keyFramesOf: (segment) => {
        const found = this.#all.keyFramesOf(asRecorded(segment));
        return found === undefined ? undefined : { ...found, epoch: segment.epoch };
      },
      volumeNow: (segment) => this.#index.closed(segment)?.volumeId,
      log: this.#log,
    };
  }

  /** Whether the index is complete: no volume is absent, and none has to be read in or recovered. */
  get isWholeIndexed(): boolean {
    return (
      this.#recoveries.size === 0 &&
      !this.#keeper.salvaging &&
      this.#volumes.absent().length === 0 &&
      this.volumeAccess().every(({ id }) => this.#index.isWhole(id))
    );
  }

  #channelRemoval(): ChannelRemoval {
    const { dataDir, clock } = this.#options;
    const [index, log] = [this.#index, this.#log];
    return new ChannelRemoval({
      dataDir,
      index,
      allIndexed: () => this.isWholeIndexed,
      newestSegmentId: () => this.#epochs.newestSegmentId,
      clock,
      log,
    });
  }

  #createWriter(key: StreamKey): SegmentedStreamWriter {
    return new SegmentedStreamWriter(this.#writerOptions(key));
  }

  #writerOptions(key: StreamKey): StreamWriterOptions {
    return {
      key,
      volumes: this.#volumes,
      notice: this.#notices.post,
      epochs: this.#epochs,
      dating: this.archiveClock.dating,
      bootId: this.#bootId,
      clock: this.#options.clock,
      log: this.#log,
      segmentSeconds: this.#options.segmentSeconds ?? SEGMENT_SECONDS_DEFAULT,
    };
  }

  #onReadable(segment: WritingSegment): void {
    if (!this.#writing.has(segment.segmentId)) {
      this.#writing.set(segment.segmentId, segment);
      this.#index.trackOpen(segment);
    }
    this.#writers.onWritten(segment);
    for (const writer of this.#gapWriters) writer.onWritten(segment);
    this.#edge.wake(segment.keyText);
  }

  #onClosed(segment: WritingSegment): void {
    this.#keeper.closed(segment);
    this.#finished(segment);
  }

  #onFailed(segment: WritingSegment): void {
    this.#keeper.failed(segment);
    this.#finished(segment);
  }

  #finished(segment: WritingSegment): void {
    this.#writing.delete(segment.segmentId);
    this.#writers.onFinished(segment);
    for (const writer of this.#gapWriters) writer.onFinished(segment);
    this.#edge.wake(segment.keyText);
  }

  /** A check reads: it settles nothing. */
  async #settleCopies(volume: Volume): Promise<void> {
    if (this.#options.mayInitialise !== false) await this.#keeper.settleCopies(volume);
  }

  #recover(volume: Volume, openFiles: readonly string[]): void {
    this.archiveClock.bootTimes
      .take(volume)
      .catch((error: unknown) => this.#log.error({ volume: volume.id }, errorText(error)));
    for (const name of openFiles) this.#epochs.noteSegmentId(segmentIdOf(name) ?? 0);
    const recovery = this.#keeper
      .recover(volume, openFiles, this.#startedUs)
      .then(() => this.#settleCopies(volume))
      .catch((error: unknown) => this.#log.error({ volume: volume.id }, `recovery: ${errorText(error)}`))
      .finally(() => this.#recoveries.delete(recovery));
    this.#recoveries.add(recovery);
  }
}
