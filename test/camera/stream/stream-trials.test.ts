import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import {
  ONVIF_MODEL,
  type StreamSource,
  StreamTrials,
  TRIAL_MEASURED_MS,
  TRIAL_MS_MAX,
} from "../../../src/camera/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import type { LiveStream } from "../../../src/live/index.js";
import { liveFrame } from "../../support/api/api-frames.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { testCamera } from "../../support/site/memory-site.js";

const log = createLog({ level: "silent" });

/** A trial of a camera whose source does what the test says. */
function begun(camera = testCamera()) {
  const clock = new SimulatedClock();
  const end = new AbortController();
  const made: { stream: LiveStream; state: string }[] = [];
  const createSource = (_address: unknown, stream: LiveStream): StreamSource => {
    const source = { stream, state: "made" };
    made.push(source);
    return {
      start: () => {
        source.state = "started";
      },
      stop: async () => {
        source.state = "stopped";
      },
    };
  };
  const shown: LiveStream[] = [];
  const trials = new StreamTrials({ createSource, clock, log });
  const trial = trials.try(camera, {
    signal: end.signal,
    onConnected: async (stream) => void shown.push(stream),
  });
  const [source] = made;
  return { clock, end, made, shown, trial, stream: source?.stream };
}

describe("a trial of a camera's stream", () => {
  it("says what the camera sends, as counted, and disconnects", async () => {
    const { clock, made, shown, stream, trial } = begun();
    stream?.setState({ state: "active" });
    stream?.publish(liveFrame(0, { codec: Codec.H264, key: true }));
    await new Promise((resolve) => setImmediate(resolve));
    for (let index = 1; index <= 50; index += 1) stream?.publish(liveFrame(index, { codec: Codec.H264 }));
    clock.advance(TRIAL_MEASURED_MS * 1000);
    const { result, stream: found } = (await trial) ?? {};
    expect([result, found?.codec, found?.framesPerSecond]).toEqual(["Readable", "H.264", 25]);
    expect(found?.kbitPerSecond).toBeGreaterThan(0);
    expect([shown, made[0]?.state]).toEqual([[stream], "stopped"]);
  });

  it.each([
    ["unauthorized", "LoginRefused"],
    ["unreachable", "Unreachable"],
    ["no-stream", "NoStream"],
    ["unsupported", "UnsupportedCodec"],
    ["insecure", "Insecure"],
  ] as const)("says of a camera that is lost as %s: %s", async (cause, result) => {
    const { made, stream, trial } = begun();
    stream?.setState({ state: "lost", cause, reason: "the reason" });
    expect(await trial).toEqual({ result, reason: "the reason" });
    expect(made[0]?.state).toBe("stopped");
  });

  it("does not wait for ever for the first picture", async () => {
    const { clock, made, trial } = begun();
    clock.advance(TRIAL_MS_MAX * 1000);
    expect(await trial).toMatchObject({ result: "Unreachable" });
    expect(made[0]?.state).toBe("stopped");
  });

  it("leaves nothing at the signal of its task, which may try many", async () => {
    const { clock, end, stream, trial } = begun();
    stream?.setState({ state: "active" });
    stream?.publish(liveFrame(0, { codec: Codec.H264, key: true }));
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(TRIAL_MEASURED_MS * 1000);
    await trial;
    expect(getEventListeners(end.signal, "abort")).toEqual([]);
  });

  it("ends when it is cancelled", async () => {
    const { end, made, trial } = begun();
    end.abort();
    expect(await trial).toMatchObject({ result: "Failed" });
    expect(made[0]?.state).toBe("stopped");
  });

  it("leaves a camera alone whose device is asked for its address", async () => {
    const camera = testCamera();
    const connection = { ...camera.connection, modelId: ONVIF_MODEL.id, hostname: "192.0.2.7" };
    const { made, trial } = begun({ ...camera, connection });
    expect([await trial, made]).toEqual([undefined, []]);
  });
});
