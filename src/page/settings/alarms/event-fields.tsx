import { Check } from "../../control/check.js";
import { Choice } from "../../control/field.js";
import { eventTypes } from "../../events/names.js";
import { channels } from "../../state/channels.js";
import { alarmsWords } from "../../words/alarms.js";
import type { Draft } from "./draft.js";
import { SELECTIONS } from "./model.js";

interface EventFieldsProps {
  readonly draft: Draft;
  readonly onDraft: (part: Partial<Draft>) => void;
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

interface CheckListProps {
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
}

/** Several of many. */
function CheckList({ label, options, chosen, onChosen }: CheckListProps) {
  const change = (id: string, isChosen: boolean): void => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    onChosen(next);
  };
  return (
    <fieldset class="check-list">
      <legend>{label}</legend>
      {options.map(([id, name]) => (
        <Check
          key={id}
          label={name}
          checked={chosen.has(id)}
          onChecked={(isChosen) => change(id, isChosen)}
        />
      ))}
    </fieldset>
  );
}
