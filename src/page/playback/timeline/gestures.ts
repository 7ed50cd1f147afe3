import { moved, pinched, type Span, timeAt, zoomed } from "./span.js";

/** What gestures on the timeline do. Places are pixels of the element. */
export interface GestureTarget {
  span(): Span;
  onSpan(span: Span): void;
  /** The left button of a mouse goes down, and a click or a drawing follows. */
  onPress(x: number): void;
  /** A finger comes down alone, and a tap may follow. */
  onTouch(x: number): void;
  /** A click or a tap; `isPressed`: it was reported when it began. */
  onPick(place: { readonly x: number; readonly y: number; readonly isPressed: boolean }): void;
  /** The left button, or one finger, is drawn to a place; then it lets go. */
  onDraw(x: number): void;
  onDrawn(): void;
  /** The pointer is over a place, or gone. */
  onHover(place: { readonly x: number; readonly y: number } | undefined): void;
}

/** A pointer that moved less has clicked. */
const CLICK_PIXELS = 5;
/** One notch of a wheel shows about a fifth more or less. */
const WHEEL_FACTOR = 1.0018;
/** Wheels that count lines or pages. */
const DELTA_PIXELS = [1, 16, 400];

/** Left draws, right pans, and what is neither is not for the timeline. */
const BUTTONS = [0, 2];

interface Held {
  readonly button: number;
  readonly startX: number;
  readonly startY: number;
  readonly isPressed: boolean;
  x: number;
  hasMoved: boolean;
}

/** Wheel, drag and pinch on an element; returns how to stop. */
export function followGestures(element: HTMLElement, target: GestureTarget): () => void {
  const gestures = new Gestures(element, target);
  const stop = new AbortController();
  const on = { signal: stop.signal };
  element.addEventListener("wheel", (event) => gestures.wheel(event), { ...on, passive: false });
  element.addEventListener("pointerdown", (event) => gestures.down(event), on);
  element.addEventListener("pointermove", (event) => gestures.move(event), on);
  element.addEventListener("pointerup", (event) => gestures.up(event, true), on);
  element.addEventListener("pointercancel", (event) => gestures.up(event, false), on);
  // A finger that is lifted leaves too: what it tapped stays said.
  const leave = ({ pointerType }: PointerEvent): void => {
    if (pointerType !== "touch") target.onHover(undefined);
  };
  element.addEventListener("pointerleave", leave, on);
  element.addEventListener("contextmenu", (event) => event.preventDefault(), on);
  return () => stop.abort();
}

class Gestures {
  readonly #element: HTMLElement;
  readonly #target: GestureTarget;
  readonly #held = new Map<number, Held>();
  /** The times below two fingers, when the second one came. */
  #pinched: readonly [number, number] | undefined;
  /** Where the element is, while a pointer is held: asking for it with each move would lay the page out twice. */
  #heldBox: DOMRect | undefined;
  #isDrawing = false;
  #hasPinched = false;

  constructor(element: HTMLElement, target: GestureTarget) {
    this.#element = element;
    this.#target = target;
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const pixels = DELTA_PIXELS[event.deltaMode] ?? 1;
    const span = this.#target.span();
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    const isSideways = Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey;
    // A pinch on a touchpad comes as a wheel with Ctrl, in small portions.
    const factor = WHEEL_FACTOR ** (event.deltaY * pixels * (event.ctrlKey ? 6 : 1));
    this.#target.onSpan(
      isSideways
        ? moved(span, sideways * pixels * this.#msPerPixel(span))
        : zoomed(span, factor, timeAt(span, this.#width, this.#place(event).x)),
    );
    // Another time is under the pointer now.
    this.#target.onHover(this.#place(event));
  }

  down(event: PointerEvent): void {
    if (!BUTTONS.includes(event.button)) return;
    this.#element.setPointerCapture(event.pointerId);
    this.#heldBox ??= this.#element.getBoundingClientRect();
    const { x, y } = this.#place(event);
    const isPressed = event.pointerType === "mouse" && event.button === 0;
    const held = { button: event.button, startX: x, startY: y, isPressed, x, hasMoved: false };
    this.#held.set(event.pointerId, held);
    if (isPressed) this.#target.onPress(x);
    if (event.pointerType === "touch" && this.#held.size === 1) this.#target.onTouch(x);
    if (this.#held.size < 2) return;
    this.#target.onHover(undefined);
    this.#endDrawing();
    this.#pinched = this.#heldTimes();
  }

  move(event: PointerEvent): void {
    const { x, y } = this.#place(event);
    const held = this.#held.get(event.pointerId);
    if (held === undefined) {
      if (event.pointerType !== "touch") this.#target.onHover({ x, y });
      return;
    }
    const by = x - held.x;
    if (!held.hasMoved && Math.hypot(x - held.startX, y - held.startY) < CLICK_PIXELS) return;
    held.hasMoved = true;
    held.x = x;
    this.#target.onHover(undefined);
    const span = this.#target.span();
    const at = this.#twoPlaces();
    if (this.#pinched !== undefined && at !== undefined)
      this.#target.onSpan(pinched(span, this.#width, this.#pinched, at));
    else if (this.#held.size === 1 && held.button === 2)
      this.#target.onSpan(moved(span, -by * this.#msPerPixel(span)));
    else if (this.#held.size === 1 && !this.#hasPinched) {
      this.#isDrawing = true;
      this.#target.onDraw(x);
    }
  }

  up(event: PointerEvent, isDone: boolean): void {
    const held = this.#held.get(event.pointerId);
    this.#held.delete(event.pointerId);
    if (this.#held.size === 0) this.#heldBox = undefined;
    this.#endDrawing();
    // The finger that stays of two does nothing, and is no tap.
    this.#hasPinched = this.#held.size > 0;
    if (this.#held.size < 2) this.#pinched = undefined;
    for (const other of this.#held.values()) other.hasMoved = true;
    if (held?.button === 0 && isDone && !held.hasMoved)
      this.#target.onPick({ x: held.startX, y: held.startY, isPressed: held.isPressed });
  }

  #endDrawing(): void {
    if (!this.#isDrawing) return;
    this.#isDrawing = false;
    this.#target.onDrawn();
  }

  get #width(): number {
    return this.#element.clientWidth;
  }

  #msPerPixel({ from, to }: Span): number {
    return (to - from) / Math.max(this.#width, 1);
  }

  #place(event: MouseEvent): { x: number; y: number } {
    const box = this.#heldBox ?? this.#element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #twoPlaces(): readonly [number, number] | undefined {
    const [first, second] = [...this.#held.values()];
    return first === undefined || second === undefined ? undefined : [first.x, second.x];
  }

  #heldTimes(): readonly [number, number] | undefined {
    const places = this.#twoPlaces();
    if (places === undefined) return undefined;
    const span = this.#target.span();
    return [timeAt(span, this.#width, places[0]), timeAt(span, this.#width, places[1])];
  }
}
