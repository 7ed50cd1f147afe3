/** What of a picture is seen: `scale` times as large as it is, its upper left at `x`, `y` of the box, pixels, 0 or less. */
export interface ZoomView {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export interface ZoomBox {
  readonly width: number;
  readonly height: number;
}

export interface ZoomPoint {
  readonly x: number;
  readonly y: number;
}

export const WHOLE: ZoomView = { scale: 1, x: 0, y: 0 };
const SCALE_MAX = 8;
/** From this on a picture is looked at closely: nearer to 1 is the whole. */
const SCALE_MIN = 1.02;

/** `factor` times as large; what is at a point of the box stays there. */
export function zoomedAt(view: ZoomView, box: ZoomBox, factor: number, at: ZoomPoint): ZoomView {
  const scale = Math.min(view.scale * factor, SCALE_MAX);
  if (scale < SCALE_MIN) return WHOLE;
  const by = scale / view.scale;
  return within({ scale, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by }, box);
}

export function movedBy(view: ZoomView, box: ZoomBox, by: ZoomPoint): ZoomView {
  return within({ scale: view.scale, x: view.x + by.x, y: view.y + by.y }, box);
}

/** Nothing but the picture is seen. */
function within({ scale, x, y }: ZoomView, { width, height }: ZoomBox): ZoomView {
  const side = (at: number, length: number): number => Math.min(0, Math.max(at, length * (1 - scale)));
  return { scale, x: side(x, width), y: side(y, height) };
}

/** The part that is seen, of the whole: for a small map. Percent. */
export function partSeen({ scale, x, y }: ZoomView, { width, height }: ZoomBox) {
  const part = (at: number, length: number): number => (-at / (length * scale)) * 100;
  return { left: part(x, width), top: part(y, height), size: 100 / scale };
}
