import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { Check, CheckList } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Choice, Field, PasswordField } from "../../control/field.js";
import { FileButton } from "../../control/file-button.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { channels } from "../../state/channels.js";
import { alarmsWords } from "../../words/alarms.js";
import { analysersWords } from "../../words/settings/analysers.js";
import type { FormProps } from "../items-section.js";
import { SaveForm } from "../save-form.js";
import { analyserOf, type Draft, draftOf } from "./draft.js";
import { type Analyser, type Analysers, KINDS, removeAnalyser, saveAnalyser, TASKS } from "./model.js";

/** Where the pictures go, of which cameras, and what is looked for in them. */
export function AnalyserForm({ item: analyser, onClose }: FormProps<Analysers>) {
  const [words, alarms] = [analysersWords(), alarmsWords()];
  const draft = useSignal<Draft>(draftOf(analyser));
  const set = (part: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const { name, isEnabled, kind, confidence, startsRecording } = draft.value;
  const remove = async ({ Id, Name }: Analyser): Promise<void> => {
    try {
      await removeAnalyser(Id);
      say(alarms.removed(Name));
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Dialog
      title={analyser === undefined ? words.addTitle : alarms.changeNamed(analyser.Name)}
      onClose={onClose}
    >
      <SaveForm
        names={{ Name: alarms.name, Url: alarms.url }}
        saved={words.saved(name.trim())}
        onSave={() => saveAnalyser(analyserOf(draft.value, analyser?.Id))}
        onClose={onClose}
      >
        <Field label={alarms.name} value={name} autofocus onValue={(typed) => set({ name: typed })} />
        <Check label={words.isOn} checked={isEnabled} onChecked={(isOn) => set({ isEnabled: isOn })} />
        <Choice
          label={words.kind}
          value={kind}
          options={KINDS.map((one) => [one, words.kinds[one]] as const)}
          onValue={(one) => set({ kind: one })}
        />
        {kind === "Vision" ? (
          <VisionFields draft={draft.value} isNew={analyser?.Kind !== kind} onDraft={set} />
        ) : (
          <FrigateFields draft={draft.value} onDraft={set} />
        )}
        <Field
          label={words.confidence}
          value={confidence}
          maxLength={3}
          onValue={(typed) => set({ confidence: typed.trim() })}
        />
        <Check
          label={words.startsRecording}
          hint={words.startsRecordingHint}
          checked={startsRecording}
          onChecked={(isOn) => set({ startsRecording: isOn })}
        />
      </SaveForm>
      {analyser !== undefined && (
        <div class="edit-end">
          <RemoveButton
            words={words.remove}
            sure={alarms.removeSure(analyser.Name)}
            onRemove={() => remove(analyser)}
          />
        </div>
      )}
    </Dialog>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly onDraft: (part: Partial<Draft>) => void;
}

function VisionFields({ draft, isNew, onDraft }: FieldsProps & { readonly isNew: boolean }) {
  const [words, alarms] = [analysersWords(), alarmsWords()];
  return (
    <>
      <Field
        label={alarms.url}
        hint={words.urlHint}
        value={draft.url}
        autocomplete="off"
        onValue={(url) => onDraft({ url })}
      />
      <PasswordField
        label={words.key}
        hint={isNew ? words.keyHint : alarms.unchanged}
        value={draft.key}
        autocomplete="new-password"
        onValue={(key) => onDraft({ key })}
      />
      <div class="edit-buttons">
        <FileButton
          label={draft.authority === "" ? words.authority : `${words.authority}: PEM`}
          accept=".pem,.crt,.cer"
          onFile={(file) => void file.text().then((authority) => onDraft({ authority }), sayError)}
        />
        {draft.authority !== "" && (
          <Button changes onClick={() => onDraft({ authority: "" })}>
            {words.usualAuthorities}
          </Button>
        )}
      </div>
      <CheckList
        label={words.tasks}
        options={TASKS.map((task) => [task, words.taskNames[task]])}
        chosen={draft.tasks}
        onChosen={(tasks) => onDraft({ tasks })}
      />
      <Check
        label={alarms.allCameras}
        checked={draft.allCameras}
        onChecked={(allCameras) => onDraft({ allCameras })}
      />
      {!draft.allCameras && (
        <CheckList
          label={alarms.cameras}
          options={(channels.value ?? []).map(({ Id, Name }) => [Id, Name] as const)}
          chosen={draft.cameraIds}
          onChosen={(cameraIds) => onDraft({ cameraIds })}
        />
      )}
    </>
  );
}

function FrigateFields({ draft, onDraft }: FieldsProps) {
  const words = analysersWords();
  return (
    <fieldset>
      <legend>{words.frigateNames}</legend>
      <p class="hint">{words.frigateHint}</p>
      {(channels.value ?? []).map(({ Id, Name }) => (
        <Field
          key={Id}
          label={Name}
          value={draft.frigate.get(Id)?.Name ?? ""}
          autocomplete="off"
          onValue={(typed) =>
            onDraft({
              frigate: new Map([
                ...draft.frigate,
                [Id, { ...draft.frigate.get(Id), ChannelId: Id, Name: typed }],
              ]),
            })
          }
        />
      ))}
    </fieldset>
  );
}
