import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Choice, Field } from "../../control/field.js";
import { errorWords, say } from "../../control/notice.js";
import { alarmsWords } from "../../words/alarms.js";
import { commonWords } from "../../words/common.js";
import { DeliveryFields } from "./delivery-fields.js";
import { type Draft, draftOf, targetOf } from "./draft.js";
import { EventFields } from "./event-fields.js";
import { KINDS, removeTarget, saveTarget, type Target } from "./model.js";

interface TargetFormProps {
  /** Undefined: a new one. */
  readonly target: Target | undefined;
  readonly onClose: () => void;
}

/** Who is told, of what, and when. */
export function TargetForm({ target, onClose }: TargetFormProps) {
  const words = alarmsWords();
  const draft = useSignal<Draft>(draftOf(target));
  const told = useSignal("");
  const isSure = useSignal(false);
  const set = (part: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...part };
  };
  async function act(work: Promise<void>, done: string): Promise<void> {
    told.value = "";
    try {
      await work;
      say(done);
      onClose();
    } catch (error) {
      told.value = errorWords(error);
    }
  }
  const submit = (event: Event): void => {
    event.preventDefault();
    void act(saveTarget(targetOf(draft.value, target?.Id)), words.saved(draft.value.name.trim()));
  };
  return (
    <Dialog title={target === undefined ? words.addTitle : words.changeNamed(target.Name)} onClose={onClose}>
      <form class="edit-form" noValidate onSubmit={submit}>
        <Field label={words.name} value={draft.value.name} autofocus onValue={(name) => set({ name })} />
        <Check
          label={words.isOn}
          checked={draft.value.isEnabled}
          onChecked={(isEnabled) => set({ isEnabled })}
        />
        <Choice
          label={words.kind}
          value={draft.value.kind}
          options={KINDS.map((kind) => [kind, words.kinds[kind]] as const)}
          onValue={(kind) => set({ kind, port: "" })}
        />
        <DeliveryFields draft={draft.value} isNew={target?.Kind !== draft.value.kind} onDraft={set} />
        <EventFields draft={draft.value} onDraft={set} />
        <QuietFields draft={draft.value} onDraft={set} />
        <p class="fault" role="alert">
          {told.value}
        </p>
        <div class="edit-buttons">
          <Button type="submit" kind="main">
            {commonWords().save}
          </Button>
          <Button onClick={onClose}>{commonWords().cancel}</Button>
        </div>
      </form>
      {target !== undefined && (
        <div class="edit-end">
          <Button
            kind="danger"
            onClick={() => {
              if (isSure.value) void act(removeTarget(target.Id), words.removed(target.Name));
              else isSure.value = true;
            }}
          >
            {isSure.value ? words.removeSure(target.Name) : words.remove}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly onDraft: (part: Partial<Draft>) => void;
}

function QuietFields({ draft, onDraft }: FieldsProps) {
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
