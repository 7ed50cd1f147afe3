/**
 * Gives orders to a volume's threads of the addon and prints what they answer, as JSON, when the last order has been answered. Its
 * disk may be made to fail (failing-calls.c).
 *
 *   node addon-thread-child.mjs DIRECTORY ORDERS
 *
 * ORDERS is a JSON array of [role, message]; a write has `records` of [slot, position, text] instead of its batch.
 */
import { startAddonThread } from "../../../dist/archive/disk/addon-thread.js";
import {
  BATCH_BYTES,
  BATCH_NUMBERS_BYTES,
  BATCH_NUMBERS_MAX,
  RAW,
  SCRATCH_SLAB,
} from "../../../dist/archive/disk/volume-messages.js";

/** What an order is answered with; none has no answer. */
const ANSWERS = { write: "written", sync: "synced", close: "closed", rename: "reply" };

const [directory = "", orders = "[]"] = process.argv.slice(2);
const memory = new SharedArrayBuffer(BATCH_BYTES);
const numbers = new Float64Array(memory, 0, BATCH_NUMBERS_MAX);
const scratch = Buffer.from(memory, BATCH_NUMBERS_BYTES);
const answers = [];
let onAnswer = () => undefined;

const threads = new Map(
  ["writer", "syncer"].map((role) => {
    const thread = startAddonThread(role, directory);
    thread.onMessage((answer) => {
      if (answer.op === "started") return;
      answers.push(answer);
      onAnswer(answer);
    });
    return [role, thread];
  }),
);
threads.get("writer").postMessage({ op: "batch", index: 0, memory });

/** Puts runs of one record without a header each into the batch. */
function batchOf(records) {
  let at = 0;
  let used = 0;
  for (const [slot, position, text] of records) {
    const bytes = scratch.write(text, used);
    numbers.set([slot, position, 1, RAW, 1, SCRATCH_SLAB, used, bytes], at);
    at += 8;
    used += bytes;
  }
  return { op: "write", batch: 0, numbers: at, slabs: [], forgetSlabs: false };
}

for (const [role, order] of JSON.parse(orders)) {
  const message =
    order.op === "write"
      ? batchOf(order.records)
      : order.op === "open"
        ? { ...order, header: Buffer.from(order.header) }
        : order;
  const answered = new Promise((resolve) => {
    onAnswer = (answer) => answer.op === ANSWERS[order.op] && answer.last !== false && resolve();
  });
  threads.get(role).postMessage(message);
  if (order.op in ANSWERS) await answered;
}
for (const thread of threads.values()) await thread.terminate();
process.stdout.write(JSON.stringify(answers));
