import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bucketState, setProposedRules } from "../../src/away/index.js";
import { SystemClock } from "../../src/base/index.js";
import type { AwayTarget } from "../../src/site/index.js";
import { awayTarget } from "../support/away/away-samples.js";
import { ScriptedStore } from "../support/away/scripted-store.js";

const OPTIONS = { clock: new SystemClock() };
const NO_RULES = { code: "CONFLICT", message: "the server of Cellar knows no lifecycle rules" };

let store: ScriptedStore;
let target: AwayTarget;

beforeEach(async () => {
  store = await new ScriptedStore().start();
  target = awayTarget({
    ...{ id: "88888888-0000-4000-8000-000000000007", endpoint: `http://127.0.0.1:${store.port}` },
    ...{ keepDays: 30, ageBy: "bucket" },
  });
});

afterEach(() => store.stop());

describe("lifecycle rules of a bucket", () => {
  it("are set, and seen to be set", async () => {
    const { proposed } = await setProposedRules(target, OPTIONS);
    expect(proposed.length).toBeGreaterThan(1);
    expect(proposed.map(({ isSet }) => isSet)).not.toContain(false);
  });

  it("are refused with what else to do where the server knows none", async () => {
    store.rules = undefined;
    expect((await bucketState(target, OPTIONS)).rules).toBeUndefined();
    await expect(setProposedRules(target, OPTIONS)).rejects.toMatchObject({
      ...NO_RULES,
      hint: expect.stringMatching(/AgeBy: Recorder/),
    });
    expect(store.asked.filter(({ method }) => method === "PUT")).toEqual([]);
  });

  it("are refused in the same words by a server that says that there are none, and sets none", async () => {
    store.fault = ({ method, query }) =>
      method === "PUT" && query.has("lifecycle") ? { status: 501, code: "NotImplemented" } : undefined;
    await expect(setProposedRules(target, OPTIONS)).rejects.toMatchObject(NO_RULES);
  });
});
