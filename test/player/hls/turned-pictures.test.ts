import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import type { Frame } from "../../../src/live/index.js";
import { NativeCodec } from "../../../src/picture/index.js";
import type { RotationMode } from "../../../src/site/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { FRAME_US, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { clipFrames, clipUs, recordedClip } from "../../support/hls/hls-clips.js";
import { type CodedClip, codedClip } from "../../support/media/coded-clip.js";

const FRAMES = 120;
const TILE = { width: 320, height: 240 };
const KEY = { channelId: GATE_ID, streamType: "Main" } as const;

let clip: CodedClip;
let api: ApiHarness;
let isOver = false;

beforeAll(async () => {
  const size = { width: 160, height: 120, frames: FRAMES };
  clip = await codedClip({ ...size, codec: Codec.MJPEG, flags: ["-q:v", "5"] });
});

beforeEach(async () => {
  isOver = false;
  api = await startApi({ codec: new NativeCodec() });
});

afterEach(async () => {
  isOver = true;
  await api.stop();
});

async function turn(rotationMode: RotationMode): Promise<void> {
  await api.site.change((site) => ({
    ...site,
    cameras: site.cameras.map((camera) => {
      const { streams } = camera.connection;
      const Main = { ...streams.Main, rotationMode };
      return { ...camera, connection: { ...camera.connection, streams: { ...streams, Main } } };
    }),
  }));
}

/** The camera sends the clip again and again, far faster than it is shown. */
async function send(): Promise<void> {
  const stream = api.streams.live(GATE_ID);
  stream.setState({ state: "active" });
  for (let fromUs = NINE_US; !isOver; fromUs += clipUs(FRAMES) + FRAME_US) {
    for (const frame of clipFrames(clip, { fromUs })) await publish(stream, frame);
  }
}

async function publish(stream: { publish(frame: Frame): void }, frame: Frame): Promise<void> {
  if (isOver) return;
  stream.publish(frame);
  await new Promise((resolve) => setTimeout(resolve, 4));
}

async function sizeByHls(query: string): Promise<string | undefined> {
  const response = await api.get(`/hls?channelid=${GATE_ID}&${query}`);
  const name = await response.text();
  expect([response.status, name]).toEqual([200, expect.stringMatching(/\.m3u8$/)]);
  const playlist = await (await fetch(api.url(`/hls/${name}`))).text();
  return /RESOLUTION=(\d+x\d+)/.exec(playlist)?.[1];
}

describe("pictures that are transcoded to H.264", () => {
  it.each([
    ["None", "160x120"],
    ["By90ClockwiseDegree", "120x160"],
    ["By180Degree", "160x120"],
  ] as const)("by HLS, live and recorded, are turned %s", async (mode, size) => {
    await turn(mode);
    api.archive.record(KEY, recordedClip(clip));
    expect(await sizeByHls("mode=archive&starttime=21.11.2026+09:00:00")).toBe(size);
    const sent = send();
    expect(await sizeByHls("streamtype=main")).toBe(size);
    isOver = true;
    await sent;
  });

  it(
    "over the live socket are turned, and when the setting changes",
    async () => {
      await turn("By90ClockwiseDegree");
      const sent = send();
      const client = new LiveSocketClient(api.port);
      await client.greet(["avc1"]);
      client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE, stream: "main" });
      await until("a turned picture", () => client.of("stream").length > 0);
      expect(client.of("stream")[0]).toMatchObject({ source: "transcode", width: 120, height: 160 });
      await turn("None");
      await until("a picture as the camera sends it", () => client.of("stream").at(-1)?.width === 160);
      expect(client.of("stream").at(-1)).toMatchObject({ source: "transcode", width: 160, height: 120 });
      client.close();
      isOver = true;
      await sent;
    },
    PATIENCE_MS,
  );
});
