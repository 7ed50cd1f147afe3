import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLog, redactText, redactUrl } from "../../src/base/index.js";
import { processorMs } from "../support/base/processor-time.js";

describe("redactUrl", () => {
  it.each([
    ["rtsp://admin:pa55@192.0.2.1:554/a?x=1", "rtsp://192.0.2.1:554/a?x=1"],
    ["rtsp://admin:p@ss@192.0.2.1/a", "rtsp://192.0.2.1/a"],
    ["rtsps://admin@camera.example", "rtsps://camera.example"],
    ["http://h/video?login=root&password=abc&channel=1", "http://h/video?login=***&password=***&channel=1"],
    ["http://h/cgi?user=a;pwd=b;c=d#f", "http://h/cgi?user=***#***"],
    ["http://h/a@b?x=y@z", "http://h/***@b?x=y@z"],
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

const SECRET = "s3cr-et.Word";

/** Addresses as makers of cameras document them, with the secret in its place. */
const ADDRESSES = [
  `rtsp://admin:${SECRET}@cam.example/live`,
  `rtsp://admin:${SECRET}@@cam.example/live`,
  `rtsp://admin:a/${SECRET}@cam.example/live`,
  `rtsp://admin:a?${SECRET}@cam.example/live`,
  `rtsp://admin:a#${SECRET}@cam.example/live`,
  `rtsp://cam.example/user=admin_password=${SECRET}_channel=1_stream=0.sdp?real_stream`,
  `rtsp://cam.example:554//user=admin_password=${SECRET}_channel=1_stream=0`,
  `rtsp://cam.example/user=admin&password=${SECRET}&channel=1&stream=0.sdp?`,
  `rtsp://cam.example/User=admin;Password=${SECRET};channel=1`,
  `rtsp://cam.example/user=admin_password=a/${SECRET}_channel=1_stream=0.sdp`,
  `rtsp://cam.example/user%3Dadmin_password%3D${SECRET}_channel%3D1`,
  `rtsp://cam.example/live/ch0?usr=admin&pwd=${SECRET}`,
  `rtsp://cam.example/live?username=admin&password=${SECRET}#t=1`,
  `rtsp://cam.example/videostream.asf?loginuse=admin&loginpas=${SECRET}`,
  `rtsp://cam.example/video?user=admin&psw=a/${SECRET};b`,
  `rtsp://cam.example/live?user=admin_pass=${SECRET}_ch=1`,
  `rtsp://cam.example/live?auth=${SECRET}`,
  `rtsp://cam.example/live?token=${SECRET}&channel=1`,
  `rtsp://cam.example/iphone/11?admin:${SECRET}&`,
  `rtsp://cam.example/0/admin:${SECRET}/main`,
  `rtsp://cam.example/admin:${SECRET}/ch1`,
  `rtsp://cam.example/admin%3A${SECRET}/ch1`,
  `rtsp://cam.example/admin/${SECRET}@ch1`,
  `rtsp://10.0.0.9:554/admin/${SECRET}@live`,
  `rtsp://cam.example/admin:${SECRET}@live/ch1`,
  `rtsp://cam.example/relay?src=rtsp://admin:${SECRET}@10.0.0.9/live`,
  `http://cam.example/snapshot.cgi?u=admin&p=${SECRET}`,
  `rtsps://[2001:db8::1]:322/user=admin_password=${SECRET}_channel=1`,
];

describe("an address as it may be shown", () => {
  it.each(ADDRESSES)("keeps its secret: %s", (address) => {
    expect(redactUrl(address)).not.toContain(SECRET);
    expect(redactText(`the camera says "${address}": not found`)).not.toContain(SECRET);
    expect(redactText(JSON.stringify({ msg: `at ${address}`, url: address }))).not.toContain(SECRET);
  });

  it.each([
    "rtsp://cam.example:554/Streaming/Channels/101",
    "rtsp://cam.example/cam/realmonitor?channel=1&subtype=0",
    "rtsp://[2001:db8::1]:554/axis-media/media.amp?videocodec=h264&resolution=640x480",
    "rtsp://10.0.0.9/h264Preview_01_main",
    "rtsp://10.0.0.9/live/0/MAIN/",
    "http://10.0.0.9:8080/onvif/device_service",
    "10.0.0.9:8080",
    "camera.example",
    "",
  ])("is the same where there is none: %s", (address) => {
    expect(redactUrl(address)).toBe(address);
    expect(redactText(address)).toBe(address);
  });

  it("still says which stream it is", () => {
    expect(redactUrl("rtsp://a:b@cam.example/user=admin_password=x_channel=1_stream=0.sdp?real_stream")).toBe(
      "rtsp://cam.example/user=***_password=***_channel=1_stream=0.sdp?real_stream",
    );
    expect(redactUrl("rtsp://cam.example/live?usr=a&pwd=b&ch=2")).toBe(
      "rtsp://cam.example/live?usr=***&pwd=***&ch=2",
    );
  });

  it("is the same when it is masked again", () => {
    for (const address of ADDRESSES) expect(redactUrl(redactUrl(address))).toBe(redactUrl(address));
  });

  it("takes no longer for a hostile text", () => {
    const ms = processorMs(() => {
      for (const part of ["user=", "_a=", "rtsp://", "a:", "@", "?a:", "pass=pass="]) {
        redactUrl(`rtsp://x/${part.repeat(2000)}`);
        redactText(part.repeat(2000));
      }
    });
    expect(ms).toBeLessThan(3000);
  });
});

describe("a text as it may be shown", () => {
  it("has no password that is named without an address", () => {
    expect(redactText(`no such stream: /user=admin_password=${SECRET}_channel=1`)).not.toContain(SECRET);
    expect(redactText(`GET ?pwd=${SECRET}&x=1 failed`)).toBe("GET ?pwd=***&x=1 failed");
  });

  it.each(["3 of 4 segments = 12 MB", "speed must be from 0.1 to 8", "compare a==b", "PTZ: x=0.5, y=1"])(
    "is the same where there is none: %s",
    (text) => {
      expect(redactText(text)).toBe(text);
    },
  );
});

describe("the log", () => {
  it("masks what addresses hold, wherever they stand in a line", () => {
    const lines: string[] = [];
    const log = createLog({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
    for (const address of ADDRESSES)
      log.info({ camera: { url: address } }, `camera says: ${address} is gone`);
    expect(lines).toHaveLength(ADDRESSES.length);
    for (const line of lines) {
      expect(line).not.toContain(SECRET);
      expect(() => JSON.parse(line)).not.toThrow();
    }
  });

  it("leaves secrets out by their names, at the top and one level down", () => {
    const lines: string[] = [];
    const log = createLog({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
    log.info({ password: "one", camera: { password: "two", name: "Gate" }, authorization: "three" }, "read");
    const line = lines.join("");
    for (const secret of ["one", "two", "three"]) expect(line).not.toContain(`"${secret}"`);
    expect(JSON.parse(line)).toMatchObject({ msg: "read", camera: { name: "Gate", password: "[secret]" } });
  });
});
