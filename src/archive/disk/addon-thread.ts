/**
 * The writer and the sync thread of a volume, which are the addon's: each takes some 0.1 MiB instead of the 7 of a thread of Node, and
 * has no JavaScript on its way to the disk.
 */
import { loadNativeAddon } from "../../base/index.js";
import { BATCH_NUMBERS_BYTES, type SyncerMessage, type WriterMessage } from "./volume-messages.js";
import type { VolumeThread } from "./volume-thread.js";

/** Orders to a thread of the addon (native/volume/segment_writer.cc). It reports the results to its listener. */
interface WriterOrders {
  /** The members of a `VolumePlace`. */
  readonly pin: (device: number, identityMs: number, volumeId: string) => void;
  readonly setBatch: (memory: Uint8Array, numbersBytes: number) => void;
  readonly open: (
    slot: number,
    path: string,
    header: Uint8Array,
    crcSeed: number,
    preallocateBytes: number,
  ) => void;
  readonly write: (
    numbers: number,
    slabIds: readonly number[],
    memories: readonly Uint8Array[],
    forgetSlabs: boolean,
  ) => void;
  readonly release: (slot: number) => void;
  readonly end: () => void;
}

/** The same of the sync thread (native/volume/segment_syncer.cc). */
interface SyncerOrders {
  /** The members of a `VolumePlace`. */
  readonly pin: (device: number, identityMs: number, volumeId: string) => void;
  readonly sync: (slots: readonly number[], paths: readonly string[], bytes: readonly number[]) => void;
  readonly close: (slot: number, path: string, bytes: number) => void;
  readonly abandon: (slot: number) => void;
  readonly rename: (id: number, from: readonly string[], to: readonly string[]) => void;
  readonly end: () => void;
}

interface ThreadReport {
  readonly op: string;
}
interface Failed extends ThreadReport {
  readonly message: string;
}
type Start<Orders> = (directory: string, listener: (report: ThreadReport) => void) => Orders | undefined;

const { functions, missing } = loadNativeAddon();
const startWriter = functions.startSegmentWriter as Start<WriterOrders> | undefined;
const startSyncer = functions.startSegmentSyncer as Start<SyncerOrders> | undefined;

/** Orders of the threads that have not ended. */
const KEPT = new Set<object>();

/** Starts a thread of the addon. Without the addon, and where the system has no more threads, it is one that has failed. */
export function startAddonThread(role: "writer" | "syncer", directory: string): VolumeThread {
  return role === "writer"
    ? startOrdered<WriterOrders, WriterMessage>(startWriter, directory, orderWriter)
    : startOrdered<SyncerOrders, SyncerMessage>(startSyncer, directory, orderSyncer);
}

function startOrdered<Orders extends { readonly end: () => void }, Message>(
  start: Start<Orders> | undefined,
  directory: string,
  order: (orders: Orders, message: Message) => void,
): VolumeThread {
  if (start === undefined)
    return failedThread(`the native addon is missing (${missing ?? "it is of another version"})`);
  let onMessage: ((message: unknown) => void) | undefined;
  let onFailure: ((reason: string) => void) | undefined;
  let onEnd: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  const orders = start(directory, (report) => {
    if (report.op === "ended") onEnd?.();
    else if (report.op === "failed") onFailure?.((report as Failed).message);
    else onMessage?.(report);
  });
  if (orders === undefined) return failedThread("the system has no more threads");
  // The memory that the thread knows is kept with its orders: until it has ended.
  KEPT.add(orders);
  void ended.then(() => KEPT.delete(orders));
  return {
    postMessage: (message) => order(orders, message as Message),
    onMessage: (listener) => {
      onMessage = listener;
    },
    onFailure: (listener) => {
      onFailure = listener;
    },
    terminate: () => {
      onFailure = undefined;
      orders.end();
      return ended;
    },
  };
}

/** A thread that could not be started: it ends by itself as soon as somebody listens. */
function failedThread(reason: string): VolumeThread {
  let isOver = false;
  return {
    postMessage: () => undefined,
    onMessage: () => undefined,
    onFailure: (listener) => setImmediate(() => isOver || listener(reason)),
    terminate: async () => {
      isOver = true;
    },
  };
}

function orderWriter(orders: WriterOrders, message: WriterMessage): void {
  switch (message.op) {
    case "pin":
      orders.pin(message.place.device, message.place.identityMs, message.place.volumeId);
      return;
    case "batch":
      orders.setBatch(new Uint8Array(message.memory), BATCH_NUMBERS_BYTES);
      return;
    case "open": {
      const { slot, path, header, crcSeed, preallocateBytes } = message;
      orders.open(slot, path, header, crcSeed, preallocateBytes);
      return;
    }
    case "write": {
      const { numbers, slabs, forgetSlabs } = message;
      const memories = slabs.map(({ memory }) => new Uint8Array(memory));
      orders.write(
        numbers,
        slabs.map(({ id }) => id),
        memories,
        forgetSlabs,
      );
      return;
    }
    case "release":
      orders.release(message.slot);
      return;
  }
}

function orderSyncer(orders: SyncerOrders, message: SyncerMessage): void {
  switch (message.op) {
    case "pin":
      orders.pin(message.place.device, message.place.identityMs, message.place.volumeId);
      return;
    case "sync": {
      const { files } = message;
      orders.sync(
        files.map(({ slot }) => slot),
        files.map(({ path }) => path),
        files.map(({ bytes }) => bytes),
      );
      return;
    }
    case "close":
      orders.close(message.slot, message.path, message.bytes);
      return;
    case "abandon":
      orders.abandon(message.slot);
      return;
    case "rename": {
      const { id, files } = message;
      orders.rename(
        id,
        files.map(({ from }) => from),
        files.map(({ to }) => to),
      );
      return;
    }
  }
}
