import { useSignal } from "@preact/signals";
import { Check } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Choice, Field, PasswordField } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { alarmsWords } from "../../words/alarms.js";
import { awayWords } from "../../words/away.js";
import { SaveForm } from "../save-form.js";
import { BEGINNINGS, CONTENTS, type Draft, draftOf, removeTarget, saveTarget, type Target } from "./model.js";

const PLACE = ["Endpoint", "Region", "Bucket", "Prefix", "AccessKeyId"] as const;
const LIMITS = ["KilobitsPerSecondMax", "GigabytesPerMonthMax"] as const;

interface TargetFormProps {
  /** Undefined: a new one. */
  readonly target: Target | undefined;
  readonly onClose: () => void;
}

/** Where recordings go, and what of them. */
export function TargetForm({ target, onClose }: TargetFormProps) {
  const [words, alarms] = [awayWords(), alarmsWords()];
  const draft = useSignal<Draft>(draftOf(target));
  const set = (part: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const text = (name: (typeof PLACE | typeof LIMITS)[number], hint?: string) => (
    <Field
      key={name}
      label={words.fields[name]}
      value={draft.value[name]}
      autocomplete="off"
      {...(hint === undefined ? {} : { hint })}
      onValue={(typed) => set({ [name]: typed.trim() })}
    />
  );
  const { Name, IsEnabled, SecretAccessKey, Content, From } = draft.value;
  const remove = async (id: string): Promise<void> => {
    try {
      await removeTarget(id);
      say(alarms.removed(Name));
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Dialog title={target === undefined ? words.add : alarms.changeNamed(target.Name)} onClose={onClose}>
      <SaveForm
        saved={words.saved(Name)}
        onSave={() => saveTarget(draft.value, target?.Id)}
        onClose={onClose}
      >
        <Field label={alarms.name} value={Name} autofocus onValue={(typed) => set({ Name: typed })} />
        <Check
          label={words.isOn}
          hint={words.isOnHint}
          checked={IsEnabled}
          onChecked={(isOn) => set({ IsEnabled: isOn })}
        />
        {PLACE.map((name) => text(name))}
        <PasswordField
          label={words.secret}
          value={SecretAccessKey}
          autocomplete="new-password"
          {...(target === undefined ? {} : { hint: alarms.unchanged })}
          onValue={(typed) => set({ SecretAccessKey: typed })}
        />
        <Choice
          label={words.content}
          value={Content}
          options={CONTENTS.map((one) => [one, words.contents[one]] as const)}
          onValue={(one) => set({ Content: one })}
        />
        <Choice
          label={words.from}
          value={From}
          options={BEGINNINGS.map((one) => [one, words.beginnings[one]] as const)}
          onValue={(one) => set({ From: one })}
        />
        {LIMITS.map((name) => text(name, words.noLimit))}
      </SaveForm>
      {target !== undefined && (
        <div class="edit-end">
          <RemoveButton
            words={words.remove}
            sure={alarms.removeSure(target.Name)}
            onRemove={() => remove(target.Id)}
          />
        </div>
      )}
    </Dialog>
  );
}
