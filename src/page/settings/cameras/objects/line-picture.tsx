import { useRef } from "preact/hooks";
import { camerasWords } from "../../../words/settings/cameras.js";
import type { Camera } from "../model.js";
import { useDrawnPicture } from "../motion/use-drawn-picture.js";
import { outlineOf, type Zone } from "../motion/zones.js";
import { type Line, lineOutline, type Point, pointNear } from "./lines.js";
import "../motion/zones.css";
import "./lines.css";

interface LinePictureProps {
  readonly camera: Camera;
  readonly zones: readonly Zone[];
  readonly lines: readonly Line[];
  /** The line that is drawn; undefined where none is. */
  readonly chosen: number | undefined;
  readonly onDraw: (ends: Pick<Line, "from" | "to">) => void;
}

/** The camera live, with its zones and lines; the chosen line is drawn on it. */
export function LinePicture({ camera, zones, lines, chosen, onDraw }: LinePictureProps) {
  const words = camerasWords();
  const { box, video, ratio, hasShape } = useDrawnPicture(camera);
  const line = chosen === undefined ? undefined : lines[chosen];
  return (
    <div ref={box} class={hasShape ? "zone-picture shaped" : "zone-picture"} style={{ "--ratio": ratio }}>
      <video ref={video} muted playsInline aria-label={words.picture(camera.Name)} />
      <svg class="zone-lines" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        {zones.map(({ shape }, index) => (
          <path key={`zone ${index}`} d={outlineOf(shape)} class="only-zone" />
        ))}
        {lines.map((one, index) => (
          <path
            key={`line ${index}`}
            d={lineOutline(one, ratio)}
            class={index === chosen ? "crossed-line chosen" : "crossed-line"}
          />
        ))}
      </svg>
      {line !== undefined && <LineOverlay line={line} onDraw={onDraw} />}
    </div>
  );
}

interface LineOverlayProps {
  readonly line: Line;
  readonly onDraw: (ends: Pick<Line, "from" | "to">) => void;
}

/** How far a key moves an end, as a part of the picture. */
const KEY_PART = 0.02;
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: [-KEY_PART, 0],
  ArrowRight: [KEY_PART, 0],
  ArrowUp: [0, -KEY_PART],
  ArrowDown: [0, KEY_PART],
};

/** Lies over the picture: a line is drawn by a pointer, and its ends are moved by arrows. */
function LineOverlay({ line, onDraw }: LineOverlayProps) {
  const { objects } = camerasWords();
  const element = useRef<HTMLDivElement>(null);
  const start = useRef<Point | undefined>(undefined);
  const place = (event: PointerEvent): Point => {
    const box = element.current?.getBoundingClientRect();
    if (box === undefined) return [0, 0];
    return pointNear([(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]);
  };
  const begin = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    element.current?.setPointerCapture(event.pointerId);
    start.current = place(event);
  };
  const move = (event: PointerEvent): void => {
    if (start.current !== undefined) onDraw({ from: start.current, to: place(event) });
  };
  const end = (): void => {
    start.current = undefined;
  };
  const { name, from, to } = line;
  return (
    <div
      ref={element}
      class="line-overlay"
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <LineEnd at={from} label={objects.lineBegin(name)} onMove={(at) => onDraw({ from: at, to })} />
      <LineEnd at={to} label={objects.lineEnd(name)} onMove={(at) => onDraw({ from, to: at })} />
    </div>
  );
}

interface LineEndProps {
  readonly at: Point;
  readonly label: string;
  readonly onMove: (at: Point) => void;
}

function LineEnd({ at, label, onMove }: LineEndProps) {
  const move = (event: KeyboardEvent): void => {
    const by = ARROWS[event.key];
    if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    onMove(pointNear([at[0] + by[0], at[1] + by[1]]));
  };
  return (
    <div
      class="line-end"
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move it, and no role of ARIA is a point.
      tabIndex={0}
      aria-label={label}
      aria-description={camerasWords().objects.lineKeys}
      onKeyDown={move}
      style={{ left: `${at[0] * 100}%`, top: `${at[1] * 100}%` }}
    />
  );
}
