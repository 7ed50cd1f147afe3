import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import {
  BUNDLE_LENGTH_MAX,
  CENSORED,
  ENTRY_LENGTH_MAX,
  ENTRY_WAIT_MS,
  SecretScrubber,
  type SupportEntry,
  supportBundle,
} from "../../../src/health/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { filesOf } from "../../support/base/tar-files.js";

const entry = (name: string, text: string, change: Partial<SupportEntry> = {}): SupportEntry => ({
  ...{ name, about: "x", read: () => text },
  ...change,
});

async function bundle(entries: readonly SupportEntry[], clock = new SimulatedClock()) {
  return await filesOf(await supportBundle({ entries, secrets: [{ value: "hush-hush" }], clock }));
}

it("has each entry, and a README that names them", async () => {
  const files = await bundle([entry("a.txt", "one"), entry("b.txt", "two")]);
  expect([...files.keys()]).toEqual(["README.txt", "a.txt", "b.txt"].map((name) => `nvrd-support/${name}`));
  expect(files.get("nvrd-support/b.txt")).toBe("two");
  expect(files.get("nvrd-support/README.txt")).toContain("a.txt");
});

it("what fails says why in its place, and the rest comes all the same", async () => {
  const fails = entry("a.txt", "", { read: () => Promise.reject(new Error("no such hush-hush")) });
  const throws = entry("b.txt", "", {
    read: () => {
      throw new Error("broken");
    },
  });
  const files = await bundle([fails, throws, entry("c.txt", "here")]);
  expect(files.get("nvrd-support/a.txt")).toBe(`not in this bundle: no such ${CENSORED}\n`);
  expect(files.get("nvrd-support/b.txt")).toBe("not in this bundle: broken\n");
  expect(files.get("nvrd-support/c.txt")).toBe("here");
});

it("what hangs is left out after 10 s", async () => {
  const clock = new SimulatedClock();
  const hangs = entry("a.txt", "", { read: () => new Promise<string>(() => undefined) });
  const made = bundle([hangs, entry("b.txt", "here")], clock);
  await expect.poll(() => clock.timers).toBe(1);
  clock.advance(ENTRY_WAIT_MS * 1000);
  const files = await made;
  expect(files.get("nvrd-support/a.txt")).toContain("did not come within 10 s");
  expect(files.get("nvrd-support/b.txt")).toBe("here");
  expect(clock.timers).toBe(0);
});

it("what is too long is cut: of a log the end stays, of the others the beginning", async () => {
  const text = `begin${"x".repeat(ENTRY_LENGTH_MAX)}end`;
  const files = await bundle([entry("a.txt", text), entry("b.txt", text, { keepEnd: true })]);
  const [first = "", last = ""] = ["a", "b"].map((name) => files.get(`nvrd-support/${name}.txt`));
  expect(first.startsWith("begin")).toBe(true);
  expect(first).toContain("[cut: 8 characters are left out]");
  expect(last.endsWith("end")).toBe(true);
  expect(last.startsWith("[cut: 8 characters are left out]\n")).toBe(true);
});

it("all files together are bounded, however many there are", async () => {
  const entries = Array.from({ length: 8 }, (_, at) => entry(`${at}.txt`, "y".repeat(ENTRY_LENGTH_MAX)));
  const packed = await supportBundle({ entries, secrets: [], clock: new SimulatedClock() });
  expect(gunzipSync(packed).length).toBeLessThan(BUNDLE_LENGTH_MAX + 100_000);
});

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const base64 = (text: string) => Buffer.from(text).toString("base64");

it.each([
  ["as it is", "pa$$ (w)ord/1+"],
  ["percent-encoded", encodeURIComponent("pa$$ (w)ord/1+")],
  ["in JSON", JSON.stringify('with "quotes"').slice(1, -1)],
  ["as MD5", md5("pa$$ (w)ord/1+")],
  ["as MD5 in upper case", md5("pa$$ (w)ord/1+").toUpperCase()],
  ["in Base64", base64("pa$$ (w)ord/1+")],
  ["in a header of HTTP Basic", base64("viewer:pa$$ (w)ord/1+")],
  ["in a header of HTTP Basic, as MD5", base64(`viewer:${md5("pa$$ (w)ord/1+")}`)],
])("a secret is found %s", async (_title, spelling) => {
  const scrubber = new SecretScrubber([
    { value: "pa$$ (w)ord/1+", login: "viewer" },
    { value: 'with "quotes"' },
  ]);
  expect(await scrubber.scrub(`before ${spelling} after`)).toBe(`before ${CENSORED} after`);
});

it("a secret that another begins with is found as well as that", async () => {
  const scrubber = new SecretScrubber([{ value: "secret" }, { value: "secret-and-more" }]);
  expect(await scrubber.scrub("secret-and-more, secret")).toBe(`${CENSORED}, ${CENSORED}`);
});

it("short words and none are left, and thousands of secrets are found", async () => {
  expect(await new SecretScrubber([{ value: "" }, { value: "abc" }]).scrub("abc is a text")).toBe(
    "abc is a text",
  );
  const many = Array.from({ length: 1500 }, (_, at) => ({ value: `secret-${at}-x`, login: `user${at}` }));
  const text = `${"a line of a log\n".repeat(20_000)}secret-1499-x`;
  expect((await new SecretScrubber(many).scrub(text)).endsWith(`\n${CENSORED}`)).toBe(true);
});

it("a secret is found wherever it stands, and other work goes on meanwhile", async () => {
  const scrubber = new SecretScrubber([{ value: "hush" }]);
  const parts = [1, 499_998, 499_999, 500_000, 7, 1_200_000].map((length) => "x".repeat(length));
  let turns = 0;
  const other = setInterval(() => {
    turns += 1;
  }, 0);
  const text = await scrubber.scrub(["", ...parts, ""].join("hush"));
  clearInterval(other);
  expect(text).toBe(["", ...parts, ""].join(CENSORED));
  expect(turns).toBeGreaterThan(0);
  expect(await scrubber.scrub("hush")).toBe(CENSORED);
  expect(await scrubber.scrub("hus")).toBe("hus");
  expect(await scrubber.scrub("hushhush")).toBe(CENSORED + CENSORED);
});
