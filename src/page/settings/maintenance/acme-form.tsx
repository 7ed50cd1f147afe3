import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { AcmeAnswer, AcmeFindingsObject, TaskObject } from "../../../contract/answer/index.js";
import type { acme } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Fault } from "../../control/fault.js";
import { Field, PasswordField } from "../../control/field.js";
import { errorWords } from "../../control/notice.js";
import { followTask, isOver, startTask } from "../../state/tasks.js";
import { language } from "../../words/language.js";
import { acmeWords } from "../../words/settings/acme.js";
import { Progress } from "../disks/progress.js";
import { SaveForm } from "../save-form.js";
import { requestAcme } from "./acme-model.js";

interface AcmeFormProps {
  /** Undefined: there are none yet. */
  readonly settings: AcmeAnswer["Settings"] | undefined;
  readonly onClose: (next?: AcmeAnswer) => void;
}

/** Names and the authority that is asked for them, tried before they are kept. */
export function AcmeForm({ settings, onClose }: AcmeFormProps) {
  const words = acmeWords();
  const { HasHmacKey: _, ...typed } = settings ?? {};
  const names = useSignal(settings?.Names.join(", ") ?? "");
  const draft = useSignal<Partial<Record<keyof typeof acme, string | null>>>({
    ...typed,
    Names: null,
  });
  const isAgreed = useSignal(false);
  const findings = useSignal<AcmeFindingsObject | undefined>(undefined);
  const body = (): object => {
    const { DirectoryUrl, Email, Authority, KeyId, HmacKey } = draft.value;
    const texts = { DirectoryUrl, Email, Authority, KeyId, HmacKey };
    const filled = Object.entries(texts).map(([name, value]) => [name, value?.trim() || null]);
    return { ...Object.fromEntries(filled), Names: names.value.split(/[\s,;]+/).filter(Boolean) };
  };
  const common = (name: keyof typeof draft.value) => ({
    label: words.fields[name],
    ...(name === "Authority" ? {} : { hint: words.hints[name] }),
    value: draft.value[name] ?? "",
    onValue: (value: string) => {
      draft.value = { ...draft.value, [name]: value };
    },
    autocomplete: "off",
  });
  const terms = findings.value?.TermsUrl;
  return (
    <Dialog title={words.title} onClose={() => onClose()}>
      <SaveForm
        fault={() => (isAgreed.value ? undefined : words.agreeFirst)}
        onSave={async () => onClose(await requestAcme("PUT", { ...body(), TermsAgreed: true }))}
        onClose={() => onClose()}
      >
        <Field {...common("Names")} text={names} autofocus />
        <Field {...common("Email")} />
        <details>
          <summary>{words.more}</summary>
          <Field {...common("DirectoryUrl")} />
          <Field {...common("KeyId")} />
          <PasswordField {...common("HmacKey")} />
          <div class="field">
            <label for="acme-authority">{words.fields.Authority}</label>
            <textarea
              id="acme-authority"
              rows={3}
              value={draft.value.Authority ?? ""}
              onInput={(event) => common("Authority").onValue(event.currentTarget.value)}
            />
          </div>
        </details>
        <Trial settings={body} onFindings={(found) => (findings.value = found)} />
        {terms != null && /^https?:/.test(terms) && (
          <p>
            <a href={terms} target="_blank" rel="noreferrer">
              {words.terms}
            </a>
          </p>
        )}
        <Check
          label={words.agree}
          {...(terms == null && { hint: words.agreeHint })}
          checked={isAgreed.value}
          onChecked={(value) => (isAgreed.value = value)}
        />
      </SaveForm>
    </Dialog>
  );
}

interface TrialProps {
  readonly settings: () => object;
  readonly onFindings: (findings: AcmeFindingsObject) => void;
}

/** Looks whether it can work; nothing is asked of the authority by it. */
function Trial({ settings, onFindings }: TrialProps) {
  const words = acmeWords();
  const task = useSignal<TaskObject<"TryAcme"> | undefined>(undefined);
  const fault = useSignal("");
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  const attempt = async (): Promise<void> => {
    fault.value = "";
    try {
      const started = await startTask("TryAcme", { ...settings(), Language: language.value });
      const take = (now: TaskObject<"TryAcme">): void => {
        task.value = now;
        if (now.Result !== null) onFindings(now.Result);
      };
      take(started);
      await followTask(started.Id, take, left.current.signal);
    } catch (error) {
      task.value = undefined;
      if (!left.current.signal.aborted) fault.value = errorWords(error);
    }
  };
  const isUnderWay = task.value !== undefined && !isOver(task.value);
  return (
    <fieldset>
      <legend>{words.trial}</legend>
      {isUnderWay && <Progress label={words.trying} part={task.value?.Progress ?? null} />}
      <div role="status">
        <ul class="change-list">
          {task.value?.Result?.Checks.map(({ What, Name, Title, Remedy, Reason }) => (
            <li key={What + Name}>
              {What === "Name" ? Name : words.checks[What]}: {Title ?? words.well}
              {Title !== null && (
                <>
                  <p>{Remedy}</p>
                  <p class="hint" lang="en">
                    {Reason}
                  </p>
                </>
              )}
            </li>
          ))}
        </ul>
      </div>
      <Fault text={fault.value} />
      <div class="edit-buttons">
        <Button disabled={isUnderWay} onClick={() => void attempt()}>
          {words.tryIt}
        </Button>
      </div>
    </fieldset>
  );
}
