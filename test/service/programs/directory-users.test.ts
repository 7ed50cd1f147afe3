import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BASE_DN, PEOPLE, SERVICE_DN, SERVICE_PASSWORD, Slapd } from "../../support/access/slapd.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { md5, ROOT_PASSWORD, Service } from "../../support/service/service.js";

let slapd: Slapd;
let directory: TemporaryDirectory;
let service: Service;

beforeAll(async () => {
  slapd = await Slapd.start();
  directory = new TemporaryDirectory("nvrd-access-directory");
  directory.write({ "service-password": `${SERVICE_PASSWORD}\n` });
  service = await Service.start({
    dataDir: directory.join("data"),
    settings: {
      ldapUrl: slapd.url,
      ldapCaFile: slapd.caFile,
      ldapBaseDn: BASE_DN,
      ldapServiceDn: SERVICE_DN,
      ldapServicePasswordFile: directory.join("service-password"),
    },
  });
  const groups = [
    { Name: "Guards", DirectoryGroups: ["guards"] },
    { Name: "Night", DirectoryGroups: [`cn=night shift,ou=groups,${BASE_DN}`] },
  ];
  const answer = await fetch(url(`/configure/groups?login=root&password=${md5(ROOT_PASSWORD)}`), {
    method: "POST",
    body: JSON.stringify(groups),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
});

afterAll(async () => {
  await service?.stop();
  await slapd?.stop();
  directory?.remove();
});

const url = (path: string): string => `http://127.0.0.1:${service.httpPort}${path}`;

const basic = (login: string, password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`,
});

/** The name of the user group that /configex shows, or the status that refuses. */
async function groupShown(query: string, headers: Record<string, string> = {}): Promise<string | number> {
  const response = await fetch(url(`/configex?responsetype=json&${query}`), { headers });
  if (response.status !== 200) return response.status;
  return ((await response.json()) as { UserGroup: { Name: string } }).UserGroup.Name;
}

const inQuery = (login: string, password: string): string =>
  `login=${login}&usertype=ActiveDirectory&password=${encodeURIComponent(Buffer.from(password).toString("base64"))}`;

describe("a directory user of Debian's slapd, over StartTLS,", () => {
  it("logs in by the query, by Basic with the header UserType, and by Basic without it", async () => {
    expect(await groupShown(inQuery("alice@example.org", PEOPLE.alice))).toBe("Guards");
    const header = { UserType: "ActiveDirectory" };
    expect(await groupShown("", { ...basic("alice@example.org", PEOPLE.alice), ...header })).toBe("Guards");
    expect(await groupShown("", { ...basic("alice", PEOPLE.alice), ...header })).toBe("Guards");
    expect(await groupShown("", basic("alice@example.org", PEOPLE.alice))).toBe("Guards");
  });

  it("is refused with a wrong password, and when no group of its is mapped", async () => {
    expect(await groupShown(inQuery("alice@example.org", "wrong"))).toBe(401);
    expect(await groupShown(inQuery("carol@example.org", PEOPLE.carol))).toBe(401);
  });

  it("who is no senior administrator has no configuration API", async () => {
    const response = await fetch(url(`/configure/users?${inQuery("alice@example.org", PEOPLE.alice)}`));
    expect(response.status).toBe(403);
  });

  it("who joins a group has its rights with the next login", async () => {
    expect(await groupShown(inQuery("bob@example.org", PEOPLE.bob))).toBe(401);
    await slapd.setMembers("guards", ["bob"]);
    // What the directory said is remembered for a minute; another spelling of the name is another login.
    expect(await groupShown(inQuery("Bob@example.org", PEOPLE.bob))).toBe("Guards");
  });

  it("waits for nobody when the directory is down, and internal users do not notice", async () => {
    await slapd.halt();
    try {
      expect(await groupShown(inQuery("dave@example.org", "x"))).toBe(503);
      expect(await groupShown(`login=root&password=${md5(ROOT_PASSWORD)}`)).toBe("Senior administrators");
      // Found right less than ten minutes ago.
      expect(await groupShown(inQuery("alice@example.org", PEOPLE.alice))).toBe("Guards");
    } finally {
      await slapd.run();
    }
  });
});
