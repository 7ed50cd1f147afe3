import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Button } from "../../control/button.js";
import { Field } from "../../control/field.js";
import { recorderNow } from "../../state/recorder-time.js";
import { boxZone } from "../../state/time-format.js";
import { addDays, type CalendarDay } from "../../state/zone.js";
import { playbackWords } from "../../words/playback.js";
import { centred, type Span } from "../timeline/span.js";
import { cursor, cursorSecond, shownSpan, showSpan } from "../watch/model.js";
import { playing } from "../watch/playing.js";
import { Calendar } from "./calendar.js";
import { momentWords, timeWords } from "./format.js";
import { type RecordedDay, recordedDays } from "./recorded-days.js";
import { typedMoment } from "./typed-moment.js";

/** Another moment: typed, or by a day and an hour. */
export function GoToForm({ onDone }: { readonly onDone: () => void }) {
  const day = useSignal(boxZone.peek().dayAt(cursor.peek()));
  const today = boxZone.value.dayAt(recorderNow());
  const go = (moment: number, span: Span): void => {
    goTo(moment, span);
    onDone();
  };
  return (
    <>
      <TypedMoment onMoment={(moment) => go(moment, centred(shownSpan.peek(), moment))} />
      <Calendar
        day={day.value}
        today={today}
        onDay={(chosen) => {
          day.value = chosen;
          goToDay(chosen);
        }}
      />
      <Hours
        day={day.value}
        onHour={(from) => go(from, { from: from - HOUR_MS / 2, to: from + 1.5 * HOUR_MS })}
      />
    </>
  );
}

const HOUR_MS = 3_600_000;

interface TypedMomentProps {
  readonly onMoment: (moment: number) => void;
}

function TypedMoment({ onMoment }: TypedMomentProps) {
  const words = playbackWords();
  const text = useSignal("");
  const fault = useSignal("");
  const id = useId();
  const now = recorderNow();
  const parsed = typedMoment(text.value, cursorSecond.value);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (parsed === undefined) fault.value = words.notUnderstood;
    else if (parsed.moment > now) fault.value = words.inFuture;
    else onMoment(parsed.moment);
  };
  const second = parsed?.second;
  return (
    <form class="typed-moment" onSubmit={submit}>
      <Field
        label={words.goToField}
        hint={words.goToHint}
        value={text.value}
        onValue={(value) => {
          text.value = value;
          fault.value = "";
        }}
        maxLength={100}
        invalid={fault.value !== ""}
        autofocus
      />
      <Button type="submit" kind="main">
        {words.go}
      </Button>
      <p class="typed-result" id={id} role="status">
        {fault.value !== "" && <span class="fault">{fault.value}</span>}
        {fault.value === "" && parsed !== undefined && momentWords(parsed.moment)}
      </p>
      {second !== undefined && second <= now && (
        <p>
          {words.twice(boxZone.value.name)}{" "}
          <button type="button" class="link" onClick={() => onMoment(second)}>
            {words.secondTime}
          </button>
        </p>
      )}
    </form>
  );
}

interface HoursProps {
  readonly day: CalendarDay;
  readonly onHour: (from: number) => void;
}

/** The hours of a day: 24, or 23 or 25 where the clock is changed. */
function Hours({ day, onHour }: HoursProps) {
  const words = playbackWords();
  const known: RecordedDay | undefined = recordedDays.value.get(`${day.year}-${day.month}-${day.day}`);
  const name = timeWords(boxZone.value.startOf(day), "shortDay");
  const now = recorderNow();
  return (
    <fieldset class="hours">
      <legend>{words.hoursOf(name)}</legend>
      {known?.hours.map(({ from, part }) => (
        <button
          key={from}
          type="button"
          class={part > 0 ? "hour recorded" : "hour"}
          disabled={from > now}
          aria-label={`${timeWords(from, "minute")}, ${part > 0 ? words.hasRecordings : words.hasNone}`}
          onClick={() => onHour(from)}
        >
          {timeWords(from, "minute")}
        </button>
      ))}
    </fieldset>
  );
}

function goTo(moment: number, span: Span): void {
  playing.seek(moment);
  showSpan(span);
}

/** The same time of another day; where nothing is recorded of it, the first that is recorded of that day. */
function goToDay(day: CalendarDay): void {
  const reading = boxZone.peek().readingAt(cursor.peek());
  const same = boxZone.peek().momentOf({ ...reading, ...day });
  const hours = recordedDays.peek().get(`${day.year}-${day.month}-${day.day}`)?.hours ?? [];
  const hour = hours.findLast(({ from }) => from <= same);
  const isRecorded = hour === undefined || hour.part > 0;
  const first = hours.find(({ part }) => part > 0)?.from;
  const start = boxZone.peek().startOf(day);
  goTo(isRecorded ? same : (first ?? same), { from: start, to: boxZone.peek().startOf(addDays(day, 1)) });
}
