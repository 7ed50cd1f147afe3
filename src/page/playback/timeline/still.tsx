import { useEffect } from "preact/hooks";
import { chosen, shownSpan } from "../watch/model.js";
import { timelineRows } from "./data.js";
import { lengthOf, overlaps } from "./span.js";
import { cellAt, stripAt } from "./strip.js";
import { stripOf, wantStrip } from "./strips.js";
import { fieldWidth } from "./view.js";

interface StillProps {
  readonly channel: string;
  readonly at: number;
}

/** The picture of a moment, from the strip that has it; nothing where none was recorded. */
export function StillOf({ channel, at }: StillProps) {
  const row = timelineRows.value[chosen.value.indexOf(channel)];
  const span = stripAt(at, lengthOf(shownSpan.value) / Math.max(fieldWidth.value, 1));
  const isRecorded = row?.Runs.some(({ From, To }) => overlaps({ from: From, to: To }, span)) ?? false;
  useEffect(() => {
    if (isRecorded) wantStrip(channel, span);
  }, [channel, span.from, span.to, isRecorded]);
  const strip = stripOf(channel, span);
  if (strip === undefined) return null;
  const { header, address } = strip;
  const cell = cellAt(span, header, at);
  if (cell === undefined) return null;
  const part = (index: number, count: number) => (count < 2 ? 0 : (index / (count - 1)) * 100);
  return (
    <div
      class="still"
      style={{
        aspectRatio: `${header.Width} / ${header.Height}`,
        backgroundImage: `url("${address}")`,
        backgroundSize: `${cell.columns * 100}% ${cell.rows * 100}%`,
        backgroundPosition: `${part(cell.column, cell.columns)}% ${part(cell.row, cell.rows)}%`,
      }}
    />
  );
}
