import type { Disk } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { diskTitle, stateWords } from "../settings/disks/disk-words.js";
import { disksWords } from "../words/disks.js";

interface DiskCardProps {
  readonly disk: Disk;
  /** A disk is being prepared: one at a time. */
  readonly isBusy: boolean;
  readonly onUse: () => void;
  readonly onTakeOver: (path: string) => void;
}

/** A disk in people's words: size, maker, health, what is on it, and what can be done with it. */
export function DiskCard({ disk, isBusy, onUse, onTakeOver }: DiskCardProps) {
  const words = disksWords();
  const left = disk.Volumes.find(({ State }) => State === "LeftOut");
  const isUsed = disk.Volumes.some(({ State }) => State !== "LeftOut");
  const name = diskTitle(disk);
  const canUse = !disk.IsSystemDisk && !isUsed && disk.Verdict !== "failing";
  return (
    <li class={isUsed ? "disk used" : "disk"}>
      <div>
        <p class="disk-name">{name}</p>
        <p>{[words.health[disk.Verdict], ...stateWords(disk)].join(", ")}</p>
        {disk.Serial !== "" && <p class="hint">{disk.Serial}</p>}
        {left?.Reason != null && <p class="hint">{left.Reason}</p>}
      </div>
      <div class="disk-acts">
        {left !== undefined && (
          <Button
            kind="main"
            disabled={isBusy}
            label={`${words.takeOver}: ${name}`}
            onClick={() => onTakeOver(left.Path)}
          >
            {words.takeOver}
          </Button>
        )}
        {canUse && (
          <Button disabled={isBusy} label={`${words.use}: ${name}`} onClick={onUse}>
            {words.use}
          </Button>
        )}
      </div>
    </li>
  );
}
