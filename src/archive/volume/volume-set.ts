import { resolve } from "node:path";
import {
  type Clock,
  type ClockTimer,
  endsWithin,
  errorText,
  type Guid,
  type Log,
  NvrdError,
} from "../../base/index.js";
import type { IdentifyRequest, IdentifyResult, VolumeReserve } from "../disk/volume-messages.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import type { VolumeChoice, WritingVolume } from "../write/volume-choice.js";
import { GivenUpVolumes } from "./given-up-volumes.js";
import { KnownVolumes } from "./known-volumes.js";
import { Volume, type VolumeOptions } from "./volume.js";
import { pickOverburdened, pickVolume } from "./volume-spread.js";
import { VolumeWatch, WATCH_INTERVAL_MS } from "./volume-watch.js";

/** Time between two attempts to take a volume that was refused or failed: twice as long each time, up to the longest. */
const RETRY_FIRST_MS = 1_000;
const RETRY_LONGEST_MS = 10_000;
/** A volume that held for so long before it failed is tried again soon. */
const STEADY_US = 60_000_000;
/** Volumes are evened out one stream at a time, and those at rest are looked at. */
const EVEN_INTERVAL_MS = 5_000;
/** Streams leave a retired volume with their next key frame; who gives it up waits so long for them. */
const LEAVING_US_MAX = 10_000_000;
const LEAVING_LOOK_MS = 100;
/** How long the start waits for the volumes by default; those that take longer join later. */
const START_WAIT_MS_DEFAULT = 3_000;

export interface VolumeSetOptions {
  readonly dataDir: string;
  readonly volumes: readonly {
    readonly path: string;
    readonly mount?: boolean;
    readonly standIn?: boolean;
    readonly reserve?: VolumeReserve;
  }[];
  /** Whether an empty directory may become a volume, and disks are tried by writing. */
  readonly mayInitialise: boolean;
  /** How long the start waits for the volumes; default 3 s. */
  readonly startWaitMs?: number | undefined;
  /** What every volume gets. */
  readonly volume: Omit<VolumeOptions, "directory" | "mustBeMounted">;
  /** Called each time a volume has been taken, before anything is written to it. */
  readonly onTaken: (volume: Volume, found: IdentifyResult) => void;
  readonly notice: ArchiveNoticeListener;
  readonly clock: Clock;
  readonly log: Log;
}

/** A volume that cannot be used now. */
export interface AbsentVolume {
  readonly directory: string;
  readonly reason: string;
}

/** The volumes of the archive: takes them at start, leaves out what fails, tries again, and gives each stream one. */
export class VolumeSet implements VolumeChoice {
  readonly #options: VolumeSetOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #known: KnownVolumes;
  readonly #volumes: Volume[];
  /** Directories that are recorded into only while no other volume can be. */
  readonly #standIns: ReadonlySet<string>;
  /** How much stays free, by directory. */
  readonly #reserves = new Map<string, VolumeReserve>();
  /** Which directories have to be mount points. */
  readonly #mounts: Map<string, boolean>;
  readonly #watch: VolumeWatch;
  readonly #givenUp: GivenUpVolumes;
  /** Streams on each volume. */
  readonly #streams = new Map<Guid, number>();
  readonly #retries = new Map<Volume, { timer: ClockTimer; delayMs: number }>();
  readonly #takenUs = new Map<Volume, number>();
  /** Tries to take a volume that are under way: one of each at a time. */
  readonly #takes = new Map<Volume, Promise<unknown>>();
  /** Those that are being looked at for the first time. */
  readonly #opening = new Set<Volume>();
  /** Ids of those that are being looked at, once they are known; undefined: refused. */
  readonly #identifying = new Map<Volume, Promise<Guid | undefined>>();
  #watchTimer: ClockTimer | undefined;
  #evenTimer: ClockTimer | undefined;
  #stopped = false;

  constructor(options: VolumeSetOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#mounts = new Map(options.volumes.map(({ path, mount }) => [resolve(path), mount === true]));
    this.#known = new KnownVolumes({ ...options, paths: [...this.#mounts.keys()] });
    this.#volumes = [...this.#mounts.keys()].map((directory) => this.#create(directory));
    this.#standIns = new Set(
      options.volumes.filter(({ standIn }) => standIn === true).map(({ path }) => resolve(path)),
    );
    for (const { path, reserve } of options.volumes)
      if (reserve !== undefined) this.#reserves.set(resolve(path), reserve);
    const isRetired = ({ directory }: Volume) => this.isRetiredAt(directory);
    this.#watch = new VolumeWatch({ ...options, volumes: this.#volumes, isRetired });
    this.#givenUp = new GivenUpVolumes({
      ...options,
      create: (directory) => this.#create(directory),
      requestFor: (directory) => this.#requestOfGivenUp(directory),
      onLeft: (directory) => this.#known.left(directory),
      onBack: (volume, found) => this.#comeBack(volume, found),
    });
  }

  get volumes(): readonly Volume[] {
    return this.#volumes;
  }

  /** Takes every volume; resolves when all are taken or refused, or after the wait of the options. */
  async start(): Promise<void> {
    this.#known.load();
    for (const volume of this.#volumes.filter(({ directory }) => this.#known.isGivenUp(directory))) {
      this.#volumes.splice(this.#volumes.indexOf(volume), 1);
      this.#givenUp.add(volume.directory);
    }
    this.#evenTimer = this.#clock.setInterval(() => this.#even(), EVEN_INTERVAL_MS);
    const { startWaitMs = START_WAIT_MS_DEFAULT } = this.#options;
    const all = Promise.all(this.#volumes.map((volume) => this.#open(volume)));
    await endsWithin(all, { clock: this.#clock, ms: startWaitMs });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#rest();
    this.#evenTimer?.clear();
    for (const { timer } of this.#retries.values()) timer.clear();
    await Promise.all([this.#givenUp.stop(), ...this.#volumes.map((volume) => volume.stop())]);
    await this.#known.saved();
  }

  /** As `Archive.isOpening`. */
  get isOpening(): boolean {
    return this.#opening.size > 0;
  }

  /** The volumes that are left out. */
  absent(): AbsentVolume[] {
    return this.#volumes
      .filter((volume) => !volume.usable)
      .map((volume) => ({
        directory: volume.directory,
        reason: this.#watch.reasonOf(volume) ?? "it does not answer",
      }));
  }

  /** Ids of all volumes that belong to this recorder, including absent ones. */
  knownIds(): readonly Guid[] {
    return this.#known.ids();
  }

  get(volumeId: Guid): Volume | undefined {
    return this.#volumes.find((volume) => volume.isIdentified && volume.id === volumeId);
  }

  /** Those that streams may go to; stand-ins are not among them. */
  recordedOnto(): readonly Volume[] {
    const isTaking = ({ directory }: Volume) =>
      !this.#standIns.has(directory) && !this.isRetiredAt(directory);
    return this.#volumes.filter((volume) => volume.usable && isTaking(volume));
  }

  take(avoid?: Guid): WritingVolume | undefined {
    if (this.#stopped) return undefined;
    const best = pickVolume(this.#candidates(), avoid);
    if (best === undefined) return undefined;
    this.#streams.set(best.id, best.streams + 1);
    this.#watchClosely();
    return { id: best.id, writer: best.writer };
  }

  giveBack({ id }: WritingVolume): void {
    this.#streams.set(id, Math.max(0, (this.#streams.get(id) ?? 0) - 1));
  }

  /** Whether nothing new is recorded onto the volume. */
  isRetired(volumeId: Guid): boolean {
    return this.#known.isRetired(volumeId);
  }

  /** The same of the volume that belongs at a directory, present or not. */
  isRetiredAt(directory: string): boolean {
    return this.#known.at(directory)?.retired === true;
  }

  /** Since when nothing new is recorded onto the volume at a directory; undefined if it is, or that is not known. */
  retiredSinceUs(directory: string): number | undefined {
    return this.#known.at(directory)?.retiredUs;
  }

  /** The id of the volume that belongs at a directory; undefined if none was opened yet. */
  knownAt(directory: string): Guid | undefined {
    return this.#known.at(directory)?.id;
  }

  /**
   * A disk that came after the start: its directory joins the volumes. Resolves when it is taken or left out; a directory
   * that is one of them already stays as it is.
   */
  async add({ path, mount, reserve }: Omit<VolumeSetOptions["volumes"][number], "standIn">): Promise<void> {
    const directory = resolve(path);
    if (this.#stopped || this.#volumes.some((known) => known.directory === directory)) return;
    if (reserve !== undefined) this.#reserves.set(directory, reserve);
    this.#mounts.set(directory, mount === true);
    if (this.#known.isGivenUp(directory)) {
      this.#givenUp.add(directory);
      return await this.#givenUp.look(directory);
    }
    const volume = this.#create(directory);
    this.#volumes.push(volume);
    await this.#open(volume);
  }

  /**
   * Records nothing new onto the volume at the path, or again; what it holds stays and is played. Its streams go on elsewhere
   * with their next key frames. Rejects with NOT_FOUND, and with CONFLICT when there is no other volume to record onto.
   */
  async retire(path: string, retired: boolean): Promise<void> {
    const volume = this.#at(path);
    if (
      retired &&
      !this.#candidatesAmong(() => true).some(({ id }) => !volume.isIdentified || id !== volume.id)
    )
      throw new NvrdError("CONFLICT", `${volume.directory} is the only volume that can be recorded onto`, {
        hint: "add another disk first",
      });
    if (this.#known.at(volume.directory) === undefined)
      throw new NvrdError("CONFLICT", `${volume.directory}: no volume was taken there yet`, {
        hint: "adopt it, or give it up",
      });
    await this.#known.retire(volume.directory, retired ? this.#clock.nowUs() : undefined);
    if (retired) volume.writer?.sendAllAway();
  }

  /**
   * Gives up the volume at the path: what it holds is no part of the archive any more; its files stay on the disk. It is used again
   * when it was away and comes back, or is adopted.
   * Of a retired one, the streams that leave with their next key frame are waited for, 10 s. Rejects with NOT_FOUND, and with
   * CONFLICT while streams are recorded onto it.
   */
  async forget(path: string): Promise<Guid | undefined> {
    const volume = this.#at(path);
    for (let take = this.#takes.get(volume); take !== undefined; take = this.#takes.get(volume)) await take;
    const known = this.#known.at(volume.directory);
    await this.#streamsLeft(volume);
    this.#retries.get(volume)?.timer.clear();
    this.#retries.delete(volume);
    this.#volumes.splice(this.#volumes.indexOf(volume), 1);
    this.#watch.forget(volume);
    await this.#known.forget(volume.directory);
    await volume.stop();
    if (this.#known.isGivenUp(volume.directory)) this.#givenUp.add(volume.directory);
    return known?.id;
  }

  /** A path whose volume was given up is one of a volume again, so that it can be adopted; any other path stays as it is. */
  async readmit(path: string): Promise<void> {
    const volume = await this.#givenUp.release(resolve(path));
    if (volume !== undefined) this.#volumes.push(volume);
  }

  /** Paths where volumes lie that were given up and have not been away since. */
  forgottenAt(): readonly string[] {
    return this.#known.forgottenAt();
  }

  /** The disk of a path is away: the volume that was given up there is taken again when it comes back. */
  async left(path: string): Promise<void> {
    await this.#known.left(resolve(path));
  }

  async #streamsLeft(volume: Volume): Promise<void> {
    const isBusy = (): boolean => (volume.writer?.streams ?? 0) > 0;
    const { directory } = volume;
    if (isBusy() && !this.isRetiredAt(directory))
      throw new NvrdError("CONFLICT", `${directory} is being recorded onto`, { hint: "retire it first" });
    const untilUs = this.#clock.monotonicUs() + LEAVING_US_MAX;
    while (isBusy() && this.#clock.monotonicUs() < untilUs)
      await new Promise((done) => this.#clock.setTimeout(() => done(undefined), LEAVING_LOOK_MS));
    if (isBusy())
      throw new NvrdError("CONFLICT", `${directory}: its last cameras are still going to another volume`, {
        hint: "try again in some seconds",
      });
  }

  /**
   * Takes whichever volume lies at the path from now on, or makes one when it is empty. Rejects with NOT_FOUND for a path that
   * is not in the settings, CONFLICT while the volume there is in use, and with what taking it rejects with.
   */
  async adopt(path: string): Promise<Guid> {
    await this.readmit(path);
    const volume = this.#at(path);
    const { directory } = volume;
    // A try under way began before it was said that whatever lies there may be taken.
    for (let take = this.#takes.get(volume); take !== undefined; take = this.#takes.get(volume)) await take;
    if (volume.writer !== undefined)
      throw new NvrdError("CONFLICT", `${directory} is in use: volume ${volume.id} belongs there`);
    this.#retries.get(volume)?.timer.clear();
    const refusal = await this.#take(volume, () => this.#known.adopt(directory));
    if (refusal !== undefined) throw refusal;
    return volume.id;
  }

  #at(path: string): Volume {
    const directory = resolve(path);
    const volume = this.#volumes.find((known) => known.directory === directory);
    if (volume === undefined)
      throw new NvrdError("NOT_FOUND", `${directory} is not among the volumes of the settings`);
    return volume;
  }

  #even(): void {
    if (this.#watchTimer === undefined) this.#look();
    pickOverburdened(this.#candidates())?.writer.sendOneAway();
  }

  #look(): void {
    this.#watch.look();
    if (this.#volumes.every((volume) => volume.isAtRest)) this.#rest();
    else this.#watchClosely();
  }

  /** Until nothing is written any more, and every disk answers. */
  #watchClosely(): void {
    this.#watchTimer ??= this.#clock.setInterval(() => this.#look(), WATCH_INTERVAL_MS);
  }

  #rest(): void {
    this.#watchTimer?.clear();
    this.#watchTimer = undefined;
  }

  #create(directory: string): Volume {
    const mustBeMounted = this.#mounts.get(directory) === true;
    const volume = new Volume({ ...this.#options.volume, directory, mustBeMounted });
    volume.onFailure((reason) => this.#onFailure(volume, reason));
    return volume;
  }

  #candidates() {
    const regular = this.#candidatesAmong(({ directory }) => !this.#standIns.has(directory));
    return regular.length > 0 || this.#standIns.size === 0 ? regular : this.#candidatesAmong(() => true);
  }

  #candidatesAmong(isAmong: (volume: Volume) => boolean) {
    return this.#volumes.filter(isAmong).flatMap((volume) => {
      if (volume.isIdentified && this.#known.isRetired(volume.id)) return [];
      const streams = volume.isIdentified ? (this.#streams.get(volume.id) ?? 0) : 0;
      return volume.candidate(streams) ?? [];
    });
  }

  async #open(volume: Volume): Promise<void> {
    this.#opening.add(volume);
    await this.#take(volume);
    this.#opening.delete(volume);
  }

  /** Takes the volume after `prepare`; resolves with why it was refused. */
  #take(volume: Volume, prepare?: () => Promise<void>): Promise<unknown> {
    const take = this.#tryToTake(volume, prepare).finally(() => this.#takes.delete(volume));
    this.#takes.set(volume, take);
    return take;
  }

  async #tryToTake(volume: Volume, prepare?: () => Promise<void>): Promise<unknown> {
    try {
      await prepare?.();
      await this.#takeNow(volume);
      return undefined;
    } catch (error) {
      this.#onRefused(volume, error);
      return error;
    }
  }

  async #takeNow(volume: Volume): Promise<void> {
    const found = await this.#identified(volume);
    if (this.#stopped) {
      await volume.stop();
      return;
    }
    await this.#use(volume, found);
  }

  /** Starts a volume. One that belongs at another path waits until that is looked at: the same volume there goes before it. */
  async #identified(volume: Volume): Promise<IdentifyResult> {
    const starting = this.#requestFor(volume).then((request) => volume.start(request));
    const id = starting.then(
      ({ volumeId }) => volumeId,
      () => undefined,
    );
    this.#identifying.set(volume, id);
    const found = await starting.finally(() => this.#identifying.delete(volume));
    const home = this.#volumes.find(({ directory }) => this.#known.at(directory)?.id === found.volumeId);
    if (home === undefined || home === volume || (await this.#identifying.get(home)) !== found.volumeId)
      return found;
    await volume.stop();
    throw copyOf(volume, home);
  }

  async #use(volume: Volume, found: IdentifyResult): Promise<void> {
    const { directory } = volume;
    const twin = this.#volumes.find(
      (other) => other !== volume && other.writer !== undefined && other.id === found.volumeId,
    );
    if (twin !== undefined) {
      await volume.stop();
      throw copyOf(volume, twin);
    }
    this.#log.info({ directory, volume: found.volumeId, fresh: found.created }, "volume taken");
    if (found.identityWasLost)
      this.#log.warn({ directory, volume: found.volumeId }, "volume.json was damaged or gone: written again");
    this.#takenUs.set(volume, this.#clock.monotonicUs());
    this.#options.onTaken(volume, found);
    this.#watch.taken(volume);
    if (this.#standIns.size > 0 && !this.#standIns.has(directory)) this.#relieveStandIns();
    await this.#known.remember(directory, { id: found.volumeId, mounted: found.mounted });
  }

  async #comeBack(volume: Volume, found: IdentifyResult): Promise<void> {
    this.#volumes.push(volume);
    try {
      await this.#use(volume, found);
    } catch (error) {
      this.#onRefused(volume, error);
    }
  }

  /** A volume of its own has come: the streams go to it with their next key frames. */
  #relieveStandIns(): void {
    if (!this.#candidatesAmong(({ directory }) => !this.#standIns.has(directory)).length) return;
    for (const volume of this.#volumes)
      if (this.#standIns.has(volume.directory)) volume.writer?.sendAllAway();
  }

  async #requestFor(volume: Volume): Promise<IdentifyRequest> {
    const { directory, mustBeMounted } = volume;
    const { mayInitialise } = this.#options;
    const known = this.#known.at(directory);
    return {
      knownId: known?.id,
      freshId: mayInitialise && known === undefined ? await this.#known.idToMake(directory) : undefined,
      ownIds: this.#known.ids(),
      returningIds: this.#known.returningIds(),
      givenUpIds: this.#known.givenUpIds(),
      takesUnknown: this.#known.isAdopting(directory),
      mustBeMounted,
      wasMounted: this.#known.wasMounted(directory),
      reserve: this.#reserves.get(directory),
      probes: mayInitialise,
      nowUs: this.#clock.nowUs(),
    };
  }

  /** Nothing is made there, and nothing unknown is taken. */
  #requestOfGivenUp(directory: string): IdentifyRequest {
    return {
      ...{ knownId: undefined, freshId: undefined, takesUnknown: false },
      ...{ ownIds: this.#known.ids(), returningIds: this.#known.returningIds() },
      givenUpIds: this.#known.givenUpIds(),
      mustBeMounted: this.#mounts.get(directory) === true,
      wasMounted: this.#known.wasMounted(directory),
      probes: this.#options.mayInitialise,
      nowUs: this.#clock.nowUs(),
    };
  }

  #onRefused(volume: Volume, error: unknown): void {
    this.#watch.lost(volume, errorText(error), error instanceof NvrdError ? error.hint : "");
    this.#retryLater(volume);
  }

  #onFailure(volume: Volume, reason: string): void {
    const lastedUs = this.#clock.monotonicUs() - (this.#takenUs.get(volume) ?? 0);
    if (lastedUs > STEADY_US) this.#retries.delete(volume);
    this.#watch.lost(volume, reason);
    this.#retryLater(volume);
  }

  #retryLater(volume: Volume): void {
    if (this.#stopped || !this.#volumes.includes(volume)) return;
    const last = this.#retries.get(volume);
    last?.timer.clear();
    const delayMs = last === undefined ? RETRY_FIRST_MS : Math.min(last.delayMs * 2, RETRY_LONGEST_MS);
    const timer = this.#clock.setTimeout(() => void this.#take(volume), delayMs);
    this.#retries.set(volume, { timer, delayMs });
  }
}

function copyOf(volume: Volume, original: Volume): NvrdError {
  return new NvrdError("VOLUME_REFUSED", `${volume.directory} is a copy of volume ${original.directory}`);
}
