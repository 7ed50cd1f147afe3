import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startAddonThread } from "../../../src/archive/disk/addon-thread.js";
import {
  BATCH_BYTES,
  BATCH_NUMBERS_BYTES,
  BATCH_NUMBERS_MAX,
  RAW,
  SCRATCH_SLAB,
  type SlabMemory,
  type SyncerMessage,
  type WriterMessage,
} from "../../../src/archive/disk/volume-messages.js";
import type { VolumeThread } from "../../../src/archive/disk/volume-thread.js";
import { RECORD_HEADER_BYTES } from "../../../src/archive/segment/segment-format.js";
import { REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const ORDERS = 60;
const SLOTS = 6;
const SLAB_BYTES = 20_000;
/** What an order is answered with; the others have no answer. */
const ANSWERS: Readonly<Record<string, string>> = {
  write: "written",
  sync: "synced",
  close: "closed",
  rename: "reply",
};

interface Answer {
  readonly op: string;
  readonly last?: boolean;
  readonly error?: SlotFailure;
  readonly errors?: readonly SlotFailure[];
}
interface SlotFailure {
  readonly code: string;
  readonly message: string;
}

/** A volume's writer and syncer, one way or the other, and what they have answered. */
class Threads {
  readonly answers: Answer[] = [];
  readonly failures: string[] = [];
  readonly directory: TemporaryDirectory;
  readonly memory = new SharedArrayBuffer(BATCH_BYTES);
  readonly #threads: Readonly<Record<"writer" | "syncer", VolumeThread>>;
  #onAnswer: (answer: Answer) => void = () => undefined;

  constructor(start: (role: "writer" | "syncer", directory: string) => VolumeThread) {
    this.directory = new TemporaryDirectory("volume");
    mkdirSync(this.directory.join("open"));
    const started = (role: "writer" | "syncer") => {
      const thread = start(role, this.directory.path);
      thread.onMessage((answer) => this.#take(answer as Answer));
      thread.onFailure((reason) => this.failures.push(reason));
      return thread;
    };
    this.#threads = { writer: started("writer"), syncer: started("syncer") };
    this.send("writer", { op: "batch", index: 0, memory: this.memory });
  }

  send(role: "writer", message: WriterMessage): void;
  send(role: "syncer", message: SyncerMessage): void;
  send(role: "writer" | "syncer", message: WriterMessage | SyncerMessage): void {
    this.#threads[role].postMessage(message);
  }

  /** Resolves with the order's last answer. */
  ask(role: "writer" | "syncer", message: WriterMessage | SyncerMessage): Promise<Answer> {
    return new Promise((resolve) => {
      this.#onAnswer = (answer) => {
        if (answer.op === ANSWERS[message.op] && answer.last !== false) resolve(answer);
      };
      this.#threads[role].postMessage(message);
    });
  }

  /** Resolves when the order has been carried out: one without an answer, with that of an empty batch behind it. */
  async done(role: "writer" | "syncer", message: WriterMessage | SyncerMessage): Promise<void> {
    if (message.op in ANSWERS) return void (await this.ask(role, message));
    this.#threads[role].postMessage(message);
    await this.ask("writer", { op: "write", batch: 0, numbers: 0, slabs: [], forgetSlabs: false });
  }

  async end(): Promise<void> {
    await this.#threads.writer.terminate();
    await this.#threads.syncer.terminate();
  }

  /** The files by their paths. */
  files(): Record<string, string> {
    const files = readdirSync(this.directory.path, { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    return Object.fromEntries(
      paths.map((path) => [path.slice(this.directory.path.length), readFileSync(path, "latin1")]),
    );
  }

  #take(answer: Answer): void {
    if (answer.op === "started") return;
    this.answers.push(answer);
    this.#onAnswer(answer);
  }
}

/** Orders that a seed draws: most of them make sense. The same draws give the same orders for another memory. */
class DrawnOrders {
  readonly #random: SeededRandom;
  readonly #numbers: Float64Array;
  readonly #scratch: Uint8Array;
  #slabs: SlabMemory[] = [];
  #nextSlab = 1;
  readonly #ends = new Map<number, number>();

  constructor(seed: number, memory: SharedArrayBuffer) {
    this.#random = new SeededRandom(seed);
    this.#numbers = new Float64Array(memory, 0, BATCH_NUMBERS_MAX);
    this.#scratch = new Uint8Array(memory, BATCH_NUMBERS_BYTES);
  }

  next(): readonly ["writer" | "syncer", WriterMessage | SyncerMessage] {
    const random = this.#random;
    const slot = random.below(SLOTS);
    const path = `open/${slot}.seg`;
    const bytes = this.#ends.get(slot) ?? 0;
    const draw = random.below(12);
    if (draw < 2) {
      const isMissing = random.chance(0.1);
      const header = Buffer.alloc(random.between(1, 300), slot);
      this.#ends.set(slot, header.length);
      const preallocateBytes = random.pick([0, 1_000_000]);
      return [
        "writer",
        {
          op: "open",
          slot,
          path: isMissing ? `none/${slot}` : path,
          header,
          crcSeed: slot,
          preallocateBytes,
        },
      ];
    }
    if (draw < 8) return ["writer", this.#write()];
    if (draw === 8) return ["writer", { op: "release", slot }];
    if (draw === 9) return ["syncer", { op: "close", slot, path, bytes }];
    if (draw === 10)
      return [
        "syncer",
        { op: "rename", id: random.below(9), files: [{ from: path, to: `streams/${slot}/a.seg` }] },
      ];
    return [
      "syncer",
      {
        op: "sync",
        files: [...this.#ends].map(([one, end]) => ({ slot: one, path: `open/${one}.seg`, bytes: end })),
      },
    ];
  }

  #write(): WriterMessage {
    const random = this.#random;
    const forgetSlabs = random.chance(0.2);
    if (forgetSlabs) this.#slabs = [];
    const known = this.#slabs.length;
    const made = Array.from({ length: random.below(3) + (known === 0 ? 1 : 0) }, () =>
      this.#slab(random.chance(0.2)),
    );
    this.#slabs.push(...made);
    const numbers = this.#runs();
    this.#slabs = this.#slabs.filter(({ id }) => id > 0);
    return { op: "write", batch: 0, numbers, slabs: made, forgetSlabs };
  }

  #slab(once: boolean): SlabMemory {
    const memory = new SharedArrayBuffer(SLAB_BYTES);
    new Uint8Array(memory).fill(this.#random.below(256));
    const id = this.#nextSlab++;
    return { id: once ? -id : id, memory };
  }

  /** Fills the batch's memory; returns how many numbers it has. */
  #runs(): number {
    const random = this.#random;
    const numbers: number[] = [];
    let used = 0;
    for (let run = random.below(4); run > 0; run--) {
      const slot = random.below(SLOTS);
      const records = random.below(5);
      let end = this.#ends.get(slot) ?? 0;
      numbers.push(slot, end, records);
      for (let record = 0; record < records; record++) {
        const hasHeader = random.chance(0.8);
        const ranges = random.below(4);
        numbers.push(hasHeader ? used : RAW, ranges);
        if (hasHeader) {
          this.#scratch.fill(random.below(256), used, used + RECORD_HEADER_BYTES);
          used += RECORD_HEADER_BYTES;
          end += RECORD_HEADER_BYTES;
        }
        for (let range = 0; range < ranges; range++) {
          const length = random.pick([0, 1, random.below(3000)]);
          end += length;
          if (random.chance(0.5)) {
            this.#scratch.fill(random.below(256), used, used + length);
            numbers.push(SCRATCH_SLAB, used, length);
            used += length;
          } else numbers.push(random.pick(this.#slabs).id, random.below(SLAB_BYTES - length), length);
        }
      }
      this.#ends.set(slot, end);
    }
    this.#numbers.set(numbers);
    return numbers.length;
  }
}

/** An answer with what both ways say alike: their errors end in other words. */
function comparable(answer: Answer): unknown {
  const without = ({ message, ...rest }: SlotFailure) => ({
    ...rest,
    what: message.slice(0, message.indexOf(rest.code)),
  });
  return {
    ...answer,
    errors: answer.errors?.map(without) ?? [],
    error: answer.error === undefined ? undefined : without(answer.error),
  };
}

let addon: Threads;

beforeEach(() => {
  addon = new Threads(startAddonThread);
});

afterEach(async () => {
  await addon.end();
  addon.directory.remove();
});

describe("a volume's threads of the addon", () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    "do and answer what their models do, seed %i",
    async (seed) => {
      const model = new Threads((role, directory) => threadsOnDisk(REAL_DISK)({ role, directory }));
      try {
        const draws = [addon, model].map((threads) => new DrawnOrders(seed, threads.memory));
        for (let order = 0; order < ORDERS; order++) {
          const [ours, theirs] = draws.map((drawn) => drawn.next());
          if (ours === undefined || theirs === undefined) throw new Error("no order");
          await Promise.all([addon.done(...ours), model.done(...theirs)]);
        }
        expect(addon.answers.map(comparable)).toEqual(model.answers.map(comparable));
        expect(addon.files()).toEqual(model.files());
      } finally {
        await model.end();
        model.directory.remove();
      }
    },
  );

  it("close their files when they end", async () => {
    const openFiles = () =>
      readdirSync("/proc/self/fd").filter((fd) => {
        const link = `/proc/self/fd/${fd}`;
        return existsSync(link) && readlinkSync(link).startsWith(addon.directory.path);
      });
    addon.send("writer", {
      op: "open",
      slot: 1,
      path: "open/1.seg",
      header: Buffer.alloc(9),
      crcSeed: 1,
      preallocateBytes: 0,
    });
    await addon.ask("writer", { op: "write", batch: 0, numbers: 0, slabs: [], forgetSlabs: false });
    await addon.ask("syncer", { op: "sync", files: [{ slot: 1, path: "open/1.seg", bytes: 9 }] });
    expect(openFiles()).toHaveLength(2);
    await addon.end();
    expect(openFiles()).toEqual([]);
  });

  it("end, and say why, when they are given more numbers than a batch has", async () => {
    const write = { op: "write", batch: 0, slabs: [], forgetSlabs: false } as const;
    addon.send("writer", { ...write, numbers: BATCH_NUMBERS_MAX + 1 });
    await expect.poll(() => addon.failures).toEqual(["a batch has more numbers than its memory"]);
  });

  it.each([
    ["a slab that nobody made known", [1, 0, 1, RAW, 1, 77, 0, 1], "slab 77 was never made known"],
    [
      "bytes behind the end of a batch",
      [1, 0, 1, RAW, 1, SCRATCH_SLAB, 0, BATCH_BYTES],
      "a range is not in slab 0",
    ],
    [
      "a header behind the end of a batch",
      [1, 0, 1, BATCH_BYTES, 0],
      "a record's header is not in the batch",
    ],
    ["numbers that end within a run", [1, 0, 2, RAW, 0], "a batch ends within a run"],
  ])("end, and say why, when they are given %s", async (_name, numbers, reason) => {
    new Float64Array(addon.memory, 0, BATCH_NUMBERS_MAX).set(numbers);
    addon.send("writer", { op: "write", batch: 0, numbers: numbers.length, slabs: [], forgetSlabs: false });
    await expect.poll(() => addon.failures).toEqual([reason]);
  });
});
