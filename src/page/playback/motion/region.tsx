import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Box, boxBetween, WHOLE } from "./box.js";

/** Where in the picture motion is searched. */
export const region = signal<Box>(WHOLE);

/** Lies over a picture of a shape: a region is drawn on it by a pointer. The panel has fields for keys. */
export function RegionOverlay({ ratio }: { readonly ratio: number }) {
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
    if (start.current !== undefined) region.value = boxBetween(start.current, place(event));
  };
  const { left, top, width, height } = region.value;
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
