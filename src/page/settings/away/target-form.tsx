import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { awayTarget } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Choice, Field, PasswordField } from "../../control/field.js";
import { FileButton } from "../../control/file-button.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { alarmsWords } from "../../words/alarms.js";
import { analysersWords } from "../../words/settings/analysers.js";
import { awayWords } from "../../words/settings/away.js";
import type { FormProps } from "../items-section.js";
import { SaveForm } from "../save-form.js";
import { CameraPlanList } from "./camera-plans.js";
import { LimitList } from "./limit-list.js";
import {
  type Draft,
  draftOf,
  removeTarget,
  type SecretName,
  saveTarget,
  type Targets,
  type TextName,
} from "./model.js";
import { PlanFields } from "./plan-fields.js";

const PLACE = ["Endpoint", "Region", "Bucket", "Prefix", "AccessKeyId"] as const;

/** Where recordings go, what of them, how fast, and how long they stay there. What most owners need is seen at once. */
export function TargetForm({ item: target, onClose }: FormProps<Targets>) {
  const [words, alarms] = [awayWords(), alarmsWords()];
  const draft = useSignal<Draft>(draftOf(target));
  const set = (part: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const { text } = fieldsOf({ draft: draft.value, isNew: target === undefined, set });
  const { Name, IsEnabled, plans, limits } = draft.value;
  const remove = async (id: string): Promise<void> => {
    try {
      await removeTarget(id);
      say(alarms.removed(Name));
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  const parts = { draft: draft.value, isNew: target === undefined, set };
  return (
    <Dialog title={target === undefined ? words.add : alarms.changeNamed(target.Name)} onClose={onClose}>
      <SaveForm
        names={{ Name: alarms.name, ...words.fields }}
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
        <PlaceFields {...parts} />
        <PlanFields plan={draft.value} onPlan={set} />
        <More title={words.more.cameras}>
          <CameraPlanList plans={plans} pattern={draft.value} onPlans={(list) => set({ plans: list })} />
        </More>
        {text("KilobitsPerSecondMax", words.noLimit)}
        <More title={words.more.hours}>
          <LimitList limits={limits} onLimits={(list) => set({ limits: list })} />
        </More>
        {text("GigabytesPerMonthMax", words.noLimit)}
        <KeepingFields {...parts} />
        <SealingFields {...parts} />
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

interface PartProps {
  readonly draft: Draft;
  readonly isNew: boolean;
  readonly set: (part: Partial<Draft>) => void;
}

/** The storage, the login for it, and the way there. */
function PlaceFields({ draft, isNew, set }: PartProps) {
  const [words, other] = [awayWords(), analysersWords()];
  const { text, secret, choice } = fieldsOf({ draft, isNew, set });
  const { Authority } = draft;
  return (
    <>
      {PLACE.map((name) => text(name))}
      {secret("SecretAccessKey")}
      <More title={words.more.way}>
        {choice("Style")}
        {secret("SessionToken")}
        <div class="edit-buttons">
          <FileButton
            label={Authority === "" ? other.authority : `${other.authority}: PEM`}
            accept=".pem,.crt,.cer"
            onFile={(file) => void file.text().then((pem) => set({ Authority: pem }), sayError)}
          />
          {Authority !== "" && (
            <Button changes onClick={() => set({ Authority: "" })}>
              {other.usualAuthorities}
            </Button>
          )}
        </div>
        {text("Proxy", words.proxyHint)}
        {text("ProxyLogin")}
        {secret("ProxyPassword")}
      </More>
    </>
  );
}

/** How long it stays there, and what nobody may delete. */
function KeepingFields({ draft, isNew, set }: PartProps) {
  const words = awayWords();
  const { text, choice } = fieldsOf({ draft, isNew, set });
  return (
    <More title={words.more.keeping}>
      {text("KeepDays", words.keepHint)}
      {draft.KeepDays !== "" && choice("AgeBy")}
      {choice("LockMode", words.lockHint)}
      {draft.LockMode !== "None" && text("LockDays")}
      <Check
        label={words.hold}
        checked={draft.LegalHold}
        onChecked={(isHeld) => set({ LegalHold: isHeld })}
      />
      {text("AuditPercentPerDay", words.auditHint)}
    </More>
  );
}

/** Who can read what was sent. */
function SealingFields({ draft, isNew, set }: PartProps) {
  const words = awayWords();
  const { text, secret } = fieldsOf({ draft, isNew, set });
  return (
    <More title={words.more.sealing}>
      <p class="hint">{words.sealingHint}</p>
      {text("Recipients", words.recipientsHint)}
      {secret("Identity")}
      {!isNew && (
        <Check
          label={words.clear}
          checked={draft.ClearSecrets}
          onChecked={(isOn) => set({ ClearSecrets: isOn })}
        />
      )}
    </More>
  );
}

/** The fields of a target by the names of its members. */
function fieldsOf({ draft, isNew, set }: PartProps) {
  const words = awayWords();
  return {
    text: (name: TextName, hint?: string) => (
      <Field
        key={name}
        label={words.fields[name]}
        value={draft[name]}
        autocomplete="off"
        {...(hint === undefined ? {} : { hint })}
        onValue={(typed) => set({ [name]: typed.trim() })}
      />
    ),
    secret: (name: SecretName) => (
      <PasswordField
        label={words.fields[name]}
        value={draft[name]}
        autocomplete="new-password"
        {...(isNew ? {} : { hint: alarmsWords().unchanged })}
        onValue={(typed) => set({ [name]: typed })}
      />
    ),
    choice: (name: "Style" | "LockMode" | "AgeBy", hint?: string) => {
      const said: Readonly<Record<string, string>> = words.choices[name];
      return (
        <>
          <Choice
            label={words.fields[name]}
            value={draft[name] as string}
            options={awayTarget[name].of.map((one) => [one as string, said[one] ?? one] as const)}
            onValue={(one) => set({ [name]: one })}
          />
          {hint !== undefined && <p class="hint">{hint}</p>}
        </>
      );
    },
  };
}

/** What few need: fetched onto the screen when it is opened first. */
function More({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value ||= event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen.value && children}
    </details>
  );
}
