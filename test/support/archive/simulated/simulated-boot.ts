import { Archive } from "../../../../src/archive/archive.js";
import { VolumeMoves } from "../../../../src/archive/move/volume-moves.js";
import { IndexUpkeep } from "../../../../src/archive/repair/index-upkeep.js";
import { Retention } from "../../../../src/archive/retention/retention.js";
import { RetentionClock } from "../../../../src/archive/retention/retention-clock.js";
import {
  openSegmentPath,
  type SegmentFile,
  segmentPath,
} from "../../../../src/archive/segment/segment-summary.js";
import { movingRoom } from "../../../../src/archive/segment/volume-room.js";
import type { SeededRandom } from "../../base/seeded-random.js";
import { SimulatedClock } from "../../base/simulated-clock.js";
import { SILENT_LOG } from "../archive-fixture.js";
import { PowerSupply } from "../power-supply.js";
import type { FaultDisk } from "./fault-disk.js";
import type { IndexImage } from "./simulated-database.js";
import { SimulatedIndex } from "./simulated-index.js";
import type { SimulatedRules } from "./simulated-rules.js";
import { SimulatedThreads } from "./simulated-threads.js";

const NO_SPACE = { totalBytes: 0, freeBytes: 0 };

/** What of a machine lasts from boot to boot. */
export interface Machine {
  readonly disks: ReadonlyMap<string, FaultDisk>;
  readonly image: IndexImage;
  readonly dataDir: string;
  readonly nowUs: number;
}

export interface SimulatedBootOptions {
  readonly machine: Machine;
  readonly random: SeededRandom;
  readonly rules: SimulatedRules;
  readonly heldBytesMax: number;
  readonly segmentSeconds: number;
  /** Calls on the disks after which the power or the process goes. */
  readonly cutAfter: number;
}

/** One run of the service, from a start to its end, put together as `ArchiveService` does. */
export class SimulatedBoot {
  readonly archive: Archive;
  readonly clock: SimulatedClock;
  readonly threads: SimulatedThreads;
  readonly index: SimulatedIndex;
  readonly retention: Retention;
  readonly moves: VolumeMoves;
  readonly supply = new PowerSupply();
  readonly disks: ReadonlyMap<string, FaultDisk>;
  readonly #upkeep: IndexUpkeep;
  #keepingUp: Promise<void> = Promise.resolve();

  constructor(options: SimulatedBootOptions) {
    const { machine, random, rules, heldBytesMax, segmentSeconds, cutAfter } = options;
    const { dataDir, image, nowUs } = machine;
    const { supply } = this;
    supply.cutAt = cutAfter;
    const clock = new SimulatedClock(nowUs);
    const disks = new Map([...machine.disks].map(([root, disk]) => [root, disk.afterKill({ supply })]));
    const threads = new SimulatedThreads({
      random: random.fork(),
      clock,
      diskOf: (directory) => diskAt(disks, directory).disk,
      isOff: () => supply.isOff,
    });
    const index = new SimulatedIndex({
      ...{ clock, random: random.fork(), image, onRemove: rules.onRemove },
      knownVolumeIds: () => archive.knownVolumeIds(),
    });
    const archive = new Archive({
      dataDir,
      volumes: [...disks.keys()].map((path) => ({ path })),
      index,
      clock,
      log: SILENT_LOG,
      segmentSeconds,
      heldBytesMax,
      startThread: threads.start,
      isReadIn: (volumeId) => this.#upkeep.isReadIn(volumeId),
    });
    this.#upkeep = new IndexUpkeep({ index, volumes: () => archive.volumeAccess(), clock, log: SILENT_LOG });
    const retention = new Retention({
      index,
      volumes: () => archive.volumeAccess(),
      useOf: ({ id }, space) => ({ quota: rules.quota, usedBytes: index.volumeBytes(id), space }),
      daysOf: rules.daysOf,
      protectedUntil: rules.protectedUntil,
      days: new RetentionClock({
        dataDir,
        clock,
        clockKnown: () => true,
        newestUs: () => undefined,
        log: SILENT_LOG,
      }),
      notice: () => undefined, // what it says is tested elsewhere
      clock,
      log: SILENT_LOG,
    });
    this.moves = new VolumeMoves({
      ...{ dataDir, index, clock, log: SILENT_LOG },
      bootTimes: archive.archiveClock.bootTimes,
      protection: { channels: () => [], ranges: () => [] },
      volumes: () => archive.volumeAccess(),
      targets: () => archive.recordedOnto(),
      volumeIdAt: (directory) => archive.volumeIdAt(directory),
      roomOn: async ({ id }) =>
        movingRoom({
          quota: rules.quota,
          usedBytes: index.volumeBytes(id),
          space:
            (await archive
              .volumeAccess()
              .find((volume) => volume.id === id)
              ?.space()) ?? NO_SPACE,
        }),
      isRetired: (id) => archive.isRetired(id),
    });
    this.archive = archive;
    this.clock = clock;
    this.threads = threads;
    this.index = index;
    this.retention = retention;
    this.disks = disks;
  }

  /** Takes the volumes; when the index is open, what it lacks is read in the background. */
  async start(): Promise<void> {
    this.index.start();
    await this.archive.start();
    this.#keepingUp = this.#keepUp();
    this.#keepingUp.catch(() => undefined); // reported where it is awaited
  }

  async #keepUp(): Promise<void> {
    await this.index.ready();
    this.#upkeep.start();
  }

  /** Resolves when what a crash left open, and what the index had lost, is taken in. */
  async recovered(): Promise<void> {
    await this.archive.recovered();
    await this.#keepingUp;
    await this.#upkeep.idle();
    this.moves.load();
  }

  /** Ends it as an administrator does. */
  async stop(): Promise<void> {
    const upkeepEnds = this.#upkeep.stop();
    await this.moves.stop();
    await this.retention.stop();
    await this.archive.stop();
    await upkeepEnds;
    await this.index.stop();
  }
}

/** Whether a segment's file is on one of the disks; no call on them. */
export function hasSegmentFile(disks: ReadonlyMap<string, FaultDisk>, segment: SegmentFile): boolean {
  const paths = [segmentPath(segment), openSegmentPath(segment)];
  return [...disks].some(([root, disk]) => paths.some((path) => disk.has(`${root}/${path}`)));
}

export function diskAt(disks: ReadonlyMap<string, FaultDisk>, directory: string): FaultDisk {
  const disk = disks.get(directory);
  if (disk === undefined) throw new Error(`no disk at ${directory}`);
  return disk;
}
