import { Button } from "../../control/button.js";
import { isOver } from "../../state/tasks.js";
import { commonWords } from "../../words/common.js";
import { retireWords } from "../../words/settings/retire.js";
import { Progress } from "./progress.js";
import { useLongTask } from "./use-long-task.js";

/** What is recorded on a disk that is out of use goes to the other disks: beside recording, also after the page is closed. */
export function MoveRecordings({ path, name }: { readonly path: string; readonly name: string }) {
  const words = retireWords();
  const { task, start, cancel } = useLongTask("Move", path);
  const known = task.value;
  if (known !== undefined && !isOver(known))
    return (
      <>
        <Progress label={words.moving} part={known.Progress} />
        <Button onClick={cancel}>{commonWords().cancel}</Button>
      </>
    );
  const { State, Error: reason, Result } = known ?? {};
  return (
    <>
      {State === "Failed" && <p role="status">{words.moveFailed(reason ?? "")}</p>}
      {State === "Done" && Result?.Reason != null && <p role="status">{words.noRoom}</p>}
      {(Result?.Unreadable.length ?? 0) > 0 && <pre class="report">{Result?.Unreadable.join("\n")}</pre>}
      <Button label={`${words.move}: ${name}`} onClick={() => start({ Path: path })}>
        {words.move}
      </Button>
    </>
  );
}
