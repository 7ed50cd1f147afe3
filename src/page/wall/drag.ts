import { signal } from "@preact/signals";

/** What is dragged over the wall: a camera of the list, or the camera of a tile. */
export type DragLoad =
  | { readonly kind: "camera"; readonly id: string; readonly name: string }
  | { readonly kind: "tile"; readonly index: number; readonly name: string };

export interface Dragged {
  readonly load: DragLoad;
  readonly x: number;
  readonly y: number;
  /** The tile below the pointer. */
  readonly over: number | undefined;
}

export const dragged = signal<Dragged | undefined>(undefined);

/** A pointer that moves less is a click. */
const CLICK_PX = 6;

/** Follows a pointer from where it was pressed; `onDrop` gets the tile it was let go over. */
export function beginDrag(
  event: PointerEvent,
  load: DragLoad,
  onDrop: (load: DragLoad, tile: number) => void,
): void {
  if (event.button !== 0) return;
  const { clientX, clientY, pointerId } = event;
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const end = (): void => {
    controller.abort();
    dragged.value = undefined;
  };
  const onMove = (moved: PointerEvent): void => {
    if (moved.pointerId !== pointerId) return;
    const [x, y] = [moved.clientX, moved.clientY];
    if (dragged.value === undefined && Math.hypot(x - clientX, y - clientY) < CLICK_PX) return;
    dragged.value = { load, x, y, over: tileAt(x, y) };
  };
  const onUp = (released: PointerEvent): void => {
    if (released.pointerId !== pointerId) return;
    const over = dragged.value?.over;
    if (dragged.value !== undefined) suppressClick();
    end();
    if (over !== undefined) onDrop(load, over);
  };
  window.addEventListener("pointermove", onMove, options);
  window.addEventListener("pointerup", onUp, options);
  window.addEventListener("pointercancel", end, options);
  window.addEventListener("keydown", (key) => key.key === "Escape" && end(), options);
}

/** The click that a browser sends after a drag is none. */
function suppressClick(): void {
  const stop = (event: Event): void => {
    event.stopPropagation();
    event.preventDefault();
  };
  window.addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", stop, { capture: true }), 50);
}

function tileAt(x: number, y: number): number | undefined {
  const tile = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-tile]");
  return tile == null ? undefined : Number(tile.dataset.tile);
}
