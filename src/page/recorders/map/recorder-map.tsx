import "./map.css";
import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { HubBox, HubMap } from "../../../contract/answer/index.js";
import { Button, IconButton } from "../../control/button.js";
import { Icon } from "../../control/icon.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { addressOf } from "../../state/route.js";
import { session } from "../../state/session.js";
import { language } from "../../words/language.js";
import { recordersWords } from "../../words/recorders.js";
import { RecorderCard } from "../recorder-card.js";
import { stateOf, worstOf } from "../recorders.js";
import { PlaceForm } from "./place-form.js";
import {
  type Degrees,
  heaps,
  moved,
  type Point,
  placeOf,
  pointOf,
  type Size,
  scaleLength,
  type View,
  viewOf,
  zoomed,
} from "./plane.js";

/** Marks nearer than this lie on each other. */
const NEAR_PX = 36;
/** Cameras are shown from here on, and no more than so many. */
const CAMERA_METRES_PER_PIXEL = 8;
const CAMERAS_MAX = 400;
const ZOOM_STEP = 1.6;
const PUSH_PX = 80;
const SCALE_PX = 140;
/** A finger or a hand that moves less than this has clicked. */
const CLICK_PX = 5;
const LOOK = 34;

type Placed = HubBox & { readonly Position: NonNullable<HubBox["Position"]> };

interface RecorderMapProps {
  readonly boxes: readonly HubBox[];
  /** After something was changed. */
  readonly onChanged: () => void;
}

/** Where the recorders and their cameras are, on a plane of coordinates: nothing comes from elsewhere. */
export function RecorderMap({ boxes, onChanged }: RecorderMapProps) {
  const words = recordersWords();
  const size = useSignal<Size>({ width: 0, height: 0 });
  const view = useSignal<View | undefined>(undefined);
  const chosen = useSignal<string | undefined>(undefined);
  const picked = useSignal<Degrees | undefined>(undefined);
  const cameras = useSignal<HubMap["Cameras"]>([]);
  useRead(
    async () => {
      cameras.value = (await requestJson<HubMap>("/api/boxes/map")).Cameras;
    },
    sayError,
    [boxes.length],
  );
  const placed = boxes.filter((box): box is Placed => box.Position !== null);
  const lost = boxes.filter(({ Position }) => Position === null);
  const seen = useComputed(() => {
    const known = size.value;
    return (
      view.value ??
      viewOf(
        placed.map(({ Position }) => Position),
        known,
      )
    );
  });
  const whole = (): void => {
    view.value = viewOf(
      placed.map(({ Position }) => Position),
      size.value,
    );
  };
  const placedAt = (place: Degrees | null): void => {
    // What was typed may lie far from all that is shown.
    if (place !== null && !isSeen(pointOf(place, seen.value, size.value), size.value)) view.value = undefined;
    onChanged();
  };
  const box = boxes.find(({ Id }) => Id === chosen.value);
  const isAdministrator = session.value?.IsAdministrator === true;
  return (
    <div class="recorder-map">
      <div class="map-side">
        {box === undefined ? (
          <p class="hint">{placed.length === 0 ? words.map.nobody : words.map.choose}</p>
        ) : (
          <>
            <RecorderCard box={box} />
            {isAdministrator && <PlaceForm key={box.Id} box={box} picked={picked} onChanged={placedAt} />}
          </>
        )}
        {lost.length > 0 && (
          <section>
            <h2>{words.map.notPlaced}</h2>
            <ul class="map-lost">
              {lost.map((one) => (
                <li key={one.Id}>
                  <Button onClick={() => (chosen.value = one.Id)}>{one.Name}</Button>
                </li>
              ))}
            </ul>
            <p class="hint">{words.map.notPlacedHint}</p>
          </section>
        )}
      </div>
      <Plane view={view} seen={seen.value} size={size} picked={picked} whole={whole}>
        {size.value.width > 0 && (
          <>
            <CameraMarks cameras={cameras.value} view={seen.value} size={size.value} />
            <Marks
              {...{ placed, view: seen.value, size: size.value, chosen }}
              onHeap={(items) =>
                (view.value = viewOf(
                  items.map(({ Position }) => Position),
                  size.value,
                ))
              }
            />
            {picked.value !== undefined && (
              <span class="map-picked" style={leftTop(pointOf(picked.value, seen.value, size.value))} />
            )}
          </>
        )}
      </Plane>
    </div>
  );
}

interface PlaneProps {
  readonly view: Signal<View | undefined>;
  /** What is shown where nobody has chosen. */
  readonly seen: View;
  readonly size: Signal<Size>;
  readonly picked: Signal<Degrees | undefined>;
  readonly whole: () => void;
  readonly children: preact.ComponentChildren;
}

/** The plane: pushed, brought nearer, and clicked on. */
function Plane({ view, seen, size, picked, whole, children }: PlaneProps) {
  const words = recordersWords().map;
  const element = useRef<HTMLDivElement>(null);
  const push = useRef<{ readonly from: Point; last: Point; isMoved: boolean } | undefined>(undefined);
  const now = useRef(seen);
  now.current = seen;
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      size.value = { width: current.clientWidth, height: current.clientHeight };
    });
    observer.observe(current);
    // Preact's own listeners of wheels cannot keep the page from scrolling.
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      const by = event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP;
      view.value = zoomed(now.current, size.value, { by, at: pointIn(current, event) });
    };
    current.addEventListener("wheel", wheel, { passive: false });
    return () => {
      observer.disconnect();
      current.removeEventListener("wheel", wheel);
    };
  }, []);
  const zoom = (by: number): void => {
    const { width, height } = size.value;
    view.value = zoomed(seen, size.value, { by, at: { x: width / 2, y: height / 2 } });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const way = WAYS[event.key];
    if (way === undefined || event.target !== event.currentTarget) return;
    event.preventDefault();
    view.value = moved(seen, size.value, way);
  };
  const scale = scaleLength(seen, SCALE_PX);
  return (
    <div class="map-frame">
      <div
        class="map-plane"
        ref={element}
        role="application"
        aria-label={words.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows push it
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if ((event.target as Element).closest("a, button") !== null) return;
          const at = pointIn(event.currentTarget, event);
          push.current = { from: at, last: at, isMoved: false };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const { current } = push;
          if (current === undefined) return;
          const at = pointIn(event.currentTarget, event);
          current.isMoved ||= Math.hypot(at.x - current.from.x, at.y - current.from.y) > CLICK_PX;
          if (!current.isMoved) return;
          view.value = moved(seen, size.value, { x: at.x - current.last.x, y: at.y - current.last.y });
          current.last = at;
        }}
        onPointerUp={(event) => {
          const { current } = push;
          push.current = undefined;
          if (current === undefined || current.isMoved) return;
          picked.value = placeOf(pointIn(event.currentTarget, event), seen, size.value);
        }}
        onPointerCancel={() => (push.current = undefined)}
      >
        {children}
      </div>
      <div class="map-tools">
        <IconButton icon="add" label={words.nearer} onClick={() => zoom(ZOOM_STEP)} />
        <IconButton icon="minus" label={words.farther} onClick={() => zoom(1 / ZOOM_STEP)} />
        <IconButton icon="enlarge" label={words.all} onClick={whole} />
      </div>
      <p class="map-scale">
        <span style={{ width: `${scale.pixels}px` }} />
        {lengthText(scale.metres)}
      </p>
    </div>
  );
}

const WAYS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: PUSH_PX, y: 0 },
  ArrowRight: { x: -PUSH_PX, y: 0 },
  ArrowUp: { x: 0, y: PUSH_PX },
  ArrowDown: { x: 0, y: -PUSH_PX },
};

interface MarksProps {
  readonly placed: readonly Placed[];
  readonly view: View;
  readonly size: Size;
  readonly chosen: Signal<string | undefined>;
  /** Several that lie on each other were chosen. */
  readonly onHeap: (items: readonly Placed[]) => void;
}

function Marks({ placed, view, size, chosen, onHeap }: MarksProps) {
  const words = recordersWords();
  return heaps(placed, ({ Position }) => pointOf(Position, view, size), NEAR_PX)
    .filter(({ at }) => isSeen(at, size))
    .map(({ at, items }) => {
      const [first] = items;
      if (first === undefined) return null;
      if (items.length > 1)
        return (
          <button
            key={first.Id}
            type="button"
            class="map-mark"
            data-state={worstOf(items)}
            style={leftTop(at)}
            aria-label={words.map.several(items.length, words.map.states[worstOf(items)])}
            onClick={() => onHeap(items)}
          >
            {items.length}
          </button>
        );
      const state = stateOf(first);
      return (
        <button
          key={first.Id}
          type="button"
          class="map-mark"
          data-state={state}
          aria-pressed={chosen.value === first.Id}
          style={leftTop(at)}
          aria-label={`${first.Name}: ${words.map.states[state]}`}
          onClick={() => (chosen.value = first.Id)}
        >
          <Icon name={state === "well" ? "recorder" : "warning"} />
          <span class="map-name">{first.Name}</span>
        </button>
      );
    });
}

interface CameraMarksProps {
  readonly cameras: HubMap["Cameras"];
  readonly view: View;
  readonly size: Size;
}

/** Cameras, with where they look, once they are near enough to be told apart. */
function CameraMarks({ cameras, view, size }: CameraMarksProps) {
  if (view.metresPerPixel > CAMERA_METRES_PER_PIXEL) return null;
  const seen = cameras
    .map((camera) => ({ camera, at: pointOf(camera, view, size) }))
    .filter(({ at }) => isSeen(at, size));
  return seen.slice(0, CAMERAS_MAX).map(({ camera: { Id, Name, Azimuth }, at }) => (
    <a
      key={Id}
      class="map-camera"
      href={addressOf("playback", { channel: Id })}
      title={Name}
      style={leftTop(at)}
    >
      <svg viewBox="-40 -40 80 80" aria-hidden="true" focusable="false">
        <path
          d={`M0 0L${-LOOK / 2} ${-LOOK}A38 38 0 0 1 ${LOOK / 2} ${-LOOK}Z`}
          transform={`rotate(${Azimuth})`}
        />
        <circle r="6" />
      </svg>
      <span class="only-read">{Name}</span>
    </a>
  ));
}

function isSeen({ x, y }: Point, { width, height }: Size): boolean {
  return x >= -NEAR_PX && y >= -NEAR_PX && x <= width + NEAR_PX && y <= height + NEAR_PX;
}

function leftTop({ x, y }: Point) {
  return { left: `${x}px`, top: `${y}px` };
}

function pointIn(element: Element, { clientX, clientY }: MouseEvent): Point {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

function lengthText(metres: number): string {
  const [value, unit] =
    metres >= 1000
      ? [metres / 1000, "kilometer"]
      : metres >= 1
        ? [metres, "meter"]
        : [metres * 100, "centimeter"];
  return new Intl.NumberFormat(language.value, { style: "unit", unit, maximumFractionDigits: 0 }).format(
    value,
  );
}
