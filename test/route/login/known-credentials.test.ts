import { describe, expect, it } from "vitest";
import { type RawRequest, RequestContent } from "../../../src/http/request.js";
import {
  HEADER_LENGTH_MAX,
  KNOWN_CREDENTIALS,
  KNOWN_CREDENTIALS_MS,
  KnownCredentials,
} from "../../../src/route/login/known-credentials.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;

function request(
  headers: Readonly<Record<string, string>>,
  { query = "", address = "192.0.2.1" }: Partial<RawRequest> = {},
): RequestContent {
  const body = new Uint8Array(0);
  return new RequestContent({
    method: "get",
    url: "/a",
    query,
    headers: Object.entries(headers),
    address,
    body,
  });
}

const alice = { authorization: basic("alice:secret") };

describe("credentials of a header", () => {
  it("are one object for the same header, whatever is asked for", () => {
    const known = new KnownCredentials(new SimulatedClock());
    const first = known.find(request(alice, { query: "a=1" }));
    expect(first).toMatchObject({ login: "alice", password: "secret", address: "192.0.2.1" });
    expect(known.find(request(alice, { query: "a=2" }))).toBe(first);
  });

  it.each([
    ["another password", { authorization: basic("alice:other") }, {}, { password: "other" }],
    ["another address", alice, { address: "192.0.2.2" }, { address: "192.0.2.2" }],
    ["another type of user", { ...alice, usertype: "ActiveDirectory" }, {}, { userType: "ActiveDirectory" }],
    [
      "a type of user in the query",
      alice,
      { query: "usertype=ActiveDirectory" },
      { userType: "ActiveDirectory" },
    ],
    ["a login in the query", alice, { query: "login=bob&password=x" }, { login: "bob" }],
  ] as const)("are read anew with %s", (_what, headers, more, expected) => {
    const known = new KnownCredentials(new SimulatedClock());
    known.find(request(alice));
    expect(known.find(request(headers, more))).toMatchObject(expected);
  });

  it("are forgotten when they are not sent for a minute", () => {
    const clock = new SimulatedClock();
    const known = new KnownCredentials(clock);
    const first = known.find(request(alice));
    clock.advance(KNOWN_CREDENTIALS_MS * 1000);
    known.find(request({ authorization: basic("bob:secret") }));
    clock.advance(KNOWN_CREDENTIALS_MS * 1000);
    known.find(request({ authorization: basic("bob:secret") }));
    const again = known.find(request(alice));
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });

  it("of more than are kept are forgotten oldest first", () => {
    const known = new KnownCredentials(new SimulatedClock());
    const first = known.find(request(alice));
    for (let count = 0; count < 2 * KNOWN_CREDENTIALS; count++)
      known.find(request({ authorization: basic(`user${count}:secret`) }));
    expect(known.find(request(alice))).not.toBe(first);
  });

  it("in a longer header than is remembered are read anew", () => {
    const known = new KnownCredentials(new SimulatedClock());
    const long = { authorization: basic(`alice:${"s".repeat(HEADER_LENGTH_MAX)}`) };
    const first = known.find(request(long));
    expect(first).toMatchObject({ login: "alice" });
    expect(known.find(request(long))).not.toBe(first);
  });
});
