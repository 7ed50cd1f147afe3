import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../../control/button.js";
import { Icon } from "../../control/icon.js";
import { Loaded } from "../../control/loaded.js";
import { recorderNow } from "../../state/recorder-time.js";
import { boxZone } from "../../state/time-format.js";
import { addDays, isLater } from "../../state/zone.js";
import { playbackWords } from "../../words/playback.js";
import { PLAYBACK_PARTS } from "../parts.js";
import { centred } from "../timeline/span.js";
import { cursor, isAwaited, shownMoment, shownSecond, shownSpan, showSpan } from "../watch/model.js";
import { playing } from "../watch/playing.js";
import { timeWords } from "./format.js";

export const GO_TO_ID = "go-to";

/** The date and time that is shown, and the way to another: typed, or by a day and an hour. */
export function GoTo() {
  const words = playbackWords();
  const isOpen = useSignal(false);
  const popover = useRef<HTMLDialogElement>(null);
  const at = shownSecond.value;
  return (
    <div class="go-to">
      <IconButton icon="back" label={words.previousDay} onClick={() => goDay(-1)} />
      <button type="button" class="button moment" popovertarget={GO_TO_ID} title={`${words.goTo} (G)`}>
        <Icon name="calendar" />
        <span class="moment-day">{timeWords(at, "day")}</span>
        <ShownTime at={at} />
      </button>
      <IconButton
        icon="forward"
        label={words.nextDay}
        disabled={isLater(addDays(boxZone.value.dayAt(at), 1), boxZone.value.dayAt(recorderNow()))}
        onClick={() => goDay(1)}
      />
      <dialog
        ref={popover}
        id={GO_TO_ID}
        popover="auto"
        class="recordings-popover go-to-popover"
        aria-label={words.goTo}
        onToggle={(event) => {
          isOpen.value = event.newState === "open";
        }}
      >
        {isOpen.value && (
          <Loaded load={PLAYBACK_PARTS.goTo} props={{ onDone: () => popover.current?.hidePopover() }} />
        )}
      </dialog>
    </div>
  );
}

/** The time of the pictures that are seen; programs read it to the millisecond. */
function ShownTime({ at }: { readonly at: number }) {
  const element = useRef<HTMLTimeElement>(null);
  useEffect(
    () =>
      effect(() => {
        if (element.current !== null) element.current.dateTime = new Date(shownMoment.value).toISOString();
      }),
    [],
  );
  return (
    <time ref={element} class="moment-time" aria-busy={isAwaited.value}>
      {timeWords(at, "second")}
    </time>
  );
}

/** Opens it, from the keyboard. */
export function openGoTo(): void {
  document.getElementById(GO_TO_ID)?.showPopover();
}

function goDay(by: 1 | -1): void {
  const day = addDays(boxZone.peek().dayAt(cursor.peek()), by);
  const reading = boxZone.peek().readingAt(cursor.peek());
  const moment = boxZone.peek().momentOf({ ...reading, ...day });
  playing.seek(moment);
  showSpan(centred(shownSpan.peek(), moment));
}
