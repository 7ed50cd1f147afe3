import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLog, redactUrl } from "../../src/base/index.js";

describe("redactUrl", () => {
  it.each([
    ["rtsp://admin:pa55@192.0.2.1:554/a?x=1", "rtsp://192.0.2.1:554/a?x=1"],
    ["rtsp://admin:p@ss@192.0.2.1/a", "rtsp://192.0.2.1/a"],
    ["rtsps://admin@camera.example", "rtsps://camera.example"],
    ["http://h/video?login=root&password=abc&channel=1", "http://h/video?login=***&password=***&channel=1"],
    ["http://h/cgi?user=a;pwd=b;c=d#f", "http://h/cgi?user=***;pwd=***;c=d#f"],
    ["http://h/a@b?x=y@z", "http://h/a@b?x=y@z"],
    ["/video?PASSWORD=abc", "/video?PASSWORD=***"],
    ["rtsp://192.0.2.1/", "rtsp://192.0.2.1/"],
  ])("shows %s as %s", (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });

  it("never shows a password that stands where passwords stand", () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9:@!$*()=.-]{8,24}$/).map((text) => `S3CRET${text}`);
    const scheme = fc.constantFrom("rtsp", "rtsps", "http", "https", "RTSP");
    const property = fc.property(scheme, secret, (name, password) => {
      expect(redactUrl(`${name}://user:${password}@host:554/path?a=b`)).not.toContain("S3CRET");
      expect(redactUrl(`${name}://host/path?user=x&password=${password}&a=b`)).not.toContain("S3CRET");
    });
    fc.assert(property);
  });
});

describe("the log", () => {
  it("leaves secrets out by their names, at the top and one level down", () => {
    const lines: string[] = [];
    const log = createLog({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
    log.info({ password: "one", camera: { password: "two", name: "Gate" }, authorization: "three" }, "read");
    const line = lines.join("");
    for (const secret of ["one", "two", "three"]) expect(line).not.toContain(`"${secret}"`);
    expect(JSON.parse(line)).toMatchObject({ msg: "read", camera: { name: "Gate", password: "[secret]" } });
  });
});
