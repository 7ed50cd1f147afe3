import { useSignal } from "@preact/signals";
import type { HubState } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Choice, Field } from "../../control/field.js";
import { sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { hubStorageWords } from "../../words/settings/hub-storage.js";
import type { Target } from "../away/model.js";

interface StorageFormProps {
  /** What the hub may read now. */
  readonly storage: HubState["Storage"];
  readonly onHand: (body: object) => Promise<void>;
  readonly onTakeBack: () => Promise<void>;
}

/** Whether the hub may read what this recorder has sent to off-site storage, and with which key. */
export function StorageForm({ storage, onHand, onTakeBack }: StorageFormProps) {
  const words = hubStorageWords();
  const targets = useSignal<readonly Target[]>([]);
  useRead(async () => {
    targets.value = await requestJson<readonly Target[]>("/configure/away");
  }, sayError);
  const nameOf = (id: string): string => targets.value.find(({ Id }) => Id === id)?.Name ?? id;
  return (
    <section>
      <h4>{words.title}</h4>
      <p>{words.why}</p>
      {storage !== null && (
        <>
          <p>{words.reads(nameOf(storage.Target), storage.AccessKeyId)}</p>
          {storage.WithPrivateKey && <p class="hint">{words.readsEncrypted}</p>}
          <RemoveButton words={words.takeBack} sure={words.takeBackSure} onRemove={onTakeBack} />
        </>
      )}
      {storage === null && targets.value.length === 0 && <p class="hint">{words.noTargets}</p>}
      {storage === null && targets.value.length > 0 && <KeyForm targets={targets.value} onHand={onHand} />}
    </section>
  );
}

function KeyForm({
  targets,
  onHand,
}: Pick<StorageFormProps, "onHand"> & { readonly targets: readonly Target[] }) {
  const words = hubStorageWords();
  const target = useSignal(targets[0]?.Id ?? "");
  const keyId = useSignal("");
  const secret = useSignal("");
  const withPrivateKey = useSignal(false);
  const isBusy = useSignal(false);
  const isEncrypted = (targets.find(({ Id }) => Id === target.value)?.Recipients.length ?? 0) > 0;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    await onHand({
      ...{ Target: target.value, AccessKeyId: keyId.value.trim(), SecretAccessKey: secret.value.trim() },
      WithPrivateKey: isEncrypted && withPrivateKey.value,
    });
    isBusy.value = false;
  };
  return (
    <form data-guarded="" onSubmit={(event) => void submit(event)}>
      <Choice
        label={words.target}
        options={targets.map(({ Id, Name }) => [Id, Name] as const)}
        value={target.value}
        onValue={(value) => (target.value = value)}
      />
      <Field label={words.keyId} text={keyId} hint={words.keyHint} autocomplete="off" required />
      <Field label={words.secret} text={secret} type="password" autocomplete="off" required />
      {isEncrypted && (
        <Check
          label={words.withPrivateKey}
          checked={withPrivateKey.value}
          onChecked={(value) => (withPrivateKey.value = value)}
        />
      )}
      <Button type="submit" disabled={isBusy.value}>
        {words.hand}
      </Button>
    </form>
  );
}
