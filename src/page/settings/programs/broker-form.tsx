import { useSignal } from "@preact/signals";
import type { BrokerState, BrokerTrial } from "../../../contract/answer/index.js";
import { broker } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Choice, Field, PasswordField } from "../../control/field.js";
import { errorWords } from "../../control/notice.js";
import { requestJson } from "../../state/request.js";
import { programsWords } from "../../words/settings/programs.js";
import { SaveForm } from "../save-form.js";
import { BROKER, type BrokerSettings } from "./model.js";

const EXAMPLES = {
  Url: "mqtt://homeassistant.local, mqtts://homeassistant.local",
  Login: "recorder",
  Prefix: "nvrd",
  DiscoveryPrefix: "homeassistant",
} as const;

const FIRST: Partial<BrokerSettings> = {
  IsEnabled: broker.IsEnabled.default,
  Prefix: broker.Prefix.default,
  DiscoveryPrefix: broker.DiscoveryPrefix.default,
};

interface BrokerFormProps {
  /** Undefined: there is none yet. */
  readonly settings: BrokerSettings | undefined;
  /** Names of the users of the configuration. */
  readonly users: readonly string[];
  readonly onClose: (next?: BrokerState) => void;
}

/** The broker of the configuration, tried before it is kept. */
export function BrokerForm({ settings, users, onClose }: BrokerFormProps) {
  const words = programsWords();
  const draft = useSignal<Partial<BrokerSettings>>(settings ?? FIRST);
  const password = useSignal("");
  const set = (part: Partial<BrokerSettings>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const body = (): object => ({ ...draft.value, Password: password.value });
  const text = (name: keyof typeof EXAMPLES) => (
    <Field
      key={name}
      label={words.fields[name]}
      hint={words.hints[name](EXAMPLES[name])}
      value={draft.value[name] ?? ""}
      onValue={(value) => set({ [name]: value })}
      autocomplete="off"
      maxLength={broker[name].max}
    />
  );
  const isEncrypted = draft.value.Url?.startsWith("mqtts:") === true;
  return (
    <Dialog title={words.broker} onClose={() => onClose()}>
      <SaveForm
        names={words.fields}
        saved={words.saved}
        onSave={async () => onClose(await requestJson(BROKER, { method: "PUT", body: body() }))}
        onClose={() => onClose()}
      >
        <Check
          label={words.fields.IsEnabled}
          checked={draft.value.IsEnabled === true}
          onChecked={(value) => set({ IsEnabled: value })}
        />
        {text("Url")}
        {text("Login")}
        <PasswordField
          label={words.fields.Password}
          hint={words.passwordHint}
          text={password}
          autocomplete="off"
          maxLength={broker.Password.max}
        />
        <Choice
          label={words.fields.UserName}
          value={draft.value.UserName ?? ""}
          options={userOptions(words, users, draft.value.UserName ?? "")}
          onValue={(value) => set({ UserName: value })}
        />
        <p class="hint">{(draft.value.UserName ?? "") === "" ? words.nobodyHint : words.userHint}</p>
        <details>
          <summary>{words.more}</summary>
          {text("Prefix")}
          {text("DiscoveryPrefix")}
          {isEncrypted && (
            <div class="field">
              <label for="broker-authority">{words.fields.Authority}</label>
              <textarea
                id="broker-authority"
                rows={3}
                value={draft.value.Authority ?? ""}
                onInput={(event) => set({ Authority: event.currentTarget.value })}
              />
            </div>
          )}
        </details>
        <Trial body={body} />
      </SaveForm>
    </Dialog>
  );
}

/** Nobody, the users, and who is set though there is no such user any more. */
function userOptions(
  { nobody, gone }: ReturnType<typeof programsWords>,
  users: readonly string[],
  chosen: string,
): readonly (readonly [string, string])[] {
  const others = chosen === "" || users.includes(chosen) ? [] : [[chosen, gone(chosen)] as const];
  return [["", nobody], ...users.map((name) => [name, name] as const), ...others];
}

/** A login at the broker that is being set. */
function Trial({ body }: { readonly body: () => object }) {
  const words = programsWords();
  const status = useSignal("");
  const isTrying = useSignal(false);
  const attempt = async (): Promise<void> => {
    isTrying.value = true;
    status.value = words.trying;
    try {
      const { Problem } = await requestJson<BrokerTrial>(`${BROKER}/test`, { method: "POST", body: body() });
      status.value = Problem === null ? words.accepted : words.refused(Problem);
    } catch (error) {
      status.value = errorWords(error);
    } finally {
      isTrying.value = false;
    }
  };
  return (
    <div class="edit-buttons">
      <Button disabled={isTrying.value} onClick={() => void attempt()}>
        {words.tryIt}
      </Button>
      <p role="status">{status.value}</p>
    </div>
  );
}
