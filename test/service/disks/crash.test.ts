import { afterAll, beforeAll, expect, it } from "vitest";
import { elementaryStream, PacedClip } from "../../support/archive/paced-recording.js";
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
import { printedRandom } from "../../support/base/seeded-random.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { decode } from "../../support/media/ffmpeg.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { checkOffline, pause, Service } from "../../support/service/service.js";

/** How often the service is killed; `npm run torture -- kills` asks for more. */
const CYCLES = Number(process.env.NVRD_TEST_CRASH_CYCLES ?? 3);
const CAMERAS = 4;
/** Every so many cycles the service runs long enough to tell how much a kill takes away. */
const LONG_CYCLE_EVERY = 5;
const SHORT_RUN_MS = 900;
const LONG_RUN_MS = 4500;
const random = printedRandom("crash");
let directory: TemporaryDirectory;
let source: PacedSource;
let dataDir = "";
let channelIds: string[] = [];
let recorded: RecordedCrashes;

beforeAll(
  async () => {
    directory = new TemporaryDirectory("crash");
    dataDir = directory.join("data");
    source = await PacedSource.start(CAMERAS, SMALL_CLIP);
    const first = await Service.start({ dataDir });
    const cameras = Array.from({ length: CAMERAS }, (_, at) => ({
      name: `Camera ${at}`,
      url: source.url(at),
    }));
    channelIds = await first.addCameras(cameras);
    await first.stop();
    const kills: Crash[] = [];
    for (let cycle = 0; cycle < CYCLES; cycle++) kills.push(await runAndKill(cycle));
    const last = await Service.start({ dataDir });
    recorded = await readBack(last, channelIds, kills);
    await last.stop();
  },
  240_000 + CYCLES * 10_000,
);

afterAll(async () => {
  await source?.stop();
  directory?.remove();
});

async function runAndKill(cycle: number): Promise<Crash> {
  const startedUs = Date.now() * 1000;
  const service = await Service.start({ dataDir, settings: { segmentSeconds: 5 } });
  const runMs = cycle % LONG_CYCLE_EVERY === 0 ? LONG_RUN_MS : SHORT_RUN_MS;
  await pause(runMs * (0.5 + random.next() / 2));
  const fragments = await Promise.all(channelIds.map((id) => service.fragments(id)));
  await pause(random.next() * 300);
  const atUs = Date.now() * 1000;
  await service.kill();
  return { atUs, startedUs, fragments };
}

it("loses at most 2 s of a stream to each kill", () => {
  expect(greatLosses(recorded)).toEqual([]);
});

it("loses nothing between two kills", () => {
  expect(unexplainedGaps(recorded)).toEqual([]);
});

it("keeps every fragment that was shown before a kill, with its id", () => {
  expect(lostFragments(recorded)).toEqual([]);
});

it("has fragments that do not overlap", () => {
  expect(overlaps(recorded)).toEqual([]);
});

it("gives back only frames the cameras sent, each once, in order, byte for byte", () => {
  const clip = new PacedClip(source.clipFile);
  for (const [camera, frames] of recorded.frames.entries()) {
    expect(frames.map((frame) => clip.differenceOf(frame)).filter((text) => text !== undefined)).toEqual([]);
    expect(frames.filter((frame) => frame.clock.stream !== camera)).toEqual([]);
  }
  expect(disorder(recorded)).toEqual([]);
});

it("has a recording that decodes without an error", async () => {
  for (const frames of recorded.frames) {
    expect(await decode(elementaryStream(frames), "h264")).toEqual({ errors: "", frames: frames.length });
  }
});

it("passes nvrd check afterwards", async () => {
  const { exit, text } = await checkOffline(dataDir, ["--deep"]);
  expect(exit).toEqual({ code: 0, signal: null });
  expect((JSON.parse(text) as { problems: unknown[] }).problems).toEqual([]);
});
