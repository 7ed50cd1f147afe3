import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REFUSAL_TEMPLATES } from "../../src/route/answer/refusal-templates.js";
import { languageOf, REFUSAL_CHARACTERS_MAX, refusalIn } from "../../src/route/answer/refusal-words.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const TEMPLATES = Object.values(REFUSAL_TEMPLATES).flat();
const PART = /\{=?\w+\}/g;

const asked = (value: string | undefined) =>
  languageOf({ header: (name) => (name === "accept-language" ? value : undefined) });

/** All that the service says, on one line and without what is put into it. */
function saidByTheService(): string {
  const source = join(REPOSITORY_ROOT, "src");
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter(
      (name) => name.endsWith(".ts") && !name.startsWith("page") && !name.endsWith("refusal-templates.ts"),
    )
    .map((name) => readFileSync(join(source, name), "utf8"))
    .join("\n");
}

describe("a refusal", () => {
  it("is told in Russian to a request that wants it", () => {
    const text = "the certificate is not taken: the key is not that of the certificate";
    expect(refusalIn("ru", 400, text)).toBe("Сертификат не принят: ключ не от этого сертификата.");
  });

  it("names the place of each fault", () => {
    const text =
      "IPv4.Address: write an address with the length of its network, such as 192.168.1.20/24; [0].Name: another group has this name: correct the named parameter";
    expect(refusalIn("ru", 400, text)).toBe(
      "Адрес IPv4: нужен адрес с длиной сети, например 192.168.1.20/24. [0].Name: это имя уже занято.",
    );
  });

  it.each([
    ["GivenTo: is no camera that is set up", "Камера, которой передаются записи: такой камеры нет."],
    ["GivenTo: is missing", "Камера, которой передаются записи: не указано."],
  ])("says what is wrong with a camera that is to get recordings: %s", (fault, russian) => {
    expect(refusalIn("ru", 400, `${fault}: correct the named parameter`)).toBe(russian);
  });

  it.each([
    [
      "there is no room for the file on the recorder's own disk: it takes about 6 MB, and 5 MB are left",
      "Для файла нет места на собственном диске регистратора: нужно около 6 МБ, осталось 5 МБ. Удалите ненужные файлы или выберите время короче.",
    ],
    ["nothing is recorded in this time", "За это время ничего не записано."],
    ["the file cannot be written: EIO", "Файл не записывается: диск регистратора отказывает."],
  ])("says why a file was not made: %s", (english, russian) => {
    expect(refusalIn("ru", 0, english)).toBe(russian);
  });

  it("says that a moment is too long ago", () => {
    const fault = "Time: is too long ago: events from before 2025-11-30 are not kept";
    expect(refusalIn("ru", 409, `${fault} (setting eventDays): correct the named parameter`)).toBe(
      "Момент: слишком давно: события раньше 2025-11-30 не хранятся (настройка eventDays).",
    );
  });

  it.each([
    ["there is no former camera 22222222-x: see GET /api/archive/former", "Прежней камеры 22222222-x нет."],
    [
      "protected times of the camera hold for these recordings: lift them first",
      "Эти записи защищены вместе с записями камеры, у которой они сейчас: сначала снимите защиту.",
    ],
  ])("says why recordings are not given: %s", (english, russian) => {
    expect(refusalIn("ru", 409, english)).toBe(russian);
  });

  it("keeps names, numbers and addresses", () => {
    const text = `another machine on this network has the address 10.77.0.40: choose an address that is free, outside the range of the DHCP server`;
    expect(refusalIn("ru", 409, text)).toContain("Адрес 10.77.0.40 уже есть у другого устройства");
  });

  it("that is known in English alone stays, behind what its status means", () => {
    expect(refusalIn("ru", 409, "the moon is full")).toBe(
      "Это не сочетается с тем, что уже есть. (По-английски: the moon is full)",
    );
    expect(refusalIn("ru", 418, "tea")).toBe("Не удалось. (По-английски: tea)");
  });

  it("stays English for everybody else, and for browsers that name their languages by themselves", () => {
    expect(refusalIn("en", 400, "the moon is full")).toBe("the moon is full");
    expect([asked(undefined), asked("ru-RU,ru;q=0.9,en;q=0.8"), asked("de"), asked("ru")]).toEqual([
      ...["en", "en", "en", "ru"],
    ]);
  });

  it("is not looked up where it is longer than the service's sentences", () => {
    const taken = (address: string) =>
      refusalIn(
        "ru",
        409,
        `another machine on this network has the address ${address}: choose an address that is free, outside the range of the DHCP server`,
      );
    expect(taken("1".repeat(300))).toMatch(/^Адрес 1+ уже есть/);
    expect(taken("1".repeat(REFUSAL_CHARACTERS_MAX))).toContain("(По-английски: another machine");
  });

  it("that joins more sentences than are looked up stays, from there on", () => {
    const joined = Array(17).fill("a: VLAN 1 is named twice").join("; ");
    expect(joined.length).toBeLessThan(REFUSAL_CHARACTERS_MAX);
    expect(refusalIn("ru", 400, joined)).toMatch(/^a: VLAN 1 указана дважды\. .*a: VLAN 1 is named twice$/);
    expect(refusalIn("ru", 400, "a: ; ".repeat(102))).toContain("(По-английски: a: ;");
  });
});

describe("the templates of refusals", () => {
  it("are of sentences that the service says", () => {
    const said = saidByTheService();
    const pieces = TEMPLATES.flatMap(([english]) => english.split(PART)).filter((piece) => piece.length > 12);
    // A sentence may go over a hint, which stands by itself.
    const missing = pieces
      .flatMap((piece) => piece.split(": "))
      .map((piece) => piece.trim())
      .filter((piece) => piece.length > 12 && !said.includes(piece));
    expect(missing).toEqual([]);
  });

  it("have in Russian no other part than in English", () => {
    const wrong = TEMPLATES.filter(([english, russian]) => {
      const known = new Set(english.match(PART));
      return (russian.match(PART) ?? []).some((part) => !known.has(part));
    });
    expect(wrong).toEqual([]);
  });
});
