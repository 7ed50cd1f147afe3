import fc from "fast-check";
import { expect, test } from "vitest";
import {
  EVENT_TYPES,
  type EventInput,
  type EventQuery,
  type EventRecord,
  type LmdbEventLog,
} from "../../src/event/index.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { channelOfNumber, found, openEventLog } from "../support/event/event-log-harness.js";

/** `npm run torture -- models` asks for more. */
const RUNS = Number(process.env.NVRD_TEST_MODEL_RUNS ?? 5);
const TYPES = [EVENT_TYPES.motionDetected, EVENT_TYPES.login, EVENT_TYPES.cameraLost];
const START_US = Date.UTC(2026, 0, 1) * 1000;
const SPAN_US = 1000;

const typeIds = fc.constantFrom(...TYPES.map(({ id }) => id));
const channelIds = fc.integer({ min: 0, max: 3 }).map(channelOfNumber);
const initiatorIds = fc.integer({ min: 0, max: 2 }).map(channelOfNumber);
const initiatorTypes = fc.constantFrom(0 as const, 1 as const, 8 as const);
const categories = fc.constantFrom(0 as const, 1 as const, 2 as const);
const times = fc.integer({ min: START_US, max: START_US + SPAN_US });
const words = fc.string({ unit: "grapheme", maxLength: 20 });

const inputs: fc.Arbitrary<EventInput> = fc
  .record(
    {
      typeId: typeIds,
      timeUs: times,
      channelId: channelIds,
      channelName: words,
      comment: words,
      description: words,
      category: categories,
      initiator: fc.record({ type: initiatorTypes, id: initiatorIds, name: words }),
      fields: fc.dictionary(
        fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== "__proto__"),
        fc.oneof(words, fc.array(words, { maxLength: 3 })),
        { maxKeys: 3, noNullPrototype: true },
      ),
    },
    { requiredKeys: ["typeId", "timeUs"] },
  )
  .map((input) => input as EventInput);

const some = <T>(items: fc.Arbitrary<T>) =>
  fc.array(items, { minLength: 0, maxLength: 3 }).map((list) => new Set(list));

const queries = fc
  .record(
    {
      ends: fc.tuple(times, times),
      limit: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(1_000_000)),
      fromBegin: fc.boolean(),
      typeIds: some(typeIds),
      channelIds: some(channelIds),
      categories: some(categories),
      initiatorTypes: some(initiatorTypes),
      initiatorIds: some(initiatorIds),
    },
    { requiredKeys: ["ends", "limit", "fromBegin"] },
  )
  .map(({ ends: [fromUs, toUs], ...rest }) => ({ ...rest, fromUs, toUs }) as EventQuery);

type Step =
  | { readonly kind: "raise"; readonly inputs: readonly EventInput[] }
  | { readonly kind: "search"; readonly query: EventQuery }
  | { readonly kind: "flush" | "restart" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("raise" as const), inputs: batches() }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("search" as const), query: queries }) },
    { weight: 2, arbitrary: fc.constant({ kind: "flush" as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  ),
  { minLength: 4, maxLength: 25 },
);

/** Mostly a few events, sometimes more than go into the index at once. */
function batches(): fc.Arbitrary<EventInput[]> {
  const many = fc
    .tuple(fc.array(inputs, { minLength: 3, maxLength: 9 }), fc.constantFrom(30, 100))
    .map(([list, times]) => Array.from({ length: times }, () => list).flat());
  return fc.oneof(
    { weight: 5, arbitrary: fc.array(inputs, { maxLength: 12 }) },
    { weight: 1, arbitrary: many },
  );
}

/** What the log promises, the plain way. */
function searchModel(events: readonly EventRecord[], query: EventQuery): EventRecord[] {
  const wanted = events
    .filter(
      (event) =>
        event.timeUs >= query.fromUs &&
        event.timeUs <= query.toUs &&
        (query.typeIds?.has(event.typeId) ?? true) &&
        (query.channelIds?.has(event.channelId) ?? true) &&
        (query.categories?.has(event.category) ?? true) &&
        (query.initiatorTypes?.has(event.initiator.type) ?? true) &&
        (query.initiatorIds?.has(event.initiator.id) ?? true),
    )
    .sort((a, b) => a.timeUs - b.timeUs || a.sequence - b.sequence);
  if (query.fromBegin) return wanted.slice(0, query.limit);
  return query.limit === 0 ? [] : wanted.slice(-query.limit);
}

async function play(directory: TemporaryDirectory, list: readonly Step[], seriesMax: number): Promise<void> {
  const open = () => openEventLog(directory.path, { seriesMax });
  let log: LmdbEventLog = await open();
  const model: EventRecord[] = [];
  try {
    for (const step of list) {
      if (step.kind === "raise") for (const input of step.inputs) model.push(log.raise(input));
      else if (step.kind === "search")
        expect(await found(log, step.query)).toEqual(searchModel(model, step.query));
      else if (step.kind === "flush") await log.flush();
      else {
        await log.stop();
        log = await open();
      }
    }
    expect(await found(log)).toEqual(
      searchModel(model, { fromUs: 0, toUs: Infinity, limit: 1e6, fromBegin: true }),
    );
    const sequences = model.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
  } finally {
    await log.stop();
  }
}

for (const { name, seriesMax } of [
  { name: "series of their own", seriesMax: 1000 },
  { name: "more series than numbers", seriesMax: 3 },
]) {
  test(
    `random events, searches and restarts agree with a plain list (${name})`,
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (list) => {
          const directory = new TemporaryDirectory("nvrd-events-model");
          try {
            await play(directory, list, seriesMax);
          } finally {
            directory.remove();
          }
        }),
        { numRuns: RUNS },
      );
    },
    120_000 + RUNS * 10_000,
  );
}
