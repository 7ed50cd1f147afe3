import { useSignal } from "@preact/signals";
import type { DirectoryTrialResult } from "../../../contract/answer/index.js";
import { NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Fault } from "../../control/fault.js";
import { Field, PasswordField } from "../../control/field.js";
import { errorWords } from "../../control/notice.js";
import { requestJson } from "../../state/request.js";
import { directoryWords } from "../../words/settings/directory.js";
import { DIRECTORY } from "./directory-model.js";

/** A login at the directory that is set, or at one that is being set. */
export function Trial({ settings }: { readonly settings?: () => object }) {
  const words = directoryWords();
  const login = useSignal("");
  const password = useSignal("");
  const trial = useSignal<DirectoryTrialResult | undefined>(undefined);
  const fault = useSignal("");
  const attempt = async (): Promise<void> => {
    [fault.value, trial.value] = ["", undefined];
    try {
      const body = { Login: login.value.trim(), Password: password.value, Settings: settings?.() };
      trial.value = await requestJson<DirectoryTrialResult>(`${DIRECTORY}/test`, { method: "POST", body });
    } catch (error) {
      fault.value = errorWords(error);
    }
  };
  const isReady = login.value.trim() !== "" && password.value !== "";
  const result = trial.value;
  return (
    <fieldset
      onKeyDown={(event) => {
        // It may be in a form, which Enter would save.
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        if (isReady) void attempt();
      }}
    >
      <legend>{words.trialWhy}</legend>
      <Field label={words.login} text={login} autocomplete="off" maxLength={NAME_LENGTH_MAX} />
      <PasswordField
        label={words.password}
        text={password}
        autocomplete="off"
        maxLength={PASSWORD_LENGTH_MAX}
      />
      <div role="status">
        {result !== undefined && <p>{words.results[result.Result](result.Group ?? "")}</p>}
        {result?.Problem != null && <p>{words.problems[result.Problem]}</p>}
        {result?.Reason != null && (
          <p class="hint" lang="en">
            {result.Reason}
          </p>
        )}
        {result !== undefined && result.DirectoryGroups.length > 0 && (
          <p class="hint">{words.groups(result.DirectoryGroups.join("; "))}</p>
        )}
      </div>
      <Fault text={fault.value} />
      <div class="edit-buttons">
        <Button disabled={!isReady} onClick={() => void attempt()}>
          {words.tryIt}
        </Button>
      </div>
    </fieldset>
  );
}
