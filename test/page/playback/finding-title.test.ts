import { beforeAll, expect, it } from "vitest";
import type { Finding } from "../../../src/contract/answer/index.js";
import { titleOf } from "../../../src/page/playback/motion/finding-title.js";
import { fetchWords } from "../../../src/page/words/dictionary.js";

beforeAll(() => fetchWords());

type Named = Pick<Finding, "Kind" | "Label" | "Number" | "Name">;
const NAMELESS: Named = { Kind: "other", Label: "", Number: null, Name: null };

it.each<[string, Partial<Named>]>([
  ["Something was left", { Kind: "objectLeft" }],
  ["Person", { Kind: "person", Label: "person" }],
  ["Car", { Kind: "vehicle", Label: "car" }],
  ["Forklift", { Kind: "vehicle", Label: "forklift" }],
  ["Number plate B-AB 123", { Kind: "plate", Number: "B-AB 123" }],
  ["Face: Ada", { Kind: "face", Name: "Ada" }],
])("a finding is called by what it was: %s", (title, named) => {
  expect(titleOf({ ...NAMELESS, ...named })).toBe(title);
});
