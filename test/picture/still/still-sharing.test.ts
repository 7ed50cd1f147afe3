import { beforeEach, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { CodecError } from "../../../src/picture/codec/codec-error.js";
import {
  type StillMaterial,
  type StillShare,
  type StillSource,
  Stills,
  type StillsOptions,
} from "../../../src/picture/index.js";
import { FRAME_US, frameBytes, NINE_US } from "../../support/api/api-frames.js";
import { until } from "../../support/api/api-harness.js";
import { SILENT_LOG } from "../../support/archive/archive-fixture.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { frameNumber, ScriptedCodec } from "../../support/picture/scripted-codec.js";

const SMALL = { width: 64, height: 36 };

let codec: ScriptedCodec;
let clock: SimulatedClock;
let stills: Stills;
/** Materials that were opened and not released. */
let open = 0;

beforeEach(() => {
  open = 0;
  codec = new ScriptedCodec();
  clock = new SimulatedClock(NINE_US);
  stills = newStills();
});

function newStills(options: Partial<StillsOptions> = {}): Stills {
  return new Stills({ codec, cacheBytesMax: 1_000_000, clock, log: SILENT_LOG, ...options });
}

function material(frame: number, change: Partial<StillMaterial> = {}): StillMaterial {
  const timeUs = NINE_US + frame * FRAME_US;
  open += 1;
  return {
    kind: "coded",
    frame: { stream: "gate/Main", timeUs, rotation: 0 },
    shownUs: timeUs,
    format: { codec: Codec.H264, width: 640, height: 360, initialization: new Uint8Array(0) },
    units: [{ bytes: [frameBytes(frame)], key: true, decodeTimeUs: timeUs, presentationOffsetUs: 0 }],
    lasting: false,
    release: () => {
      open -= 1;
    },
    ...change,
  } as StillMaterial;
}

function source(frame: number, key = `frame ${frame}`): StillSource {
  return { key, open: async () => material(frame) };
}

/** A source whose camera is there when the test says so. */
function slowSource(key: string): StillSource & { arrive(): void; readonly signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  let arrive: () => void = () => undefined;
  const there = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return {
    key,
    signals,
    arrive: () => arrive(),
    prepare: async (signal) => {
      signals.push(signal);
      await there;
      return material(1);
    },
    open: () => Promise.reject(new Error("what was prepared is taken")),
  };
}

const outcome = (share: StillShare): Promise<unknown> =>
  share.still.then(
    () => "made",
    (error: Error) => error.message,
  );

describe("requests for one frame", () => {
  it("share one decoding, and the picture is kept", async () => {
    codec.hold();
    const shares = Array.from({ length: 20 }, () => stills.make(source(1), SMALL));
    await until("it is being decoded", () => codec.held === 1);
    shares.push(stills.make(source(1), SMALL));
    codec.release();
    const made = await Promise.all(shares.map((share) => share.still));
    expect(new Set(made).size).toBe(1);
    expect(codec.asked).toHaveLength(1);
    const frame = { stream: "gate/Main", timeUs: NINE_US + FRAME_US, rotation: 0 } as const;
    expect(stills.ofFrame(frame, SMALL)).toEqual(made[0]);
    expect(open).toBe(0);
  });

  it("in several sizes share it when they come before it begins", async () => {
    stills = newStills({ bounds: { atOnce: 1, waiting: 10, preparing: 10 } });
    codec.hold();
    const first = stills.make(source(0), SMALL);
    await until("another is being decoded", () => codec.held === 1);
    const shares = [SMALL, { width: 320 }, { height: 180 }].map((size) => stills.make(source(1), size));
    codec.release();
    const made = await Promise.all(shares.map((share) => share.still));
    await first.still;
    expect(made.map(({ width, height }) => [width, height])).toEqual([
      [64, 36],
      [320, 180],
      [320, 180],
    ]);
    expect(codec.asked.map(({ targets }) => targets.length)).toEqual([1, 3]);
  });

  it("that have the same frame by two sources share it too", async () => {
    codec.hold();
    const shares = ["12:00:00", "12:00:01"].map((key) => stills.make(source(1, key), SMALL));
    await until("it is being decoded", () => codec.held === 1 && stills.load.running === 2);
    codec.release();
    const [one, other] = await Promise.all(shares.map((share) => share.still));
    expect(one).toBe(other);
    expect(codec.asked).toHaveLength(1);
  });

  it("find the picture of a time again for a minute without looking it up", async () => {
    const lasting: StillSource = { key: "moment", open: async () => material(1, { lasting: true }) };
    const made = await stills.make(lasting, SMALL).still;
    expect(stills.ofSource("moment", SMALL)).toEqual(made);
    expect(stills.ofSource("moment", { width: 65 })).toBeUndefined();
    clock.advance(61_000_000);
    expect(stills.ofSource("moment", SMALL)).toBeUndefined();
  });
});

describe("beyond the bound", () => {
  const bounds = { atOnce: 2, waiting: 3, preparing: 2 };

  it("of waiting pictures a request is refused at once, with a time to retry", async () => {
    stills = newStills({ bounds });
    codec.hold();
    const shares = [1, 2, 3, 4, 5].map((frame) => stills.make(source(frame), SMALL));
    expect(stills.load).toMatchObject({ running: 2, waiting: 3 });
    expect(() => stills.make(source(6), SMALL)).toThrow(
      expect.objectContaining({ code: "NOT_AVAILABLE", retryAfterMs: 1000 }),
    );
    // Who asks for what is made already is let in.
    shares.push(stills.make(source(5), SMALL));
    codec.release();
    await Promise.all(shares.map((share) => share.still));
    await until("nothing is under way", () => stills.load.running + stills.load.waiting === 0);
    await stills.make(source(6), SMALL).still;
  });

  it("of cameras waited for, pictures that are there are made all the same", async () => {
    stills = newStills({ bounds });
    const cameras = ["one", "two"].map(slowSource);
    const waiting = cameras.map((camera) => stills.make(camera, SMALL));
    expect(() => stills.make(slowSource("three"), SMALL)).toThrow(/cameras are being waited for/);
    await stills.make(source(9), SMALL).still;
    for (const camera of cameras) camera.arrive();
    await Promise.all(waiting.map((share) => share.still));
    expect(open).toBe(0);
  });

  it("no more is decoded at a time than is allowed", async () => {
    stills = newStills({ bounds: { atOnce: 2, waiting: 100, preparing: 2 } });
    let most = 0;
    const watched: StillSource[] = Array.from({ length: 30 }, (_, frame) => ({
      key: `${frame}`,
      open: async () => {
        most = Math.max(most, open + 1);
        return material(frame);
      },
    }));
    const made = await Promise.all(watched.map((each) => stills.make(each, SMALL).still));
    expect(most).toBeLessThanOrEqual(2);
    expect(new Set(made.map((still) => still.tag)).size).toBe(30);
  });
});

describe("a cancelled request", () => {
  it("removes its picture from the queue, unless somebody else waits for it", async () => {
    stills = newStills({ bounds: { atOnce: 1, waiting: 10, preparing: 10 } });
    codec.hold();
    const running = stills.make(source(0), SMALL);
    await until("one runs", () => codec.held === 1);
    const alone = stills.make(source(1), SMALL);
    const shared = [stills.make(source(2), SMALL), stills.make(source(2), SMALL)];
    alone.cancel();
    shared[0]?.cancel();
    expect(await outcome(alone)).toBe("the request was given up");
    codec.release();
    await Promise.all([running.still, shared[1]?.still]);
    expect(await outcome(shared[0] ?? alone)).toBe("the request was given up");
    expect(codec.asked.map(({ units }) => frameNumber(units[0]))).toEqual([0, 2]);
  });

  it("ends the wait for a camera, and releases what comes late", async () => {
    const camera = slowSource("camera");
    const share = stills.make(camera, SMALL);
    share.cancel();
    expect(camera.signals.map((signal) => signal.aborted)).toEqual([true]);
    camera.arrive();
    await outcome(share);
    await until("nothing is left", () => stills.load.waiting === 0 && open === 0);
    expect(codec.asked).toHaveLength(0);
  });

  it("may say so late and twice", async () => {
    const share = stills.make(source(1), SMALL);
    await share.still;
    share.cancel();
    share.cancel();
    await stills.make(source(1), SMALL).still;
    expect(codec.asked).toHaveLength(1);
  });
});

it("frees a decoded picture as soon as its stills are made", async () => {
  const { jpeg } = await stills.make(source(1), SMALL).still;
  expect(jpeg.length).toBeGreaterThan(100);
  expect(codec.made.map(({ width, data }) => [width, data.length])).toEqual([[SMALL.width, 0]]);
});

describe("what cannot be decoded", () => {
  it("is replaced by the key frame of its GOP if that can be decoded", async () => {
    const gop: StillSource = {
      key: "gop",
      open: async () => {
        const one = material(5);
        const units = [3, 4, 5].map((frame) => ({
          bytes: [frameBytes(frame)],
          key: frame === 3,
          decodeTimeUs: NINE_US + frame * FRAME_US,
          presentationOffsetUs: 0,
        }));
        return { ...one, units } as StillMaterial;
      },
    };
    codec.failure = ({ units }) => (units.length > 1 ? new CodecError("timeout", "too slow") : undefined);
    const still = await stills.make(gop, SMALL).still;
    expect(still.shownUs).toBe(NINE_US + 3 * FRAME_US);
  });

  it("for lack of memory is not tried with less, and says when to retry", async () => {
    codec.failure = () => new CodecError("memory", "the memory for decoded pictures is used up");
    const error = await stills.make(source(1), SMALL).still.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "NOT_AVAILABLE",
      message: "the memory for decoded pictures is used up",
      retryAfterMs: 5000,
    });
  });

  it("fails for all requests, without the codec's message, and is tried again by the next", async () => {
    codec.failure = () => new CodecError("corrupt", "mb_type 42 at 7");
    const shares = [stills.make(source(1), SMALL), stills.make(source(1), SMALL)];
    expect(await Promise.all(shares.map(outcome))).toEqual([
      "the frame cannot be decoded (corrupt)",
      "the frame cannot be decoded (corrupt)",
    ]);
    codec.failure = undefined;
    await stills.make(source(1), SMALL).still;
    await until("nothing is under way", () => open + stills.load.running === 0);
  });
});
