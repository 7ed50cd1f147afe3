import { afterAll, beforeAll, expect, it } from "vitest";
import { decode } from "../support/ffmpeg.js";
import { elementaryStream, PacedClip, type PacedFrame, readPacedFrames } from "../support/paced-recording.js";
import { PacedSource, SMALL_CLIP } from "../support/paced-source.js";
import { apiTime, checkOffline, type Fragment, pause, Service } from "../support/service.js";
import { TemporaryDirectory } from "../support/temporary-directory.js";

/** How often the service is killed; `npm run torture` asks for more. */
const CYCLES = Number(process.env.NVRD_TEST_CRASH_CYCLES ?? 50);
const CAMERAS = 4;
/** Every so many cycles the service runs long enough to tell how much a kill takes away. */
const LONG_CYCLE_EVERY = 5;
const SHORT_RUN_MS = 900;
const LONG_RUN_MS = 4500;
/** At most so much of a stream may be lost to a crash (docs/design/archive.md). */
const LOST_US_MAX = 2_000_000;

/** A kill: when, and what the API had shown of each channel a moment before. */
interface Kill {
  readonly atUs: number;
  readonly startedUs: number;
  readonly fragments: readonly (readonly Fragment[])[];
}

let directory: TemporaryDirectory;
let source: PacedSource;
let dataDir = "";
let channelIds: string[] = [];
const kills: Kill[] = [];
const finalFragments: Fragment[][] = [];
const recordings: PacedFrame[][] = [];

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
    for (let cycle = 0; cycle < CYCLES; cycle++) kills.push(await runAndKill(cycle));
    await readBack();
  },
  60_000 + CYCLES * 10_000,
);

afterAll(async () => {
  await source?.stop();
  directory?.remove();
});

async function runAndKill(cycle: number): Promise<Kill> {
  const startedUs = Date.now() * 1000;
  const service = await Service.start({ dataDir, settings: { segmentSeconds: 5 } });
  const runMs = cycle % LONG_CYCLE_EVERY === 0 ? LONG_RUN_MS : SHORT_RUN_MS;
  await pause(runMs * (0.5 + Math.random() / 2));
  const fragments = await Promise.all(channelIds.map((id) => service.fragments(id)));
  await pause(Math.random() * 300);
  const atUs = Date.now() * 1000;
  await service.kill();
  return { atUs, startedUs, fragments };
}

/** What is there after the last kill: fragments, and every frame of every channel. */
async function readBack(): Promise<void> {
  const service = await Service.start({ dataDir });
  await pause(3000);
  for (const id of channelIds) {
    const fragments = await service.fragments(id);
    const fromUs = fragments[0]?.fromUs ?? 0;
    const video = await service.video(`channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}&speed=20`);
    const lastKillUs = kills.at(-1)?.atUs ?? 0;
    recordings.push(await readPacedFrames(video, (frame) => frame.clock.sentUs > lastKillUs));
    finalFragments.push(fragments);
  }
  await service.stop();
}

it("loses at most 2 s of a stream to each kill", () => {
  const lost = kills.flatMap((kill, cycle) =>
    recordings.flatMap((frames, camera) => {
      const ofCycle = frames.filter(
        ({ clock }) => clock.sentUs > kill.startedUs && clock.sentUs <= kill.atUs,
      );
      const recordedSinceUs =
        kill.fragments[camera]?.findLast((entry) => entry.fromUs >= kill.startedUs)?.fromUs ?? kill.atUs;
      const lastUs = ofCycle.at(-1)?.clock.sentUs ?? recordedSinceUs;
      const lostUs = kill.atUs - lastUs;
      return lostUs > LOST_US_MAX ? [`cycle ${cycle}, camera ${camera}: ${lostUs} µs`] : [];
    }),
  );
  expect(lost).toEqual([]);
});

it("loses nothing between two kills", () => {
  for (const frames of recordings) {
    const holes = frames.filter(({ clock }, at) => {
      const before = frames[at - 1]?.clock;
      if (before === undefined || clock.frame === before.frame + 1) return false;
      return !kills.some((kill) => kill.atUs >= before.sentUs && kill.atUs <= clock.sentUs);
    });
    expect(holes.map((frame) => frame.clock)).toEqual([]);
  }
});

it("keeps every fragment that was shown before a kill, with its id", () => {
  const gone = kills.flatMap((kill, cycle) =>
    kill.fragments.flatMap((shown, camera) =>
      shown
        .filter((fragment) => {
          const open = fragment.toUs > kill.atUs - LOST_US_MAX;
          // The one being recorded may lose its end, and all of it when it was shorter than that.
          if (open && fragment.toUs - fragment.fromUs <= LOST_US_MAX) return false;
          const kept = finalFragments[camera]?.find((entry) => entry.id === fragment.id);
          const leastToUs = open ? fragment.toUs - LOST_US_MAX : fragment.toUs;
          return kept === undefined || kept.fromUs !== fragment.fromUs || kept.toUs < leastToUs;
        })
        .map((fragment) => `cycle ${cycle}, camera ${camera}: ${JSON.stringify(fragment)}`),
    ),
  );
  expect(gone).toEqual([]);
});

it("has fragments that do not overlap", () => {
  for (const fragments of finalFragments) {
    const overlaps = fragments.filter((fragment, at) => fragment.fromUs < (fragments[at - 1]?.toUs ?? 0));
    expect(overlaps).toEqual([]);
  }
});

it("gives back only frames the cameras sent, each once, in order, byte for byte", () => {
  const clip = new PacedClip(source.clipFile);
  for (const [camera, frames] of recordings.entries()) {
    expect(frames.map((frame) => clip.differenceOf(frame)).filter((text) => text !== undefined)).toEqual([]);
    expect(
      frames.filter((frame, at) => at > 0 && frame.clock.frame <= (frames[at - 1]?.clock.frame ?? 0)),
    ).toEqual([]);
    expect(frames.filter((frame) => frame.clock.stream !== camera)).toEqual([]);
  }
});

it("has a recording that decodes without an error", async () => {
  for (const frames of recordings) {
    expect(await decode(elementaryStream(frames), "h264")).toEqual({ errors: "", frames: frames.length });
  }
});

it("passes nvrd check afterwards", async () => {
  const { exit, text } = await checkOffline(dataDir, ["--deep"]);
  expect(exit).toEqual({ code: 0, signal: null });
  expect((JSON.parse(text) as { problems: unknown[] }).problems).toEqual([]);
});
