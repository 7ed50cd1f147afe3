import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Authenticator, parseChallenges } from "../../../src/rtsp/client/authentication.js";
import type { RtspResponse } from "../../../src/rtsp/message/rtsp-message.js";

const unauthorized = (...challenges: string[]): RtspResponse => ({
  kind: "response",
  status: 401,
  reason: "Unauthorized",
  headers: new Map([["www-authenticate", challenges]]),
  body: Buffer.alloc(0),
});

const MUFASA = { user: "Mufasa", password: "Circle of Life" };
const RFC7616_NONCE = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
const RFC7616_CNONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";

describe("authentication", () => {
  it("answers RFC 7616's example with MD5 and SHA-256", () => {
    for (const [algorithm, response] of [
      ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
      ["SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"],
    ]) {
      const authenticator = new Authenticator(MUFASA, () => RFC7616_CNONCE);
      const challenge = `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${RFC7616_NONCE}", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
      expect(authenticator.challenged(unauthorized(challenge), false)).toBe("retry");
      const header = authenticator.authorization("GET", "/dir/index.html");
      expect(header).toContain(`response="${response}"`);
      expect(header).toContain("nc=00000001");
      expect(header).toContain(`algorithm=${algorithm}`);
      expect(authenticator.authorization("GET", "/dir/index.html")).toContain("nc=00000002");
    }
  });

  it.each([
    ["UTF-8", Buffer.from("IP-Kamera Süd 摄像机", "utf8")],
    ["GBK", Buffer.from([0xc9, 0xe3, 0xcf, 0xf1, 0xbb, 0xfa])],
  ])("answers a realm in %s with its bytes, and names the user in UTF-8", (_, realm) => {
    const authenticator = new Authenticator({ user: "Админ", password: "пароль" }, () => "c");
    authenticator.challenged(unauthorized(`Digest realm="${realm.toString("latin1")}", nonce="n"`), false);
    const header = Buffer.from(authenticator.authorization("DESCRIBE", "rtsp://h/") ?? "", "latin1");
    const md5 = (...parts: (string | Buffer)[]): string =>
      createHash("md5")
        .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
        .digest("hex");
    const secret = md5("Админ:", realm, ":пароль");
    expect(header.toString("latin1")).toContain(
      `response="${md5(`${secret}:n:${md5("DESCRIBE:rtsp://h/")}`)}"`,
    );
    expect(header.includes(Buffer.concat([Buffer.from('realm="'), realm, Buffer.from('"')]))).toBe(true);
    expect(header.includes(Buffer.from('username="Админ"'))).toBe(true);
  });

  it.each([
    ["blanks in a value without quotes", "Digest realm=IP Camera, nonce=n", "IP Camera", "md5"],
    ["a name of an algorithm that is empty", 'Digest realm="r", nonce="n", algorithm=""', "r", "md5"],
    ["an algorithm without its dash", 'Digest realm="r", nonce="n", algorithm=SHA256', "r", "sha256"],
    [
      "an algorithm in small letters and quotes",
      'Digest realm="r", nonce="n", algorithm="sha_256"',
      "r",
      "sha256",
    ],
  ])("answers %s", (_, challenge, realm, algorithm) => {
    const authenticator = new Authenticator({ user: "admin", password: "admin" }, () => "c");
    expect(authenticator.challenged(unauthorized(challenge), false)).toBe("retry");
    const hash = (text: string): string => createHash(algorithm).update(text).digest("hex");
    const response = hash(`${hash(`admin:${realm}:admin`)}:n:${hash("DESCRIBE:rtsp://h/")}`);
    expect(authenticator.authorization("DESCRIBE", "rtsp://h/")).toContain(`response="${response}"`);
  });

  it("answers a session's algorithm however its name is joined", () => {
    const answers = ["MD5-sess", "MD5_sess", "md5sess"].map((algorithm) => {
      const authenticator = new Authenticator(MUFASA, () => "c");
      authenticator.challenged(unauthorized(`Digest realm="r", nonce="n", algorithm=${algorithm}`), false);
      return /response="\w+"/.exec(authenticator.authorization("GET", "/") ?? "")?.[0];
    });
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toBeDefined();
  });

  it("takes a scheme behind another one without a comma for a challenge of its own", () => {
    const challenges = parseChallenges(['Basic realm=IP Camera Digest realm=IP Camera, nonce="n"']);
    expect(challenges.map(({ scheme, parameters }) => [scheme, parameters.get("realm")])).toEqual([
      ["basic", "IP Camera"],
      ["digest", "IP Camera"],
    ]);
  });

  it("answers RFC 2069's form when the server offers no qop", () => {
    const authenticator = new Authenticator({ user: "admin", password: "admin" }, () => "c");
    authenticator.challenged(unauthorized('Digest realm="r", nonce="n"'), false);
    const header = authenticator.authorization("DESCRIBE", "rtsp://h/");
    // MD5(MD5(admin:r:admin):n:MD5(DESCRIBE:rtsp://h/)), computed with openssl.
    expect(header).toContain('response="4dd10606123a5ade0b8eda7c28be509a"');
    expect(header).not.toContain("qop");
  });

  it("prefers SHA-256 to MD5 and MD5 to Basic, in one header or several", () => {
    const all = [
      'Basic realm="r"',
      'Digest realm="r", nonce="a", algorithm=MD5',
      'Digest realm="r", nonce="b", algorithm=SHA-256',
    ];
    for (const challenges of [all, [...all].reverse(), [all.join(", ")]]) {
      const authenticator = new Authenticator(MUFASA, () => "c");
      authenticator.challenged(unauthorized(...challenges), false);
      expect(authenticator.authorization("PLAY", "rtsp://h/")).toContain("algorithm=SHA-256");
    }
    const authenticator = new Authenticator(MUFASA, () => "c");
    authenticator.challenged(unauthorized(...all.slice(0, 2)), false);
    expect(authenticator.authorization("PLAY", "rtsp://h/")).toContain("Digest");
  });

  it("sends Basic as in RFC 7617", () => {
    const authenticator = new Authenticator({ user: "Aladdin", password: "open sesame" }, () => "c");
    authenticator.challenged(unauthorized('Basic realm="x"'), false);
    expect(authenticator.authorization("PLAY", "rtsp://h/")).toBe("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  });

  it("uses the session variant's hash when asked", () => {
    const plain = new Authenticator(MUFASA, () => "c");
    plain.challenged(unauthorized('Digest realm="r", nonce="n", qop="auth", algorithm=MD5'), false);
    const session = new Authenticator(MUFASA, () => "c");
    session.challenged(unauthorized('Digest realm="r", nonce="n", qop="auth", algorithm=MD5-sess'), false);
    const responseOf = (text: string | undefined) => /response="([^"]+)"/.exec(text ?? "")?.[1];
    expect(responseOf(session.authorization("PLAY", "u"))).not.toBe(
      responseOf(plain.authorization("PLAY", "u")),
    );
  });

  it("retries a stale nonce and gives up on a refused one", () => {
    const authenticator = new Authenticator(MUFASA, () => "c");
    authenticator.challenged(unauthorized('Digest realm="r", nonce="1"'), false);
    expect(authenticator.challenged(unauthorized('Digest realm="r", nonce="2", stale=TRUE'), true)).toBe(
      "retry",
    );
    expect(authenticator.challenged(unauthorized('Digest realm="r", nonce="2", stale=true'), true)).toBe(
      "refused",
    );
    expect(authenticator.challenged(unauthorized('Digest realm="r", nonce="3"'), true)).toBe("refused");
  });

  it("treats a new nonce as stale once the old one was accepted, whatever the flag", () => {
    const authenticator = new Authenticator(MUFASA, () => "c");
    authenticator.challenged(unauthorized('Digest realm="r", nonce="1"'), false);
    authenticator.accepted();
    expect(authenticator.challenged(unauthorized('Digest realm="r", nonce="2"'), true)).toBe("retry");
    expect(authenticator.challenged(unauthorized('Digest realm="r", nonce="3"'), true)).toBe("refused");
  });

  it("reports what is missing", () => {
    expect(new Authenticator(undefined, () => "c").challenged(unauthorized('Basic realm="x"'), false)).toBe(
      "no-credentials",
    );
    const authenticator = new Authenticator(MUFASA, () => "c");
    expect(authenticator.challenged(unauthorized("Negotiate"), false)).toBe("unsupported");
    expect(authenticator.challenged(unauthorized('Digest realm="r", nonce="n", qop="sealed"'), false)).toBe(
      "unsupported",
    );
  });

  it("covers the body where the server asks for auth-int alone", () => {
    const authenticator = new Authenticator({ user: "admin", password: "admin" }, () => "c");
    authenticator.challenged(unauthorized('Digest realm="r", nonce="n", qop="auth-int"'), false);
    const header = authenticator.authorization("POST", "/onvif", "<body/>");
    const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
    const second = md5(`POST:/onvif:${md5("<body/>")}`);
    const response = md5(`${md5("admin:r:admin")}:n:00000001:c:auth-int:${second}`);
    expect(header).toContain(`response="${response}"`);
    expect(header).toContain("qop=auth-int");
  });

  it("goes on with the nonce that the server names for the next request", () => {
    const authenticator = new Authenticator(MUFASA, () => "c");
    authenticator.challenged(unauthorized('Digest realm="r", nonce="1", qop="auth"'), false);
    authenticator.authorization("PLAY", "u");
    authenticator.accepted();
    authenticator.informed('nextnonce="2", qop=auth, rspauth="0", cnonce="c", nc=00000001');
    const header = authenticator.authorization("PLAY", "u");
    expect(header).toContain('nonce="2"');
    expect(header).toContain("nc=00000001");
  });

  it("escapes quotes in what it sends", () => {
    const authenticator = new Authenticator({ user: 'a"b\\c', password: "p" }, () => "c");
    authenticator.challenged(unauthorized('Digest realm="r \\"q\\"", nonce="n"'), false);
    const header = authenticator.authorization("PLAY", "u");
    expect(header).toContain('username="a\\"b\\\\c"');
    expect(header).toContain('realm="r \\"q\\""');
  });

  it("reads any challenge without failing, bounded", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 }), { maxLength: 20 }), (values) => {
        expect(parseChallenges(values).length).toBeLessThanOrEqual(16);
      }),
    );
    expect(parseChallenges([`Digest ${'a="'.repeat(100_000)}`]).length).toBeLessThanOrEqual(16);
  });
});
