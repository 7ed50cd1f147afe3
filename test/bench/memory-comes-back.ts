import { apiTime, type Fragment, pause, type Service } from "../support/service/service.js";
import type { Figure } from "./figure.js";
import { pssBytesOf } from "./process-usage.js";

const EXPORTS = 20;
/** One user has four places. */
const EXPORTS_AT_ONCE = 4;
const VIEWERS = 100;
const WATCHED_MS = 10_000;
const MINUTE_MS = 60_000;
const SHARE_MAX = 1.1;
const MEBIBYTE = 1024 * 1024;

/** Memory a minute after 20 exports and 100 viewers, against what it was before them. What the first of each loads stays. */
export async function* comesBackFigures(service: Service, ids: readonly string[]): AsyncGenerator<Figure> {
  await exportOnce(service, ids[0] ?? "");
  await watch(service, ids, 1);
  await pause(MINUTE_MS);
  const before = mebibytesOf(service);
  yield { name: "memory before exports and viewers", value: before, unit: "MiB", peer: "PSS" };
  let left = EXPORTS;
  const reader = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await exportOnce(service, ids[left % ids.length] ?? "");
    }
  };
  await Promise.all(Array.from({ length: EXPORTS_AT_ONCE }, reader));
  await watch(service, ids, VIEWERS);
  yield { name: "memory right after them", value: mebibytesOf(service), unit: "MiB", peer: "PSS" };
  await pause(MINUTE_MS);
  yield {
    name: `memory a minute after ${EXPORTS} exports and ${VIEWERS} viewers`,
    value: mebibytesOf(service) / before,
    unit: "x",
    wanted: { atMost: SHARE_MAX },
    peer: "before them",
  };
}

async function exportOnce(service: Service, id: string): Promise<void> {
  const [recorded] = await service.fragments(id);
  const { fromUs, toUs } = recorded as Fragment;
  const span = `fromtime=${apiTime(fromUs)}&totime=${apiTime(Math.min(toUs, fromUs + 60_000_000))}`;
  const { status } = await service.get(`/exportarchive?channelid=${id}&${span}`);
  if (status !== 200) throw new Error(`/exportarchive: status ${status}`);
}

async function watch(service: Service, ids: readonly string[], count: number): Promise<void> {
  const opened = Array.from({ length: count }, (_, at) => service.video(`channelid=${ids[at % ids.length]}`));
  const viewers = await Promise.all(opened);
  const watching = viewers.map(async ({ parts }) => {
    for (let part = await parts.next(); part.done !== true; ) part = await parts.next();
  });
  await pause(WATCHED_MS);
  for (const viewer of viewers) viewer.close();
  // Closing ends the reading of each with an error.
  await Promise.allSettled(watching);
}

function mebibytesOf(service: Service): number {
  return pssBytesOf([service.process.pid]) / MEBIBYTE;
}
