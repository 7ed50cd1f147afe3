import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../control/button.js";
import { errorWords, say, sayError } from "../control/notice.js";
import { followTask, startTask, type Task, taskUnderWay } from "../state/tasks.js";
import { commonWords } from "../words/common.js";
import { setupWords } from "../words/setup.js";
import { DiskCard } from "./disk-card.js";
import { type Disk, type DiskList, readDisks, roomBytes } from "./disks.js";
import { EraseDialog } from "./erase-dialog.js";
import { lastingText, sizeText, USUAL_BITS_PER_SECOND } from "./figures.js";

const LOOK_MS = 5000;
/** Sites for which the step says how long the recordings last. */
const EXAMPLES = [4, 16];

/** What is in the box, and what of it is recorded onto. */
export function DisksStep({ onNext }: { readonly onNext: () => void }) {
  const words = setupWords();
  const list = useSignal<DiskList | undefined>(undefined);
  const fault = useSignal("");
  const asked = useSignal<Disk | undefined>(undefined);
  const read = (): void =>
    void readDisks().then(
      (found) => {
        list.value = found;
        fault.value = "";
      },
      (error: unknown) => (fault.value = errorWords(error)),
    );
  const { isBusy, start } = useDiskWork(read);
  useEffect(() => {
    read();
    const timer = setInterval(read, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const begin = (kind: string, body: object): void => {
    asked.value = undefined;
    start(kind, body);
  };
  return (
    <section class="setup-part">
      <h2>{words.disksTitle}</h2>
      <p>{words.disksWhy}</p>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {list.value === undefined ? (
        <p>{commonWords().loading}</p>
      ) : (
        <>
          {list.value.Disks.every((disk) => disk.IsSystemDisk) && <p>{words.noDisks}</p>}
          <ul class="disk-list">
            {list.value.Disks.map((disk) => (
              <DiskCard
                key={disk.Device}
                disk={disk}
                isBusy={isBusy.value}
                onUse={() => (asked.value = disk)}
                onTakeOver={(path) => begin("Adopt", { Path: path })}
              />
            ))}
          </ul>
          {isBusy.value && <p role="status">{words.formatting}</p>}
          <Room bytes={roomBytes(list.value)} />
        </>
      )}
      <div class="setup-buttons">
        <Button kind="main" onClick={onNext}>
          {words.next}
        </Button>
      </div>
      {asked.value !== undefined && (
        <EraseDialog
          disk={asked.value}
          onClose={() => (asked.value = undefined)}
          onErase={(body) => begin("Format", body)}
        />
      )}
    </section>
  );
}

/** The work on a disk: one at a time, also one that was begun before the page was opened. */
function useDiskWork(onEnd: () => void) {
  const words = setupWords();
  const isBusy = useSignal(false);
  const end = useRef(new AbortController());
  const follow = async (id: string): Promise<void> => {
    isBusy.value = true;
    const onTask = ({ State, Error: reason }: Task<unknown>): void => {
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
  const tell = (error: unknown): void => {
    if (!end.current.signal.aborted) sayError(error);
  };
  useEffect(() => {
    const { current } = end;
    taskUnderWay("Format").then((task) => {
      if (task !== undefined) follow(task.Id).catch(tell);
    }, tell);
    return () => current.abort();
  }, []);
  const start = (kind: string, body: object): void => {
    startTask(kind, body)
      .then(({ Id }) => follow(Id))
      .catch(tell);
  };
  return { isBusy, start };
}

function Room({ bytes }: { readonly bytes: number }) {
  const words = setupWords();
  if (bytes === 0) return null;
  return (
    <div class="setup-room">
      <p>
        <strong>{words.room(sizeText(bytes))}</strong>
      </p>
      <ul>
        {EXAMPLES.map((count) => (
          <li key={count}>
            {words.roomFor(words.cameras(count), lastingText(bytes, count * USUAL_BITS_PER_SECOND))}
          </li>
        ))}
      </ul>
      <p class="hint">{words.roomHint}</p>
    </div>
  );
}
