import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { channels } from "../../state/channels.js";
import { session } from "../../state/session.js";
import { commonWords } from "../../words/common.js";
import { usersWords } from "../../words/settings/users.js";
import { Audit, Directory } from "./directory.js";
import { GroupForm } from "./group-form.js";
import { LinksCard } from "./links-card.js";
import { type CameraChoice, everybody, type Group, RIGHTS, readEverybody, type User } from "./model.js";
import { UserForm } from "./user-form.js";

/** What is being changed; `undefined` inside for something new. */
type Edited = { readonly user: User | undefined } | { readonly group: Group | undefined };

/** Groups with their users, and what each may see and do. */
export function UsersSection() {
  const words = usersWords();
  const edited = useSignal<Edited | undefined>(undefined);
  useEffect(() => void readEverybody().catch(sayError), []);
  const known = everybody.value;
  const close = (): void => {
    edited.value = undefined;
  };
  if (known === undefined) return <p class="quiet">{commonWords().loading}</p>;
  const now = edited.value;
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      <div class="edit-buttons">
        <Button kind="main" onClick={() => (edited.value = { user: undefined })}>
          {words.addUser}
        </Button>
        <Button onClick={() => (edited.value = { group: undefined })}>{words.addGroup}</Button>
      </div>
      {known.groups.map((group) => (
        <GroupCard
          key={group.id}
          group={group}
          users={known.users.filter(({ GroupId }) => GroupId === group.id)}
          onEdit={(next) => (edited.value = next)}
        />
      ))}
      <LinksCard />
      <Audit />
      <Directory />
      {now !== undefined && "user" in now && <UserForm user={now.user} onClose={close} />}
      {now !== undefined && "group" in now && <GroupForm group={now.group} onClose={close} />}
    </section>
  );
}

interface GroupCardProps {
  readonly group: Group;
  readonly users: readonly User[];
  readonly onEdit: (edited: Edited) => void;
}

function GroupCard({ group, users, onEdit }: GroupCardProps) {
  const words = usersWords();
  return (
    <article class="card group-card">
      <header>
        <h3>{group.name}</h3>
        {!group.isAdministrators && (
          <Button label={words.changeNamed(group.name)} onClick={() => onEdit({ group })}>
            {words.change}
          </Button>
        )}
      </header>
      <p>{mayWords(group)}</p>
      {users.length === 0 ? (
        <p class="hint">{words.noUsers}</p>
      ) : (
        <ul aria-label={words.users(group.name)} class="user-list">
          {users.map((user) => (
            <UserRow key={user.Id} user={user} onEdit={() => onEdit({ user })} />
          ))}
        </ul>
      )}
    </article>
  );
}

function UserRow({ user, onEdit }: { readonly user: User; readonly onEdit: () => void }) {
  const words = usersWords();
  const marks = [
    ...(user.Id === session.value?.UserId ? [words.you] : []),
    ...(user.IsLocked ? [words.locked] : []),
    ...(!user.IsLocked && !user.HasPassword ? [words.noPassword] : []),
  ];
  return (
    <li>
      <div>
        <p class="user-name">{user.Name}</p>
        {marks.length > 0 && <p class="hint">{marks.join(" · ")}</p>}
      </div>
      <Button label={words.changeNamed(user.Name)} onClick={onEdit}>
        {words.change}
      </Button>
    </li>
  );
}

/** What a group may see and do, in a sentence or three. */
function mayWords(group: Group): string {
  const words = usersWords();
  if (group.isAdministrators) return words.everything;
  if (group.isForbidden) return words.forbidden;
  const rights = RIGHTS.filter((name) => group.rights.has(name)).map((name) =>
    words.right[name].toLowerCase(),
  );
  return [
    words.live(camerasWords(group.live)),
    words.recorded(camerasWords(group.recorded)),
    ...(rights.length === 0 ? [] : [words.mayAlso(rights.join("; "))]),
  ].join(" ");
}

function camerasWords({ all, ids }: CameraChoice): string {
  const words = usersWords();
  const cameras = channels.value ?? [];
  if (all) return words.camerasAll;
  const named = cameras.filter(({ Id }) => ids.includes(Id));
  if (named.length === 0) return words.camerasNone;
  return named.length <= 3
    ? named.map(({ Name }) => Name).join(", ")
    : words.camerasSome(named.length, cameras.length);
}
