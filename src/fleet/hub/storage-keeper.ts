import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import * as v from "valibot";
import { type Clock, errorText, type Guid, type Log, Semaphore } from "../../base/index.js";
import {
  type HandedStorage,
  handedStorage,
  STORAGE_BYTES_MAX,
  STORAGE_PATH,
  storageMark,
} from "../link/handed-storage.js";
import { BOXES_MAX } from "./box-keeping.js";
import { wholeAnswer } from "./box-link.js";
import type { KeptStorages } from "./kept-storages.js";

/** Boxes whose storage is asked for at once: after a restart of the hub all come back together. */
const ASKED_MAX = 8;
const ANSWER_MS_MAX = 15_000;

export interface StorageKeeperOptions {
  readonly kept: KeptStorages;
  /** What is kept of a box has changed. */
  readonly onChange: (id: Guid) => void;
  readonly isOurs: (id: Guid) => boolean;
  /** Begins a request to a box over its own connection; undefined: there is none. */
  readonly open: (id: Guid, headers: OutgoingHttpHeaders) => ClientHttp2Stream | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Keeps what boxes hand over of their off-site storage as new as they say it is. What fails is tried again when the box says it again. */
export class StorageKeeper {
  readonly #options: StorageKeeperOptions;
  /** Of what is kept, as far as it was looked at. */
  readonly #marks = new Map<Guid, string | undefined>();
  readonly #busy = new Set<Guid>();
  readonly #turns = new Semaphore({ atOnce: ASKED_MAX, waitingMax: BOXES_MAX });
  #isStopped = false;

  constructor(options: StorageKeeperOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Whether a box has handed something over. */
  has(id: Guid): boolean {
    return this.#options.kept.has(id);
  }

  /** A box is there, and hands over what has this mark; undefined: nothing. */
  said(id: Guid, mark: string | undefined): void {
    if (this.#marks.has(id) && this.#marks.get(id) === mark) return;
    if (!this.#marks.has(id) && mark === undefined && !this.has(id)) this.#marks.set(id, undefined);
    else this.#alone(id, () => this.#follow(id, mark));
  }

  /** Another hub has changed what is kept of a box. */
  changedElsewhere(id: Guid): void {
    this.#marks.delete(id);
    this.#alone(id, async () => void (await this.#options.kept.read(id)));
  }

  /** It belongs to the hub no more. */
  forget(id: Guid): void {
    this.#marks.delete(id);
    if (!this.has(id)) return;
    this.#alone(id, () => this.#options.kept.remove(id));
  }

  /** Never rejects. */
  #alone(id: Guid, work: () => Promise<void>): void {
    if (this.#busy.has(id) || this.#isStopped) return;
    this.#busy.add(id);
    void this.#turns
      .run(work)
      .catch((error: unknown) =>
        this.#options.log.warn(
          { box: id, reason: errorText(error) },
          "what this hub may read of a recorder's off-site storage is not known: it is asked for again",
        ),
      )
      .finally(() => this.#busy.delete(id));
  }

  async #follow(id: Guid, mark: string | undefined): Promise<void> {
    const { kept, isOurs, log } = this.#options;
    const known = await kept.read(id);
    if ((known === undefined ? undefined : storageMark(known)) !== mark) {
      if (mark === undefined) {
        await kept.remove(id);
        log.info({ box: id }, "a recorder does not let this hub read its off-site storage any more");
      } else {
        const storage = await this.#ask(id);
        if (!isOurs(id)) return;
        await kept.write(id, storage);
        log.info({ box: id, bucket: storage.bucket }, "a recorder lets this hub read its off-site storage");
      }
      this.#options.onChange(id);
    }
    this.#marks.set(id, mark);
  }

  async #ask(id: Guid): Promise<HandedStorage> {
    const { open, clock } = this.#options;
    const stream = open(id, { ":method": "GET", ":path": STORAGE_PATH });
    if (stream === undefined) throw new Error("the recorder is not connected to this hub now");
    stream.on("error", () => stream.destroy());
    const limits = { bytesMax: STORAGE_BYTES_MAX, ms: ANSWER_MS_MAX, clock };
    const { status, body } = await wholeAnswer(stream, limits);
    if (status !== 200) throw new Error(`it answers with status ${status}`);
    return v.parse(handedStorage, JSON.parse(body.toString("utf8")));
  }
}
