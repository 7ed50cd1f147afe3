import { describe, expect, it } from "vitest";
import type { Finding } from "../../../src/contract/answer/index.js";
import { staysOf } from "../../../src/page/review/stays.js";

const START = Date.parse("2026-05-04T10:00:00Z");
const NOW = START + 3_600_000;
const BOX = { Left: 0.1, Top: 0.1, Width: 0.1, Height: 0.3 };

/** From one second to another; without an end it lasts. */
function seen(
  Kind: Finding["Kind"],
  Source: Finding["Source"],
  [from, to]: readonly [number, number?],
  { ChannelId = "gate", hasBox = true } = {},
): Finding {
  const time = (second: number) => new Date(START + second * 1000).toISOString();
  return {
    ...{ Id: `${ChannelId} ${Kind} ${Source} ${from}`, ChannelId, ChannelName: ChannelId, Kind, Source },
    ...{ Label: "", SourceName: "", Begin: time(from), End: to === undefined ? null : time(to) },
    ...{ Score: null, Strength: null, Size: null, Zones: [], Line: null, Direction: null },
    ...{ Number: null, Name: null, Best: { Time: time(from), Box: hasBox ? BOX : null }, Seen: false },
  };
}

/** Of each card the findings, what it shows first. */
const cards = (...findings: readonly Finding[]): readonly string[] =>
  staysOf(findings, NOW).map(({ shown, others }) =>
    [shown, ...others]
      .map(({ Kind, Source, Begin }) => `${Kind} ${Source} ${Begin.slice(17, 19)}`)
      .join(", "),
  );

describe("one card", () => {
  it("has a person whom the camera and the recorder see", () => {
    const camera = seen("person", "camera", [4, 20], { hasBox: false });
    expect(cards(seen("person", "recorder", [5, 18]), camera)).toEqual([
      "person recorder 05, person camera 04",
    ]);
  });

  it("has a person with the motion before and after", () => {
    expect(cards(seen("person", "recorder", [5, 18]), seen("motion", "motion", [3, 20]))).toEqual([
      "person recorder 05, motion motion 03",
    ]);
  });

  it("has motion in which one comes after the other, at the one who was there for longest", () => {
    const persons = [seen("person", "recorder", [40, 58]), seen("person", "recorder", [2, 30])];
    expect(cards(...persons, seen("motion", "motion", [0, 59]))).toEqual([
      "person recorder 40",
      "person recorder 02, motion motion 00",
    ]);
  });

  it("has a message of a moment that a camera sent while somebody was there", () => {
    expect(cards(seen("person", "recorder", [5, 18]), seen("person", "camera", [9, 9]))).toHaveLength(1);
  });

  it("has motion that two see", () => {
    expect(cards(seen("motion", "motion", [4, 9]), seen("motion", "camera", [4, 9]))).toHaveLength(1);
  });

  it("has what lasts", () => {
    expect(cards(seen("person", "recorder", [5]), seen("motion", "camera", [4]))).toHaveLength(1);
  });
});

describe("cards of their own", () => {
  it.each<[string, readonly Finding[]]>([
    [
      "two persons whom the recorder sees",
      [seen("person", "recorder", [5, 18]), seen("person", "recorder", [6, 18])],
    ],
    ["a person and a car", [seen("person", "recorder", [5, 18]), seen("vehicle", "camera", [5, 18])]],
    [
      "a person at each of two cameras",
      [seen("person", "recorder", [5, 18]), seen("person", "camera", [5, 18], { ChannelId: "yard" })],
    ],
    ["somebody who comes later", [seen("person", "recorder", [30, 40]), seen("person", "camera", [5, 18])]],
    [
      "motion that goes on for long",
      [seen("motion", "motion", [4, 59]), seen("person", "recorder", [5, 12])],
    ],
    [
      "a line that somebody crosses",
      [seen("person", "recorder", [5, 18]), seen("lineCrossed", "camera", [9, 9])],
    ],
  ])("have %s", (_who, findings) => {
    expect(cards(...findings)).toHaveLength(findings.length);
  });
});
