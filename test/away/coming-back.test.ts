import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ReturningBox } from "../support/away/returning-box.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { PATIENCE_MS } from "../support/base/patience.js";

const FRAMES = 200;
const SECOND_US = 1_000_000;

let store: ScriptedStore;
let box: ReturningBox;

describe("recordings that are only in the bucket", () => {
  beforeAll(async () => {
    store = await new ScriptedStore().start();
    box = await new ReturningBox({ endpoint: `http://127.0.0.1:${store.port}` }).start();
    await box.record(FRAMES);
    await box.send();
  }, PATIENCE_MS);

  afterAll(async () => {
    await box.stop();
    store.stop();
  });

  it("are read as if they were here, byte for byte", async () => {
    const before = await box.read(box.startUs, FRAMES);
    expect(before).toHaveLength(FRAMES);
    const { segments } = box;
    expect(segments.length).toBeGreaterThanOrEqual(4);
    box.comeBack();
    await box.known(segments.length);
    store.asked.length = 0;
    // While they are here nothing is asked for.
    expect(await box.read(box.startUs, FRAMES)).toEqual(before);
    expect(store.asked).toEqual([]);
    await box.lose(segments.slice(0, -1));
    expect(await box.read(box.startUs, FRAMES)).toEqual(before);
    expect(store.asked.some(({ key, headers }) => key.endsWith(".seg") && headers.range !== undefined)).toBe(
      true,
    );
    store.asked.length = 0;
    const middleUs = box.startUs + 2.5 * SECOND_US;
    const after = before.filter(({ decodeTimeUs }) => decodeTimeUs >= box.startUs + 2 * SECOND_US);
    const found = await box.read(middleUs, after.length);
    expect(found.map(({ bytes }) => bytes)).toEqual(after.map(({ bytes }) => bytes));
  });
});
