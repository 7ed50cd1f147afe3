import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Button } from "../../../control/button.js";
import { Check } from "../../../control/check.js";
import { Choice } from "../../../control/field.js";
import { session } from "../../../state/session.js";
import { markChanged } from "../../../state/unsaved.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import { DAYS, EMPTY_WEEK, timeText, type Week, WHOLE_WEEK, withDayCopied } from "./week.js";
import { WeekGrid } from "./week-grid.js";

interface WeekPainterProps {
  /** What its filled hours are. */
  readonly label: string;
  readonly week: Week;
  readonly onWeek: (week: Week) => void;
}

/** Hours of a week, painted over, in words, and copied from one day to others. */
export function WeekPainter({ label, week, onWeek }: WeekPainterProps) {
  const words = camerasWords();
  const hint = useRef<HTMLParagraphElement>(null);
  const change = (next: Week): void => {
    markChanged(hint.current);
    onWeek(next);
  };
  return (
    <>
      <p class="hint" ref={hint}>
        {words.weekHint(session.value?.TimeZone ?? "UTC")}
      </p>
      <div class="edit-buttons">
        <Button onClick={() => change(WHOLE_WEEK)}>{words.wholeWeek}</Button>
        <Button onClick={() => change(EMPTY_WEEK)}>{words.emptyWeek}</Button>
      </div>
      <WeekGrid label={label} week={week} onWeek={change} />
      <WeekText week={week} />
      <DayCopy onCopy={(from, onto) => change(withDayCopied(week, from, onto))} />
    </>
  );
}

/** The same in words, for who reads it. */
function WeekText({ week }: { readonly week: Week }) {
  const words = camerasWords();
  return (
    <dl class="week-text" aria-label={words.weekText}>
      {DAYS.map((name, day) => (
        <div key={name}>
          <dt>{words.days[name]}</dt>
          <dd>
            {(week[day] ?? []).map(([from, to]) => `${timeText(from)}–${timeText(to)}`).join(", ") ||
              words.notThatDay}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A day as the pattern of others. */
function DayCopy({ onCopy }: { readonly onCopy: (from: number, onto: ReadonlySet<number>) => void }) {
  const words = camerasWords();
  const from = useSignal<(typeof DAYS)[number]>("Monday");
  const onto = useSignal<ReadonlySet<number>>(new Set());
  const mark = (day: number, isMarked: boolean): void => {
    const next = new Set(onto.value);
    if (isMarked) next.add(day);
    else next.delete(day);
    onto.value = next;
  };
  return (
    <fieldset class="day-copy">
      <legend>{words.copyDay}</legend>
      <Choice
        label={words.copyFrom}
        value={from.value}
        options={DAYS.map((name) => [name, words.days[name]])}
        onValue={(name) => (from.value = name)}
      />
      <div class="day-ticks">
        {DAYS.map((name, day) => (
          <Check
            key={name}
            label={words.copyOnto(words.days[name])}
            checked={onto.value.has(day)}
            disabled={name === from.value}
            onChecked={(isMarked) => mark(day, isMarked)}
          />
        ))}
      </div>
      <Button
        disabled={onto.value.size === 0}
        onClick={() => {
          onCopy(DAYS.indexOf(from.value), onto.value);
          onto.value = new Set();
        }}
      >
        {words.copyDayNow}
      </Button>
    </fieldset>
  );
}
