import type { Disk, Volume } from "../../../contract/answer/index.js";
import { say, sayError } from "../../control/notice.js";
import { sizeText } from "../../state/figures.js";
import { disksWords } from "../../words/disks.js";
import { retireWords } from "../../words/settings/retire.js";
import { forgetVolume, retireVolume } from "./disks.js";
import { EraseDialog } from "./erase-dialog.js";
import { ReplaceDialog } from "./replace-dialog.js";
import { SmartDialog } from "./smart-dialog.js";
import { SureDialog } from "./sure-dialog.js";
import type { DiskWork } from "./use-disk-work.js";
import type { VolumeAct } from "./volume-acts.js";

/** What somebody is asked about before it is done. */
export type Asked =
  | { readonly what: "erase"; readonly disk: Disk }
  | { readonly what: "details"; readonly disk: Disk }
  | { readonly what: Exclude<VolumeAct, "call back">; readonly volume: Volume; readonly name: string };

interface QuestionProps {
  readonly asked: Asked;
  readonly disks: readonly Disk[];
  readonly start: DiskWork["start"];
  readonly onClose: () => void;
  /** Something was changed. */
  readonly onChange: () => void;
}

/** The dialog that asks before something is done to a disk. */
export function Question({ asked, disks, start, onClose, onChange }: QuestionProps) {
  const begin = (kind: Parameters<typeof start>[0], body: object): void => {
    onClose();
    start(kind, body);
  };
  if (asked.what === "details") return <SmartDialog disk={asked.disk} onClose={onClose} />;
  if (asked.what === "erase")
    return <EraseDialog disk={asked.disk} onClose={onClose} onErase={(body) => begin("Format", body)} />;
  const { what, volume, name } = asked;
  if (what === "replace")
    return (
      <ReplaceDialog {...{ volume, name, disks, onClose }} onReplace={(body) => begin("Replace", body)} />
    );
  const act = (work: Promise<void>, done: string): void => {
    onClose();
    work.then(() => {
      say(done);
      onChange();
    }, sayError);
  };
  return <VolumeQuestion {...{ what, volume, name, begin, act, onClose }} />;
}

interface VolumeQuestionProps {
  readonly what: Exclude<VolumeAct, "replace" | "call back">;
  readonly volume: Volume;
  readonly name: string;
  readonly begin: DiskWork["start"];
  readonly act: (work: Promise<void>, done: string) => void;
  readonly onClose: () => void;
}

function VolumeQuestion({ what, volume, name, begin, act, onClose }: VolumeQuestionProps) {
  const words = disksWords();
  const retire = retireWords();
  switch (what) {
    case "take over": {
      const texts = { title: words.takeOverTitle, text: words.takeOverText, act: words.takeOver };
      const body = { Path: volume.Path, Confirm: volume.VolumeId };
      return <SureDialog {...texts} onAct={() => begin("Adopt", body)} onClose={onClose} />;
    }
    case "forget": {
      const texts = { title: words.forgetTitle, text: words.forgetText(name), act: words.forget };
      const forget = (): void => act(forgetVolume(volume), words.forgotten);
      return <SureDialog {...texts} sure={words.forgetSure} onAct={forget} onClose={onClose} />;
    }
    case "retire": {
      const texts = { title: retire.retireTitle(name), text: retire.retireText, act: retire.act.retire };
      return (
        <SureDialog
          {...texts}
          onAct={() => act(retireVolume(volume, true), retire.retired)}
          onClose={onClose}
        />
      );
    }
    case "take out": {
      const bytes = volume.RecordedBytes ?? 0;
      const text = bytes === 0 ? retire.takeOutEmpty : retire.takeOutText(sizeText(bytes));
      const texts = { title: retire.takeOutTitle(name), text, act: retire.act["take out"] };
      const sure = bytes === 0 ? {} : { sure: words.forgetSure };
      const takeOut = (): void => act(forgetVolume(volume), retire.takenOut);
      return <SureDialog {...texts} {...sure} onAct={takeOut} onClose={onClose} />;
    }
  }
}
