import type { Disk } from "../../../../src/archive/disk/disk.js";
import type {
  SyncerAnswer,
  SyncerMessage,
  SyncFile,
  WorkerStart,
} from "../../../../src/archive/disk/volume-messages.js";
import type { StartVolumeThread } from "../../../../src/archive/disk/volume-thread.js";
import type { SeededRandom } from "../../base/seeded-random.js";
import type { SimulatedClock } from "../../base/simulated-clock.js";
import { runVolumeThread } from "../model/model-threads.js";

type Role = WorkerStart["role"];

/** One direction between the main side and a thread: messages in order. */
interface Channel {
  readonly directory: string;
  readonly role: Role;
  readonly toThread: boolean;
  readonly messages: unknown[];
  listener: ((message: unknown) => void) | undefined;
  stalledUntilUs: number;
}

export interface SimulatedThreadsOptions {
  readonly random: SeededRandom;
  readonly clock: SimulatedClock;
  readonly diskOf: (directory: string) => Disk;
  /** The power or the process is gone: nothing is delivered any more. */
  readonly isOff: () => boolean;
}

/**
 * The volumes' threads in one thread: messages wait in channels, and which channel's turn it is, the seed decides. So
 * every order that real threads could come in is met by some seed, and met again with it.
 */
export class SimulatedThreads {
  readonly #options: SimulatedThreadsOptions;
  readonly #channels: Channel[] = [];
  readonly #failures = new Map<string, (reason: string) => void>();
  /** Bytes of each segment file, by its path, that a sync thread has called durable. */
  readonly syncedBytes = new Map<string, number>();

  constructor(options: SimulatedThreadsOptions) {
    this.#options = options;
  }

  readonly start: StartVolumeThread = (start) => {
    const { directory, role } = start;
    const disk = this.#options.diskOf(directory);
    const toThread = this.#channel(start, true);
    const toMain = this.#channel(start, false);
    const asked = new Map<number, SyncFile>();
    const port = {
      on: (_event: "message", listener: (message: unknown) => void) => {
        toThread.listener = (message) => {
          if (role === "syncer") noteAsked(asked, message as SyncerMessage);
          listener(message);
        };
      },
      postMessage: (message: unknown) => {
        if (role === "syncer" && !this.#options.isOff()) this.#noteSynced(directory, asked, message);
        toMain.messages.push(message);
      },
    };
    runVolumeThread(start, port, disk, () => this.#options.clock.monotonicUs() / 1000);
    return {
      postMessage: (message) => void toThread.messages.push(message),
      onMessage: (listener) => {
        toMain.listener = listener;
      },
      onFailure: (listener) => void this.#failures.set(`${role} ${directory}`, listener),
      terminate: async () => this.#close(toThread, toMain),
    };
  };

  /** A thread is stuck in its next call for so long. */
  stall(directory: string, role: Role, durationUs: number): void {
    for (const channel of this.#channels) {
      if (channel.directory === directory && channel.role === role && channel.toThread)
        channel.stalledUntilUs = this.#options.clock.monotonicUs() + durationUs;
    }
  }

  /** A thread ends by itself. */
  die(directory: string, role: Role): void {
    for (const channel of this.#channels)
      if (channel.directory === directory && channel.role === role) channel.messages.length = 0;
    this.#failures.get(`${role} ${directory}`)?.("ended by the test");
  }

  /** Delivers until nobody has anything to say that may be said now. */
  async settle(): Promise<void> {
    do {
      while (this.#deliver()) await undefined;
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#ready().length > 0);
  }

  #channel({ directory, role }: WorkerStart, toThread: boolean): Channel {
    const channel = { directory, role, toThread, messages: [], listener: undefined, stalledUntilUs: 0 };
    this.#channels.push(channel);
    return channel;
  }

  #close(...closed: readonly Channel[]): void {
    for (const channel of closed) {
      channel.messages.length = 0;
      this.#channels.splice(this.#channels.indexOf(channel), 1);
    }
  }

  #ready(): Channel[] {
    if (this.#options.isOff()) return [];
    const nowUs = this.#options.clock.monotonicUs();
    return this.#channels.filter((channel) => channel.messages.length > 0 && channel.stalledUntilUs <= nowUs);
  }

  #deliver(): boolean {
    const ready = this.#ready();
    if (ready.length === 0) return false;
    const channel = this.#options.random.pick(ready);
    channel.listener?.(channel.messages.shift());
    return true;
  }

  #noteSynced(directory: string, asked: ReadonlyMap<number, SyncFile>, message: unknown): void {
    const answer = message as SyncerAnswer;
    const slots =
      answer.op === "synced"
        ? answer.slots
        : answer.op === "closed" && answer.error === undefined
          ? [answer.slot]
          : [];
    for (const slot of slots) {
      const file = asked.get(slot);
      if (file !== undefined) this.syncedBytes.set(`${directory}/${file.path}`, file.bytes);
    }
  }
}

function noteAsked(asked: Map<number, SyncFile>, message: SyncerMessage): void {
  if (message.op === "sync") for (const file of message.files) asked.set(file.slot, file);
  else if (message.op === "close") asked.set(message.slot, message);
}
