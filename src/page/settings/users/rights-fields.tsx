import { Check } from "../../control/check.js";
import { channels } from "../../state/channels.js";
import { usersWords } from "../../words/settings/users.js";
import type { CameraChoice, GroupDraft } from "./model.js";
import { RIGHTS } from "./model.js";

interface RightsFieldsProps {
  readonly draft: GroupDraft;
  readonly onDraft: (draft: GroupDraft) => void;
}

/** What a group may see and do: a table of cameras, and rights in words. */
export function RightsFields({ draft, onDraft }: RightsFieldsProps) {
  const words = usersWords();
  return (
    <>
      <CameraTable draft={draft} onDraft={onDraft} />
      <fieldset>
        <legend>{words.rights}</legend>
        {RIGHTS.map((name) => (
          <Check
            key={name}
            label={words.right[name]}
            checked={draft.rights.has(name)}
            onChecked={(checked) => {
              const others = [...draft.rights].filter((right) => right !== name);
              onDraft({ ...draft, rights: new Set(checked ? [...others, name] : others) });
            }}
          />
        ))}
      </fieldset>
    </>
  );
}

function CameraTable({ draft, onDraft }: RightsFieldsProps) {
  const words = usersWords();
  const cameras = channels.value ?? [];
  const columns = [
    { name: words.allCameras, of: () => words.allCameras, id: undefined },
    ...cameras.map(({ Id, Name }) => ({ name: Name, of: () => Name, id: Id })),
  ];
  const onLive = (live: CameraChoice): void => onDraft({ ...draft, live });
  const onRecorded = (recorded: CameraChoice): void => onDraft({ ...draft, recorded });
  return (
    <table class="camera-rights">
      <caption>{words.cameras}</caption>
      <thead>
        <tr>
          <th scope="col">{words.camera}</th>
          <th scope="col">{words.watchesLive}</th>
          <th scope="col">{words.watchesRecorded}</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(({ name, id }) => (
          <tr key={id ?? ""}>
            <th scope="row">{name}</th>
            <td>
              <CameraCheck label={words.liveOf(name)} id={id} choice={draft.live} onChoice={onLive} />
            </td>
            <td>
              <CameraCheck
                label={words.recordedOf(name)}
                id={id}
                choice={draft.recorded}
                onChoice={onRecorded}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CameraCheckProps {
  readonly label: string;
  /** Undefined: all cameras. */
  readonly id: string | undefined;
  readonly choice: CameraChoice;
  readonly onChoice: (choice: CameraChoice) => void;
}

function CameraCheck({ label, id, choice, onChoice }: CameraCheckProps) {
  if (id === undefined)
    return (
      <Check
        quiet
        label={label}
        checked={choice.all}
        onChecked={(all) => onChoice({ all, ids: choice.ids })}
      />
    );
  const others = choice.ids.filter((one) => one !== id);
  return (
    <Check
      quiet
      label={label}
      checked={choice.all || choice.ids.includes(id)}
      disabled={choice.all}
      onChecked={(checked) => onChoice({ all: false, ids: checked ? [...others, id] : others })}
    />
  );
}
