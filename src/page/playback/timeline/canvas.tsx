import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../../state/preferences.js";
import { type Inks, paint } from "./paint.js";
import { picture } from "./view.js";

const INK_NAMES = [
  "ground",
  "track",
  "line",
  "text",
  "text-soft",
  "recorded",
  "motion",
  "event",
  "protected",
  "sound",
  "fault",
  "selected",
] as const;

/** The drawing of the timeline. What it shows is said by the slider over it and the list below it. */
export function TimelineCanvas() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const swatches = useRef<HTMLDivElement>(null);
  const inks = useRef<Inks | undefined>(undefined);
  const frame = useRef(0);

  const draw = (): void => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const [element, colours] = [canvas.current, swatches.current];
      if (element === null || colours === null) return;
      inks.current ??= readInks(colours);
      drawInto(element, inks.current);
    });
  };
  useSignalEffect(() => {
    picture.value;
    draw();
  });
  useSignalEffect(() => {
    theme.value;
    inks.current = undefined;
    draw();
  });
  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const repaint = (): void => {
      inks.current = undefined;
      draw();
    };
    scheme.addEventListener("change", repaint);
    return () => {
      scheme.removeEventListener("change", repaint);
      cancelAnimationFrame(frame.current);
    };
  }, []);
  return (
    <>
      <canvas ref={canvas} class="timeline-canvas" />
      <div ref={swatches} class="timeline-inks" aria-hidden="true">
        {INK_NAMES.map((name) => (
          <i key={name} class={`ink-${name}`} />
        ))}
      </div>
    </>
  );
}

/** A canvas knows no variables of style sheets: their colours are taken from elements that have them. */
function readInks(swatches: HTMLElement): Inks {
  const [ground, track, line, text, textSoft, recorded, motion, event, guarded, sound, fault, selected] = [
    ...swatches.children,
  ].map((swatch) => getComputedStyle(swatch).color);
  const none = "transparent";
  return {
    ground: ground ?? none,
    track: track ?? none,
    line: line ?? none,
    text: text ?? none,
    textSoft: textSoft ?? none,
    recorded: recorded ?? none,
    motion: motion ?? none,
    event: event ?? none,
    protected: guarded ?? none,
    sound: sound ?? none,
    fault: fault ?? none,
    selected: selected ?? none,
  };
}

function drawInto(canvas: HTMLCanvasElement, inks: Inks): void {
  const shown = picture.peek();
  const ratio = devicePixelRatio;
  const [width, height] = [Math.round(shown.width * ratio), Math.round(shown.height * ratio)];
  if (width === 0) return;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.height = `${shown.height}px`;
  }
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint(context, shown, inks);
}
