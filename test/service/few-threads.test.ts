import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { Service } from "../support/service/service.js";
import { ThreadGroup } from "../support/service/thread-group.js";

const missing = ThreadGroup.missing();

/** Own process: a control group that allows it no further thread. */
describe.skipIf(missing !== undefined)(`a recorder that gets no more threads${notHere(missing)}`, () => {
  let directory: TemporaryDirectory;
  let group: ThreadGroup;
  let source: PacedSource;
  let service: Service;
  let channelId = "";

  beforeAll(async () => {
    directory = new TemporaryDirectory("few-threads");
    group = new ThreadGroup();
    source = await PacedSource.start(1, SMALL_CLIP);
    service = await Service.start({ dataDir: directory.join("data"), group });
    // Not watched for motion: nothing has decoded before.
    [channelId = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
    await service.recorded([channelId], 1_000_000);
    group.full();
  });

  afterAll(async () => {
    group.free();
    await service.stop();
    expect(group.processes).toEqual([]);
    group.remove();
    await source.stop();
    directory.remove();
  });

  it.each([
    ["a picture", "/site?resolutionx=320&resolutiony=240"],
    ["a transcoded stream", "/mobile?resolutionx=320&resolutiony=240"],
  ])("answers 503 to %s, and goes on", async (_what, path) => {
    for (let times = 0; times < 3; times += 1)
      expect((await service.get(`${path}&channelid=${channelId}`)).status).toBe(503);
    expect((await service.get("/api/session")).status).toBe(200);
  });

  it("answers 503 to a body that another thread would parse", async () => {
    const body = [{ Name: "x".repeat(100_000) }];
    expect((await service.get("/configure/channels", { method: "POST", body })).status).toBe(503);
  });

  it("makes pictures once it gets threads", async () => {
    group.free();
    const answer = await service.get(`/site?resolutionx=320&resolutiony=240&channelid=${channelId}`);
    expect(answer.status).toBe(200);
  });
});
