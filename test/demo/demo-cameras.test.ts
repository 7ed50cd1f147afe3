import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { type DemoCamera, DemoCameras } from "../../src/demo/index.js";
import { RawRtspClient } from "../support/raw-rtsp-client.js";
import { runPlayer } from "../support/rtsp-players.js";

const cameras = new DemoCameras({
  clock: new SystemClock(),
  log: createLog({ level: "silent" }),
  listen: "127.0.0.1",
  port: 0,
});
let started: DemoCamera[] = [];

beforeAll(async () => {
  started = await cameras.start();
});

afterAll(() => cameras.stop());

describe("demo cameras", () => {
  it.concurrent.each([
    ["Street H.264", ["h264,640,480"]],
    ["Street H.265", ["hevc,640,480"]],
    ["Street with sound", ["h264,640,480", "pcm_mulaw"]],
    ["Street MJPEG", ["mjpeg,320,240"]],
  ])("ffprobe sees %s", async (name, streams) => {
    const camera = started.find((one) => one.name === name);
    const entries = "stream=codec_name,width,height";
    const { output, errors } = await runPlayer("ffprobe", [
      "-v",
      "error",
      "-rtsp_transport",
      "tcp",
      "-show_entries",
      entries,
      "-of",
      "csv=p=0",
      camera?.url ?? "",
    ]);
    expect([output.toString().trim().split("\n"), errors]).toEqual([streams, ""]);
  });

  it("tell names, addresses and descriptions", () => {
    expect(started).toHaveLength(4);
    for (const camera of started) expect(camera.url).toMatch(/^rtsp:\/\/127\.0\.0\.1:\d+\/street-/);
  });

  it("stop with viewers connected", async () => {
    const other = new DemoCameras({
      clock: new SystemClock(),
      log: createLog({ level: "silent" }),
      listen: "127.0.0.1",
      port: 0,
    });
    const [camera] = await other.start();
    const url = camera?.url ?? "";
    const client = await RawRtspClient.connect(Number(new URL(url).port));
    await client.request("SETUP", `${url}/trackID=0`, { Transport: "RTP/AVP/TCP;unicast;interleaved=0-1" });
    await client.request("PLAY", url);
    await client.until(() => client.packets.length > 0);
    await other.stop();
    await client.until(() => client.closed);
    expect(client.closed).toBe(true);
  });
});
