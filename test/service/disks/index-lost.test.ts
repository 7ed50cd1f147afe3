import { cpSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CheckReport } from "../../../src/archive/repair/check-report.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { checkOffline, type Fragment, pause, Service } from "../../support/service/service.js";

/** A service whose index is damaged records from the first second, and gives back what was recorded before. */
const CAMERAS = 2;
const RECORDED_US = 12_000_000;
/** How many times the counts below; `npm run torture -- index-lost` asks for more. */
const TIMES = Number(process.env.NVRD_TEST_INDEX_LOST_TIMES ?? 1);
const KILLS = 3 * TIMES;
/** The last kill comes so long after its start. */
const LAST_KILL_MS = 1650;
const CHECKS = 4 * TIMES;
const TIMES_TIMEOUT_MS = 300_000 * TIMES;

let directory: TemporaryDirectory;
let recorded = "";
let source: PacedSource;
let channelIds: string[] = [];
let fragments: Fragment[][] = [];
let service: Service | undefined;
let copies = 0;

beforeAll(async () => {
  directory = new TemporaryDirectory("index-lost");
  recorded = directory.join("recorded");
  const [port = 0] = await freePorts(1);
  source = await PacedSource.start(CAMERAS, SMALL_CLIP, port);
  const first = await Service.start({
    dataDir: recorded,
    settings: { segmentSeconds: 5 },
  });
  channelIds = await first.addCameras(
    Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) })),
  );
  await first.recorded(channelIds, RECORDED_US);
  await first.stop();
  await source.stop();
  // Nothing is recorded while there is no camera: these are the fragments that every later start must know.
  const again = await Service.start({ dataDir: recorded });
  for (let missing = true; missing; missing = fragments.some((some) => some.length === 0)) {
    fragments = await fragmentsBefore(again, Date.now() * 1000);
    await pause(50);
  }
  await again.stop();
  source = await PacedSource.start(CAMERAS, SMALL_CLIP, port);
}, 300_000);

afterEach(async () => {
  await service?.stop();
  service = undefined;
});

afterAll(async () => {
  await source?.stop();
  directory?.remove();
});

function copyOf(dataDir: string): string {
  copies += 1;
  const copy = directory.join(`copy-${copies}`);
  cpSync(dataDir, copy, { recursive: true, filter: (from: string) => !from.endsWith(".sock") });
  return copy;
}

function fragmentsBefore(of: Service, beforeUs: number): Promise<Fragment[][]> {
  return Promise.all(channelIds.map((id) => of.fragments(id, 0, beforeUs)));
}

const HARMS: readonly { readonly name: string; readonly harm: (dataDir: string) => void }[] = [
  { name: "missing", harm: (dataDir) => rmSync(join(dataDir, "index"), { recursive: true }) },
  {
    name: "cut in half",
    harm: (dataDir) => {
      const file = join(dataDir, "index", "data.mdb");
      truncateSync(file, Math.floor(statSync(file).size / 2));
    },
  },
  {
    name: "overwritten",
    harm: (dataDir) => {
      const file = join(dataDir, "index", "data.mdb");
      writeFileSync(file, Buffer.alloc(statSync(file).size, 0x5a));
    },
  },
  {
    name: "a file",
    harm: (dataDir) => {
      rmSync(join(dataDir, "index"), { recursive: true });
      writeFileSync(join(dataDir, "index"), "not a directory");
    },
  },
];

describe.each(HARMS)("a service whose index is $name", ({ harm }) => {
  it("records from the first second, and serves what was recorded before", async () => {
    const dataDir = copyOf(recorded);
    harm(dataDir);
    const startedUs = Date.now() * 1000;
    service = await Service.start({
      dataDir,
      settings: { segmentSeconds: 5 },
    });
    await expect
      .poll(async () => (await newFragments(startedUs)).every((some) => some.length > 0))
      .toBe(true);
    await expect
      .poll(() => (service === undefined ? [] : fragmentsBefore(service, startedUs)))
      .toEqual(fragments);
  });
});

async function newFragments(afterUs: number): Promise<Fragment[][]> {
  const of = service;
  if (of === undefined) return [];
  return Promise.all(
    channelIds.map(async (id) => (await of.fragments(id, afterUs)).filter(({ fromUs }) => fromUs >= afterUs)),
  );
}

describe("a service that is killed again and again while its index is made anew", () => {
  it(
    "comes up in the end with everything recorded, and keeps one damaged index at most",
    async () => {
      const dataDir = copyOf(recorded);
      writeFileSync(join(dataDir, "index", "data.mdb"), Buffer.alloc(100_000, 0x5a));
      const beforeUs = Date.now() * 1000;
      for (let kill = 0; kill < KILLS; kill++) {
        const victim = await Service.launch({ dataDir });
        // A little longer each time: before, while and after the index is walked, made and filled.
        await pause((kill * LAST_KILL_MS) / (KILLS - 1));
        await victim.kill();
      }
      service = await Service.start({ dataDir });
      const of = service;
      await expect.poll(() => fragmentsBefore(of, beforeUs)).toEqual(fragments);
      const aside = readdirSync(dataDir).filter((name) => name.startsWith("index.bad-"));
      expect(aside.length).toBeLessThanOrEqual(1);
    },
    TIMES_TIMEOUT_MS,
  );
});

describe("nvrd check beside recording", () => {
  it(
    "finds nothing wrong, however often it is asked",
    async () => {
      const dataDir = copyOf(recorded);
      service = await Service.start({
        dataDir,
        settings: { segmentSeconds: 5 },
      });
      for (let round = 0; round < CHECKS; round++) {
        const { exit, text } = await checkOffline(dataDir, round % 4 === 0 ? ["--deep"] : []);
        const report = JSON.parse(text) as CheckReport;
        expect({ code: exit.code, problems: report.problems }).toEqual({ code: 0, problems: [] });
      }
    },
    TIMES_TIMEOUT_MS,
  );
});
