import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { camera as contract, NAME_LENGTH_MAX } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Field } from "../../control/field.js";
import { errorWords, say } from "../../control/notice.js";
import { markSaved } from "../../state/unsaved.js";
import { commonWords } from "../../words/common.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { isOutdated } from "../outdated.js";
import { ConnectionFields } from "./connection-fields.js";
import { changeOf, connectionOf, type Draft, draftOf, faultOf, isNewConnection } from "./draft.js";
import { type Camera, changeCamera, useFilled } from "./model.js";
import { RecordingFields } from "./recording-fields.js";
import { SeenFields } from "./seen-fields.js";
import type { Trial } from "./trial.js";
import { useTrial } from "./use-trial.js";

/** Name, address, login and recording of a camera. An address or login that was not tried yet is tried before it is saved. */
export function SettingsForm({ camera: now }: { readonly camera: Camera }) {
  const [words, common] = [camerasWords(), commonWords()];
  const draft = useSignal(draftOf(now));
  const fault = useSignal("");
  const form = useRef<HTMLFormElement>(null);
  const isSaving = useSignal(false);
  const isDoubtful = useSignal(false);
  const trial = useTrial();
  const change = (part: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...part };
    isDoubtful.value = false;
  };
  const [camera, show] = useFilled(now, (known) => {
    trial.forget();
    draft.value = draftOf(known);
  });
  async function save(isSure: boolean): Promise<void> {
    fault.value = faultOf(draft.value) ?? "";
    if (fault.value !== "" || isSaving.value) return;
    isSaving.value = true;
    try {
      isDoubtful.value = !isSure && !(await isTried(camera, draft.value, trial));
      if (isDoubtful.value) return;
      await changeCamera(camera, changeOf(camera, draft.value));
      markSaved(form.current);
      say(words.saved(draft.value.name.trim()));
      show();
    } catch (error) {
      fault.value = isOutdated(error) ? words.changedMeanwhile : errorWords(error);
      if (isOutdated(error)) show();
    } finally {
      isSaving.value = false;
    }
  }
  return (
    <form
      class="card edit-form"
      data-guarded=""
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save(false);
      }}
    >
      <Field
        label={words.name}
        value={draft.value.name}
        onValue={(name) => change({ name })}
        maxLength={NAME_LENGTH_MAX}
        autocomplete="off"
        required
      />
      <Field
        label={words.place}
        value={draft.value.place}
        onValue={(place) => change({ place })}
        maxLength={contract.Description.max}
        autocomplete="off"
      />
      <Check
        label={words.isUsed}
        hint={words.isUsedHint}
        checked={draft.value.isUsed}
        onChecked={(isUsed) => change({ isUsed })}
      />
      <ConnectionFields camera={camera} draft={draft.value} onDraft={change} trial={trial} />
      <RecordingFields camera={camera} draft={draft.value} onDraft={change} />
      <SeenFields draft={draft.value} onDraft={change} />
      <p class="fault" role="alert">
        {fault.value}
        {isDoubtful.value && words.notReachable}
      </p>
      <div class="edit-buttons">
        <Button type="submit" kind="main" disabled={isSaving.value}>
          {isSaving.value && trial.state.value.isRunning ? words.trying : common.save}
        </Button>
        {isDoubtful.value && <Button onClick={() => void save(true)}>{words.saveAnyway}</Button>}
      </div>
    </form>
  );
}

/** Whether the camera answers with what the form has: known, tried before, or tried now. */
async function isTried(camera: Camera, draft: Draft, trial: Trial): Promise<boolean> {
  if (!isNewConnection(camera, draft)) return true;
  const connection = connectionOf(camera, draft);
  return trial.isGood(connection) || (await trial.run(camera.Id, connection));
}
