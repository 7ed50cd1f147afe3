import type { FindingKind } from "../../analysis/index.js";
import type { Guid } from "../../base/index.js";
import type { FindingBox, FindingKindName } from "../../contract/answer/index.js";
import { FINDING_ID_PATTERN } from "../../contract/query/index.js";
import { EVENT_TYPES, type EventRecord } from "../../event/index.js";
import type { MotionBox } from "../../recording/index.js";

/** What analysers and other programs found, as it is in events. */

const KIND_NAMES = {
  plate: "Plate",
  face: "Face",
  person: "Person",
  vehicle: "Vehicle",
  object: "Object",
} as const satisfies Readonly<Record<FindingKind, FindingKindName>>;

const KINDS: ReadonlyMap<Guid, FindingKind> = new Map<Guid, FindingKind>([
  [EVENT_TYPES.plateRecognized.id, "plate"],
  [EVENT_TYPES.faceRecognized.id, "face"],
  [EVENT_TYPES.personDetected.id, "person"],
  [EVENT_TYPES.vehicleDetected.id, "vehicle"],
  [EVENT_TYPES.objectDetected.id, "object"],
]);
/** The types of events that are findings. */
export const FINDING_TYPES: ReadonlySet<Guid> = new Set(KINDS.keys());

/** A finding without its picture. */
export interface FoundThing {
  readonly event: EventRecord;
  readonly kind: FindingKind;
  readonly label: string;
  /** Percent; undefined where the event does not say. */
  readonly confidence: number | undefined;
  readonly number: string | undefined;
  readonly name: string | undefined;
  readonly box: MotionBox | undefined;
  readonly hasPicture: boolean;
}

export function kindName(kind: FindingKind): FindingKindName {
  return KIND_NAMES[kind];
}

export function boxObject({ left, top, width, height }: MotionBox): FindingBox {
  return { Left: left, Top: top, Width: width, Height: height };
}

/** What an event found; undefined: it is of another type. */
export function foundThing(event: EventRecord): FoundThing | undefined {
  const kind = KINDS.get(event.typeId);
  if (kind === undefined) return undefined;
  const text = (name: string): string | undefined => {
    const value = event.fields?.[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const decimal = (name: string): number | undefined => decimalOf(text(name));
  const name = [text("lastName"), text("firstName"), text("patronymic")]
    .flatMap((part) => part ?? [])
    .join(" ");
  return {
    event: withoutPicture(event),
    kind,
    label: (text("Label") ?? text("VehicleClass") ?? kind).toLowerCase(),
    confidence: decimal("Confidence") ?? decimal("Reliability") ?? decimal("Similarity"),
    number: text("plateText") ?? text("Numberplate"),
    name: name === "" ? undefined : name,
    box: boxOf(decimal),
    hasPicture: text("ImageBytes") !== undefined,
  };
}

/** `1789000000000000-17` */
export function findingId({ timeUs, sequence }: EventRecord): string {
  return `${timeUs}-${sequence}`;
}

export function readFindingId(
  text: string,
): { readonly timeUs: number; readonly sequence: number } | undefined {
  if (!new RegExp(FINDING_ID_PATTERN).test(text)) return undefined;
  const [timeUs = 0, sequence = 0] = text.split("-").map(Number);
  return { timeUs, sequence };
}

function boxOf(decimal: (name: string) => number | undefined): MotionBox | undefined {
  const [left, top, width, height] = ["Left", "Top", "Width", "Height"].map(decimal);
  if (left === undefined || top === undefined || !width || !height) return undefined;
  return { left, top, width, height };
}

/** Numbers of events have a decimal comma. */
function decimalOf(text: string | undefined): number | undefined {
  const value = text === undefined ? Number.NaN : Number(text.replace(",", "."));
  return Number.isFinite(value) ? value : undefined;
}

/** So that a page of findings does not hold their pictures. */
function withoutPicture(event: EventRecord): EventRecord {
  const { ImageBytes, FaceImageBase64, ...fields } = event.fields ?? {};
  return { ...event, fields };
}
