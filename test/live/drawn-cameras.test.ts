import { expect, it } from "vitest";
import { Codec, DecodeTimeline, Frame, FramesInDoubt, StreamClock } from "../../src/live/index.js";
import { RtpTimeline } from "../../src/rtsp/rtp/rtp-timeline.js";
import { printedRandom, SeededRandom, testSeed } from "../support/base/seeded-random.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import type { ClipName } from "../support/rtsp/zoo/clips.js";
import { drawnCamera } from "../support/rtsp/zoo/drawn-cameras.js";
import type { Habit } from "../support/rtsp/zoo/habit.js";

/** `npm run torture -- zoo` draws more, and others each time. */
const MINUTES = Number(process.env.NVRD_TEST_ZOO_MINUTES ?? 0);
const CAMERAS = MINUTES > 0 ? 1000 * MINUTES : 400;
const SECONDS = 30;
const SEED = 1;
const APART_US_MAX = 500_000;
/** Of so many parts of the cameras a picture may be further off: see the caveats of `docs/design/frames.md`. */
const FURTHER_PART = 0.02;
const FURTHER_REORDERED_PART = 0.3;
/** No picture is further off than this. */
const FURTHER_US_MAX = 6_000_000;
const TICK_US = 200_000;
const PROMPT_US = 1_000_000;
const GOP = 20;
const VIDEO = { codec: Codec.MPEG4, width: 16, height: 16, configuration: new Uint8Array() } as never;
/** By how many pictures later each of a group is shown, as x264 and x265 order them. */
const ORDERS: Partial<Record<ClipName, readonly number[]>> = {
  h264B: [0, 2, -1, -1, 1, -1, 2, -1, -1, 0, 2, -1, -1, 2, -1, -1, 2, -1, -1, 0],
  h265B: [0, 2, 0, -2, 2, 0, -2, 2, 0, -2, 2, 0, -2, 2, 0, -2, 2, 0, -2, 0],
};

interface Dated {
  readonly takenUs: number;
  readonly cameUs: number;
  readonly heldUs: number;
  shownUs: number;
  decodeUs: number;
}

/** Its pictures by the clocks of a stream; from the first one's arrival on. */
function record(camera: Habit, isTick: boolean) {
  const clock = new SimulatedClock();
  const track = new StreamClock(clock).openTrack("video");
  const decode = new DecodeTimeline();
  const timeline = new RtpTimeline(90_000);
  const order = ORDERS[camera.clip ?? "h264"];
  const depth = order === undefined ? 0 : 2;
  decode.setReorderDepth(depth);
  const startUs = clock.monotonicUs();
  const wallUs = clock.nowUs();
  const pictures: Dated[] = [];
  let fragments = 0;
  const doubtful = new FramesInDoubt((frame) => {
    const at = Buffer.from(frame.copyBytes()).readUInt32BE(0);
    const picture = pictures[at];
    if (picture === undefined) throw new Error("it was sent");
    picture.decodeUs = frame.decodeTimeUs - wallUs;
    picture.shownUs = frame.decodeTimeUs + frame.presentationOffsetUs - wallUs;
    if (frame.discontinuity) fragments += 1;
    frame.release();
  });
  const takenMs = camera.takenMs ?? ((index: number) => index * 100);
  let readUs = 0;
  for (let index = 0; ; index += 1) {
    const shownLater = order?.[index % GOP] ?? 0;
    const shownMs = takenMs(index + shownLater);
    const encodedMs = takenMs(index + (order === undefined ? 0 : 2));
    const sentMs = camera.sentMs?.(encodedMs) ?? encodedMs;
    if (sentMs > SECONDS * 1000) break;
    const cameUs = Math.max(pictures[index - 1]?.cameUs ?? 0, sentMs * 1000);
    const isPrompt = !isTick || cameUs < (pictures[0]?.cameUs ?? cameUs) + PROMPT_US;
    readUs = Math.max(readUs, isPrompt ? cameUs : Math.ceil(cameUs / TICK_US) * TICK_US);
    if (startUs + readUs > clock.monotonicUs()) clock.advance(startUs + readUs - clock.monotonicUs());
    doubtful.onTick(clock.monotonicUs());
    const ticks = camera.stamp?.(Math.round(shownMs * 90), { index, shownLater } as never) ?? shownMs * 90;
    const rawUs = timeline.mediaUs((Math.round(ticks) % 2 ** 32) >>> 0);
    const presentationUs = track.media(rawUs, undefined, depth);
    const key = index % GOP === 0;
    const { decodeUs, presentationOffsetUs } = decode.next(presentationUs, key);
    const time = track.stamp(decodeUs, undefined, undefined, presentationUs);
    if (time === undefined) throw new Error("video is always stamped");
    const heldUs = camera.isHeldUp === true ? cameUs - encodedMs * 1000 : 0;
    pictures.push({
      ...{ takenUs: cameUs - heldUs + (shownMs - encodedMs) * 1000, cameUs, heldUs, shownUs: 0, decodeUs: 0 },
    });
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(index);
    const { timeUs: decodeTimeUs, discontinuity } = time;
    doubtful.take(
      new Frame({
        ...{
          format: VIDEO,
          decodeTimeUs,
          presentationOffsetUs: Math.round(presentationOffsetUs),
          discontinuity,
        },
        ...{ key, damaged: false, undecodable: false, ranges: [{ slab: undefined, bytes }] },
      }),
      track.stampDoubt,
      clock.monotonicUs(),
    );
  }
  doubtful.release();
  return { pictures, fragments };
}

function worstOf({ pictures }: { readonly pictures: readonly Dated[] }): { offUs: number; at: number } {
  let worst = { offUs: 0, at: 0 };
  for (const [at, { takenUs, cameUs, shownUs }] of pictures.entries()) {
    const offUs = Math.max(shownUs - cameUs, takenUs - shownUs);
    if (offUs > worst.offUs) worst = { offUs, at };
  }
  return worst;
}

/** The cameras of which a picture is further off than it should be, by their names. */
function furtherOff(cameras: readonly Habit[]): string[] {
  return cameras.flatMap((camera, at) => {
    const { pictures, fragments } = record(camera, at % 2 === 0);
    const { offUs, at: worstAt } = worstOf({ pictures });
    const isInOrder = pictures.every(
      ({ decodeUs }, index) => index === 0 || decodeUs > (pictures[index - 1]?.decodeUs ?? 0),
    );
    const text = `${camera.name}: picture ${worstAt} is ${Math.round(offUs / 1000)} ms off`;
    if (fragments !== 1 || !isInOrder || offUs > FURTHER_US_MAX)
      expect.unreachable(`${text}, ${fragments} fragments, ${isInOrder ? "in" : "out of"} order`);
    return offUs > APART_US_MAX ? [text] : [];
  });
}

it("pictures by drawn clocks and deliveries are in one fragment, in order, near their arrival", {
  timeout: 60_000 + MINUTES * 60_000,
}, () => {
  const random = MINUTES > 0 ? printedRandom("drawn clocks") : new SeededRandom(testSeed(SEED));
  const cameras = Array.from({ length: CAMERAS }, () => drawnCamera(random, SECONDS));
  const isReordered = ({ clip = "h264" }: Habit): boolean => ORDERS[clip] !== undefined;
  for (const [some, part] of [
    [cameras.filter((camera) => !isReordered(camera)), FURTHER_PART],
    [cameras.filter(isReordered), FURTHER_REORDERED_PART],
  ] as const) {
    const further = furtherOff(some);
    if (further.length > part * some.length) expect(further).toEqual([]);
  }
});
