import type { MotionBox } from "../recording/index.js";

export const FINDING_KINDS = ["plate", "face", "person", "vehicle", "object"] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** Something that an analyser saw in a picture. */
export interface Finding {
  readonly kind: FindingKind;
  /** In the analyser's words, in small letters: `person`, `car`; `plate` and `face` for these. */
  readonly label: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Relative to the camera's picture; undefined: the analyser did not say. */
  readonly box: MotionBox | undefined;
  /** The number of a plate. */
  readonly number?: string;
  /** Whose face it is; absent: unknown. */
  readonly person?: string;
}

const LABEL_LENGTH_MAX = 64;
const NUMBER_LENGTH_MAX = 16;
const PERSON_LENGTH_MAX = 128;

/** Labels that count as vehicles: those of COCO, of CodeProject.AI and of Frigate. */
const VEHICLES: ReadonlySet<string> = new Set([
  ...["car", "truck", "bus", "motorcycle", "motorbike", "bicycle", "train", "boat", "van", "vehicle"],
  ...["school_bus", "garbage_truck"],
]);

export function kindOfLabel(label: string): FindingKind {
  if (label === "person") return "person";
  if (label === "face") return "face";
  return VEHICLES.has(label) ? "vehicle" : "object";
}

/** A label of an answer; undefined: it is none. */
export function readLabel(value: unknown): string | undefined {
  return readLine(value, LABEL_LENGTH_MAX)?.toLowerCase();
}

/** The number of a plate: letters, digits, dashes and dots, blanks removed. */
export function readNumber(value: unknown): string | undefined {
  const text = readLine(value, LABEL_LENGTH_MAX)
    ?.replace(/^plate:/i, "")
    .replace(/\s/gu, "")
    .toUpperCase();
  const isNumber = text !== undefined && text.length <= NUMBER_LENGTH_MAX && /^[\p{L}\p{N}.-]+$/u.test(text);
  return isNumber && /[\p{L}\p{N}]/u.test(text) ? text : undefined;
}

/** A name that the analyser knows a face by; undefined: it knows none. */
export function readPerson(value: unknown): string | undefined {
  const text = readLine(value, PERSON_LENGTH_MAX);
  return text === undefined || text.toLowerCase() === "unknown" ? undefined : text;
}

/** 0 to 1; undefined: it is nothing of that kind. */
export function readConfidence(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;
}

/** One line of a text from outside; undefined: it is empty, too long, or no text. */
function readLine(value: unknown, lengthMax: number): string | undefined {
  if (typeof value !== "string" || value.length > lengthMax || /[\p{Cc}\p{Cs}]/u.test(value))
    return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/**
 * The box between two corners in pixels of a picture of that size, within the picture. Undefined where the corners are no
 * numbers, or where nothing of the box is in the picture.
 */
export function readBox(
  corners: readonly unknown[],
  size: { readonly width: number; readonly height: number },
): MotionBox | undefined {
  const [left, top, right, bottom] = corners.map((value, index) => {
    const side = index % 2 === 0 ? size.width : size.height;
    return typeof value === "number" ? Math.min(1, Math.max(0, value / side)) : Number.NaN;
  });
  if (left === undefined || top === undefined || right === undefined || bottom === undefined)
    return undefined;
  return right > left && bottom > top ? { left, top, width: right - left, height: bottom - top } : undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of JSON text, without a secret that its texts may repeat; undefined: it is none. */
export function readJson(text: string, secret = ""): unknown {
  try {
    if (secret === "") return JSON.parse(text);
    return JSON.parse(text, (_, value: unknown) =>
      typeof value === "string" ? value.replaceAll(secret, "…") : value,
    );
  } catch {
    return undefined;
  }
}
