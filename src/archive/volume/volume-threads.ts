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
  /** Whether something is to be recorded soon: the writer has loaded then before the volume is taken. Default: it is. */
  readonly expectsStreams?: () => boolean;
}

/**
 * The three threads of a volume while it is taken: the reader; the syncer, which starts with the first stream that is recorded onto
 * the volume; and the writer, which does so only where no stream is expected.
 */
export class VolumeThreads {
  readonly writer: VolumeWriter;
  readonly syncerRequests: ThreadRequests;
  readonly readerRequests: ThreadRequests;
  readonly #lateThreads: readonly LateThread[];
  readonly #all: readonly VolumeThread[];
  readonly #starts: ThreadStarts<VolumeThread>;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(options: VolumeThreadsOptions) {
    const { directory, startThread, clock, log, expectsStreams } = options;
    this.#clock = clock;
    this.#log = log;
    const thread = new LateThread(() => startThread({ role: "writer", directory }));
    const syncThread = new LateThread(() => startThread({ role: "syncer", directory }));
    const readerThread = startThread({ role: "reader", directory });
    const name = `volume ${directory}`;
    const requestsOf = (to: VolumeThread) => new ThreadRequests({ thread: to, clock, name });
    this.syncerRequests = requestsOf(syncThread);
    this.readerRequests = requestsOf(readerThread);
    this.writer = new VolumeWriter({ ...options, thread, syncThread });
    this.#lateThreads = [thread, syncThread];
    this.#all = [thread, syncThread, readerThread];
    const awaited = expectsStreams?.() === false ? [readerThread] : [thread, readerThread];
    this.#starts = new ThreadStarts({ threads: awaited, clock, name });
    thread.onMessage((data) => {
      const answer = data as WriterAnswer;
      if (answer.op === "started") this.#starts.note(thread);
      this.writer.onAnswer(answer);
    });
    if (awaited.includes(thread)) thread.start();
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

  /** Takes the directory, once the threads have loaded that are to; from then on no thread makes anything elsewhere. */
  async identify(request: IdentifyRequest, timeoutMs: number): Promise<IdentifyResult> {
    await this.#starts.all();
    const identified = await this.readerRequests.read({ op: "identify", request }, timeoutMs);
    for (const thread of this.#lateThreads) thread.keep({ op: "pin", place: identified.place });
    return identified;
  }

  /** Rejects all pending requests. */
  failRequests(reason: string): void {
    this.#starts.fail(reason);
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
