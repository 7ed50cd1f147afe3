import { describe, expect, it } from "vitest";
import { startAdministration } from "../../support/api/administration.js";
import { MemoryFirstRun } from "../../support/api/memory/memory-first-run.js";
import { SessionBrowser } from "../../support/api/session-browser.js";

const STRONG = "lantern copper violin harbour";

async function fresh() {
  const firstRun = new MemoryFirstRun();
  const administration = await startAdministration({ firstRun, hasFirstPassword: true });
  const browser = new SessionBrowser(administration.api);
  await browser.logIn();
  const post = async (body: unknown, path = "/api/setup") => {
    const answer = await browser.send("POST", path, body);
    return { status: answer.status, text: await answer.text() };
  };
  const state = async () => (await browser.get("/api/setup")).json();
  return { ...administration, firstRun, browser, post, state };
}

describe("the first run", () => {
  it("asks for root's own password first, and changes nothing without it", async () => {
    const { post, state, firstRun, browser } = await fresh();
    expect(await state()).toMatchObject({
      Stage: "Password",
      PasswordScoreMin: 3,
      TimeZone: "Europe/Berlin",
    });
    expect(await post({ ServerName: "Warehouse", Language: "ru" })).toEqual({
      status: 400,
      text: expect.stringContaining("Password: is required"),
    });
    expect(firstRun.language).toBe("en");
    expect(await browser.status("GET", "/api/disks")).toBe(403);
  });

  it("takes password, name, language and time zone; the session goes on, and the generated password is over", async () => {
    const { post, state, store, browser, api } = await fresh();
    const other = new SessionBrowser(api);
    await other.logIn();
    const choices = { ServerName: "Warehouse", Language: "ru", TimeZone: "Europe/Moscow" };
    expect((await post({ Password: STRONG, ...choices })).status).toBe(200);
    expect(await state()).toMatchObject({ Stage: "Going", ...choices });
    expect(store.current.server.name).toBe("Warehouse");
    expect(await (await browser.get("/api/session")).json()).toMatchObject({
      ...{ MustChangePassword: false, Language: "ru", ServerName: "Warehouse" },
    });
    expect(await other.status("GET", "/api/session")).toBe(401);
    expect((await new SessionBrowser(api).logIn("root", "secret")).status).toBe(401);
    expect((await post({ IsFinished: true })).status).toBe(200);
    expect(await state()).toMatchObject({ Stage: "Finished" });
  });

  it.each([
    ["is short", "xK4-9v", 400, "at least 8"],
    ["is guessed soon", "camera2026!", 400, "guessed too soon"],
    ["is the name that the recorder gets", "warehousenorth", 400, "guessed too soon"],
    ["has control characters", "xK4-9vTq\u0000long", 400, "control characters"],
  ])("refuses a password that %s, and changes nothing", async (_, Password, status, word) => {
    const { post, store } = await fresh();
    const answer = await post({ Password, ServerName: "Warehouse north" });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(word)]);
    expect(store.current.server.name).not.toBe("Warehouse north");
  });

  it("refuses a time zone that there is none of, and one that is the machine's to say", async () => {
    const { post, firstRun } = await fresh();
    for (const TimeZone of ["Mars/Olympus", "../etc/passwd", "+03:00", ""])
      expect((await post({ Password: STRONG, TimeZone })).status).toBe(400);
    firstRun.canChooseTimeZone = false;
    expect(await post({ Password: STRONG, TimeZone: "Europe/Moscow" })).toEqual({
      status: 501,
      text: expect.stringContaining("timedatectl"),
    });
    expect((await post({ Password: STRONG, TimeZone: "Europe/Berlin" })).status).toBe(200);
  });

  it("is over for everybody who has a password: it changes no password a second time", async () => {
    const { post } = await fresh();
    expect((await post({ Password: STRONG })).status).toBe(200);
    expect((await post({ Password: `${STRONG} again` })).status).toBe(403);
  });

  it("does not let another page choose the password", async () => {
    const { browser } = await fresh();
    const headers = { Origin: "http://127.0.0.1:1" };
    expect((await browser.send("POST", "/api/setup", { Password: STRONG }, headers)).status).toBe(403);
  });

  it("judges passwords, with what is weak and what to do, and logs none", async () => {
    const { post, api } = await fresh();
    const judge = async (Password: string) =>
      JSON.parse((await post({ Password }, "/api/setup/strength")).text) as unknown;
    expect(await judge("qwertyuiop")).toMatchObject({ IsAccepted: false, Warning: "topHundred" });
    expect(await judge("aaaaaaaaaaaa")).toMatchObject({
      Warning: "simpleRepeat",
      Advice: ["anotherWord", "repeated"],
    });
    expect(await judge(STRONG)).toEqual({ Score: 4, IsAccepted: true, Warning: null, Advice: [] });
    expect(await judge("x7$Qa")).toMatchObject({ IsAccepted: false });
    expect(JSON.stringify(api.logLines)).not.toContain("lantern");
  });

  it("judges the longest password without holding up anybody", async () => {
    const { post, browser } = await fresh();
    const judged = post({ Password: "aB3$xY".repeat(42) }, "/api/setup/strength");
    expect(await browser.status("GET", "/api/session")).toBe(200);
    expect((await judged).status).toBe(200);
  });
});
