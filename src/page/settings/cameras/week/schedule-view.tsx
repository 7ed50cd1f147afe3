import { useSignal } from "@preact/signals";
import { Check } from "../../../control/check.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import { SaveForm } from "../../save-form.js";
import { archivingOf, type Camera, changeCamera, modeOf, useFilled } from "../model.js";
import { scheduleOf, type Week, weekOf } from "./week.js";
import { WeekPainter } from "./week-painter.js";

/** In which hours of the week a camera is recorded. */
export function ScheduleView({ camera: now }: { readonly camera: Camera }) {
  const words = camerasWords();
  const week = useSignal<Week>(weekOf(now.ArchiveSettings.Schedule));
  const isUsed = useSignal(true);
  const [camera, show] = useFilled(now, (known) => {
    week.value = weekOf(known.ArchiveSettings.Schedule);
  });
  const { ArchiveSettings } = camera;
  const isOther = modeOf(ArchiveSettings) !== "schedule";
  const save = (): Promise<void> =>
    changeCamera(camera, {
      ArchiveSettings: {
        Schedule: scheduleOf(week.value),
        ...(isOther && isUsed.value ? archivingOf("schedule") : {}),
      },
    });
  return (
    <SaveForm saved={words.saved(camera.Name)} outdated={words.changedMeanwhile} onSave={save} onShow={show}>
      <h3>{words.week}</h3>
      <WeekPainter label={words.week} week={week.value} onWeek={(next) => (week.value = next)} />
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
