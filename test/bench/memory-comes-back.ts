import { apiTime, type Fragment, pause, type Service } from "../support/service/service.js";
import type { Figure } from "./figure.js";
import { pssBytesOf } from "./process-usage.js";

const PICTURES = 200;
const PICTURES_AT_ONCE = 24;
const WIDTH_LEAST = 322;
const WIDTH_STEP = 6;
const EXPORTS = 20;
/** One user has four places. */
const EXPORTS_AT_ONCE = 4;
const VIEWERS = 100;
const WATCHED_MS = 10_000;
const MINUTE_MS = 60_000;
const SHARE_MAX = 1.1;
const MEBIBYTE = 1024 * 1024;

/** Memory a minute after bursts of pictures, exports and viewers, against what it was before all. What the first of each loads stays. */
export async function* comesBackFigures(service: Service, ids: readonly string[]): AsyncGenerator<Figure> {
  await exportOnce(service, ids[0] ?? "");
  await watch(service, ids, 1);
  await pictureOnce(service, ids, 0);
  await pause(MINUTE_MS);
  const before = mebibytesOf(service);
  yield { name: "memory before the bursts", value: before, unit: "MiB", peer: "PSS" };
  const idOf = (at: number): string => ids[at % ids.length] ?? "";
  const bursts = [
    {
      name: `${PICTURES} pictures`,
      run: () => times(PICTURES, PICTURES_AT_ONCE, (at) => pictureOnce(service, ids, at)),
    },
    {
      name: `${EXPORTS} exports`,
      run: () => times(EXPORTS, EXPORTS_AT_ONCE, (at) => exportOnce(service, idOf(at))),
    },
    { name: `${VIEWERS} viewers`, run: () => watch(service, ids, VIEWERS) },
  ];
  for (const { name, run } of bursts) {
    await run();
    yield { name: `memory right after ${name}`, value: mebibytesOf(service), unit: "MiB", peer: "PSS" };
    await pause(MINUTE_MS);
    yield {
      name: `memory a minute after ${name}`,
      value: mebibytesOf(service) / before,
      unit: "x",
      wanted: { atMost: SHARE_MAX },
      peer: "before the bursts",
    };
  }
}

/** Calls `run` with 0 to `count - 1`, so many at once. */
async function times(count: number, atOnce: number, run: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await run(next - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** A still that no cache has; one that is refused for want of memory or time is none. */
async function pictureOnce(service: Service, ids: readonly string[], at: number): Promise<void> {
  const width = WIDTH_LEAST + at * WIDTH_STEP;
  const size = `resolutionx=${width}&resolutiony=${Math.round((width * 9) / 16)}`;
  const { status } = await service.get(`/site?channelid=${ids[at % ids.length]}&${size}`);
  if (status !== 200 && status !== 503) throw new Error(`/site: status ${status}`);
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
