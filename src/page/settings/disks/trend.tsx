import { smartWords } from "../../words/settings/smart.js";
import { dayText } from "./disk-words.js";

const WIDTH = 300;
const HEIGHT = 48;

interface TrendProps {
  readonly name: string;
  /** At least two, by time. */
  readonly points: readonly { readonly atMs: number; readonly value: number }[];
  readonly text: (value: number) => string;
}

/** A figure over the years as a line; its beginning, end and extremes are also words. */
export function Trend({ name, points, text }: TrendProps) {
  const words = smartWords();
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const place = ({ atMs, value }: (typeof points)[number]): string => {
    const x = ((atMs - first.atMs) / Math.max(1, last.atMs - first.atMs)) * WIDTH;
    const y = high === low ? HEIGHT / 2 : HEIGHT - ((value - low) / (high - low)) * HEIGHT;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  };
  return (
    <figure class="trend">
      <figcaption>{name}</figcaption>
      <svg viewBox={`-2 -3 ${WIDTH + 4} ${HEIGHT + 6}`} preserveAspectRatio="none" aria-hidden="true">
        <polyline points={points.map(place).join(" ")} />
      </svg>
      <p class="hint">
        {words.trend(
          dayText(first.atMs),
          dayText(last.atMs),
          low === high ? text(low) : words.range(text(low), text(high)),
        )}
      </p>
    </figure>
  );
}
