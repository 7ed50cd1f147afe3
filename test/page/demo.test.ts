import { afterEach, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { Service } from "../support/service/service.js";

const browser = new PageBrowser();
const directory = new TemporaryDirectory("page-demo");
let service: Service | undefined;

afterEach(async () => {
  await browser.close();
  await service?.stop();
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
});
