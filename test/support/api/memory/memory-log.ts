import type { LogQuery, ServiceLogPage } from "../../../../src/owner/health/states.js";

/** A log with the lines that a test gives it. */
export class MemoryLog {
  page: ServiceLogPage = { source: "Memory", lines: [], hasMore: false };
  /** What was asked for. */
  readonly asked: LogQuery[] = [];

  read(query: LogQuery): Promise<ServiceLogPage> {
    this.asked.push(query);
    return Promise.resolve(this.page);
  }
}
