import { useSignal } from "@preact/signals";
import type { DirectoryState } from "../../../contract/answer/index.js";
import { directory } from "../../../contract/index.js";
import { Check } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Field, PasswordField } from "../../control/field.js";
import { requestJson } from "../../state/request.js";
import { directoryWords } from "../../words/settings/directory.js";
import { SaveForm } from "../save-form.js";
import { DIRECTORY, type DirectorySettings } from "./directory-model.js";
import { Trial } from "./directory-trial.js";

/** Members that are texts, in the order of the form. */
const FIRST = ["Url", "BaseDn", "ServiceDn"] as const;
const REST = ["BindDn", "UserFilter", "GroupAttribute", "GroupFilter"] as const;
const EXAMPLES = {
  Url: "ldaps://dc1.example.org",
  BaseDn: "dc=example,dc=org",
  ServiceDn: "cn=reader,dc=example,dc=org",
  BindDn: "{login}",
  UserFilter: "(uid={user})",
  GroupAttribute: "memberOf",
  GroupFilter: "(&(objectClass=groupOfNames)(member={dn}))",
} as const;

interface DirectoryFormProps {
  /** Undefined: there is none yet. */
  readonly settings: DirectorySettings | undefined;
  readonly onClose: (next?: DirectoryState) => void;
}

/** The directory of the configuration, tried before it is kept. */
export function DirectoryForm({ settings, onClose }: DirectoryFormProps) {
  const words = directoryWords();
  const draft = useSignal<Partial<DirectorySettings>>(settings ?? { IsEnabled: true, StartTls: true });
  const password = useSignal("");
  const set = (part: Partial<DirectorySettings>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const body = (): object => ({ ...draft.value, ServicePassword: password.value });
  const text = (name: keyof typeof EXAMPLES) => (
    <Field
      key={name}
      label={words.fields[name]}
      hint={name === "ServiceDn" ? `${EXAMPLES[name]}. ${words.serviceHint}` : EXAMPLES[name]}
      value={draft.value[name] ?? ""}
      onValue={(value) => set({ [name]: value })}
      autocomplete="off"
    />
  );
  const check = (name: "IsEnabled" | "StartTls") => (
    <Check
      label={words.fields[name]}
      checked={draft.value[name] === true}
      onChecked={(value) => set({ [name]: value })}
    />
  );
  const isPlain = draft.value.Url?.startsWith("ldap:") === true;
  return (
    <Dialog title={words.title} onClose={() => onClose()}>
      <SaveForm
        names={words.fields}
        saved={words.saved}
        onSave={async () => onClose(await requestJson(DIRECTORY, { method: "PUT", body: body() }))}
        onClose={() => onClose()}
      >
        {check("IsEnabled")}
        {FIRST.map(text)}
        <PasswordField
          label={words.servicePassword}
          hint={words.servicePasswordHint}
          text={password}
          autocomplete="off"
          maxLength={directory.ServicePassword.max}
        />
        {isPlain && check("StartTls")}
        <details>
          <summary>{words.more}</summary>
          {REST.map(text)}
          <div class="field">
            <label for="directory-authority">{words.fields.Authority}</label>
            <textarea
              id="directory-authority"
              rows={3}
              value={draft.value.Authority ?? ""}
              onInput={(event) => set({ Authority: event.currentTarget.value })}
            />
          </div>
        </details>
        <Trial settings={body} />
      </SaveForm>
    </Dialog>
  );
}
