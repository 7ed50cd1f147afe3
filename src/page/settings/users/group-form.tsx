import { useSignal } from "@preact/signals";
import { NAME_LENGTH_MAX } from "../../../contract/index.js";
import { Dialog } from "../../control/dialog.js";
import { Field } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { usersWords } from "../../words/settings/users.js";
import { SaveForm } from "../save-form.js";
import { addGroup, changeGroup, everybody, type Group, type GroupDraft, removeGroup } from "./model.js";
import { RightsFields } from "./rights-fields.js";
import { saved } from "./saved.js";
import { NEW_DRAFT } from "./user-form.js";

interface GroupFormProps {
  /** Undefined: a new one. */
  readonly group: Group | undefined;
  readonly onClose: () => void;
}

export function GroupForm({ group, onClose }: GroupFormProps) {
  const words = usersWords();
  const draft = useSignal<GroupDraft>(group ?? NEW_DRAFT);
  const name = draft.value.name.trim();
  async function save(): Promise<void> {
    if (group === undefined) await addGroup({ ...draft.value, name });
    else await changeGroup(group.id, { ...draft.value, name });
    say(words.saved(name));
  }
  return (
    <Dialog title={group === undefined ? words.newGroup : words.groupNamed(group.name)} onClose={onClose}>
      <SaveForm fault={() => faultOf(name, group)} onSave={() => saved(save)} onClose={onClose}>
        <Field
          label={words.name}
          value={draft.value.name}
          onValue={(value) => (draft.value = { ...draft.value, name: value })}
          autocomplete="off"
          maxLength={NAME_LENGTH_MAX}
          autofocus={group === undefined}
          required
        />
        <RightsFields draft={draft.value} onDraft={(value) => (draft.value = value)} />
      </SaveForm>
      {group !== undefined && <GroupEnd group={group} onClose={onClose} />}
    </Dialog>
  );
}

function GroupEnd({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) {
  const words = usersWords();
  const isUsed = everybody.value?.users.some(({ GroupId }) => GroupId === group.id) === true;
  const remove = async (): Promise<void> => {
    try {
      await saved(() => removeGroup(group.id));
      say(words.removed(group.name));
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <div class="edit-end">
      {isUsed ? (
        <p class="hint">{words.removeGroupFirst}</p>
      ) : (
        <RemoveButton words={words.removeGroup} sure={words.removeSure(group.name)} onRemove={remove} />
      )}
    </div>
  );
}

function faultOf(name: string, group: Group | undefined): string | undefined {
  const words = usersWords();
  if (name === "") return words.nameNeeded;
  const others = (everybody.value?.groups ?? []).filter(({ id }) => id !== group?.id);
  return others.some((other) => other.name.toLowerCase() === name.toLowerCase())
    ? words.nameTaken
    : undefined;
}
