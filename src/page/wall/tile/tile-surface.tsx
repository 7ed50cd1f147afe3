import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { wallWords } from "../../words/wall.js";
import type { beginDrag } from "../drag.js";
import { enlarge, enlargeBeside, enlarged, selected, swapTiles } from "../wall-state.js";

/** A finger that moves so far across an enlarged picture asks for the next one. */
const SWIPE_PX = 60;

interface TileSurfaceProps {
  readonly index: number;
  readonly name: string;
  readonly surface: RefObject<HTMLButtonElement | null>;
  readonly onDrag: typeof beginDrag;
}

/** On a phone a finger scrolls the wall; on larger screens nothing scrolls, and it moves cameras. */
function isForFingers(target: EventTarget | null): boolean {
  return target instanceof Element && getComputedStyle(target).touchAction === "none";
}

/** The whole tile as a button: a click chooses it, a double one or Enter enlarges it, a drag moves the camera. */
export function TileSurface({ index, name, surface, onDrag }: TileSurfaceProps) {
  const words = wallWords();
  const isLarge = enlarged.value === index;
  const pressed = useRef<{ x: number; y: number } | undefined>(undefined);
  const toggle = (): void => enlarge(isLarge ? undefined : index);
  const onPointerDown = (event: PointerEvent): void => {
    selected.value = index;
    pressed.current = { x: event.clientX, y: event.clientY };
    if (!isLarge && (event.pointerType === "mouse" || isForFingers(event.currentTarget)))
      onDrag(event, { kind: "tile", index, name }, (_load, tile) => swapTiles(index, tile));
  };
  const onPointerUp = (event: PointerEvent): void => {
    const from = pressed.current;
    if (event.pointerType === "mouse" || !isLarge || from === undefined) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (Math.abs(dx) > SWIPE_PX && Math.abs(dx) > 2 * Math.abs(dy)) enlargeBeside(dx < 0 ? 1 : -1);
  };
  return (
    <button
      ref={surface}
      type="button"
      class="tile-surface"
      aria-label={isLarge ? words.shrink : words.enlarge(name)}
      aria-pressed={isLarge}
      tabIndex={selected.value === index ? 0 : -1}
      onFocus={() => (selected.value = index)}
      onPointerDown={onPointerDown}
      onPointerUp={onPointerUp}
      onDblClick={toggle}
      // Of a key, or of a program that presses for somebody: a pointer's click only chooses.
      onClick={(event) => event.detail === 0 && toggle()}
    />
  );
}
