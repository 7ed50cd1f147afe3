import { movedBy, WHOLE, type ZoomBox, type ZoomPoint, type ZoomView, zoomedAt } from "./zoom.js";

const WHEEL_FACTOR = 1.002;
/** A double click makes it so much larger. */
const DOUBLE_FACTOR = 2.5;
/** Wheels that count lines or pages. */
const DELTA_PIXELS = [1, 16, 400];
/** The mouse button that moves the picture, in the `buttons` of an event; fingers and pens that touch have it too. */
const MOVING_BUTTON = 1;
/** A finger or a mouse that moved less has clicked. */
const CLICK_PIXELS = 5;

/** The picture that gestures are for. */
export interface ZoomTarget {
  readonly view: ZoomView;
  onView(view: ZoomView): void;
  /** A double click is for this; else it does what it does without. */
  readonly takesDouble: boolean;
}

/** Wheel, pinch, double click and drag over a picture, before anything else gets them; returns how to stop. */
export function followZoom(element: HTMLElement, target: ZoomTarget): () => void {
  const gestures = new ZoomGestures(element, target);
  const stop = new AbortController();
  const on = { signal: stop.signal, capture: true };
  element.addEventListener("wheel", (event) => gestures.wheel(event), { ...on, passive: false });
  element.addEventListener("pointerdown", (event) => gestures.down(event), on);
  element.addEventListener("pointermove", (event) => gestures.move(event), on);
  element.addEventListener("pointerup", (event) => gestures.up(event), on);
  element.addEventListener("pointercancel", (event) => gestures.up(event), on);
  element.addEventListener("dblclick", (event) => gestures.double(event), on);
  return () => stop.abort();
}

class ZoomGestures {
  readonly #element: HTMLElement;
  readonly #target: ZoomTarget;
  readonly #held = new Map<number, ZoomPoint>();
  #startedAt: ZoomPoint = { x: 0, y: 0 };
  /** What is held moves the picture: it is no click and no swipe. */
  #isMoving = false;

  constructor(element: HTMLElement, target: ZoomTarget) {
    this.#element = element;
    this.#target = target;
  }

  wheel(event: WheelEvent): void {
    if (!isForPicture(event)) return;
    const pixels = event.deltaY * (DELTA_PIXELS[event.deltaMode] ?? 1) * (event.ctrlKey ? 5 : 1);
    // The whole picture cannot become smaller: then the page scrolls.
    if (this.#target.view.scale === 1 && pixels >= 0) return;
    event.preventDefault();
    this.#zoom(WHEEL_FACTOR ** -pixels, this.#place(event));
  }

  double(event: MouseEvent): void {
    if (!isForPicture(event)) return;
    const { view, takesDouble } = this.#target;
    if (view.scale === 1 && !takesDouble) return;
    event.stopPropagation();
    if (view.scale > 1) this.#target.onView(WHOLE);
    else this.#zoom(DOUBLE_FACTOR, this.#place(event));
  }

  down(event: PointerEvent): void {
    if (event.button !== 0 || !isForPicture(event)) return;
    this.#held.set(event.pointerId, this.#place(event));
    if (this.#held.size === 1) this.#startedAt = this.#place(event);
    if (this.#held.size === 1 && this.#target.view.scale === 1) return;
    // What the first finger has begun elsewhere is over.
    if (this.#held.size === 2) window.dispatchEvent(new PointerEvent("pointercancel"));
    this.#element.setPointerCapture(event.pointerId);
    event.stopPropagation();
  }

  move(event: PointerEvent): void {
    const before = this.#held.get(event.pointerId);
    if (before === undefined) return;
    // It was let go where this element does not hear of it.
    if ((event.buttons & MOVING_BUTTON) === 0) {
      this.up(event);
      return;
    }
    const now = this.#place(event);
    const { view } = this.#target;
    if (this.#held.size === 1 && view.scale === 1) return;
    event.stopPropagation();
    this.#isMoving ||= this.#held.size > 1 || apart(now, this.#startedAt) >= CLICK_PIXELS;
    if (!this.#isMoving) return;
    const other = [...this.#held].find(([id]) => id !== event.pointerId)?.[1];
    this.#held.set(event.pointerId, now);
    if (other === undefined) {
      this.#target.onView(movedBy(view, this.#box, { x: now.x - before.x, y: now.y - before.y }));
      return;
    }
    const factor = apart(now, other) / Math.max(1, apart(before, other));
    this.#zoom(factor, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
  }

  up(event: PointerEvent): void {
    if (!this.#held.delete(event.pointerId)) return;
    if (this.#isMoving) event.stopPropagation();
    if (this.#held.size === 0) this.#isMoving = false;
  }

  #zoom(factor: number, at: ZoomPoint): void {
    this.#target.onView(zoomedAt(this.#target.view, this.#box, factor, at));
  }

  get #box(): ZoomBox {
    return { width: this.#element.clientWidth, height: this.#element.clientHeight };
  }

  #place(event: MouseEvent): ZoomPoint {
    const { left, top } = this.#element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}

function apart(one: ZoomPoint, other: ZoomPoint): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

/** Not for a button over it, nor for what else takes the pointer itself. */
function isForPicture({ target }: Event): boolean {
  return (
    target instanceof Element &&
    target.closest("[data-own-pointer], button:not(.tile-surface), a, select") === null
  );
}
