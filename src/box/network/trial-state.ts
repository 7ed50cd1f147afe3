import * as v from "valibot";
import { jsonOfLine } from "../../base/index.js";
import type { SystemFiles } from "../../health/index.js";
import { TRIAL_ID } from "./keeper-protocol.js";
import { networkPlan } from "./network-plan.js";

/* What the network keeper reports to the service about a trial, in files that only it can write. A reboot removes them. */

export const STATE_FOLDER = "/run/nvrd-network";
export const TRIAL_FILE = `${STATE_FOLDER}/trial.json`;
/** The same file after the trial: confirmed, or ended without that. */
export const CONFIRMED_FILE = `${STATE_FOLDER}/confirmed.json`;
export const EXPIRED_FILE = `${STATE_FOLDER}/expired.json`;
/** The id of the trial that networkd has taken. */
export const APPLIED_FILE = `${STATE_FOLDER}/applied`;
/** Why a trial ended before its time. */
export const REASON_FILE = `${STATE_FOLDER}/reason`;
export const UPTIME_FILE = "/proc/uptime";

const trialRecord = v.object({
  id: v.pipe(v.string(), v.regex(TRIAL_ID)),
  plan: networkPlan,
  /** What was in effect before, if nvrd had made it. */
  before: v.nullable(networkPlan),
  /** Seconds since the boot at which it ends. */
  endsUptimeS: v.number(),
});
export type TrialRecord = v.InferOutput<typeof trialRecord>;

export interface TrialState {
  readonly running: TrialRecord | undefined;
  /** Whether networkd has taken its plan: only then a confirmation shows anything. */
  readonly isApplied: boolean;
  /** Until it ends; 0 if none is running. */
  readonly remainingS: number;
  /** The last trial that is over. */
  readonly last: (TrialRecord & { readonly isConfirmed: boolean }) | undefined;
  /** Why the last one ended before its time. */
  readonly reason: string | undefined;
}

export async function readTrialState(files: SystemFiles): Promise<TrialState> {
  const running = await readRecord(files, TRIAL_FILE);
  const confirmed = await readRecord(files, CONFIRMED_FILE);
  const expired = await readRecord(files, EXPIRED_FILE);
  const uptimeS = await readUptimeS(files);
  return {
    running,
    isApplied: running !== undefined && (await files.text(APPLIED_FILE)) === running.id,
    remainingS: running === undefined ? 0 : Math.max(0, running.endsUptimeS - uptimeS),
    last:
      confirmed !== undefined
        ? { ...confirmed, isConfirmed: true }
        : expired !== undefined
          ? { ...expired, isConfirmed: false }
          : undefined,
    reason: await files.text(REASON_FILE),
  };
}

export async function readUptimeS(files: SystemFiles): Promise<number> {
  return Number(((await files.text(UPTIME_FILE)) ?? "0").split(" ")[0]);
}

export async function readRecord(files: SystemFiles, file: string): Promise<TrialRecord | undefined> {
  const text = await files.text(file);
  if (text === undefined) return undefined;
  const result = v.safeParse(trialRecord, jsonOfLine(text));
  return result.success ? result.output : undefined;
}

export function recordText(record: TrialRecord): string {
  return `${JSON.stringify(record)}\n`;
}
