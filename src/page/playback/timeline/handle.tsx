import { useRef } from "preact/hooks";
import { momentWords } from "../time/format.js";
import { shownSpan } from "../watch/model.js";
import { lengthOf, timeAt } from "./span.js";
import { fieldWidth, placeOf } from "./view.js";

interface HandleProps {
  readonly kind: "mark-from" | "mark-to";
  readonly label: string;
  readonly time: number;
  readonly onTime: (time: number) => void;
}

/** How far a key moves it, as a part of what is shown. */
const KEY_PARTS: Readonly<Record<string, number>> = {
  ArrowLeft: -1 / 400,
  ArrowDown: -1 / 400,
  ArrowRight: 1 / 400,
  ArrowUp: 1 / 400,
  PageDown: -1 / 20,
  PageUp: 1 / 20,
};

/** A line over the timeline with a handle, for a pointer and for keys. */
export function Handle({ kind, label, time, onTime }: HandleProps) {
  const element = useRef<HTMLDivElement>(null);
  const grip = useRef(0);
  const x = placeOf(time);
  const isSeen = x >= -1 && x <= fieldWidth.value + 1;

  const placeUnder = (event: PointerEvent): number => {
    const field = element.current?.parentElement?.getBoundingClientRect();
    return event.clientX - (field?.left ?? 0);
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.stopPropagation();
    element.current?.setPointerCapture(event.pointerId);
    grip.current = placeUnder(event) - x;
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (element.current?.hasPointerCapture(event.pointerId) !== true) return;
    const at = Math.min(Math.max(placeUnder(event) - grip.current, 0), fieldWidth.value);
    onTime(timeAt(shownSpan.value, fieldWidth.value, at));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const part = KEY_PARTS[event.key];
    if (part === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    onTime(time + Math.round(part * (event.shiftKey ? 10 : 1) * lengthOf(shownSpan.value)));
  };
  return (
    <div
      ref={element}
      class={`timeline-handle ${kind}`}
      hidden={!isSeen}
      style={{ transform: `translateX(${x}px)` }}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={Math.floor(shownSpan.value.from)}
      aria-valuemax={Math.ceil(shownSpan.value.to)}
      aria-valuenow={Math.round(time)}
      aria-valuetext={momentWords(time)}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  );
}
