import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { UpdateProgress } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Fault } from "../../control/fault.js";
import { FileButton } from "../../control/file-button.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { session } from "../../state/session.js";
import { commonWords } from "../../words/common.js";
import { maintenanceWords } from "../../words/settings/maintenance.js";
import { readUpdate, sendUpdate } from "./model.js";

/** How often the progress is asked for. */
const READ_MS = 2000;
const ENDED: readonly UpdateProgress["Phase"][] = ["none", "kept", "rolledBack", "failed"];

interface Sending {
  readonly name: string;
  /** 0 to 1. */
  readonly part: number;
  readonly cancel: () => void;
}

/** An update of the whole system from a file: sent, tried, kept or given up. */
export function Update() {
  const words = maintenanceWords();
  const state = useSignal<UpdateProgress | undefined>(undefined);
  const sending = useSignal<Sending | undefined>(undefined);
  const fault = useSignal("");
  const read = async (): Promise<void> => {
    state.value = await readUpdate();
  };
  useRead(read, sayError);
  const phase = state.value?.Phase ?? "none";
  const isUnderWay = !ENDED.includes(phase);
  useEffect(() => {
    if (!isUnderWay) return;
    // The box restarts meanwhile: that there is no answer is said by the frame.
    const timer = setInterval(() => void read().catch(() => undefined), READ_MS);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  const send = async (file: File): Promise<void> => {
    const ending = new AbortController();
    const showPart = (part: number): void => {
      sending.value = { name: file.name, part, cancel: () => ending.abort() };
    };
    showPart(0);
    fault.value = "";
    try {
      await sendUpdate(file, showPart, ending.signal);
    } catch (error) {
      const sentence = error instanceof Error ? error.message : "";
      fault.value = words.refused(sentence === "" ? commonWords().offline : sentence);
    } finally {
      sending.value = undefined;
      await read();
    }
  };
  if (state.value === undefined) return <p class="quiet">{commonWords().loading}</p>;
  const { Supported: isSupported } = state.value;
  return (
    <article class="card">
      <h3>{words.update}</h3>
      <p>{words.version(session.value?.Version ?? "")}</p>
      <p>{isSupported ? words.updateWhy : words.updateElsewhere}</p>
      {sending.value !== undefined && <SendingRow sending={sending.value} />}
      {sending.value === undefined && <Phase state={state.value} />}
      <Fault text={fault.value} />
      {isSupported && sending.value === undefined && !isUnderWay && (
        <div class="edit-buttons">
          <FileButton
            label={words.updateButton}
            accept=".raucb"
            onFile={(file) => void send(file).catch(sayError)}
          />
        </div>
      )}
    </article>
  );
}

function SendingRow({ sending: { name, part, cancel } }: { readonly sending: Sending }) {
  const words = maintenanceWords();
  return (
    <div class="update-row">
      <p>{words.sending(name)}</p>
      <progress aria-label={words.sending(name)} value={part} max={1} />
      <div class="edit-buttons">
        <Button onClick={cancel}>{commonWords().cancel}</Button>
      </div>
    </div>
  );
}

function Phase({
  state: { Phase: phase, Percent: percent, Message, Version },
}: {
  readonly state: UpdateProgress;
}) {
  const words = maintenanceWords();
  if (phase === "none") return null;
  const said = words.phase[phase](Version ?? "");
  const isUnderWay = !ENDED.includes(phase);
  return (
    <div class="update-row">
      <p role="status">{said}</p>
      {isUnderWay && (
        <progress aria-label={said} {...(percent === null ? {} : { value: percent })} max={100} />
      )}
      {!isUnderWay && phase !== "kept" && Message !== "" && (
        <p class="hint" lang="en">
          {Message}
        </p>
      )}
    </div>
  );
}
