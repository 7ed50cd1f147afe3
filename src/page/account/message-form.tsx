import { useSignal } from "@preact/signals";
import { NAME_LENGTH_MAX } from "../../contract/index.js";
import { Dialog } from "../control/dialog.js";
import { Field } from "../control/field.js";
import { type SelectionDraft, selectionDraftOf } from "../settings/alarms/draft.js";
import { EventFields, HoursFields } from "../settings/alarms/event-fields.js";
import { SaveForm } from "../settings/save-form.js";
import { alarmsWords } from "../words/alarms.js";
import { messagesWords } from "../words/messages.js";
import type { Subscription } from "./push.js";

interface MessageFormProps {
  /** Undefined: this browser, which is not subscribed yet. */
  readonly subscription: Subscription | undefined;
  /** What this browser is called until its user calls it otherwise. */
  readonly ownName: string;
  /** Rejects with RequestError. */
  readonly onSave: (name: string, draft: SelectionDraft) => Promise<void>;
  readonly onClose: () => void;
}

/** What a browser is notified of, and when. */
export function MessageForm({ subscription, ownName, onSave, onClose }: MessageFormProps) {
  const words = messagesWords();
  const name = useSignal(subscription?.Name ?? ownName);
  const draft = useSignal<SelectionDraft>(selectionDraftOf(subscription));
  const set = (part: Partial<SelectionDraft>): void => {
    draft.value = { ...draft.value, ...part };
  };
  return (
    <Dialog
      title={subscription === undefined ? words.add : alarmsWords().changeNamed(subscription.Name)}
      onClose={onClose}
    >
      <SaveForm onSave={() => onSave(name.value.trim(), draft.value)} onClose={onClose}>
        <Field
          label={words.name}
          value={name.value}
          maxLength={NAME_LENGTH_MAX}
          autocomplete="off"
          autofocus
          onValue={(value) => (name.value = value)}
        />
        <EventFields draft={draft.value} onDraft={set} />
        <HoursFields draft={draft.value} onDraft={set} />
      </SaveForm>
    </Dialog>
  );
}
