import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Health } from "../../../../contract/answer/index.js";
import { Button } from "../../../control/button.js";
import { CheckList } from "../../../control/check.js";
import { Choice, Field } from "../../../control/field.js";
import { Icon } from "../../../control/icon.js";
import { markChanged } from "../../../state/unsaved.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import { SaveForm } from "../../save-form.js";
import { objectsNow } from "../health.js";
import { type Camera, changeCamera, useFilled } from "../model.js";
import { zonesOf } from "../motion/zones.js";
import { KindList, Sizes } from "./kind-list.js";
import { OBJECT_LABELS } from "./labels.js";
import { LineList } from "./line-list.js";
import { LinePicture } from "./line-picture.js";
import { LINES_MAX, type Line, newLine } from "./lines.js";
import {
  OBJECT_MODES,
  type ObjectMode,
  type ObjectsDraft,
  objectsDraft,
  objectsFault,
  objectsSettings,
  scoresOf,
} from "./objects.js";
import { Trial } from "./trial.js";

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
  const { mode, labels, minScore, minSize, maxSize, loiteringSeconds } = draft.value;
  const fault = (): string | undefined => {
    const wrong = objectsFault(draft.value);
    return wrong === undefined ? undefined : objects.faults[wrong];
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
          <Sizes minSize={minSize} maxSize={maxSize} onSizes={change} />
          <KindList draft={draft.value} onKinds={(kinds) => change({ kinds })} />
          <Field
            label={objects.loitering}
            hint={objects.loiteringHint}
            value={loiteringSeconds}
            onValue={(value) => change({ loiteringSeconds: value })}
          />
          <p class="hint">{objects.zones}</p>
          <LinesPart camera={camera} lines={draft.value.lines} onLines={(lines) => change({ lines })} />
          <Trial
            camera={camera}
            body={() => ({ ObjectDetectionSettings: objectsSettings(draft.value) })}
            fault={fault}
          />
        </>
      )}
    </SaveForm>
  );
}

interface LinesPartProps {
  readonly camera: Camera;
  readonly lines: readonly Line[];
  readonly onLines: (lines: readonly Line[]) => void;
}

/** The picture with the lines that things cross, where they are drawn. */
function LinesPart({ camera, lines, onLines }: LinesPartProps) {
  const { objects } = camerasWords();
  const chosen = useSignal(0);
  const title = useRef<HTMLHeadingElement>(null);
  const at = chosen.value < lines.length ? chosen.value : undefined;
  const change = (index: number, part: Partial<Line>): void =>
    onLines(lines.map((line, place) => (place === index ? { ...line, ...part } : line)));
  const add = (): void => {
    let number = lines.length + 1;
    while (lines.some(({ name }) => name === objects.lineNamed(number))) number += 1;
    onLines([...lines, newLine(objects.lineNamed(number))]);
    chosen.value = lines.length;
  };
  return (
    <>
      <h4 ref={title}>{objects.lines}</h4>
      <p class="hint">{lines.length === 0 ? objects.noLines : objects.linesHint}</p>
      <LinePicture
        camera={camera}
        zones={zonesOf(camera.AnalyzeSettings.MotionDetectorSettings?.Zones)}
        lines={lines}
        chosen={at}
        onDraw={(ends) => {
          if (at === undefined) return;
          markChanged(title.current);
          change(at, ends);
        }}
      />
      <LineList
        lines={lines}
        chosen={at}
        onChoose={(index) => (chosen.value = index)}
        onChange={change}
        onRemove={(index) => {
          chosen.value = 0;
          onLines(lines.filter((_, place) => place !== index));
        }}
      />
      <div class="edit-buttons">
        <Button changes disabled={lines.length >= LINES_MAX} onClick={add}>
          <Icon name="add" /> {objects.addLine}
        </Button>
      </div>
    </>
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
