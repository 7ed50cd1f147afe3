import { mkdir } from "node:fs/promises";
import path from "node:path";
import {
  type AgeClock,
  Archive,
  type ArchiveNotice,
  allowedBytes,
  type BootTime,
  type ChannelDays,
  type CheckProgress,
  type CheckReport,
  channelDepths,
  checkArchive,
  emptyUs,
  IndexUpkeep,
  LmdbSegmentIndex,
  movingRoom,
  type OverloadCounters,
  Protection,
  quotaLeft,
  READER_MEMORY_BYTES_MAX,
  READERS_MAX_DEFAULT,
  RecordedBytes,
  RecordedTime,
  Redating,
  type RemovalCause,
  RemovedTimes,
  Retention,
  RetentionClock,
  type RetentionCounts,
  type RetentionVolume,
  type SegmentIndex,
  type SegmentSummary,
  VolumeMoves,
  type VolumeQuota,
  type VolumeSpace,
  type VolumeStatus,
  type VolumeUse,
  VolumeWear,
  volumeStatus,
} from "../../../archive/index.js";
import {
  type Clock,
  type ClockKnowledge,
  errorText,
  type Guid,
  type Log,
  stopInOrder,
} from "../../../base/index.js";
import type { StorageArchive } from "../../../box/storage/index.js";
import type { IndexHealth } from "../../../health/index.js";
import { DEFAULT_RESERVE, type Settings, type VolumeSetting, volumeBounds } from "../../../settings/index.js";
import { archiveVolumes, mountedVolume } from "../../shared/index.js";
import { countWithin, type MemoryShares, volumeHeldBytes } from "../memory-shares.js";
import { CheckProgressText } from "./check-progress.js";

export interface ArchiveServiceOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  /** The state of `clock`; default: known. */
  readonly knowledge?: ClockKnowledge;
  /** The kernel's boot id; by default read from the kernel. */
  readonly bootId?: Guid;
  readonly log: Log;
  /** Nothing is recorded, removed or created except by repairs of `check`. Default false. */
  readonly checkOnly?: boolean;
  /** Whether there are cameras; default: there are. */
  readonly hasCameras?: () => boolean;
  /** A channel's min and max days; without it nothing is deleted because of its age. */
  readonly daysOf?: (channelId: Guid) => ChannelDays;
  /** Names of the configured channels. */
  readonly channelNames?: () => ReadonlyMap<Guid, string>;
  /** Memory limits of recording and reading; default: those of a large machine. */
  readonly shares?: Pick<MemoryShares, "frames" | "reading">;
  /** Called with each notice for users. */
  readonly notice?: (notice: ArchiveNotice) => void;
}

export interface ArchiveCheckOptions {
  readonly rebuild: boolean;
  readonly deep: boolean;
  readonly progress?: ((line: string) => void) | undefined;
  /** The same as numbers. */
  readonly onProgress?: (progress: CheckProgress) => void;
  readonly signal?: AbortSignal;
}

/** Name of the LMDB environment in the data directory. Without a dot: lmdb treats a path with a dot as a file. */
const INDEX_NAME = "index";
/** Segments removed from the index per transaction. */
const FORGOTTEN_SEGMENTS_A_STEP = 256;
const NO_DAYS: ChannelDays = { minDays: 0, maxDays: 0 };

/** The archive with its index, rebuild and retention, as used by the service and by an offline check. */
export class ArchiveService {
  readonly archive: Archive;
  readonly #options: ArchiveServiceOptions;
  readonly #index: LmdbSegmentIndex;
  /** The evidence lock. */
  readonly protection: Protection;
  /** What retention removed, for the timeline. */
  readonly removedTimes: RemovedTimes;
  /** For the health report. */
  readonly recordedTime: RecordedTime;
  /** What each channel records in a day. */
  readonly channelBytes: RecordedBytes;
  readonly #days: RetentionClock;
  readonly #retention: Retention;
  readonly #wear: VolumeWear;
  readonly #redating: Redating;
  readonly #upkeep: IndexUpkeep;
  /** Recordings that go off retired volumes. */
  readonly moves: VolumeMoves;
  readonly #daysOf = (channelId: Guid): ChannelDays =>
    this.#options.daysOf?.(this.archive.given.ownerOf(channelId)) ?? NO_DAYS;
  #onRemoved: (segment: SegmentSummary) => void = () => undefined;
  #opening: Promise<void> = Promise.resolve();
  #isStopping = false;
  /** Boots whose correction was reported. */
  readonly #redatedBoots = new Set<Guid>();
  #fail: (error: Error) => void = () => undefined;
  /** Resolves if the archive cannot be used because it was written by a newer nvrd. */
  readonly failure = new Promise<Error>((resolve) => {
    this.#fail = resolve;
  });

  constructor(options: ArchiveServiceOptions) {
    const { settings, clock, log, knowledge, bootId } = options;
    this.#options = options;
    const said = options.notice === undefined ? {} : { notice: options.notice }; // logged by its source
    this.#index = new LmdbSegmentIndex({
      directory: path.join(settings.dataDir, INDEX_NAME),
      knownVolumeIds: () => this.archive.knownVolumeIds(),
      ...{ ...said, clock, log },
    });
    const archived = archiveVolumes(settings, log);
    this.archive = new Archive({
      dataDir: settings.dataDir,
      volumes: archived,
      ...archiveMemory(options.shares, archived.length),
      index: this.#index,
      clock,
      log,
      segmentSeconds: settings.segmentSeconds,
      syncIntervalMs: settings.syncIntervalMs,
      mayInitialise: options.checkOnly !== true,
      expectsStreams: () => options.checkOnly !== true && options.hasCameras?.() !== false,
      useOf: (volume, space) => this.#useOf(volume, space),
      isReadIn: (volumeId) => this.#upkeep.isReadIn(volumeId),
      ...(options.channelNames === undefined || options.checkOnly === true
        ? {}
        : { channelNames: options.channelNames }),
      ...(knowledge === undefined ? {} : { knowledge }),
      ...(bootId === undefined ? {} : { bootId }),
    });
    const { archive } = this;
    this.recordedTime = new RecordedTime(this.#index);
    this.channelBytes = new RecordedBytes({ index: this.#index, recordedTime: this.recordedTime, clock });
    this.#redating = new Redating({
      index: this.#index,
      bootTimes: archive.archiveClock.bootTimes,
      volumes: () => archive.volumeAccess(),
      absentVolumes: () => archive.absentVolumes().length,
      onRedated: (boot, segments) => this.#reportRedated(boot, segments),
      log,
    });
    const { dataDir } = settings;
    this.protection = new Protection({
      dataDir,
      index: this.#index,
      volumes: () => archive.volumeAccess(),
      knownVolumeIds: () => archive.knownVolumeIds(),
      notice: (notice) => this.#report(notice),
      given: archive.given,
      bytesMaxOf: (volumeId) => this.#protectedBytesMax(volumeId),
      clock,
      log,
    });
    const volumes = () => this.archive.volumeAccess();
    this.removedTimes = new RemovedTimes({ dataDir, clock, log });
    this.#wear = new VolumeWear({ dataDir, volumes, clock, log });
    this.#upkeep = new IndexUpkeep({ index: this.#index, volumes, clock, log, ...said });
    this.moves = this.#volumeMoves();
    this.#days = this.#retentionClock();
    this.#retention = this.#createRetention(volumes);
  }

  /** Recording can start when this resolves; the index is opened, and rebuilt if necessary, in the background. */
  async start(): Promise<void> {
    await mkdir(this.#options.settings.dataDir, { recursive: true });
    this.protection.start();
    this.removedTimes.start();
    this.#index.start();
    await this.archive.start();
    if (this.#options.checkOnly === true) return;
    this.#wear.start();
    this.moves.load();
    this.#opening = this.#keepUp();
  }

  /** Closes all segments; all recordings are durable and indexed. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#redating.stop();
    // It may be waiting for a hung disk; its requests are rejected when the archive releases its volumes.
    const upkeepEnds = this.#upkeep.stop();
    const movesEnd = this.moves.stop();
    const parts = [
      this.#retention,
      this.removedTimes,
      this.archive,
      { name: "IndexUpkeep", stop: () => upkeepEnds },
      this.#wear,
      this.#index,
      { name: "VolumeMoves", stop: () => movesEnd },
      { name: "the opening of the index", stop: () => this.#opening },
      { name: "Redating", stop: () => this.#redating.settled() },
    ];
    await stopInOrder(parts, this.#options.log);
  }

  /** Compares index and segments, also during recording. Rejects if the index cannot be opened. */
  async check(options: ArchiveCheckOptions): Promise<CheckReport> {
    const { rebuild, deep, progress, onProgress, signal } = options;
    await this.#index.opened();
    await this.archive.recovered();
    await this.#redating.settled();
    const text = progress === undefined ? undefined : new CheckProgressText(this.#options.clock, progress);
    return await checkArchive({
      index: this.#index,
      volumes: this.archive.volumeAccess(),
      absent: this.archive.absentVolumes(),
      epoch: this.archive.epoch,
      protectedFault: this.protection.fault(),
      rebuild,
      deep,
      log: this.#options.log,
      ...(signal === undefined ? {} : { signal }),
      onProgress: (state) => {
        text?.note(state);
        onProgress?.(state);
      },
    });
  }

  /** The volume that a segment is on now; undefined when it is not known. */
  volumeOf(segment: Pick<SegmentSummary, "key" | "segmentId" | "fromUs">): Guid | undefined {
    return this.#index.closed(segment)?.volumeId;
  }

  /** Closed segments in their order, for what sends them elsewhere. */
  get segments(): Pick<SegmentIndex, "following" | "dayTotal" | "closed" | "onChange"> {
    return this.#index;
  }

  /** The time by which retention measures ages. While it is not known what is protected, nothing is too old. */
  get ages(): AgeClock {
    const { reading } = this.#days;
    const isProtectionKnown = () => this.protection.lack === undefined;
    return {
      get isKnown() {
        return reading.isKnown && isProtectionKnown();
      },
      get nowUs() {
        return reading.nowUs;
      },
    };
  }

  /** `listener` is called before retention removes a segment. It must not throw or block. */
  onRemoved(listener: (segment: SegmentSummary) => void): void {
    this.#onRemoved = listener;
  }

  #noteRemoved(segment: SegmentSummary, cause: RemovalCause): void {
    const { key, fromUs, toUs } = segment;
    this.removedTimes.note(this.archive.given.ownerOf(key.channelId), { fromUs, toUs, cause });
    this.#onRemoved(segment);
  }

  /** The operations on volumes that the storage part uses. */
  get storage(): StorageArchive {
    const { archive } = this;
    return {
      overload: () => this.overload(),
      absentVolumes: () => archive.absentVolumes(),
      volumeStatus: () => this.volumeStatus(),
      emptyUs: (status) => {
        const retiredUs = archive.retiredSinceUs(status.directory);
        return retiredUs === undefined ? undefined : emptyUs(status, retiredUs, this.#daysOf);
      },
      volumeIdAt: (directory) => archive.volumeIdAt(directory),
      readmitVolume: (directory) => archive.readmitVolume(directory),
      adoptVolume: (directory) => archive.adoptVolume(directory),
      retireVolume: (directory, retired) => archive.retireVolume(directory, retired),
      forgetVolume: (directory) => this.forgetVolume(directory),
      moves: this.moves,
    };
  }

  /** Adds the mount point of a disk that was mounted after the start. */
  async addVolume(directory: string): Promise<void> {
    await this.archive.addVolume(mountedVolume(directory));
  }

  /**
   * Permanently removes the volume at a path, and its recordings from the index; the files on the disk stay. Rejects like
   * `Archive.forgetVolume`.
   */
  async forgetVolume(directory: string): Promise<void> {
    const id = await this.archive.forgetVolume(directory);
    if (id === undefined) return;
    await this.#index.opened();
    this.#index.noteLacking(id); // read in again where it comes back
    for (;;) {
      const held = this.#index.oldest(FORGOTTEN_SEGMENTS_A_STEP, id);
      if (held.length === 0) break;
      this.#index.forget(held, { unlink: false });
      await this.#index.flush();
    }
  }

  /** How the volumes keep up, and what was dropped from the streams. */
  overload(): OverloadCounters {
    return this.archive.overload();
  }

  /** Directories of the volumes that are not used, and why. */
  absentVolumes(): ReturnType<Archive["absentVolumes"]> {
    return this.archive.absentVolumes();
  }

  /** What retention has deleted since the start. */
  removed(): RetentionCounts {
    return this.#retention.removed;
  }

  indexStatus(): IndexHealth {
    return { ...this.#index.status(), reading: this.#upkeep.reading };
  }

  /** Bytes of the segments on the volumes in use, including open ones. */
  recordedBytes(): number {
    return this.archive.volumeAccess().reduce((sum, { id }) => sum + this.#index.volumeBytes(id), 0);
  }

  /** The content and the wear of each volume in use, as of the last query of its disk, so that a hung disk does not block. */
  async volumeStatus(): Promise<readonly VolumeStatus[]> {
    return await Promise.all(this.archive.volumeAccess().map((volume) => this.#statusOf(volume)));
  }

  async #statusOf(volume: StatusVolume): Promise<VolumeStatus> {
    const { id, directory, lastSpace: space } = volume;
    const setting = this.#settingOf(volume);
    return volumeStatus({
      ...{ id, directory, isRetired: this.archive.isRetired(id) },
      isUnread: !this.#upkeep.isReadIn(id) && !this.#index.isWhole(id),
      ...this.#useOf(volume, space),
      protectedBytes: await this.protection.bytesOn(id),
      wear: this.#wear.of(id),
      workloadTbPerYear: setting.workloadTbPerYear,
      channels: channelDepths(this.#index, id),
    });
  }

  #volumeMoves(): VolumeMoves {
    const { archive, protection } = this;
    const { settings, clock, log } = this.#options;
    return new VolumeMoves({
      dataDir: settings.dataDir,
      index: this.#index,
      bootTimes: archive.archiveClock.bootTimes,
      protection,
      volumes: () => archive.volumeAccess(),
      targets: () => archive.recordedOnto(),
      volumeIdAt: (directory) => archive.volumeIdAt(directory),
      roomOn: (volume) => this.#roomOn(volume),
      isRetired: (id) => archive.isRetired(id),
      ...{ clock, log },
    });
  }

  /** What can be moved to a volume without retention deleting anything there for it. */
  async #roomOn(volume: { readonly id: Guid; readonly directory: string }): Promise<number> {
    const there = this.archive.volumeAccess().find(({ id }) => id === volume.id);
    if (there === undefined) return 0;
    return movingRoom(this.#useOf(there, await there.space()));
  }

  #createRetention(volumes: () => readonly RetentionVolume[]): Retention {
    const { clock, log } = this.#options;
    return new Retention({
      index: this.#index,
      volumes,
      useOf: (volume, space) => this.#useOf(volume, space),
      daysOf: this.#daysOf,
      protectedUntil: this.protection.protectedUntil,
      isProtectionKnown: (volume) => this.#isProtectionKnownOn(volume),
      days: this.#days,
      notice: (notice) => this.#report(this.#ofOwner(notice)),
      onRemoved: (segment, cause) => this.#noteRemoved(segment, cause),
      clock,
      log,
    });
  }

  #retentionClock(): RetentionClock {
    const { settings, clock, log } = this.#options;
    return new RetentionClock({
      dataDir: settings.dataDir,
      clockKnown: () => this.archive.archiveClock.isKnown,
      newestUs: () => this.#index.stored.newestMinuteUs,
      ...{ clock, log },
    });
  }

  /** When the index is open, missing entries are read from the segments, and retention starts. */
  async #keepUp(): Promise<void> {
    try {
      await this.#index.ready();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(errorText(error)));
      return;
    }
    if (this.#isStopping) return;
    this.#retention.start();
    this.moves.start();
    this.#upkeep.start();
    // Segments that are indexed meanwhile still have uncorrected times, so wait before redating.
    await this.#upkeep.idle();
    if (this.#isStopping) return;
    this.archive.archiveClock.bootTimes.onPending(() => this.#redating.kick());
    this.#redating.kick();
  }

  /** Once a boot, and again for recordings of volumes that were away. */
  #reportRedated({ bootId, shiftUs }: BootTime, segments: number): void {
    const segmentsRedated = segments + this.archive.archiveClock.takeOpenAtSet(bootId);
    if (segmentsRedated === 0 && this.#redatedBoots.has(bootId)) return;
    this.#redatedBoots.add(bootId);
    this.#report({ kind: "clock-set", shiftUs, segmentsRedated });
  }

  /** What concerns given recordings concerns the camera that has them. */
  #ofOwner(notice: ArchiveNotice): ArchiveNotice {
    if (notice.kind !== "min-days-unmet" && notice.kind !== "min-days-met") return notice;
    return { ...notice, channelId: this.archive.given.ownerOf(notice.channelId) };
  }

  /** Each notice is also logged, because the log is often all that is seen of a recorder without a screen. */
  #report(notice: ArchiveNotice): void {
    const { notice: listener, log } = this.#options;
    log.warn(notice, `archive: ${notice.kind}`);
    listener?.(notice);
  }

  /** The volume's setting; defaults for a disk that was mounted after the start. */
  #settingOf({ directory }: { readonly directory: string }): VolumeSetting {
    const { volumes } = this.#options.settings;
    return (
      volumes.find((setting) => path.resolve(setting.path) === directory) ?? {
        path: directory,
        reserve: DEFAULT_RESERVE,
      }
    );
  }

  #quotaOf(volume: { readonly directory: string }, { totalBytes }: VolumeSpace): VolumeQuota {
    return volumeBounds(this.#settingOf(volume), totalBytes);
  }

  /** The bounds and the use of a volume: what it may still take follows from them, wherever that matters. */
  #useOf(volume: UsedVolume, space: VolumeSpace): VolumeUse {
    const volumes = this.archive.volumeAccess();
    const own = volumes.find(({ id }) => id === volume.id)?.device;
    const beside = volumes.filter(({ id, device }) => id !== volume.id && device === own);
    const neighbours = beside.map((other) => {
      const use = this.#ownUseOf(other, space);
      const wantedBytes = this.archive.isRetired(other.id) ? 0 : quotaLeft(use);
      return { usedBytes: use.usedBytes, wantedBytes };
    });
    return { ...this.#ownUseOf(volume, space), neighbours };
  }

  #ownUseOf(volume: UsedVolume, space: VolumeSpace): VolumeUse {
    const { id } = volume;
    const held = { usedBytes: this.#index.volumeBytes(id), segments: this.#index.volumeSegments(id) };
    return { quota: this.#quotaOf(volume, space), ...held, space };
  }

  async #isProtectionKnownOn({ id }: RetentionVolume): Promise<boolean> {
    const volume = this.archive.volumeAccess().find((known) => known.id === id);
    return volume !== undefined && (await this.protection.isKnownOn(volume));
  }

  async #protectedBytesMax(volumeId: Guid): Promise<number | undefined> {
    const volume = this.archive.volumeAccess().find((known) => known.id === volumeId);
    if (volume === undefined) return undefined;
    const allowed = allowedBytes(this.#useOf(volume, await volume.space()));
    return (allowed * this.#options.settings.protectedPercentMax) / 100;
  }
}

type UsedVolume = Pick<RetentionVolume, "id" | "directory">;
type StatusVolume = UsedVolume & { readonly lastSpace: VolumeSpace };

/** The archive's memory limits; its defaults without `shares`. */
function archiveMemory(shares: ArchiveServiceOptions["shares"], volumes: number) {
  if (shares === undefined) return {};
  return {
    heldBytesMax: volumeHeldBytes(shares, volumes),
    readersMax: countWithin(shares.reading, READER_MEMORY_BYTES_MAX, READERS_MAX_DEFAULT),
  };
}
