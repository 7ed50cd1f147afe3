import type { FindingKind } from "../../analysis/index.js";
import type { FindingBox as BoxObject, PredictionKindName } from "../../contract/answer/index.js";
import type { FindingBox } from "../../finding/index.js";

const KIND_NAMES = {
  plate: "Plate",
  face: "Face",
  person: "Person",
  vehicle: "Vehicle",
  object: "Object",
} as const satisfies Readonly<Record<FindingKind, PredictionKindName>>;

export function kindName(kind: FindingKind): PredictionKindName {
  return KIND_NAMES[kind];
}

export function boxObject({ left, top, width, height }: FindingBox): BoxObject {
  return { Left: left, Top: top, Width: width, Height: height };
}
