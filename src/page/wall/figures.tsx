import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PlayerFigures } from "../player/picture-player.js";
import { language } from "../words/language.js";
import { wallWords } from "../words/wall.js";
import type { LivePicture } from "./live-picture.js";
import { showsFigures } from "./wall-state.js";

const EVERY_MS = 1000;

/** Delay, bit rate, size and origin of a tile's stream, when they are asked for. */
export function Figures({ picture }: { readonly picture: LivePicture }) {
  const figures = useSignal<PlayerFigures | undefined>(undefined);
  const isShown = showsFigures.value;
  useEffect(() => {
    if (!isShown) return;
    const read = (): void => {
      figures.value = picture.figures();
    };
    read();
    const timer = setInterval(read, EVERY_MS);
    return () => clearInterval(timer);
  }, [picture, isShown]);
  if (!isShown || figures.value === undefined) return null;
  const lines = linesOf(figures.value);
  return (
    <ul class="tile-figures">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function linesOf({ stream, bitsPerSecond, delayMs, handOverDelayMs, dropped }: PlayerFigures): string[] {
  const words = wallWords();
  const number = (value: number, digits: number): string =>
    new Intl.NumberFormat(language.value, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(value);
  const lines: string[] = [];
  // A camera whose clock is ahead would be shown before it was taken: the recorder's part is certain.
  if (delayMs !== undefined && handOverDelayMs !== undefined)
    lines.push(words.delay(milliseconds(Math.max(delayMs, handOverDelayMs)), milliseconds(handOverDelayMs)));
  lines.push(words.rate(number(bitsPerSecond / 1e6, 2)));
  if (stream !== undefined)
    lines.push(
      `${stream.width} × ${stream.height}, ${codecOf(stream.mime)}, ${words.sources[stream.source]}`,
    );
  if (dropped > 0) lines.push(words.dropped(dropped));
  return lines;
}

function milliseconds(value: number): string {
  const unit = { style: "unit", unit: "millisecond", maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(language.value, unit).format(Math.max(0, value));
}

function codecOf(mime: string): string {
  if (mime.includes("avc1")) return "H.264";
  return /hvc1|hev1/.test(mime) ? "H.265" : "MP4";
}
