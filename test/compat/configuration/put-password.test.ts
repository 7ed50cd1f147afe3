import { expect, it } from "vitest";
import { deriveWithScrypt, matchesSecret } from "../../../src/access/password-secret.js";
import { EMPTY_PASSWORD_MD5 } from "../../../src/contract/index.js";
import { md5 } from "../../support/access/access-bench.js";
import { ADMINISTRATORS_ID, ROOT_MD5 } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

async function put(body: unknown, query = ROOT_QUERY): Promise<{ status: number; text: string }> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(api.url(`/api/password?${query}`), { method: "PUT", body: text });
  return { status: response.status, text: await response.text() };
}

const rootSecret = (): string | null | undefined =>
  api.site.current.users.find(({ name }) => name === "root")?.secret;

it.each([
  ["Password", { Password: "new one ключ" }, "new one ключ"],
  ["PasswordMd5", { PasswordMd5: md5("new one").toUpperCase() }, "new one"],
])("a user's password is what %s says, kept as a salted scrypt", async (_name, body, password) => {
  expect(await put(body)).toEqual({ status: 200, text: "{}" });
  expect(await matchesSecret(md5(password), rootSecret(), deriveWithScrypt)).toBe(true);
  expect(await matchesSecret(ROOT_MD5, rootSecret(), deriveWithScrypt)).toBe(false);
});

it("no other user's password changes", async () => {
  const before = api.site.current.users.filter(({ name }) => name !== "root");
  await put({ Password: "new one" });
  expect(api.site.current.users.filter(({ name }) => name !== "root")).toEqual(before);
});

it.each([
  ["nothing", {}, "either Password or PasswordMd5"],
  ["both", { Password: "a", PasswordMd5: md5("a") }, "either Password or PasswordMd5"],
  ["an empty password", { Password: "" }, "body.Password"],
  ["the MD5 of nothing", { PasswordMd5: EMPTY_PASSWORD_MD5 }, "body.PasswordMd5"],
  ["what is no MD5", { PasswordMd5: "secret" }, "body.PasswordMd5"],
  ["a number", { Password: 12345 }, "body.Password"],
  ["a control character", { Password: "a\u0000b" }, "body.Password"],
  ["an endless password", { Password: "x".repeat(257) }, "body.Password"],
  ["a list", ["x"], "body"],
  ["no JSON", "Password=x", "not JSON"],
])("%s is refused and changes nothing", async (_what, body, named) => {
  const { status, text } = await put(body);
  expect(status).toBe(400);
  expect(JSON.parse(text).ErrorMessage).toContain(named);
  expect(rootSecret()).toBe(ROOT_MD5);
});

it("a directory user is told to change it in the directory", async () => {
  const user = {
    id: "66666666-0000-8000-8000-0000000000aa",
    name: "u@example.org",
    groupId: ADMINISTRATORS_ID,
    secret: "locked",
  };
  const [group] = api.site.current.groups;
  if (group === undefined) throw new Error("no group");
  const all = () => true;
  const principal = { user, group, mayWatchRealtime: all, mayWatchArchive: all, maySee: all };
  api.access.recall = () => principal;
  const { status, text } = await put({ Password: "new one" });
  expect(status).toBe(403);
  expect(text).toContain("in the directory");
});

it("neither the answer nor the log holds the new password", async () => {
  const refused = await put({ Password: "hidden-secret", PasswordMd5: "hidden-secret" });
  await put({ Password: "hidden-secret" });
  for (const text of [refused.text, JSON.stringify(api.logLines)]) {
    expect(text).not.toContain("hidden-secret");
    expect(text).not.toContain(md5("hidden-secret"));
  }
});
