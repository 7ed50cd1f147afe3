import { Check, CheckList } from "../../control/check.js";
import { Choice, Field } from "../../control/field.js";
import { eventTypes } from "../../events/names.js";
import { channels } from "../../state/channels.js";
import { alarmsWords } from "../../words/alarms.js";
import type { SelectionDraft } from "./draft.js";
import { SELECTIONS } from "./model.js";

interface EventFieldsProps {
  readonly draft: SelectionDraft;
  readonly onDraft: (part: Partial<SelectionDraft>) => void;
}

/** Which events are told, and of which cameras. */
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

/** When nothing is told. */
export function QuietFields({ draft, onDraft }: EventFieldsProps) {
  const words = alarmsWords();
  return (
    <fieldset>
      <legend>{words.quiet}</legend>
      <Check
        label={words.quietOn}
        checked={draft.isQuiet}
        hint={words.quietHint}
        onChecked={(isQuiet) => onDraft({ isQuiet })}
      />
      {draft.isQuiet && (
        <>
          <Field label={words.from} type="time" value={draft.from} onValue={(from) => onDraft({ from })} />
          <Field label={words.to} type="time" value={draft.to} onValue={(to) => onDraft({ to })} />
          <Check
            label={words.errorsAnyway}
            checked={draft.errorsAnyway}
            onChecked={(errorsAnyway) => onDraft({ errorsAnyway })}
          />
        </>
      )}
    </fieldset>
  );
}
