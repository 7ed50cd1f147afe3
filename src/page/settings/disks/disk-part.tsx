import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Disks } from "../../../contract/answer/index.js";
import { say, sayError } from "../../control/notice.js";
import { commonWords } from "../../words/common.js";
import { disksWords } from "../../words/disks.js";
import { retireWords } from "../../words/settings/retire.js";
import { BoxDisk } from "./box-disk.js";
import { readDisks, retireVolume } from "./disks.js";
import { type Asked, Question } from "./question.js";
import { useDiskWork } from "./use-disk-work.js";
import type { VolumeActsProps } from "./volume-acts.js";
import { VolumeList } from "./volume-list.js";

const LOOK_MS = 5000;

/** Every disk of the box, and the places for recordings that are on none of them. */
export function DiskPart({ onFault }: { readonly onFault: (error: unknown) => void }) {
  const words = disksWords();
  const list = useSignal<Disks | undefined>(undefined);
  const asked = useSignal<Asked | undefined>(undefined);
  const read = (): void =>
    void readDisks().then((found) => {
      list.value = found;
      onFault(undefined);
    }, onFault);
  const { isBusy, step, start } = useDiskWork(read);
  useEffect(() => {
    read();
    const timer = setInterval(read, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const onAct: VolumeActsProps["onAct"] = (what, volume, name) => {
    if (what === "take over" && volume.VolumeId === null) start("Adopt", { Path: volume.Path });
    else if (what === "call back")
      retireVolume(volume, false).then(() => {
        say(retireWords().calledBack);
        read();
      }, sayError);
    else asked.value = { what, volume, name };
  };
  const known = list.value;
  if (known === undefined) return <p class="quiet">{commonWords().loading}</p>;
  return (
    <section class="settings-part" aria-label={words.disks}>
      <h3>{words.disks}</h3>
      {known.Problem !== null && known.Disks.every(({ Verdict }) => Verdict === "unknown") && (
        <p class="hint">{words.advice.unknownAll}</p>
      )}
      <ul class="disk-list">
        {known.Disks.map((disk) => (
          <BoxDisk
            key={disk.Device}
            disk={disk}
            isBusy={isBusy.value}
            onUse={() => (asked.value = { what: "erase", disk })}
            onDetails={() => (asked.value = { what: "details", disk })}
            onAct={onAct}
          />
        ))}
      </ul>
      {isBusy.value && <p role="status">{stepText(step.value)}</p>}
      <p class="hint">{words.noSpare}</p>
      <VolumeList volumes={known.OtherVolumes} isBusy={isBusy.value} onAct={onAct} />
      {asked.value !== undefined && (
        <Question
          asked={asked.value}
          disks={known.Disks}
          start={start}
          onClose={() => (asked.value = undefined)}
          onChange={read}
        />
      )}
    </section>
  );
}

/** What the recorder does with the disk now, by its own name for that. */
function stepText(step: string): string {
  const words = retireWords().step;
  if (step.startsWith("retiring")) return words.retiring;
  if (step.startsWith("waiting")) return words.mounting;
  return step === "formatting" ? words.formatting : disksWords().formatting;
}
