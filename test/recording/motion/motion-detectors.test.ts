import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, NvrdError } from "../../../src/base/index.js";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { NativeCodec, type Codec as PictureCodec } from "../../../src/picture/index.js";
import {
  type MotionBox,
  type MotionChange,
  MotionDetectors,
  type MotionSight,
} from "../../../src/recording/index.js";
import { type Camera, DEFAULT_CAMERA_OPTIONS, type DetectorOptions } from "../../../src/site/index.js";
import { syntheticFrame } from "../../support/media/synthetic-frames.js";
import { streetClip } from "../../support/recording/motion-scenes.js";
import {
  cameraWith,
  NotingArchive,
  type RecorderHarness,
  startRecorder,
} from "../../support/recording/recorder-harness.js";

/** The detectors on the real codec, fed with the street clip; the clock is simulated. */

const SETTINGS: DetectorOptions = {
  cameraDetectorEnabled: false,
  startAndEndEventsEnabled: false,
  independentFramesOnly: false,
  customFrameRateEnabled: false,
  customFrameRate: 0,
  zonesJson: null,
};
const MJPEG = streetClip(Codec.MJPEG);
const STILL = new Array<number>(25).fill(0);
const WALK = MJPEG.units.map((_, index) => index);

/** Counts the pictures that are decoded; refuses while it is `busy`. */
class WatchedCodec {
  readonly native = new NativeCodec();
  pictures = 0;
  open = 0;
  busy = false;
  /** Set: so much processor time a second of simulated time. */
  busyUs = 0;

  get codec(): PictureCodec {
    const { native } = this;
    const watched = this;
    const openVideoDecoder = (format: VideoFormat) => {
      const decoder = native.openVideoDecoder(format);
      this.open += 1;
      return {
        name: decoder.name,
        get busyUs() {
          return watched.busyUs === 0 ? decoder.busyUs : (watched.busyUs * harness.clock.nowUs()) / 1_000_000;
        },
        flush: decoder.flush.bind(decoder),
        close: () => {
          this.open -= 1;
          decoder.close();
        },
        decode: async (...call: Parameters<typeof decoder.decode>) => {
          if (this.busy) throw new NvrdError("NOT_AVAILABLE", "the codec is busy");
          const pictures = await decoder.decode(...call);
          if (call[1].length > 0) this.pictures += pictures.length;
          return pictures;
        },
      };
    };
    const openMotionWatch = native.openMotionWatch.bind(native);
    return { openVideoDecoder, openMotionWatch, load: native.load } as unknown as PictureCodec;
  }
}

let harness: RecorderHarness;
let detectors: MotionDetectors;
let codec: WatchedCodec;
let camera: Camera;
let sights: MotionSight[];
let changes: MotionChange[];
let warnings: string[];

function detecting(detector: Partial<DetectorOptions> = {}, enabled = true): Camera {
  const base = camera ?? cameraWith({ archivingMode: "MDandManual" });
  const analyze = {
    ...DEFAULT_CAMERA_OPTIONS.analyze,
    motionDetectorEnabled: enabled,
    motionDetector: { ...SETTINGS, ...detector },
  };
  return { ...base, kept: { ...DEFAULT_CAMERA_OPTIONS, ...base.kept, analyze } };
}

function start(detector: Partial<DetectorOptions> = {}): void {
  camera = detecting(detector);
  harness = startRecorder([camera], { archive: new NotingArchive() });
  harness.motion.onMotion((change) => changes.push(change));
  const { site, motion, clock, stream } = harness;
  const log = { ...createLog({ level: "silent" }), warn: (_: unknown, text: string) => warnings.push(text) };
  detectors = new MotionDetectors({
    site,
    streams: { stream },
    codec: codec.codec,
    motion,
    onSight: (sight) => sights.push(sight),
    clock,
    log: log as never,
  });
  detectors.start();
  stream(camera.id).setState({ state: "active" });
}

beforeEach(() => {
  codec = new WatchedCodec();
  sights = [];
  changes = [];
  warnings = [];
});

afterEach(async () => {
  detectors.stop();
  await harness.recorder.stop();
  harness.motion.stop();
  expect(codec.open).toBe(0);
  expect(harness.clock.timers).toBe(0);
});

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    do await new Promise((resolve) => setImmediate(resolve));
    while (codec.native.load.queued + codec.native.load.running > 0);
  }
}

/** Plays pictures of the MJPEG clip, five a second. */
async function play(units: readonly number[], bytes?: Uint8Array): Promise<void> {
  for (const index of units) {
    harness.clock.advance(200_000);
    const unit = MJPEG.units[index];
    if (unit === undefined) throw new Error(`no picture ${index}`);
    const { codec: kind, width, height, initialization } = MJPEG;
    harness.publish(camera.id, {
      key: true,
      bytes: bytes ?? unit.bytes,
      format: { codec: kind, width, height, initialization },
    });
    await settled();
  }
}

describe("the recorder's motion detector", () => {
  it("begins motion with a moving object, with a box, and ends it two seconds after the last finding", async () => {
    start();
    await play(STILL);
    expect(changes).toEqual([]);
    await play(WALK);
    const walkedUntilUs = harness.clock.nowUs();
    expect(changes).toMatchObject([{ channelId: camera.id, source: "recorder", active: true, zone: "" }]);
    const box = changes[0]?.box;
    expect(box?.width).toBeGreaterThan(0.02);
    expect((box?.left ?? 1) + (box?.width ?? 1)).toBeLessThanOrEqual(1);
    await play(new Array<number>(60).fill(39));
    expect(changes[1]).toMatchObject({ active: false, source: "recorder" });
    expect(changes[1]?.timeUs).toBeGreaterThanOrEqual(walkedUntilUs - 400_000);
    expect(harness.motion.isActive(camera.id)).toBe(false);
  });

  it("reports all pieces that move, of which the box is the largest", async () => {
    const most: { pieces: readonly MotionBox[]; box: MotionBox | undefined } = { pieces: [], box: undefined };
    start();
    harness.motion.onReport(({ pieces = [], box }) => {
      if (pieces.length > most.pieces.length) Object.assign(most, { pieces, box });
    });
    await play([...STILL, ...WALK]);
    expect(most.pieces.length).toBeGreaterThan(2);
    const areas = most.pieces.map(({ width, height }) => width * height);
    expect(Math.max(...areas)).toBe((most.box?.width ?? 0) * (most.box?.height ?? 0));
    expect(harness.motion.seen(camera.id).flatMap(({ pieces }) => pieces).length).toBeGreaterThan(0);
  });

  it("has a channel of the mode MDandManual recorded while something moves", async () => {
    start();
    await play(STILL);
    expect(harness.recorder.state(camera.id).reason).toBeUndefined();
    // It is read on the tick, as recording reads it.
    expect(harness.stream(camera.id).atOnce).toBe(0);
    await play(WALK.slice(0, 10));
    expect(harness.recorder.state(camera.id)).toMatchObject({
      isRecording: true,
      reason: { kind: "motion" },
    });
  });

  it("reports the zone's name and id, and ignores what moves outside of all zones", async () => {
    const sky = { Name: "Sky", Grid: { Columns: 1, Rows: 20, Cells: "1".padEnd(20, "0") } };
    const street = { Id: "b1", Name: "Street", Grid: { Columns: 1, Rows: 4, Cells: "0111" } };
    start({ zonesJson: JSON.stringify([sky, street]) });
    await play([...STILL, ...WALK.slice(0, 12)]);
    expect(changes).toMatchObject([{ active: true, zone: "Street", zoneId: "b1" }]);
    await harness.site.change((site) => ({
      ...site,
      cameras: [detecting({ zonesJson: JSON.stringify([sky]) })],
    }));
    expect(harness.motion.isActive(camera.id)).toBe(false);
    await play(WALK);
    expect(changes.length).toBe(2);
  });

  it("looks at five pictures a second, at CustomFpsValue, or at key frames alone, as settings change", async () => {
    start();
    const clip = streetClip(Codec.H264);
    const { width, height, initialization } = clip;
    const format = { codec: Codec.H264, width, height, initialization } as const;
    const seen = async (detector: Partial<DetectorOptions>): Promise<number> => {
      await harness.site.change((site) => ({ ...site, cameras: [detecting(detector)] }));
      const before = codec.pictures;
      for (const { bytes, key } of clip.units.slice(0, 80)) {
        harness.clock.advance(100_000);
        const decodeTimeUs = harness.clock.nowUs();
        harness.stream(camera.id).publish(syntheticFrame({ decodeTimeUs, bytes, key, format }));
        await settled();
      }
      return codec.pictures - before;
    };
    expect(await seen({})).toBeGreaterThanOrEqual(39);
    expect(await seen({ customFrameRateEnabled: true, customFrameRate: 2 })).toBeLessThanOrEqual(17);
    expect(await seen({ customFrameRateEnabled: false, customFrameRate: 2 })).toBeGreaterThanOrEqual(38);
    // Four of its own, and perhaps the one before.
    expect(Math.abs((await seen({ independentFramesOnly: true })) - 4)).toBeLessThanOrEqual(1);
  });

  it("leaves detection to the camera, or stops, if the settings say so", async () => {
    start({ cameraDetectorEnabled: true });
    expect(detectors.of(camera.id)).toBeUndefined();
    await harness.site.change((site) => ({ ...site, cameras: [detecting()] }));
    expect(detectors.of(camera.id)).toBeDefined();
    await play([...STILL, ...WALK.slice(0, 12)]);
    expect(harness.motion.isActive(camera.id)).toBe(true);
    await harness.site.change((site) => ({ ...site, cameras: [detecting({}, false)] }));
    expect(detectors.of(camera.id)).toBeUndefined();
    expect(harness.motion.isActive(camera.id)).toBe(false);
  });

  it("looks until the camera reports motion itself where nobody chose, and again when the camera reports no more", async () => {
    start();
    const analyze = { ...DEFAULT_CAMERA_OPTIONS.analyze, motionDetectorEnabled: true, motionDetector: null };
    const automatic = { ...camera, kept: { ...DEFAULT_CAMERA_OPTIONS, ...camera.kept, analyze } };
    await harness.site.change((site) => ({ ...site, cameras: [automatic] }));
    expect(detectors.of(camera.id)).toBeDefined();
    const cameraMotion = {
      channelId: camera.id,
      source: "camera",
      timeUs: harness.clock.nowUs(),
      zone: "",
    } as const;
    harness.motion.report({ ...cameraMotion, active: true });
    harness.clock.advance(1_000_000);
    expect(detectors.of(camera.id)).toBeUndefined();
    harness.motion.report({ ...cameraMotion, active: false });
    harness.clock.advance(1_000_000);
    expect(detectors.of(camera.id)).toBeUndefined();
    harness.motion.forget("camera", camera.id);
    harness.clock.advance(1_000_000);
    expect(detectors.of(camera.id)).toBeDefined();
  });

  it("sees no motion while the camera is moved, and learns the scene again after it stands still", async () => {
    start();
    await play([...STILL, ...WALK.slice(0, 12)]);
    expect(harness.motion.isActive(camera.id)).toBe(true);
    detectors.hold(camera.id, 3000);
    expect(harness.motion.isActive(camera.id)).toBe(false);
    const before = codec.pictures;
    await play(WALK.slice(0, 14));
    expect([codec.pictures - before, harness.motion.isActive(camera.id)]).toEqual([0, false]);
    // It stands still after 3 s and looks from the next second on.
    await play(STILL);
    expect(codec.pictures - before).toBeGreaterThan(15);
    expect(harness.motion.isActive(camera.id)).toBe(false);
    await play(WALK);
    expect(harness.motion.isActive(camera.id)).toBe(true);
    expect(sights).toEqual([]);
  });

  it("ends motion with the camera's connection, and learns the scene again after it", async () => {
    start();
    await play([...STILL, ...WALK.slice(0, 12)]);
    harness.stream(camera.id).setState({ state: "lost", reason: "unplugged" });
    expect(harness.motion.isActive(camera.id)).toBe(false);
    harness.clock.advance(60_000_000);
    expect(sights).toEqual([]);
    harness.stream(camera.id).setState({ state: "active" });
    await play(new Array<number>(30).fill(39));
    expect(harness.motion.isActive(camera.id)).toBe(false);
  });
});

describe("detectors together", () => {
  it("say how many there are, and once that they look at fewer pictures than wanted", async () => {
    start();
    await play(STILL);
    expect(detectors.state).toMatchObject({ cameras: 1, blind: 0, stretch: 1 });
    codec.busyUs = 3 * codec.native.load.threads * 1_000_000;
    for (let second = 0; second < 10; second++) harness.clock.advance(1_000_000);
    expect(detectors.state.stretch).toBeGreaterThan(2);
    expect(warnings).toEqual([expect.stringContaining("too slow for motion detection")]);
  });

  it("say again that they look at fewer pictures only once they had looked at all in between", async () => {
    start();
    await play(STILL);
    const strain = async (share: number, isEnough: () => boolean) => {
      codec.busyUs = Math.max(1, share * codec.native.load.threads * 1_000_000);
      for (let second = 0; second < 100 && !isEnough(); second++) {
        harness.clock.advance(900_000);
        await play([0]);
      }
      expect(isEnough()).toBe(true);
    };
    const isStrained = () => detectors.state.isStrained;
    await strain(3, isStrained);
    await strain(0, () => !isStrained());
    expect(detectors.state.stretch).toBeGreaterThan(1);
    await strain(3, isStrained);
    expect(warnings).toHaveLength(1);
    await strain(0, () => detectors.state.stretch === 1);
    await strain(3, isStrained);
    expect(warnings).toHaveLength(2);
  });
});

describe("a detector that cannot see", () => {
  const garbage = Buffer.from("ffd8ffe000104a46494600ffd9", "hex");

  it("reports it once, and the channel counts as having motion until it sees again", async () => {
    start();
    await play(STILL);
    await play(new Array<number>(55).fill(0), garbage);
    expect(sights).toMatchObject([{ channelId: camera.id, blindBecause: expect.any(String) }]);
    expect(changes).toMatchObject([{ source: "blind", active: true }]);
    expect(harness.recorder.state(camera.id)).toMatchObject({ isRecording: true });
    await play(STILL);
    expect(sights[1]).toEqual({ channelId: camera.id, blindBecause: undefined });
    expect(sights.length).toBe(2);
    expect(changes[1]).toMatchObject({ source: "blind", active: false });
  });

  it("counts what a busy codec made it skip, reports it once, and continues", async () => {
    start();
    await play(STILL);
    codec.busy = true;
    await play(STILL);
    expect(detectors.of(camera.id)?.skipped).toBe(STILL.length);
    expect(warnings.length).toBe(1);
    expect(sights).toEqual([]);
    codec.busy = false;
    await play(WALK);
    expect(changes).toMatchObject([{ source: "recorder", active: true }]);
  });

  it("is one for which the codec stays busy, too", async () => {
    start();
    codec.busy = true;
    await play(new Array<number>(45).fill(0));
    expect(sights).toEqual([]);
    await play(new Array<number>(11).fill(0));
    expect(sights).toMatchObject([{ blindBecause: "the codec is busy" }]);
    codec.busy = false;
  });
});
