import { beforeEach, describe, expect, it } from "vitest";
import { type Channel, channels, folders } from "../../../src/page/state/channels.js";
import { groups, isSought, placeOf } from "../../../src/page/state/groups.js";

const channel = (Id: string, Name: string) => ({ Id, Name }) as Channel;
const folder = (Id: string, Name: string | null, ChildChannels: string[], ...ChildSecObjects: object[]) =>
  ({ Id, Name, ChildChannels, ChildSecObjects }) as NonNullable<typeof folders.value>;

describe("groups of cameras", () => {
  beforeEach(() => {
    channels.value = [channel("a", "Gate"), channel("b", "Barn"), channel("c", "Loft")];
    const farm = folder("1", "Farm", ["b"], folder("2", "Attic", ["c"]));
    folders.value = folder("root", null, ["a"], farm, folder("3", "Empty", []));
  });

  it("are the folders that hold a camera, with those within after them, and all their cameras", () => {
    expect(groups.value.map(({ path, depth, channels: held }) => [path, depth, held])).toEqual([
      ["Farm", 0, ["b", "c"]],
      ["Farm / Attic", 1, ["c"]],
    ]);
  });

  it("are where a camera is: in the innermost one", () => {
    expect(["a", "b", "c"].map(placeOf)).toEqual(["", "Farm", "Farm / Attic"]);
  });

  it("help to find a camera, by any words of its name and its place", () => {
    const found = (text: string) => channels.value?.filter((one) => isSought(one, text)).map(({ Id }) => Id);
    expect(["", "gate", "FARM", "attic lo", "farm barn x"].map(found)).toEqual([
      ["a", "b", "c"],
      ["a"],
      ["b", "c"],
      ["c"],
      [],
    ]);
  });
});
