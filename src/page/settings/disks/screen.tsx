import { useSignal } from "@preact/signals";
import { errorWords } from "../../control/notice.js";
import { disksWords } from "../../words/disks.js";
import { ArchivePart } from "./archive-part.js";
import { CheckPart } from "./check-part.js";
import { DiskPart } from "./disk-part.js";
import { FormerPart } from "./former-part.js";
import { ProtectionPart } from "./protection-part.js";

/** What the recordings are kept on. */
export function DisksSection() {
  const words = disksWords();
  const fault = useSignal("");
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      <ProtectionPart />
      <ArchivePart />
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      <DiskPart onFault={(error) => (fault.value = error === undefined ? "" : errorWords(error))} />
      <FormerPart />
      <CheckPart />
    </section>
  );
}
