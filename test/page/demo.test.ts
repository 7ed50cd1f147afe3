// Own network: it looks for cameras, and other tests and programs on this machine have some, too.
import { existsSync } from "node:fs";
import { afterAll, afterEach, describe, expect, it, onTestFinished } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { BackgroundProcess, freePorts } from "../support/service/background-process.js";
import { PROGRAM, PROGRAM_PATH } from "../support/service/program.js";
import { Service } from "../support/service/service.js";

/** How long a person waits for cameras before looking again. */
const LOOK_MS = 25_000;
const LOOKS_MAX = 6;

const browser = new PageBrowser();
const directory = new TemporaryDirectory("page-demo");
let service: Service | undefined;

afterEach(() => service?.stop());
afterAll(async () => {
  await browser.close();
  directory.remove();
});

describe.skipIf(noBrowser !== undefined)(`nvrd demo${notHere(noBrowser)}`, () => {
  it("prints the page's address first, and the password beside it opens the page", async () => {
    service = await Service.launch({
      dataDir: directory.join("data"),
      command: "demo",
      env: { NVRD_ROOT_PASSWORD: undefined },
    });
    const [, origin = "", password = ""] = await service.process.waitFor(
      /^nvrd demo: open (http:\/\/[^/\s]+)\/ in a browser\n.*as root, password (\S+)$/m,
    );
    expect(service.process.stdout.indexOf("http")).toBe(service.process.stdout.indexOf(origin));
    await browser.visit(origin, { address: "#/events" }, async (visit) => {
      await visit.logIn("root", password);
      const events = visit.page.getByRole("list", { name: "Events" }).getByRole("listitem");
      await events.filter({ hasText: "Recorder started" }).first().waitFor();
      await visit.field("Camera").selectOption({ label: "Street H.264" });
    });
  });

  // Two starts, and a scan for cameras, on a machine with other work.
  it("with --fresh begins with the first run, finds its four cameras, and leaves nothing behind", {
    timeout: 300_000,
  }, async () => {
    const ports = ["--http-port", `${(await freePorts(1))[0]}`, "--https-port", "0", "--rtsp-port", "0"];
    const demo = new BackgroundProcess(PROGRAM, ["demo", "--fresh", "--listen", "127.0.0.1", ...ports], {
      env: { PATH: PROGRAM_PATH, NVRD_ROOT_PASSWORD: undefined },
    });
    onTestFinished(async () => void (await demo.stop()));
    const [, origin = "", password = "", data = ""] = await demo.waitFor(
      /^nvrd demo: open (http:\/\/[^/\s]+)\/ in a browser\n.*as root, password (\S+): the first run begins\n[\s\S]*?Data +(\S+),/m,
    );
    await browser.visit(origin, {}, async (visit) => {
      await visit.fillLogin("root", password);
      await visit.heading("Set up the recorder").waitFor();
      await visit.field("New password").fill("lantern copper violin harbour");
      await visit.field("New password again").fill("lantern copper violin harbour");
      await visit.button("Next").click();
      await visit.button("Next").click();
      // Or more: other tests on this machine have cameras too.
      const found = visit.button(/^Add \d+ cameras$/);
      const again = visit.button("Look again").and(visit.page.locator(":not([aria-disabled])"));
      // A datagram may be lost on a busy machine: a person waits a while, and looks again.
      const isFound = () =>
        found.waitFor({ timeout: LOOK_MS }).then(
          () => true,
          () => false,
        );
      for (let look = 1; !(await isFound()); look += 1) {
        if (look === LOOKS_MAX)
          throw new Error(`no cameras to add: ${await visit.page.locator("main").textContent()}`);
        await again.click();
      }
    });
    await demo.stop();
    expect(existsSync(data)).toBe(false);
  });
});
