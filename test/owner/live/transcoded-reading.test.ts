import { expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import type { Transcoding } from "../../../src/picture/index.js";
import type { PictureUnit, PlaybackUnit, SoundUnit } from "../../../src/player/playback/playback-reading.js";
import { TranscodedReading } from "../../../src/player/playback/playback-transcode.js";

const FORMAT = { width: 320, height: 240, initialization: new Uint8Array(0) };
/** A parameter set and a slice, as an encoder gives a key frame. */
const ENCODED = Buffer.from(
  "00000001674200 0ada0a1a00000000168ce38800000000165888400".replace(" ", ""),
  "hex",
);

const times = (second: number) => ({
  ...{ decodeTimeUs: second * 1_000_000, presentationOffsetUs: 0, durationUs: 40_000 },
  ...{ discontinuity: second === 0, bytes: Buffer.alloc(8, second) },
});
const picture = (
  second: number,
  codec: PictureUnit["format"]["codec"],
  more: Partial<PictureUnit> = {},
): PictureUnit => ({
  ...{ kind: "picture", format: { ...FORMAT, codec }, streamType: "Main", key: false },
  ...times(second),
  ...more,
});
const sound = (second: number): SoundUnit => ({
  ...{ kind: "sound", ...times(second) },
  format: { codec: Codec.PCMU, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) },
});

/** What comes of units for a client that plays H.264: each as the second of its time, with a T where it was transcoded. */
async function shownOf(units: readonly PlaybackUnit[]): Promise<string[]> {
  let left = [...units];
  const pictures = {
    askForKey: () => undefined,
    restart: () => undefined,
    close: () => undefined,
    push: async ({ decodeTimeUs }: { decodeTimeUs: number }) => [
      { form: "h264", key: true, timeUs: decodeTimeUs, data: ENCODED },
    ],
  };
  const reading = new TranscodedReading({
    reading: {
      next: async () => {
        const some = left.slice(0, 1);
        left = left.slice(1);
        return some;
      },
      close: () => undefined,
    },
    plays: (codec) => codec === Codec.H264,
    transcoding: { openPlayback: () => pictures } as unknown as Pick<Transcoding, "openPlayback">,
    rotationOf: () => 0,
    ...{ tile: { width: 320, height: 240 }, speed: 1, wanted: "all", shownAtUs: 0 },
  });
  const shown: string[] = [];
  for (;;) {
    const some = await reading.next();
    if (some.length === 0) return shown;
    for (const unit of some) {
      const isTranscoded = unit.kind === "picture" && unit.isTranscoded === true;
      shown.push(`${unit.kind} ${unit.decodeTimeUs / 1_000_000}${isTranscoded ? " T" : ""}`);
    }
  }
}

it("transcodes all pictures of a codec that the client does not play, with sound between them", async () => {
  const units = [picture(0, Codec.H265, { key: true }), sound(1), picture(2, Codec.H265), sound(3)];
  expect(await shownOf(units)).toEqual(["picture 0 T", "sound 1", "picture 2 T", "sound 3"]);
});

it("transcodes what begins where no clean key frame is, up to the next one that is", async () => {
  const units = [
    picture(0, Codec.H264, { key: true, isUnclean: true }),
    picture(1, Codec.H264),
    picture(2, Codec.H264, { key: true, isUnclean: true }),
    picture(3, Codec.H264, { key: true }),
    picture(4, Codec.H264),
  ];
  expect(await shownOf(units)).toEqual([
    "picture 0 T",
    "picture 1 T",
    "picture 2 T",
    "picture 3",
    "picture 4",
  ]);
});

it("passes what was begun with a clean key frame as it is", async () => {
  const units = [
    picture(0, Codec.H264, { key: true }),
    picture(1, Codec.H264, { key: true, isUnclean: true }),
    picture(2, Codec.H264),
  ];
  expect(await shownOf(units)).toEqual(["picture 0", "picture 1", "picture 2"]);
});
