import type { GapReason, Timeline, TimelineChannel, TimelineCounts } from "../../../contract/answer/index.js";
import type { Tick } from "../time/ticks.js";
import { type Span, xOf } from "./span.js";

/** Colours of the canvas, read from the style sheets. */
export interface Inks {
  readonly ground: string;
  readonly track: string;
  readonly line: string;
  readonly text: string;
  readonly textSoft: string;
  readonly recorded: string;
  readonly motion: string;
  readonly event: string;
  readonly protected: string;
  readonly sound: string;
  readonly fault: string;
  readonly selected: string;
}

export interface LabelledTick extends Tick {
  readonly label: string;
}

/** All that one picture of the timeline shows. */
export interface TimelinePicture {
  readonly width: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly span: Span;
  readonly now: number;
  readonly days: readonly LabelledTick[];
  readonly times: readonly LabelledTick[];
  /** The day at the left edge. */
  readonly firstDay: string;
  readonly answer: Timeline | undefined;
  /** In the order of the rows. */
  readonly channels: readonly (TimelineChannel | undefined)[];
  /** Spans found by a motion search, and the row of its camera. */
  readonly found: readonly Span[];
  readonly foundRow: number;
  readonly font: string;
}

/** Height of the dates and times above the rows. */
export const RULER_HEIGHT = 40;

/** What a row has below its middle line, top to bottom: protection, recording with motion in it, sound. */
const TRACK_PART = 0.5;

export function paint(context: CanvasRenderingContext2D, picture: TimelinePicture, inks: Inks): void {
  context.fillStyle = inks.ground;
  context.fillRect(0, 0, picture.width, picture.height);
  paintGrid(context, picture, inks);
  for (const [row, channel] of picture.channels.entries()) paintRow(context, picture, row, channel, inks);
  paintFuture(context, picture, inks);
  paintRuler(context, picture, inks);
}

function paintGrid(context: CanvasRenderingContext2D, picture: TimelinePicture, inks: Inks): void {
  for (const { at, kind } of [...picture.times, ...picture.days]) {
    const x = Math.round(xOf(picture.span, picture.width, at));
    context.fillStyle = inks.line;
    context.globalAlpha = kind === "day" ? 1 : 0.45;
    context.fillRect(x, kind === "day" ? 0 : RULER_HEIGHT - 6, 1, picture.height);
  }
  context.globalAlpha = 1;
}

/** Below the ruler, behind now: nothing can be there yet. */
function paintFuture(
  context: CanvasRenderingContext2D,
  { span, width, height, now }: TimelinePicture,
  inks: Inks,
) {
  const x = xOf(span, width, now);
  if (x >= width) return;
  context.globalAlpha = 0.75;
  context.fillStyle = inks.ground;
  context.fillRect(Math.max(x, 0), RULER_HEIGHT, width, height);
  context.globalAlpha = 1;
}

function paintRuler(context: CanvasRenderingContext2D, picture: TimelinePicture, inks: Inks): void {
  const { span, width, days, times, firstDay } = picture;
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.font = picture.font;
  context.fillStyle = inks.textSoft;
  for (const { at, label } of times) {
    const x = xOf(span, width, at);
    const half = context.measureText(label).width / 2;
    if (x > half && x < width - half) context.fillText(label, x, 28);
  }
  context.textAlign = "left";
  context.fillStyle = inks.text;
  let free = width;
  for (const { at, label } of days.toReversed()) {
    const x = Math.max(xOf(span, width, at), 0) + 6;
    if (x + context.measureText(label).width + 10 > free) continue;
    context.fillText(label, x, 11);
    free = x - 6;
  }
  if (free > context.measureText(firstDay).width + 16) context.fillText(firstDay, 6, 11);
}

interface Row {
  readonly top: number;
  readonly height: number;
  readonly trackTop: number;
  readonly trackHeight: number;
}

function rowOf(picture: TimelinePicture, row: number): Row {
  const top = RULER_HEIGHT + row * picture.rowHeight;
  const trackHeight = Math.round(picture.rowHeight * TRACK_PART);
  return {
    top,
    height: picture.rowHeight,
    trackTop: Math.round(top + (picture.rowHeight - trackHeight) * 0.62),
    trackHeight,
  };
}

function paintRow(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  index: number,
  channel: TimelineChannel | undefined,
  inks: Inks,
): void {
  const row = rowOf(picture, index);
  const { span, width, answer } = picture;
  context.fillStyle = inks.track;
  context.fillRect(0, row.trackTop, width, row.trackHeight);
  if (channel === undefined || answer === undefined) return;
  for (const { From, To, Reason } of channel.Gaps) {
    const [left, right] = [xOf(span, width, From), xOf(span, width, To)];
    if (right > 0 && left < width)
      paintGap(context, row, Math.max(left, -20), Math.min(right, width + 20), Reason, inks);
  }
  for (const { From, To, Recorded } of channel.Runs) {
    const [left, right] = [xOf(span, width, From), xOf(span, width, To)];
    if (right < 0 || left > width) continue;
    const part = Recorded === undefined ? 1 : Recorded / Math.max(To - From, 1);
    context.globalAlpha = 0.35 + 0.65 * Math.min(part, 1);
    context.fillStyle = inks.recorded;
    context.fillRect(left, row.trackTop, Math.max(right - left, 1.5), row.trackHeight);
  }
  context.globalAlpha = 1;
  paintAway(context, picture, channel, row, inks);
  paintMotion(context, picture, answer, channel.Motion, row, inks);
  paintEvents(context, picture, answer, channel, row, inks);
  paintLines(context, picture, channel, row, inks);
  if (index === picture.foundRow) paintFound(context, picture, row, inks);
}

/** Gaps that nobody chose; the others were meant, and are only an empty track. */
const FAULTS: ReadonlySet<GapReason> = new Set([
  "camera-lost",
  "interrupted",
  "not-recordable",
  "service-crashed",
  "power-cut",
  "disk",
  "unknown",
]);

/** A fault is hatched and edged, so that it differs by more than its colour; what was meant is a dotted line. */
function paintGap(
  context: CanvasRenderingContext2D,
  { trackTop, trackHeight }: Row,
  left: number,
  right: number,
  reason: GapReason,
  inks: Inks,
): void {
  const width = Math.max(right - left, 1.5);
  if (FAULTS.has(reason)) {
    context.save();
    context.beginPath();
    context.rect(left, trackTop, width, trackHeight);
    context.clip();
    context.strokeStyle = inks.fault;
    context.globalAlpha = 0.75;
    context.beginPath();
    // Anchored to the canvas: the hatching does not run while the timeline is dragged.
    for (let x = Math.floor(left / 7) * 7 - trackHeight; x < right; x += 7) {
      context.moveTo(x, trackTop + trackHeight);
      context.lineTo(x + trackHeight, trackTop);
    }
    context.stroke();
    context.restore();
    return;
  }
  if (reason === "not-recorded-yet" || width < 6) return;
  context.strokeStyle = inks.line;
  context.setLineDash([2, 4]);
  context.beginPath();
  context.moveTo(left + 2, trackTop + trackHeight / 2);
  context.lineTo(right - 2, trackTop + trackHeight / 2);
  context.stroke();
  context.setLineDash([]);
}

/** What is at another place only is cut into bars. */
function paintAway(
  context: CanvasRenderingContext2D,
  { span, width }: TimelinePicture,
  { Away }: TimelineChannel,
  { trackTop, trackHeight }: Row,
  inks: Inks,
): void {
  context.fillStyle = inks.ground;
  for (const { From, To } of Away) {
    const [left, right] = [xOf(span, width, From), Math.min(xOf(span, width, To), width)];
    for (let x = Math.max(Math.ceil(left / 6) * 6, 0); x < right; x += 6)
      context.fillRect(x, trackTop, 2, trackHeight);
  }
}

function paintMotion(
  context: CanvasRenderingContext2D,
  { span, width }: TimelinePicture,
  answer: Timeline,
  { Steps, Counts }: TimelineCounts,
  { trackTop, trackHeight }: Row,
  inks: Inks,
): void {
  const most = Math.log1p(Counts.reduce((max, count) => Math.max(max, count), 1));
  const stepWidth = Math.max((answer.StepMs / (span.to - span.from)) * width, 2);
  context.fillStyle = inks.motion;
  for (const [index, step] of Steps.entries()) {
    const x = xOf(span, width, answer.From + step * answer.StepMs);
    if (x < -stepWidth || x > width) continue;
    const height = trackHeight * (0.2 + 0.6 * (Math.log1p(Counts[index] ?? 1) / most));
    context.fillRect(x, trackTop + trackHeight - height, Math.min(stepWidth, 6), height);
  }
}

/** Events other than motion: diamonds above the track. Those of the recorder itself belong to no row. */
function paintEvents(
  context: CanvasRenderingContext2D,
  { span, width }: TimelinePicture,
  answer: Timeline,
  { Events }: TimelineChannel,
  { top, trackTop }: Row,
  inks: Inks,
): void {
  const middle = Math.max((top + trackTop) / 2, trackTop - 6);
  for (const { Group, Steps } of Events) {
    if (Group === "user" || Group === "disk" || Group === "recording") continue;
    context.fillStyle = Group === "camera" ? inks.textSoft : inks.event;
    let last = Number.NEGATIVE_INFINITY;
    for (const step of Steps) {
      const x = xOf(span, width, answer.From + (step + 0.5) * answer.StepMs);
      if (x < -5 || x > width + 5 || x - last < 5) continue;
      last = x;
      context.beginPath();
      context.moveTo(x, middle - 4);
      context.lineTo(x + 4, middle);
      context.lineTo(x, middle + 4);
      context.lineTo(x - 4, middle);
      context.fill();
    }
  }
}

function paintLines(
  context: CanvasRenderingContext2D,
  { span, width }: TimelinePicture,
  { Protected, Sound }: TimelineChannel,
  { trackTop, trackHeight }: Row,
  inks: Inks,
): void {
  context.fillStyle = inks.sound;
  for (const { From, To } of Sound) {
    const left = xOf(span, width, From);
    context.fillRect(left, trackTop + trackHeight + 1, Math.max(xOf(span, width, To) - left, 1), 2);
  }
  context.fillStyle = inks.protected;
  for (const { From, To } of Protected) {
    const left = xOf(span, width, From);
    const size = Math.max(xOf(span, width, To) - left, 3);
    context.fillRect(left, trackTop - 3, size, 3);
    context.fillRect(left, trackTop - 3, 1.5, trackHeight + 3);
    context.fillRect(left + size - 1.5, trackTop - 3, 1.5, trackHeight + 3);
  }
}

function paintFound(
  context: CanvasRenderingContext2D,
  { span, width, found }: TimelinePicture,
  { trackTop, trackHeight }: Row,
  inks: Inks,
): void {
  context.strokeStyle = inks.selected;
  context.lineWidth = 2;
  for (const { from, to } of found) {
    const left = xOf(span, width, from);
    context.strokeRect(left, trackTop - 2, Math.max(xOf(span, width, to) - left, 3), trackHeight + 4);
  }
  context.lineWidth = 1;
}
