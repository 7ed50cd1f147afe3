import { useSignal } from "@preact/signals";
import { Check } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Choice, Field } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { alarmsWords } from "../../words/alarms.js";
import type { FormProps } from "../items-section.js";
import { SaveForm } from "../save-form.js";
import { DeliveryFields } from "./delivery-fields.js";
import { type Draft, draftOf, targetOf, withWay } from "./draft.js";
import { EventFields, HoursFields } from "./event-fields.js";
import { type Alarms, removeTarget, saveTarget, serviceOf, type Target, WAYS, wayOf } from "./model.js";
import { ServiceFields, serviceNames } from "./service-fields.js";

/** Who is notified, of what, and when. */
export function TargetForm({ item: target, onClose }: FormProps<Alarms>) {
  const words = alarmsWords();
  const draft = useSignal<Draft>(draftOf(target));
  const set = (part: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const service = serviceOf(draft.value.way);
  const isNew = target === undefined || wayOf(target) !== draft.value.way;
  const remove = async ({ Id, Name }: Target): Promise<void> => {
    try {
      await removeTarget(Id);
      say(words.removed(Name));
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Dialog title={target === undefined ? words.addTitle : words.changeNamed(target.Name)} onClose={onClose}>
      <SaveForm
        names={{
          ...{ Name: words.name, Recipients: words.recipients, Sender: words.sender, Host: words.mailHost },
          ...{ Port: words.port, Url: words.url, EventTypeIds: words.types, Week: words.hours, To: words.to },
          ...{ Password: words.password, Secret: words.secret, PageUrl: words.pageUrl },
          ...(service === undefined ? {} : serviceNames(service)),
        }}
        saved={words.saved(draft.value.name.trim())}
        onSave={() => saveTarget(targetOf(draft.value, target?.Id))}
        onClose={onClose}
      >
        <Field label={words.name} value={draft.value.name} autofocus onValue={(name) => set({ name })} />
        <Check
          label={words.isOn}
          checked={draft.value.isEnabled}
          onChecked={(isEnabled) => set({ isEnabled })}
        />
        <Choice
          label={words.kind}
          value={draft.value.way}
          options={WAYS.map((way) => [way, words.ways[way]] as const)}
          onValue={(way) => {
            draft.value = withWay(draft.value, way);
          }}
        />
        {service === undefined ? (
          <DeliveryFields draft={draft.value} isNew={isNew} onDraft={set} />
        ) : (
          <ServiceFields service={service} draft={draft.value} isNew={isNew} onDraft={set} />
        )}
        <EventFields draft={draft.value} onDraft={set} />
        <HoursFields draft={draft.value} onDraft={set} />
      </SaveForm>
      {target !== undefined && (
        <div class="edit-end">
          <RemoveButton
            words={words.remove}
            sure={words.removeSure(target.Name)}
            onRemove={() => remove(target)}
          />
        </div>
      )}
    </Dialog>
  );
}
