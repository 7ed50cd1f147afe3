import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { commonWords } from "../words/common.js";
import { movedBy, partSeen, WHOLE, type ZoomView, zoomedAt } from "./zoom.js";
import { followZoom } from "./zoom-gestures.js";

/** How far an arrow moves it, as a part of what is seen. */
const ARROW_PART = 0.2;
const KEY_FACTOR = 1.25;
/** A picture that is looked at closely for so long is worth its main stream. */
const CLOSE_MS = 300;

interface ZoomOptions {
  /** What is zoomed into. */
  readonly box: RefObject<HTMLElement | null>;
  /** What is moved in it. */
  readonly picture: RefObject<HTMLElement | null>;
  readonly isOn: boolean;
  /** A double click zooms. */
  readonly takesDouble: boolean;
  /** It is looked at closely, or no more: `scale` times as many pixels are wanted. */
  readonly onClose: (scale: number) => void;
}

/** Zoom into a picture by wheel, pinch and double click; a drag moves it. */
export function useZoom({ box, picture, isOn, takesDouble, onClose }: ZoomOptions): Signal<ZoomView> {
  const view = useSignal(WHOLE);
  useEffect(() => {
    const element = box.current;
    if (element === null || !isOn) return undefined;
    const stop = followZoom(element, {
      get view() {
        return view.peek();
      },
      onView: (next) => (view.value = next),
      takesDouble,
    });
    return () => {
      stop();
      view.value = WHOLE;
    };
  }, [isOn, takesDouble]);
  const { scale, x, y } = view.value;
  useEffect(() => {
    const { style } = picture.current ?? {};
    if (style === undefined) return;
    style.transformOrigin = "0 0";
    style.transform = scale === 1 ? "" : `translate(${x}px, ${y}px) scale(${scale})`;
  }, [scale, x, y]);
  useEffect(() => {
    const timer = setTimeout(() => onClose(scale), CLOSE_MS);
    return () => clearTimeout(timer);
  }, [scale]);
  return view;
}

interface ZoomMapProps {
  readonly view: Signal<ZoomView>;
  readonly box: RefObject<HTMLElement | null>;
}

/** Where one is in the picture; a press shows the whole, arrows move, plus and minus zoom. */
export function ZoomMap({ view, box }: ZoomMapProps) {
  const element = box.current;
  if (view.value.scale === 1 || element === null) return null;
  const size = { width: element.clientWidth, height: element.clientHeight };
  const middle = { x: size.width / 2, y: size.height / 2 };
  const seen = partSeen(view.value, size);
  const move = (x: number, y: number) => () => {
    const by = { x: x * ARROW_PART * size.width, y: y * ARROW_PART * size.height };
    view.value = movedBy(view.value, size, by);
  };
  const zoom = (factor: number) => () => (view.value = zoomedAt(view.value, size, factor, middle));
  const keys: Readonly<Record<string, () => void>> = {
    ...{ ArrowLeft: move(1, 0), ArrowRight: move(-1, 0), ArrowUp: move(0, 1), ArrowDown: move(0, -1) },
    ...{ "+": zoom(KEY_FACTOR), "-": zoom(1 / KEY_FACTOR), Escape: () => (view.value = WHOLE) },
  };
  return (
    <button
      type="button"
      class="zoom-map"
      data-own-pointer
      aria-label={commonWords().wholePicture(view.value.scale)}
      title={commonWords().wholePicture(view.value.scale)}
      style={{ aspectRatio: `${size.width} / ${size.height}` }}
      onClick={() => (view.value = WHOLE)}
      onKeyDown={(event) => {
        const act = keys[event.key];
        if (act === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        act();
      }}
    >
      <i
        style={{
          left: `${seen.left}%`,
          top: `${seen.top}%`,
          width: `${seen.size}%`,
          height: `${seen.size}%`,
        }}
      />
    </button>
  );
}
