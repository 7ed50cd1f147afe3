import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TaskItem } from "../../../contract/answer/index.js";
import { say, sayError } from "../../control/notice.js";
import { followTask, startTask, taskUnderWay } from "../../state/tasks.js";
import { disksWords } from "../../words/disks.js";

/** Long work on a disk; the recorder does one at a time. */
const KINDS = ["Format", "Replace"] as const;

export interface DiskWork {
  readonly isBusy: Signal<boolean>;
  /** What is being done, as the recorder calls it. */
  readonly step: Signal<string>;
  /** Starts a task; `body` without its kind. */
  readonly start: (kind: "Format" | "Replace" | "Adopt", body: object) => void;
}

/** The work on a disk: one at a time, also one that was begun before the page was opened. */
export function useDiskWork(onEnd: () => void): DiskWork {
  const words = disksWords();
  const isBusy = useSignal(false);
  const step = useSignal("");
  const end = useRef(new AbortController());
  const follow = async (id: string): Promise<void> => {
    isBusy.value = true;
    const onTask = ({ State, Step, Error: reason }: TaskItem): void => {
      step.value = Step;
      if (State === "Done") say(words.formatDone);
      if (State === "Failed") say(reason ?? "", true);
    };
    try {
      await followTask(id, onTask, end.current.signal);
    } finally {
      isBusy.value = false;
      onEnd();
    }
  };
  const showFault = (error: unknown): void => {
    if (!end.current.signal.aborted) sayError(error);
  };
  useEffect(() => {
    const { current } = end;
    for (const kind of KINDS)
      taskUnderWay(kind).then((task) => {
        if (task !== undefined) follow(task.Id).catch(showFault);
      }, showFault);
    return () => current.abort();
  }, []);
  const start: DiskWork["start"] = (kind, body) => {
    startTask(kind, body)
      .then(({ Id }) => follow(Id))
      .catch(showFault);
  };
  return { isBusy, step, start };
}
