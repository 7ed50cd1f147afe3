import { type Guid, parseGuid, type SeenKind } from "../base/index.js";
import {
  FINDING_DIRECTIONS,
  FINDING_PATH_MAX,
  FINDING_SOURCES,
  FINDING_ZONES_MAX,
} from "../contract/answer/index.js";

export { FINDING_DIRECTIONS, FINDING_PATH_MAX, FINDING_SOURCES, FINDING_ZONES_MAX };
export type FindingSource = (typeof FINDING_SOURCES)[number];
export type FindingDirection = (typeof FINDING_DIRECTIONS)[number];

/** Of labels and names, and of what is read on plates and in faces; what is beyond is cut. */
export const FINDING_WORD_CHARACTERS_MAX = 64;
export const FINDING_TEXT_CHARACTERS_MAX = 128;

/** Relative to the picture's sides, from its upper left corner. */
export interface FindingBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface FindingMoment {
  readonly timeUs: number;
  readonly box: FindingBox;
}

/** The best picture of it: of this moment, cut to the box; without one, all of it. */
export interface FindingBest {
  readonly timeUs: number;
  readonly box: FindingBox | undefined;
}

/** What somebody saw of a channel: one record, whoever it was. */
export interface Finding {
  /** `<channel>-<begin in microseconds>`; the same as long as it exists. */
  readonly id: string;
  readonly channelId: Guid;
  readonly kind: SeenKind;
  /** In small letters: `car`, `dog`; empty where the kind says it all. */
  readonly label: string;
  readonly source: FindingSource;
  /** The analyser's name, the rule of the camera, the motion's detector; may be empty. */
  readonly sourceName: string;
  readonly beginUs: number;
  /** When it was seen last. */
  readonly seenUs: number;
  readonly isLasting: boolean;
  /** 0 to 1; undefined: nobody said. */
  readonly score: number | undefined;
  /** Of motion: the greatest part of the picture that moved, 0 to 1. */
  readonly strength: number | undefined;
  readonly zones: readonly string[];
  /** The line that was crossed; empty: none. */
  readonly line: string;
  readonly direction: FindingDirection | undefined;
  /** The number of a plate, the name of a face; empty: none. */
  readonly text: string;
  readonly path: readonly FindingMoment[];
  readonly best: FindingBest | undefined;
}

const ID_PATTERN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(\d{1,16})$/;

export function findingId(channelId: Guid, beginUs: number): string {
  return `${channelId}-${beginUs}`;
}

/** The channel and the begin of an id; undefined: it is none. */
export function readFindingId(
  id: string,
): { readonly channelId: Guid; readonly beginUs: number } | undefined {
  const [, channel = "", begin = ""] = ID_PATTERN.exec(id) ?? [];
  const channelId = parseGuid(channel);
  const beginUs = Number(begin);
  return channelId === undefined || !Number.isSafeInteger(beginUs) ? undefined : { channelId, beginUs };
}

/** Part of the picture that the thing fills at its best; undefined: nobody said where it was. */
export function findingSize({ best }: Pick<Finding, "best">): number | undefined {
  return best?.box === undefined ? undefined : best.box.width * best.box.height;
}

/** Within the picture, whatever was said; undefined: nothing of it is in the picture. */
export function boxWithin({ left, top, width, height }: FindingBox): FindingBox | undefined {
  const [x0, x1] = [clip(left), clip(left + width)];
  const [y0, y1] = [clip(top), clip(top + height)];
  return x1 > x0 && y1 > y0 ? { left: x0, top: y0, width: x1 - x0, height: y1 - y0 } : undefined;
}

function clip(value: number): number {
  return Math.min(1, Math.max(0, value));
}
