import { beforeEach, describe, expect, it } from "vitest";
import { US_PER_MS, US_PER_SECOND } from "../../src/base/index.js";
import {
  DETECTOR_LOOK_MS_MAX,
  DETECTOR_MEMORY_CHECK_MS,
  DETECTOR_PAUSE_MS,
  DETECTOR_PAUSE_MS_MAX,
  DETECTOR_START_MS_MAX,
  DETECTOR_WAITING_MAX,
  Detector,
  type LookPicture,
} from "../../src/sight/detector/detector.js";
import { BOXES_MAX } from "../../src/sight/detector/look-wire.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { ScriptedDetectors } from "../support/sight/scripted-detector.js";
import { silentLog } from "../support/site/site-samples.js";

const PICTURE: LookPicture = { width: 2, height: 2, data: new Uint8Array(12) };
const PERSON = { label: "person", score: 0.9, left: 0.1, top: 0.1, width: 0.2, height: 0.5 } as const;

const MIB = 1024 * 1024;
const MIB_MAX = 200;

let clock: SimulatedClock;
let processes: ScriptedDetectors;
let detector: Detector;

beforeEach(() => {
  clock = new SimulatedClock();
  processes = new ScriptedDetectors();
  detector = new Detector({ startProcess: processes.start, bytesMax: MIB_MAX * MIB, clock, log: silentLog });
});

function startReady(): void {
  detector.start();
  processes.last.ready();
}

describe("the detector", () => {
  it("says what is in a picture", async () => {
    startReady();
    const look = detector.look(PICTURE);
    processes.last.answer(processes.last.asked[0], [PERSON]);
    const answer = await look;
    expect(answer?.boxes).toMatchObject([{ label: "person" }]);
    expect(answer?.boxes[0]?.score).toBeCloseTo(0.9, 3);
    expect(detector.state).toMatchObject({ isReady: true, looks: 1, problem: undefined });
  });

  it("looks at nothing before it is ready", async () => {
    detector.start();
    await expect(detector.look(PICTURE)).resolves.toBeUndefined();
    expect(processes.last.asked).toEqual([]);
  });

  it("looks at one picture after the other, and takes no more than may wait", async () => {
    startReady();
    const looks = Array.from({ length: DETECTOR_WAITING_MAX + 1 }, () => detector.look(PICTURE));
    await expect(looks.at(-1)).resolves.toBeUndefined();
    for (let at = 0; at < DETECTOR_WAITING_MAX; at++) {
      expect(processes.last.asked).toHaveLength(at + 1);
      processes.last.answer(processes.last.asked[at]);
    }
    const answers = await Promise.all(looks.slice(0, DETECTOR_WAITING_MAX));
    expect(answers.every((answer) => answer !== undefined)).toBe(true);
  });

  it.each([
    { width: 2, height: 2, data: new Uint8Array(11) },
    { width: 301, height: 301, data: new Uint8Array(301 * 301 * 3) },
  ])("looks at no picture of another size than it says, or too large a one", async (picture) => {
    startReady();
    await expect(detector.look(picture)).resolves.toBeUndefined();
  });

  it("ends a process that is not ready in time", () => {
    detector.start();
    clock.advance(DETECTOR_START_MS_MAX * US_PER_MS + US_PER_MS);
    expect(processes.started[0]?.isKilled).toBe(true);
    expect(detector.state.problem).toContain("not ready in time");
  });

  it("ends a process that hangs, and answers whoever waits", async () => {
    startReady();
    const looks = [detector.look(PICTURE), detector.look(PICTURE)];
    clock.advance(DETECTOR_LOOK_MS_MAX * US_PER_MS + US_PER_MS);
    expect(await Promise.all(looks)).toEqual([undefined, undefined]);
    expect(processes.started[0]?.isKilled).toBe(true);
    expect(detector.state.problem).toContain("did not answer");
  });

  it.each([
    ["no answer at all", Buffer.alloc(1 << 20, 0xff)],
    ["more boxes than an answer has", Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, BOXES_MAX + 1, 0])],
    [
      "a label that there is not",
      Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 255, 255, ...new Uint8Array(10)]),
    ],
  ])("ends a process that says %s", async (_, bytes) => {
    startReady();
    const look = detector.look(PICTURE);
    processes.last.ears.onBytes(bytes);
    await expect(look).resolves.toBeUndefined();
    expect(processes.started[0]?.isKilled).toBe(true);
  });

  it("ends a process that answers what nobody asked", () => {
    startReady();
    processes.last.answer(77);
    expect(processes.started[0]?.isKilled).toBe(true);
    expect(detector.state.problem).toContain("nobody asked");
  });

  it("ends a process that answers twice", async () => {
    startReady();
    const look = detector.look(PICTURE);
    const [number] = processes.last.asked;
    processes.last.answer(number);
    processes.last.answer(number);
    await expect(look).resolves.toBeDefined();
    expect(processes.started[0]?.isKilled).toBe(true);
  });

  it("leaves a process that takes what it may", async () => {
    startReady();
    processes.last.mib = MIB_MAX;
    await clock.advanceSlowly(2 * DETECTOR_MEMORY_CHECK_MS * US_PER_MS);
    expect(detector.state).toMatchObject({ isReady: true, residentMib: MIB_MAX });
  });

  it("ends a process that takes too much memory", async () => {
    startReady();
    processes.last.mib = MIB_MAX + 1;
    await clock.advanceSlowly(2 * DETECTOR_MEMORY_CHECK_MS * US_PER_MS);
    expect(processes.started[0]?.isKilled).toBe(true);
    expect(detector.state.problem).toContain("MiB");
  });

  it("says with what words its process ended, in a bounded length", () => {
    startReady();
    processes.last.ears.onWords("no such library\n".repeat(1000));
    processes.last.ears.onEnd("status 1");
    expect(detector.state.problem).toContain("status 1: no such library");
    expect(detector.state.problem?.length).toBeLessThan(400);
  });

  it("does not take what its process said before it was ready for the reason why it ended later", () => {
    detector.start();
    processes.last.ears.onWords("the library does not know this processor\n");
    processes.last.ready();
    processes.last.ears.onEnd("SIGKILL");
    expect(detector.state.problem).not.toContain("this processor");
  });

  it.each([
    ["SIGSEGV", "", "/proc/cpuinfo"],
    ["SIGILL", "", "processor"],
    ["SIGKILL", "", "memory is short"],
    ["status 1", "Error: Cannot find package 'onnxruntime-node'", "install nvrd again"],
    ["status 1", "libonnxruntime.so.1: cannot open shared object file", "install nvrd again"],
  ])("says what can be done where its process ends by %s before it is ready: %s", (reason, words, remedy) => {
    detector.start();
    processes.last.ears.onWords(words);
    processes.last.ears.onEnd(reason);
    expect(detector.state.problem).toContain(remedy);
    expect(detector.state.problem).toContain(`(it ended: ${reason}`);
  });

  it("does not blame the system for what ends its process later", () => {
    startReady();
    processes.last.ears.onEnd("SIGSEGV");
    expect(detector.state.problem).toBe("it ended: SIGSEGV");
  });

  it("does not take what its process works without for the reason why it ended", () => {
    detector.start();
    processes.last.ears.onNote("it keeps its priority");
    processes.last.ears.onEnd("SIGILL");
    expect(detector.state.problem).not.toContain("its priority");
  });

  it("is started again after pauses that grow to a bound", () => {
    startReady();
    const pauses: number[] = [];
    for (let failure = 0; failure < 12; failure++) {
      const beforeUs = clock.monotonicUs();
      const started = processes.started.length;
      processes.last.ears.onEnd("SIGKILL");
      while (processes.started.length === started) clock.advance(US_PER_SECOND / 2);
      pauses.push((clock.monotonicUs() - beforeUs) / US_PER_MS);
    }
    expect(pauses.slice(0, 3)).toEqual([1, 2, 4].map((times) => times * DETECTOR_PAUSE_MS));
    expect(pauses.at(-1)).toBe(DETECTOR_PAUSE_MS_MAX);
    expect(detector.state.restarts).toBe(12);
  });

  it("tries again where a process cannot be started", () => {
    processes.failure = new Error("too many files are open");
    detector.start();
    expect(detector.state.problem).toContain("too many files are open");
    processes.failure = undefined;
    clock.advance(2 * DETECTOR_PAUSE_MS * US_PER_MS);
    processes.last.ready();
    expect(detector.state.isReady).toBe(true);
  });

  it("leaves nothing behind when it is stopped", async () => {
    startReady();
    const look = detector.look(PICTURE);
    detector.stop();
    await expect(look).resolves.toBeUndefined();
    expect(processes.last.isKilled).toBe(true);
    expect(clock.timers).toBe(0);
  });
});
