import { useSignal } from "@preact/signals";
import type { DirectoryState } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { addressOf } from "../../state/route.js";
import { directoryWords } from "../../words/settings/directory.js";
import { DirectoryForm } from "./directory-form.js";
import { DIRECTORY } from "./directory-model.js";
import { Trial } from "./directory-trial.js";

/** What users did and where they are logged in, by the types of their events. */
const AUDIT = {
  login: "dc14a285-12ea-482e-ac78-b41b42c055a5",
  loginFailed: "22488841-04b9-4d6c-a4a6-6a4d50f47567",
  changed: "2ace606d-1bba-4e74-8c3f-ad939b78fa1d",
} as const;

/** Where it is written what users did. */
export function Audit() {
  const words = directoryWords();
  return (
    <article class="card">
      <h3>{words.audit}</h3>
      <ul class="audit-links">
        {(Object.keys(AUDIT) as (keyof typeof AUDIT)[]).map((name) => (
          <li key={name}>
            <a href={addressOf("events", { type: AUDIT[name] })}>{words.audits[name]}</a>
          </li>
        ))}
        <li>
          <a href={addressOf("account")}>{words.sessions}</a>
        </li>
      </ul>
    </article>
  );
}

/** The company's directory: which one is asked, and a trial of a login. */
export function Directory() {
  const words = directoryWords();
  const state = useSignal<DirectoryState | undefined>(undefined);
  const isEdited = useSignal(false);
  useRead(async () => {
    state.value = await requestJson<DirectoryState>(DIRECTORY);
  }, sayError);
  const known = state.value;
  const close = (next?: DirectoryState): void => {
    isEdited.value = false;
    state.value = next ?? state.value;
  };
  const remove = async (): Promise<void> => {
    try {
      close(await requestJson<DirectoryState>(DIRECTORY, { method: "DELETE" }));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <article class="card">
      <h3>{words.title}</h3>
      {known?.IsConfigured === true ? (
        <>
          <p>{words.asks(known.Url ?? "", known.BaseDn ?? "")}</p>
          {!known.IsEncrypted && <p class="fault">{words.unencrypted}</p>}
          <div class="edit-form">
            <Trial />
          </div>
        </>
      ) : (
        <p>{known?.Settings?.IsEnabled === false ? words.off : words.none}</p>
      )}
      {known !== undefined && (
        <>
          <p class="hint">{words.setWhere(known.Settings !== null, known.SettingsFileUrl)}</p>
          <div class="edit-buttons">
            <Button onClick={() => (isEdited.value = true)}>{words.setUp}</Button>
            {known.Settings !== null && (
              <RemoveButton words={words.remove} sure={words.removeSure} onRemove={remove} />
            )}
          </div>
        </>
      )}
      {isEdited.value && <DirectoryForm settings={known?.Settings ?? undefined} onClose={close} />}
    </article>
  );
}
