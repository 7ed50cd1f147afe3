import { expect, test } from "vitest";
import { EVENT_TYPE_LIST, EVENT_TYPES, eventTypesIn } from "../../src/event/index.js";
import { loadSettings } from "../../src/settings/index.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { found, openEventLog } from "../support/event/event-log-harness.js";

const PLATE = EVENT_TYPES.plateRecognized;
const RUSSIAN_PLATE = "Обнаружен автономер";

test("every type has a Russian name of its own", () => {
  const russian = eventTypesIn("ru");
  expect(russian.map(({ id, category }) => [id, category])).toEqual(
    EVENT_TYPE_LIST.map(({ id, category }) => [id, category]),
  );
  expect(new Set(russian.map(({ name }) => name)).size).toBe(russian.length);
  for (const { name } of russian) expect(name).toMatch(/\p{Script=Cyrillic}/u);
});

test("events and the catalogue are named in the language of the log", async () => {
  const log = await openEventLog(await temporaryDirectory(), { language: () => "ru" });
  expect(log.raise({ typeId: PLATE.id }).description).toBe(RUSSIAN_PLATE);
  expect(log.types.find(({ id }) => id === PLATE.id)?.name).toBe(RUSSIAN_PLATE);
  await log.stop();
});

test("kept events are named in the language of now, and a text of their own stays", async () => {
  const directory = await temporaryDirectory();
  const english = await openEventLog(directory);
  english.raise({ typeId: PLATE.id });
  english.raise({ typeId: PLATE.id, description: "Guest" });
  await english.stop();
  const russian = await openEventLog(directory, { language: () => "ru" });
  russian.raise({ typeId: PLATE.id });
  expect((await found(russian)).map(({ description }) => description)).toEqual([
    RUSSIAN_PLATE,
    "Guest",
    RUSSIAN_PLATE,
  ]);
  await russian.stop();
  const again = await openEventLog(directory, { language: () => "en" });
  expect((await found(again)).map(({ description }) => description)).toEqual([
    PLATE.name,
    "Guest",
    PLATE.name,
  ]);
  await again.stop();
});

test("the setting is English or Russian", () => {
  const language = (value?: string): string =>
    loadSettings({ flags: {}, environment: value === undefined ? {} : { NVRD_LANGUAGE: value } }).language;
  expect([language(), language("ru")]).toEqual(["en", "ru"]);
  expect(() => language("fr")).toThrow("en, ru");
});
