import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { Dialog } from "../../control/dialog.js";
import { Fault } from "../../control/fault.js";
import { errorWords, sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { commonWords } from "../../words/common.js";
import { systemWords } from "../../words/settings/system.js";
import { health, type Restartable, type Restarted, readHealth, readRestartable, restart } from "./model.js";

/** While it restarts, it is looked for so often. */
const LOOK_MS = 1000;

/** A restart that this page has begun: the recorder is back when it runs for less time than since then. */
interface Begun {
  readonly what: Restarted;
  readonly atMs: number;
}

/** Restarts the recorder or the box, after a question, and says when it is back. */
export function Restart() {
  const words = systemWords();
  const possible = useSignal<Restartable | undefined>(undefined);
  const asked = useSignal<Restarted | undefined>(undefined);
  const begun = useSignal<Begun | undefined>(undefined);
  const back = useSignal<Restarted | undefined>(undefined);
  useRead(async () => {
    possible.value = await readRestartable();
  }, sayError);
  const now = begun.value;
  useEffect(() => {
    if (now === undefined) return;
    const timer = setInterval(() => void readHealth().catch(() => undefined), LOOK_MS);
    return () => clearInterval(timer);
  }, [now]);
  const runsFor = health.value?.Service.UptimeSeconds ?? Number.POSITIVE_INFINITY;
  const sinceMs = now === undefined ? 0 : Date.now() - now.atMs;
  useEffect(() => {
    if (now === undefined || runsFor * 1000 >= sinceMs) return;
    back.value = now.what;
    begun.value = undefined;
  }, [now, runsFor]);
  return (
    <article class="card">
      <h3>{words.restart}</h3>
      <p>{words.restartWhy}</p>
      <p class="restart-state" role="status">
        {now !== undefined ? words.restarting[now.what] : ""}
        {now === undefined && back.value !== undefined ? words.isBack[back.value] : ""}
      </p>
      <div class="edit-buttons">
        <Button disabled={now !== undefined} onClick={() => (asked.value = "Recorder")}>
          {words.restartButton.Recorder}
        </Button>
        {possible.value?.Box === true && (
          <Button disabled={now !== undefined} onClick={() => (asked.value = "Box")}>
            {words.restartButton.Box}
          </Button>
        )}
      </div>
      {asked.value !== undefined && (
        <Question
          what={asked.value}
          onBegun={(what) => {
            back.value = undefined;
            begun.value = { what, atMs: Date.now() };
          }}
          onClose={() => (asked.value = undefined)}
        />
      )}
    </article>
  );
}

interface QuestionProps {
  readonly what: Restarted;
  readonly onBegun: (what: Restarted) => void;
  readonly onClose: () => void;
}

function Question({ what, onBegun, onClose }: QuestionProps) {
  const words = systemWords();
  const fault = useSignal("");
  const begin = async (): Promise<void> => {
    try {
      await restart(what);
      onBegun(what);
      onClose();
    } catch (error) {
      fault.value = errorWords(error);
    }
  };
  return (
    <Dialog title={words.restartButton[what]} onClose={onClose}>
      <div class="edit-form">
        <p>{words.restartSure[what]}</p>
        <Fault text={fault.value} />
        <div class="edit-buttons">
          <Button kind="danger" onClick={() => void begin()}>
            {words.restartNow}
          </Button>
          <Button onClick={onClose}>{commonWords().cancel}</Button>
        </div>
      </div>
    </Dialog>
  );
}
