import { expect, it, onTestFinished } from "vitest";
import { loadApi } from "../../support/api/api-load.js";
import { readPacedFrames } from "../../support/archive/paced-recording.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, Service } from "../../support/service/service.js";

const CAMERAS = 16;
const REQUESTS = 600;
/** Slow enough for a busy machine; `npm run bench -- api` asks 200 a second. */
const REQUESTS_PER_SECOND = 60;

it("mixed requests are all answered right, and no frame of 16 cameras is missed for them", async () => {
  const directory = new TemporaryDirectory("api-load");
  const source = await PacedSource.start(CAMERAS, SMALL_CLIP);
  const service = await Service.start({ dataDir: directory.join("data") });
  onTestFinished(async () => {
    await service.stop();
    await source.stop();
    directory.remove();
  });
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) }));
  const ids = await service.addCameras(cameras);
  await service.recorded(ids, 1_000_000);
  const before = await source.report();
  const load = {
    port: service.httpPort,
    channelIds: ids,
    requests: REQUESTS,
    perSecond: REQUESTS_PER_SECOND,
  };
  const report = await loadApi(load);
  const after = await source.report();
  expect(report.wrong).toEqual([]);
  expect(report.readsMs.length + report.changesMs.length).toBe(REQUESTS);
  expect(after.droppedFrames - before.droppedFrames).toBe(0);
  const wanted = Math.floor((after.frames - before.frames) / CAMERAS);
  expect(wanted).toBeGreaterThan(SMALL_CLIP.fps);
  for (const id of ids) {
    const [fragment, second] = await service.fragments(id);
    expect(second).toBeUndefined();
    const start = `starttime=${apiTime(fragment?.fromUs ?? 0)}`;
    const video = await service.video(`channelid=${id}&mode=archive&${start}&speed=20`);
    const frames = await readPacedFrames(video, (_frame, count) => count === wanted);
    const first = frames[0]?.clock.frame ?? -1;
    expect(frames.map(({ clock }) => clock.frame)).toEqual(frames.map((_, at) => first + at));
  }
});
