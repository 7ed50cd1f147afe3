import type {
  DetectorEars,
  DetectorProcess,
  StartDetector,
} from "../../../src/sight/detector/detector-process.js";
import { answerBytes, type DetectedBox, LOOK_HEAD_BYTES } from "../../../src/sight/detector/look-wire.js";

/** A detector's process that does what a test says. */
export class ScriptedDetectorProcess implements DetectorProcess {
  readonly pid = 0;
  readonly ears: DetectorEars;
  /** Numbers of the looks that it was sent. */
  readonly asked: number[] = [];
  mib: number | undefined = 100;
  isKilled = false;

  constructor(ears: DetectorEars) {
    this.ears = ears;
  }

  write(bytes: Uint8Array): void {
    if (bytes.length === LOOK_HEAD_BYTES) this.asked.push(Buffer.from(bytes).readUInt32LE(0));
  }

  residentMib(): Promise<number | undefined> {
    return Promise.resolve(this.mib);
  }

  kill(): void {
    this.isKilled = true;
  }

  ready(): void {
    this.answer(0);
  }

  answer(number: number | undefined, boxes: readonly DetectedBox[] = [], tookMs = 12): void {
    if (number === undefined) throw new Error("it was not asked");
    this.ears.onBytes(answerBytes({ number, tookMs, boxes }));
  }
}

/** Starts scripted processes, and remembers them; with a `failure` it throws that. */
export class ScriptedDetectors {
  readonly started: ScriptedDetectorProcess[] = [];
  failure: Error | undefined;

  readonly start: StartDetector = (ears) => {
    if (this.failure !== undefined) throw this.failure;
    const process = new ScriptedDetectorProcess(ears);
    this.started.push(process);
    return process;
  };

  get last(): ScriptedDetectorProcess {
    const last = this.started.at(-1);
    if (last === undefined) throw new Error("none was started");
    return last;
  }
}
