import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useKeys } from "../control/keys.js";
import { sayError } from "../control/notice.js";
import { timeWords } from "../playback/time/format.js";
import { language } from "../words/language.js";
import { reviewWords } from "../words/review.js";
import { Card } from "./card.js";
import type { Order } from "./filter.js";
import type { ReviewFeed } from "./review-feed.js";
import type { Stay } from "./stays.js";

/** A message that was opened: another one each time. */
export interface OpenedMessage {
  /** The moment of the finding, Unix milliseconds. */
  readonly atMs: number;
}

interface CardsProps {
  readonly feed: ReviewFeed;
  readonly order: Order;
  /** The message whose card is gone to. */
  readonly opened: OpenedMessage | undefined;
  readonly onAllSeen: () => void;
  /** Stands below the last card. */
  readonly children: ComponentChildren;
}

interface CardGroup {
  readonly title: string;
  readonly stays: readonly Stay[];
}

/** The cards, by day or by camera. j and k go from one to the next. */
export function Cards({ feed, order, opened, onAllSeen, children }: CardsProps) {
  const list = useRef<HTMLDivElement>(null);
  const active = useSignal<string | undefined>(undefined);
  const groups = groupsOf(feed.stays.value, order);
  const shown = groups.flatMap(({ stays }) => stays);
  const end = useRef<HTMLDivElement>(null);
  useCardKeys({ list, active, shown, feed, onAllSeen });
  useOpened({ list, active, shown, opened });
  useNearEnd(end, () => void feed.loadOlder(), shown.length);
  const activeId = (placeOf(active.value, shown) ?? shown[0])?.shown.Id;
  const isActive = (id: string): boolean => id === activeId;
  return (
    <div class="review-scroll" ref={list}>
      {groups.map(({ title, stays }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ul class="review-cards">
            {stays.map((stay) => (
              <Card
                key={stay.shown.Id}
                stay={stay}
                isSeen={feed.isSeen(stay.shown)}
                isActive={isActive(stay.shown.Id)}
                onActive={() => (active.value = stay.shown.Id)}
                onSeen={() => void feed.markSeen(stay).catch(sayError)}
              />
            ))}
          </ul>
        </section>
      ))}
      <div ref={end}>{children}</div>
    </div>
  );
}

/** The card that has this finding: what began as motion may be somebody by now. */
function placeOf(id: string | undefined, stays: readonly Stay[]): Stay | undefined {
  return stays.find(({ shown, others }) => shown.Id === id || others.some(({ Id }) => Id === id));
}

function groupsOf(stays: readonly Stay[], order: Order): readonly CardGroup[] {
  const groups = new Map<string, Stay[]>();
  for (const stay of stays) {
    const { ChannelName, Begin } = stay.shown;
    const title = order === "camera" ? ChannelName : timeWords(Date.parse(Begin), "longDay");
    groups.set(title, [...(groups.get(title) ?? []), stay]);
  }
  return [...groups].map(([title, of]) => ({ title, stays: of }));
}

interface CardKeysOptions {
  readonly list: { readonly current: HTMLElement | null };
  readonly active: Signal<string | undefined>;
  readonly shown: readonly Stay[];
  readonly feed: ReviewFeed;
  readonly onAllSeen: () => void;
}

/** Going on marks what is left behind as seen. */
function useCardKeys(options: CardKeysOptions): void {
  const now = useRef(options);
  now.current = options;
  const bindings = useMemo(() => {
    const words = reviewWords();
    const step = (by: 1 | -1): void => {
      const { list, active, shown, feed } = now.current;
      const left = placeOf(active.peek(), shown);
      const at = left === undefined ? -1 : shown.indexOf(left);
      const next = shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))];
      if (by === 1 && left !== undefined) feed.markSeen(left).catch(sayError);
      if (next === undefined) return;
      active.value = next.shown.Id;
      goTo(list.current, next.shown.Id);
    };
    const next = { words: words.keyNext, act: () => step(1) };
    const previous = { words: words.keyPrevious, act: () => step(-1) };
    return [
      { key: "j", ...next },
      { key: "k", ...previous },
      { key: "ArrowRight", ...next },
      { key: "ArrowLeft", ...previous },
      { key: "a", words: words.allSeen, act: () => now.current.onAllSeen() },
    ];
  }, [language.value]);
  useKeys(bindings);
}

function goTo(list: HTMLElement | null, id: string): void {
  const card = list?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] .review-face`);
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: "nearest" });
}

type OpenedOptions = Pick<CardKeysOptions, "list" | "active" | "shown"> & Pick<CardsProps, "opened">;

/** A message leads to its card: the one that begins nearest to its moment. */
function useOpened({ list, active, shown, opened }: OpenedOptions): void {
  const done = useRef<OpenedMessage | undefined>(undefined);
  useEffect(() => {
    if (opened === undefined || done.current === opened || shown.length === 0) return;
    done.current = opened;
    const distance = (stay: Stay): number => Math.abs(Date.parse(stay.shown.Begin) - opened.atMs);
    const nearest = shown.toSorted((one, other) => distance(one) - distance(other))[0];
    if (nearest === undefined) return;
    active.value = nearest.shown.Id;
    goTo(list.current, nearest.shown.Id);
  }, [shown.length, opened]);
}

/** Older cards are asked for when the end comes into view. */
function useNearEnd(end: { readonly current: HTMLElement | null }, onNear: () => void, count: number): void {
  useEffect(() => {
    if (end.current === null || count === 0) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) onNear();
      },
      { rootMargin: "600px" },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [count]);
}
