import type { Disk } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { sizeText } from "../../state/figures.js";
import { disksWords } from "../../words/disks.js";
import { smartWords } from "../../words/settings/smart.js";
import { adviceOf } from "./disk-advice.js";
import { celsiusText, diskTitle, runningText, stateWords } from "./disk-words.js";
import { fullPercent } from "./disks.js";
import { RetiredNote, VolumeActs, type VolumeActsProps } from "./volume-acts.js";
import { VolumeRow } from "./volume-list.js";

interface BoxDiskProps {
  readonly disk: Disk;
  /** A disk is being prepared: one at a time. */
  readonly isBusy: boolean;
  readonly onUse: () => void;
  readonly onDetails: () => void;
  readonly onAct: VolumeActsProps["onAct"];
}

/** A disk as its owner looks after it: how it is, how full, what is on it, what is wrong and what to do. */
export function BoxDisk({ disk, isBusy, onUse, onDetails, onAct }: BoxDiskProps) {
  const words = disksWords();
  const left = disk.Volumes.find(({ State }) => State === "LeftOut");
  const isUsed = disk.Volumes.some(({ State }) => State !== "LeftOut");
  const name = diskTitle(disk);
  const canUse = !disk.IsSystemDisk && !isUsed && disk.Verdict !== "failing";
  const percent = fullPercent(disk);
  const full = percent === undefined ? [] : [words.full(percent)];
  return (
    <li class={isUsed ? "disk used" : "disk"}>
      <div>
        <p class="disk-name">{name}</p>
        <p>{[words.health[disk.Verdict], ...full, ...stateWords(disk)].join(", ")}</p>
        {adviceOf(disk).map((text) => (
          <p key={text} class="advice">
            {text}
          </p>
        ))}
        {disk.Volumes.length === 1 &&
          disk.Volumes.map((volume) => <RetiredNote key={volume.Path} {...{ volume, name }} />)}
        {left?.Reason != null && <p class="hint">{left.Reason}</p>}
        <DiskFacts disk={disk} />
      </div>
      <div class="disk-acts">
        <Button label={smartWords().detailsOf(name)} onClick={onDetails}>
          {smartWords().details}
        </Button>
        {disk.Volumes.length === 1 &&
          disk.Volumes.map((volume) => <VolumeActs key={volume.Path} {...{ volume, name, isBusy, onAct }} />)}
        {canUse && (
          <Button disabled={isBusy} label={`${words.use}: ${name}`} onClick={onUse}>
            {words.use}
          </Button>
        )}
      </div>
      {disk.Volumes.length > 1 && (
        <ul class="disk-places">
          {disk.Volumes.map((volume) => (
            <VolumeRow key={volume.Path} {...{ volume, isBusy, onAct }} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** What helps to find the disk in the box, and its figures. */
function DiskFacts({ disk }: { readonly disk: Disk }) {
  const words = disksWords();
  const { Serial, Device, TemperatureCelsius, PowerOnHours, IsAsleep, Volumes } = disk;
  const recorded = Volumes.reduce((sum, { RecordedBytes }) => sum + (RecordedBytes ?? 0), 0);
  const facts: readonly (readonly [string, string])[] = [
    [words.serial, Serial],
    [words.place, Device.replace("/dev/", "")],
    [words.temperature, TemperatureCelsius === null ? "" : celsiusText(TemperatureCelsius)],
    [words.running, PowerOnHours === null ? "" : runningText(PowerOnHours)],
    [words.recorded, recorded === 0 ? "" : sizeText(recorded)],
  ];
  return (
    <>
      <dl class="disk-facts">
        {facts
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {IsAsleep && <p class="hint">{words.asleep}</p>}
    </>
  );
}
