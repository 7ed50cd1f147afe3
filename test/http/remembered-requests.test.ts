import { describe, expect, it } from "vitest";
import {
  REMEMBERED_MS,
  REMEMBERED_REQUESTS,
  RememberedRequests,
} from "../../src/http/remembered-requests.js";
import type { RawRequest } from "../../src/http/request.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const NONE = new Uint8Array(0);
const raw = (change: Partial<RawRequest> = {}): RawRequest => ({
  method: "get",
  url: "/site",
  query: "channelnum=0",
  headers: [["host", "nvr"]],
  address: "192.0.2.1",
  body: NONE,
  ...change,
});

describe("what was read of a request", () => {
  it("is recalled for the same one", () => {
    const requests = new RememberedRequests(new SimulatedClock());
    const content = requests.read(raw());
    expect(requests.get(raw())).toBe(content);
  });

  it.each([
    ["another address", { address: "192.0.2.2" }],
    ["another path", { url: "/sit" }],
    ["another query", { query: "channelnum=1" }],
    ["another header", { headers: [["host", "nvr2"]] }],
    [
      "one more header",
      {
        headers: [
          ["host", "nvr"],
          ["usertype", "internal"],
        ],
      },
    ],
    ["another method", { method: "head" }],
  ] as [string, Partial<RawRequest>][])("is not recalled for %s", (_what, change) => {
    const requests = new RememberedRequests(new SimulatedClock());
    requests.read(raw());
    expect(requests.get(raw(change))).toBeUndefined();
  });

  it("is not kept where requests of a path hardly repeat", () => {
    const requests = new RememberedRequests(new SimulatedClock(), (url) => url.startsWith("/hls/"));
    requests.read(raw({ url: "/hls/name/p1.0.m4s" }));
    requests.read(raw());
    expect(requests.get(raw({ url: "/hls/name/p1.0.m4s" }))).toBeUndefined();
    expect(requests.get(raw())).toBeDefined();
  });

  it("is not mixed up where a value has the look of two headers", () => {
    const requests = new RememberedRequests(new SimulatedClock());
    requests.read(raw({ headers: [["a", "b\nc:1:d"]] }));
    expect(
      requests.get(
        raw({
          headers: [
            ["a", "b"],
            ["c", "d"],
          ],
        }),
      ),
    ).toBeUndefined();
  });

  it("is forgotten when nobody asks for it, and not while somebody does", () => {
    const clock = new SimulatedClock();
    const requests = new RememberedRequests(clock);
    const often = requests.read(raw());
    requests.read(raw({ query: "channelnum=1" }));
    for (let at = 0; at < 4; at++) {
      clock.advance(REMEMBERED_MS * 1000);
      expect(requests.get(raw())).toBe(often);
    }
    expect(requests.get(raw({ query: "channelnum=1" }))).toBeUndefined();
  });

  it("gives way to newer ones", () => {
    const requests = new RememberedRequests(new SimulatedClock());
    requests.read(raw());
    for (let at = 1; at <= 2 * REMEMBERED_REQUESTS; at++) requests.read(raw({ query: `channelnum=${at}` }));
    expect(requests.get(raw())).toBeUndefined();
    expect(requests.get(raw({ query: `channelnum=${2 * REMEMBERED_REQUESTS}` }))).toBeDefined();
  });
});
