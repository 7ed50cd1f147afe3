import type { Volume } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { sizeText } from "../../state/figures.js";
import { disksWords } from "../../words/disks.js";
import { retireWords } from "../../words/settings/retire.js";
import { dayText } from "./disk-words.js";
import { MoveRecordings } from "./move-recordings.js";

/** What can be done with a place for recordings. */
export type VolumeAct = "take over" | "forget" | "retire" | "call back" | "take out" | "replace";

export interface VolumeActsProps {
  readonly volume: Volume;
  readonly name: string;
  /** A disk is being worked on: one at a time. */
  readonly isBusy: boolean;
  readonly onAct: (act: VolumeAct, volume: Volume, name: string) => void;
}

/** The buttons of a place for recordings, by its state. */
export function VolumeActs({ volume, name, isBusy, onAct }: VolumeActsProps) {
  const [words, retire] = [disksWords(), retireWords()];
  const acts: readonly (readonly [VolumeAct, string])[] = [
    ...(volume.State === "LeftOut" && volume.SizeBytes !== null
      ? [["take over", words.takeOver] as const]
      : []),
    ...(volume.State === "LeftOut" && volume.VolumeId !== null ? [["forget", words.forget] as const] : []),
    ...(volume.State === "InUse" ? RECORDED.map((act) => [act, retire.act[act]] as const) : []),
    ...(volume.State === "Retired" ? RETIRED.map((act) => [act, retire.act[act]] as const) : []),
  ];
  return acts.map(([act, text]) => (
    <Button
      key={act}
      kind={act === "take over" ? "main" : "plain"}
      disabled={isBusy}
      label={`${text}: ${name}`}
      onClick={() => onAct(act, volume, name)}
    >
      {text}
    </Button>
  ));
}

const RECORDED = ["replace", "retire"] as const;
const RETIRED = ["call back", "take out"] as const;

/** How far a place is that is being taken out of use; nothing for others. */
export function RetiredNote({ volume, name }: { readonly volume: Volume; readonly name: string }) {
  const words = retireWords();
  const { State, RecordedBytes, EmptyTime } = volume;
  if (State !== "Retired" || RecordedBytes === null) return null;
  if (RecordedBytes === 0) return <p class="advice good">{words.empty}</p>;
  const until = EmptyTime === null ? words.stays : words.until(dayText(EmptyTime));
  return (
    <>
      <p class="advice">
        {words.holds(sizeText(RecordedBytes))} {until}
      </p>
      <MoveRecordings path={volume.Path} name={name} />
    </>
  );
}
