import { afterAll, beforeAll, expect, it } from "vitest";
import { type PacedFrame, readPacedFrames } from "../../support/archive/paced-recording.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { nowUs, recordedBeyond } from "../../support/event/service-events.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { apiTime, Service } from "../../support/service/service.js";

const CAMERAS = 4;
const RESTARTS = Number(process.env.NVRD_TEST_RESTARTS ?? 1);
/** Recorded after each restart. */
const RECORDED_US = 6_000_000;

let directory: TemporaryDirectory;
let source: PacedSource;
let service: Service;

beforeAll(async () => {
  directory = new TemporaryDirectory("restart-frames");
  source = await PacedSource.start(CAMERAS, CAMERA_CLIP);
});
afterAll(async () => {
  await service?.stop();
  await source?.stop();
  directory?.remove();
});

/** Breaks in what is recorded of a camera, each with the seconds that are missing. */
function breaksIn(frames: readonly PacedFrame[]): string[] {
  return frames.flatMap(({ clock: { frame, sentUs } }, at) => {
    const before = frames[at - 1]?.clock;
    if (before === undefined || frame === before.frame + 1) return [];
    return [`${before.frame} ${frame}: ${((sentUs - before.sentUs) / 1e6).toFixed(2)} s`];
  });
}

it("loses of each camera what is sent during a restart, and nothing after its first picture", {
  timeout: 60_000 * (RESTARTS + 1),
}, async () => {
  const start = () => Service.start({ dataDir: directory.join("data") });
  service = await start();
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) }));
  const ids = await service.addCameras(cameras);
  const fromUs = nowUs();
  await recordedBeyond(service, ids, fromUs + RECORDED_US);
  for (let restart = 0; restart < RESTARTS; restart++) {
    await service.stop();
    service = await start();
    await recordedBeyond(service, ids, nowUs() + RECORDED_US);
  }
  const toUs = nowUs();
  await recordedBeyond(service, ids, toUs + RECORDED_US);
  for (const id of ids) {
    const [first] = await service.fragments(id);
    const path = `channelid=${id}&mode=archive&starttime=${apiTime(first?.fromUs ?? 0)}&speed=20`;
    const frames = await readPacedFrames(await service.video(path), ({ clock }) => clock.sentUs > toUs);
    expect(breaksIn(frames)).toHaveLength(RESTARTS);
  }
});
