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

/** A longer message is not read. */
export const FRIGATE_MESSAGE_BYTES_MAX = 32 * 1024;
const ID_LENGTH_MAX = 128;

/** A message of `frigate/events`: something that Frigate tracks. */
export interface FrigateMessage {
  /** Of the tracked thing, the same in all its messages. */
  readonly id: string;
  readonly camera: string;
  /** Whether it is over, or was none. */
  readonly isOver: boolean;
  /** The thing itself, and what Frigate knows of it; boxes are relative to a picture of the given size. */
  findings(size: { readonly width: number; readonly height: number }): readonly Finding[];
}

/** Reads a message; undefined: it is none of these. */
export function readFrigateMessage(payload: Uint8Array): FrigateMessage | undefined {
  if (payload.byteLength > FRIGATE_MESSAGE_BYTES_MAX) return undefined;
  const message = readJson(textOf(payload));
  if (!isRecord(message) || !isRecord(message.after)) return undefined;
  const { after, type } = message;
  const label = readLabel(after.label);
  const confidence = readConfidence(after.top_score) ?? readConfidence(after.score);
  const { id, camera } = after;
  if (label === undefined || confidence === undefined) return undefined;
  if (typeof id !== "string" || id.length > ID_LENGTH_MAX || typeof camera !== "string") return undefined;
  return {
    id,
    camera,
    isOver: type === "end" || after.false_positive === true,
    findings: (size) => {
      const box = readBox(Array.isArray(after.box) ? after.box.slice(0, 4) : [], size);
      const thing: Finding = { kind: kindOfLabel(label), label, confidence, box };
      return [thing, ...plateOf(after, thing), ...faceOf(after, thing)];
    },
  };
}

type After = Readonly<Record<string, unknown>>;

/** The plate that Frigate has read of a vehicle. */
function plateOf(after: After, { box, confidence }: Finding): readonly Finding[] {
  const [text, score] = namedWithScore(after.recognized_license_plate);
  const number = readNumber(text);
  if (number === undefined) return [];
  const known = readConfidence(after.recognized_license_plate_score) ?? score ?? confidence;
  return [{ kind: "plate", label: "plate", number, confidence: known, box }];
}

/** The name that Frigate knows a person by. Sub-labels of other things are brands and the like. */
function faceOf(after: After, { kind, box, confidence }: Finding): readonly Finding[] {
  const [text, score] = namedWithScore(after.sub_label);
  const person = kind === "person" ? readPerson(text) : undefined;
  if (person === undefined) return [];
  return [{ kind: "face", label: "face", person, confidence: score ?? confidence, box }];
}

/** `"name"`, or `["name", 0.9]`. */
function namedWithScore(value: unknown): readonly [text: unknown, score: number | undefined] {
  return Array.isArray(value) ? [value[0], readConfidence(value[1])] : [value, undefined];
}

function textOf(payload: Uint8Array): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("utf8");
}
