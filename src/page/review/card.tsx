import { useRef } from "preact/hooks";
import type { Finding } from "../../contract/answer/index.js";
import { IconButton } from "../control/button.js";
import { Icon, type IconName } from "../control/icon.js";
import { titleOf } from "../playback/motion/finding-title.js";
import { lengthWords, timeWords } from "../playback/time/format.js";
import { recorderNow } from "../state/recorder-time.js";
import { addressOf, open } from "../state/route.js";
import { reviewWords } from "../words/review.js";
import { Preview } from "./preview.js";
import type { Stay } from "./stays.js";

/** So long before the finding its recording is played from, and so long around it is saved. */
const AROUND_MS = 3000;
/** A finger that goes so far to a side, and less up or down, has swiped. */
const SWIPE_PX = 60;

interface CardProps {
  readonly stay: Stay;
  readonly isSeen: boolean;
  readonly isActive: boolean;
  readonly onActive: () => void;
  readonly onSeen: () => void;
}

/** One stay: its picture, what it was, where, when and for how long. Opening it plays the recording. */
export function Card({ stay, isSeen, isActive, onActive, onSeen }: CardProps) {
  const { shown: finding } = stay;
  const words = reviewWords();
  const swipe = useSwipe(onSeen);
  const { Id, ChannelId, Begin, Kind } = finding;
  const begin = Date.parse(Begin);
  const address = addressOf("playback", { channel: ChannelId, time: `${begin - AROUND_MS}`, play: "1" });
  return (
    <li
      class={`review-card${isSeen ? " seen" : ""}${isActive ? " active" : ""}`}
      data-id={Id}
      onPointerEnter={onActive}
      {...swipe}
    >
      <a class="review-face" href={address} tabIndex={isActive ? 0 : -1} onFocus={onActive} onClick={onSeen}>
        <Preview finding={finding} isActive={isActive} />
        <span class="review-words">
          <span class="review-title">
            <Icon name={iconOf(Kind)} />
            {titleOf(finding)}
          </span>
          <span class="review-time">
            <time dateTime={Begin}>{timeWords(begin, "second")}</time>
            {` · ${durationOf(finding)}`}
          </span>
          <span class="review-place">{placeOf(finding)}</span>
          <Strength stay={stay} />
          {isSeen && <span class="only-read">{words.isSeen}</span>}
        </span>
      </a>
      <p class="review-tools">
        <IconButton
          icon="download"
          label={words.saveOne(titleOf(finding))}
          onClick={() => save(finding)}
          tabIndex={isActive ? 0 : -1}
        />
        {!isSeen && (
          <IconButton
            icon="eye"
            label={words.seenOne(titleOf(finding))}
            onClick={onSeen}
            tabIndex={isActive ? 0 : -1}
          />
        )}
      </p>
    </li>
  );
}

/** Its recording is marked, and what makes a file of it is open. */
function save({ ChannelId, Begin, End }: Finding): void {
  const from = Date.parse(Begin) - AROUND_MS;
  const to = End === null ? recorderNow() : Date.parse(End) + AROUND_MS;
  open("playback", { channel: ChannelId, time: `${from}`, save: `${from}-${Math.round(to)}` });
}

function durationOf({ Begin, End }: Finding): string {
  const words = reviewWords();
  if (End === null) return words.lasts;
  const ms = Date.parse(End) - Date.parse(Begin);
  return ms < 1000 ? words.moment : lengthWords(ms);
}

function placeOf({ ChannelName, Zones, Line, Direction }: Finding): string {
  const crossed = Line === null ? [] : [reviewWords().crossed(Line, Direction)];
  return [ChannelName, ...Zones, ...crossed].join(" · ");
}

/** How much of the picture moved. */
function Strength({ stay: { shown, others } }: { readonly stay: Stay }) {
  const part = Math.max(...[shown, ...others].map(({ Strength: one }) => one ?? 0));
  if (part === 0) return null;
  const percent = Math.max(1, Math.round(part * 100));
  return (
    <span class="review-strength" title={reviewWords().strength(percent)}>
      <span style={{ width: `${Math.min(100, percent * 2)}%` }} />
    </span>
  );
}

const ICONS: Partial<Record<Finding["Kind"], IconName>> = {
  person: "account",
  face: "account",
  motion: "motion",
  pir: "motion",
  doorbell: "events",
  tampering: "warning",
  covered: "warning",
  moved: "warning",
  defocused: "warning",
  fire: "warning",
  smoke: "warning",
};

function iconOf(kind: Finding["Kind"]): IconName {
  return ICONS[kind] ?? "info";
}

/** To the right marks as seen, as in a list of mail. */
function useSwipe(onSwipe: () => void) {
  const begin = useRef<{ readonly x: number; readonly y: number } | undefined>(undefined);
  return {
    onTouchStart: ({ touches: [touch] }: TouchEvent) => {
      begin.current = touch === undefined ? undefined : { x: touch.clientX, y: touch.clientY };
    },
    onTouchEnd: ({ changedTouches: [touch] }: TouchEvent) => {
      if (touch === undefined || begin.current === undefined) return;
      const [x, y] = [touch.clientX - begin.current.x, touch.clientY - begin.current.y];
      if (x > SWIPE_PX && Math.abs(y) < SWIPE_PX / 2) onSwipe();
    },
  };
}
