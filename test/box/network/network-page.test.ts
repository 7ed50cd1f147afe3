// Own process: it starts a system with namespaces of its own, and a browser there.
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { HTTP_PORT, ROUTER, TAKEN } from "../../support/network/lan.js";
import { NetworkBox } from "../../support/network/network-box.js";
import { CHROMIUM, noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { LOOKS, type PageVisit, type VisitOptions } from "../../support/page/page-visit.js";
import { pause } from "../../support/service/service.js";

const TIMEOUT_MS = 300_000;
const NETWORK = "#/settings?part=network";
const NEW_ADDRESS = "10.77.0.31";
/** What a page does on purpose that looks for the box where it may be, and may not be yet. */
const LOOKING = [
  /request to another host: http:\/\/(?:10\.|172\.|[\w-]+\.local)/,
  /ERR_/,
  // Of every page over HTTP at an address of a network.
  /Cross-Origin-Opener-Policy/,
  /status of 409/,
  /status of 401/,
];
const missing = noBrowser ?? NetworkBox.missing();

describe.skipIf(missing !== undefined)(`the network on the page${notHere(missing)}`, () => {
  let box: NetworkBox;
  let files: TemporaryDirectory;
  let browser: PageBrowser;
  let home = "";

  beforeAll(async () => {
    files = new TemporaryDirectory("network-page");
    box = await NetworkBox.start();
    const program = files.join("chromium");
    writeFileSync(program, `#!/bin/sh\nexec ip netns exec ${box.lan.namespace} ${CHROMIUM} "$@"\n`, {
      mode: 0o755,
    });
    browser = new PageBrowser(program);
    while (home === "") {
      await pause(250);
      [home = ""] = await box.addresses();
    }
    await box.reached(home);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await box?.stop();
    files?.remove();
  });

  const visit = async (options: VisitOptions, act: (visit: PageVisit) => Promise<void>) =>
    await browser.visit(
      `http://${home}:${HTTP_PORT}`,
      { address: NETWORK, allow: LOOKING, patienceMs: 60_000, ...options },
      async (opened) => {
        await opened.logIn();
        await opened.heading(/^(?:Network|Сеть)$/).waitFor();
        await act(opened);
      },
    );

  it.each(LOOKS)("is for everybody at $size size, $theme, $language", { timeout: TIMEOUT_MS }, (options) =>
    visit(options, async (opened) => {
      await opened.button(/^(?:Change|Изменить) eth0/).waitFor();
      await opened.shot("network");
      expect([await opened.violations(), await opened.isTooWide()]).toEqual([[], false]);
      await opened.button(/^(?:Change|Изменить) eth0/).click();
      await opened.field(/^(?:Address|Адрес) \(IPv4\)/).selectOption("Fixed");
      await opened.shot("network-form");
      expect([await opened.violations(), await opened.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("says why an address is refused, by keys alone", { timeout: TIMEOUT_MS }, () =>
    visit({}, async (opened) => {
      await opened.button("Change eth0").focus();
      await opened.press("Enter");
      await opened.field("Address (IPv4)").selectOption("Fixed");
      await opened.field("IPv4 address and length of the network").fill(`${TAKEN}/24`);
      await opened.tabTo("button", "Try it");
      await opened.press("Enter");
      await opened.alert().getByText("another machine on this network has the address").waitFor();
      await opened.press("Escape");
      await opened.tabTo("button", "Leave without saving");
      await opened.press("Enter");
      await expect.poll(() => opened.page.getByRole("dialog").count()).toBe(0);
    }),
  );

  it("says that the box went back from a network where it was not to be found", {
    timeout: TIMEOUT_MS,
  }, async () => {
    await box.setTrialSeconds(12);
    await visit({}, async (opened) => {
      await tryAddress(opened, "10.99.0.7/24", "");
      await opened.heading("New settings of eth0 on trial").waitFor();
      await opened.shot("network-trial");
      expect(await opened.violations()).toEqual([]);
      await opened.page.getByText("the former settings apply again").waitFor({ timeout: 120_000 });
      await opened.button("Change eth0").waitFor();
    });
    await box.setTrialSeconds(60);
    expect(await box.addresses()).toEqual([home]);
  });

  it("finds the box at its new address by itself, and goes there", { timeout: TIMEOUT_MS }, async () => {
    await visit({}, async (opened) => {
      await tryAddress(opened, `${NEW_ADDRESS}/24`, ROUTER);
      await opened.page
        .getByText(`The box was reached at http://${NEW_ADDRESS}:${HTTP_PORT}`)
        .waitFor({ timeout: 120_000 });
      await opened.page.waitForURL(`http://${NEW_ADDRESS}:${HTTP_PORT}/**`);
      await opened.heading("Log in to the recorder").waitFor();
    });
    home = NEW_ADDRESS;
    expect(await box.shell("ls /etc/systemd/network")).toContain("00-nvrd-used-eth0.network");
  });

  it("changes the name of the box and its time zone", { timeout: TIMEOUT_MS }, () =>
    visit({}, async (opened) => {
      await opened.field("Name of the box on the network").fill("depot");
      await opened.field("Time zone").selectOption("Europe/Berlin");
      await opened.button("Save").click();
      await opened.page.getByText("Name and time zone are saved.").waitFor();
      expect((await box.shell("hostname; readlink /etc/localtime")).trim()).toMatch(
        /^depot\n.*Europe\/Berlin$/,
      );
    }),
  );

  async function tryAddress(opened: PageVisit, address: string, gateway: string): Promise<void> {
    await opened.button("Change eth0").click();
    await opened.field("Address (IPv4)").selectOption("Fixed");
    await opened.field("IPv4 address and length of the network").fill(address);
    await opened.field("IPv4 gateway").fill(gateway);
    await opened.button("Try it").click();
  }
});
