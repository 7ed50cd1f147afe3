import { afterEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { LiveStream } from "../../../src/live/index.js";
import {
  LiveMount,
  type MountResolver,
  type MountSource,
  RtspServer,
} from "../../../src/rtsp/server/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { HandSource, handFrame, handSlice } from "../../support/rtsp/hand-source.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { readRtp } from "../../support/rtsp/rtp-reassembly.js";

const TCP = { Transport: "RTP/AVP/TCP;unicast;interleaved=0-1" };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(mounts: ReadonlyMap<string, MountSource> | MountResolver) {
  const server = new RtspServer({
    listen: "127.0.0.1",
    port: 0,
    mounts,
    clock: new SimulatedClock(),
    log: createLog({ level: "silent" }),
  });
  const { port } = await server.start();
  const client = await RawRtspClient.connect(port);
  closing.push(
    () => client.close(),
    () => server.stop(),
  );
  return { client, port };
}

describe("mounts", () => {
  it("are resolved by path and query, the track set apart", async () => {
    const asked: string[] = [];
    const source = new HandSource();
    const { client, port } = await serve(async (resource) => {
      asked.push(resource);
      return source;
    });
    const uri = `rtsp://127.0.0.1:${port}/rtsp?channelid=1&sound=on`;
    const described = await client.request("DESCRIBE", uri);
    expect(described.headers.get("content-base")).toBe(`${uri}/`);
    expect(described.body).toContain(`a=control:${uri}/trackID=1\r\n`);
    expect((await client.request("SETUP", `${uri}/trackID=1`, TCP)).status).toBe(200);
    const played = await client.request("PLAY", `${uri}/`);
    expect(played.headers.get("rtp-info")).toMatch(/^url=rtsp:.*sound=on\/trackID=1;seq=\d+$/);
    expect(asked).toEqual(["/rtsp?channelid=1&sound=on", "/rtsp?channelid=1&sound=on"]);
  });

  it("from a fixed set take any query", async () => {
    const { client, port } = await serve(new Map([["/hand", new HandSource()]]));
    expect((await client.request("DESCRIBE", `rtsp://127.0.0.1:${port}/hand?profile=1`)).status).toBe(200);
    expect((await client.request("DESCRIBE", `rtsp://127.0.0.1:${port}/hand/`)).status).toBe(200);
  });

  it.each([
    [true, [1, 2, 3]],
    [false, [4]],
  ])("of a live stream start with the current GOP when asked to (fromGop %s)", async (fromGop, seen) => {
    const stream = new LiveStream({ channelId: "00000000-0000-0000-0000-000000000001", streamType: "Main" });
    const { client, port } = await serve(
      new Map([["/live", new LiveMount({ title: "Live", stream, fromGop })]]),
    );
    const uri = `rtsp://127.0.0.1:${port}/live`;
    expect((await client.request("DESCRIBE", uri)).status).toBe(503);
    const publish = (fill: number, key: boolean) =>
      stream.publish(handFrame({ atUs: fill * 40_000, bytes: handSlice(key, fill), key }));
    stream.setState({ state: "active" });
    publish(1, true);
    publish(2, false);
    expect((await client.request("DESCRIBE", uri)).body).toContain("H264/90000");
    await client.request("SETUP", `${uri}/trackID=0`, TCP);
    await client.request("PLAY", uri);
    expect(stream.subscribers).toBe(1);
    publish(3, false);
    if (!fromGop) publish(4, true);
    const video = () =>
      client.packets.filter((one) => one.channel === 0).map((one) => readRtp(one.packet).payload[1]);
    await client.until(() => video().length === seen.length);
    expect(video()).toEqual(seen);
    expect((await client.request("TEARDOWN", uri)).status).toBe(200);
    expect(stream.subscribers).toBe(0);
  });
});
