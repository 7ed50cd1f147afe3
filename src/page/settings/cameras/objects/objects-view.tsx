import { useSignal } from "@preact/signals";
import type { Health } from "../../../../contract/answer/index.js";
import { CheckList } from "../../../control/check.js";
import { Choice, Field } from "../../../control/field.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import { SaveForm } from "../../save-form.js";
import { objectsNow } from "../health.js";
import { type Camera, changeCamera, useFilled } from "../model.js";
import {
  isLoiteringTime,
  OBJECT_LABELS,
  OBJECT_MODES,
  type ObjectMode,
  type ObjectsDraft,
  objectsDraft,
  objectsSettings,
  scoresOf,
} from "./objects.js";

/** What the recorder itself looks for in the camera's pictures, and how that goes. */
export function ObjectsView({ camera: now }: { readonly camera: Camera }) {
  const words = camerasWords();
  const { objects } = words;
  const draft = useSignal(objectsDraft(now));
  const [camera, show] = useFilled(now, (known) => {
    draft.value = objectsDraft(known);
  });
  const change = (part: Partial<ObjectsDraft>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const { mode, labels, minScore, loiteringSeconds } = draft.value;
  const fault = (): string | undefined => {
    if (labels.size === 0) return objects.noneChosen;
    return isLoiteringTime(loiteringSeconds) ? undefined : objects.loiteringWrong;
  };
  return (
    <SaveForm
      saved={words.saved(camera.Name)}
      outdated={words.changedMeanwhile}
      fault={fault}
      onSave={() =>
        changeCamera(camera, { AnalyzeSettings: { ObjectDetectionSettings: objectsSettings(draft.value) } })
      }
      onShow={show}
    >
      <h3>{objects.title}</h3>
      <p class="hint">{objects.why}</p>
      <Choice
        label={objects.mode}
        value={mode}
        options={OBJECT_MODES.map((name) => [name, objects.modes[name]])}
        onValue={(value) => change({ mode: value })}
      />
      <ObjectsLine mode={mode} state={objectsNow()} />
      {mode !== "Off" && (
        <>
          <CheckList
            label={objects.kinds}
            options={OBJECT_LABELS.map((label) => [label, objects.labels[label]])}
            chosen={labels}
            onChosen={(chosen) => change({ labels: chosen })}
          />
          <Choice
            label={objects.certainty}
            value={`${minScore}`}
            options={scoresOf(minScore).map((score) => [`${score}`, objects.score(score)])}
            onValue={(value) => change({ minScore: Number(value) })}
          />
          <Field
            label={objects.loitering}
            hint={objects.loiteringHint}
            value={loiteringSeconds}
            onValue={(value) => change({ loiteringSeconds: value })}
          />
          <p class="hint">{objects.zones}</p>
        </>
      )}
    </SaveForm>
  );
}

/** Whether it is looked, how often, and what is in the way. */
function ObjectsLine({
  mode,
  state,
}: {
  readonly mode: ObjectMode;
  readonly state: Health["Objects"] | undefined;
}) {
  const { objects } = camerasWords();
  if (state === undefined || state === null || mode === "Off") return null;
  const { Cause } = state;
  const isOfMachine = Cause === "small-machine" || Cause === "slow-machine";
  if (Cause !== null && !(isOfMachine && mode === "On"))
    return <p class={isOfMachine ? "camera-state soft" : "camera-state danger"}>{objects.causes[Cause]}</p>;
  if (!state.IsReady) return <p class="camera-state soft">{objects.starts}</p>;
  const isLate = state.LooksWanted > state.LooksPossible;
  const line = objects.looks(state.LooksNow, state.LooksPossible);
  return (
    <p class={isLate ? "camera-state warning" : "camera-state soft"}>
      {isLate ? `${line} ${objects.late}` : line}
    </p>
  );
}
