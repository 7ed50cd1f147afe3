import { errorText, type Log } from "../../base/index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";

export interface IndexHealthOptions {
  readonly log: Log;
  readonly notice?: ArchiveNoticeListener;
}

/** Tracks whether the index is open and commits. Reports a failure once, however often it is retried, and the recovery once. */
export class IndexHealth {
  readonly #log: Log;
  readonly #notice: ArchiveNoticeListener;
  #failing = false;

  constructor(options: IndexHealthOptions) {
    this.#log = options.log;
    this.#notice = options.notice ?? (() => undefined);
  }

  get isFailing(): boolean {
    return this.#failing;
  }

  /** It cannot be opened for now; the opener has logged why. */
  notOpened(reason: string): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#notice({ kind: "index-failing", reason });
  }

  notCommitted(error: unknown): void {
    if (this.#failing) return;
    this.#failing = true;
    const reason = errorText(error);
    this.#log.error({ error: reason }, "the index cannot commit; it is tried again");
    this.#notice({ kind: "index-failing", reason });
  }

  committed(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#log.info("the index commits again");
    this.#notice({ kind: "index-works" });
  }
}
