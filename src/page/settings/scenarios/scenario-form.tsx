import { useSignal } from "@preact/signals";
import { NAME_LENGTH_MAX, scenario as scenarioOf } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Check, CheckList } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Field } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { channels } from "../../state/channels.js";
import { alarmsWords } from "../../words/alarms.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { scenariosWords } from "../../words/settings/scenarios.js";
import { DAYS } from "../cameras/week/week.js";
import type { FormProps } from "../items-section.js";
import { SaveForm } from "../save-form.js";
import { ActionFields } from "./action-fields.js";
import { faultOf } from "./fault.js";
import {
  type Action,
  removeScenario,
  type Scenario,
  type Scenarios,
  type Start,
  saveScenario,
} from "./model.js";
import { StartFields } from "./start-fields.js";

const NEW: Scenario = { Name: "", NeedConfirmation: false, ChannelIds: [], Actions: [], Starts: [] };
const NEW_ACTION: Action = { Type: "Record", ChannelId: null, Seconds: 60, IsOn: true };
const NEW_STARTS: readonly Start[] = [
  { Type: "Event", EventTypeIds: [] },
  { Type: "Schedule", Days: DAYS, Time: "22:00" },
];

/** What a scenario does, at which cameras, and what starts it. */
export function ScenarioForm({ item: scenario, known, onClose }: FormProps<Scenarios>) {
  const [words, alarms] = [scenariosWords(), alarmsWords()];
  const draft = useSignal<Scenario>(scenario ?? NEW);
  const set = (part: Partial<Scenario>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const { Name, NeedConfirmation, ChannelIds, Actions, Starts } = draft.value;
  const name = Name.trim();
  const remove = async (id: string): Promise<void> => {
    try {
      await removeScenario(id);
      say(alarms.removed(scenario?.Name ?? ""));
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Dialog
      title={scenario === undefined ? words.addTitle : alarms.changeNamed(scenario.Name)}
      onClose={onClose}
    >
      <SaveForm
        saved={words.saved(name)}
        outdated={camerasWords().changedMeanwhile}
        fault={() => faultOf(draft.value)}
        onSave={() => saveScenario({ ...draft.value, Name: name }, known?.revision ?? "")}
        onClose={onClose}
      >
        <Field
          label={alarms.name}
          value={Name}
          maxLength={NAME_LENGTH_MAX}
          autocomplete="off"
          autofocus
          onValue={(typed) => set({ Name: typed })}
        />
        <CheckList
          label={alarms.cameras}
          options={(channels.value ?? []).map((camera) => [camera.Id, camera.Name] as const)}
          chosen={new Set(ChannelIds)}
          onChosen={(chosen) => set({ ChannelIds: [...chosen] })}
        />
        <p class="hint">{words.camerasHint}</p>
        <ActionList actions={Actions} onActions={(all) => set({ Actions: all })} />
        <StartList starts={Starts} onStarts={(all) => set({ Starts: all })} />
        <Check
          label={words.needConfirmation}
          hint={words.needConfirmationHint}
          checked={NeedConfirmation}
          onChecked={(isOn) => set({ NeedConfirmation: isOn })}
        />
      </SaveForm>
      {scenario?.Id !== undefined && (
        <div class="edit-end">
          <RemoveButton
            words={words.remove}
            sure={alarms.removeSure(scenario.Name)}
            onRemove={() => remove(scenario.Id ?? "")}
          />
        </div>
      )}
    </Dialog>
  );
}

interface ActionListProps {
  readonly actions: readonly Action[];
  readonly onActions: (actions: readonly Action[]) => void;
}

function ActionList({ actions, onActions }: ActionListProps) {
  return (
    <>
      {actions.map((action, at) => (
        <ActionFields
          key={at}
          number={at + 1}
          action={action}
          onAction={(part) => onActions(actions.with(at, { ...action, ...part }))}
          onEarlier={() => onActions(earlier(actions, at))}
          onRemove={() => onActions(actions.toSpliced(at, 1))}
        />
      ))}
      {actions.length < scenarioOf.Actions.max && (
        <div class="edit-buttons">
          <Button changes onClick={() => onActions([...actions, NEW_ACTION])}>
            {scenariosWords().addAction}
          </Button>
        </div>
      )}
    </>
  );
}

interface StartListProps {
  readonly starts: readonly Start[];
  readonly onStarts: (starts: readonly Start[]) => void;
}

function StartList({ starts, onStarts }: StartListProps) {
  return (
    <>
      {starts.map((start, at) => (
        <StartFields
          key={at}
          number={at + 1}
          start={start}
          onStart={(next) => onStarts(starts.with(at, next))}
          onRemove={() => onStarts(starts.toSpliced(at, 1))}
        />
      ))}
      {starts.length < scenarioOf.Starts.max && (
        <div class="edit-buttons">
          {NEW_STARTS.map((start) => (
            <Button key={start.Type} changes onClick={() => onStarts([...starts, start])}>
              {scenariosWords().addStart[start.Type]}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

/** The action at a place goes before the one above it. */
function earlier(actions: readonly Action[], at: number): readonly Action[] {
  const moved = actions.slice(at, at + 1);
  return actions.toSpliced(at, 1).toSpliced(at - 1, 0, ...moved);
}
