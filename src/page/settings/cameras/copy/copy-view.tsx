import { useSignal } from "@preact/signals";
import { Button } from "../../../control/button.js";
import { Check } from "../../../control/check.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import { type Camera, cameras } from "../model.js";
import { COPIED, type CopiedName } from "./copied.js";
import { type CopyResult, copyTo } from "./copying.js";

/** Some settings of this camera, taken over by others. */
export function CopyView({ camera }: { readonly camera: Camera }) {
  const words = camerasWords();
  const names = useSignal<ReadonlySet<CopiedName>>(new Set());
  const onto = useSignal<ReadonlySet<string>>(new Set());
  const results = useSignal<readonly CopyResult[]>([]);
  const isBusy = useSignal(false);
  const others = (cameras.value ?? []).filter(({ Id }) => Id !== camera.Id);
  const copy = async (): Promise<void> => {
    isBusy.value = true;
    results.value = [];
    await copyTo(camera, [...onto.value], names.value, (result) => {
      results.value = [...results.value, result];
    });
    isBusy.value = false;
  };
  if (others.length === 0) return <p class="quiet">{words.copyNoOthers}</p>;
  const isAll = onto.value.size === others.length;
  return (
    <div class="card edit-form">
      <h3>{words.copyTitle(camera.Name)}</h3>
      <fieldset>
        <legend>{words.copyWhat}</legend>
        {COPIED.map((name) => (
          <Check
            key={name}
            label={words.copied[name]}
            checked={names.value.has(name)}
            onChecked={(isMarked) => (names.value = marked(names.value, name, isMarked))}
          />
        ))}
      </fieldset>
      <fieldset>
        <legend>{words.copyOther}</legend>
        <Check
          label={words.copyAll}
          checked={isAll}
          onChecked={(isMarked) => (onto.value = new Set(isMarked ? others.map(({ Id }) => Id) : []))}
        />
        {others.map(({ Id, Name }) => (
          <Check
            key={Id}
            label={Name}
            checked={onto.value.has(Id)}
            onChecked={(isMarked) => (onto.value = marked(onto.value, Id, isMarked))}
          />
        ))}
      </fieldset>
      <div class="edit-buttons">
        <Button
          kind="main"
          disabled={isBusy.value || names.value.size === 0 || onto.value.size === 0}
          onClick={() => void copy()}
        >
          {words.copyNow}
        </Button>
      </div>
      <div role="status">
        <ul class="copy-results" aria-label={words.copyResults}>
          {results.value.map(({ id, name, isDone, notes }) => (
            <li key={id}>
              <p class={`camera-state ${isDone ? "good" : "danger"}`}>
                {isDone ? words.copyDone(name) : words.copyFailed(name)}
              </p>
              {notes.map((note) => (
                <p key={note} class="hint">
                  {note}
                </p>
              ))}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function marked<Item>(items: ReadonlySet<Item>, item: Item, isMarked: boolean): ReadonlySet<Item> {
  const next = new Set(items);
  if (isMarked) next.add(item);
  else next.delete(item);
  return next;
}
