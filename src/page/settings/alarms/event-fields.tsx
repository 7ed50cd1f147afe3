import { Check, CheckList } from "../../control/check.js";
import { Choice, Field } from "../../control/field.js";
import { eventTypes } from "../../events/names.js";
import { channels } from "../../state/channels.js";
import { alarmsWords } from "../../words/alarms.js";
import { WeekPainter } from "../cameras/week/week-painter.js";
import { hasMore, type SelectionDraft } from "./draft.js";
import { OTHERS, SELECTIONS, TIMES } from "./model.js";

interface EventFieldsProps {
  readonly draft: SelectionDraft;
  readonly onDraft: (part: Partial<SelectionDraft>) => void;
}

/** Which events are sent, and of which cameras. */
export function EventFields({ draft, onDraft }: EventFieldsProps) {
  const words = alarmsWords();
  return (
    <fieldset>
      <legend>{words.events}</legend>
      <Choice
        label={words.which}
        value={draft.events}
        options={SELECTIONS.map((name) => [name, words.selections[name]] as const)}
        onValue={(events) => onDraft({ events })}
      />
      {draft.events === "Chosen" && (
        <CheckList
          label={words.types}
          options={eventTypes.value}
          chosen={draft.typeIds}
          onChosen={(typeIds) => onDraft({ typeIds })}
        />
      )}
      <Check
        label={words.ofRecorder}
        checked={draft.ofRecorder}
        onChecked={(ofRecorder) => onDraft({ ofRecorder })}
      />
      <Check
        label={words.allCameras}
        checked={draft.allCameras}
        onChecked={(allCameras) => onDraft({ allCameras })}
      />
      {!draft.allCameras && (
        <CheckList
          label={words.cameras}
          options={(channels.value ?? []).map(({ Id, Name }) => [Id, Name] as const)}
          chosen={draft.cameraIds}
          onChosen={(cameraIds) => onDraft({ cameraIds })}
        />
      )}
    </fieldset>
  );
}

/** When it is sent. */
export function HoursFields({ draft, onDraft }: EventFieldsProps) {
  const words = alarmsWords();
  const { times } = draft;
  return (
    <fieldset>
      <legend>{words.when}</legend>
      <Choice
        label={words.hours}
        value={times}
        options={TIMES.map((name) => [name, words.times[name]] as const)}
        onValue={(value) => onDraft({ times: value })}
      />
      {times === "Quiet" && (
        <>
          <p class="hint">{words.quietHint}</p>
          <Field label={words.from} type="time" value={draft.from} onValue={(from) => onDraft({ from })} />
          <Field label={words.to} type="time" value={draft.to} onValue={(to) => onDraft({ to })} />
        </>
      )}
      {times === "Week" && (
        <>
          <WeekPainter label={words.week} week={draft.week} onWeek={(week) => onDraft({ week })} />
          <Choice
            label={words.otherwise}
            value={draft.otherwise}
            options={OTHERS.map((name) => [name, words.others[name]] as const)}
            onValue={(otherwise) => onDraft({ otherwise })}
          />
        </>
      )}
      {times !== "Always" && hasMore(draft) && (
        <Check
          label={words.errorsAnyway}
          checked={draft.errorsAnyway}
          onChecked={(errorsAnyway) => onDraft({ errorsAnyway })}
        />
      )}
    </fieldset>
  );
}
