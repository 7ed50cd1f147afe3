import { createServer } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";

/** The service's ports over restarts, and when another program has them. */

const RECORDED_US = 1_500_000;

let directory: TemporaryDirectory;
let source: PacedSource;
let service: Service | undefined;

beforeEach(async () => {
  directory = new TemporaryDirectory("ports");
  source = await PacedSource.start(1, SMALL_CLIP);
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await source.stop();
  directory.remove();
});

async function startRecording(
  httpPort: number,
  httpsPort: number,
): Promise<{ running: Service; id: string }> {
  const running = await Service.start({ dataDir: directory.join("data"), httpPort, httpsPort });
  service = running;
  const [id = ""] = await running.addCameras([{ name: "Gate", url: source.url(0) }]);
  await running.recorded([id], RECORDED_US);
  return { running, id };
}

async function twoPorts(): Promise<[number, number]> {
  const [http = 0, https = 0] = await freePorts(2);
  return [http, https];
}

it("a service that was stopped with open viewers answers on the same ports when it is started again", async () => {
  const [httpPort, httpsPort] = await twoPorts();
  const { running, id } = await startRecording(httpPort, httpsPort);
  const video = await running.video(`channelid=${id}`);
  await video.parts.next();
  const event = await running.open("/event");
  event.on("error", () => event.destroy());
  event.resume();
  video.response.on("error", () => video.response.destroy());
  expect((await running.stop()).code).toBe(0);
  service = await Service.start({ dataDir: directory.join("data"), httpPort, httpsPort });
  expect(service.log).not.toContain("cannot be reached");
});

it("a service with cameras records while another program has its port, and answers once it is free", async () => {
  const [httpPort, httpsPort] = await twoPorts();
  const { running, id } = await startRecording(httpPort, httpsPort);
  const before = await running.fragments(id);
  await running.stop();
  const blocker = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => blocker.listen(httpPort, "127.0.0.1", resolve));
  const second = await Service.launch({ dataDir: directory.join("data"), httpPort, httpsPort });
  service = second;
  await second.process.waitFor(/API cannot be reached/);
  const shutUs = Date.now() * 1000;
  await pause(RECORDED_US / 1000);
  await new Promise((resolve) => blocker.close(resolve));
  const freedUs = Date.now() * 1000;
  await second.ready();
  const recorded = (await second.fragments(id)).filter(
    (fragment) => !before.some(({ id }) => id === fragment.id),
  );
  expect(recorded.some(({ fromUs, toUs }) => fromUs < freedUs && toUs > shutUs)).toBe(true);
  const body = { eventIds: [EVENT_TYPES.apiUnreachable.id, EVENT_TYPES.apiReachable.id] };
  const found = await second.json<{ EventComment: string }[]>("/archive_events", { method: "POST", body });
  expect(found.map(({ EventComment }) => EventComment)).toEqual([
    expect.stringContaining(`HTTP: cannot listen on 127.0.0.1 port ${httpPort}`),
    "HTTP",
  ]);
});
