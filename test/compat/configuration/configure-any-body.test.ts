import fc from "fast-check";
import { expect, it } from "vitest";
import { CONFIGURATION_ROUTES } from "../../../src/compat/configuration/index.js";
import { startAdministration } from "../../support/api/administration.js";
import { GATE_ID, GUARDS_ID, OUTSIDE_FOLDER_ID } from "../../support/api/api-fakes.js";

const MEMBERS = [
  ...[
    "Id",
    "Name",
    "Comment",
    "Rights",
    "CanPTZ",
    "ChannelsAccessOptions",
    "ChannelsArchiveAllowed",
    "GroupId",
  ],
  ...[
    "Password",
    "PasswordMd5",
    "NoPassword",
    "IsLocked",
    "ParentId",
    "ChildChannels",
    "ChannelIds",
    "GroupIds",
  ],
  ...["AllGroups", "Locations", "ChildLocations", "ChildFolders", "Resolutions", "Type", "Port", "ServerIds"],
  ...["ProxySettings", "IsEnabled", "__proto__", "constructor"],
];
const leaf = fc.oneof(
  fc.constantFrom<unknown>(GUARDS_ID, OUTSIDE_FOLDER_ID, GATE_ID, true, false, null, "", "Low", 0, 1e308, -1),
  fc.string({ maxLength: 8 }),
);
const { body } = fc.letrec<{ body: unknown }>((tie) => ({
  body: fc.oneof(
    { maxDepth: 4, depthIdentifier: "body" },
    leaf,
    fc.array(tie("body"), { maxLength: 3, depthIdentifier: "body" }),
    fc.dictionary(fc.constantFrom(...MEMBERS), tie("body"), { maxKeys: 5, depthIdentifier: "body" }),
  ),
}));

it("whatever the body: an answer of the catalogue, and either the whole change or none", async () => {
  const admin = await startAdministration();
  const routes = CONFIGURATION_ROUTES.filter(
    ({ method, path }) => path.startsWith("/configure/") && (method === "POST" || method === "PUT"),
  );
  const property = fc.asyncProperty(fc.constantFrom(...routes), body, async ({ method, path }, data) => {
    const before = admin.site;
    // Most collections want a list: half of the bodies get one around them.
    const sent = JSON.stringify(Array.isArray(data) || path.endsWith("s") === false ? data : [data]);
    const { status } = await admin.call(method, path, sent);
    expect([200, 400, 404, 409]).toContain(status);
    if (status !== 200) expect(admin.site).toBe(before);
    else expect(admin.site.revision - before.revision).toBeLessThanOrEqual(1);
  });
  await fc.assert(property, { numRuns: 250 });
});
