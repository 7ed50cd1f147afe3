import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { ArchivedFrame } from "../../../src/archive/index.js";
import { formatApiTimeMs } from "../../../src/base/index.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { liveFrame, NINE_US } from "../../support/api/api-frames.js";
import { startApi } from "../../support/api/api-harness.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { notHere } from "../../support/base/not-here.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { psnr, type ShownClip, shownClip } from "../../support/media/shown-clip.js";

/** Of the JPEG against ffmpeg's picture: what 4:2:0 at our quality leaves of sharp colours. */
const PSNR_MIN_DB = 24;
const codec = new NativeCodec();
const { missing } = codec;

const api = forAllTests(() => startApi({ clock: new SimulatedClock(NINE_US + 86_400_000_000), codec }));

function archived(clip: ShownClip): ArchivedFrame[] {
  return clip.units.map((unit, index) => ({
    codec: clip.codec,
    decodeTimeUs: NINE_US + unit.decodeTimeUs,
    presentationOffsetUs: unit.presentationOffsetUs,
    key: unit.key,
    damaged: false,
    undecodable: false,
    streamType: "Main" as const,
    startsFragment: index === 0,
    bytes: Buffer.concat(unit.bytes),
  }));
}

/** The still of an answer, and which of the clip's pictures it is most like. */
async function compare(response: Response, clip: ShownClip) {
  expect(response.status, response.ok ? "" : await response.text()).toBe(200);
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const likeness = clip.pictures.map((picture) => psnr(data, picture));
  const decibels = Math.max(...likeness);
  return { index: likeness.indexOf(decibels), decibels, size: `${info.width}x${info.height}` };
}

/** Time of the `index`th picture as it is shown. */
function shownUs(clip: ShownClip, index: number): number {
  const times = clip.units.map((unit) => NINE_US + unit.decodeTimeUs + unit.presentationOffsetUs);
  return times.sort((one, other) => one - other)[index] ?? 0;
}

describe.skipIf(missing !== undefined)(`a still beside ffmpeg's picture${notHere(missing)}`, () => {
  it.each([
    ["H.264 with B-frames", { codec: "h264", width: 320, height: 240, bFrames: 2 }],
    ["H.264 of an odd size", { codec: "h264", width: 322, height: 182 }],
    ["H.265", { codec: "h265", width: 320, height: 240, bFrames: 2 }],
    ["MPEG-4 Part 2", { codec: "mpeg4", width: 320, height: 240 }],
    ["MJPEG", { codec: "mjpeg", width: 320, height: 240 }],
  ] as const)("of %s is the right one, recorded and live", async (_title, options) => {
    const clip = await shownClip({ seconds: 1.2, gopFrames: 12, ...options });
    await api.archive.deleteChannel(GATE_ID);
    // Another revision, so that no moment of the clip before is remembered.
    await api.site.change((site) => ({ ...site }));
    api.archive.record({ channelId: GATE_ID, streamType: "Main" }, archived(clip));
    const full = `&resolutionx=${options.width}`;
    for (const wanted of [0, 5, 12, 17, 26]) {
      const time = encodeURIComponent(formatApiTimeMs(shownUs(clip, wanted)));
      const answer = await api.get(`/site?channelid=${GATE_ID}&mode=archive&starttime=${time}${full}`);
      const { index, decibels, size } = await compare(answer, clip);
      expect([wanted, index, size]).toEqual([wanted, wanted, `${options.width}x${options.height}`]);
      expect(decibels).toBeGreaterThan(PSNR_MIN_DB);
    }
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    for (const [index, { key, decodeTimeUs, presentationOffsetUs, bytes }] of clip.units.entries()) {
      const atUs = NINE_US + 3_600_000_000 + decodeTimeUs;
      const fields = { codec: clip.codec, key, atUs, presentationOffsetUs, bytes: Buffer.concat(bytes) };
      stream.publish(liveFrame(index, fields));
    }
    const live = `/site?channelid=${GATE_ID}&streamtype=main${full}`;
    const key = await compare(await api.get(live), clip);
    const keys = clip.units.filter((unit) => unit.key).length;
    expect(key.index).toBe(keys === clip.units.length ? clip.units.length - 1 : (keys - 1) * 12);
    const newest = await compare(await api.get(`${live}&exact=true`), clip);
    expect(newest.index).toBe(clip.pictures.length - 1);
    stream.setState({ state: "idle" });
  });

  it("of 64x36, turned, is the picture made small and turned", async () => {
    const clip = await shownClip({ codec: "h264", width: 640, height: 360, seconds: 0.2, gopFrames: 5 });
    await api.archive.deleteChannel(GATE_ID);
    api.archive.record({ channelId: GATE_ID, streamType: "Main" }, archived(clip));
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) => {
        const { streams } = camera.connection;
        const Main = { ...streams.Main, rotationMode: "By90ClockwiseDegree" as const };
        return { ...camera, connection: { ...camera.connection, streams: { ...streams, Main } } };
      }),
    }));
    const path = `/site?channelid=${GATE_ID}&mode=archive&starttime=21.11.2026+09:00:00&resolutiony=64`;
    const still = Buffer.from(await (await api.get(path)).arrayBuffer());
    const { data, info } = await sharp(still).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([36, 64]);
    const raw = { width: 640, height: 360, channels: 3 } as const;
    const [first] = clip.pictures;
    const small = await sharp(first, { raw }).resize(64, 36, { fit: "fill" }).raw().toBuffer();
    const turned = await sharp(small, { raw: { ...raw, width: 64, height: 36 } })
      .rotate(90)
      .raw()
      .toBuffer();
    expect(psnr(data, turned)).toBeGreaterThan(20);
  });
});
