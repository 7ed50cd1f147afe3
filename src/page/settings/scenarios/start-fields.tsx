import { Button } from "../../control/button.js";
import { CheckList } from "../../control/check.js";
import { Field } from "../../control/field.js";
import { eventTypes } from "../../events/names.js";
import { alarmsWords } from "../../words/alarms.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { scenariosWords } from "../../words/settings/scenarios.js";
import { DAYS } from "../cameras/week/week.js";
import type { Start } from "./model.js";

interface StartFieldsProps {
  readonly number: number;
  readonly start: Start;
  readonly onStart: (start: Start) => void;
  readonly onRemove: () => void;
}

/** What starts a scenario besides users. */
export function StartFields({ number, start, onStart, onRemove }: StartFieldsProps) {
  const [words, cameras] = [scenariosWords(), camerasWords()];
  return (
    <fieldset>
      <legend>{words.startNumber(number)}</legend>
      {start.Type === "Event" ? (
        <CheckList
          label={alarmsWords().types}
          options={eventTypes.value}
          chosen={new Set(start.EventTypeIds)}
          onChosen={(chosen) => onStart({ ...start, EventTypeIds: [...chosen] })}
        />
      ) : (
        <>
          <Field
            label={words.time}
            type="time"
            value={start.Time}
            onValue={(Time) => onStart({ ...start, Time })}
          />
          <CheckList
            label={words.days}
            options={DAYS.map((day) => [day, cameras.days[day]] as const)}
            chosen={new Set(start.Days)}
            onChosen={(chosen) => onStart({ ...start, Days: DAYS.filter((day) => chosen.has(day)) })}
          />
        </>
      )}
      <div class="edit-buttons">
        <Button changes onClick={onRemove}>
          {words.removeStart(number)}
        </Button>
      </div>
    </fieldset>
  );
}
