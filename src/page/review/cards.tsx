import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Finding } from "../../contract/answer/index.js";
import { useKeys } from "../control/keys.js";
import { sayError } from "../control/notice.js";
import { timeWords } from "../playback/time/format.js";
import { language } from "../words/language.js";
import { reviewWords } from "../words/review.js";
import { Card } from "./card.js";
import type { Order } from "./filter.js";
import type { ReviewFeed } from "./review-feed.js";

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
  readonly findings: readonly Finding[];
}

/** The cards, by day or by camera. j and k go from one to the next. */
export function Cards({ feed, order, opened, onAllSeen, children }: CardsProps) {
  const list = useRef<HTMLDivElement>(null);
  const active = useSignal<string | undefined>(undefined);
  const groups = groupsOf(feed.items.value, order);
  const shown = groups.flatMap(({ findings }) => findings);
  const end = useRef<HTMLDivElement>(null);
  useCardKeys({ list, active, shown, feed, onAllSeen });
  useOpened({ list, active, shown, opened });
  useNearEnd(end, () => void feed.loadOlder(), shown.length);
  const first = shown[0]?.Id;
  const isActive = ({ Id }: Finding): boolean => Id === (active.value ?? first);
  return (
    <div class="review-scroll" ref={list}>
      {groups.map(({ title, findings }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ul class="review-cards">
            {findings.map((finding) => (
              <Card
                key={finding.Id}
                finding={finding}
                isSeen={feed.isSeen(finding)}
                isActive={isActive(finding)}
                onActive={() => (active.value = finding.Id)}
                onSeen={() => void feed.markSeen(finding).catch(sayError)}
              />
            ))}
          </ul>
        </section>
      ))}
      <div ref={end}>{children}</div>
    </div>
  );
}

function groupsOf(items: readonly Finding[], order: Order): readonly CardGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of items) {
    const title = order === "camera" ? finding.ChannelName : timeWords(Date.parse(finding.Begin), "longDay");
    groups.set(title, [...(groups.get(title) ?? []), finding]);
  }
  return [...groups].map(([title, findings]) => ({ title, findings }));
}

interface CardKeysOptions {
  readonly list: { readonly current: HTMLElement | null };
  readonly active: Signal<string | undefined>;
  readonly shown: readonly Finding[];
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
      const at = shown.findIndex(({ Id }) => Id === active.peek());
      const left = shown[at];
      const next = shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))];
      if (by === 1 && left !== undefined) feed.markSeen(left).catch(sayError);
      if (next === undefined) return;
      active.value = next.Id;
      goTo(list.current, next.Id);
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
    const distance = ({ Begin }: Finding): number => Math.abs(Date.parse(Begin) - opened.atMs);
    const nearest = shown.toSorted((one, other) => distance(one) - distance(other))[0];
    if (nearest === undefined) return;
    active.value = nearest.Id;
    goTo(list.current, nearest.Id);
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
