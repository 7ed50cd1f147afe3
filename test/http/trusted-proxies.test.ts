import { describe, expect, it } from "vitest";
import { TrustedProxies } from "../../src/http/trusted-proxies.js";

const PROXY = "10.0.0.2";
const proxies = new TrustedProxies([PROXY, "10.1.0.0/16", "2001:db8:ffff::/48"]);

const client = (peer: string, ...values: string[]): string =>
  proxies.clientAddress(
    peer,
    values.map((value) => ["x-forwarded-for", value] as const),
  );

describe("the client's address behind a proxy", () => {
  it.each([
    ["of a peer that is no trusted proxy, whatever it says", ["192.0.2.1", "198.51.100.7"], "192.0.2.1"],
    ["that the proxy names", [PROXY, "198.51.100.7"], "198.51.100.7"],
    [
      "from the right, so that the client's own entries do not count",
      [PROXY, "10.0.0.9, 127.0.0.1, 198.51.100.7"],
      "198.51.100.7",
    ],
    ["behind several trusted proxies", [PROXY, "203.0.113.5, 198.51.100.7, 10.1.2.3"], "198.51.100.7"],
    ["of repeated headers, which are one list", [PROXY, "203.0.113.5", "198.51.100.7"], "198.51.100.7"],
    ["with a port", [PROXY, "198.51.100.7:4711"], "198.51.100.7"],
    ["of IPv6, in brackets or plain, in one spelling", [PROXY, "[2001:DB8:0::7]:443"], "2001:db8::7"],
    ["of IPv6, plain", [PROXY, "2001:db8:0:0::7"], "2001:db8::7"],
    ["of IPv4 mapped into IPv6", [PROXY, "::ffff:198.51.100.7"], "198.51.100.7"],
    ["of a proxy that is reached over mapped IPv6", [`::ffff:${PROXY}`, "198.51.100.7"], "198.51.100.7"],
    ["of a trusted machine itself", [PROXY, "10.1.2.3"], "10.1.2.3"],
    ["without the header", [PROXY], PROXY],
    ["with an empty header", [PROXY, ""], PROXY],
    ["with text that is no address", [PROXY, "unknown"], PROXY],
    ["with text left of what a trusted proxy wrote", [PROXY, "<script>, 10.1.2.3"], "10.1.2.3"],
    ["with a hostile length", [PROXY, `${"9".repeat(10_000)}.1.1.1`], PROXY],
    ["with an octal-looking or short address", [PROXY, "0300.1"], PROXY],
    [
      "with a thousand trusted entries",
      [PROXY, `198.51.100.7, ${"10.1.2.3, ".repeat(1000)}10.1.2.4`],
      "10.1.2.3",
    ],
  ])("is that %s", (_what, [peer = "", ...values], expected) => {
    expect(client(peer, ...values)).toBe(expected);
  });

  it("is the peer's where no proxy is trusted", () => {
    expect(new TrustedProxies([]).clientAddress(PROXY, [["x-forwarded-for", "198.51.100.7"]])).toBe(PROXY);
  });

  it.each(["10.0.0.0/33", "10.0", "proxy.example", "10.0.0.0/", "2001:db8::/129", ""])(
    "cannot be asked of %j, which is no address or range",
    (text) => {
      expect(() => new TrustedProxies([text])).toThrow(RangeError);
    },
  );
});
