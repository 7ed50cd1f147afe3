import { beforeEach, describe, expect, it } from "vitest";
import { type Administration, errorOf, startAdministration } from "../../support/api/administration.js";
import { GUARDS_ID } from "../../support/api/api-fakes.js";

let admin: Administration;
beforeEach(async () => {
  admin = await startAdministration();
});

const rename = (headers: Record<string, string> = {}, query = "") =>
  admin.call(
    "PUT",
    `/configure/groups${query}`,
    [{ Id: GUARDS_ID, Comment: `at ${Math.random()}` }],
    headers,
  );

describe("concurrent changes", () => {
  it("without a revision are all applied, each on the one before", async () => {
    const changes = [
      admin.call("PUT", "/configure/groups", [{ Id: GUARDS_ID, Comment: "one" }]),
      admin.call("PUT", "/configure/groups", [{ Id: GUARDS_ID, Rights: { CanPTZ: false } }]),
      admin.call("PUT", "/configure/groups", [{ Id: GUARDS_ID, PtzPriority: "Middle" }]),
      admin.call("POST", "/configure/views", [{ Name: "A" }]),
      admin.call("POST", "/configure/views", [{ Name: "B" }]),
      admin.call("PUT", "/configure/server", { UseTimeZones: true }),
    ];
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
    const group = admin.site.groups.find(({ id }) => id === GUARDS_ID);
    expect(group).toMatchObject({ comment: "one", ptzPriority: "Middle", rights: { CanPTZ: false } });
    expect(admin.site.views.map(({ name }) => name).sort()).toEqual(["A", "B"]);
    expect(admin.site).toMatchObject({ useTimeZones: true, revision: 8 });
  });

  it("of one revision: the first is applied, the others are notified of the conflict", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => rename({ "If-Match": '"2"' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(admin.site.revision).toBe(3);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused && errorOf(refused)).toContain("revision 2 was expected, 3 is current");
  });

  it.each<[string, Record<string, string>, string, number]>([
    ["the current entity tag", { "If-Match": '"2"' }, "", 200],
    ["a weak entity tag", { "If-Match": 'W/"2"' }, "", 200],
    ["a bare number", { "If-Match": "2" }, "", 200],
    ["any revision", { "If-Match": "*" }, "", 200],
    ["the query", {}, "?revision=2", 200],
    ["an old one in the query", {}, "?revision=1", 409],
    ["an old entity tag", { "If-Match": '"1"' }, "", 409],
    ["two that differ", { "If-Match": '"2"' }, "?revision=1", 409],
    ["a word", { "If-Match": '"new"' }, "", 400],
    ["a list", { "If-Match": '"1", "2"' }, "", 400],
    ["a number without end", {}, `?revision=${"9".repeat(16)}`, 400],
  ])("with %s", async (_name, headers, query, status) => {
    expect((await rename(headers, query)).status).toBe(status);
    expect(admin.site.revision).toBe(status === 200 ? 3 : 2);
  });

  it("keep their author and say what changed", async () => {
    await rename();
    await admin.call("PUT", "/configure/monitoring", { Password: "hunter2" });
    const [second, first] = await admin.store.history();
    expect(first).toMatchObject({ by: { name: "root" }, summary: "group Guards (comment) changed" });
    expect(second).toMatchObject({ by: { name: "root" }, summary: "monitoring settings (password) changed" });
    expect(JSON.stringify(second)).not.toContain("hunter2");
  });
});
