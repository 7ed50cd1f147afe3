import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PacedClip, readPacedFrames } from "../../support/archive/paced-recording.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { nowUs, recordedBeyond, until } from "../../support/event/service-events.js";
import { SippingRelay } from "../../support/fleet/sipping-relay.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, pause, Service } from "../../support/service/service.js";

/** How long the hub hardly reads; `npm run torture -- hub-links` has more. */
const SIPS_MS = Number(process.env.NVRD_TEST_LINK_MS ?? 8000);
const RESIDENT_BYTES_MAX = 24 * 1024 * 1024;
const TIMEOUT_MS = 180_000 + 10 * SIPS_MS;

const directory = new TemporaryDirectory("sipping-hub");
let relay: SippingRelay;
let source: PacedSource;
let hub: Service;
let recorder: Service;
let id = "";
let below = "";

beforeAll(async () => {
  source = await PacedSource.start(1, SMALL_CLIP);
  const [hubPort = 0] = await freePorts(1);
  hub = await Service.start({ dataDir: directory.join("hub"), settings: { hubPort } });
  await hub.process.waitFor(/the hub is listening/);
  relay = await SippingRelay.to(hubPort);
  recorder = await Service.start({ dataDir: directory.join("recorder") });
  [id = ""] = await recorder.addCameras([{ name: "Gate", url: source.url(0) }]);
  const { Code } = await hub.json<{ Code: string }>("/api/boxes/code", { method: "POST" });
  await recorder.json("/api/hub", {
    method: "POST",
    body: { Code: Code.replace(/\/\/[^/]*:\d+\//, `//127.0.0.1:${relay.port}/`) },
  });
  const { ServerId } = await recorder.json<{ ServerId: string }>("/api/session");
  below = `/boxes/${ServerId}`;
  await connected();
}, TIMEOUT_MS);

afterAll(async () => {
  await recorder?.stop();
  await hub?.stop();
  relay?.stop();
  await source?.stop();
  directory.remove();
}, TIMEOUT_MS);

const connected = () =>
  until(hub, "the recorder at its hub", async () => {
    const answer = await hub.get(`${below}/api/session`, { timeoutMs: 10_000 }).catch(() => undefined);
    return answer?.status === 200;
  });

function residentBytes(): number {
  const status = readFileSync(`/proc/${recorder.process.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

it("a hub that reads a byte a second costs a recorder no picture and little memory, and has it back when it reads again", {
  timeout: TIMEOUT_MS,
}, async () => {
  const beganUs = nowUs() + 1_000_000;
  await recordedBeyond(recorder, [id], beganUs);
  const live = await hub.video(`channelid=${id}`);
  const file = hub.get(`/exportarchive?channelid=${id}&fromtime=${apiTime(beganUs - 5_000_000)}`);
  const ended = Promise.allSettled([readToEnd(live.parts), file]);
  const before = residentBytes();
  relay.isSipping = true;
  let most = 0;
  for (const end = performance.now() + SIPS_MS; performance.now() < end; await pause(200))
    most = Math.max(most, residentBytes() - before);
  relay.isSipping = false;
  console.info(`grown by ${(most / 1e6).toFixed(1)} MB while the hub read a byte a second`);
  live.close();
  await ended;
  await connected();
  expect(most).toBeLessThan(RESIDENT_BYTES_MAX);

  const toUs = nowUs();
  await recordedBeyond(recorder, [id], toUs);
  const query = `channelid=${id}&mode=archive&starttime=${apiTime(beganUs)}&speed=20`;
  const frames = await readPacedFrames(await recorder.video(query), ({ clock }) => clock.sentUs > toUs);
  expect(new PacedClip(source.clipFile).differencesOf(frames)).toEqual([]);
});

async function readToEnd(parts: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _part of parts) count += 1;
  return count;
}
