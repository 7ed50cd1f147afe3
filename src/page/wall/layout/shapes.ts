import { computed, signal } from "@preact/signals";
import { WIDE_SHAPE } from "./layout.js";

const KEY = "nvrd.shapes";
const SHAPES_MAX = 512;

/** Of the browser, absent elsewhere. */
const page = globalThis as unknown as { readonly localStorage?: KeptTexts };

interface KeptTexts {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

/** Width by height of the room for the tiles. */
export const stageShape = signal(WIDE_SHAPE);

/** Width by height of each camera's pictures, as they were last. */
const shapes = signal<ReadonlyMap<string, number>>(readKept());

/** The shape that most cameras' pictures have. */
export const pictureShape = computed(() => {
  const counts = new Map<number, number>();
  for (const shape of shapes.value.values()) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? WIDE_SHAPE;
});

/** The size of a camera's pictures is known. Kept, so that the wall has its layout from the first moment of the next visit. */
export function noteShape(channel: string, width: number, height: number): void {
  const shape = Math.round((width / height) * 100) / 100;
  if (!Number.isFinite(shape) || shape <= 0 || shapes.peek().get(channel) === shape) return;
  const others = [...shapes.peek()].filter(([id]) => id !== channel);
  shapes.value = new Map([...others.slice(1 - SHAPES_MAX), [channel, shape]]);
  try {
    page.localStorage?.setItem(KEY, JSON.stringify([...shapes.value]));
  } catch (error) {
    console.warn("the shapes of pictures cannot be kept in this browser", error);
  }
}

function readKept(): ReadonlyMap<string, number> {
  try {
    const kept: unknown = JSON.parse(page.localStorage?.getItem(KEY) ?? "[]");
    const pairs = Array.isArray(kept) ? kept.slice(-SHAPES_MAX) : [];
    return new Map(pairs.filter(isShape));
  } catch (error) {
    console.warn("the shapes of pictures cannot be read", error);
    return new Map();
  }
}

function isShape(pair: unknown): pair is [string, number] {
  return Array.isArray(pair) && typeof pair[0] === "string" && typeof pair[1] === "number" && pair[1] > 0;
}
