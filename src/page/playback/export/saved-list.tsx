import { useSignal } from "@preact/signals";
import type { SavedFileObject, TaskObject } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Loaded } from "../../control/loaded.js";
import { sayError } from "../../control/notice.js";
import { at } from "../../state/place.js";
import { useRead } from "../../state/reading.js";
import { commonWords } from "../../words/common.js";
import { playbackWords } from "../../words/playback.js";
import { savedFileWords } from "../../words/saved-files.js";
import { sizeWords, timeWords } from "../time/format.js";
import { useInSight } from "./in-sight.js";
import { fileLinks, readFileLinks } from "./links.js";
import {
  cancelSaving,
  madeNow,
  readSavedFiles,
  removeSavedFile,
  savedFiles,
  savings,
} from "./saved-files.js";

/** Fetched where links are allowed. */
const loadLinks = async () => (await import("./link-part.js")).LinkPart;

/** As the recorder has it. */
const KEPT_DAYS = 7;

/** The files that lie on the recorder, and those that are being made. */
export function SavedList() {
  useRead(() => Promise.all([readSavedFiles(), readFileLinks()]), sayError);
  const words = savedFileWords();
  const files = savedFiles.value?.Files ?? [];
  if (files.length === 0 && savings.value.length === 0) return null;
  return (
    <section class="saved-files">
      <h3>{words.kept}</h3>
      <p class="hint">
        {words.keptHint(KEPT_DAYS)} {words.room(sizeWords(savedFiles.value?.RoomBytes ?? 0))}
      </p>
      <ul class="files">
        {savings.value.map((task) => (
          <Saving key={task.Id} task={task} />
        ))}
        {files.map((file) => (
          <Saved key={file.Id} file={file} isNew={madeNow.value.has(file.Id)} />
        ))}
      </ul>
    </section>
  );
}

function Saving({ task }: { readonly task: TaskObject<"SaveFile"> }) {
  const words = savedFileWords();
  const { State, Subject, Progress, Result, Error: why } = task;
  const percent = Math.floor((Progress ?? 0) * 100);
  const name = Result?.Name ?? Subject;
  const row = useInSight<HTMLLIElement>(true);
  const said = { Waiting: words.inLine, Running: words.making(percent), Failed: words.failed(why ?? "") };
  return (
    <li ref={row} class="file">
      <p class="file-name">{name}</p>
      {Result !== null && <p class="hint">{words.about(sizeWords(Result.Bytes))}</p>}
      {State === "Running" && <progress max={100} value={percent} aria-label={name} />}
      <p role="status" class={State === "Failed" ? "fault" : ""}>
        {State in said ? said[State as keyof typeof said] : ""}
      </p>
      <div class="file-buttons">
        <Button onClick={() => void cancelSaving(task).catch(sayError)}>
          {State === "Failed" ? commonWords().close : commonWords().cancel}
        </Button>
      </div>
    </li>
  );
}

function Saved({ file, isNew }: { readonly file: SavedFileObject; readonly isNew: boolean }) {
  const words = savedFileWords();
  const isAsking = useSignal(false);
  const { Id, Name, Bytes, KeptUntilTime, Url } = file;
  const row = useInSight<HTMLLIElement>(isNew);
  return (
    <li ref={row} class="file">
      <p class="file-name">{Name}</p>
      <p class="hint">
        {sizeWords(Bytes)} · {words.until(timeWords(Date.parse(KeptUntilTime), "day"))}
      </p>
      {isAsking.value ? (
        <div class="ask" role="alert">
          <p>{words.removeSure}</p>
          <Button kind="danger" onClick={() => void removeSavedFile(Id).catch(sayError)}>
            {words.remove}
          </Button>
          <Button onClick={() => (isAsking.value = false)}>{commonWords().cancel}</Button>
        </div>
      ) : (
        <div class="file-buttons">
          <a class="button" href={at(Url)} download={`${Name}.mp4`}>
            {playbackWords().save}
          </a>
          <Button label={`${words.remove}: ${Name}`} onClick={() => (isAsking.value = true)}>
            {words.remove}
          </Button>
        </div>
      )}
      {fileLinks.value?.IsAllowed === true && <Loaded load={loadLinks} props={{ file }} />}
    </li>
  );
}
