import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Choice } from "../../control/field.js";
import { session } from "../../state/session.js";
import { camerasWords } from "../../words/cameras.js";
import { SaveForm } from "../save-form.js";
import { archivingOf, type Camera, changeCamera, modeOf } from "./model.js";
import {
  DAYS,
  EMPTY_WEEK,
  scheduleOf,
  timeText,
  type Week,
  WHOLE_WEEK,
  weekOf,
  withDayCopied,
} from "./week.js";
import { WeekGrid } from "./week-grid.js";

/** In which hours of the week a camera is recorded. */
export function ScheduleView({ camera }: { readonly camera: Camera }) {
  const words = camerasWords();
  const { ArchiveSettings } = camera;
  const week = useSignal<Week>(weekOf(ArchiveSettings.Schedule));
  const isUsed = useSignal(true);
  const isOther = modeOf(ArchiveSettings) !== "schedule";
  const save = (): Promise<void> =>
    changeCamera(camera, {
      ArchiveSettings: {
        Schedule: scheduleOf(week.value),
        ...(isOther && isUsed.value ? archivingOf("schedule") : {}),
      },
    });
  return (
    <SaveForm saved={words.saved(camera.Name)} outdated={words.changedMeanwhile} onSave={save}>
      <h3>{words.week}</h3>
      <p class="hint">{words.weekHint(session.value?.TimeZone ?? "UTC")}</p>
      <div class="edit-buttons">
        <Button onClick={() => (week.value = WHOLE_WEEK)}>{words.wholeWeek}</Button>
        <Button onClick={() => (week.value = EMPTY_WEEK)}>{words.emptyWeek}</Button>
      </div>
      <WeekGrid label={words.week} week={week.value} onWeek={(next) => (week.value = next)} />
      <WeekText week={week.value} />
      <DayCopy onCopy={(from, onto) => (week.value = withDayCopied(week.value, from, onto))} />
      {isOther && (
        <Check
          label={words.useSchedule}
          hint={words.useScheduleHint(words.modes[modeOf(ArchiveSettings)])}
          checked={isUsed.value}
          onChecked={(value) => (isUsed.value = value)}
        />
      )}
    </SaveForm>
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
