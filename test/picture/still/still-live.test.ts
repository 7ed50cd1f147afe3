import { beforeEach, describe, expect, it } from "vitest";
import { newGuid } from "../../../src/base/index.js";
import { LiveStream } from "../../../src/live/index.js";
import { awaitLiveMaterial, type StillMaterial } from "../../../src/picture/index.js";
import { KEY_FRAME_TIMEOUT_MS } from "../../../src/picture/still/still-live.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { type SyntheticFrame, syntheticFrame } from "../../support/media/synthetic-frames.js";

const ENTRY = { key: true, damaged: true };

let stream: LiveStream;
let clock: SimulatedClock;
let timeUs = 0;

beforeEach(() => {
  stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
  clock = new SimulatedClock();
  timeUs = 0;
  stream.setState({ state: "active" });
});

function send(...frames: readonly Omit<SyntheticFrame, "decodeTimeUs">[]): void {
  for (const fields of frames) {
    timeUs += 100_000;
    stream.publish(syntheticFrame({ decodeTimeUs: timeUs, ...fields }));
  }
}

function awaited(signal = new AbortController().signal): Promise<StillMaterial> {
  return awaitLiveMaterial({ stream, rotation: 0, exact: false }, { clock, signal });
}

function unitsOf(material: StillMaterial): (readonly [number, boolean])[] {
  if (material.kind !== "coded") throw new Error("it is no coded picture");
  return material.units.map(({ decodeTimeUs, key }) => [decodeTimeUs / 100_000, key] as const);
}

describe("the first picture of a stream", () => {
  it("is the first clean key frame, alone", async () => {
    const still = awaited();
    send({}, { key: true }, {});
    expect(unitsOf(await still)).toEqual([[2, true]]);
  });

  it("is what the second entry shows, where there are no clean key frames, decoded from the first one on", async () => {
    const still = awaited();
    send({}, ENTRY, {}, { audio: true }, {}, ENTRY, {});
    expect(unitsOf(await still)).toEqual([
      [2, true],
      [3, false],
      [5, false],
      [6, false],
    ]);
  });

  it("is a clean key frame that comes behind an entry, alone", async () => {
    const still = awaited();
    send(ENTRY, {}, { key: true });
    expect(unitsOf(await still)).toEqual([[3, true]]);
  });

  it("is what has come, where no second entry comes in time, or the camera is lost", async () => {
    const late = awaited();
    send(ENTRY, {});
    clock.advance(KEY_FRAME_TIMEOUT_MS * 1000);
    expect(unitsOf(await late)).toHaveLength(2);
    stream.setState({ state: "lost", cause: "unreachable", reason: "gone" });
    stream.setState({ state: "active" });
    const lost = awaited();
    send(ENTRY, {}, {});
    stream.setState({ state: "lost", cause: "unreachable", reason: "gone" });
    expect(unitsOf(await lost)).toHaveLength(3);
  });

  it("keeps no frame when nobody waits any longer", async () => {
    const left = new AbortController();
    const still = awaited(left.signal);
    const entry = syntheticFrame({ decodeTimeUs: 1, ...ENTRY });
    stream.publish(entry);
    left.abort();
    await expect(still).rejects.toThrow("nobody waits any longer");
    stream.setState({ state: "lost", cause: "unreachable", reason: "gone" });
    expect(() => entry.retain()).toThrow();
  });
});
