import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SegmentReads } from "../../../src/archive/disk/segment-reads.js";
import type { DayFiles, DayList } from "../../../src/archive/disk/volume-messages.js";
import { MOVE_FILE } from "../../../src/archive/move/move-journal.js";
import { HELD_BYTES_MAX_DEFAULT } from "../../../src/archive/write/held-frames.js";
import { streamKeyText } from "../../../src/base/index.js";
import { PATIENCE_MS } from "../base/patience.js";
import { SeededRandom } from "../base/seeded-random.js";
import { SIMULATED_START_US } from "../base/simulated-clock.js";
import { archiveProblems } from "./archive-invariants.js";
import { ArchiveWitness, LOST_US_MAX, type ReadFrame } from "./archive-witness.js";
import { FaultDisk, type FaultDiskOptions } from "./simulated/fault-disk.js";
import { diskAt, hasSegmentFile, type Machine, SimulatedBoot } from "./simulated/simulated-boot.js";
import { CAMERA_SHAPES, SimulatedCamera } from "./simulated/simulated-camera.js";
import { type IndexImage, LOST_INDEX } from "./simulated/simulated-database.js";
import { SimulatedIndex } from "./simulated/simulated-index.js";
import { SimulatedRules } from "./simulated/simulated-rules.js";
import { readInto, SimulatedViewer } from "./simulated/simulated-viewer.js";

const STEP_US = 100_000;
const SECOND_US = 1_000_000;
const SEGMENT_SECONDS = 3;
/** Most simulated time that anything waited for may take. */
const WAIT_US_MAX = 60 * SECOND_US;
const PAUSES_MAX = 1000;
const REMOVALS_MAX = 20;
const INDEX_LOST_SHARE = 0.06;
const INDEX_OLD_SHARE = 0.15;
/** Turns of the event loop that a start may take at full speed: what it asks of the machine's own file system takes real time. */
const QUICK_TURNS = 1000;

export interface SimulationOptions {
  readonly seed: number;
  readonly volumes: number;
  readonly quotaBytes: number;
  /** Most bytes of frames that wait for one volume; default so many that nothing is thinned. */
  readonly heldBytesMax?: number;
  /** Share of power cuts by which the index falls back to an older state; default 0.15. */
  readonly oldIndexShare?: number;
  /** Wanted length of a segment; default 3. */
  readonly segmentSeconds?: number;
  readonly disk: Omit<FaultDiskOptions, "root" | "random" | "supply">;
}

/**
 * A recorder's life in simulated time: the real archive on disks that lose what was not synced, cameras, viewers,
 * retention, and a crash at any call on a disk. After each one it starts again, and the witness is asked.
 */
export class ArchiveSimulation {
  readonly random: SeededRandom;
  readonly cameras: readonly SimulatedCamera[];
  readonly witness: ArchiveWitness;
  readonly #options: SimulationOptions;
  readonly #scratch = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "nvrd-simulation-"));
  #machine: Machine;
  readonly #rules: SimulatedRules;
  #boot: SimulatedBoot | undefined;
  /** Frames sent before it are there, unless excused. */
  #keptUntilUs = SIMULATED_START_US;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.random = new SeededRandom(options.seed);
    this.cameras = CAMERA_SHAPES.map((shape) => new SimulatedCamera(shape, this.random.fork()));
    this.witness = new ArchiveWitness(this.cameras);
    this.#rules = new SimulatedRules({ ...options, cameras: this.cameras, random: this.random.fork() });
    const roots = Array.from({ length: options.volumes }, (_, at) => `/simulated/${at}`);
    const disks = roots.map((root) => {
      return [root, new FaultDisk({ ...options.disk, root, random: this.random.fork() })] as const;
    });
    this.#machine = {
      disks: new Map(disks),
      image: LOST_INDEX,
      dataDir: this.#dataDirFrom(undefined),
      nowUs: SIMULATED_START_US,
    };
  }

  /** The boot under way. Throws while there is none. */
  get boot(): SimulatedBoot {
    if (this.#boot === undefined) throw new Error("the simulated service does not run");
    return this.#boot;
  }

  get nowUs(): number {
    return this.boot.clock.nowUs();
  }

  /** Directories of the volumes. */
  get roots(): readonly string[] {
    return [...this.#machine.disks.keys()];
  }

  /** Streams that are being recorded onto a volume now. */
  streamsOn(root: string): string[] {
    const { archive } = this.boot;
    const { streams, volumes } = archive.overload();
    const volume = volumes.find(({ directory }) => directory === root);
    if (volume?.volumeId === undefined) return [];
    return streams
      .filter(({ volumeId }) => volumeId === volume.volumeId)
      .map(({ key }) => streamKeyText(key));
  }

  /** Called within each step of a recording, before and after the threads have answered. */
  onStep: () => void = () => undefined;

  /** Files that nobody has closed. */
  get openFiles(): number {
    return [...this.#machine.disks.values()].reduce((sum, disk) => sum + disk.openFiles, 0);
  }

  /** Removes the few files the simulation keeps on the machine's own disk. */
  async remove(): Promise<void> {
    // What the last boot was still saving when it crashed may come in between.
    await rm(this.#scratch, { recursive: true, force: true, maxRetries: REMOVALS_MAX });
  }

  /** Starts the service; `cutAfter` calls on the disks the power or the process goes. False when that was before it ran. */
  async start(cutAfter = Number.POSITIVE_INFINITY): Promise<boolean> {
    const boot = new SimulatedBoot({
      machine: this.#machine,
      random: this.random,
      rules: this.#rules,
      heldBytesMax: this.#options.heldBytesMax ?? HELD_BYTES_MAX_DEFAULT,
      segmentSeconds: this.#options.segmentSeconds ?? SEGMENT_SECONDS,
      cutAfter,
    });
    this.#machine = { ...this.#machine, disks: boot.disks };
    this.#boot = boot;
    return this.#started(boot.start());
  }

  /** Everything a crash left open is taken in; the index and the disks are compared with what was promised. */
  async recover(): Promise<boolean> {
    const { boot } = this;
    if (!(await this.#wait(boot.recovered()))) return false;
    return this.#wait(boot.retention.turn());
  }

  /** Records for so long, or until the cut. `isWatched`: a viewer follows each stream at the live edge. */
  async record(durationUs: number, isWatched = false): Promise<boolean> {
    const { archive, clock, supply, threads } = this.boot;
    for (const camera of this.cameras) camera.connect(clock.nowUs());
    const viewers = isWatched
      ? this.cameras.map((camera) => new SimulatedViewer({ archive, clock, camera, onFailure: this.#fail }))
      : [];
    const endUs = clock.monotonicUs() + durationUs;
    while (clock.monotonicUs() < endUs && !supply.isOff) {
      clock.advance(STEP_US);
      for (const camera of this.cameras) camera.send(archive.writer(camera.key), clock.nowUs());
      this.onStep(); // a stream may come to a volume on its tick and leave with the thread's answer
      await threads.settle();
      this.onStep();
      if (clock.monotonicUs() % SECOND_US === 0) this.#noteShown();
    }
    const problems = viewers.flatMap((viewer) => viewer.problems);
    for (const viewer of viewers) viewer.close();
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return !supply.isOff;
  }

  /** The power goes, or only the process. */
  crash(kind: "cut" | "kill"): void {
    const { clock, index, supply, threads } = this.boot;
    supply.cutAt = -1;
    this.#noteStrays();
    this.witness.noteRemoved(index.removed);
    this.witness.noteSynced(threads.syncedBytes);
    this.#noteLasting(clock.nowUs() - LOST_US_MAX);
    this.#keptUntilUs = Math.max(this.#keptUntilUs, clock.nowUs() - LOST_US_MAX);
    this.witness.excuse(clock.nowUs() - LOST_US_MAX, clock.nowUs() + STEP_US);
    const disks = new Map(
      [...this.#machine.disks].map(([root, disk]) => [root, kind === "cut" ? disk.afterPowerCut() : disk]),
    );
    const image = kind === "cut" ? this.#imageAfterCut(index) : index.durable;
    // What is to be unlinked is known to the index alone: where it forgets that, files that are still there come back.
    const leaving = SimulatedIndex.leaving(image);
    if (image !== index.durable)
      this.witness.forgetRemovals(
        (segment) => !leaving.has(segment.segmentId) && hasSegmentFile(disks, segment),
      );
    this.#machine = {
      disks,
      image,
      dataDir: this.#dataDirFrom(this.#machine.dataDir),
      nowUs: clock.nowUs() + this.random.between(1, 30) * SECOND_US,
    };
    this.#boot = undefined;
  }

  /** The index lasts, is lost, or falls back to what it was. */
  #imageAfterCut(index: SimulatedIndex): IndexImage {
    const fate = this.random.next();
    if (fate < INDEX_LOST_SHARE) return LOST_INDEX;
    return fate < INDEX_LOST_SHARE + (this.#options.oldIndexShare ?? INDEX_OLD_SHARE)
      ? index.older(this.random)
      : index.durable;
  }

  #noteStrays(): void {
    for (const [root, { strays }] of this.#machine.disks)
      if (strays.length > 0) this.#fail(new Error(`${root}: made in the mount point: ${strays}`));
    for (const problem of this.#rules.problems) this.#fail(new Error(problem));
  }

  /** Ends the service as an administrator does. */
  async stop(): Promise<void> {
    const { clock, index, threads } = this.boot;
    const nowUs = clock.nowUs();
    await this.#wait(this.boot.stop());
    this.#noteStrays();
    this.witness.noteRemoved(index.removed);
    this.witness.noteSynced(threads.syncedBytes);
    this.#keptUntilUs = nowUs;
    this.#machine = { ...this.#machine, image: index.durable, nowUs: nowUs + 10 * SECOND_US };
    this.#boot = undefined;
  }

  /** Lets time pass, recording nothing, until it holds; false when the cut came first. */
  async until(isTrue: () => boolean): Promise<boolean> {
    const { clock, supply, threads } = this.boot;
    const deadline = performance.now() + PATIENCE_MS;
    while (!isTrue() && !supply.isOff) {
      if (performance.now() > deadline) throw new Error("what was waited for did not come");
      clock.advance(STEP_US / 10);
      await threads.settle();
    }
    return !supply.isOff;
  }

  /** What is wrong, with nothing being recorded. */
  async problems(): Promise<string[]> {
    const { archive, index } = this.boot;
    this.witness.noteRemoved(index.removed);
    const summaries = index.durableSummaries;
    const problems = [
      ...archiveProblems({
        volumePaths: [...this.#machine.disks.keys()],
        summaries,
        diskOf: (path) => diskAt(this.#machine.disks, path).disk,
        shortened: this.witness.shortened,
        mayMiss: (fromUs, toUs) => this.witness.mayMiss(fromUs, toUs),
      }),
      ...this.witness.segmentProblems(summaries),
    ];
    for (const camera of this.cameras) {
      problems.push(...this.witness.fragmentProblems(camera, archive.fragments(camera.key, 0, 2 ** 52)));
      problems.push(...this.witness.frameProblems(camera, await this.#readAll(camera), this.#keptUntilUs));
    }
    return problems;
  }

  /** Somebody protects what was recorded of late. */
  protectSome(): void {
    this.#rules.protectSome(this.nowUs);
  }

  /** Paths of the segment files on a disk that are closed, copies that are not in their place included. */
  segmentFilesOn(root: string): string[] {
    const reads = new SegmentReads(this.diskAt(root).disk, root);
    const { days } = reads.handle({ op: "list-days" }) as DayList;
    const placed = days.flatMap((day) =>
      (reads.handle({ op: "list-day", path: day }) as DayFiles).names.map((name) => `${day}/${name}`),
    );
    return [...placed, ...(reads.handle({ op: "list-copies" }) as string[])];
  }

  /** The disk under a volume. */
  diskAt(root: string): FaultDisk {
    return diskAt(this.#machine.disks, root);
  }

  /** Waits for a start, which asks the disks and the machine's own file system and needs no time to pass. */
  async #started(starting: Promise<void>): Promise<boolean> {
    const { supply, threads } = this.boot;
    let isDone = false;
    starting.then(() => {
      isDone = true;
    }, this.#fail);
    const deadline = performance.now() + PATIENCE_MS;
    for (let turn = 0; !isDone && !supply.isOff; turn++) {
      await threads.settle();
      if (turn > QUICK_TURNS) await this.#pause();
      if (performance.now() > deadline) throw new Error("the archive does not start");
    }
    return !supply.isOff;
  }

  /** Lets time pass until the work is done; false when the cut came first. */
  async #wait(work: Promise<unknown>): Promise<boolean> {
    const { clock, supply, threads } = this.boot;
    let isDone = false;
    work.then(() => {
      isDone = true;
    }, this.#fail);
    await threads.settle();
    for (let waitedUs = 0; !isDone && !supply.isOff; waitedUs += STEP_US / 10) {
      if (waitedUs > WAIT_US_MAX) await this.#pause();
      else clock.advance(STEP_US / 10);
      if (waitedUs > WAIT_US_MAX + PAUSES_MAX * STEP_US) throw new Error("what was waited for did not come");
      await threads.settle();
    }
    return !supply.isOff;
  }

  /** The few files on the machine's own disk take real time. */
  #pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 5));
  }

  #failure: unknown;
  readonly #fail = (error: unknown): void => {
    this.#failure ??= error;
  };

  /** An error that came where nobody waited for it. */
  get failure(): unknown {
    return this.#failure;
  }

  async #readAll(camera: SimulatedCamera): Promise<ReadFrame[]> {
    const { archive, threads } = this.boot;
    const frames: ReadFrame[] = [];
    const reader = readInto(frames, archive.read(camera.key, { fromUs: 0 }), this.#fail);
    await threads.settle();
    reader.close();
    await threads.settle();
    return frames;
  }

  #shown: { readonly atUs: number; readonly show: () => void }[] = [];

  #noteShown(): void {
    const { archive, clock } = this.boot;
    const shown = this.cameras.map((camera) => {
      return [streamKeyText(camera.key), archive.fragments(camera.key, 0, 2 ** 52)] as const;
    });
    const show = () => {
      for (const [stream, fragments] of shown) this.witness.noteShown(stream, fragments);
    };
    this.#shown.push({ atUs: clock.nowUs(), show });
    if (this.#shown.length > 4) this.#shown.shift()?.show();
  }

  /** What was shown before `beforeUs` lasts. */
  #noteLasting(beforeUs: number): void {
    for (const { atUs, show } of this.#shown) if (atUs <= beforeUs) show();
    this.#shown = [];
  }

  /** The data directory of the next boot: what the last one saved, or nothing of the times it kept. */
  #dataDirFrom(before: string | undefined): string {
    const dataDir = join(this.#scratch, randomUUID());
    mkdirSync(dataDir);
    const isLost = this.random.chance(0.2);
    for (const name of ["volumes.json", "volumes.json.copy", "archive.json", "retention.json", MOVE_FILE]) {
      const file = before === undefined ? "" : join(before, name);
      if (existsSync(file) && !(isLost && name === "archive.json")) copyFileSync(file, join(dataDir, name));
    }
    return dataDir;
  }
}
