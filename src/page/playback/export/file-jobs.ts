import { signal } from "@preact/signals";
import { FileJob } from "./file-job.js";
import type { FilePlan } from "./file-request.js";

/** Files that were asked for, newest first; they go on while the panel is closed. */
export const fileJobs = signal<readonly FileJob[]>([]);

let isWorking = false;

export function addFiles(plans: readonly FilePlan[]): void {
  fileJobs.value = [...plans.map((plan) => new FileJob(plan)), ...fileJobs.peek()];
  void work();
}

/** Makes a file anew, after those that wait. */
export function retryFile(job: FileJob): void {
  job.state.value = "waiting";
  void work();
}

/** One after the other: the recorder makes four for a user at once. */
async function work(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  try {
    for (let job = nextJob(); job !== undefined; job = nextJob()) await job.save();
  } finally {
    isWorking = false;
  }
}

function nextJob(): FileJob | undefined {
  const waiting = fileJobs.peek().filter(({ state }) => state.peek() === "waiting");
  return waiting.toSorted((one, other) => one.id - other.id)[0];
}
