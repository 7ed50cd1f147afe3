// ffmpeg decodes the whole recording, which begins where a camera without clean key frames was joined.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatApiTimeMs } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { Frame, type LiveStream } from "../../../src/live/index.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { startApi, until } from "../../support/api/api-harness.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { notHere } from "../../support/base/not-here.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { archived } from "../../support/hls/hls-clips.js";
import { psnr } from "../../support/media/shown-clip.js";
import { JOINED_FRAME_US, joinedLate } from "../../support/rtsp/joined-late.js";

const WIDTH = 320;
const HEIGHT = 240;
const GOP = 20;
/** Of the JPEG against the picture of a decoder that has seen all before; a half grey one has 12. */
const PSNR_MIN_DB = 24;

const codec = new NativeCodec();
const api = forAllTests(() => startApi({ clock: new SimulatedClock(NINE_US + 86_400_000_000), codec }));
const directory = new TemporaryDirectory("site-unclean");
let frames: Frame[] = [];
let pictures: Buffer[] = [];

beforeAll(async () => {
  const track = await joinedLate({
    ...{ codec: Codec.H264, copyFormat: "h264", pace: 1 },
    encode: ["-c:v", "libx264", "-x264-params", `intra-refresh=1:keyint=${GOP}:bframes=0:slices=1`],
  });
  frames = track.frames.map(
    ({ format, bytes, key, damaged, undecodable }, index) =>
      new Frame({
        ...{ format, key, damaged, undecodable, presentationOffsetUs: 0 },
        decodeTimeUs: NINE_US + index * JOINED_FRAME_US,
        discontinuity: index === 0,
        ranges: [{ slab: undefined, bytes }],
      }),
  );
  track.close();
  const file = directory.join("recording.h264");
  writeFileSync(file, Buffer.concat(frames.map((frame) => frame.copyBytes())));
  const read = ["-loglevel", "error", "-flags", "+output_corrupt", "-f", "h264", "-i", file];
  const raw = execFileSync("ffmpeg", [...read, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], {
    maxBuffer: 1e9,
  });
  const bytes = WIDTH * HEIGHT * 3;
  pictures = Array.from({ length: raw.length / bytes }, (_, index) =>
    raw.subarray(index * bytes, (index + 1) * bytes),
  );
});
afterAll(() => directory.remove());

const keys = (): number[] => frames.flatMap((frame, index) => (frame.key ? [index] : []));

/** The frames are published by several tests. */
function publish(stream: LiveStream, all: readonly Frame[]): void {
  for (const frame of all) {
    frame.retain();
    stream.publish(frame);
  }
}

async function likeness(path: string, index: number): Promise<number> {
  const answer = await api.get(path);
  expect(answer.status).toBe(200);
  const still = await sharp(Buffer.from(await answer.arrayBuffer()))
    .raw()
    .toBuffer();
  return psnr(still, pictures[index] ?? expect.fail(`no picture ${index}`));
}

describe.skipIf(codec.missing !== undefined)(
  `a still of a camera without clean key frames${notHere(codec.missing)}`,
  () => {
    it("is whole at each place of a recording behind its first second", async () => {
      api.archive.record(
        { channelId: GATE_ID, streamType: "Main" },
        frames.map((frame, index) => ({ ...archived(frame, index === 0), damaged: frame.damaged })),
      );
      const [, second = 0] = keys();
      expect(frames[second]).toMatchObject({ key: true, damaged: true });
      for (const index of [second, second + 1, second + GOP / 2, second + GOP - 1, second + GOP]) {
        const time = encodeURIComponent(formatApiTimeMs(NINE_US + index * JOINED_FRAME_US));
        const path = `/site?channelid=${GATE_ID}&mode=archive&starttime=${time}&resolutionx=${WIDTH}`;
        expect(await likeness(path, index), `picture ${index}`).toBeGreaterThan(PSNR_MIN_DB);
      }
    });

    it("is live the newest picture, not the one that decoding begins with", async () => {
      const stream = api.streams.live(GATE_ID);
      stream.setState({ state: "active" });
      const [first = 0, second = 0] = keys();
      publish(stream, frames.slice(first, second));
      const path = `/site?channelid=${GATE_ID}&streamtype=main&resolutionx=${WIDTH}`;
      expect(await likeness(path, second - 1)).toBeGreaterThan(PSNR_MIN_DB);
      stream.setState({ state: "idle" });
    });

    it("is live whole right behind an entry too", async () => {
      const stream = api.streams.live(GATE_ID);
      stream.setState({ state: "active" });
      const [first = 0, second = 0] = keys();
      publish(stream, frames.slice(first, second + 2));
      const path = `/site?channelid=${GATE_ID}&streamtype=main&resolutionx=${WIDTH}`;
      expect(await likeness(path, second + 1)).toBeGreaterThan(PSNR_MIN_DB);
      stream.setState({ state: "idle" });
    });

    it("is whole where the camera is connected for it", async () => {
      const stream = api.streams.live(GATE_ID);
      const [first = 0, second = 0] = keys();
      const path = `/site?channelid=${GATE_ID}&streamtype=main&resolutionx=${WIDTH}`;
      const asked = likeness(path, second);
      await until("the stream is asked for", () => stream.subscribers > 0);
      stream.setState({ state: "active" });
      publish(stream, frames.slice(first, second + 1));
      expect(await asked).toBeGreaterThan(PSNR_MIN_DB);
      stream.setState({ state: "idle" });
    });
  },
);
