import { afterEach, expect, it, vi } from "vitest";
import { invariant } from "../../../src/base/index.js";
import { TrackClock } from "../../../src/live/track-clock.js";
import { H264Depacketizer } from "../../../src/rtsp/depacketize/h264-depacketizer.js";
import {
  cameraAnswers,
  keyFrames,
  reply,
  ScriptedRtspServer,
} from "../../support/rtsp/scripted-rtsp-server.js";
import { lastReason, makeSource, type SourceHarness } from "../../support/rtsp/source-harness.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A source of a camera that sends pictures. */
async function watch(): Promise<SourceHarness> {
  const server = await new ScriptedRtspServer(
    cameraAnswers({ PLAY: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 8)]) }),
  ).start(0);
  const harness = makeSource({ url: server.url });
  cleanups.push(
    () => server.stop(),
    () => harness.source.stop(),
  );
  return harness;
}

/** The third call of a method finds an invariant that does not hold. */
function breakThird<Name extends string>(
  prototype: Record<Name, (...given: never[]) => unknown>,
  name: Name,
): void {
  const { [name]: real } = prototype;
  let calls = 0;
  vi.spyOn(prototype as Record<string, (...given: unknown[]) => unknown>, name).mockImplementation(function (
    this: unknown,
    ...given: unknown[]
  ) {
    calls += 1;
    invariant(calls !== 3, "frame-time");
    return Reflect.apply(real, this, given);
  });
}

it("an invariant that does not hold while a packet is handled stops the stream, which begins again", async () => {
  breakThird(TrackClock.prototype, "stamp");
  const harness = await watch();
  harness.source.start();
  await harness.until(() => lastReason(harness) !== "");
  expect(lastReason(harness)).toContain("fault in nvrd (frame-time)");
  expect(harness.frames).toHaveLength(2);
  expect(harness.stream.losses.total("recorder-fault")).toBe(1);
  expect(harness.logLines.join("")).toContain("because of a fault in the recorder");
  await harness.until(() => harness.frames.length > 2);
  expect(harness.frames[2]).toMatchObject({ key: true, discontinuity: true });
});

it("a unit in progress is not published where one does not hold", async () => {
  breakThird(H264Depacketizer.prototype, "receive");
  const harness = await watch();
  harness.source.start();
  await harness.until(() => lastReason(harness) !== "");
  const units = harness.frames.length;
  await harness.source.stop();
  expect(units).toBeLessThanOrEqual(2);
  expect(harness.frames.every(({ damaged }) => !damaged)).toBe(true);
  expect(harness.stream.losses.total("recorder-fault")).toBe(1);
});

it("one that does not hold on the tick ends that session alone", async () => {
  const [one, other] = [await watch(), await watch()];
  const failing = vi.fn((): never => invariant(false, "unit-order") as never);
  one.source.start();
  other.source.start();
  await one.until(() => one.frames.length > 0 && other.frames.length > 0);
  vi.spyOn(one.stream.losses, "look").mockImplementationOnce(failing);
  await one.until(() => lastReason(one) !== "");
  expect(failing).toHaveBeenCalledTimes(1);
  expect(lastReason(one)).toContain("fault in nvrd (unit-order)");
  expect(lastReason(other)).toBe("");
});
