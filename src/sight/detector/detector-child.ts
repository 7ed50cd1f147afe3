/**
 * The detector's process: `node detector-child.js MODEL`. Reads looks from its standard input, writes answers to its standard output,
 * and ends with its input. It has no secrets and opens nothing but the model.
 */
import { readSync, writeSync } from "node:fs";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { errorText } from "../../base/index.js";
import {
  answerBytes,
  LOOK_BYTES_MAX,
  LOOK_HEAD_BYTES,
  LOOK_PIXEL_BYTES,
  LOOK_SIDE,
  READY_NUMBER,
  readLookHead,
} from "./look-wire.js";
import { readModel } from "./model-file.js";
import { ssdBoxes } from "./ssd-boxes.js";

const INPUT = 0;
const OUTPUT = 1;
/** The least score that is reported: a tracker follows what it knows with less than it takes to begin. */
const SCORE_MIN = 0.2;
/** Looks at nothing before the first: they load what the first would wait for. */
const WARM_LOOKS = 3;
const HALF_RANGE = 127.5;
const PIXELS = LOOK_SIDE * LOOK_SIDE;

class Network {
  readonly #session: InferenceSession;
  readonly #pixels = new Float32Array(PIXELS * LOOK_PIXEL_BYTES);
  readonly #input = new Tensor("float32", this.#pixels, [1, LOOK_PIXEL_BYTES, LOOK_SIDE, LOOK_SIDE]);

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  /** Looks at a picture of red, green and blue bytes; a smaller one is stretched. */
  async look(rgb: Uint8Array, width: number, height: number) {
    for (let row = 0, at = 0; row < LOOK_SIDE; row++) {
      const line = Math.floor((row * height) / LOOK_SIDE) * width;
      for (let column = 0; column < LOOK_SIDE; column++, at++) {
        const from = (line + Math.floor((column * width) / LOOK_SIDE)) * LOOK_PIXEL_BYTES;
        for (let colour = 0; colour < LOOK_PIXEL_BYTES; colour++)
          this.#pixels[colour * PIXELS + at] = (rgb[from + colour] ?? 0) / HALF_RANGE - 1;
      }
    }
    const { boxes, scores } = await this.#session.run({ image: this.#input });
    return ssdBoxes(boxes?.data as Float32Array, scores?.data as Float32Array, SCORE_MIN);
  }
}

/** False at the end of the input. */
function readWhole(target: Uint8Array): boolean {
  for (let at = 0; at < target.length; ) {
    const count = readSync(INPUT, target, at, target.length - at, null);
    if (count === 0) return false;
    at += count;
  }
  return true;
}

function writeWhole(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(OUTPUT, bytes, at);
}

async function run(modelFile: string): Promise<void> {
  const session = await InferenceSession.create(readModel(modelFile), {
    ...{ intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential" },
  });
  const network = new Network(session);
  const picture = Buffer.alloc(LOOK_BYTES_MAX);
  let tookMs = 0;
  for (let look = 0; look < WARM_LOOKS; look++) {
    const beganMs = performance.now();
    await network.look(picture, LOOK_SIDE, LOOK_SIDE);
    tookMs = performance.now() - beganMs;
  }
  writeWhole(answerBytes({ number: READY_NUMBER, tookMs, boxes: [] }));
  const headBytes = Buffer.alloc(LOOK_HEAD_BYTES);
  while (readWhole(headBytes)) {
    const head = readLookHead(headBytes);
    if (head === undefined) throw new Error("a look that is none");
    const { number, width, height } = head;
    if (!readWhole(picture.subarray(0, width * height * LOOK_PIXEL_BYTES))) return;
    const beganMs = performance.now();
    const boxes = await network.look(picture, width, height);
    writeWhole(answerBytes({ number, tookMs: performance.now() - beganMs, boxes }));
  }
}

const [, , modelFile = ""] = process.argv;
run(modelFile).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${errorText(error)}\n`);
    process.exit(1);
  },
);
