import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Disk, Disks } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { errorWords } from "../control/notice.js";
import { readDisks, roomBytes } from "../settings/disks/disks.js";
import { EraseDialog } from "../settings/disks/erase-dialog.js";
import { useDiskWork } from "../settings/disks/use-disk-work.js";
import { lastingText, sizeText, USUAL_BITS_PER_SECOND } from "../state/figures.js";
import { commonWords } from "../words/common.js";
import { disksWords } from "../words/disks.js";
import { setupWords } from "../words/setup.js";
import { DiskCard } from "./disk-card.js";

const LOOK_MS = 5000;
/** Sites for which the step says how long the recordings last. */
const EXAMPLES = [4, 16];

/** What is in the box, and what of it is recorded onto. */
export function DisksStep({ onNext }: { readonly onNext: () => void }) {
  const words = setupWords();
  const list = useSignal<Disks | undefined>(undefined);
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
  const begin = (kind: "Format" | "Adopt", body: object): void => {
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
          {isBusy.value && <p role="status">{disksWords().formatting}</p>}
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
