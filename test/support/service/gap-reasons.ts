import type { GapReason, Timeline } from "../../../src/contract/answer/index.js";
import { until } from "../event/service-events.js";
import type { Service } from "./service.js";

/** Where gaps are looked for; up to now without an end. */
export interface GapSpan {
  readonly service: Service;
  readonly id: string;
  readonly fromUs: number;
  readonly toUs?: number;
}

/** Resolves when the channel's timeline has gaps of all these reasons; a busy machine may make more of them. */
export async function gapsAreReported(span: GapSpan, ...reasons: readonly GapReason[]): Promise<void> {
  const { service, id, fromUs, toUs } = span;
  await until(service, `gaps of the reasons ${reasons.join()}`, async () => {
    const to = toUs === undefined ? Date.now() : toUs / 1000;
    const path = `/api/timeline?channels=${id}&from=${fromUs / 1000}&to=${to}&steps=4000`;
    const { Channels } = await service.json<Timeline>(path);
    const reasonsFound = new Set(Channels[0]?.Gaps.map(({ Reason }) => Reason));
    return reasons.every((reason) => reasonsFound.has(reason));
  });
}
