import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/log/log.js";
import { OwnerChoices, type OwnerChoicesOptions } from "../../../src/service/part/first-run.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const log = createLog({ level: "silent" });
let directory: TemporaryDirectory;

beforeEach(() => {
  directory = new TemporaryDirectory("first-run");
  mkdirSync(directory.join("data"));
});
afterEach(() => directory.remove());

/** What a service finds that starts with these settings. */
function begun(change: Partial<OwnerChoicesOptions> = {}) {
  const environment: NodeJS.ProcessEnv = { ...change.environment };
  const common = { dataDir: directory.join("data"), language: "en", timeZoneChoice: "owner", log } as const;
  return { choices: new OwnerChoices({ ...common, ...change, environment }), environment };
}

describe("what the owner chose at the first run", () => {
  it("takes effect at once and holds over a restart", async () => {
    const { choices, environment } = begun();
    await choices.choose({ language: "ru", timeZone: "Asia/Tokyo", isGoing: true });
    expect([choices.language, environment.TZ, choices.isGoing]).toEqual(["ru", "Asia/Tokyo", true]);
    const again = begun();
    expect([again.choices.language, again.environment.TZ, again.choices.isGoing]).toEqual([
      "ru",
      "Asia/Tokyo",
      true,
    ]);
  });

  it("gives way to a setting that is changed later", async () => {
    await begun().choices.choose({ language: "ru", timeZone: "Asia/Tokyo" });
    const later = begun({ language: "ru", environment: { TZ: "Europe/Berlin" } });
    expect([later.choices.language, later.environment.TZ]).toEqual(["ru", "Europe/Berlin"]);
    const { choices } = begun({ environment: { TZ: "Europe/Berlin" } });
    await choices.choose({ timeZone: "Asia/Tokyo" });
    expect(begun({ environment: { TZ: "Europe/Berlin" } }).environment.TZ).toBe("Asia/Tokyo");
    expect(begun().environment.TZ).toBeUndefined();
  });

  it("leaves the time zone to a machine that has one of its own", async () => {
    const { choices, environment } = begun({ timeZoneChoice: "machine" });
    expect(choices.canChooseTimeZone).toBe(false);
    await expect(choices.choose({ timeZone: "Asia/Tokyo" })).rejects.toThrow(/machine's/);
    expect(environment.TZ).toBeUndefined();
  });

  it.each(["", "null", "[]", "{", '{"language":{"value":"xx","insteadOf":"en"}}', '{"timeZone":5}'])(
    "counts as none where the file is %j",
    (text) => {
      writeFileSync(directory.join("data/first-run.json"), text);
      const { choices, environment } = begun();
      expect([choices.language, environment.TZ, choices.isGoing]).toEqual(["en", undefined, false]);
    },
  );

  it("is written whole", async () => {
    await begun().choices.choose({ isGoing: true });
    expect(JSON.parse(readFileSync(directory.join("data/first-run.json"), "utf8"))).toMatchObject({
      isGoing: true,
    });
  });
});
