import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NativeCodec } from "../../../src/picture/codec/native-codec.js";
import { readPacedFrames } from "../../support/archive/paced-recording.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, Service } from "../../support/service/service.js";

const { missing } = new NativeCodec();
const THUMBNAILS = 64;
const RECORDED_US = 6_000_000;

let directory: TemporaryDirectory;
let source: PacedSource;
let service: Service;
let recordedId = "";
let unrecordedId = "";

beforeAll(async () => {
  directory = new TemporaryDirectory("site");
  source = await PacedSource.start(2, SMALL_CLIP);
  service = await Service.start({ dataDir: directory.join("data"), settings: { segmentSeconds: 5 } });
  [recordedId = "", unrecordedId = ""] = await service.addCameras([
    { name: "Gate", url: source.url(0) },
    { name: "Yard", url: source.url(1), archivingDisabled: true },
  ]);
  await service.recorded([recordedId], RECORDED_US);
});

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  directory?.remove();
});

async function sizeOf(path: string): Promise<string> {
  const { status, headers, body } = await service.get(path);
  expect([status, headers["content-type"]], body.toString("latin1", 0, 200)).toEqual([200, "image/jpeg"]);
  const { width, height } = await sharp(body).metadata();
  return `${width}x${height}`;
}

describe.skipIf(missing !== undefined)(`/site of the whole service${notHere(missing)}`, () => {
  it("shows a camera that is recorded, and connects one that nobody watches", async () => {
    expect(await sizeOf(`/site?channelid=${recordedId}`)).toBe("64x36");
    expect(await sizeOf(`/site?channelid=${unrecordedId}&resolutionx=99999`)).toBe(
      `${SMALL_CLIP.width}x${SMALL_CLIP.height}`,
    );
    expect(await sizeOf(`/site?channelid=${unrecordedId}&exact=true`)).toBe("64x36");
  });

  it("fills a time line of 64 moments at once, while no frame is missed in the recording", async () => {
    const [fragment] = await service.fragments(recordedId);
    const fromUs = fragment?.fromUs ?? 0;
    const before = await source.report();
    const moments = Array.from({ length: THUMBNAILS }, (_, index) =>
      Math.round(fromUs + (index * RECORDED_US) / THUMBNAILS),
    );
    const answers = await Promise.all(
      moments.map((atUs) =>
        service.get(`/site?channelid=${recordedId}&mode=archive&starttime=${apiTime(atUs)}`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(moments.map(() => 200));
    const shown = answers.map(({ headers }) => String(headers.timestamp));
    // 25 pictures a second: none is shown for two of these moments.
    expect(new Set(shown).size).toBe(THUMBNAILS);
    expect([...shown].sort()).toEqual(shown);
    expect((await source.report()).droppedFrames).toBe(before.droppedFrames);
    const video = await service.video(
      `channelid=${recordedId}&mode=archive&starttime=${apiTime(fromUs)}&speed=20`,
    );
    const frames = await readPacedFrames(video, (_, count) => count === 150);
    const numbers = frames.map(({ clock }) => clock.frame);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  it("shows what was recorded after the cameras have gone", async () => {
    await source.stop();
    expect(await sizeOf(`/site?channelid=${recordedId}&mode=archive&starttime=01.01.2222+23:59:59`)).toBe(
      "64x36",
    );
  });
});
