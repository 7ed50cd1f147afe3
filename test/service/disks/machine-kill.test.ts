import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PacedClip, pacedFrames } from "../../support/archive/paced-recording.js";
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
import { printedRandom } from "../../support/base/seeded-random.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { type DiskCache, HOST_ADDRESS, VirtualRecorder } from "../../support/image/virtual-recorder.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { checkOffline, type Fragment, pause, type Service } from "../../support/service/service.js";

const random = printedRandom("machine-kill");

/** Ends of a machine in all; `npm run torture -- vm` asks for some. */
const KILLS = Number(process.env.NVRD_TEST_MACHINE_KILLS ?? 0);
const CAMERAS = 2;
const DISK_BYTES = 1024 * 1024 * 1024;
const RECORDED_MS_MIN = 6000;
const RECORDED_MS_MAX = 12_000;
/** An emulated machine takes a minute to start when others work beside it. */
const CYCLE_TIMEOUT_MS = 420_000;
const CACHES: readonly DiskCache[] = ["writeback", "unsafe"];

const missing = KILLS === 0 ? "it takes minutes: npm run torture -- vm" : VirtualRecorder.missing();

interface Life {
  readonly recorded: RecordedCrashes;
  /** Of each kill, when the newest frame was sent that a live viewer had got: how far the slow machine was behind. */
  readonly seenUs: readonly number[];
  readonly source: PacedSource;
  readonly check: { readonly code: number | null; readonly problems: readonly unknown[] };
}

const lives = new Map<DiskCache, Life>();
const directories: TemporaryDirectory[] = [];
const sources: PacedSource[] = [];

beforeAll(
  async () => {
    if (missing !== undefined) return;
    for (const cache of CACHES) lives.set(cache, await live(cache, Math.ceil(KILLS / CACHES.length)));
  },
  CYCLE_TIMEOUT_MS * (KILLS + 4),
);

afterAll(async () => {
  for (const source of sources) await source.stop();
  for (const directory of directories) directory.remove();
});

async function live(cache: DiskCache, kills: number): Promise<Life> {
  const directory = new TemporaryDirectory("machine-kill");
  directories.push(directory);
  const source = await PacedSource.start(CAMERAS, SMALL_CLIP);
  sources.push(source);
  const machine = VirtualRecorder.make(directory.path, cache, DISK_BYTES);
  const crashes: Crash[] = [];
  const seenUs: number[] = [];
  let ids: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const startedUs = Date.now() * 1000;
    const service = await machine.start();
    try {
      if (kill === 0) ids = await service.addCameras(camerasOf(source));
      await recordingSince(service, ids, startedUs);
      const live = await watch(service, ids[0] ?? "");
      await pause(random.between(RECORDED_MS_MIN, RECORDED_MS_MAX));
      const fragments = await Promise.all(ids.map((id) => service.fragments(id)));
      crashes.push({ atUs: Date.now() * 1000, startedUs, fragments });
      seenUs.push(live.lastUs());
    } finally {
      await service.kill();
    }
  }
  const startedUs = Date.now() * 1000;
  const recorded = await readAfter(await machine.start(), ids, { crashes, startedUs });
  return { recorded, seenUs, source, check: await checkOutside(machine, directory) };
}

/** What the machine has after the last kill; it is off then. */
async function readAfter(
  service: Service,
  ids: readonly string[],
  { crashes, startedUs }: { readonly crashes: readonly Crash[]; readonly startedUs: number },
): Promise<RecordedCrashes> {
  try {
    await recordingSince(service, ids, startedUs);
    // The index is opened behind the first answers, slowly in an emulated machine.
    const firstId = crashes[0]?.fragments[0]?.[0]?.id;
    while (!(await fragmentsOf(service, ids[0] ?? "")).some((fragment) => fragment.id === firstId))
      await pause(200);
    return await readBack(service, ids, crashes);
  } finally {
    await service.kill();
  }
}

function camerasOf(source: PacedSource) {
  return Array.from({ length: CAMERAS }, (_, at) => ({
    name: `Camera ${at}`,
    url: source.url(at).replace("127.0.0.1", HOST_ADDRESS),
  }));
}

/** None while the machine is too slow to answer in time. */
async function fragmentsOf(service: Service, id: string): Promise<Fragment[]> {
  try {
    return await service.fragments(id);
  } catch (error) {
    if (service.process.exit !== undefined) throw error;
    return [];
  }
}

/** A live viewer until the machine ends; tells when the newest frame it has got was sent. */
async function watch(service: Service, id: string): Promise<{ lastUs(): number }> {
  const video = await service.video(`channelid=${id}`);
  let lastUs = 0;
  const watching = pacedFrames(video.parts, ({ clock }) => {
    lastUs = clock.sentUs;
    return false;
  });
  watching.catch(() => undefined); // it ends with the machine, in the middle of a frame
  return { lastUs: () => lastUs };
}

/** Resolves when each channel is recorded by this run: the newest fragment began in it and grows. */
async function recordingSince(service: Service, ids: readonly string[], startedUs: number): Promise<void> {
  const deadline = performance.now() + CYCLE_TIMEOUT_MS;
  for (const id of ids) {
    while (!(await fragmentsOf(service, id)).some((fragment) => fragment.fromUs >= startedUs)) {
      if (performance.now() > deadline) throw service.process.failure(`${id} is not recorded`);
      await pause(200);
    }
  }
}

/** The disk as this machine sees it, mounted here, and `nvrd check --deep` over it. */
async function checkOutside(machine: VirtualRecorder, directory: TemporaryDirectory): Promise<Life["check"]> {
  const mountPoint = directory.join("disk");
  mkdirSync(mountPoint);
  const mounted = spawnSync("mount", ["-o", "loop", machine.diskImage(directory.path), mountPoint], {
    encoding: "utf8",
  });
  if (mounted.status !== 0) throw new Error(mounted.stderr);
  try {
    const settings = directory.join("settings.json");
    writeFileSync(settings, JSON.stringify({ volumes: [{ path: `${mountPoint}/volume`, reserveBytes: 0 }] }));
    const { exit, text } = await checkOffline(`${mountPoint}/nvrd`, ["--deep", "--config", settings]);
    const { problems } = JSON.parse(text) as { problems: unknown[] };
    return { code: exit.code, problems };
  } finally {
    spawnSync("umount", [mountPoint]);
  }
}

describe.skipIf(missing !== undefined).each(CACHES)(
  `a machine that is killed, its disk with cache=%s${notHere(missing)}`,
  (cache) => {
    const lifeOf = (): Life => {
      const life = lives.get(cache);
      if (life === undefined) throw new Error(`no machine with cache=${cache} has lived to its end`);
      return life;
    };

    it("loses at most 2 s of a stream", () => {
      const { recorded } = lifeOf();
      console.info(`cache=${cache}: ${lossesText(recorded)}`);
      expect(greatLosses(recorded)).toEqual([]);
    });

    it("loses nothing else", () => {
      const { recorded } = lifeOf();
      expect(unexplainedGaps(recorded)).toEqual([]);
      // Fragments have the machine's clock: what was being recorded is what reached to the newest moment shown.
      const crashes = recorded.crashes.map((crash) => ({
        ...crash,
        atUs: Math.max(...crash.fragments.flat().map((fragment) => fragment.toUs)),
      }));
      expect(lostFragments({ ...recorded, crashes })).toEqual([]);
      expect(overlaps(recorded)).toEqual([]);
    });

    it("has frames as the cameras sent them, each once, in order", () => {
      const { recorded, source } = lifeOf();
      expect(disorder(recorded)).toEqual([]);
      const clip = new PacedClip(source.clipFile);
      const differences = recorded.frames.flatMap((frames) =>
        frames.map((frame) => clip.differenceOf(frame)),
      );
      expect(differences.filter((text) => text !== undefined)).toEqual([]);
    });

    it("has a file system and an archive that pass a deep check", () => {
      expect(lifeOf().check).toEqual({ code: 0, problems: [] });
    });
  },
);

/** Milliseconds between the newest frame seen live and the newest one recorded of each stream, for the record. */
function lossesText({ crashes, frames }: RecordedCrashes): string {
  const lossesMs = crashes.flatMap(({ atUs }) =>
    frames.map((ofCamera) => {
      const last = ofCamera.findLast(({ clock }) => clock.sentUs <= atUs);
      return Math.round((atUs - (last?.clock.sentUs ?? 0)) / 1000);
    }),
  );
  return `${crashes.length} kills, lost of each stream in ms: ${lossesMs.join(" ")}`;
}
