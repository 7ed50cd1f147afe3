import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { analyser, analyserTexts, changed, shown, vision, without } from "../../src/contract/index.js";
import { notesOf, readerOf, storedEntries } from "../../src/contract/reading/index.js";
import { schemaOfBody } from "../../src/route/body/json-schema.js";

/** The contract with another limit, and what is made of it. */
function withSeconds(max: number) {
  const server = { ...vision, RepeatSeconds: { ...vision.RepeatSeconds, max } };
  const resource = { ...analyser, Vision: { ...analyser.Vision, members: server } };
  return {
    reader: readerOf(resource, {}),
    kept: v.object(storedEntries(without(server, "Authority", "ChannelIds"))),
    server,
  };
}

const asked = (seconds: number) => ({ Vision: { RepeatSeconds: seconds } });

describe("a limit of the contract", () => {
  it("is what a body is read by, what is kept, and what is described", () => {
    const narrow = withSeconds(20);
    expect(v.safeParse(narrow.reader, asked(20)).success).toBe(true);
    const refused = v.safeParse(narrow.reader, asked(21));
    expect(refused.issues?.map(({ message }) => message)).toContain("accepted: a whole number 0 to 20");
    const kept = {
      ...changed(without(vision, "Authority", "ChannelIds"), { Url: "http://a" }, {}),
      apiKey: "",
    };
    expect(v.is(narrow.kept, { ...kept, repeatSeconds: 20 })).toBe(true);
    expect(v.is(narrow.kept, { ...kept, repeatSeconds: 21 })).toBe(false);
    const described = schemaOfBody(narrow.reader).properties?.Vision?.properties?.RepeatSeconds;
    expect(described).toMatchObject({ minimum: 0, maximum: 20 });
  });
});

describe("a body by the contract", () => {
  const reader = readerOf(analyser, {});

  it("has names in any case, and null for what is not given", () => {
    expect(v.parse(reader, { NAME: " Shed ", quietseconds: null, other: 1 })).toEqual({
      Name: "Shed",
      QuietSeconds: null,
    });
  });

  it("is refused with the path and what is accepted, and never with the value", () => {
    const { issues = [] } = v.safeParse(reader, { Vision: { Url: "http://user:word@a/" }, Kind: "vision" });
    const said = issues.map((issue) => [issue.path?.map(({ key }) => key).join("."), issue.message]);
    expect(said).toEqual([
      ["Kind", "accepted: Vision, Frigate"],
      ["Vision.Url", "accepted: a URL without user and password"],
    ]);
  });

  it("must give all that an item of a list has no default for", () => {
    const { issues = [] } = v.safeParse(reader, { Frigate: { Cameras: [{ Width: 100 }] } });
    expect(issues.map((issue) => issue.path?.map(({ key }) => key).join("."))).toEqual([
      "Frigate.Cameras.0.Name",
      "Frigate.Cameras.0.ChannelId",
    ]);
  });
});

describe("what is kept by the contract", () => {
  const members = without(vision, "Authority", "ChannelIds");

  it("is what is given, else what there was, else the default", () => {
    const kept = changed(members, { Url: "http://b", Plates: null }, { url: "http://a", plates: true });
    expect(kept).toMatchObject({ url: "http://b", plates: true, perMinuteMax: vision.PerMinuteMax.default });
  });

  it("is answered by the names of the wire, a secret as null", () => {
    const kept = { ...changed(members, { Url: "http://b" }, {}), apiKey: "key" };
    expect(shown(members, kept)).toMatchObject({ Url: "http://b", ApiKey: null, Objects: true });
    expect(JSON.stringify(shown(members, kept))).not.toContain("key");
  });

  it("has no commands", () => {
    expect(Object.keys(storedEntries(analyser))).not.toContain("clearSecrets");
    expect(Object.keys(changed(analyser, { ClearSecrets: true }, {}))).not.toContain("clearSecrets");
  });
});

it("each text of the contract is that of a member, and each default is reported", () => {
  const notes = notesOf(analyser, analyserTexts);
  expect(Object.keys(analyserTexts).filter((path) => notes[path]?.description === undefined)).toEqual([]);
  expect(notes.MinConfidence).toEqual({ description: analyserTexts.MinConfidence, default: 50 });
  expect(notes.ClearSecrets?.writeOnly).toBe(true);
});
