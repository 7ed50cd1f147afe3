import { signal } from "@preact/signals";
import type { SavedFileList, TaskItem, TaskObject } from "../../../contract/answer/index.js";
import type { PICTURE_FORMS } from "../../../contract/index.js";
import { sayError } from "../../control/notice.js";
import { request, requestJson } from "../../state/request.js";
import { session } from "../../state/session.js";
import { followTask, isOver, startTask } from "../../state/tasks.js";
import { type FileEdits, NO_EDITS } from "./edits.js";
import { give } from "./file-job.js";
import { type FileOrder, parameterTime } from "./file-request.js";

type SavingTask = TaskObject<"SaveFile">;

/** The files that lie on the recorder; undefined until they are known. */
export const savedFiles = signal<SavedFileList | undefined>(undefined);
/** What is missing here to convert. */
export const lackOfFiles = () => savedFiles.value?.Lack ?? "None";
/** Files that are being made, the newest first, and those that could not be; they go on while the panel is closed. */
export const savings = signal<readonly SavingTask[]>([]);

/** Ids of files whose making was seen here. */
export const madeNow = signal<ReadonlySet<string>>(new Set());

const followed = new Set<string>();

/** Reads what is there, and what is being made: also what was asked for before the page was opened. Who may not export has none. */
export async function readSavedFiles(): Promise<void> {
  if (session.value?.Rights.CanUseArchiveExport !== true) return;
  const [files, tasks] = await Promise.all([
    requestJson<SavedFileList>("/api/files"),
    requestJson<readonly TaskItem[]>("/api/tasks"),
  ]);
  savedFiles.value = files;
  for (const task of tasks.filter((one) => one.Kind === "SaveFile" && !isOver(one))) void follow(task.Id);
}

/** How the pictures of a file are made. */
interface FileMaking {
  readonly pictures: (typeof PICTURE_FORMS)[number];
  readonly edits?: FileEdits;
  /** Channels beside the one of the order. */
  readonly others?: readonly string[];
}

/** Has a file made on the recorder; when it is there, the browser saves it. Rejects with RequestError. */
export async function orderFile(order: FileOrder, making: FileMaking): Promise<void> {
  const { channel, span, sound } = order;
  const { pictures, edits = NO_EDITS, others = [] } = making;
  const task = await startTask("SaveFile", {
    ...{ ChannelId: channel, WithChannelIds: others, Sound: sound && edits.speed === 1 },
    ...{ Pictures: pictures, ShowTime: edits.showTime, Speed: edits.speed },
    ...{ FromTime: parameterTime(span.from), ToTime: parameterTime(span.to) },
  });
  note(task);
  void follow(task.Id).then((made) => {
    if (made?.Result?.Id) give(`/api/files/${made.Result.Id}`, `${made.Result.Name}.mp4`);
  });
}

/** What has failed is no longer shown then. */
export async function cancelSaving({ Id, State }: SavingTask): Promise<void> {
  await request(`/api/tasks/${Id}`, { method: "DELETE" });
  if (isOver({ State })) forget(Id);
}

export async function removeSavedFile(id: string): Promise<void> {
  await request(`/api/files/${id}`, { method: "DELETE" });
  await readSavedFiles();
}

/** Resolves with the task when it is over. */
async function follow(id: string): Promise<SavingTask | undefined> {
  if (followed.has(id)) return undefined;
  followed.add(id);
  let last: SavingTask | undefined;
  try {
    const onTask = (task: SavingTask): void => {
      last = task;
      note(task);
    };
    await followTask<"SaveFile">(id, onTask, new AbortController().signal);
    const made = last?.Result?.Id;
    if (made) madeNow.value = new Set([...madeNow.peek(), made]);
    if (last?.State !== "Failed") forget(id);
    await readSavedFiles();
  } catch (error) {
    forget(id);
    sayError(error);
  } finally {
    followed.delete(id);
  }
  return last;
}

function note(task: SavingTask): void {
  const known = savings.peek();
  const isNew = known.every(({ Id }) => Id !== task.Id);
  savings.value = isNew ? [task, ...known] : known.map((one) => (one.Id === task.Id ? task : one));
}

function forget(id: string): void {
  savings.value = savings.peek().filter(({ Id }) => Id !== id);
}
