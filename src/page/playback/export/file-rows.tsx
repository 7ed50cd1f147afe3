import { Button } from "../../control/button.js";
import { say, sayError } from "../../control/notice.js";
import { commonWords } from "../../words/common.js";
import { playbackWords } from "../../words/playback.js";
import { sizeWords } from "../time/format.js";
import { nameOf } from "../watch/model.js";
import type { FileJob } from "./file-job.js";
import { fileJobs, retryFile } from "./file-jobs.js";
import { useInSight } from "./in-sight.js";

/** The files that are on their way to this device, and those that have come. */
export function FileRows() {
  if (fileJobs.value.length === 0) return null;
  return (
    <ul class="files">
      {fileJobs.value.map((job) => (
        <FileRow key={job.id} job={job} />
      ))}
    </ul>
  );
}

/** One file: how far it is, a way to stop it, and its checksum. */
function FileRow({ job }: { readonly job: FileJob }) {
  const words = playbackWords();
  const { name, bytes, order } = job.plan;
  const state = job.state.value;
  const isRunning = state === "running";
  const isUnderWay = isRunning || state === "waiting";
  const row = useInSight<HTMLLIElement>(isUnderWay);
  return (
    <li ref={row} class="file">
      <p class="file-name">{name}</p>
      <p class="hint">
        {nameOf(order.channel)} · {sizeWords(bytes)}
      </p>
      {isRunning && (
        <progress max={Math.max(bytes, 1)} value={job.done.value} aria-label={name}>
          {words.fileProgress(sizeWords(job.done.value), sizeWords(bytes))}
        </progress>
      )}
      <p role="status">{stateWords(job)}</p>
      <div class="file-buttons">
        {isUnderWay && <Button onClick={() => job.cancel()}>{commonWords().cancel}</Button>}
        {(state === "cancelled" || state === "failed") && (
          <Button onClick={() => retryFile(job)}>{commonWords().retry}</Button>
        )}
        {(state === "saved" || state === "by-browser") && (
          <Button onClick={() => retryFile(job)}>{words.fileAgain}</Button>
        )}
        {job.digest.value === undefined && !isUnderWay && (
          <Button onClick={() => void job.readDigest()}>{words.digestMake}</Button>
        )}
      </div>
      <Digest job={job} />
    </li>
  );
}

function stateWords(job: FileJob): string {
  const words = playbackWords();
  const all = sizeWords(job.plan.bytes);
  switch (job.state.value) {
    case "waiting":
      return words.fileWaits;
    case "running":
      return words.fileProgress(sizeWords(job.done.value), all);
    case "saved":
      return words.fileSaved;
    case "by-browser":
      return words.fileByBrowser;
    case "cancelled":
      return words.cancelled;
    default:
      return "";
  }
}

function Digest({ job }: { readonly job: FileJob }) {
  const words = playbackWords();
  const digest = job.digest.value;
  if (digest === undefined) return null;
  if (digest === "busy")
    return (
      <>
        <p role="status">{words.digestBusy}</p>
        <Button onClick={() => job.cancelDigest()}>{commonWords().cancel}</Button>
      </>
    );
  const copy = (): void => {
    navigator.clipboard?.writeText(digest.Sha256).then(() => say(words.copied), sayError);
  };
  return (
    <div class="digest">
      <h3>{words.digest}</h3>
      <code>{digest.Sha256}</code>
      {/* Only secure contexts have a clipboard. */}
      {navigator.clipboard !== undefined && <Button onClick={copy}>{words.copy}</Button>}
      <p class="hint">{words.digestWhy}</p>
    </div>
  );
}
