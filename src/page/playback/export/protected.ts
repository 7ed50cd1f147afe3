import { signal } from "@preact/signals";
import type { ProtectedTimeOfChannel } from "../../../contract/answer/index.js";
import { request, requestJson } from "../../state/request.js";
import { isBucket, session } from "../../state/session.js";
import { readTimelineAnew } from "../timeline/data.js";
import type { Span } from "../timeline/span.js";

export type ProtectedTime = ProtectedTimeOfChannel;

/** All protected times, the newest protection first; undefined until they are known. */
export const protectedTimes = signal<readonly ProtectedTime[] | undefined>(undefined);

export async function readProtected(): Promise<void> {
  protectedTimes.value = await requestJson<ProtectedTime[]>("/api/protected");
}

/** Needs a right. A server that shows recordings from a bucket protects nothing there: that is done at their recorder. */
export const mayProtect = (): boolean => !isBucket() && session.value?.Rights.CanManageRec === true;

export async function protect(channels: readonly string[], span: Span, reason: string): Promise<void> {
  const body = {
    FromTime: new Date(Math.floor(span.from)).toISOString(),
    ToTime: new Date(Math.ceil(span.to)).toISOString(),
    Comment: reason,
  };
  try {
    for (const id of channels) await request(addressOf(id), { method: "POST", body });
  } finally {
    readTimelineAnew();
  }
}

export async function release({ ChannelId, Id }: ProtectedTime): Promise<void> {
  await request(`${addressOf(ChannelId)}/${Id}`, { method: "DELETE" });
  protectedTimes.value = protectedTimes.peek()?.filter((other) => other.Id !== Id);
  readTimelineAnew();
}

function addressOf(channel: string): string {
  return `/api/channels/${channel}/protected`;
}
