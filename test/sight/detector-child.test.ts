import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SystemClock, US_PER_MS } from "../../src/base/index.js";
import { DETECTOR_BYTES_MAX } from "../../src/service/part/memory-shares.js";
import { DETECTOR_LOOK_MS_MAX, DETECTOR_PAUSE_MS, Detector } from "../../src/sight/detector/detector.js";
import { detectorProcess, type StartDetector } from "../../src/sight/detector/detector-process.js";
import { detectorModelFile } from "../../src/sight/index.js";
import { forEachTest } from "../support/base/for-tests.js";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { until } from "../support/base/until.js";
import { noWeights } from "../support/sight/no-weights.js";
import { streetPicture } from "../support/sight/street-picture.js";
import { silentLog } from "../support/site/site-samples.js";

const RUNTIME = join(REPOSITORY_ROOT, "node_modules/onnxruntime-node/bin/napi-v6/linux");
const model = detectorModelFile();
const SECRET = "NVRD_TEST_SECRET_OF_THE_RECORDER";

class RunningDetector {
  /** Stands still: a test moves it. Its process does not. */
  readonly clock = new SimulatedClock();
  readonly pids: number[] = [];
  readonly detector: Detector;

  constructor() {
    process.env[SECRET] = "hunter2";
    const start = detectorProcess(model ?? "");
    const startProcess: StartDetector = (ears) => {
      const child = start(ears);
      this.pids.push(child.pid);
      return child;
    };
    this.detector = new Detector({
      startProcess,
      bytesMax: DETECTOR_BYTES_MAX,
      clock: this.clock,
      log: silentLog,
    });
    this.detector.start();
  }

  get pid(): number {
    return this.pids.at(-1) ?? 0;
  }

  async ready(): Promise<void> {
    await until("the detector is ready", () => this.detector.state.isReady, {
      seen: () => this.detector.state,
    });
  }

  /** Starts it again after the pause. */
  async again(): Promise<void> {
    await until("the failure is noticed", () => !this.detector.state.isReady);
    this.clock.advance(2 * DETECTOR_PAUSE_MS * US_PER_MS);
    await this.ready();
  }

  stop(): void {
    delete process.env[SECRET];
    this.detector.stop();
  }
}

describe.skipIf(noWeights !== undefined)(`the detector's process${notHere(noWeights)}`, () => {
  const running = forEachTest(() => new RunningDetector());

  it("finds the persons of a street", async () => {
    await running.ready();
    const answer = await running.detector.look(await streetPicture());
    const persons = answer?.boxes.filter(({ label, score }) => label === "person" && score >= 0.5) ?? [];
    expect(persons.length).toBeGreaterThanOrEqual(3);
  });

  it("gives way to everything else, and has none of the recorder's secrets", async () => {
    await running.ready();
    const { pid } = running;
    expect(getPriority(pid)).toBe(19);
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, "latin1").trim()).toBe("1000");
    expect(readFileSync(`/proc/${pid}/environ`, "latin1")).not.toContain(SECRET);
  });

  it("is started again when it is killed in a look, which is answered with nothing", async () => {
    await running.ready();
    const picture = await streetPicture();
    process.kill(running.pid, "SIGSTOP");
    const look = running.detector.look(picture);
    process.kill(running.pid, "SIGKILL");
    await expect(look).resolves.toBeUndefined();
    await running.again();
    await expect(running.detector.look(picture)).resolves.toBeDefined();
  });

  it("is ended and started again when it hangs", async () => {
    await running.ready();
    const { pid } = running;
    process.kill(pid, "SIGSTOP");
    const look = running.detector.look(await streetPicture());
    running.clock.advance(DETECTOR_LOOK_MS_MAX * US_PER_MS + US_PER_MS);
    await expect(look).resolves.toBeUndefined();
    await running.again();
    expect(running.pid).not.toBe(pid);
    expect(() => process.kill(pid, 0)).toThrow();
  });

  it("takes less memory than it may", async () => {
    await running.ready();
    const status = readFileSync(`/proc/${running.pid}/status`, "latin1");
    expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024).toBeLessThan(0.85 * DETECTOR_BYTES_MAX);
  });

  it("ends with the recorder", async () => {
    await running.ready();
    const { pid } = running;
    running.detector.stop();
    await until("it has ended", () => !existsSync(`/proc/${pid}`), { seen: () => pid });
  });
});

describe("the detector's library", () => {
  it.each(["x64", "arm64"])("opens no connection to anybody, for %s", (processor) => {
    const library = readFileSync(join(RUNTIME, processor, "libonnxruntime.so.1"), "latin1");
    // Names that it takes from the C library stand between zero bytes (ELF, string table).
    const taken = ["malloc", "connect", "socket", "getaddrinfo"].filter((name) =>
      library.includes(`\0${name}\0`),
    );
    expect(taken).toEqual(["malloc"]);
  });
});

describe("the detector's process without its weights", () => {
  it("says why it ended", async () => {
    const detector = new Detector({
      startProcess: detectorProcess("/nowhere/detector.onnx"),
      bytesMax: DETECTOR_BYTES_MAX,
      clock: new SystemClock(),
      log: silentLog,
    });
    detector.start();
    await until("it has failed", () => detector.state.problem !== undefined);
    expect(detector.state.problem).toContain("/nowhere/detector.onnx");
    detector.stop();
  });
});
