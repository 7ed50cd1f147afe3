import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of the thread, microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The tasks of a page's main thread while something was done. */
export interface TaskTimes {
  readonly count: number;
  /** Processor time of the longest one: what other programs take of a busy machine does not count. Milliseconds. */
  readonly longestMs: number;
}

/** What the main thread of a page does meanwhile, as Chromium traces it. */
export async function taskTimes(page: Page, act: () => Promise<void>): Promise<TaskTimes> {
  const browser: Browser | null = page.context().browser();
  if (browser === null) throw new Error("the page is of no browser that can be traced");
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(threadOf),
  );
  const times = traceEvents
    .filter((event) => event.ph === "X" && event.name.endsWith("RunTask") && main.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1000);
  return { count: times.length, longestMs: Math.max(0, ...times) };
}
