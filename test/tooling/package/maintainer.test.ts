import { describe, expect, it } from "vitest";
import { maintainerOf } from "../../../scripts/package/maintainer.mjs";

const AUTHOR = "Ann Author <ann@example.org>";

describe("the maintainer of a package", () => {
  it("is the one that Debian's tools know", () => {
    const env = { DEBFULLNAME: "Paul Packager", DEBEMAIL: "paul@example.org" };
    expect(maintainerOf(env, AUTHOR)).toBe("Paul Packager <paul@example.org>");
  });

  it("is the author of the commit where nobody else is named", () => {
    expect(maintainerOf({}, `${AUTHOR}\n`)).toBe(AUTHOR);
  });

  it.each([
    ["without an address", { DEBFULLNAME: "Paul Packager" }, AUTHOR],
    ["without a name", { DEBEMAIL: "paul@example.org" }, AUTHOR],
    ["with another field in it", { DEBFULLNAME: "P\nDepends: x", DEBEMAIL: "p@example.org" }, AUTHOR],
    ["that no commit names", {}, ""],
  ])("is refused %s, with what to set", (_, env, author) => {
    expect(() => maintainerOf(env, author)).toThrow("set DEBFULLNAME and DEBEMAIL");
  });
});
