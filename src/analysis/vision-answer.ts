import type { MotionBox } from "../recording/index.js";
import {
  type Finding,
  isRecord,
  kindOfLabel,
  readBox,
  readConfidence,
  readJson,
  readLabel,
  readNumber,
  readPerson,
} from "./finding.js";
import { outOf } from "./picture-region.js";

/** What a server is asked for. */
export const VISION_TASKS = ["objects", "plates", "faces"] as const;
export type VisionTask = (typeof VISION_TASKS)[number];

/** Further predictions of an answer are ignored. */
export const PREDICTIONS_MAX = 64;
const REASON_LENGTH_MAX = 200;

/** The picture that was sent: its size in pixels, and which part of the camera's picture it is. */
export interface SentPicture {
  readonly width: number;
  readonly height: number;
  readonly region: MotionBox;
}

/**
 * The findings of a server's answer, the surest first. Throws Error, in words, where it is no answer of the API. `apiKey`: what it was
 * sent; a server may repeat it in its reason, a label or a name, and many read those.
 */
export function readAnswer(
  body: Uint8Array,
  task: VisionTask,
  picture: SentPicture,
  apiKey = "",
): readonly Finding[] {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  const answer = readJson(text, apiKey);
  if (answer === undefined) throw new Error("its answer is not JSON");
  if (!isRecord(answer)) throw new Error("its answer is no JSON object");
  if (answer.success === false) throw new Error(`it could not do it: ${reasonOf(answer)}`);
  const { predictions } = answer;
  if (!Array.isArray(predictions)) throw new Error("its answer has no list of predictions");
  const some: readonly unknown[] = predictions.slice(0, PREDICTIONS_MAX);
  const findings = some.flatMap((prediction) => readPrediction(prediction, task, picture) ?? []);
  if (findings.length === 0 && some.length > 0 && !some.every(isRecord))
    throw new Error("its predictions are no objects");
  return findings.toSorted((one, other) => other.confidence - one.confidence);
}

function reasonOf({ error, message }: Readonly<Record<string, unknown>>): string {
  const text = typeof error === "string" ? error : typeof message === "string" ? message : "no reason given";
  return text.replace(/[\p{Cc}\p{Cs}]+/gu, " ").slice(0, REASON_LENGTH_MAX);
}

function readPrediction(value: unknown, task: VisionTask, picture: SentPicture): Finding | undefined {
  if (!isRecord(value)) return undefined;
  const confidence = readConfidence(value.confidence);
  const inside = readBox([value.x_min, value.y_min, value.x_max, value.y_max], picture);
  if (confidence === undefined || inside === undefined) return undefined;
  const common = { confidence, box: outOf(picture.region, inside) };
  if (task === "plates") {
    const number = readNumber(value.plate ?? value.label);
    return number === undefined ? undefined : { kind: "plate", label: "plate", number, ...common };
  }
  if (task === "faces") {
    const person = readPerson(value.userid);
    return { kind: "face", label: "face", ...common, ...(person === undefined ? {} : { person }) };
  }
  const label = readLabel(value.label);
  return label === undefined ? undefined : { kind: kindOfLabel(label), label, ...common };
}
