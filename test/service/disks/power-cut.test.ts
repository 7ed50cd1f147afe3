import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PacedClip } from "../../support/archive/paced-recording.js";
import {
  type Crash,
  disorder,
  greatLosses,
  lostFragments,
  overlaps,
  type RecordedCrashes,
  readBack,
  unexplainedGaps,
} from "../../support/archive/recorded-crashes.js";
import { notHere } from "../../support/base/not-here.js";
import { printedRandom, type SeededRandom } from "../../support/base/seeded-random.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PowerCutDisk } from "../../support/disk/power-cut-disk.js";
import { type Clip, PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { checkOffline, pause, Service } from "../../support/service/service.js";

/** Power cuts in all; `npm run torture -- power-cuts` asks for more. */
const CUTS = Number(process.env.NVRD_TEST_POWER_CUTS ?? 2);
const DISK_BYTES = 512 * 1024 * 1024;
const LONG_GOP_CLIP: Clip = { ...SMALL_CLIP, gopFrames: 250, seconds: 10 };
const CAMERAS = 2;
/** A stream is recorded again within so much of the service's first answer, or of its next key frame. */
const BACK_US_MAX = 10_000_000;
const RECORDED_MS_MIN = 2500;
const RECORDED_MS_MAX = 5000;
const RECORDING_TIMEOUT_MS = 60_000;
const CUT_TIMEOUT_MS = 60_000;

const missing = PowerCutDisk.missing();

interface Life {
  readonly recorded: RecordedCrashes;
  readonly sources: readonly PacedSource[];
  /** Times from the service's first answer to the first frame recorded, of the streams with short GOPs. */
  readonly backUs: readonly number[];
  readonly check: { readonly code: number | null; readonly problems: readonly unknown[] };
}

/** A machine whose disk loses its power time and again while it records. */
class Machine {
  readonly #directory: TemporaryDirectory;
  readonly #disk: PowerCutDisk;
  readonly #dataDir: string;
  readonly #random: SeededRandom;
  readonly #crashes: Crash[] = [];
  readonly #backUs: number[] = [];
  #sources: PacedSource[] = [];
  #channelIds: string[] = [];

  /** `index`: whether the index lies on the disk whose power is cut. `random`: of this machine alone. */
  constructor(index: "on the same disk" | "on another disk", random: SeededRandom) {
    this.#random = random;
    this.#directory = new TemporaryDirectory("power-cut");
    this.#disk = PowerCutDisk.make(this.#directory.join("disk"), DISK_BYTES);
    this.#dataDir =
      index === "on the same disk" ? this.#directory.join("disk", "data") : this.#directory.join("data");
  }

  async live(cuts: number): Promise<Life> {
    this.#sources = [
      await PacedSource.start(CAMERAS, SMALL_CLIP),
      await PacedSource.start(CAMERAS, LONG_GOP_CLIP),
    ];
    const first = await this.#start();
    const cameras = this.#sources.flatMap((source, at) =>
      Array.from({ length: CAMERAS }, (_, stream) => ({
        name: `Camera ${at} ${stream}`,
        url: source.url(stream),
      })),
    );
    this.#channelIds = await first.addCameras(cameras);
    await first.stop();
    for (let cut = 0; cut < cuts; cut++) await this.#runAndCut();
    const last = await this.#start();
    const recorded = await readBack(last, this.#channelIds, this.#crashes);
    await last.stop();
    const { exit, text } = await checkOffline(this.#dataDir, [
      "--deep",
      "--config",
      `${this.#dataDir}-settings.json`,
    ]);
    const { problems } = JSON.parse(text) as { problems: unknown[] };
    return { recorded, sources: this.#sources, backUs: this.#backUs, check: { code: exit.code, problems } };
  }

  async end(): Promise<void> {
    for (const source of this.#sources) await source.stop();
    await this.#disk.remove();
    this.#directory.remove();
  }

  #start(): Promise<Service> {
    const volumes = [{ path: this.#directory.join("disk", "volume"), reserveBytes: "16 MB" }];
    return Service.start({ dataDir: this.#dataDir, settings: { segmentSeconds: 5, volumes } });
  }

  async #runAndCut(): Promise<void> {
    const startedUs = Date.now() * 1000;
    const service = await this.#start();
    try {
      const readyUs = Date.now() * 1000;
      await this.#recordingSince(service, startedUs);
      await pause(this.#random.between(RECORDED_MS_MIN, RECORDED_MS_MAX));
      const fragments = await Promise.all(this.#channelIds.map((id) => service.fragments(id)));
      for (const ofChannel of fragments.slice(0, CAMERAS)) {
        const fromUs = ofChannel.find((fragment) => fragment.fromUs >= startedUs)?.fromUs;
        this.#backUs.push((fromUs ?? Number.POSITIVE_INFINITY) - readyUs);
      }
      this.#disk.cut();
      this.#crashes.push({ atUs: Date.now() * 1000, startedUs, fragments });
      // What the service does until it is gone too must not matter.
      await pause(this.#random.next() * 500);
    } finally {
      await service.kill();
    }
    await this.#disk.unmount();
    this.#disk.mount();
  }

  /** Resolves when each channel is recorded by this run of the service. */
  async #recordingSince(service: Service, startedUs: number): Promise<void> {
    const deadline = performance.now() + RECORDING_TIMEOUT_MS;
    for (const id of this.#channelIds) {
      while (!(await service.fragments(id, startedUs)).some((fragment) => fragment.fromUs >= startedUs)) {
        if (performance.now() > deadline) throw service.process.failure(`${id} is not recorded`);
        await pause(100);
      }
    }
  }
}

const PLACES = ["on the same disk", "on another disk"] as const;
const machines = new Map<string, Machine>();
const lives = new Map<string, Life>();

beforeAll(
  async () => {
    if (missing !== undefined) return;
    const cuts = Math.ceil(CUTS / PLACES.length);
    const random = printedRandom("power-cut");
    const all = PLACES.map(async (index) => {
      const machine = new Machine(index, random.fork());
      machines.set(index, machine);
      lives.set(index, await machine.live(cuts));
    });
    // One that fails must not leave the other at work on a disk that is taken away.
    for (const life of await Promise.allSettled(all)) if (life.status === "rejected") throw life.reason;
  },
  CUT_TIMEOUT_MS * (CUTS + 1),
);

afterAll(async () => {
  for (const machine of machines.values()) await machine.end();
});

describe.skipIf(missing !== undefined).each(PLACES)(
  `power cuts on ext4, the index %s${notHere(missing)}`,
  (index) => {
    const lifeOf = (): Life => {
      const life = lives.get(index);
      if (life === undefined) throw new Error(`no machine with the index ${index} has lived to its end`);
      return life;
    };

    it("cost at most 2 s of a stream, whatever the length of its GOPs", () => {
      const { recorded } = lifeOf();
      expect(recorded.crashes).toHaveLength(Math.ceil(CUTS / PLACES.length));
      expect(greatLosses(recorded)).toEqual([]);
    });

    it("cost nothing else", () => {
      const { recorded } = lifeOf();
      expect(unexplainedGaps(recorded)).toEqual([]);
      expect(lostFragments(recorded)).toEqual([]);
    });

    it("leave fragments that do not overlap, and frames as the cameras sent them", () => {
      const { recorded, sources } = lifeOf();
      expect(overlaps(recorded)).toEqual([]);
      expect(disorder(recorded)).toEqual([]);
      for (const [camera, frames] of recorded.frames.entries()) {
        const clip = new PacedClip(sources[Math.floor(camera / CAMERAS)]?.clipFile ?? "");
        expect(frames.map((frame) => clip.differenceOf(frame)).filter((text) => text !== undefined)).toEqual(
          [],
        );
      }
    });

    it("leave an archive that passes a deep check", () => {
      expect(lifeOf().check).toEqual({ code: 0, problems: [] });
    });

    it("keep the service from recording for less than 5 s after its start", () => {
      expect(lifeOf().backUs.filter((us) => us > BACK_US_MAX)).toEqual([]);
    });
  },
);
