import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { realDisk } from "../../../src/archive/disk/disk.js";
import { loadNativeDisk } from "../../../src/archive/disk/native-disk.js";
import {
  Archive,
  type ArchiveNotice,
  type ArchiveReader,
  LmdbSegmentIndex,
  newestRecordedUs,
  RecorderClock,
  Redating,
  rebuildIndex,
  type SegmentSummary,
} from "../../../src/archive/index.js";
import { type ClockTrust, newGuid, type StreamKey } from "../../../src/base/index.js";
import { StreamClock, type TrackClock } from "../../../src/live/index.js";
import { SeededRandom } from "../base/seeded-random.js";
import { SIMULATED_START_US, SimulatedClock } from "../base/simulated-clock.js";
import { append, newStreamKey, SILENT_LOG } from "./archive-fixture.js";
import { archiveProblems } from "./archive-invariants.js";
import { SimulatedThreads } from "./simulated/simulated-threads.js";

export const SECOND_US = 1_000_000;
const STEP_US = 200_000;
const FRAME_US = 500_000;
const GOP_FRAMES = 4;
const FRAME_BYTES = 64;
/** No clock stands before this in these tests: a year before their time. */
export const FLOOR_US = SIMULATED_START_US - 365 * 86_400 * SECOND_US;
/** What a process takes to end and another to begin. */
const RESTART_US = 1_000_000;
const TURNS_MAX = 20_000;

/** A frame read back: when it was really taken, and how it is dated. */
export interface DatedFrame {
  readonly trueUs: number;
  readonly datedUs: number;
  readonly startsFragment: boolean;
}

/** A machine's clocks as one process sees them: the monotonic one counts from the boot. */
class MachineClock extends SimulatedClock {
  readonly #startedUs: number;

  constructor(wallUs: number, monotonicUs: number) {
    super(wallUs);
    this.#startedUs = monotonicUs;
  }

  override monotonicUs(): number {
    return this.#startedUs + super.monotonicUs();
  }
}

interface Process {
  readonly machine: MachineClock;
  readonly clock: RecorderClock;
  readonly archive: Archive;
  readonly index: LmdbSegmentIndex;
  readonly threads: SimulatedThreads;
  readonly redating: Redating;
  readonly cameras: readonly Camera[];
  isOff: boolean;
}

interface Camera {
  readonly key: StreamKey;
  readonly stream: StreamClock;
  track: TrackClock;
  mediaUs: number;
  frames: number;
  /** The camera's clock against true time. */
  readonly rate: number;
}

export interface ClockedRecorderOptions {
  readonly directory: string;
  readonly cameras?: number;
  readonly seed?: number;
  readonly volumes?: number;
  readonly trust?: ClockTrust;
}

/**
 * A recorder in simulated time on a machine whose clock is at the test's mercy: real archive, real index, real files,
 * simulated threads. Each frame carries the true time it was taken at.
 */
export class ClockedRecorder {
  readonly keys: readonly StreamKey[];
  readonly notices: ArchiveNotice[] = [];
  readonly random: SeededRandom;
  readonly #options: ClockedRecorderOptions;
  /** What the machine says of its clock. */
  status = { synchronized: false, fromBatteryClock: false, fromHostClock: false, batteryTimeUs: undefined };
  #bootId = newGuid();
  /** True time less monotonic time of this boot. */
  #trueOffsetUs = SIMULATED_START_US;
  #wallUs = SIMULATED_START_US;
  #monotonicUs = 10 * SECOND_US;
  #process: Process | undefined;

  constructor(options: ClockedRecorderOptions) {
    this.#options = options;
    this.random = new SeededRandom(options.seed ?? 1);
    this.keys = Array.from({ length: options.cameras ?? 2 }, newStreamKey);
    this.#trueOffsetUs = SIMULATED_START_US - this.#monotonicUs;
  }

  get running(): Process {
    if (this.#process === undefined) throw new Error("the simulated service does not run");
    return this.#process;
  }

  get volumePaths(): string[] {
    return Array.from({ length: this.#options.volumes ?? 1 }, (_, at) =>
      path.join(this.#options.directory, `volume${at}`),
    );
  }

  get trueUs(): number {
    return this.#trueOffsetUs + (this.#process?.machine.monotonicUs() ?? this.#monotonicUs);
  }

  /** Starts the service; with `missing` volumes their directories are not there. */
  async start(): Promise<void> {
    const { directory } = this.#options;
    const dataDir = path.join(directory, "data");
    mkdirSync(dataDir, { recursive: true });
    const log = SILENT_LOG;
    const machine = new MachineClock(this.#wallUs, this.#monotonicUs);
    const clock = new RecorderClock({
      system: machine,
      bootId: this.#bootId,
      dataDir,
      trust: this.#options.trust ?? "auto",
      status: () => this.status,
      newestUs: () => newestRecordedUs(dataDir, log),
      log,
      floorUs: FLOOR_US,
    });
    clock.start();
    const disk = realDisk(loadNativeDisk().disk);
    const isOff = () => this.#process?.isOff === true;
    const threads = new SimulatedThreads({
      random: this.random.fork(),
      clock: machine,
      diskOf: () => disk,
      isOff,
    });
    const index = new LmdbSegmentIndex({ directory: path.join(directory, "index"), clock, log });
    index.start();
    const archive = new Archive({
      dataDir,
      volumes: this.volumePaths.map((volumePath) => ({ path: volumePath })),
      index,
      clock,
      knowledge: clock,
      bootId: this.#bootId,
      log,
      segmentSeconds: 6,
      startThread: threads.start,
    });
    archive.onNotice((notice) => this.notices.push(notice));
    const { bootTimes } = archive.archiveClock;
    const redating = new Redating({
      index,
      bootTimes,
      volumes: () => archive.volumeAccess(),
      absentVolumes: () => archive.absentVolumes().length,
      onRedated: ({ shiftUs }, segmentsRedated) =>
        this.notices.push({ kind: "clock-set", shiftUs, segmentsRedated }),
      log,
    });
    const cameras = this.keys.map((key) => this.#newCamera(key, clock));
    this.#process = { machine, clock, archive, index, threads, redating, cameras, isOff: false };
    await this.#wait(archive.start());
    await this.#wait(index.ready());
    bootTimes.onPending(() => redating.kick());
    redating.kick();
  }

  /** Records for so many seconds. */
  async record(seconds: number): Promise<void> {
    const { machine, threads } = this.running;
    const endUs = machine.monotonicUs() + seconds * SECOND_US;
    while (machine.monotonicUs() < endUs) {
      machine.advance(STEP_US);
      for (const camera of this.running.cameras) this.#send(camera);
      await threads.settle();
    }
  }

  /** Sets the wall clock to so many seconds off the truth. */
  setWall(secondsOff: number): void {
    const { machine } = this.running;
    machine.stepWall(this.trueUs + secondsOff * SECOND_US - machine.nowUs());
  }

  /** Somebody sets the clock while the service does not run. */
  stepWhileStopped(us: number): void {
    if (this.#process !== undefined) throw new Error("stop or kill it first");
    this.#wallUs += us;
  }

  /** A volume's disk is pulled, with what is on it. */
  takeAway(at: number): void {
    renameSync(this.#volumePath(at), `${this.#volumePath(at)}.away`);
  }

  bringBack(at: number): void {
    renameSync(`${this.#volumePath(at)}.away`, this.#volumePath(at));
  }

  /** The system disk is replaced. */
  loseDataDirectory(): void {
    if (this.#process !== undefined) throw new Error("stop or kill it first");
    for (const name of ["data", "index"])
      rmSync(path.join(this.#options.directory, name), { recursive: true, force: true });
  }

  /** Reads the index from the volumes again. */
  async rebuilt(): Promise<void> {
    const { archive, index } = this.running;
    await this.#wait(rebuildIndex({ index, volumes: archive.volumeAccess(), log: SILENT_LOG }));
  }

  /** A viewer at the live edge. */
  follow(key: StreamKey): { end(): readonly DatedFrame[] } {
    const reader = this.running.archive.read(key, { fromUs: this.running.clock.nowUs() });
    const frames: DatedFrame[] = [];
    this.#read(reader, frames).catch((error: unknown) => {
      throw error;
    });
    return {
      end: () => {
        reader.close();
        return frames;
      },
    };
  }

  /** Waits until the index has all closed segments on its disk. */
  async flushed(): Promise<void> {
    await this.#wait(this.running.index.flush());
  }

  /** A time server answers: the clock is right, and the kernel says so. */
  synchronize(): void {
    this.setWall(0);
    this.status = { ...this.status, synchronized: true };
  }

  /** A camera loses its connection, or its clock jumps. */
  disturb(kind: "reconnect" | "media-jump"): void {
    const camera = this.random.pick(this.running.cameras);
    if (kind === "media-jump") camera.mediaUs += this.random.between(-7200, 7200) * SECOND_US;
    else {
      camera.stream.closeTrack(camera.track);
      camera.track = camera.stream.openTrack("video");
      camera.mediaUs = this.random.below(1e9);
    }
  }

  /** Waits until what has to be dated anew is. */
  async redated(): Promise<void> {
    await this.#wait(this.running.redating.settled());
  }

  async stop(): Promise<void> {
    const { archive, index, redating, clock } = this.running;
    redating.stop();
    await this.#wait(archive.stop());
    await this.#wait(index.stop());
    await this.#wait(redating.settled());
    await this.#wait(clock.stop());
    this.#leave();
  }

  /** The process dies. What it was saving comes out whole or not at all. */
  async kill(): Promise<void> {
    const process = this.running;
    process.isOff = true;
    process.redating.stop();
    await this.#wait(process.index.stop());
    const dataDir = path.join(this.#options.directory, "data");
    for (let quiet = 0; quiet < 3; quiet++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (readdirSync(dataDir).some((name) => name.endsWith(".new"))) quiet = 0;
    }
    this.#leave();
  }

  /** The machine was off for a while, and boots with a clock that is so many seconds off; nothing is known of it. */
  reboot(options: { readonly offSeconds: number; readonly wallSecondsOff: number }): void {
    if (this.#process !== undefined) throw new Error("stop or kill it first");
    const trueUs = this.trueUs + options.offSeconds * SECOND_US;
    this.#bootId = newGuid();
    this.#monotonicUs = 10 * SECOND_US;
    this.#trueOffsetUs = trueUs - this.#monotonicUs;
    this.#wallUs = trueUs + options.wallSecondsOff * SECOND_US;
    this.status = {
      synchronized: false,
      fromBatteryClock: false,
      fromHostClock: false,
      batteryTimeUs: undefined,
    };
  }

  /** All the index holds. */
  summaries(): SegmentSummary[] {
    const { store } = this.running.index;
    return [...store.segments.inTime({})].flatMap((segment) => store.summary(segment) ?? []);
  }

  /** Everything recorded of a stream, in recorded order. */
  async frames(key: StreamKey): Promise<DatedFrame[]> {
    const { archive, threads } = this.running;
    const frames: DatedFrame[] = [];
    const reader = archive.read(key, { fromUs: 0 });
    const reading = this.#read(reader, frames);
    await threads.settle();
    reader.close();
    await this.#wait(reading);
    return frames;
  }

  /** Closes all segments and answers what is wrong with the archive; it is stopped then. */
  async problems(): Promise<string[]> {
    const { archive, index, redating, clock } = this.running;
    await this.redated();
    await this.#wait(archive.stop());
    await this.#wait(index.flush());
    const problems = archiveProblems({ volumePaths: this.volumePaths, summaries: this.summaries() });
    redating.stop();
    await this.#wait(index.stop());
    await this.#wait(clock.stop());
    this.#leave();
    return problems;
  }

  async #read(reader: ArchiveReader, frames: DatedFrame[]): Promise<void> {
    for (;;) {
      const some = await reader.next();
      if (some.length === 0) return;
      for (const { bytes, decodeTimeUs, startsFragment } of some)
        frames.push({ trueUs: Buffer.from(bytes).readDoubleLE(0), datedUs: decodeTimeUs, startsFragment });
    }
  }

  #volumePath(at: number): string {
    const volumePath = this.volumePaths[at];
    if (volumePath === undefined) throw new RangeError(`no volume ${at}`);
    return volumePath;
  }

  #newCamera(key: StreamKey, clock: RecorderClock): Camera {
    const stream = new StreamClock(clock);
    const rate = 1 + this.random.between(-200, 200) / 1e6;
    const mediaUs = this.random.below(1e9);
    return { key, stream, track: stream.openTrack("video"), mediaUs, frames: 0, rate };
  }

  #send(camera: Camera): void {
    const { archive, machine } = this.running;
    const dueFrames = Math.floor(machine.monotonicUs() / FRAME_US);
    if (dueFrames === camera.frames) return;
    camera.mediaUs += FRAME_US * camera.rate;
    camera.frames = dueFrames;
    const time = camera.track.stamp(camera.mediaUs);
    if (time === undefined) return;
    const bytes = Buffer.alloc(FRAME_BYTES);
    bytes.writeDoubleLE(this.trueUs, 0);
    append(archive.writer(camera.key), {
      decodeTimeUs: time.timeUs,
      discontinuity: time.discontinuity,
      key: time.discontinuity || dueFrames % GOP_FRAMES === 0,
      bytes,
    });
  }

  #leave(): void {
    const { machine } = this.running;
    this.#wallUs = machine.nowUs() + RESTART_US;
    this.#monotonicUs = machine.monotonicUs() + RESTART_US;
    this.#process = undefined;
  }

  /** Lets a little time pass until the work is done. */
  async #wait<T>(work: Promise<T>): Promise<T> {
    const { machine, threads } = this.running;
    let isDone = false;
    const settled = () => {
      isDone = true;
    };
    work.then(settled, settled);
    for (let turn = 0; !isDone; turn++) {
      if (turn > TURNS_MAX) throw new Error("what was waited for did not come");
      await threads.settle();
      if (isDone) break;
      machine.advance(1000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return work;
  }
}
