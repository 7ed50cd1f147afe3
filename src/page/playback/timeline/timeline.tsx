import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { aheadMs, recorderNow } from "../../state/recorder-time.js";
import { boxZone } from "../../state/time-format.js";
import { playbackWords } from "../../words/playback.js";
import { momentWords, timeWords } from "../time/format.js";
import { stepFor } from "../time/ticks.js";
import {
  active,
  chosen,
  cursor,
  cursorSecond,
  marked,
  nameOf,
  shownNow,
  shownSpan,
  showSpan,
} from "../watch/model.js";
import { playing } from "../watch/playing.js";
import { TimelineCanvas } from "./canvas.js";
import { timelineAnswer, timelineRows, useTimelineData } from "./data.js";
import { followGestures, type GestureTarget } from "./gestures.js";
import { Handle } from "./handle.js";
import { following, lengthOf, moved, timeAt, zoomed } from "./span.js";
import { Tip, type TipPlace, tip } from "./tip.js";
import {
  fieldHeight,
  fieldWidth,
  hasAllRows,
  placeOf,
  reachMs,
  rowAt,
  rowHeight,
  rows,
  rowsMax,
} from "./view.js";
import { rowWords } from "./words.js";

/** How often the edge of now is looked at. */
const NOW_MS = 200;

const TIP_MS = 5000;

/** What the word at the edge of now needs. */
const NOW_PIXELS = 64;

/** How much one press shows less or more. */
export const ZOOM_FACTOR = 2;

/** Rows of cameras over one time; a slider for who uses keys or listens, and `list`, the same in words. */
export function Timeline({ list }: { readonly list: ComponentChildren }) {
  useTimelineData();
  useEffect(followNow, []);
  const words = playbackWords();
  return (
    <section class="timeline" aria-label={words.timeline}>
      <div class="timeline-lane">
        <Tip />
      </div>
      <div class="timeline-body">
        <Names />
        <Field />
      </div>
      <div class="timeline-foot">
        <p class="timeline-zone">{words.zone(boxZone.value.name)}</p>
        <ClocksApart />
        {list}
        {chosen.value.length > rowsMax.value && (
          <button
            type="button"
            class="link"
            aria-pressed={hasAllRows.value}
            onClick={() => (hasAllRows.value = !hasAllRows.value)}
          >
            {words.allRows}
          </button>
        )}
      </div>
    </section>
  );
}

/** A hand that clicks moves so far from the place at which it rested. */
const NEAR_PIXELS = 2;

/** Under a pointer that rests, the timeline moves so far before another moment is said. */
const MOVED_PIXELS = 8;

/** Clocks that differ so much are worth a word. */
const CLOCKS_APART_MS = 60_000;

/** This device's clock is another one than the recorder's, whose times all of these are. */
function ClocksApart() {
  const ahead = aheadMs.value;
  if (Math.abs(ahead) < CLOCKS_APART_MS) return null;
  return (
    <p class="timeline-zone clocks-apart" role="status">
      {playbackWords().clocksApart(Math.round(Math.abs(ahead) / 60_000), ahead > 0)}
    </p>
  );
}

/** Moves the edge of now when that can be seen. */
function followNow(): () => void {
  const move = (): void => {
    const [now, pixelMs] = [recorderNow(), lengthOf(shownSpan.peek()) / Math.max(fieldWidth.peek(), 1)];
    if (Math.abs(now - shownNow.peek()) > pixelMs / 2) shownNow.value = now;
  };
  const timer = setInterval(move, NOW_MS);
  return () => clearInterval(timer);
}

/** The cameras' names; the one that is chosen is what sound, pictures and searches are of. */
function Names() {
  return (
    <ul class="timeline-names" style={{ "--row": `${rowHeight.value}px` }}>
      {rows.value.map((place) => {
        const id = chosen.value[place];
        return (
          <li key={id}>
            <button type="button" aria-pressed={active.value === id} onClick={() => (active.value = id)}>
              {nameOf(id)}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Field() {
  const element = useRef<HTMLDivElement>(null);
  const slider = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current === null || slider.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      fieldWidth.value = Math.round(entry?.contentRect.width ?? 0);
    });
    observer.observe(element.current);
    let hovered: { readonly x: number; readonly y: number; readonly at: number } | undefined;
    let touched: { readonly x: number; readonly at: number } | undefined;
    const hover = (place: Parameters<GestureTarget["onHover"]>[0], isMoved = false): void => {
      hovered = place && { ...place, at: timeUnder(place.x) };
      tip.value = hovered && { at: hovered.at, row: rowAt(hovered.y) };
      playing.hover(hovered?.at, isMoved);
    };
    const stopFollowing = effect(() => {
      const { at, x } = { at: shownSpan.value.from, x: 0, ...hovered };
      if (Math.abs(placeOf(at) - x) > MOVED_PIXELS) hover(hovered, true);
    });
    const stop = followGestures(slider.current, {
      span: () => shownSpan.peek(),
      onSpan: (span) => {
        playing.detachTimeline();
        showSpan(span);
      },
      // What was said of the place is meant, also where the timeline has moved on a little.
      onPress: (x) =>
        playing.seek(
          hovered !== undefined && Math.abs(hovered.x - x) <= NEAR_PIXELS ? hovered.at : timeUnder(x),
        ),
      onTouch: (x) => {
        touched = { x, at: timeUnder(x) };
        playing.touch(touched.at);
      },
      onPick: (place) => pick(place, touched?.x === place.x ? touched.at : timeUnder(place.x)),
      onDraw: (x) => {
        playing.beginDrawing();
        playing.drawTo(timeUnder(Math.min(Math.max(x, 0), fieldWidth.peek())));
      },
      onDrawn: () => playing.endDrawing(),
      onHover: (place) => hover(place),
    });
    return () => {
      observer.disconnect();
      stopFollowing();
      stop();
    };
  }, []);
  return (
    <div ref={element} class="timeline-field" style={{ height: `${fieldHeight.value}px` }}>
      <TimelineCanvas />
      <Slider sliderRef={slider} />
      <Now />
      <Marks />
      <Playhead />
    </div>
  );
}

function timeUnder(x: number): number {
  return timeAt(shownSpan.peek(), fieldWidth.peek(), x);
}

/** A click or a tap: goes there, and says what is there. */
function pick({ y, isPressed }: Parameters<GestureTarget["onPick"]>[0], at: number): void {
  const row = rowAt(y);
  const channel = chosen.peek()[row];
  if (channel !== undefined) active.value = channel;
  showTip({ at, row });
  if (!isPressed) playing.seek(at);
}

/** Of a tap and of keys, which do not leave. */
function showTip(place: TipPlace): void {
  tip.value = place;
  setTimeout(() => {
    if (tip.peek() === place) tip.value = undefined;
  }, TIP_MS);
}

function Slider({ sliderRef }: { readonly sliderRef: { current: HTMLDivElement | null } }) {
  const words = playbackWords();
  const at = cursorSecond.value;
  const row = timelineRows.value[chosen.value.indexOf(active.value ?? "")];
  return (
    <div
      ref={sliderRef}
      class="timeline-slider"
      role="slider"
      tabIndex={0}
      aria-label={words.timeline}
      aria-description={words.timelineHint}
      aria-valuemin={Math.floor(shownSpan.value.from)}
      aria-valuemax={Math.ceil(shownSpan.value.to)}
      aria-valuenow={at}
      aria-valuetext={[
        momentWords(at),
        nameOf(active.value),
        rowWords(timelineAnswer.value, row, at, reachMs()),
      ]
        .filter((part) => part !== "")
        .join(", ")}
      onKeyDown={onSliderKey}
      onBlur={() => (tip.value = undefined)}
    />
  );
}

function onSliderKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const span = shownSpan.peek();
  const step = stepFor(lengthOf(span), fieldWidth.peek(), 8) * (event.shiftKey ? 10 : 1);
  const moves: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => goTo(cursor.peek() - step),
    ArrowRight: () => goTo(cursor.peek() + step),
    PageUp: () => goTo(cursor.peek() + lengthOf(span) / 2),
    PageDown: () => goTo(cursor.peek() - lengthOf(span) / 2),
    Home: () => goTo(span.from),
    End: () => goTo(Math.min(span.to, recorderNow())),
    ArrowUp: () => moveRow(-1),
    ArrowDown: () => moveRow(1),
  };
  const move = moves[event.key];
  if (move === undefined) return;
  event.preventDefault();
  move();
}

/** By keys: shows what is there, as a pointer does. */
function goTo(time: number): void {
  playing.seek(time);
  showSpan(following(shownSpan.peek(), cursor.peek()));
  showTip({ at: cursor.peek(), row: Math.max(0, chosen.peek().indexOf(active.peek() ?? "")) });
}

function moveRow(by: number): void {
  const ids = chosen.peek();
  const row = Math.min(Math.max(ids.indexOf(active.peek() ?? "") + by, 0), ids.length - 1);
  active.value = ids[row];
  showTip({ at: cursor.peek(), row });
}

/** Shows more or less time around the moment that is shown. */
export function zoom(factor: number): void {
  const span = shownSpan.peek();
  const at = Math.min(Math.max(cursor.peek(), span.from), span.to);
  showSpan(zoomed(span, factor, at));
}

export function pan(part: number): void {
  playing.detachTimeline();
  showSpan(moved(shownSpan.peek(), part * lengthOf(shownSpan.peek())));
}

function Now() {
  const x = placeOf(shownNow.value);
  if (x < 0 || x > fieldWidth.value) return null;
  const isLeft = x > fieldWidth.value - NOW_PIXELS;
  return (
    <div class={isLeft ? "timeline-now left" : "timeline-now"} style={{ transform: `translateX(${x}px)` }}>
      <span>{playbackWords().now}</span>
    </div>
  );
}

/** Where the playback is. The pointer goes through it: the timeline itself is clicked and drawn there as anywhere else. */
function Playhead() {
  const at = cursor.value;
  const x = placeOf(at);
  if (x < -1 || x > fieldWidth.value + 1) return null;
  return (
    <div class="timeline-playhead" aria-hidden="true" style={{ transform: `translateX(${x}px)` }}>
      <span class="timeline-flag">{timeWords(at, "second")}</span>
    </div>
  );
}

/** The two ends of what is to be saved or protected. */
function Marks() {
  const span = marked.value;
  if (span === undefined) return null;
  const words = playbackWords();
  const [left, right] = [placeOf(span.from), placeOf(span.to)];
  const now = recorderNow();
  return (
    <>
      <div
        class="timeline-marked"
        style={{ transform: `translateX(${left}px)`, width: `${Math.max(right - left, 1)}px` }}
      />
      <Handle
        kind="mark-from"
        label={words.exportStart}
        time={span.from}
        onTime={(from) => (marked.value = { from: Math.min(from, span.to - 1000), to: span.to })}
      />
      <Handle
        kind="mark-to"
        label={words.exportEnd}
        time={span.to}
        onTime={(to) =>
          (marked.value = { from: span.from, to: Math.max(Math.min(to, now), span.from + 1000) })
        }
      />
    </>
  );
}
