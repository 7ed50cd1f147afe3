import onvif from "node-onvif";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { inspectDevice } from "../../src/camera/index.js";
import { type DemoCamera, DemoCameras } from "../../src/demo/index.js";
import { REQUEST_BYTES_MAX } from "../../src/demo/onvif-device.js";
import { RawRtspClient } from "../support/rtsp/raw-rtsp-client.js";
import { runPlayer } from "../support/rtsp/rtsp-players.js";

const cameras = new DemoCameras({
  clock: new SystemClock(),
  log: createLog({ level: "silent" }),
  listen: "127.0.0.1",
  port: 0,
});
const OWNER = "c0ffee00-0000-4000-8000-000000000001";
let started: DemoCamera[] = [];

beforeAll(async () => {
  started = await cameras.start(OWNER);
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

  it("describe their streams by ONVIF", async () => {
    const seen = [];
    for (const { address, identity, url } of started) {
      const device = await inspectDevice({ address, login: "", password: "", clock: new SystemClock() });
      const streams = device.profiles.map(
        ({ codec, width, audioCodec }) => `${codec} ${width} ${audioCodec}`,
      );
      expect([device.identity, device.profiles[0]?.streamUri]).toEqual([identity, url]);
      seen.push([device.manufacturer, device.warnings, streams]);
    }
    expect(seen).toEqual([
      ["nvrd", [], ["H264 640 undefined", "MJPEG 320 undefined"]],
      ["nvrd", [], ["Hevc 640 undefined"]],
      ["nvrd", [], ["H264 640 G711"]],
      ["nvrd", [], ["MJPEG 320 undefined"]],
    ]);
  });

  it("are read by node-onvif as any camera is", async () => {
    const [camera] = started;
    const device = new onvif.OnvifDevice({ xaddr: `http://${camera?.address}/onvif/device_service` });
    const { Manufacturer, Model } = (await device.init()) as Record<string, unknown>;
    const list = device.getProfileList() as { name: string; stream: { rtsp: string }; snapshot: string }[];
    const profiles = list.map(({ name, stream, snapshot }) => [name, stream.rtsp, snapshot]);
    expect([Manufacturer, Model, profiles]).toEqual([
      "nvrd",
      "Demo H.264",
      [
        ["Main", camera?.url, `http://${camera?.address}/snapshot.jpg`],
        ["Sub", `${camera?.url}-small`, `http://${camera?.address}/snapshot.jpg`],
      ],
    ]);
  });

  it("serve snapshots that ffprobe reads", async () => {
    const entries = ["-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0"];
    for (const { address } of started) {
      const url = `http://${address}/snapshot.jpg`;
      const { output } = await runPlayer("ffprobe", ["-v", "error", "-f", "mjpeg", ...entries, url]);
      expect(output.toString().trim()).toBe("mjpeg,320,240");
    }
  });

  it("serve snapshots of their own", async () => {
    const jpegs = await Promise.all(
      started.map(async ({ address }) => {
        const response = await fetch(`http://${address}/snapshot.jpg`);
        return Buffer.from(await response.arrayBuffer()).toString("base64");
      }),
    );
    expect(new Set(jpegs).size).toBe(started.length);
  });

  it("have the same identities again for the same owner, and others for another", async () => {
    const [again, other] = await Promise.all([OWNER, "another"].map((owner) => identitiesFor(owner)));
    expect(again).toEqual(started.map(({ identity }) => identity));
    expect(other?.filter((identity) => again?.includes(identity))).toEqual([]);
  });

  it("refuse unknown and too large requests", async () => {
    const url = `http://${started[0]?.address}/onvif/device_service`;
    const unknown = await fetch(url, { method: "POST", body: "<s:Body><SystemReboot/></s:Body>" });
    expect([unknown.status, await unknown.text()]).toEqual([
      400,
      expect.stringContaining("ActionNotSupported"),
    ]);
    const large = await fetch(url, { method: "POST", body: " ".repeat(REQUEST_BYTES_MAX + 1) });
    expect(large.status).toBe(413);
    expect((await fetch(`http://${started[0]?.address}/elsewhere`)).status).toBe(404);
  });

  it("stop with viewers connected", async () => {
    const other = new DemoCameras({
      clock: new SystemClock(),
      log: createLog({ level: "silent" }),
      listen: "127.0.0.1",
      port: 0,
    });
    const [camera] = await other.start("another");
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

async function identitiesFor(owner: string): Promise<string[]> {
  const log = createLog({ level: "silent" });
  const some = new DemoCameras({ clock: new SystemClock(), log, listen: "127.0.0.1", port: 0 });
  try {
    return (await some.start(owner)).map(({ identity }) => identity);
  } finally {
    await some.stop();
  }
}
