import { useSignal } from "@preact/signals";
import type { Disk, Volume } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { Choice } from "../../control/field.js";
import { commonWords } from "../../words/common.js";
import { disksWords } from "../../words/disks.js";
import { retireWords } from "../../words/settings/retire.js";
import { diskTitle } from "./disk-words.js";
import { eraseBody, holdingOf } from "./disks.js";

interface ReplaceDialogProps {
  readonly volume: Volume;
  readonly name: string;
  readonly disks: readonly Disk[];
  readonly onClose: () => void;
  /** Gets the body of the task. */
  readonly onReplace: (body: object) => void;
}

/** A disk is replaced step by step: what happens, which disk takes its place, and what is lost on that one. */
export function ReplaceDialog({ volume, name, disks, onClose, onReplace }: ReplaceDialogProps) {
  const words = retireWords();
  const free = disks.filter(
    ({ IsSystemDisk, Volumes, Verdict }) => !IsSystemDisk && Volumes.length === 0 && Verdict !== "failing",
  );
  const chosen = useSignal(free[0]?.Device ?? "");
  const isSure = useSignal(false);
  const disk = free.find(({ Device }) => Device === chosen.value);
  const isEmpty = disk !== undefined && holdingOf(disk) === undefined;
  return (
    <Dialog title={words.replaceTitle(name)} onClose={onClose}>
      <div class="edit-form">
        <ol class="steps">
          {words.replaceSteps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {disk === undefined ? (
          <p>
            <strong>{words.noSpare}</strong>
          </p>
        ) : (
          <>
            <Choice
              label={words.newDisk}
              value={chosen.value}
              options={free.map(
                (one) => [one.Device, `${diskTitle(one)} (${one.Serial || one.Device})`] as const,
              )}
              onValue={(device) => {
                chosen.value = device;
                isSure.value = false;
              }}
            />
            {!isEmpty && (
              <Check
                label={disksWords().eraseSure}
                checked={isSure.value}
                onChecked={(checked) => (isSure.value = checked)}
              />
            )}
          </>
        )}
        <div class="edit-buttons">
          <Button onClick={onClose}>{commonWords().cancel}</Button>
          {disk !== undefined && (
            <Button
              kind="danger"
              disabled={!isEmpty && !isSure.value}
              onClick={() => onReplace({ Path: volume.Path, ...eraseBody(disk) })}
            >
              {words.replaceNow}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
