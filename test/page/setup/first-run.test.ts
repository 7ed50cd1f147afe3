import { describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { FirstRunBox, LOGIN, OWN } from "../../support/page/first-run-box.js";
import { noBrowser } from "../../support/page/page-browser.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";

/** How many elements show a picture that moves on. */
const MOVING = `[...document.querySelectorAll("video, canvas, img")].filter(({ videoWidth, naturalWidth, width }) =>
  (videoWidth ?? naturalWidth ?? width) > 0).length`;

const box = new FirstRunBox("22222222-0000-4000-8000-0000000000f1", 2);
const { browser } = box;

/** What axe finds, and whether something is too wide. */
const look = async (visit: PageVisit, name: string): Promise<void> => {
  await visit.shot(`first run ${name}`);
  expect([name, await visit.violations(), await visit.isTooWide()]).toEqual([name, [], false]);
};

describe.skipIf(noBrowser !== undefined)(`the first run${notHere(noBrowser)}`, () => {
  it("says about each fault of the password what to do, on a phone in Russian too, and shows nothing else", () =>
    browser.visit(
      box.recorder.origin,
      { size: "phone", theme: "dark", language: "ru", allow: [/status of 400 .*\/setup$/] },
      async (visit) => {
        await visit.fillLogin("root", box.recorder.password);
        await visit.heading("Настройка регистратора").waitFor();
        expect(await visit.page.getByRole("navigation").count()).toBe(0);
        await visit.field("Новый пароль").fill("qwertyuiop");
        await visit.page.getByText("Угадывается сразу").waitFor();
        await visit.page.getByText("Добавьте редкие слова.").waitFor();
        await look(visit, "password");
        await visit.field("Новый пароль ещё раз").fill("другой");
        await visit.button("Далее").click();
        expect(await visit.alert().textContent()).toBe("Пароли не совпадают.");
        await visit.field("Новый пароль ещё раз").fill("qwertyuiop");
        await visit.button("Далее").click();
        await expect.poll(() => visit.alert().textContent()).toMatch(/^Задайте другой пароль/);
      },
    ));

  it("leads from the generated password to a wall of cameras that are recorded", () =>
    browser.visit(box.recorder.origin, { timeZone: "Europe/Berlin" }, async (visit) => {
      await box.hideOthers(visit);
      await visit.fillLogin("root", box.recorder.password);
      await visit.field("New password").fill(OWN);
      await visit.field("New password again").fill(OWN);
      await visit.page.getByText("Very hard to guess").waitFor();
      await visit.field("Name of the recorder").fill("Warehouse");
      expect(await visit.field("Time zone").inputValue()).toBe("Europe/Berlin");
      await look(visit, "recorder");
      await visit.tabTo("button", "Next");
      await visit.press("Enter");

      await visit.heading("Disks for the recordings").waitFor();
      await visit.page.getByText("Room for recordings").waitFor();
      await look(visit, "disks");
      await visit.tabTo("button", "Next");
      await visit.press("Enter");

      await visit.heading("Need a login").waitFor();
      for (const name of ["Street H.264", "Street H.265"])
        await visit.page.getByRole("checkbox", { name: `Choose ${name}` }).waitFor();
      await visit.field("Login of the cameras").fill(LOGIN.user);
      await visit.field("Password of the cameras").fill(LOGIN.password);
      await look(visit, "cameras");
      await visit.button("Try it on 4 cameras").click();
      await visit.page.getByRole("img", { name: "What Street H.264 shows now" }).waitFor();
      await visit.button("Add 4 cameras").waitFor();
      await expect.poll(() => visit.page.getByRole("img", { name: /shows now$/ }).count()).toBe(4);
      await look(visit, "cameras read");
      await visit.button("Add 4 cameras").click();

      await visit.heading("The recorder is set up").waitFor();
      await visit.page.getByText("4 of 4 cameras are recorded.").waitFor();
      // The rate of writing is known after a minute of it.
      await visit.page.getByText(/the recordings last about \d+/).waitFor({ timeout: 90_000 });
      await look(visit, "done");
      await visit.button("Open the live wall").click();
      await visit.page.getByRole("navigation").waitFor();
      await expect.poll(() => visit.page.evaluate(MOVING)).toBeGreaterThanOrEqual(3);
      await visit.shot("first run wall");
    }));

  it("is over then: the next visit begins with the wall, in the time zone that was chosen", () =>
    browser.visit(box.recorder.origin, {}, async (visit) => {
      await visit.logIn("root", OWN);
      await visit.page.getByText("Warehouse").waitFor();
      expect(
        await visit.page.evaluate("fetch('/api/session').then((r) => r.json()).then((s) => s.TimeZone)"),
      ).toBe("Europe/Berlin");
      expect(await visit.heading("Set up the recorder").count()).toBe(0);
    }));

  it("finds no camera where none is, and is worked by keys alone", () =>
    browser.visit(box.recorder.origin, { address: "#/setup?step=cameras" }, async (visit) => {
      await box.hideOthers(visit);
      await visit.fillLogin("root", OWN);
      await visit.heading("Already added").waitFor();
      await visit.button("Look again").and(visit.page.locator(":not([aria-disabled])")).waitFor();
      await visit.page.getByText("Add by address").focus();
      await visit.press("Enter");
      await visit.tabTo("textbox", "Address");
      await visit.page.keyboard.type("127.0.0.1:9");
      await visit.press("Enter");
      await visit.page.getByText("Nothing answers there.").waitFor();
      await look(visit, "by address");
    }));

  it("shows the faults of a table by line, on a phone", () =>
    browser.visit(
      box.recorder.origin,
      { address: "#/setup?step=cameras", size: "phone", theme: "dark" },
      async (visit) => {
        await visit.fillLogin("root", OWN);
        await visit.page.getByText("Import a table (CSV)").click();
        const table = "name,address\nDoor,192.0.2.10\nYard,192.0.2.0/24\nRoof,192.0.2.10";
        const file = { name: "cameras.csv", mimeType: "text/csv", buffer: Buffer.from(table) };
        await visit.field("File").setInputFiles(file);
        await visit.page.getByText("Line 3").waitFor();
        await visit.page.getByText("The address is in an earlier line already.").waitFor();
        await look(visit, "table");
        await visit.field("File").setInputFiles({ ...file, buffer: Buffer.from("address\n192.0.2.10") });
        await visit.page.getByText("1 camera, no faults.").waitFor();
      },
    ));

  it.each(LOOKS)("says what disks there are in people's words, at $size size, $theme, $language", (options) =>
    browser.visit(box.recorder.origin, { ...options, address: "#/setup?step=disks" }, async (visit) => {
      const asked: unknown[] = [];
      await visit.page.route("**/api/disks", (route) => route.fulfill({ json: BOX }));
      await visit.page.route("**/api/tasks", (route) => {
        if (route.request().method() !== "POST") return route.fulfill({ json: [] });
        asked.push(route.request().postDataJSON());
        return route.fulfill({ status: 202, json: { ...PREPARED, Id: "1" } });
      });
      await visit.page.route("**/api/tasks/1", (route) => route.fulfill({ json: PREPARED }));
      await visit.fillLogin("root", OWN);
      const isEnglish = options.language === "en";
      await visit.page.getByText(isEnglish ? "4 TB WD Purple" : "4 ТБ WD Purple").waitFor();
      await visit.page
        .getByText(
          isEnglish
            ? "healthy, holds a file system, perhaps of another recorder"
            : "исправен, на нём файловая",
        )
        .waitFor();
      await look(visit, "box");
      await visit
        .button(isEnglish ? /^Use for recordings: .* WD Purple/ : /^Использовать для записей: .* WD Purple/)
        .click();
      const erase = visit.button(isEnglish ? "Erase and use" : "Стереть и использовать");
      expect(await erase.isDisabled()).toBe(true);
      await visit.page.getByRole("checkbox").check();
      await look(visit, "erase");
      await erase.click();
      await expect
        .poll(() => asked)
        .toEqual([{ Kind: "Format", Device: "/dev/sdb", Serial: "WD-1", Confirm: "WD-1", EraseFound: true }]);
      await visit.page.getByText(isEnglish ? "The disk is ready." : "Диск готов.").waitFor();
    }),
  );
});

const NO_VOLUME = { Volumes: [], IsSystemDisk: false, Contents: [] };
/** A box with a disk of another recorder, an empty one, one that fails, and its own. */
const BOX = {
  Disks: [
    {
      ...{
        Device: "/dev/mmcblk0",
        Model: "",
        Serial: "0x1",
        SizeBytes: 32e9,
        IsSystemDisk: true,
        Verdict: "unknown",
      },
      ...{ Contents: [], Volumes: [] },
    },
    {
      ...{ ...NO_VOLUME, Device: "/dev/sdb", Model: "WDC WD40PURX-64GVNY0", Serial: "WD-1", SizeBytes: 4e12 },
      ...{ Verdict: "good", Contents: [{ Name: "sdb1", Type: "ext4", Label: "REC", MountPoint: null }] },
    },
    {
      ...NO_VOLUME,
      Device: "/dev/sdc",
      Model: "ST8000VX004",
      Serial: "ZA1",
      SizeBytes: 8e12,
      Verdict: "good",
    },
    {
      ...NO_VOLUME,
      Device: "/dev/sdd",
      Model: "TOSHIBA HDWT860",
      Serial: "T1",
      SizeBytes: 6e12,
      Verdict: "failing",
    },
    {
      ...{
        ...NO_VOLUME,
        Device: "/dev/sde",
        Model: "ST4000VN008",
        Serial: "ZB1",
        SizeBytes: 4e12,
        Verdict: "worn",
      },
      Contents: [{ Name: "sde", Type: "ext4", Label: "nvrd-1a2b3c4d", MountPoint: "/srv/nvrd-1a2b3c4d" }],
      Volumes: [
        {
          ...{ Path: "/srv/nvrd-1a2b3c4d", State: "LeftOut", Reason: "it is a volume of another recorder" },
          ...{ SizeBytes: 4e12, FreeBytes: 0, RecordedBytes: 0, AllowedBytes: 0 },
        },
      ],
    },
  ],
  OtherVolumes: [
    {
      ...{ Path: "/data/volume", State: "InUse", Reason: null },
      ...{ SizeBytes: 25e9, FreeBytes: 20e9, RecordedBytes: 0, AllowedBytes: 10e9 },
    },
  ],
};
const PREPARED = { Kind: "Format", State: "Done", Progress: 1, Step: "", Result: null, Error: null };
