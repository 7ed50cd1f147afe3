import type { TaskObject } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { isOver } from "../../state/tasks.js";
import { checkWords } from "../../words/settings/check.js";
import { Progress } from "./progress.js";
import { useLongTask } from "./use-long-task.js";

/** Looks whether all recordings are there and whole, and repairs the list of them: beside recording, also after the page is closed. */
export function CheckPart() {
  const words = checkWords();
  const { task, start, cancel } = useLongTask("Check");
  const known = task.value;
  const runs = known !== undefined && !isOver(known);
  return (
    <section class="card" aria-label={words.title}>
      <h3>{words.title}</h3>
      <p>{words.why}</p>
      {runs ? (
        <>
          <Progress label={words.running} part={known.Progress} />
          <div class="edit-buttons">
            <Button onClick={cancel}>{words.cancel}</Button>
          </div>
        </>
      ) : (
        <div class="edit-buttons">
          <Button onClick={() => start({})}>{words.check}</Button>
          <Button onClick={() => start({ Deep: true })}>{words.deep}</Button>
          {known?.Result?.IsClean === false && (
            <Button kind="main" onClick={() => start({ Repair: true })}>
              {words.repair}
            </Button>
          )}
        </div>
      )}
      {known !== undefined && !runs && <Outcome task={known} />}
      <p class="hint">{words.hint}</p>
    </section>
  );
}

function Outcome({ task }: { readonly task: TaskObject<"Check"> }) {
  const words = checkWords();
  const { State, Result, Error: reason } = task;
  if (State === "Cancelled") return <p role="status">{words.cancelled}</p>;
  if (Result === null) return <p role="status">{words.failed(reason ?? "")}</p>;
  const { Files, Problems, Repaired, IsClean, Text } = Result;
  const outcome =
    Problems === 0 ? words.clean(Files) : IsClean ? words.repaired(Repaired) : words.found(Problems);
  return (
    <>
      <p role="status">
        <strong>{outcome}</strong>
      </p>
      {Problems > 0 && (
        <details>
          <summary>{words.details}</summary>
          <pre class="report">{Text}</pre>
        </details>
      )}
    </>
  );
}
