import type { Volume } from "../../../contract/answer/index.js";
import { sizeText } from "../../state/figures.js";
import { disksWords } from "../../words/disks.js";
import { RetiredNote, VolumeActs, type VolumeActsProps } from "./volume-acts.js";

interface VolumeListProps {
  readonly volumes: readonly Volume[];
  readonly isBusy: boolean;
  readonly onAct: VolumeActsProps["onAct"];
}

/** Places for recordings on no disk that can be shown: missing disks, and folders. */
export function VolumeList({ volumes, isBusy, onAct }: VolumeListProps) {
  const words = disksWords();
  const isMissing = ({ SizeBytes }: Volume): boolean => SizeBytes === null;
  const row = (volume: Volume) => <VolumeRow key={volume.Path} {...{ volume, isBusy, onAct }} />;
  const missing = volumes.filter(isMissing);
  const others = volumes.filter((volume) => !isMissing(volume));
  return (
    <>
      {missing.length > 0 && (
        <>
          <h3>{words.missing}</h3>
          <p>{words.missingWhy}</p>
          <ul class="disk-list">{missing.map(row)}</ul>
        </>
      )}
      {others.length > 0 && (
        <>
          <h3>{words.elsewhere}</h3>
          <p class="hint">{words.elsewhereWhy}</p>
          <ul class="disk-list">{others.map(row)}</ul>
        </>
      )}
    </>
  );
}

/** A place for recordings by its folder, with what can be done with it. */
interface VolumeRowProps extends Omit<VolumeListProps, "volumes"> {
  readonly volume: Volume;
}

export function VolumeRow({ volume, isBusy, onAct }: VolumeRowProps) {
  const words = disksWords();
  const { State, Reason, SizeBytes, FreeBytes, RecordedBytes } = volume;
  const name = volume.Path;
  const full =
    SizeBytes === null || FreeBytes === null ? [] : [Math.round(100 * (1 - FreeBytes / SizeBytes))];
  const uses = { InUse: words.isRecorded, Retired: words.isRetired, LeftOut: words.advice.leftOut };
  return (
    <li class={State === "InUse" ? "disk used" : "disk"}>
      <div>
        <p class="disk-name">{name}</p>
        <p>{[...full.map((percent) => words.full(percent)), uses[State]].join(", ")}</p>
        {RecordedBytes !== null && <p class="hint">{`${words.recorded}: ${sizeText(RecordedBytes)}`}</p>}
        <RetiredNote {...{ volume, name }} />
        {Reason !== null && <p class="hint">{Reason}</p>}
      </div>
      <div class="disk-acts">
        <VolumeActs {...{ volume, name, isBusy, onAct }} />
      </div>
    </li>
  );
}
