import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RequestContent } from "../../../src/http/index.js";
import { requireOwnPage } from "../../../src/route/login/own-page.js";
import { SessionCookie } from "../../../src/route/login/session-cookie.js";

const SERVER_ID = "11111111-0000-4000-8000-000000000001";
const NAME = "nvrd-session-11111111";

function contentOf(headers: Record<string, string>, secure = false, proxied = false): RequestContent {
  const list = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const body = new Uint8Array(0);
  return new RequestContent({
    ...{ method: "post", url: "/x", query: "", headers: list, address: "192.0.2.7", body, secure, proxied },
  });
}

function isOwn(
  headers: Record<string, string>,
  { change = true, secure = false, proxied = false } = {},
): boolean {
  try {
    requireOwnPage(contentOf(headers, secure, proxied), change);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "FORBIDDEN" });
    return false;
  }
}

describe("the own page", () => {
  it.each([
    ["http://nvr", "nvr"],
    ["http://nvr:8080", "nvr:8080"],
    ["HTTP://NVR:8080", "nvr:8080"],
    ["http://192.168.1.5:8080", "192.168.1.5:8080"],
    ["http://[fd00::5]:8080", "[fd00::5]:8080"],
    // Some proxies write the usual port out.
    ["https://nvr", "nvr:443"],
    ["http://nvr", "nvr:80"],
    // A proxy that is not trusted ends HTTPS.
    ["https://nvr", "nvr"],
  ])("is %s at the address %s", (origin, host) => {
    expect(isOwn({ Origin: origin, Host: host })).toBe(true);
  });

  it.each([
    ["http://nvr:8081", "nvr:8080"],
    ["http://nvr", "nvr:8080"],
    ["http://nvr", "nvr:443"],
    ["http://nvr.evil.example", "nvr"],
    ["http://evil.example/nvr", "nvr"],
    ["http://evil.example#nvr", "nvr"],
    ["http://user@nvr", "nvr"],
    ["file://nvr", "nvr"],
    ["null", "nvr"],
    ["", ""],
    ["http://", ""],
    ["nvr", "nvr"],
  ])("is not %j at the address %j", (origin, host) => {
    expect(isOwn({ Origin: origin, Host: host })).toBe(false);
    expect(isOwn({ Origin: origin, Host: host }, { change: false })).toBe(false);
  });

  it.each([
    [{ Host: "nvr" }, true],
    [{ Host: "nvr", "Sec-Fetch-Site": "same-origin" }, true],
    [{ Host: "nvr", "Sec-Fetch-Site": "same-site" }, false],
    [{ Host: "nvr:8080" }, false],
    [{ Host: "127.0.0.1:8080", "X-Forwarded-Host": "nvr:8443" }, true],
    [{ Host: "127.0.0.1:8080", "X-Forwarded-Host": "evil, nvr:8443" }, true],
    [{ Host: "127.0.0.1:8080", "X-Forwarded-Host": "nvr:8443, evil" }, false],
    [{ Host: "127.0.0.1:8080" }, false],
  ])("is https://nvr:8443 behind a trusted proxy that sends %j: %s", (headers, expected) => {
    expect(isOwn({ Origin: "https://nvr:8443", ...headers }, { proxied: true })).toBe(expected);
    const isNamed = headers.Host === "nvr:8443";
    expect(isOwn({ Origin: "https://nvr:8443", ...headers }, { proxied: false })).toBe(isNamed);
  });

  it("has HTTPS where the request has", () => {
    expect(isOwn({ Origin: "http://nvr", Host: "nvr" }, { secure: true })).toBe(false);
    expect(isOwn({ Origin: "https://nvr", Host: "nvr" }, { secure: true })).toBe(true);
  });

  it("is believed by Sec-Fetch-Site where there is no Origin, and by neither alone if they disagree", () => {
    expect(isOwn({ Host: "nvr", "Sec-Fetch-Site": "same-origin" })).toBe(true);
    for (const site of ["same-site", "cross-site", "none", "", "same-origin, cross-site"])
      expect(isOwn({ Host: "nvr", "Sec-Fetch-Site": site })).toBe(false);
    expect(isOwn({ Host: "nvr", Origin: "http://nvr", "Sec-Fetch-Site": "cross-site" })).toBe(false);
    expect(isOwn({ Host: "nvr", Origin: "http://evil", "Sec-Fetch-Site": "same-origin" })).toBe(false);
  });

  it("need not be named for reading, nor by who types an address", () => {
    expect(isOwn({ Host: "nvr" }, { change: false })).toBe(true);
    expect(isOwn({ Host: "nvr", "Sec-Fetch-Site": "none" }, { change: false })).toBe(true);
    expect(isOwn({ Host: "nvr" })).toBe(false);
  });
});

describe("the cookie of a request", () => {
  const cookie = new SessionCookie(() => SERVER_ID);
  const read = (text: string) => cookie.read(contentOf({ Cookie: text }));

  it("is that of this recorder, not of another one behind the same name", () => {
    const value = "A".repeat(43);
    expect(read(`nvrd-session-22222222=${value}`)).toBeUndefined();
    expect(read(`x${NAME}=${value}`)).toBeUndefined();
    expect(read(`nvrd-session-22222222=${"B".repeat(43)}; ${NAME}=${value}`)?.session).toBeDefined();
  });

  it("is never the key that it is stored under", () => {
    const value = "A".repeat(43);
    expect(read(`${NAME}=${value}`)?.session).not.toContain(value);
  });

  it("of any text is read, or refused as a planted one", () => {
    const piece = fc.oneof(
      fc.constantFrom(NAME, "=", ";", ",", " ", "A".repeat(43), "B".repeat(43), '"', "__Host-"),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          const found = read(pieces.join(""));
          expect(found === undefined || /^[\w-]{43}$/.test(found.session)).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: "UNAUTHORIZED" });
        }
      }),
    );
  });
});
