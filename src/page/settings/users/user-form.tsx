import { useSignal } from "@preact/signals";
import { NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Dialog } from "../../control/dialog.js";
import { Choice, Field, PasswordField } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { session } from "../../state/session.js";
import { usersWords } from "../../words/settings/users.js";
import { SaveForm } from "../save-form.js";
import {
  addGroup,
  addUser,
  changeUser,
  everybody,
  type GroupDraft,
  removeGroup,
  removeUser,
  type User,
} from "./model.js";
import { RightsFields } from "./rights-fields.js";
import { saved } from "./saved.js";

/** What a new user may do unless something else is chosen: no camera, and each picture as it is. */
export const NEW_DRAFT: GroupDraft = {
  name: "",
  rights: new Set(["CanReceiveMainStream", "CanChangePassword"]),
  live: { all: false, ids: [] },
  recorded: { all: false, ids: [] },
};

/** The group that a user of its own rights gets; it is made with the user. */
const OWN = "";

interface UserFormProps {
  /** Undefined: a new one. */
  readonly user: User | undefined;
  readonly onClose: () => void;
}

export function UserForm({ user, onClose }: UserFormProps) {
  const words = usersWords();
  const name = useSignal(user?.Name ?? "");
  const password = useSignal("");
  const groupId = useSignal(user?.GroupId ?? OWN);
  const draft = useSignal<GroupDraft>(NEW_DRAFT);
  const isRoot = user?.Name === "root";
  const groups = everybody.value?.groups ?? [];
  const typed = () => ({ name: name.value.trim(), password: password.value, groupId: groupId.value });
  async function save(): Promise<void> {
    if (user === undefined) await addWithGroup(typed(), draft.value);
    else {
      const group = groupId.value === OWN ? await addGroup(named(draft.value, typed().name)) : groupId.value;
      await changeUser(user.Id, {
        ...(isRoot ? {} : { Name: typed().name, GroupId: group }),
        ...(password.value === "" ? {} : { Password: password.value }),
      });
    }
    say(user === undefined ? words.added(typed().name) : words.saved(typed().name));
  }
  return (
    <Dialog title={user === undefined ? words.newUser : words.userNamed(user.Name)} onClose={onClose}>
      <SaveForm fault={() => faultOf(typed(), user)} onSave={() => saved(save)} onClose={onClose}>
        {!isRoot && (
          <Field
            label={words.name}
            text={name}
            autocomplete="off"
            maxLength={NAME_LENGTH_MAX}
            autofocus={user === undefined}
            required
          />
        )}
        <PasswordField
          label={user === undefined ? words.password : words.newPassword}
          hint={user === undefined ? words.newPasswordHint : words.passwordHint}
          text={password}
          autocomplete="new-password"
          maxLength={PASSWORD_LENGTH_MAX}
          required={user === undefined}
        />
        {!isRoot && (
          <Choice
            label={words.group}
            value={groupId.value}
            options={[...groups.map(({ id, name: group }) => [id, group] as const), [OWN, words.groupOwn]]}
            onValue={(value) => (groupId.value = value)}
          />
        )}
        {!isRoot && groupId.value === OWN && (
          <>
            <p class="hint">{words.groupHint}</p>
            <RightsFields draft={draft.value} onDraft={(value) => (draft.value = value)} />
          </>
        )}
      </SaveForm>
      {user !== undefined && !isRoot && <UserEnd user={user} onClose={onClose} />}
    </Dialog>
  );
}

/** Ways to keep a user out. Nobody locks out oneself. */
function UserEnd({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const words = usersWords();
  if (user.Id === session.value?.UserId) return null;
  const end = async (change: () => Promise<void>, done: string): Promise<void> => {
    try {
      await saved(change);
      say(done);
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <div class="edit-end">
      {!user.IsLocked && (
        <>
          <Button
            kind="danger"
            onClick={() => void end(() => changeUser(user.Id, { IsLocked: true }), words.saved(user.Name))}
          >
            {words.lock}
          </Button>
          <p class="hint">{words.lockHint}</p>
        </>
      )}
      <RemoveButton
        words={words.removeUser}
        sure={words.removeSure(user.Name)}
        onRemove={() => end(() => removeUser(user.Id), words.removed(user.Name))}
      />
    </div>
  );
}

interface Typed {
  readonly name: string;
  readonly password: string;
  readonly groupId: string;
}

function faultOf({ name, password }: Typed, user: User | undefined): string | undefined {
  const words = usersWords();
  if (name === "") return words.nameNeeded;
  if (name.includes(":")) return words.nameColon;
  const others = (everybody.value?.users ?? []).filter(({ Id }) => Id !== user?.Id);
  if (others.some(({ Name }) => Name.toLowerCase() === name.toLowerCase())) return words.nameTaken;
  const isNeeded = user === undefined || password !== "";
  return isNeeded && password.length < PASSWORD_LENGTH_MIN ? words.passwordShort : undefined;
}

/** With a group of its own where none is chosen; that group goes again where the user is refused. */
async function addWithGroup({ name, password, groupId }: Typed, draft: GroupDraft): Promise<void> {
  if (groupId !== OWN) return addUser(name, password, groupId);
  const own = await addGroup(named(draft, name));
  try {
    await addUser(name, password, own);
  } catch (error) {
    await removeGroup(own);
    throw error;
  }
}

/** A group with the name of its user, or the first one after it that is free. */
function named(draft: GroupDraft, name: string): GroupDraft {
  const taken = new Set((everybody.value?.groups ?? []).map((group) => group.name.toLowerCase()));
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name} ${number}`;
  return { ...draft, name: free };
}
