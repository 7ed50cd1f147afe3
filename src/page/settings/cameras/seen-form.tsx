import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { SaveForm } from "../save-form.js";
import { type Camera, changeCamera } from "./model.js";
import { type SeenChoice, type SeenKind, seenChoice, seenSettings, usualChoice } from "./seen-kinds.js";

interface SeenFormProps {
  readonly camera: Camera;
  readonly kinds: readonly SeenKind[];
  /** What the camera offers; empty: not known. */
  readonly offered: ReadonlySet<string>;
  readonly onSaved: () => void;
}

/** Which kinds of what the camera reports become events, and which ones it is recorded on. */
export function SeenForm({ camera, kinds, offered, onSaved }: SeenFormProps) {
  const words = camerasWords().seen;
  const analysis = camera.AnalyzeSettings;
  const choice = useSignal(seenChoice(analysis, kinds));
  const save = async (): Promise<void> => {
    const CameraEventSettings = seenSettings(choice.value, analysis, kinds);
    await changeCamera(camera, { AnalyzeSettings: { CameraEventSettings } });
    onSaved();
  };
  const table = (isOffered: boolean) => (
    <SeenTable
      kinds={kinds.filter(({ Kind }) => offered.has(Kind) === isOffered)}
      choice={choice.value}
      onChoice={(next) => (choice.value = next)}
    />
  );
  return (
    <SaveForm
      saved={camerasWords().saved(camera.Name)}
      outdated={camerasWords().changedMeanwhile}
      onSave={save}
    >
      <h3>{words.title}</h3>
      <p class="hint">{words.why}</p>
      {offered.size > 0 && table(true)}
      <details open={offered.size === 0}>
        <summary>{words.others}</summary>
        {table(false)}
      </details>
      <Button changes onClick={() => (choice.value = usualChoice(analysis, kinds))}>
        {words.defaults}
      </Button>
    </SaveForm>
  );
}

interface SeenTableProps {
  readonly kinds: readonly SeenKind[];
  readonly choice: SeenChoice;
  readonly onChoice: (choice: SeenChoice) => void;
}

const PARTS = ["marked", "recorded"] as const;

function SeenTable({ kinds, choice, onChoice }: SeenTableProps) {
  const words = camerasWords().seen;
  const change = (part: keyof SeenChoice, kind: string, isChosen: boolean): void => {
    const chosen = new Set(choice[part]);
    if (isChosen) chosen.add(kind);
    else chosen.delete(kind);
    onChoice({ ...choice, [part]: chosen });
  };
  return (
    <table class="stream-table">
      <thead>
        <tr>
          <th scope="col">{words.kind}</th>
          {PARTS.map((part) => (
            <th scope="col" key={part}>
              {words[part]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {kinds.map(({ Kind, Name }) => (
          <tr key={Kind}>
            <th scope="row">{Name}</th>
            {PARTS.map((part) => (
              <td key={part}>
                <Check
                  quiet
                  label={`${Name}: ${words[part]}`}
                  checked={choice[part].has(Kind)}
                  onChecked={(isChosen) => change(part, Kind, isChosen)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
