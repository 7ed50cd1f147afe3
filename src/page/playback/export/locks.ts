import { signal } from "@preact/signals";
import { request, requestJson } from "../../state/request.js";
import type { ProtectedTime } from "./protected.js";

export const LOCK_MODES = ["Governance", "Compliance", "None"] as const;
export type LockMode = (typeof LOCK_MODES)[number];

/** As `GET /api/away/locks` has it; what the page uses. */
export interface AwayLock extends Pick<ProtectedTime, "Id" | "ChannelId" | "ChannelName"> {
  readonly TargetName: string;
  readonly FromTime: string;
  readonly ToTime: string;
  readonly Mode: LockMode;
  readonly UntilTime: string | null;
  readonly LegalHold: boolean;
  readonly IsLifted: boolean;
  readonly Segments: number;
  readonly Done: number;
  readonly IsCounting: boolean;
  readonly Problem: string | null;
}

/** Where something can be locked. */
export interface LockTarget {
  readonly Id: string;
  readonly Name: string;
}

interface Known {
  readonly targets: readonly LockTarget[];
  readonly locks: readonly AwayLock[];
}

/** None until they are known. */
export const known = signal<Known>({ targets: [], locks: [] });

export async function readLocks(): Promise<void> {
  const [targets, locks] = await Promise.all([
    requestJson<readonly LockTarget[]>("/api/away/targets"),
    requestJson<readonly AwayLock[]>("/api/away/locks"),
  ]);
  known.value = { targets, locks };
}

/** What a form of a lock holds. */
export interface LockDraft {
  /** Empty: all of them. */
  readonly TargetId: string;
  readonly Mode: LockMode;
  /** `2030-12-31`; empty: none. */
  readonly UntilDay: string;
  readonly LegalHold: boolean;
}

/** Locks a protected time, or changes a lock. Rejects with RequestError: its message says why it cannot be. */
export async function saveLock(of: ProtectedTime | AwayLock, draft: LockDraft): Promise<void> {
  const { TargetId, Mode, UntilDay, LegalHold } = draft;
  const wanted = { Mode, LegalHold, ...(Mode === "None" ? {} : { UntilDay }) };
  if (isLock(of)) await request(addressOf(of), { method: "PUT", body: wanted });
  else {
    const body = { ProtectedId: of.Id, ...(TargetId === "" ? {} : { TargetId }), ...wanted };
    await request("/api/away/locks", { method: "POST", body });
  }
  await readLocks();
}

export async function liftLock(lock: AwayLock): Promise<void> {
  await request(addressOf(lock), { method: "DELETE" });
  await readLocks();
}

export function isLock(one: ProtectedTime | AwayLock): one is AwayLock {
  return "TargetName" in one;
}

/** Nobody can lift or shorten it now. */
export function isFixed({ Mode, UntilTime }: AwayLock, now: number): boolean {
  return Mode === "Compliance" && Date.parse(UntilTime ?? "") > now;
}

/** The last day of a lock, UTC; empty: it has none. */
export function lastDay({ UntilTime }: AwayLock): string {
  return UntilTime === null ? "" : new Date(Date.parse(UntilTime) - 1).toISOString().slice(0, 10);
}

function addressOf({ Id }: AwayLock): string {
  return `/api/away/locks/${Id}`;
}
