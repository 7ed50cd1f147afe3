import { type Clock, endsWithin, errorText, type Log } from "../../base/index.js";
import { LateThread } from "../disk/late-thread.js";
import { ThreadStarts } from "../disk/thread-starts.js";
import type {
  IdentifyRequest,
  IdentifyResult,
  ReaderAnswer,
  SyncerAnswer,
  WriterAnswer,
} from "../disk/volume-messages.js";
import { type StartVolumeThread, ThreadRequests, type VolumeThread } from "../disk/volume-thread.js";
import { type SegmentListener, VolumeWriter, type WriterHealth } from "../write/volume-writer.js";

/** How long a stop waits for the threads to end. */
const STOP_TIMEOUT_MS = 500;

export interface VolumeThreadsOptions {
  readonly directory: string;
  readonly startThread: StartVolumeThread;
  readonly listener: SegmentListener;
  readonly health: WriterHealth;
  /** Called once, when a thread has ended by itself. */
  readonly onFailure: (reason: string) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly tickMs: number;
  readonly syncIntervalMs: number;
  readonly heldBytesMax: number;
}

/**
 * The three threads of a volume while it is taken: the writer, the reader, and the syncer, which starts with the first stream that
 * is recorded onto the volume.
 */
export class VolumeThreads {
  readonly writer: VolumeWriter;
  readonly writerRequests: ThreadRequests;
  readonly syncerRequests: ThreadRequests;
  readonly readerRequests: ThreadRequests;
  readonly #syncThread: LateThread;
  readonly #all: readonly VolumeThread[];
  readonly #starts: ThreadStarts<VolumeThread>;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(options: VolumeThreadsOptions) {
    const { directory, startThread, clock, log } = options;
    this.#clock = clock;
    this.#log = log;
    const thread = startThread({ role: "writer", directory });
    const syncThread = new LateThread(() => startThread({ role: "syncer", directory }));
    const readerThread = startThread({ role: "reader", directory });
    const name = `volume ${directory}`;
    const requestsOf = (to: VolumeThread) => new ThreadRequests({ thread: to, clock, name });
    this.writerRequests = requestsOf(thread);
    this.syncerRequests = requestsOf(syncThread);
    this.readerRequests = requestsOf(readerThread);
    this.writer = new VolumeWriter({ ...options, thread, syncThread });
    this.#syncThread = syncThread;
    this.#all = [thread, syncThread, readerThread];
    this.#starts = new ThreadStarts({ threads: [thread, readerThread], clock, name });
    thread.onMessage((data) => {
      const answer = data as WriterAnswer;
      if (answer.op === "started") this.#starts.note(thread);
      else if (answer.op === "reply") this.writerRequests.answer(answer);
      else this.writer.onAnswer(answer);
    });
    syncThread.onMessage((data) => {
      const answer = data as SyncerAnswer;
      if (answer.op === "started") return;
      if (answer.op === "reply") this.syncerRequests.answer(answer);
      else this.writer.onSyncAnswer(answer);
    });
    readerThread.onMessage((data) => {
      const answer = data as ReaderAnswer;
      if (answer.op === "started") this.#starts.note(readerThread);
      else this.readerRequests.answer(answer);
    });
    for (const one of this.#all) one.onFailure(options.onFailure);
  }

  /** Takes the directory, once the threads have loaded; from then on no thread makes anything elsewhere. */
  async identify(request: IdentifyRequest, timeoutMs: number): Promise<IdentifyResult> {
    await this.#starts.all();
    const result = await this.writerRequests.call((id) => ({ op: "identify", id, request }), timeoutMs);
    const identified = result as IdentifyResult;
    const { device } = identified;
    this.#syncThread.keep({ op: "pin", device });
    await this.readerRequests.read({ op: "pin", device }, timeoutMs);
    return identified;
  }

  /** Rejects all pending requests. */
  failRequests(reason: string): void {
    this.#starts.fail(reason);
    this.writerRequests.fail(reason);
    this.syncerRequests.fail(reason);
    this.readerRequests.fail(reason);
  }

  /** Ends the threads. Resolves when they are gone, which a thread stuck in a system call may never be. */
  async terminate(): Promise<void> {
    const ends = this.#all.map((thread) =>
      thread.terminate().catch((error: unknown) => {
        this.#log.warn(`thread not ended: ${errorText(error)}`);
      }),
    );
    await Promise.all(ends);
  }

  /** As `terminate`, but waits a moment only; false when a thread is left behind. */
  terminateSoon(): Promise<boolean> {
    return endsWithin(this.terminate(), { clock: this.#clock, ms: STOP_TIMEOUT_MS });
  }
}
