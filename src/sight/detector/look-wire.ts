import { DETECTED_LABELS, type DetectedLabel } from "../thing/labels.js";

/**
 * What passes between the recorder and the detector's process: looks one way, answers the other. Both are bounded; numbers are little
 * endian.
 */

/** Sides of the picture that the detector looks at. */
export const LOOK_SIDE = 300;
export const LOOK_PIXEL_BYTES = 3;
/** Number of the look, width, height. */
export const LOOK_HEAD_BYTES = 8;
export const LOOK_BYTES_MAX = LOOK_SIDE * LOOK_SIDE * LOOK_PIXEL_BYTES;
/** Number of the look, tenths of milliseconds it took, number of boxes. */
const ANSWER_HEAD_BYTES = 10;
/** Label, score, left, top, width, height: whole numbers, of which 65535 stands for one. */
const BOX_BYTES = 12;
/** Boxes of one answer, the surest first. */
export const BOXES_MAX = 64;
export const ANSWER_BYTES_MAX = ANSWER_HEAD_BYTES + BOXES_MAX * BOX_BYTES;
/** The answer that says that the model is loaded has this number. */
export const READY_NUMBER = 0;
const SHARE_STEPS = 65_535;
const TOOK_STEPS_PER_MS = 10;
const TOOK_MAX = 0xffff_ffff;

/** A thing in a picture: where, relative to the picture that was looked at, and how sure it is, 0 to 1. */
export interface DetectedBox {
  readonly label: DetectedLabel;
  readonly score: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface LookAnswer {
  readonly number: number;
  readonly tookMs: number;
  readonly boxes: readonly DetectedBox[];
}

export interface LookHead {
  readonly number: number;
  readonly width: number;
  readonly height: number;
}

export function lookHead({ number, width, height }: LookHead): Buffer {
  const head = Buffer.allocUnsafe(LOOK_HEAD_BYTES);
  head.writeUInt32LE(number, 0);
  head.writeUInt16LE(width, 4);
  head.writeUInt16LE(height, 6);
  return head;
}

/** Undefined: it is none. */
export function readLookHead(head: Buffer): LookHead | undefined {
  const [number, width, height] = [head.readUInt32LE(0), head.readUInt16LE(4), head.readUInt16LE(6)];
  const isPicture = width >= 1 && height >= 1 && width <= LOOK_SIDE && height <= LOOK_SIDE;
  return isPicture && number !== READY_NUMBER ? { number, width, height } : undefined;
}

export function answerBytes({ number, tookMs, boxes }: LookAnswer): Buffer {
  const sent = boxes.slice(0, BOXES_MAX);
  const answer = Buffer.allocUnsafe(ANSWER_HEAD_BYTES + sent.length * BOX_BYTES);
  answer.writeUInt32LE(number, 0);
  answer.writeUInt32LE(Math.min(TOOK_MAX, Math.max(0, Math.round(tookMs * TOOK_STEPS_PER_MS))), 4);
  answer.writeUInt16LE(sent.length, 8);
  for (const [index, { label, ...shares }] of sent.entries()) {
    const at = ANSWER_HEAD_BYTES + index * BOX_BYTES;
    answer.writeUInt16LE(DETECTED_LABELS.indexOf(label), at);
    const { score, left, top, width, height } = shares;
    for (const [place, share] of [score, left, top, width, height].entries())
      answer.writeUInt16LE(steps(share), at + 2 + 2 * place);
  }
  return answer;
}

function steps(share: number): number {
  return Math.round(Math.min(1, Math.max(0, share)) * SHARE_STEPS);
}

/** Reads the answers of a process that is not trusted, however they are cut into pieces. */
export class AnswerReader {
  #kept: Buffer = Buffer.alloc(0);

  /** The answers that are whole now. Throws an Error for what is none: nothing that follows can be read. */
  take(piece: Buffer): readonly LookAnswer[] {
    this.#kept = this.#kept.length === 0 ? piece : Buffer.concat([this.#kept, piece]);
    const answers: LookAnswer[] = [];
    for (;;) {
      const bytes = this.#wholeAnswer();
      if (bytes === undefined) return answers;
      answers.push(readAnswer(bytes));
    }
  }

  #wholeAnswer(): Buffer | undefined {
    const kept = this.#kept;
    if (kept.length < ANSWER_HEAD_BYTES) return undefined;
    const boxes = kept.readUInt16LE(8);
    if (boxes > BOXES_MAX) throw new Error(`an answer with ${boxes} boxes`);
    const length = ANSWER_HEAD_BYTES + boxes * BOX_BYTES;
    if (kept.length < length) return undefined;
    this.#kept = kept.subarray(length);
    return kept.subarray(0, length);
  }
}

function readAnswer(bytes: Buffer): LookAnswer {
  const boxes: DetectedBox[] = [];
  for (let at = ANSWER_HEAD_BYTES; at < bytes.length; at += BOX_BYTES) {
    const label = DETECTED_LABELS[bytes.readUInt16LE(at)];
    if (label === undefined) throw new Error("an answer with an unknown label");
    const share = (place: number): number => bytes.readUInt16LE(at + 2 + 2 * place) / SHARE_STEPS;
    const [score, left, top] = [share(0), share(1), share(2)];
    const [width, height] = [Math.min(share(3), 1 - left), Math.min(share(4), 1 - top)];
    if (width > 0 && height > 0) boxes.push({ label, score, left, top, width, height });
  }
  return { number: bytes.readUInt32LE(0), tookMs: bytes.readUInt32LE(4) / TOOK_STEPS_PER_MS, boxes };
}
