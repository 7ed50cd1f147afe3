import { describe, expect, it } from "vitest";
import { chosenPlaces, placeText, readPlaces } from "../../src/fleet/link/hub-places.js";

const BOX = "00000001-0000-4000-8000-0000000000b1";
const HUBS = readPlaces("a.example:7443,b.example:7443,[2001:db8::1]:7443,c.example:7443");

function chosen(known: string, hubs = HUBS, box = BOX): string[] {
  const [place] = readPlaces(known);
  if (place === undefined) throw new Error(`${known} is no place`);
  return chosenPlaces(place, hubs, box).map(placeText);
}

describe("where hubs are", () => {
  it("is read as host and port, each once", () => {
    expect(readPlaces(" a.example:1 ,a.example:1,[2001:db8::1]:2")).toEqual([
      { host: "a.example", port: 1 },
      { host: "2001:db8::1", port: 2 },
    ]);
  });

  it.each([
    ["a port that is none", "a.example:0,b.example:70000"],
    ["a path", "a.example:1/x"],
    ["no port", "a.example"],
    ["another scheme", "https://a.example:1"],
    ["more than a header has", `${"a".repeat(250)}.example:1,`.repeat(17)],
  ])("is not taken with %s", (_name, header) => {
    expect(readPlaces(header)).toEqual([]);
  });

  it("is taken of sixteen hubs at most", () => {
    expect(readPlaces(Array.from({ length: 30 }, (_, at) => `h${at}.example:1`).join(","))).toHaveLength(16);
  });
});

describe("the hubs that a box connects to", () => {
  it("are the one that it knows, and another one", () => {
    expect(chosen("b.example:7443")).toHaveLength(2);
    expect(chosen("b.example:7443")[0]).toBe("b.example:7443");
  });

  it("are two others where the one that it knows is none any more", () => {
    const places = chosen("old.example:7443");

    expect(new Set(places).size).toBe(2);
    expect(places).not.toContain("old.example:7443");
  });

  it("are the one that it knows where there is no other, and where none is named", () => {
    expect(chosen("a.example:7443", readPlaces("a.example:7443"))).toEqual(["a.example:7443"]);
    expect(chosen("a.example:7443", [])).toEqual(["a.example:7443"]);
  });

  it("are the same each time, and others for other boxes", () => {
    const ids = Array.from({ length: 40 }, (_, at) => `00000001-0000-4000-8000-0000000000${at + 10}`);

    expect(chosen("a.example:7443")).toEqual(chosen("a.example:7443"));
    expect(new Set(ids.map((id) => chosen("a.example:7443", HUBS, id)[1])).size).toBe(3);
  });
});
