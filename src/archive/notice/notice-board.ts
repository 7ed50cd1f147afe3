import { errorText, type Log } from "../../base/index.js";
import type { ArchiveNotice, ArchiveNoticeListener } from "./notices.js";

/** Passes the archive's notices to listeners; one that throws is logged and does not stop the others. */
export class NoticeBoard {
  readonly #log: Log;
  readonly #listeners = new Set<ArchiveNoticeListener>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Returns a function that ends it. */
  listen(listener: ArchiveNoticeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly post = (notice: ArchiveNotice): void => {
    for (const listener of this.#listeners) {
      try {
        listener(notice);
      } catch (error) {
        this.#log.error({ notice: notice.kind }, `a listener of notices failed: ${errorText(error)}`);
      }
    }
  };
}
