import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PlayerFigures } from "../player/picture-player.js";
import { language } from "../words/language.js";
import { wallWords } from "../words/wall.js";
import type { LivePicture } from "./tile/live-picture.js";
import { showsFigures } from "./wall-state.js";

const EVERY_MS = 1000;
/** What a camera takes is shown from this on. */
const CAMERA_PART_MS = 20;

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
  if (delayMs !== undefined && handOverDelayMs !== undefined) {
    // A camera whose clock is ahead would be shown before it was taken: the recorder's part is certain.
    const isCameraKnown = delayMs > handOverDelayMs + CAMERA_PART_MS;
    const whole = isCameraKnown ? delayMs : handOverDelayMs;
    lines.push(words.delay(duration(whole), isCameraKnown ? duration(handOverDelayMs) : undefined));
  }
  lines.push(words.rate(number(bitsPerSecond / 1e6, 2)));
  if (stream !== undefined)
    lines.push(
      `${stream.width} × ${stream.height}, ${codecOf(stream.mime)}, ${words.sources[stream.source]}`,
    );
  if (dropped > 0) lines.push(words.dropped(dropped));
  return lines;
}

function duration(ms: number): string {
  const [value, unit, digits] = ms < 1000 ? [ms, "millisecond", 0] : [ms / 1000, "second", 1];
  const options = { style: "unit", unit, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(language.value, options).format(Math.max(0, value));
}

function codecOf(mime: string): string {
  if (mime.includes("avc1")) return "H.264";
  return /hvc1|hev1/.test(mime) ? "H.265" : "MP4";
}
