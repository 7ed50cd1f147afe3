import type { ReadonlySignal, Signal } from "@preact/signals";
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useKeys } from "../control/keys.js";
import { boxZone } from "../state/time-format.js";
import { eventsWords } from "../words/events.js";
import { language } from "../words/language.js";
import type { EventItem } from "./event-item.js";
import { EventRow } from "./event-row.js";
import { DAY_REM, type Entry, entriesWithin, type Layout, layoutOf } from "./layout.js";
import { dayWords } from "./moment.js";
import type { EventPictures } from "./pictures.js";

/** Drawn above and below what is seen, pixels. */
const MARGIN_PX = 400;
/** Older events are asked for when the end is so near, pixels. */
const NEAR_END_PX = 1200;

interface EventListProps {
  readonly items: ReadonlySignal<readonly EventItem[]>;
  readonly pictures: EventPictures;
  /** Pixels that the list is scrolled by; kept by the screen. */
  readonly scrolled: Signal<number>;
  readonly onNearEnd: () => void;
  readonly onDetails: (item: EventItem) => void;
  /** Stands below the last event. */
  readonly children: ComponentChildren;
}

/** The list: only what is seen is in the document, however long it is. */
export function EventList(props: EventListProps) {
  const { items, scrolled, onNearEnd, onDetails, pictures, children } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const seen = useSignal(800);
  const active = useSignal<string | undefined>(undefined);
  const layout = useComputed(() => layoutOf(items.value, boxZone.value, remPx()));
  useHeight(scroller, (height) => (seen.value = height));
  useSteadyPlace(scroller, layout.value, scrolled);
  useSignalEffect(() => {
    const element = scroller.current;
    if (element !== null && scrolled.value === 0 && element.scrollTop > 0) element.scrollTop = 0;
  });
  useRowKeys({ scroller, layout, active, scrolled, onDetails });
  const { height, entries } = layout.value;
  const [from, to] = [scrolled.value - MARGIN_PX, scrolled.value + seen.value + MARGIN_PX];
  const drawn = entriesWithin(layout.value, from, to);
  const isNearEnd = scrolled.value + seen.value + NEAR_END_PX > height;
  useEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, entries.length]);
  const stop = tabStop(drawn, active.value, scrolled.value);
  return (
    <div
      class="event-scroll"
      ref={scroller}
      onScroll={(event) => (scrolled.value = event.currentTarget.scrollTop)}
    >
      <ul class="event-rows" aria-label={eventsWords().list} style={{ height: `${height}px` }}>
        {drawn.map((entry) => (
          <ListEntry key={entry.key} entry={entry}>
            {entry.item !== undefined && (
              <EventRow
                item={entry.item}
                pictures={pictures}
                isTabStop={entry.key === stop}
                onDetails={onDetails}
                onFocus={() => (active.value = entry.key)}
              />
            )}
          </ListEntry>
        ))}
      </ul>
      {children}
    </div>
  );
}

function ListEntry({ entry, children }: { readonly entry: Entry; readonly children: ComponentChildren }) {
  const style = { transform: `translateY(${entry.top}px)` };
  if (entry.item === undefined) {
    return (
      <li class="event-day" style={style}>
        <h2>{dayWords(entry.timeMs)}</h2>
      </li>
    );
  }
  return (
    <li style={style} data-key={entry.key} aria-posinset={entry.index + 1} aria-setsize={-1}>
      {children}
    </li>
  );
}

function remPx(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** The row that Tab reaches: the one that the keys are at, or the first that is seen. */
function tabStop(drawn: readonly Entry[], active: string | undefined, scrolled: number): string | undefined {
  const rows = drawn.filter(({ item }) => item !== undefined);
  return (rows.find(({ key }) => key === active) ?? rows.find(({ top }) => top >= scrolled) ?? rows[0])?.key;
}

type Scroller = { readonly current: HTMLDivElement | null };

function useHeight(scroller: Scroller, onHeight: (height: number) => void): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => onHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

/** Events that come on top move what a person reads; the list is scrolled along, except at its very top. */
function useSteadyPlace(scroller: Scroller, layout: Layout, scrolled: Signal<number>): void {
  const before = useRef<{ readonly layout: Layout; readonly key: string | undefined } | undefined>(undefined);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const anchor = before.current;
    if (anchor === undefined) element.scrollTop = scrolled.peek();
    else if (anchor.layout !== layout && scrolled.peek() > 0) {
      const was = anchor.layout.entries.find(({ key }) => key === anchor.key)?.top;
      const now = layout.entries.find(({ key }) => key === anchor.key)?.top;
      if (was !== undefined && now !== undefined && was !== now) {
        element.scrollTop += now - was;
        scrolled.value = element.scrollTop;
      }
    }
    const rows = entriesWithin(layout, scrolled.peek(), scrolled.peek() + 1000);
    before.current = { layout, key: rows.find(({ item }) => item !== undefined)?.key };
  });
}

interface RowKeysOptions {
  readonly scroller: Scroller;
  readonly layout: ReadonlySignal<Layout>;
  readonly active: Signal<string | undefined>;
  readonly scrolled: Signal<number>;
  readonly onDetails: (item: EventItem) => void;
}

/** Arrows go from event to event; the one that they are at has the focus, so that Enter plays it. */
function useRowKeys({ scroller, layout, active, scrolled, onDetails }: RowKeysOptions): void {
  const wanted = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const rows = scroller.current?.querySelectorAll<HTMLElement>("li[data-key]") ?? [];
    const row = [...rows].find(({ dataset }) => dataset.key === wanted.current);
    if (row === undefined) return;
    wanted.current = undefined;
    row.querySelector<HTMLElement>(".event-face")?.focus({ preventScroll: true });
  });
  const goTo = (entry: Entry | undefined): void => {
    const element = scroller.current;
    if (element === null || entry === undefined) return;
    wanted.current = entry.key;
    active.value = entry.key;
    const [top, bottom] = [entry.top - DAY_REM * remPx(), entry.top + entry.height];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight;
    scrolled.value = element.scrollTop;
  };
  const step = (by: 1 | -1): void => {
    const rows = layout.value.entries.filter(({ item }) => item !== undefined);
    const at = rows.findIndex(({ key }) => key === active.value);
    const first = rows.findIndex(({ top }) => top >= scrolled.value);
    goTo(rows[at < 0 ? Math.max(0, first) : at + by]);
  };
  const bindings = useMemo(() => {
    const words = eventsWords();
    const details = (): void => {
      const item = layout.value.entries.find(({ key }) => key === active.value)?.item;
      if (item !== undefined) onDetails(item);
    };
    const top = (): void => goTo(layout.value.entries.find(({ item }) => item !== undefined));
    return [
      { key: "ArrowDown", words: words.keyNext, act: () => step(1) },
      { key: "ArrowUp", words: words.keyPrevious, act: () => step(-1) },
      { key: "Home", words: words.keyTop, act: top },
      { key: "i", words: words.keyDetails, act: details },
    ];
  }, [language.value]);
  useKeys(bindings);
}
