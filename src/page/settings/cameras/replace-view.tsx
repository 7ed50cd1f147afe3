import { useSignal } from "@preact/signals";
import { Check } from "../../control/check.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { SaveForm } from "../save-form.js";
import { ConnectionFields } from "./connection-fields.js";
import { connectionOf, type Draft, draftOf } from "./draft.js";
import { type Camera, changeCamera, useFilled } from "./model.js";
import { useTrial } from "./use-trial.js";

/** Another camera in the place of this one: its recordings are continued, what was known of the old device is forgotten. */
export function ReplaceView({ camera: now }: { readonly camera: Camera }) {
  const words = camerasWords();
  const draft = useSignal<Draft>(draftOf(now));
  const isSure = useSignal(false);
  const trial = useTrial();
  const [camera, show] = useFilled(now, (known) => {
    draft.value = draftOf(known);
    isSure.value = false;
    trial.forget();
  });
  const save = async (): Promise<void> => {
    const ConnectionSettings = { ...connectionOf(camera, draft.value), AcceptDevice: true };
    await changeCamera(camera, { ConnectionSettings });
  };
  const fault = (): string | undefined => {
    if (draft.value.address.trim() === "") return words.addressNeeded;
    const isTried = trial.isGood(connectionOf(camera, draft.value));
    return isTried || isSure.value ? undefined : words.replaceTryFirst;
  };
  return (
    <SaveForm
      saved={words.saved(camera.Name)}
      outdated={words.changedMeanwhile}
      fault={fault}
      names={{ Password: words.password }}
      onSave={save}
      onShow={show}
    >
      <h3>{words.replaceTitle}</h3>
      <p>{words.replaceWhy}</p>
      <ConnectionFields
        camera={camera}
        draft={draft.value}
        onDraft={(part) => (draft.value = { ...draft.value, ...part })}
        trial={trial}
      />
      <Check
        label={words.replaceUntried}
        checked={isSure.value}
        onChecked={(value) => (isSure.value = value)}
      />
    </SaveForm>
  );
}
