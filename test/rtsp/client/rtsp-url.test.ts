import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { controlBase, parseRtspUrl, resolveControl } from "../../../src/rtsp/message/rtsp-url.js";

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
  ])("through HTTP are told by their scheme: %s", (text, url) => {
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
    controlBase({ requestUrl, contentBase, contentLocation });

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
