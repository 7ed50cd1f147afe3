import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { changed, keptOnlyOf, shown, shownTag } from "../../src/contract/index.js";
import {
  by,
  clearable,
  flag,
  keptOnly,
  list,
  maybeId,
  needed,
  storedAs,
  variant,
  whole,
} from "../../src/contract/kinds/kinds.js";
import { timeOfStart } from "../../src/contract/kinds/rules.js";
import { notesOf, readerOf, storedEntries } from "../../src/contract/reading/index.js";
import { checkVariant, Faults, schemaOfBody, variantRules } from "../../src/route/index.js";
import { createFirstSite } from "../../src/site/index.js";

const SITE = createFirstSite({ serverName: "recorder", nowUs: 0 });
const GUID = "10000000-0000-4000-8000-00000000000a";

const step = variant({
  ...{ tag: "Type", storedTag: "kind", shared: { At: clearable(maybeId) } },
  of: {
    Wait: { Seconds: needed(whole(1, 9)) },
    Ring: { Bell: needed(maybeId), IsLoud: by(flag, true), Tone: keptOnly(by(whole(1, 3), 2)) },
    Daily: { Time: storedAs("minute", needed(timeOfStart)) },
  },
  storedWords: { Daily: "time" },
});
const resource = { Steps: list(step, 5, "steps") } as const;
const reader = readerOf(resource);
const kept = v.strictObject(storedEntries(resource));

const sent = {
  Steps: [
    { Type: "Wait", At: null, Seconds: 3 },
    { Type: "Ring", At: GUID, Bell: GUID, IsLoud: false, Tone: 1 },
    { Type: "Daily", At: null, Time: "22:30" },
  ],
} as const;
const stored = {
  steps: [
    { kind: "wait", at: null, seconds: 3 },
    { kind: "ring", at: GUID, bell: GUID, isLoud: false, tone: 1 },
    { kind: "time", at: null, minute: 1350 },
  ],
} as const;

describe("an object of which a member says what others it has", () => {
  it("is kept with those alone, and answered as it was sent", () => {
    expect(changed(resource, v.parse(reader, sent))).toEqual(stored);
    expect(v.parse(kept, stored)).toEqual(stored);
    expect(shown(resource, stored)).toEqual(sent);
    const more = { Steps: [{ type: "Ring", Bell: GUID, Seconds: 3 }] };
    expect(changed(resource, v.parse(reader, more))).toEqual({
      steps: [{ kind: "ring", at: null, bell: GUID, isLoud: true, tone: 2 }],
    });
  });

  it("is refused with another word, and in the stored configuration with members of another", () => {
    const refusals = (value: object) => v.safeParse(reader, value).issues?.map(({ message }) => message);
    expect(refusals({ Steps: [{ Type: "wait" }] })).toEqual(["accepted: Wait, Ring, Daily"]);
    expect(refusals({ Steps: [{ Type: "Wait", Bell: "x" }] })).toEqual([
      "accepted: a GUID, or an empty text",
    ]);
    for (const wrong of [
      { kind: "wait", at: null, seconds: 3, minute: 3 },
      { kind: "time", at: null, minute: 1440 },
      { kind: "ring", at: null, bell: null, isLoud: true, tone: 1 },
      { kind: "daily", at: null, minute: 3 },
    ])
      expect(v.is(kept, { steps: [wrong] })).toBe(false);
  });

  it("lacks what its word needs, and names each once", () => {
    const faultsOf = (input: Readonly<Record<string, unknown>>): string => {
      const faults = new Faults();
      checkVariant(step, input, { faults, path: "[0]", site: SITE });
      try {
        faults.throwIfAny();
        return "";
      } catch (error) {
        return String(error);
      }
    };
    expect(faultsOf({ Type: "Wait" })).toContain("[0].Seconds: is required for Wait");
    expect(faultsOf({ Type: "Ring", Bell: null })).toContain("[0].Bell: is required for Ring");
    expect(faultsOf({ Type: "Daily", Time: "" })).toContain("[0].Time: is required for Daily");
    expect(faultsOf({ Type: "Wait", Seconds: 1 })).toBe("");
    const days = { ...step, of: { Days: { Days: needed(list(flag, 7, "days")) } } };
    const check = (Days: readonly boolean[]) => {
      const faults = new Faults();
      checkVariant(days, { Type: "Days", Days }, { faults, path: "", site: SITE });
      return () => faults.throwIfAny();
    };
    expect(check([])).toThrow("is required for Days");
    expect(check([true, true])).toThrow("names one twice");
    expect(check([true, false])).not.toThrow();
  });

  it("is described with all its members, and what each word needs", () => {
    const described = schemaOfBody(reader).properties?.Steps?.items;
    expect(Object.keys(described?.properties ?? {})).toEqual([
      ...["Type", "At", "Seconds", "Bell", "IsLoud", "Tone", "Time"],
    ]);
    expect(described?.required).toEqual(["Type"]);
    expect(variantRules(step).map((rule) => rule.then?.required?.[0])).toEqual(["Seconds", "Bell", "Time"]);
    expect(notesOf(resource, { "Steps.Type": "Which." })).toEqual({
      ...{ "Steps.Type": { description: "Which." }, "Steps.IsLoud": { default: true } },
      "Steps.Tone": { default: 2 },
    });
    expect(keptOnlyOf(resource).map(({ path }) => path)).toEqual(["Steps.Tone"]);
  });

  it("is an error of the program with a word that no contract has", () => {
    expect(shownTag(step, "time")).toBe("Daily");
    expect(() => shownTag(step, "daily")).toThrow("no word of the contract is kept as daily");
  });
});
