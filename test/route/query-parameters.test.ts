import { describe, expect, it } from "vitest";
import { choice, decimal, flag, id, meaning, needed, whole } from "../../src/contract/kinds/kinds.js";
import {
  ids,
  lineOf,
  moment,
  momentOrUnix,
  numberOf,
  onOff,
  or,
  words,
} from "../../src/contract/query/parameters.js";
import { Query } from "../../src/http/index.js";
import {
  describeQuery,
  readParameter,
  readQuery,
  requireParameter,
  sentText,
} from "../../src/route/index.js";

const GUID = "10000000-0000-4000-8000-00000000000a";
const QUERY = {
  id: needed(id),
  several: ids(2),
  way: or(choice("Fast", "Slow"), "Slow"),
  count: meaning("How many.", or(whole(1, 60), 10)),
  share: decimal(0, 1),
  rate: or(numberOf(8000, 16_000), 8000),
  sound: onOff,
  exact: flag,
  since: moment,
  from: momentOrUnix,
  text: words(3),
  name: lineOf(4),
} as const;

const asked = (text: string) => readQuery(new Query(text), QUERY);
const refusal = (text: string): string => {
  try {
    asked(text);
    return "";
  } catch (error) {
    return String(error);
  }
};

describe("a query", () => {
  it("is read with what its contract has for what is left out", () => {
    expect(asked(`id={${GUID}}&share=`)).toEqual({
      id: GUID,
      several: undefined,
      way: "Slow",
      count: 10,
      share: undefined,
      rate: 8000,
      sound: false,
      exact: false,
      since: undefined,
      from: undefined,
      text: undefined,
      name: undefined,
    });
  });

  it("is read in every spelling", () => {
    const text = `ID=${GUID.toUpperCase()}&several=${GUID},${GUID}&way=fast&count=+60+&share=0,5&rate=16000&sound=1&exact=on`;
    const times = "&since=21.11.2026+09:00:00&from=1795251600000.5&text=+a+&name=+gate+";
    expect(asked(text + times)).toEqual({
      id: GUID,
      several: [GUID, GUID],
      way: "Fast",
      count: 60,
      share: 0.5,
      rate: 16_000,
      sound: true,
      exact: true,
      since: 1_795_251_600_000_000,
      from: 1_795_251_600_000_500,
      text: " a ",
      name: "gate",
    });
  });

  it.each([
    ["", 'parameter "id" is missing'],
    ["id=gate", 'parameter "id": "gate" is not a GUID'],
    [`id=${GUID},${GUID}`, 'parameter "id" takes one GUID, not several'],
    [`id=${GUID}&several=${GUID},${GUID},${GUID}`, 'parameter "several" names more than 2'],
    [`id=${GUID}&way=none`, 'parameter "way" is "none": use Fast, Slow'],
    [`id=${GUID}&count=61`, 'parameter "count" is "61": use a whole number from 1 to 60'],
    [`id=${GUID}&count=1.5`, "use a whole number from 1 to 60"],
    [`id=${GUID}&count=5.0`, "use a whole number from 1 to 60"],
    [`id=${GUID}&share=2`, 'parameter "share" is "2": use a number from 0 to 1'],
    [`id=${GUID}&rate=7`, 'parameter "rate" is "7": use 8000, 16000'],
    [`id=${GUID}&sound=perhaps`, 'parameter "sound" is "perhaps": use on, off'],
    [`id=${GUID}&since=1795251600000`, 'parameter "since" is "1795251600000"'],
    [`id=${GUID}&text=abcd`, 'parameter "text" takes at most 3 characters'],
    [`id=${GUID}&name=a%01b`, 'parameter "name" takes at most 4 characters, without control characters'],
  ])("is refused: %s", (text, said) => {
    expect(refusal(text)).toContain(said);
  });

  it("is not looked at where one parameter is read", () => {
    const query = new Query("count=7&share=nonsense&name=+");
    expect(readParameter(query, QUERY, "count")).toBe(7);
    expect(sentText(query, QUERY, "share")).toBe("nonsense");
    expect(() => requireParameter(query, QUERY, "text")).toThrow('parameter "text" is missing');
    expect(() => requireParameter(query, QUERY, "name")).toThrow('parameter "name" is missing');
  });

  it("is described with something besides blanks where a text is needed, and without where it is not", () => {
    const schemaOf = (parameter: ReturnType<typeof words>) =>
      describeQuery({ parameter })[0]?.schema as Readonly<Record<string, unknown>>;
    expect(schemaOf(needed(lineOf(4)))).toMatchObject({
      maxLength: 4,
      allOf: [{ pattern: "[^\\s\\ufeff]" }],
    });
    expect(schemaOf(needed(words(3)))).toMatchObject({ maxLength: 3, minLength: 1 });
    for (const optional of [lineOf(4), words(3)]) {
      expect(schemaOf(optional)).not.toHaveProperty("allOf");
      expect(schemaOf(optional)).not.toHaveProperty("minLength");
    }
  });

  it("is described by its contract", () => {
    const described = describeQuery(QUERY);
    expect(described.map(({ name }) => name)).toEqual(Object.keys(QUERY));
    expect(described.filter(({ required }) => required).map(({ name }) => name)).toEqual(["id"]);
    expect(described.find(({ name }) => name === "count")).toEqual({
      name: "count",
      in: "query",
      schema: { type: "integer", minimum: 1, maximum: 60, default: 10 },
      text: "How many.",
    });
  });
});
