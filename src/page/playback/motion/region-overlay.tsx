import { useRef } from "preact/hooks";
import { type Box, boxBetween, boxBy } from "./box.js";

/** What the first arrow marks. */
const MIDDLE: Box = { left: 0.25, top: 0.25, width: 0.5, height: 0.5 };

/** How far a key moves the region or its edges, as a part of the picture. */
const KEY_PART = 0.02;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-KEY_PART, 0],
  ArrowRight: [KEY_PART, 0],
  ArrowUp: [0, -KEY_PART],
  ArrowDown: [0, KEY_PART],
};

interface RegionOverlayProps {
  /** Of the picture: its width by its height. */
  readonly ratio: number;
  readonly region: Box;
  readonly onRegion: (region: Box) => void;
  /** What is read aloud: what it is, and its keys. */
  readonly label: string;
  readonly keys: string;
}

/**
 * Lies over a picture of a shape: a region is drawn on it by a pointer. Arrows move it, with Shift they make it larger and
 * smaller; the whole picture begins as its middle.
 */
export function RegionOverlay({ ratio, region, onRegion, label, keys }: RegionOverlayProps) {
  const element = useRef<HTMLDivElement>(null);
  const start = useRef<readonly [number, number] | undefined>(undefined);
  const place = (event: PointerEvent): readonly [number, number] => {
    const box = element.current?.getBoundingClientRect();
    if (box === undefined) return [0, 0];
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    element.current?.setPointerCapture(event.pointerId);
    start.current = place(event);
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (start.current !== undefined) onRegion(boxBetween(start.current, place(event)));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = ARROWS[event.key];
    if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const isWhole = region.width === 1 && region.height === 1;
    onRegion(isWhole ? MIDDLE : boxBy(region, by, event.shiftKey));
  };
  const { left, top, width, height } = region;
  return (
    <div
      ref={element}
      class="region"
      style={{ "--ratio": ratio }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => (start.current = undefined)}
      onPointerCancel={() => (start.current = undefined)}
    >
      <div
        class="region-box"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move it, and no role of ARIA is a rectangle.
        tabIndex={0}
        aria-label={label}
        aria-description={keys}
        onKeyDown={onKeyDown}
        style={{
          left: `${left * 100}%`,
          top: `${top * 100}%`,
          width: `${width * 100}%`,
          height: `${height * 100}%`,
        }}
      />
    </div>
  );
}
