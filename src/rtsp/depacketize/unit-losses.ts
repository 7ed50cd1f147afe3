import type { Log } from "../../base/index.js";
import { LOSS_IDS, type LossId } from "../../contract/answer/index.js";
import { LOSS_RULES, lossWords, StreamLosses } from "../../live/index.js";

/** Continuing losses are reported again after this long. */
export const LOSSES_REPORT_INTERVAL_US = 60_000_000;

const LOSSES = LOSS_IDS.filter((id) => LOSS_RULES[id].isLoss);

/**
 * Counts what of one stream could not be made a frame, and logs it: the first at the next tick, further ones once a minute. Lives
 * longer than the stream's sessions.
 */
export class UnitLosses {
  readonly #log: Log;
  /** By reason, as the stream reports them. */
  readonly losses: StreamLosses;
  readonly #named = new Set<string>();
  #newest: LossId = "no-memory";
  #reportedTotal = 0;
  #reportedUs = Number.NEGATIVE_INFINITY;

  /** `losses`: the stream's; its own where nobody listens. */
  constructor(log: Log, losses = new StreamLosses()) {
    this.#log = log;
    this.losses = losses;
    this.#reportedTotal = this.total;
  }

  /** Lost so far, of all sessions. */
  get total(): number {
    let total = 0;
    for (const id of LOSSES) total += this.losses.total(id);
    return total;
  }

  /** Counts what was dropped. Neither allocates nor logs, because it is called while a packet is handled. */
  count(id: LossId, by = 1): void {
    this.losses.count(id, by);
    if (LOSS_RULES[id].isLoss && by > 0) this.#newest = id;
  }

  /** Says that a reason holds for this session; logged as a warning once, as reconnecting says the same again. */
  name(id: LossId, detail = ""): void {
    this.losses.name(id, detail);
    const key = `${id} ${detail}`;
    const [text, remedy] = lossWords({ id, detail }, "en");
    this.#log[this.#named.has(key) ? "debug" : "warn"]({ loss: id, detail }, `${text}. ${remedy}`);
    if (this.#named.size < NAMED_KEPT_MAX) this.#named.add(key);
  }

  /** Finds what to report, and logs losses since the last report, when due; `nowUs`: monotonic time. */
  onTick(nowUs: number): void {
    this.losses.look(nowUs);
    const { total } = this;
    if (total === this.#reportedTotal || nowUs - this.#reportedUs < LOSSES_REPORT_INTERVAL_US) return;
    const dropped = total - this.#reportedTotal;
    this.#reportedTotal = total;
    this.#reportedUs = nowUs;
    const [text, remedy] = lossWords({ id: this.#newest, detail: "" }, "en");
    this.#log.warn({ dropped, sinceStart: this.#sinceStart() }, `${text}. ${remedy}`);
  }

  #sinceStart(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      LOSSES.map((id) => [id, this.losses.total(id)] as const).filter(([, count]) => count > 0),
    );
  }
}

/** Most named reasons that are remembered as logged. */
const NAMED_KEPT_MAX = 64;
