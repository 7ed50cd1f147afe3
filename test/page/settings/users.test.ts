import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { noBrowser } from "../../support/page/page-browser.js";
import { pageForAllTests } from "../../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";

const SENTENCE = "a long sentence of hers";
const USERS = "#/settings?part=users";
const { browser, recorder } = pageForAllTests({ cameras: ["Gate", "Yard"] });

/** A user that is set up by the API. */
async function addGuard(name: string, rights: object = { CanReceiveMainStream: true }): Promise<void> {
  const access = { AllRealtimeAllowed: true, ChannelsArchiveAllowed: [] };
  const groups = [{ Name: `Group of ${name}`, Rights: rights, ChannelsAccessOptions: access }];
  const { CreatedObjectsIds: ids } = (await recorder.service.json("/configure/groups", {
    method: "POST",
    body: groups,
  })) as { CreatedObjectsIds: string[] };
  const users = [{ Name: name, GroupId: ids[0], Password: SENTENCE }];
  await recorder.service.json("/configure/users", { method: "POST", body: users });
}

async function openUsers(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.button(/Add a user|Добавить пользователя/).waitFor();
}

/** Row of a user or a group. */
const change = (visit: PageVisit, name: string) => visit.button(`Change ${name}`);

describe.skipIf(noBrowser !== undefined)(`the users of the recorder${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are for everybody to set up at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, { ...options, address: USERS }, async (visit) => {
      await openUsers(visit);
      await visit.shot("users");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.button(/Add a user|Добавить пользователя/).click();
      await visit.page.getByRole("dialog", { name: /New user|Новый пользователь/ }).waitFor();
      await visit.shot("user-form");
      expect(await visit.violations()).toEqual([]);
    }),
  );

  it("get one who may only watch camera 2 live, which holds in the page at once", () =>
    browser.goOn(recorder.origin, { address: USERS }, async (visit) => {
      await openUsers(visit);
      await visit.button("Add a user").click();
      await visit.field("Name").fill("neighbour");
      await visit.field("Password").fill(SENTENCE);
      await visit.field("Group").selectOption({ label: "Only what I choose below" });
      await visit.field("Live: Yard").check();
      await visit.button("Save").click();
      await visit.page.getByText("neighbour can log in now.").waitFor();
      await visit.page.getByText("Live: Yard. Recordings: no camera.").waitFor();
      await browser.visit(recorder.origin, {}, async (other) => {
        await other.logIn("neighbour", SENTENCE);
        await other.page
          .getByRole("heading", { name: "Live" })
          .or(other.page.getByText("Yard").first())
          .first()
          .waitFor();
        const named = await other.page.evaluate(
          "fetch('/configex?responsetype=json').then((answer) => answer.json()).then(({ Channels }) => Channels.map(({ Name, AllowedRealtime, AllowedArchive }) => [Name, AllowedRealtime, AllowedArchive]))",
        );
        expect(named).toEqual([["Yard", true, false]]);
        expect(await other.page.getByRole("link", { name: "Settings" }).count()).toBe(0);
      });
    }));

  it("are kept out, and let in again with another password", async () => {
    await addGuard("ada");
    await browser.visit(
      recorder.origin,
      { allow: [/401/, /WebSocket .*Authentication failed/] },
      async (other) => {
        await other.logIn("ada", SENTENCE);
        await browser.visit(recorder.origin, { address: USERS }, async (visit) => {
          await openUsers(visit);
          await change(visit, "ada").click();
          await visit.button("Do not let in").click();
          await visit.page.getByText("Cannot log in").waitFor();
          await other.heading("Log in to the recorder").waitFor();
          await change(visit, "ada").click();
          await visit.field("New password").fill("another long sentence");
          await visit.button("Save").click();
          await expect.poll(() => visit.page.getByText("Cannot log in").count()).toBe(0);
        });
        await other.fillLogin("ada", "another long sentence");
        await other.page.getByRole("navigation", { name: "Main" }).waitFor();
      },
    );
  });

  it("lose a right at once that is taken from their group", async () => {
    await addGuard("berta", { CanReceiveMainStream: true, CanPTZ: true, CanConfigureVideowall: true });
    await browser.goOn(recorder.origin, { address: USERS }, async (visit) => {
      await openUsers(visit);
      await change(visit, "Group of berta").click();
      await visit.field("Move cameras").uncheck();
      await visit.button("Save").click();
      await visit.page.getByText("Group of berta is changed.").waitFor();
    });
    const groups = (await recorder.service.json("/configure/groups")) as {
      readonly Name: string;
      readonly Rights: Readonly<Record<string, boolean>>;
    }[];
    const rights = groups.find(({ Name }) => Name === "Group of berta")?.Rights;
    // Rights that the page does not show stay as they are.
    expect(rights).toMatchObject({ CanPTZ: false, CanReceiveMainStream: true, CanConfigureVideowall: true });
  });

  it("are removed at the second press, then their group", async () => {
    await addGuard("carl");
    await browser.goOn(recorder.origin, { address: USERS }, async (visit) => {
      await openUsers(visit);
      await change(visit, "carl").click();
      await visit.button("Remove the user").click();
      await visit.button("Remove carl for good").click();
      await expect.poll(() => change(visit, "carl").count()).toBe(0);
      await change(visit, "Group of carl").click();
      await visit.button("Remove the group").click();
      await visit.button("Remove Group of carl for good").click();
      await expect.poll(() => change(visit, "Group of carl").count()).toBe(0);
    });
  });

  it("are not overwritten where somebody else changed the settings meanwhile", async () => {
    await addGuard("dora");
    await browser.visit(recorder.origin, { address: USERS, allow: [/409/] }, async (visit) => {
      await openUsers(visit);
      await change(visit, "Group of dora").click();
      await addGuard("emil");
      await visit.field("Sound").check();
      await visit.button("Save").click();
      await visit.page.getByText(/^Somebody else has changed the settings meanwhile/).waitFor();
      await change(visit, "emil").waitFor();
    });
  });

  it("are not added with a name or a password that cannot be, and the form says why", () =>
    browser.goOn(recorder.origin, { address: USERS }, async (visit) => {
      await openUsers(visit);
      await visit.button("Add a user").click();
      for (const [name, password, fault] of [
        ["root", SENTENCE, "This name is in use."],
        ["", SENTENCE, "Give it a name."],
        ["a:b", SENTENCE, "A name of a user has no colon."],
        ["frida", "short", "The password has at least 8 characters."],
      ] as const) {
        await visit.field("Name").fill(name);
        await visit.field("Password").fill(password);
        await visit.button("Save").click();
        await expect.poll(() => visit.alert().textContent()).toBe(fault);
      }
    }));

  it("have left in the events what they did", () =>
    browser.goOn(recorder.origin, { address: USERS }, async (visit) => {
      await addGuard("hugo");
      await openUsers(visit);
      await visit.page.getByRole("link", { name: "Who changed the settings" }).click();
      await visit.page
        .getByText(/user hugo added/)
        .first()
        .waitFor();
    }));

  it("are set up by keys alone", () =>
    browser.visit(recorder.origin, { address: USERS }, async (visit) => {
      await openUsers(visit);
      await visit.tabTo("button", "Add a user");
      await visit.press("Enter");
      await visit.page.getByRole("dialog", { name: "New user" }).waitFor();
      await visit.page.keyboard.type("gerda");
      await visit.tabTo("textbox", "Password");
      await visit.page.keyboard.type(SENTENCE);
      await visit.tabTo("combobox", "Group");
      await visit.page.keyboard.type("Only");
      await visit.tabTo("checkbox", "Live: Gate");
      await visit.press("Space");
      await visit.tabTo("button", "Save");
      await visit.press("Enter");
      await visit.page.getByText("gerda can log in now.").waitFor();
      // Where the dialog was opened from.
      await visit.button("Add a user").and(visit.page.locator(":focus")).waitFor();
    }));
});

describe.skipIf(noBrowser !== undefined)(`the company's directory on the page${notHere(noBrowser)}`, () => {
  let api: ApiHarness;

  beforeAll(async () => {
    api = await startApi({
      settings: { page: { folder: join(REPOSITORY_ROOT, "build", "page") } },
      directory: {
        authenticate: async (login, password) => {
          const reason = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
          if (login === "late") throw new NvrdError("NOT_AVAILABLE", "not available", { cause: reason });
          return login === "alice" && password === SENTENCE
            ? { dn: "uid=alice,dc=example,dc=org", groups: ["cn=Night,dc=example,dc=org"] }
            : undefined;
        },
      },
    });
  });

  afterAll(() => api?.stop());

  it("is tried with a login, which says why it would not get in", () =>
    browser.visit(api.url(""), { address: USERS }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.heading("Company directory (LDAP)").waitFor();
      await visit.field("Name in the directory").fill("alice");
      await visit.field("Its password").fill("not hers");
      await visit.button("Try it").click();
      await visit.page.getByText(/^The directory refuses it/).waitFor();
      await visit.field("Its password").fill(SENTENCE);
      await visit.button("Try it").click();
      await visit.page.getByText(/no group here names one of its groups/).waitFor();
      await visit.page.getByText("Groups in the directory: cn=Night,dc=example,dc=org").waitFor();
      await visit.field("Name in the directory").fill("late");
      await visit.button("Try it").click();
      await visit.page.getByText(/^Nothing answers at its address: check the address/).waitFor();
      await visit.shot("directory trial");
      expect(await visit.violations()).toEqual([]);
    }));

  it.each([
    { size: "desktop", theme: "light", language: "en" },
    { size: "phone", theme: "dark", language: "ru" },
  ] as const)("is set up, tried before it is kept, and removed, at $size size, $language", (look) =>
    browser.visit(
      api.url(""),
      { isNobody: true, ...look, address: USERS, allow: [/409 \(Conflict\)/] },
      async (visit) => {
        const words = SET_UP[look.language];
        await visit.logIn("root", "secret");
        await visit.button(words.setUp).click();
        const form = visit.page.getByRole("dialog", { name: words.title });
        const field = (name: string) => form.getByRole("textbox", { name });
        await field(words.url).fill("ldaps://dc1.example.org");
        await field(words.base).fill("dc=example,dc=org");
        await field(words.account).fill("cn=reader,dc=example,dc=org");
        await form.getByLabel(words.accountPassword, { exact: true }).fill("the reader's own");
        await field(words.login).fill("alice");
        await form.getByLabel(words.password, { exact: true }).fill(SENTENCE);
        // Enter tries, and saves nothing.
        await form.getByLabel(words.password, { exact: true }).press("Enter");
        await form.getByText("cn=Night,dc=example,dc=org").waitFor();
        await visit.shot("directory form");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
        expect(api.site.current.directory).toBeUndefined();
        await form.getByRole("button", { name: words.save }).click();
        await visit.page.getByText(words.holds).waitFor();
        expect(api.site.current.directory).toMatchObject({
          ...{ url: "ldaps://dc1.example.org", serviceDn: "cn=reader,dc=example,dc=org", startTls: true },
          servicePassword: "the reader's own",
        });
        await visit.button(words.setUp).click();
        await field(words.url).fill("ldap://elsewhere.example.org");
        await form.getByRole("checkbox", { name: /StartTLS/ }).waitFor();
        await form.getByRole("button", { name: words.save }).click();
        await form.getByText(words.again).waitFor();
        await form.getByRole("button", { name: words.cancel }).click();
        await visit.button(/^(?:Leave without saving|Уйти без сохранения)$/).click();
        await visit.button(words.remove).click();
        await visit.button(words.sure).click();
        await visit.page.getByText(words.ofFile).waitFor();
        expect(api.site.current.directory).toBeUndefined();
      },
    ),
  );
});

const SET_UP = {
  en: {
    ...{ setUp: "Set up the directory", title: "Company directory (LDAP)", url: "Address" },
    ...{ base: "Where users are searched", account: "Account that searches" },
    ...{ accountPassword: "Password of the account", login: "Name in the directory" },
    ...{ password: "Its password", save: "Save", cancel: "Cancel", again: /enter it again/ },
    ...{ holds: /^It is set here\. That of the settings file/, remove: "Remove what is set here" },
    ...{ sure: /^Really remove\?/, ofFile: /^It is that of the recorder's settings file/ },
  },
  ru: {
    ...{ setUp: "Настроить каталог", title: "Каталог организации (LDAP)", url: "Адрес" },
    ...{ base: "Где искать пользователей", account: "Учётная запись для поиска" },
    ...{ accountPassword: "Пароль учётной записи", login: "Имя в каталоге" },
    ...{ password: "Его пароль", save: "Сохранить", cancel: "Отмена", again: /введите пароль заново/ },
    ...{ holds: /^Он задан здесь\. Каталог из файла/, remove: "Убрать заданное здесь" },
    ...{ sure: /^Точно убрать\?/, ofFile: /^Он задан в файле настроек/ },
  },
} as const;
