import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newGuid } from "../../src/base/index.js";
import * as contract from "../../src/contract/index.js";
import { isKept, type Kind, type Members, storedName } from "../../src/contract/index.js";
import {
  createFirstSite,
  exportSite,
  exportWithoutLogins,
  importSite,
  LOCKED_SECRET,
  type Site,
  withKnownLogins,
} from "../../src/site/index.js";
import { ADDRESS_PLACES } from "../../src/site/store/without-logins.js";
import { awayTarget } from "../support/away/away-samples.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { arbitrarySite } from "../support/site/arbitrary-site.js";

const MODEL = join(REPOSITORY_ROOT, "src/site/model");
const first = () => createFirstSite({ serverName: "here", nowUs: 1_700_000_000_000_000 });
const throughJson = (data: unknown): unknown => JSON.parse(JSON.stringify(data));

/** What owners call things, and what looks like a login and is none. */
const LOOKS = [
  ...["Camera #1", "Guard #2", "admin:1234@gate", "user=admin_password=tlJwpbo6", "p=1&u=2"],
  ...["rtsp://a:b@c/d", "/admin:12345/", "?token=abc#top", "key=value", "Gate ***", "a@b", "#", "sid=1"],
];
/** Members that hold a text of the owner's choice. */
const FREE = new Set(["name", "description", "comment", "text"]);

/** The value with each free text replaced by one of `looks`, numbered, because some have to be unique. */
function withLooks(value: unknown, looks: () => string, key = ""): unknown {
  if (typeof value === "string") return FREE.has(key) ? looks() : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withLooks(item, looks));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withLooks(member, looks, name)]),
  );
}

const site: fc.Arbitrary<Site> = fc
  .tuple(arbitrarySite, fc.array(fc.constantFrom(...LOOKS), { minLength: 1, maxLength: 8 }))
  .map(([plain, texts]) => {
    let count = 0;
    const full = {
      ...plain,
      alarmTargets: [alarmTarget()],
      awayTargets: [awayTarget({ id: newGuid() })],
    };
    const users = plain.users.map(({ name }) => name);
    const changed = withLooks(full, () => `${texts[count % texts.length]} ${count++}`) as Site;
    // Root is known by its name.
    return {
      ...changed,
      users: changed.users.map((user, at) => (at === 0 ? { ...user, name: users[0] ?? "" } : user)),
    };
  });

function alarmTarget(): Site["alarmTargets"][number] {
  return {
    ...{ id: newGuid(), name: "Guards", isEnabled: true, events: "errors", channelIds: "all" },
    ...{ isToldOfRecorder: true, perHourMax: 10 },
    delivery: {
      ...{ kind: "mail", host: "mail.example.org", port: 25, security: "none", login: "a=b#1" },
      ...{ password: "mail-password", sender: "user=a#1@example.org", recipients: ["key=1@example.org"] },
    },
  };
}

/** The same on another server, as an import makes it. */
function on(server: Site, one: Site): Site {
  return JSON.parse(JSON.stringify(one).replaceAll(one.server.id, server.server.id)) as Site;
}

/** The site as a recorder has it that knows none of its secrets. */
function withoutSecrets(one: Site): Site {
  return {
    ...one,
    cameras: one.cameras.map((camera) => ({
      ...camera,
      connection: { ...camera.connection, password: "" },
    })),
    users: one.users.map((user) => ({ ...user, secret: LOCKED_SECRET })),
    monitoring: { ...one.monitoring, password: "" },
    alarmTargets: one.alarmTargets.map((target) => ({
      ...target,
      delivery: { ...target.delivery, password: "" },
    })) as unknown as Site["alarmTargets"],
    awayTargets: one.awayTargets.map((target) => ({
      ...target,
      ...{ secretAccessKey: "", sessionToken: "", proxyPassword: "", identity: "" },
    })),
  };
}

describe("a configuration saved as a file", () => {
  it("is taken by a fresh recorder with its secrets, and equal, whatever its texts look like", () => {
    const property = fc.property(site, (one) => {
      const current = first();
      const document = throughJson(exportWithoutLogins(one));
      const imported = importSite({ document, secrets: throughJson(exportSite(one).secrets), current });
      const hasOpen = one.users.some(({ secret }) => secret === null);
      const notes = hasOpen ? [expect.stringMatching(/^users who log in without a password now: /)] : [];
      expect(imported).toEqual({ site: on(current, one), notes });
    });
    fc.assert(property, { numRuns: 100 });
  });

  it("is equal on a fresh recorder without its secrets, but for these", () => {
    const property = fc.property(site, (one) => {
      const current = first();
      const document = throughJson(exportWithoutLogins(one));
      expect(importSite({ document, current }).site).toEqual(withoutSecrets(on(current, one)));
    });
    fc.assert(property, { numRuns: 50 });
  });

  it("has no login in any address, wherever the configuration holds one", () => {
    const login = "rtsp://viewer:hidden-one@192.0.2.1/main";
    for (const place of ADDRESS_PLACES) {
      const at = (steps: readonly string[]): unknown => {
        const [step, ...rest] = steps;
        if (step === undefined) return login;
        // An item of a list has an id, a stream of an object does not.
        if (step === "*")
          return place.indexOf("*") === place.length - steps.length ? [item(at(rest))] : { Main: at(rest) };
        return { [step]: at(rest) };
      };
      const known = at(place);
      const partial = known as Partial<Site>;
      const monitoring = { ...first().monitoring, ...partial.monitoring };
      const document = exportWithoutLogins({ ...first(), ...partial, monitoring } as Site);
      expect(JSON.stringify(document), place.join(".")).not.toContain("hidden-one");
      expect(withKnownLogins(throughJson(document.site), known), place.join(".")).toMatchObject(
        known as object,
      );
    }
  });

  it("knows each member of the model that is called an address", () => {
    const places = new Set(ADDRESS_PLACES.map((place) => place.at(-1)));
    const model = readdirSync(MODEL).map((file) => readFileSync(join(MODEL, file), "utf8"));
    const written = [
      ...model.join("\n").matchAll(/readonly (\w*(?:url|endpoint|hostname|params|proxy))\??: string/gi),
    ].map(([, member]) => member);
    const agreed = Object.values(contract).flatMap((members) => addressesOf(members));
    expect(agreed).toContain("hostname");
    expect(new Set([...written, ...agreed])).toEqual(places);
  });
});

/** Members of a contract that are kept and called an address. */
function addressesOf(members: unknown): readonly string[] {
  if (typeof members !== "object" || members === null) return [];
  return Object.entries(members as Members).flatMap(([name, member]) => {
    const kind: Kind = member.kind === "list" ? member.item : member;
    if (kind?.kind === "group") return addressesOf(kind.members);
    if (kind?.kind !== "line" || !isKept(member)) return [];
    return /(?:url|endpoint|hostname|params|proxy)$/i.test(name) ? [storedName(name, member)] : [];
  });
}

function item(value: unknown): object {
  return { id: "11111111-0000-4000-8000-000000000001", ...(value as object) };
}
