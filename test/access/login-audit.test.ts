import { beforeEach, expect, it } from "vitest";
import {
  FAILURES_REPORTED_MAX,
  FAILURES_REPORTED_PER_ADDRESS_MAX,
  SESSION_IDLE_MS,
} from "../../src/access/login-audit.js";
import { AccessBench, md5 } from "../support/access/access-bench.js";
import { FakeDirectory } from "../support/access/fake-directory.js";

let bench: AccessBench;

beforeEach(async () => {
  bench = await AccessBench.create(new FakeDirectory());
  bench.changeGroup("Guards", { directoryGroups: ["guards"] });
});

const kinds = () => bench.audit.map(({ kind }) => kind);

it("a login is reported once, with name, id, address and way", async () => {
  for (let request = 0; request < 20; request += 1) await bench.login({});
  const root = bench.current.users.find(({ name }) => name === "root");
  expect(bench.audit).toEqual([
    { kind: "login", userName: "root", userId: root?.id, address: "192.0.2.7", way: "internal" },
  ]);
});

it("a login is reported again after half an hour without a request, and of another address", async () => {
  await bench.login({});
  bench.clock.advance(SESSION_IDLE_MS - 1);
  await bench.login({});
  bench.clock.advance(SESSION_IDLE_MS - 1);
  await bench.login({});
  expect(bench.audit).toHaveLength(1);
  bench.clock.advance(SESSION_IDLE_MS);
  await bench.login({});
  await bench.login({ address: "192.0.2.8" });
  expect(kinds()).toEqual(["login", "login", "login"]);
});

it("a directory user's login is reported once, though the directory is asked each minute", async () => {
  const alice = {
    login: "alice@example.org",
    password: "alice-secret",
    userType: "ActiveDirectory",
  } as const;
  for (let minute = 0; minute < 5; minute += 1) {
    await bench.login(alice);
    bench.clock.advance(61_000);
  }
  expect(bench.audit).toHaveLength(1);
  expect(bench.audit[0]).toMatchObject({ kind: "login", way: "directory", userName: "alice@example.org" });
});

it("failed logins are reported, then the lock-out with its wait; never a password", async () => {
  for (let guess = 0; guess < 11; guess += 1) {
    await bench.login({ password: md5(`guess ${guess}`) });
    if (guess === 5) bench.clock.advance(60_000);
  }
  expect(kinds()).toEqual([...Array(10).fill("loginFailed"), "lockedOut"]);
  expect(bench.audit.at(-1)).toEqual({
    kind: "lockedOut",
    userName: "root",
    address: "192.0.2.7",
    way: "internal",
    waitMs: 1000,
    unreported: 0,
  });
  expect(JSON.stringify(bench.audit)).not.toContain(md5("guess 0"));
});

it("of a flood of failures a few are reported a minute, and how many were not", async () => {
  for (let host = 0; host < 100; host += 1)
    await bench.login({ login: `x${host}`, address: `203.0.113.${host}` });
  expect(bench.audit).toHaveLength(FAILURES_REPORTED_MAX);
  bench.clock.advance(60_000);
  await bench.login({ login: "x", address: "203.0.113.99" });
  expect(bench.audit.at(-1)).toMatchObject({ kind: "loginFailed", unreported: 1 });
});

it("of one address no more than its share is reported", async () => {
  for (let guess = 0; guess < 11; guess += 1) await bench.login({ login: `x${guess}` });
  expect(bench.audit).toHaveLength(FAILURES_REPORTED_PER_ADDRESS_MAX);
});

it("a name is reported without control characters, and cut", async () => {
  await bench.login({ login: `a\r\nb${"x".repeat(10_000)}` });
  expect(bench.audit[0]?.userName).toBe(`a??b${"x".repeat(125)}`);
});
