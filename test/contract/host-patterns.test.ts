import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDeviceHost } from "../../src/camera/index.js";
import { HOST_NAME, IPV4 } from "../../src/contract/index.js";

describe("a pattern of hosts", () => {
  it.each([
    ["addresses", IPV4],
    ["names", HOST_NAME],
  ])("of %s takes nothing that is no host", (_what, pattern) => {
    const host = fc.stringMatching(new RegExp(`^${pattern}$`)).filter((text) => text.length <= 250);
    fc.assert(
      fc.property(host, (text) => {
        expect(URL.canParse(`http://${text}/`)).toBe(true);
        expect(parseDeviceHost(text)).toEqual({ host: text, port: undefined });
      }),
    );
  });

  it("takes no number with a leading zero, which is octal to some", () => {
    expect(new RegExp(`^${IPV4}$`).test("10.0.0.08")).toBe(false);
  });
});
