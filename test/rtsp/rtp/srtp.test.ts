import { describe, expect, test } from "vitest";
import { SrtpKey, srtpKeysOf } from "../../../src/rtsp/rtp/srtp-keys.js";
import { REPLAY_WINDOW_PACKETS, SRTP_SOURCES_MAX, SrtpSession } from "../../../src/rtsp/rtp/srtp-session.js";
import { deriveSessionKeys, SRTP_SUITES, type SrtpSuite } from "../../../src/rtsp/rtp/srtp-suite.js";

function suite(name: string): SrtpSuite {
  const found = SRTP_SUITES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no suite ${name}`);
  return found;
}

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ""), "hex");
const NAMES = SRTP_SUITES.map(({ name }) => name);

/** A key of bytes that are all different. */
function keyOf(name: string, identifier?: Buffer): SrtpKey {
  const { keyBytes, saltBytes } = suite(name);
  return new SrtpKey(
    suite(name),
    Buffer.from(Array.from({ length: keyBytes + saltBytes }, (_, at) => at + 1)),
    identifier,
  );
}

function rtp(sequence: number, ssrc = 0xcafebabe, payload = "a picture's bytes"): Buffer {
  const header = Buffer.alloc(12);
  header[0] = 0x80;
  header[1] = 96;
  header.writeUInt16BE(sequence & 0xffff, 2);
  header.writeUInt32BE((sequence * 3600) % 2 ** 32, 4);
  header.writeUInt32BE(ssrc, 8);
  return Buffer.concat([header, Buffer.from(payload)]);
}

const session = (keys: readonly SrtpKey[], rejectsRepeated = false): SrtpSession =>
  new SrtpSession(keys, { rejectsRepeated });

/** The packet that `sealed` opens to; undefined where it is dropped. */
function openRtp(by: SrtpSession, sealed: Buffer): Buffer | undefined {
  const memory = Buffer.concat([Buffer.from("xx"), sealed, Buffer.from("yy")]);
  const end = by.openRtp(memory, 2, 2 + sealed.length);
  expect(memory.subarray(2 + sealed.length).toString()).toBe("yy");
  return end === undefined ? undefined : memory.subarray(2, end);
}

function openRtcp(by: SrtpSession, sealed: Buffer): Buffer | undefined {
  const memory = Buffer.from(sealed);
  const end = by.openRtcp(memory, 0, memory.length);
  return end === undefined ? undefined : memory.subarray(0, end);
}

test("session keys are derived as RFC 3711, B.3 shows", () => {
  const master = {
    key: hex("E1F97A0D3E018BE0D64FA32C06DE4139"),
    salt: hex("0EC675AD498AFEEBB6960B3AABE6"),
  };
  const keys = deriveSessionKeys(suite("AES_CM_128_HMAC_SHA1_80"), master, "rtp");
  expect(keys.cipher).toEqual(hex("C61E7A93744F39EE10734AFE3FF7A087"));
  expect(keys.salt).toEqual(hex("30CBBC08863D8C85D49DB34A9AE1"));
  expect(keys.authentication).toEqual(hex("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"));
});

describe("packets of other implementations are opened", () => {
  const PLAIN = hex("800f1234decafbadcafebabeabababababababababababababababab");
  test.each([
    [
      "AES_CM_128_HMAC_SHA1_80",
      "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6",
      "800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb",
    ],
    [
      "AEAD_AES_128_GCM",
      "000102030405060708090a0b0c0d0e0fa0a1a2a3a4a5a6a7a8a9aaab",
      "800f1234decafbadcafebabec5002ede04cfdd2eb91159e0880aa06ed2976826f796b201df3131a127e8a392",
    ],
  ])("%s, the reference packet of libsrtp", (name, master, sealed) => {
    expect(openRtp(session([new SrtpKey(suite(name), hex(master))]), hex(sealed))).toEqual(PLAIN);
    expect(session([new SrtpKey(suite(name), hex(master))]).sealRtp(PLAIN)).toEqual(hex(sealed));
  });
});

describe.each(NAMES)("%s", (name) => {
  test("what is sealed opens again", () => {
    const sealer = session([keyOf(name)]);
    const opener = session([keyOf(name)]);
    for (let sequence = 1; sequence < 5; sequence += 1)
      expect(openRtp(opener, sealer.sealRtp(rtp(sequence)))).toEqual(rtp(sequence));
    const report = hex("81c8000c1122334400112233445566778899aabb");
    expect(openRtcp(opener, sealer.sealRtcp(report))).toEqual(report);
  });
  test("one changed bit is noticed, wherever it is", () => {
    const sealed = session([keyOf(name)]).sealRtp(rtp(7));
    const opener = session([keyOf(name)]);
    for (let at = 2; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openRtp(opener, changed)).toBeUndefined();
    }
    expect(opener.counts.forged).toBe(sealed.length - 2);
  });
  test("a key identifier tells which key a packet is of", () => {
    const [one, other] = [keyOf(name, hex("0001")), keyOf(name, hex("0002"))];
    const opener = session([one, other]);
    expect(openRtp(opener, session([other]).sealRtp(rtp(1)))).toEqual(rtp(1));
    expect(openRtp(opener, session([one]).sealRtp(rtp(2)))).toEqual(rtp(2));
    const report = hex("81c900071122334400112233");
    expect(openRtcp(opener, session([other]).sealRtcp(report))).toEqual(report);
  });
});

describe("sequence numbers", () => {
  const NAME = "AES_CM_128_HMAC_SHA1_80";
  test("go on beyond 65535", () => {
    const [sealer, opener] = [session([keyOf(NAME)], true), session([keyOf(NAME)], true)];
    for (let sequence = 65_500; sequence < 65_600; sequence += 1)
      expect(openRtp(opener, sealer.sealRtp(rtp(sequence)))).toEqual(rtp(sequence));
  });
  test("of a packet that comes late are of the roll-over before", () => {
    const [sealer, opener] = [session([keyOf(NAME)], true), session([keyOf(NAME)], true)];
    const sealed = [65_534, 65_535, 65_536, 65_537].map((sequence) => sealer.sealRtp(rtp(sequence)));
    for (const at of [0, 2, 1, 3]) expect(openRtp(opener, sealed[at] ?? Buffer.alloc(0))).toBeDefined();
  });
  test("begin anew without a picture being lost where nothing but the camera can send", () => {
    const [before, after] = [session([keyOf(NAME)]), session([keyOf(NAME)])];
    const opener = session([keyOf(NAME)]);
    for (let sequence = 65_000; sequence < 65_600; sequence += 1)
      expect(openRtp(opener, before.sealRtp(rtp(sequence)))).toBeDefined();
    for (let sequence = 1; sequence < 100; sequence += 1)
      expect(openRtp(opener, after.sealRtp(rtp(sequence)))).toEqual(rtp(sequence));
  });
});

describe.each(["AES_CM_128_HMAC_SHA1_80", "AEAD_AES_256_GCM"] as const)(
  "a camera that protects by %s",
  (name) => {
    /** Has sent so many times 65536 packets. */
    function longRunning(rollOvers: number, ssrc?: number): { sealer: SrtpSession; sequence: number } {
      const sealer = session([keyOf(name)], true);
      let sequence = 0;
      for (; sequence < rollOvers * 65_536; sequence += 30_000) sealer.sealRtp(rtp(sequence, ssrc));
      return { sealer, sequence };
    }

    test.each([1, 200, 3000])(
      "and has counted over %d times is understood by who comes late",
      (rollOvers) => {
        const { sealer, sequence } = longRunning(rollOvers);
        const opener = session([keyOf(name)], true);
        const packets = Array.from({ length: 400 }, (_, at) => rtp(sequence + at));
        const opened = packets.map((packet) => openRtp(opener, sealer.sealRtp(packet)));
        expect(opened.at(-1)).toEqual(packets.at(-1));
      },
    );

    test("and takes another source goes on", () => {
      const opener = session([keyOf(name)], true);
      const one = longRunning(2, 1);
      const other = longRunning(3, 2);
      expect(openRtp(opener, one.sealer.sealRtp(rtp(one.sequence, 1)))).toBeDefined();
      expect(openRtp(opener, other.sealer.sealRtp(rtp(other.sequence, 2)))).toBeDefined();
    });

    test("by another key is not sought for ever", () => {
      const opener = session([keyOf(name)], true);
      const { keyBytes, saltBytes } = suite(name);
      const stranger = session([new SrtpKey(suite(name), Buffer.alloc(keyBytes + saltBytes, 9))], true);
      for (let at = 0; at < 2100; at += 1) openRtp(opener, stranger.sealRtp(rtp(at)));
      const { sealer, sequence } = longRunning(3);
      expect(openRtp(opener, sealer.sealRtp(rtp(sequence)))).toBeUndefined();
      expect(opener.counts.forged).toBe(2101);
    });
  },
);

describe("a packet that was sent before", () => {
  const NAME = "AEAD_AES_128_GCM";
  test("is dropped over UDP, and so is what is older than is known", () => {
    const [sealer, opener] = [session([keyOf(NAME)], true), session([keyOf(NAME)], true)];
    const first = sealer.sealRtp(rtp(1));
    expect(openRtp(opener, first)).toBeDefined();
    expect(openRtp(opener, first)).toBeUndefined();
    for (let sequence = 2; sequence < REPLAY_WINDOW_PACKETS + 3; sequence += 1)
      openRtp(opener, sealer.sealRtp(rtp(sequence)));
    expect(openRtp(opener, first)).toBeUndefined();
    expect(opener.counts).toEqual({ forged: 0, repeated: 2, malformed: 0 });
  });
  test("is taken within a connection that is protected itself", () => {
    const opener = session([keyOf(NAME)]);
    const sealed = session([keyOf(NAME)]).sealRtp(rtp(1));
    expect(openRtp(opener, sealed)).toBeDefined();
    expect(openRtp(opener, sealed)).toBeDefined();
  });
});

test("as many sources as a hostile camera names are no more memory", () => {
  const name = "AES_CM_128_HMAC_SHA1_32";
  const [sealer, opener] = [session([keyOf(name)]), session([keyOf(name)])];
  for (let ssrc = 1; ssrc <= SRTP_SOURCES_MAX + 10; ssrc += 1)
    expect(openRtp(opener, sealer.sealRtp(rtp(1, ssrc)))).toBeDefined();
  expect(opener.sources).toBe(SRTP_SOURCES_MAX);
});

test("bytes that are no packet are counted, and nothing is read beyond them", () => {
  const opener = session([keyOf("AES_CM_128_HMAC_SHA1_80")]);
  for (let length = 0; length < 12; length += 1) openRtp(opener, rtp(1).subarray(0, length));
  openRtp(opener, hex("9f60000100000000cafebabe"));
  for (let length = 0; length < 12; length += 1) openRtcp(opener, Buffer.alloc(length));
  expect(opener.counts.malformed).toBe(25);
});

describe("a=crypto", () => {
  const master = Buffer.alloc(30, 7).toString("base64");
  const one = (keys: string, suiteName = "AES_CM_128_HMAC_SHA1_80", parameters = "") =>
    srtpKeysOf([{ suite: suiteName, keys, parameters }]);
  test.each([
    ["a key alone", `inline:${master}`, 0],
    ["a lifetime", `inline:${master}|2^20`, 0],
    ["an identifier", `inline:${master}|1:4`, 4],
    ["both", `inline:${master}|2^20|1:2`, 2],
    ["both, the identifier first", `inline:${master}|1:2|2^20`, 2],
  ])("%s", (_what, text, identifierBytes) => {
    const [first, ...others] = one(text);
    expect(first?.identifier.length).toBe(identifierBytes);
    expect(first?.suite.name).toBe("AES_CM_128_HMAC_SHA1_80");
    // What cameras send otherwise than they announce.
    for (const { suite, identifier } of others)
      expect(suite.name !== "AES_CM_128_HMAC_SHA1_80" || identifier.length === 0).toBe(true);
  });
  test.each([
    ["AES_CM_256_HMAC_SHA1_80", "AES_256_CM_HMAC_SHA1_80", 46],
    ["aes_256_cm_hmac_sha1_32", "AES_256_CM_HMAC_SHA1_32", 46],
    ["AES_CM_192_HMAC_SHA1_80", "AES_192_CM_HMAC_SHA1_80", 38],
  ])("a suite by the name %s", (name, expected, bytes) => {
    const [key] = one(`inline:${Buffer.alloc(bytes, 7).toString("base64")}`, name);
    expect(key?.suite.name).toBe(expected);
  });
  test.each([
    ["without the identifier that is announced", `inline:${master}|2^20|5:2`, `inline:${master}`, undefined],
    [
      "with a tag of 80 bits for one of 32",
      `inline:${master}`,
      `inline:${master}`,
      "AES_CM_128_HMAC_SHA1_32",
    ],
  ])("packets %s are opened", (_what, announced, sent, suiteName) => {
    const sender = new SrtpSession(one(sent).slice(0, 1), { rejectsRepeated: false });
    const receiver = new SrtpSession(one(announced, suiteName), { rejectsRepeated: true });
    const packet = Buffer.concat([Buffer.from("806000070000000100000009", "hex"), Buffer.from("pictures")]);
    const sealed = sender.sealRtp(packet);
    const end = receiver.openRtp(sealed, 0, sealed.length);
    expect(sealed.subarray(0, end)).toEqual(packet);
  });
  test("several keys of one line are distinguished by their identifiers", () => {
    const keys = one(`inline:${master}|2^20|1:1;inline:${master}|2^20|2:1`);
    expect(keys.slice(0, 2).map(({ identifier }) => identifier.toString("hex"))).toEqual(["01", "02"]);
  });
  test.each([
    ["a suite that is not known", `inline:${master}`, "F8_128_HMAC_SHA1_80", ""],
    ["a key that is too short", "inline:AAAAAAAAAAAAAAAAAAAAAAAA", "AES_CM_128_HMAC_SHA1_80", ""],
    ["packets without a tag", `inline:${master}`, "AES_CM_128_HMAC_SHA1_80", "UNAUTHENTICATED_SRTP"],
    ["an identifier longer than any", `inline:${master}|1:200`, "AES_CM_128_HMAC_SHA1_80", ""],
  ])("%s is left out", (_what, text, suiteName, parameters) => {
    expect(one(text, suiteName, parameters)).toEqual([]);
  });
  test("packets with a shorter tag than announced are not", () => {
    const sender = new SrtpSession(one(`inline:${master}`, "AES_CM_128_HMAC_SHA1_32").slice(0, 1), {
      rejectsRepeated: false,
    });
    const receiver = new SrtpSession(one(`inline:${master}`), { rejectsRepeated: false });
    const sealed = sender.sealRtp(
      Buffer.concat([Buffer.from("806000070000000100000009", "hex"), Buffer.from("pictures")]),
    );
    expect(receiver.openRtp(sealed, 0, sealed.length)).toBeUndefined();
  });
  test("a key tells nothing of itself", () => {
    const [key] = one(`inline:${master}`);
    expect(JSON.stringify(key)).not.toContain(master.slice(0, 8));
  });
});
