import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { type Administration, errorOf, startAdministration } from "../../support/api/administration.js";
import { ADMINISTRATORS_ID, GUARDS_ID } from "../../support/api/api-fakes.js";

const PATH = "/configure/users";
const NOBODY = "99999999-0000-4000-8000-000000000001";
const ROOT_ID = "66666666-0000-4000-8000-000000000001";
const GUARD_ID = "66666666-0000-4000-8000-000000000002";
const EMPTY_MD5 = "d41d8cd98f00b204e9800998ecf8427e";
const md5 = (text: string) => createHash("md5").update(text).digest("hex");
type Json = Record<string, unknown>;

let admin: Administration;
beforeEach(async () => {
  admin = await startAdministration();
});

async function loginStatus(login: string, password: string): Promise<number> {
  const url = admin.api.url(`/command?type=gettime&login=${login}&password=${password}`);
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

describe("/configure/users", () => {
  it("shows users without what they log in with", async () => {
    const { json, text } = await admin.call("GET", PATH);
    expect(json).toEqual([
      {
        Id: ROOT_ID,
        Name: "root",
        GroupId: ADMINISTRATORS_ID,
        Password: null,
        HasPassword: true,
        IsLocked: false,
      },
      {
        Id: GUARD_ID,
        Name: "guard",
        GroupId: GUARDS_ID,
        Password: null,
        HasPassword: false,
        IsLocked: false,
      },
    ]);
    expect(text).not.toContain("scrypt");
  });

  it.each<[string, Json, string]>([
    ["its password", { Password: "Пароль 1" }, md5("Пароль 1")],
    ["the MD5 of it, in upper case", { PasswordMd5: md5("secret 2").toUpperCase() }, md5("secret 2")],
    ["none", { NoPassword: true }, ""],
  ])("adds a user who logs in with %s", async (_name, member, password) => {
    const { status, json, text } = await admin.call("POST", PATH, [
      { Name: "eva", GroupId: GUARDS_ID, ...member },
    ]);
    expect(status).toBe(200);
    expect(text).not.toContain("Пароль");
    const id = (json as { CreatedObjectsIds: string[] }).CreatedObjectsIds[0];
    expect((await admin.call("GET", `${PATH}/${id}`)).json).toMatchObject({ Name: "eva", IsLocked: false });
    expect(await loginStatus("eva", password)).toBe(200);
    expect(await loginStatus("eva", md5("wrong"))).toBe(401);
  });

  it("keeps the password when PUT gives none, null or an empty one", async () => {
    const { json } = await admin.call("GET", PATH);
    const secret = admin.site.users[0]?.secret;
    expect((await admin.call("PUT", PATH, json)).etag).toBe('"2"');
    await admin.call("PUT", PATH, [{ Id: ROOT_ID, Name: "admin", Password: "", PasswordMd5: "" }]);
    expect(admin.site.users[0]).toMatchObject({ name: "admin", secret });
  });

  it("changes a password, and the old one is worth nothing at once", async () => {
    await admin.call("PUT", PATH, [{ Id: GUARD_ID, Password: "new" }]);
    expect([await loginStatus("guard", md5("new")), await loginStatus("guard", "")]).toEqual([200, 401]);
  });

  it("locks a user, and unlocks it with a new password only", async () => {
    await admin.call("PUT", PATH, [{ Id: GUARD_ID, IsLocked: true }]);
    expect(await loginStatus("guard", "")).toBe(401);
    const refused = await admin.call("PUT", PATH, [{ Id: GUARD_ID, IsLocked: false }]);
    expect(errorOf(refused)).toContain("[0].IsLocked: send a new Password to unlock the user");
    await admin.call("PUT", PATH, [{ Id: GUARD_ID, IsLocked: false, Password: "again" }]);
    expect(await loginStatus("guard", md5("again"))).toBe(200);
  });

  it.each<[string, Json, string, number?]>([
    ["nothing to log in with", {}, "[0].Password: is required: or PasswordMd5, or NoPassword: true"],
    [
      "two passwords",
      { Password: "a", PasswordMd5: md5("b") },
      "[0]: one of Password, PasswordMd5 and NoPassword",
    ],
    ["a password and none", { Password: "a", NoPassword: true }, "[0]: one of Password"],
    ["an MD5 that is none", { PasswordMd5: "abc" }, "[0].PasswordMd5: an MD5 in hexadecimal"],
    ["the MD5 of nothing", { PasswordMd5: EMPTY_MD5 }, "[0].PasswordMd5: the MD5 of a password"],
    ["a password without end", { Password: "x".repeat(257) }, "[0].Password: at most 256 characters"],
    ["a password with a line break", { Password: "hunter2\n" }, "[0].Password: one line"],
    ["an unknown group", { Password: "a", GroupId: NOBODY }, "[0].GroupId: no group has this id", 404],
    ["no group", { Password: "a", GroupId: null }, "[0].GroupId: is required"],
    ["a name in use", { Password: "a", Name: "ROOT" }, "[0].Name: another user has this name", 409],
    ["a colon in the name", { Password: "a", Name: "a:b" }, "[0].Name: a name without a colon"],
    [
      "a lock beside a password",
      { Password: "a", IsLocked: true },
      "[0].IsLocked: contradicts the new password",
    ],
  ])("refuses a new user with %s", async (_name, member, message, status = 400) => {
    const answer = await admin.call("POST", PATH, [{ Name: "eva", GroupId: GUARDS_ID, ...member }]);
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toContain(message);
    expect(answer.text).not.toContain("hunter2");
    expect(admin.site.revision).toBe(2);
  });

  it.each<[string, string, string, unknown]>([
    ["deleted", "DELETE", `${PATH}/${ROOT_ID}`, undefined],
    ["locked", "PUT", PATH, [{ Id: ROOT_ID, IsLocked: true }]],
    ["moved to another group", "PUT", PATH, [{ Id: ROOT_ID, GroupId: GUARDS_ID }]],
  ])("does not let the last senior administrator be %s", async (_name, method, path, body) => {
    const answer = await admin.call(method, path, body);
    expect(answer.status).toBe(409);
    expect(errorOf(answer)).toContain("at least one senior administrator");
    expect(await loginStatus("root", "5ebe2294ecd0e0f08eab7690d2a6ee69")).toBe(200);
  });

  it("logs neither passwords nor their MD5", async () => {
    await admin.call("POST", PATH, [{ Name: "eva", GroupId: GUARDS_ID, Password: "hunter2" }]);
    const logged = JSON.stringify(admin.api.logLines);
    expect(logged).not.toContain("hunter2");
    expect(logged).not.toContain(md5("hunter2"));
  });
});
