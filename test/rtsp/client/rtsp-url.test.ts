import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import {
  absoluteUrl,
  ControlReadings,
  parseRtspUrl,
  resolveControl,
} from "../../../src/rtsp/message/rtsp-url.js";

describe("RTSP addresses", () => {
  it("are parsed", () => {
    expect(parseRtspUrl("rtsp://cam.local/live?a=1&b=2")).toMatchObject({
      secure: false,
      host: "cam.local",
      port: 554,
      requestUrl: "rtsp://cam.local/live?a=1&b=2",
      credentials: undefined,
    });
  });

  it("give credentials that are never in the request URL", () => {
    const url = parseRtspUrl("rtsp://ad%40min:p@ss:w%C3%B6rd%@10.0.0.1:8554/x");
    expect(url.credentials).toEqual({ user: "ad@min", password: "p@ss:w%C3%B6rd%" });
    expect(parseRtspUrl("rtsp://a:w%C3%B6rd@h/").credentials?.password).toBe("wörd");
    expect(url.requestUrl).toBe("rtsp://10.0.0.1:8554/x");
  });

  it("take IPv6 addresses and RTSPS", () => {
    expect(parseRtspUrl("rtsps://[fe80::1]/a")).toMatchObject({ secure: true, host: "fe80::1", port: 322 });
  });

  it.each([
    ["rtsp+http://cam/a?b=1", { tunnel: true, secure: false, port: 80, origin: "rtsp://cam" }],
    ["RTSP+HTTPS://cam:8443/a", { tunnel: true, secure: true, port: 8443, origin: "rtsp://cam:8443" }],
    ["rtsp+https://cam", { tunnel: true, secure: true, port: 443, requestUrl: "rtsp://cam" }],
    ["rtsp://cam/a", { tunnel: false, secure: false, port: 554 }],
  ])("through HTTP are reported by their scheme: %s", (text, url) => {
    expect(parseRtspUrl(text)).toMatchObject(url);
  });

  it("keep a camera's path byte for byte and escape only what a request line cannot hold", () => {
    expect(parseRtspUrl("rtsp://h//a;b=[1]/ü x").requestUrl).toBe("rtsp://h//a;b=[1]/%C3%BC%20x");
  });

  it("are refused with line breaks, without host, or with a bad port, naming no secret", () => {
    for (const text of [
      "rtsp://h/\r\nX: y",
      "rtsp:///x",
      "rtsp://h:0/",
      "rtsp://h:70000/",
      "http://h/",
      "",
    ]) {
      expect(() => parseRtspUrl(text)).toThrow(NvrdError);
    }
    expect(() => parseRtspUrl("rtsp://u:geheim@h:x/")).toThrow(/^(?!.*geheim)/);
  });

  it("fail only with NvrdError", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (tail) => {
        try {
          expect(parseRtspUrl(`rtsp://h${tail}`).requestUrl).toMatch(/^[\x21-\x7e]+$/);
        } catch (error) {
          expect(error).toBeInstanceOf(NvrdError);
        }
      }),
    );
  });
});

describe("control URLs", () => {
  const requestUrl = "rtsp://10.0.0.5:554/cam/live?channel=1";
  const base = (contentBase?: string, contentLocation?: string) =>
    new ControlReadings({ requestUrl, contentBase, contentLocation }).of(undefined)[0];

  it("are resolved against Content-Base, else Content-Location, else the request URL", () => {
    expect(base("rtsp://a/b/", "rtsp://c/d/")).toBe("rtsp://a/b/");
    expect(base(undefined, "rtsp://c/d/")).toBe("rtsp://c/d/");
    expect(base()).toBe(requestUrl);
  });

  it("are resolved against a scheme-less Content-Base", () => {
    expect(base("10.0.0.5:554/cam/live/")).toBe("rtsp://10.0.0.5:554/cam/live/");
    expect(base("192.168.1.9/cam/live/")).toBe("rtsp://192.168.1.9/cam/live/");
    expect(base("//10.0.0.5/x/")).toBe("rtsp://10.0.0.5/x/");
  });

  it("are resolved against a relative Content-Base", () => {
    expect(base("/cam/live/")).toBe("rtsp://10.0.0.5:554/cam/live/");
    expect(base("live/")).toBe("rtsp://10.0.0.5:554/cam/live/");
  });

  it("ignore an unusable Content-Base", () => {
    expect(base("*")).toBe(requestUrl);
    expect(base("rtsp://a b/")).toBe(requestUrl);
  });

  it("are joined with or without the base's slash, also after a query", () => {
    expect(resolveControl("rtsp://h/live", "trackID=1")).toBe("rtsp://h/live/trackID=1");
    expect(resolveControl("rtsp://h/live/", "trackID=1")).toBe("rtsp://h/live/trackID=1");
    expect(resolveControl("rtsp://h/live?a=1/", "trackID=1")).toBe("rtsp://h/live?a=1/trackID=1");
  });

  it("may be absolute, rooted, * or missing", () => {
    expect(resolveControl("rtsp://h/live", "rtsp://u:p@h/other")).toBe("rtsp://h/other");
    expect(resolveControl("rtsp://h:1/live", "/track")).toBe("rtsp://h:1/track");
    expect(resolveControl("rtsp://h/live", "*")).toBe("rtsp://h/live");
    expect(resolveControl("rtsp://h/live", undefined)).toBe("rtsp://h/live");
  });
});

describe("readings of a control attribute", () => {
  const requestUrl = "rtsp://10.0.0.5:554/cam/live?channel=1";
  const first = (contentBase: string, control?: string) =>
    new ControlReadings({ requestUrl, contentBase, contentLocation: undefined }).of(control)[0];
  const all = (contentBase: string | undefined, control?: string) => [
    ...new Set(new ControlReadings({ requestUrl, contentBase, contentLocation: undefined }).of(control)),
  ];

  it("have the scheme of the base once, however often and with whatever slashes a camera writes it", () => {
    for (const given of [
      "rtsp://rtsp://10.0.0.5:554/cam/live/",
      "rtsp://rtsp:10.0.0.5:554/cam/live/",
      "RTSP://rtsp://rtsp://10.0.0.5:554/cam/live/",
      "rtsp:/10.0.0.5:554/cam/live/",
      "rtsp:///10.0.0.5:554/cam/live/",
      "rtsp:///cam/live/",
      "rtsp:/cam/live/",
    ])
      expect(first(given, "trackID=1")?.toLowerCase(), given).toBe("rtsp://10.0.0.5:554/cam/live/trackid=1");
    expect(first("/x/", "rtsp://rtsp://10.0.0.5:554/cam/live/trackID=1")).toBe(
      "rtsp://10.0.0.5:554/cam/live/trackID=1",
    );
  });

  it("have the place that was asked where theirs can be none", () => {
    const at = (given: string): string => absoluteUrl(given, "rtsp://10.0.0.5:554/cam?channel=1");
    expect(["rtsp://:554/live", "rtsp://no;host/live", "rtsp://a:b/live", "rtsps://?x=1"].map(at)).toEqual([
      ...["rtsp://10.0.0.5:554/live", "rtsp://10.0.0.5:554/live"],
      ...["rtsp://10.0.0.5:554/live", "rtsp://10.0.0.5:554?x=1"],
    ]);
    expect(at("rtsps://cam:322/live")).toBe("rtsps://cam:322/live");
  });

  it("replace a host that means the camera itself by the one that was asked", () => {
    for (const host of ["0.0.0.0", "127.0.0.1:8554", "localhost", "[::1]:554", ":554", ""])
      expect(first(`rtsp://${host}/cam/live/`, "t=1"), host).toBe("rtsp://10.0.0.5:554/cam/live/t=1");
  });

  it("begin with what the camera says, then its path at the place that was asked, then what was asked for", () => {
    expect(all("rtsp://192.168.1.10:1554/cam/live/", "trackID=1")).toEqual([
      "rtsp://192.168.1.10:1554/cam/live/trackID=1",
      "rtsp://10.0.0.5:554/cam/live/trackID=1",
      "rtsp://10.0.0.5:554/cam/live?channel=1/trackID=1",
      "rtsp://10.0.0.5:554/cam/live/trackID=1?channel=1",
      "rtsp://10.0.0.5:554/cam/trackID=1",
    ]);
    expect(all(undefined, "rtsp://192.168.1.10/t1")).toEqual([
      "rtsp://192.168.1.10/t1",
      "rtsp://10.0.0.5:554/t1",
    ]);
  });

  it("are joined as RFC 3986 says last of all; the whole keeps its address", () => {
    expect(all(undefined, "cam/live/t1").at(-1)).toBe("rtsp://10.0.0.5:554/cam/cam/live/t1");
    expect(all(undefined, undefined).at(-1)).toBe("rtsp://10.0.0.5:554/cam/live?channel=1");
    expect(all(undefined, "././t1")).toEqual(all(undefined, "t1"));
  });

  it("are usable addresses without credentials, whatever a camera writes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (base, control) => {
        const urls = new ControlReadings({ requestUrl, contentBase: base, contentLocation: control }).of(
          control,
        );
        for (const url of urls) expect(url).toMatch(/^rtsp[su]?:\/\/[^\s@/?]+(?:[/?]|$)/i);
      }),
    );
  });
});

describe("a login that ends the host's part of an address", () => {
  it("is refused with where to put it, and not told", () => {
    for (const text of [
      "rtsp://admin:pa#ss1@10.0.0.5:554/live",
      "rtsp://admin:12#3456@10.0.0.5/live",
      "rtsp://admin:#3456@cam/live",
      "rtsp://admin:pa?ss1@10.0.0.5/live",
      "rtsp://admin:pa/ss1@10.0.0.5:554/live",
      "rtsp://admin:12/ss1@10.0.0.5:554/live",
      "rtsp://ad#min:ss1@[fe80::1]:554/live",
      "rtsp://admin:p@ss/1@cam.local/live",
    ]) {
      expect(() => parseRtspUrl(text), text).toThrow(/own fields/);
      expect(() => parseRtspUrl(text), text).toThrow(/^(?!.*(?:ss1|3456))/);
    }
  });

  it("is told from an @ in a path", () => {
    for (const text of [
      "rtsp://10.0.0.5:554/user=admin&password=a@b",
      "rtsp://cam.local/live@2/x",
      "rtsp://cam/live?mail=a@b.org",
      "rtsp://u:p@10.0.0.5/x@y.org/z",
    ])
      expect(() => parseRtspUrl(text), text).not.toThrow();
  });
});

it("an address keeps what is behind a # in its path", () => {
  expect(parseRtspUrl("rtsp://h/live#sub/1").requestUrl).toBe("rtsp://h/live#sub/1");
});
