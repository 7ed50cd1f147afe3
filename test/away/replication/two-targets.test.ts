import { afterAll, beforeAll, expect, it } from "vitest";
import type { SegmentSummary } from "../../../src/archive/index.js";
import { ReturningBox } from "../../support/away/returning-box.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { PATIENCE_MS } from "../../support/base/patience.js";

const FRAMES = 100;

let cellar: ScriptedStore;
let attic: ScriptedStore;
let box: ReturningBox;
let before: Awaited<ReturnType<ReturningBox["read"]>>;
let segments: readonly SegmentSummary[];

beforeAll(async () => {
  cellar = await new ScriptedStore().start();
  attic = await new ScriptedStore().start();
  const at = ({ port }: ScriptedStore) => ({ endpoint: `http://127.0.0.1:${port}` });
  box = await new ReturningBox(at(cellar), at(attic)).start();
  await box.record(FRAMES, { bytes: 4000 });
  before = await box.read(box.startUs, FRAMES);
  ({ segments } = box);
  await box.send();
  box.comeBack();
  await box.known(segments.length);
  await box.lose(segments);
}, PATIENCE_MS);

afterAll(async () => {
  await box?.stop();
  cellar?.stop();
  attic?.stop();
});

const segmentsAsked = (store: ScriptedStore) => store.asked.filter(({ key }) => key.endsWith(".seg"));

it("gives from the second bucket what the first cannot give, from the first block on", async () => {
  cellar.fault = ({ key }) => (key.endsWith(".seg") ? { status: 503, code: "SlowDown" } : undefined);
  expect(await box.read(box.startUs, FRAMES)).toEqual(before);
  expect(segmentsAsked(attic).length).toBeGreaterThan(0);
});

it("gives from the second bucket what the first has lost", async () => {
  cellar.fault = () => undefined;
  await box.forgetBlocks();
  await box.known(segments.length);
  cellar.fault = ({ key }) => (key.endsWith(".seg") ? { status: 404, code: "NoSuchKey" } : undefined);
  expect(await box.read(box.startUs, FRAMES)).toEqual(before);
});

it("says that it cannot be fetched now when neither can give it", async () => {
  await box.forgetAll();
  await box.known(segments.length);
  for (const store of [cellar, attic])
    store.fault = ({ key }) => (key.endsWith(".seg") ? { status: 503, code: "SlowDown" } : undefined);
  await expect(box.read(box.startUs, FRAMES)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
});
