import { overlapShare } from "../thing/box.js";
import { cocoNumber, DETECTED_LABELS } from "../thing/labels.js";
import { BOXES_MAX, type DetectedBox } from "./look-wire.js";

/**
 * From what the network says to boxes: each of 1917 anchors with an offset from it and a score a kind (Liu et al., "SSD: Single Shot
 * MultiBox Detector", 2016; anchors and factors of the TensorFlow Object Detection API's `ssdlite_mobilenet_v2_coco`).
 */
const ANCHORS = 1917;
const CLASSES = 91;
const BOX_MEMBERS = 4;
/** Sides of the six maps of features. */
const MAP_SIDES = [19, 10, 5, 3, 2, 1];
const SCALE_MIN = 0.2;
const SCALE_STEP = 0.15;
const FIRST_MAP_SMALL = 0.1;
const RATIOS = [1, 2, 1 / 2, 3, 1 / 3];
const CENTRE_FACTOR = 10;
const SIDE_FACTOR = 5;
/** Offsets beyond it are no boxes, and their exponential might be no number. */
const SIDE_OFFSET_MAX = 20;
/** Two boxes of a kind that share more of their area are one thing. */
const SAME_OVERLAP = 0.5;
/** Boxes that are compared with each other. */
const CANDIDATES_MAX = 256;

/** Centre and sides of each anchor: x, y, width, height. */
const ANCHOR_SHAPES = anchorShapes();

function anchorShapes(): Float32Array {
  const shapes: number[] = [];
  for (const [level, side] of MAP_SIDES.entries()) {
    const shapesHere = shapesOf(level);
    for (let row = 0; row < side; row++)
      for (let column = 0; column < side; column++)
        for (const [scale, ratio] of shapesHere) {
          const root = Math.sqrt(ratio);
          shapes.push((column + 0.5) / side, (row + 0.5) / side, scale * root, scale / root);
        }
  }
  return Float32Array.from(shapes);
}

function shapesOf(level: number): readonly (readonly [scale: number, ratio: number])[] {
  const scale = scaleOf(level);
  if (level === 0)
    return [
      [FIRST_MAP_SMALL, 1],
      [scale, 2],
      [scale, 1 / 2],
    ];
  return [
    ...RATIOS.map((ratio) => [scale, ratio] as const),
    [Math.sqrt(scale * scaleOf(level + 1)), 1] as const,
  ];
}

function scaleOf(level: number): number {
  return level < MAP_SIDES.length ? SCALE_MIN + SCALE_STEP * level : 1;
}

/** The things with at least that score, the surest first, each once. */
export function ssdBoxes(
  offsets: Float32Array,
  scores: Float32Array,
  scoreMin: number,
): readonly DetectedBox[] {
  const found: DetectedBox[] = [];
  for (const label of DETECTED_LABELS) {
    const number = cocoNumber(label);
    for (let anchor = 0; anchor < ANCHORS; anchor++) {
      const score = scores[anchor * CLASSES + number] ?? 0;
      if (score < scoreMin) continue;
      const box = boxAt(offsets, anchor);
      if (box !== undefined) found.push({ label, score, ...box });
    }
  }
  found.sort((one, other) => other.score - one.score);
  return suppressed(found.slice(0, CANDIDATES_MAX)).slice(0, BOXES_MAX);
}

function boxAt(offsets: Float32Array, anchor: number): Omit<DetectedBox, "label" | "score"> | undefined {
  const member = (values: Float32Array, index: number): number => values[anchor * BOX_MEMBERS + index] ?? 0;
  const [down, across] = [member(offsets, 0), member(offsets, 1)];
  const [tall, wide] = [member(offsets, 2) / SIDE_FACTOR, member(offsets, 3) / SIDE_FACTOR];
  if (!(Math.abs(tall) < SIDE_OFFSET_MAX && Math.abs(wide) < SIDE_OFFSET_MAX)) return undefined;
  const [x, y] = [member(ANCHOR_SHAPES, 0), member(ANCHOR_SHAPES, 1)];
  const [width, height] = [member(ANCHOR_SHAPES, 2), member(ANCHOR_SHAPES, 3)];
  const centreX = (across / CENTRE_FACTOR) * width + x;
  const centreY = (down / CENTRE_FACTOR) * height + y;
  const [halfWidth, halfHeight] = [(Math.exp(wide) * width) / 2, (Math.exp(tall) * height) / 2];
  const [left, right] = [within(centreX - halfWidth), within(centreX + halfWidth)];
  const [top, bottom] = [within(centreY - halfHeight), within(centreY + halfHeight)];
  return right > left && bottom > top ? { left, top, width: right - left, height: bottom - top } : undefined;
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** Without those that share most of their area with a surer one of the same kind. */
function suppressed(sorted: readonly DetectedBox[]): readonly DetectedBox[] {
  const kept: DetectedBox[] = [];
  for (const box of sorted) {
    const isKnown = kept.some(
      (other) => other.label === box.label && overlapShare(other, box) > SAME_OVERLAP,
    );
    if (!isKnown) kept.push(box);
  }
  return kept;
}
