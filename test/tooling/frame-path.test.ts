import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { countedIn, framePathLine } from "../../scripts/test/frame-path.mjs";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const KEPT = { instructions: 100_000, node: "v20.20.2", processor: "x64" };
const line = (instructions: number, node = KEPT.node) => framePathLine(instructions, KEPT, node);

it("tells a change of more than three in a hundred, either way, and no smaller one", () => {
  expect(line(102_900)).toBe("frame path: 103 thousand instructions a picture, as before (+2.9 %)");
  expect(line(97_100)).toContain("as before (-2.9 %)");
  expect(line(103_100)).toContain("CHANGED by +3.1 %");
  expect(line(90_000)).toContain("CHANGED by -10.0 %");
});

it("compares nothing with the figure of another Node, and nothing where none is kept", () => {
  expect(line(200_000, "v22.23.3")).toContain("the figure kept is of Node v20.20.2, this is v22.23.3");
  expect(framePathLine(200_000, undefined, KEPT.node)).toBe(
    "frame path: 200 thousand instructions a picture",
  );
});

it("reads what valgrind counted, and refuses an answer without it", () => {
  expect(countedIn("==7== \n==7== I   refs:      1,192,781,036\n")).toBe(1_192_781_036);
  expect(() => countedIn("valgrind: not enough memory")).toThrow("counted nothing: valgrind: not enough");
});

it("its input takes every picture to the disk", () => {
  const said = execFileSync(process.execPath, ["test/bench/scripts/frame-path.mjs", "2"], {
    cwd: REPOSITORY_ROOT,
    encoding: "utf8",
  });
  const [, pictures = "", bytes = ""] = /^(\d+) pictures, (\d+) bytes$/m.exec(said) ?? [];
  expect(Number(pictures)).toBe(100);
  expect(Number(bytes)).toBeGreaterThan(90 * 18_400);
});
