import { type Clock, errorText, type Guid, type Interval, NvrdError, newGuid } from "../../base/index.js";
import { ProtectedBytes, type ProtectedBytesOptions, totalOf, type VolumeBytes } from "./protected-bytes.js";
import type { ProtectedRange } from "./protected-list.js";
import type { NotedVolume } from "./protected-notes.js";
import { ProtectedStore, type ProtectedStoreOptions } from "./protected-store.js";
import { ProtectedTimes } from "./protected-times.js";

/** Most protected times of all channels together. */
export const PROTECTED_RANGES_MAX = 1000;
/** Longest protected time: its segments are counted when it is made. */
export const PROTECTED_DURATION_MAX_US = 31 * 86_400_000_000;
/** How far the end may lie in the future: the caller's clock may differ. */
const AHEAD_MAX_US = 60_000_000;

/** A protected time and what it holds. */
export interface ProtectedState extends ProtectedRange {
  /** Bytes of the closed segments that overlap it, whole. */
  readonly bytes: number;
}

export interface ProtectionRequest extends Interval {
  readonly channelId: Guid;
  readonly comment: string;
  readonly userId: Guid;
  readonly userName: string;
}

/** The evidence lock as other rooms see it. */
export interface ProtectionAccess {
  /**
   * Protects a channel's recordings of a time. Resolves when that is durable. Rejects with NvrdError CONFLICT (times),
   * PROTECTED_FULL (beyond the share that may be protected, too many) or NOT_AVAILABLE (not durable, index not open).
   */
  protect(request: ProtectionRequest): Promise<ProtectedState>;
  /** The channel's protected times, oldest first; with those of the recordings that it was given. */
  list(channelId: Guid): Promise<readonly ProtectedState[]>;
  /** The same, without the bytes they hold. */
  ranges(channelId: Guid): readonly ProtectedRange[];
  /** Channels that have any, also deleted ones. */
  channels(): readonly Guid[];
  /** Whether a channel has any. */
  has(channelId: Guid): boolean;
  /** Why it is not known what is protected, in words; undefined: it is known. Nothing is removed where it is not. */
  readonly lack: string | undefined;
  /** What is known is all that is protected from now on. Rejects with NOT_AVAILABLE when that is not durable. */
  acceptLoss(): Promise<void>;
  /** Lifts one; false when the channel has none of this id. Rejects with NOT_AVAILABLE when that is not durable. */
  lift(channelId: Guid, id: Guid): Promise<boolean>;
}

export interface ProtectionOptions
  extends Omit<ProtectedStoreOptions, "volumes" | "knownVolumeIds" | "ownersLack" | "alsoOf" | "notice"> {
  /** The volumes, which carry what is protected on them; default: none does. */
  readonly volumes?: ProtectedStoreOptions["volumes"];
  readonly knownVolumeIds?: ProtectedStoreOptions["knownVolumeIds"];
  readonly notice?: ProtectedStoreOptions["notice"];
  readonly index: ProtectedBytesOptions["index"] & { ready(): Promise<void> };
  /** Most bytes of a volume that may be protected; undefined for a volume that is not there. */
  readonly bytesMaxOf: (volumeId: Guid) => Promise<number | undefined>;
  /** Which channels' recordings belong to which camera; default: each channel's to itself. */
  readonly given?: ChannelFamilies;
  readonly clock: Clock;
}

/** A camera answers for what it was given: its protected times and those of the former cameras hold for all of their recordings. */
interface ChannelFamilies {
  ownerOf(channelId: Guid): Guid;
  familyOf(channelId: Guid): readonly Guid[];
  onChange(listener: () => void): void;
  /** Why it is not known which recordings belong to which camera; undefined: it is known. */
  readonly lack: string | undefined;
  /** What is not known is none. */
  accept(): Promise<void>;
}

const NO_FAMILIES: ChannelFamilies = {
  ownerOf: (channelId) => channelId,
  familyOf: (channelId) => [channelId],
  onChange: () => undefined,
  lack: undefined,
  accept: () => Promise.resolve(),
};

/**
 * The evidence lock: times of channels whose recordings retention never deletes. It is kept in the data directory and on the
 * volumes, not in the index, which may be lost.
 */
export class Protection implements ProtectionAccess {
  readonly #options: ProtectionOptions;
  readonly #store: ProtectedStore;
  readonly #bytes: ProtectedBytes;
  readonly #times = new ProtectedTimes();
  readonly #ranges = new Map<Guid, ProtectedRange>();
  readonly #given: ChannelFamilies;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: ProtectionOptions) {
    this.#options = options;
    const none = { volumes: () => [], knownVolumeIds: () => [], notice: () => undefined };
    const given = options.given ?? NO_FAMILIES;
    this.#given = given;
    this.#store = new ProtectedStore({
      ...{ ...none, ...options, ownersLack: () => given.lack },
      alsoOf: (channelId) => this.#family(channelId).filter((other) => other !== channelId),
    });
    this.#bytes = new ProtectedBytes(options);
    this.#given.onChange(() => this.#regroup());
  }

  /** Reads what was kept. Throws NvrdError FORMAT_NEWER. */
  start(): void {
    this.#store.start();
    this.#join(this.#store.ranges);
  }

  get lack(): string | undefined {
    return this.#store.lack;
  }

  /** Whether it is known what is protected on a volume. Rejects where its disk does not answer. */
  readonly isKnownOn = (volume: NotedVolume): Promise<boolean> =>
    this.#store.isKnownOn(volume, (ranges) => this.#join(ranges));

  async acceptLoss(): Promise<void> {
    await this.#given.accept();
    await this.#stored(this.#store.accept());
  }

  /** The problem with the stored list; undefined if there is none. */
  fault(): string | undefined {
    return this.#store.fault();
  }

  /** End of the protected time that overlaps `[fromUs, toUs)` last; undefined when none does. */
  readonly protectedUntil = (channelId: Guid, fromUs: number, toUs: number): number | undefined =>
    this.#times.until(this.#given.ownerOf(channelId), fromUs, toUs);

  async protect(request: ProtectionRequest): Promise<ProtectedState> {
    this.#checkTimes(request);
    await this.#options.index.ready();
    return await this.#inTurn(() => this.#protect(request));
  }

  async list(channelId: Guid): Promise<readonly ProtectedState[]> {
    const states: ProtectedState[] = [];
    const ownerId = this.#given.ownerOf(channelId);
    for (const range of this.#of(channelId))
      states.push({ ...range, channelId: ownerId, bytes: await this.#bytesOf(range) });
    return states;
  }

  channels(): readonly Guid[] {
    return [...this.#times.channels()];
  }

  ranges(channelId: Guid): readonly ProtectedRange[] {
    return this.#of(channelId);
  }

  has(channelId: Guid): boolean {
    return this.#times.of(this.#given.ownerOf(channelId)).length > 0;
  }

  async lift(channelId: Guid, id: Guid): Promise<boolean> {
    return await this.#inTurn(async () => {
      const range = this.#ranges.get(id);
      const isOfChannel = range !== undefined && this.#isOf(range, channelId);
      if (!isOfChannel) return false;
      // Durable first: a confirmed lift must survive a crash, and an unconfirmed one must keep the protection.
      await this.#stored(this.#store.change((ranges) => ranges.filter((other) => other.id !== id)));
      this.#ranges.delete(id);
      this.#bytes.forget(id);
      this.#update(channelId);
      return true;
    });
  }

  /** Protected bytes of a volume, each segment once. */
  async bytesOn(volumeId: Guid): Promise<number> {
    let bytes = 0;
    for (const channelId of [...this.#times.channels()]) {
      bytes += (await this.#channelBytes(channelId)).get(volumeId) ?? 0;
    }
    return bytes;
  }

  #checkTimes({ fromUs, toUs }: Interval): void {
    if (fromUs >= toUs) throw new NvrdError("CONFLICT", "FromTime is not earlier than ToTime");
    if (toUs - fromUs > PROTECTED_DURATION_MAX_US) {
      throw new NvrdError("CONFLICT", "a protected time is 31 days long at the most: protect it in parts");
    }
    if (toUs > this.#options.clock.nowUs() + AHEAD_MAX_US) {
      throw new NvrdError("CONFLICT", "ToTime is in the future: only what is recorded can be protected");
    }
  }

  /** Protects first, so that retention deletes nothing meanwhile, then checks whether this is allowed. */
  async #protect(request: ProtectionRequest): Promise<ProtectedState> {
    if (this.#ranges.size >= PROTECTED_RANGES_MAX) {
      throw new NvrdError(
        "PROTECTED_FULL",
        `${PROTECTED_RANGES_MAX} times are protected, the most there may be`,
      );
    }
    const { channelId, fromUs, toUs, comment, userId, userName } = request;
    const createdUs = this.#options.clock.nowUs();
    const range = { id: newGuid(), channelId, fromUs, toUs, comment, userId, userName, createdUs };
    this.#ranges.set(range.id, range);
    this.#update(channelId);
    try {
      await this.#checkShare(channelId, await this.#rangeBytes(range));
      await this.#stored(this.#store.change((ranges) => [...ranges, range]));
      return { ...range, bytes: await this.#bytesOf(range) };
    } catch (error) {
      this.#ranges.delete(range.id);
      this.#bytes.forget(range.id);
      this.#update(channelId);
      throw error;
    }
  }

  /** Throws NvrdError PROTECTED_FULL when a volume that the new time is on holds more protected bytes than it may. */
  async #checkShare(channelId: Guid, added: VolumeBytes): Promise<void> {
    for (const volumeId of added.keys()) {
      const bytesMax = await this.#options.bytesMaxOf(volumeId);
      const bytes = await this.bytesOn(volumeId);
      if (bytesMax === undefined || bytes <= bytesMax) continue;
      throw new NvrdError(
        "PROTECTED_FULL",
        `with this time of channel ${channelId} ${bytes} bytes of a volume would be protected, ` +
          `${Math.floor(bytesMax)} are allowed`,
      );
    }
  }

  async #stored(saved: Promise<void>): Promise<void> {
    try {
      await saved;
    } catch (error) {
      this.#options.log.error(`protected times cannot be saved: ${errorText(error)}`);
      throw new NvrdError("NOT_AVAILABLE", "the protected times cannot be saved: check the system disk", {
        cause: error,
      });
    }
  }

  #join(ranges: readonly ProtectedRange[]): void {
    for (const range of ranges) this.#ranges.set(range.id, range);
    for (const channelId of new Set(ranges.map((range) => range.channelId))) this.#update(channelId);
  }

  /** Recordings belong to another camera now. */
  #regroup(): void {
    for (const channelId of [...this.#times.channels()]) this.#times.set(channelId, []);
    this.#bytes.forgetAll();
    this.#join([...this.#ranges.values()]);
    this.#store.regroup();
  }

  #isOf(range: ProtectedRange, channelId: Guid): boolean {
    return this.#given.ownerOf(range.channelId) === this.#given.ownerOf(channelId);
  }

  #family(channelId: Guid): readonly Guid[] {
    return this.#given.familyOf(this.#given.ownerOf(channelId));
  }

  async #bytesOf(range: ProtectedRange): Promise<number> {
    return totalOf(await this.#rangeBytes(range));
  }

  #rangeBytes(range: ProtectedRange): Promise<VolumeBytes> {
    return this.#bytes.of(range.id, this.#family(range.channelId), [
      { fromUs: range.fromUs, toUs: range.toUs },
    ]);
  }

  #channelBytes(channelId: Guid): Promise<VolumeBytes> {
    return this.#bytes.of(channelId, this.#family(channelId), this.#times.of(channelId));
  }

  #of(channelId: Guid): ProtectedRange[] {
    const ranges = [...this.#ranges.values()].filter((range) => this.#isOf(range, channelId));
    return ranges.sort((a, b) => a.fromUs - b.fromUs || a.createdUs - b.createdUs);
  }

  #update(channelId: Guid): void {
    const owner = this.#given.ownerOf(channelId);
    this.#times.set(owner, this.#of(owner));
    if (!this.has(owner)) this.#bytes.forget(owner);
  }

  /** Changes run one after the other, so that two cannot both use the last of the share. */
  async #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#changing.then(change);
    this.#changing = turn.catch(() => undefined); // reported by `turn` itself
    return await turn;
  }
}
