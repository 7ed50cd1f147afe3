import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TaskItem, TaskObject, TaskResults } from "../../../contract/answer/index.js";
import { sayError } from "../../control/notice.js";
import { requestJson } from "../../state/request.js";
import { followTask, startTask } from "../../state/tasks.js";

interface LongTask<K extends keyof TaskResults> {
  /** The last one, whoever started it: under way, or with its result. */
  readonly task: Signal<TaskObject<K> | undefined>;
  readonly start: (body: object) => void;
  readonly cancel: () => void;
}

/** Long work of one kind, and on one thing if named, as it goes on: also after the page was closed. */
export function useLongTask<const K extends keyof TaskResults>(kind: K, subject?: string): LongTask<K> {
  const task = useSignal<TaskObject<K> | undefined>(undefined);
  const end = useRef(new AbortController());
  const showFault = (error: unknown): void => {
    if (!end.current.signal.aborted) sayError(error);
  };
  const follow = ({ Id }: TaskItem): Promise<void> =>
    followTask<K>(Id, (state) => (task.value = state), end.current.signal);
  useEffect(() => {
    const { current } = end;
    const isMeant = ({ Kind, Subject }: TaskItem): boolean =>
      Kind === kind && (subject === undefined || Subject === subject);
    requestJson<readonly TaskItem[]>("/api/tasks")
      .then((tasks) => tasks.find(isMeant))
      .then((found) => (found === undefined ? undefined : follow(found)))
      .catch(showFault);
    return () => current.abort();
  }, []);
  const start = (body: object): void =>
    void startTask(kind, body)
      .then((begun) => {
        task.value = begun;
        return follow(begun);
      })
      .catch(showFault);
  const cancel = (): void =>
    void requestJson(`/api/tasks/${task.value?.Id}`, { method: "DELETE" }).catch(sayError);
  return { task, start, cancel };
}
