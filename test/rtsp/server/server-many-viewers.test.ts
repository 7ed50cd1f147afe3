import { afterEach, beforeEach, expect, it } from "vitest";
import { createLog, newGuid } from "../../../src/base/index.js";
import { LiveStream } from "../../../src/live/index.js";
import { LiveMount, RtspServer } from "../../../src/rtsp/server/index.js";
import { until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { handFrame, handSlice } from "../../support/rtsp/hand-source.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { readRtp, reassembleH264 } from "../../support/rtsp/rtp-reassembly.js";

const VIEWERS = 100;
const FRAMES = 100;
const FRAME_BYTES = 20_000;
const GOP = 25;

let server: RtspServer;
let stream: LiveStream;
const viewers: RawRtspClient[] = [];

beforeEach(async () => {
  stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
  stream.setState({ state: "active" });
  publish(0);
  server = new RtspServer({
    listen: "127.0.0.1",
    port: 0,
    mounts: new Map([["/live", new LiveMount({ title: "Live", stream, fromGop: true })]]),
    clock: new SimulatedClock(),
    log: createLog({ level: "silent" }),
  });
  const { port } = await server.start();
  const url = `rtsp://127.0.0.1:${port}/live`;
  for (let at = 0; at < VIEWERS; at++) {
    const viewer = await RawRtspClient.connect(port);
    viewers.push(viewer);
    await viewer.request("SETUP", `${url}/trackID=0`, { Transport: "RTP/AVP/TCP;unicast" });
    expect((await viewer.request("PLAY", url)).status).toBe(200);
  }
});

afterEach(async () => {
  for (const viewer of viewers.splice(0)) viewer.close();
  await server.stop();
});

/** The slice of a frame is full of its number, counted from 1. */
function publish(index: number): void {
  const key = index % GOP === 0;
  stream.publish(handFrame({ atUs: index * 40_000, bytes: handSlice(key, index + 1, FRAME_BYTES), key }));
}

/** Numbers of the frames that a viewer has whole and unharmed, in the order they came. */
function framesOf(viewer: RawRtspClient | undefined): number[] {
  const packets = (viewer?.packets ?? []).filter((one) => one.channel === 0);
  return reassembleH264(packets.map((one) => readRtp(one.packet).payload)).map((nal) => {
    const number = nal[1] ?? 0;
    expect(nal.length === FRAME_BYTES + 1 && nal.subarray(1).every((byte) => byte === number)).toBe(true);
    return number;
  });
}

it("a hundred viewers get each frame intact, while some hang and some vanish", async () => {
  const [hanging, vanished, ...lively] = viewers;
  hanging?.socket.pause();
  const packets = (viewer: RawRtspClient) => viewer.packets.filter((one) => one.channel === 0).length;
  const perFrame = Math.ceil(FRAME_BYTES / 1398);
  for (let index = 1; index < FRAMES; index++) {
    publish(index);
    if (index === FRAMES / 2) vanished?.socket.resetAndDestroy();
    // As a camera does, frames leave the others time: the slowest of them has all but a few.
    await until("the viewers follow", () =>
      lively.every((viewer) => packets(viewer) > (index - 3) * perFrame),
    );
  }
  await until("all came", () => lively.every((viewer) => packets(viewer) >= FRAMES * perFrame));
  const all = Array.from({ length: FRAMES }, (_, index) => index + 1);
  for (const viewer of [lively[0], lively[49], lively.at(-1)]) expect(framesOf(viewer)).toEqual(all);
  await until("the one that vanished is gone", () => server.connections === VIEWERS - 1);
  expect(stream.subscribers).toBe(VIEWERS - 1);
  hanging?.socket.resume();
  // What it has begins with the first frame, and goes on at a key frame where frames had to be left out.
  await until("the one that hung has something", () => hanging !== undefined && packets(hanging) > perFrame);
  const seen = framesOf(hanging);
  seen.slice(1).forEach((number, at) => {
    expect(number === (seen[at] ?? 0) + 1 || (number - 1) % GOP === 0).toBe(true);
  });
});
