import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Download, Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { probeMovie } from "../../support/media/movie-probe.js";
import { violationsOf } from "../../support/page/accessibility.js";
import type { PageVisit } from "../../support/page/page-visit.js";
import { fieldTime, type RecordingsWorld } from "../../support/page/recordings-world.js";

/** So slow that a file of some 200 KB can be watched on its way. */
const SLOW_LINK = { offline: false, latency: 0, downloadThroughput: 30_000, uploadThroughput: -1 };

/** Takes a handle at so many pixels of its width, a little below its middle, and moves it. */
async function dragged(
  page: Page,
  handle: Locator,
  { at, by }: { readonly at: (width: number) => number; readonly by: number },
): Promise<void> {
  const place = await handle.boundingBox();
  if (place === null) throw new Error("the handle is not shown");
  const [x, y] = [place.x + at(place.width), place.y + place.height / 2 + 20];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by, y, { steps: 5 });
  await page.mouse.up();
}

/** Opens the panel, types into the field of the end as soon as that is there, and reads a while later what it has. */
const TYPED_AT_ONCE = `new Promise((resolve) => {
  const type = () => {
    const labels = [...document.querySelectorAll("label")].filter(({ textContent }) => textContent === "End");
    const field = document.getElementById(labels.at(-1)?.htmlFor ?? "");
    if (field === null) return;
    watch.disconnect();
    field.value = "12:00";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    setTimeout(() => resolve(field.value), 500);
  };
  const watch = new MutationObserver(type);
  watch.observe(document.body, { childList: true, subtree: true });
  const names = ({ ariaLabel, textContent }) => [ariaLabel, textContent];
  [...document.querySelectorAll("button")].find((one) => names(one).includes("Save as a file")).click();
})`;

/** Somebody who is not logged in opens an address. */
async function asStranger(
  page: Page,
  address: string,
  act: (stranger: Page) => Promise<unknown>,
): Promise<void> {
  const context = await page.context().browser()?.newContext({ locale: "en" });
  if (context === undefined) throw new Error("the page has no browser");
  try {
    const stranger = await context.newPage();
    await stranger.goto(address);
    await act(stranger);
  } finally {
    await context.close();
  }
}

/** Files of marked times, and their protection. */
export function exportFlows(world: RecordingsWorld): void {
  /** Opens the panel and marks two seconds before to two seconds after the recorded moment. */
  async function markFourSeconds(opened: PageVisit): Promise<void> {
    await opened.button("Save as a file").click();
    for (const [name, at] of [
      ["Beginning", -2000],
      ["End", 2000],
    ] as const) {
      await opened
        .field(name)
        .last()
        .fill(fieldTime(world.recordedMs + at));
      await opened.page.keyboard.press("Enter");
    }
    await opened.page.getByText("Chosen: 4 s.").waitFor();
  }

  function fileOf({ page }: PageVisit, camera: string): Locator {
    return page
      .getByRole("complementary")
      .getByRole("listitem")
      .filter({ hasText: `${camera} ·` });
  }

  describe("files", () => {
    it("begin at a date that is typed in the order of the browser's language", () =>
      world.visit({ locale: "en-US" }, async (opened) => {
        await opened.button("Save as a file").click();
        const field = opened.field("Beginning").last();
        await field.fill("11/10/2026 8:00 am");
        await opened.page.keyboard.press("Enter");
        await expect.poll(() => field.inputValue()).toBe("2026-11-10 08:00:00");
      }));

    it("are one for each camera, whatever their formats, each with its name and checksum", () =>
      world.visit(
        {},
        async (opened) => {
          const { page } = opened;
          await markFourSeconds(opened);
          await page.getByRole("checkbox", { name: "Door" }).check();
          const downloads: Download[] = [];
          page.on("download", (download) => downloads.push(download));
          await opened.button("Make file").click();
          await expect.poll(() => downloads.length).toBe(2);
          for (const camera of ["Gate", "Door"]) {
            const saved = downloads.find((download) => download.suggestedFilename().startsWith(camera));
            const bytes = readFileSync((await saved?.path()) ?? "");
            const row = fileOf(opened, camera);
            await row.getByText("Saved.").waitFor();
            await row.getByRole("button", { name: "Compute checksum" }).click();
            await row.getByText(createHash("sha256").update(bytes).digest("hex")).waitFor();
          }
          await opened.shot("export-two-files");
        },
        [world.ids[0] ?? "", world.doorId],
      ));

    it("that play everywhere are made on the recorder, and fetched there again until they are deleted", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await markFourSeconds(opened);
        await page.getByRole("checkbox", { name: "Yard" }).uncheck();
        await page.getByRole("radio", { name: "Plays everywhere" }).check();
        const saving = page.waitForEvent("download");
        await opened.button("Make file").click();
        const bytes = readFileSync(await (await saving).path());
        expect(bytes.indexOf("moov", 0, "latin1")).toBeLessThan(bytes.indexOf("mdat", 0, "latin1"));
        const row = page.getByRole("listitem").filter({ hasText: /^Gate \d{4}-\d\d-\d\d .*until/ });
        await row.waitFor();
        const place = async () => [
          await row.boundingBox(),
          await page.getByRole("complementary").boundingBox(),
        ];
        await expect
          .poll(async () => {
            const [own, panel] = await place();
            return own && panel && own.y >= panel.y && own.y + own.height <= panel.y + panel.height;
          })
          .toBe(true);
        await opened.shot("export-saved");
        const again = page.waitForEvent("download");
        await row.getByRole("link", { name: "Save" }).click();
        const download = await again;
        expect(download.suggestedFilename()).toMatch(/^Gate \d{4}-\d\d-\d\d .*\.mp4$/);
        expect(readFileSync(await download.path())).toEqual(bytes);
        await row.getByRole("button", { name: "Delete" }).click();
        await page.getByText("Delete this file from the recorder? The recordings stay.").waitFor();
        await row.getByRole("button", { name: "Delete" }).click();
        await row.waitFor({ state: "detached" });
      }));

    it("are given to somebody without a login by a link, which is taken back", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await page.goto(page.url().replace(/#.*/, "#/settings?part=users"));
        await page.getByRole("checkbox", { name: "Users may give links to files they made" }).check();
        await page.getByText("It holds now.").waitFor();
        await page.goBack();
        await markFourSeconds(opened);
        await page.getByRole("checkbox", { name: "Yard" }).uncheck();
        await page.getByRole("radio", { name: "Plays everywhere" }).check();
        await opened.button("Make file").click();
        await opened.button(/^Link for others/).click();
        await page.getByRole("combobox", { name: "It works for" }).selectOption({ label: "1 hour" });
        await page.getByLabel("Password, if wanted").first().fill("gate at nine");
        await opened.button("Make the link").click();
        const address = await page.getByLabel("Link to this file").inputValue();
        await page.getByText(/Link until .* · with a password · not opened yet/).waitFor();
        expect(await opened.violations()).toEqual([]);
        await opened.shot("export-link");
        await asStranger(page, address, async (stranger) => {
          await stranger.getByLabel("Password").fill("gate at ten");
          await stranger.getByRole("button", { name: "Open" }).click();
          await stranger.getByText("The password is wrong.").waitFor();
          await stranger.getByLabel("Password").fill("gate at nine");
          await stranger.keyboard.press("Enter");
          await stranger.locator("video").waitFor();
          await expect
            .poll(() => stranger.evaluate("document.querySelector('video').duration"))
            .toBeGreaterThan(3);
          expect(await violationsOf(stranger)).toEqual([]);
          const saving = stranger.waitForEvent("download");
          await stranger.getByRole("link", { name: /^Save the video/ }).click();
          expect((await saving).suggestedFilename()).toMatch(/^Gate .*\.mp4$/);
        });
        await opened.button(/^Take back/).click();
        await page.getByText(/Link until/).waitFor({ state: "detached" });
        await asStranger(page, address, (stranger) =>
          stranger.getByRole("heading", { name: "This link opens nothing" }).waitFor(),
        );
      }));

    it("have the time in the picture, all cameras in one, and take less time, where that is wanted", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        const orders: unknown[] = [];
        page.on("request", (request) => {
          if (request.url().endsWith("/api/tasks") && request.method() === "POST")
            orders.push(request.postDataJSON());
        });
        await markFourSeconds(opened);
        expect(await page.getByRole("checkbox", { name: "Camera and time in the picture" }).count()).toBe(0);
        await page.getByRole("radio", { name: "Plays everywhere" }).check();
        await page.getByRole("checkbox", { name: "Camera and time in the picture" }).check();
        await page.getByRole("checkbox", { name: "All 2 cameras in one picture" }).check();
        await page.getByLabel("Time lapse").selectOption({ label: "4 times as fast: 1 s" });
        await page.getByText("4 s become 1 s at most").waitFor();
        expect(await page.getByRole("checkbox", { name: "With sound" }).count()).toBe(0);
        await opened.shot("export-lapse");
        const saving = page.waitForEvent("download");
        await opened.button("Make file").click();
        const download = await saving;
        expect(orders).toMatchObject([
          {
            ...{ Kind: "SaveFile", Pictures: "H264", ShowTime: true, Speed: 4, Sound: false },
            ...{ ChannelId: world.ids[0], WithChannelIds: [world.ids[1]] },
          },
        ]);
        expect(download.suggestedFilename()).toMatch(/^Gate, Yard \d{4}-\d\d-\d\d .* x4\.mp4$/);
        const probed = await probeMovie(await download.path());
        expect(probed.complaints).toBe("");
        expect(probed.streams).toMatchObject([{ codec_name: "h264", width: 1920, height: 540 }]);
        expect(Number(probed.format.duration)).toBeLessThan(1.3);
      }));

    it("say what is to be installed where the recorder cannot convert", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await page.route("**/api/files", (route) =>
          route.fulfill({ json: { Files: [], RoomBytes: 0, Lack: "Codec" } }),
        );
        await opened.button("Save as a file").click();
        await page.getByRole("radio", { name: "Plays everywhere" }).check();
        await page.getByText("apt install --reinstall nvrd").waitFor();
      }));

    it("have AAC for G.711 where that is not to stay", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await page.route("**/exportarchive?**", async (route) => {
          const response = await route.fetch();
          const headers = { ...response.headers(), "x-export-codecs": "H.264, G.711 A-law" };
          await route.fulfill({ response, headers });
        });
        const orders: unknown[] = [];
        page.on("request", (request) => {
          if (request.url().endsWith("/api/tasks") && request.method() === "POST")
            orders.push(request.postDataJSON());
        });
        await markFourSeconds(opened);
        await page.getByRole("checkbox", { name: "Yard" }).uncheck();
        const phones = page.getByRole("checkbox", { name: "Sound that phones play" });
        expect(await phones.isChecked()).toBe(true);
        const converted = page.waitForEvent("download");
        await opened.button("Make file").click();
        await converted;
        expect(orders).toMatchObject([{ Kind: "SaveFile", Pictures: "AsRecorded", Sound: true }]);
        await phones.uncheck();
        const asRecorded = page.waitForEvent("download");
        await opened.button("Make file").click();
        await asRecorded;
        expect(orders).toHaveLength(1);
      }));

    it("begin with all cameras that are open, and with no time before the first recording", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await opened.button("Save as a file").click();
        for (const name of ["Gate", "Yard"])
          expect(await page.getByRole("checkbox", { name }).isChecked()).toBe(true);
        const [from, to] = ["Beginning", "End"].map((name) => page.getByRole("slider", { name }));
        const momentAt = async (handle: Locator | undefined) =>
          Number(await handle?.getAttribute("aria-valuenow"));
        expect(await momentAt(from)).toBeGreaterThan(world.recordedMs - 60_000);
        expect(await momentAt(to)).toBeGreaterThan(world.recordedMs);
      }));

    it("have an end that may be typed as soon as its field is there", () =>
      world.visit({}, async ({ page }) => {
        expect(await page.evaluate(TYPED_AT_ONCE)).toBe("12:00");
      }));

    it("show how far they are, are cancelled also while they wait, and made after all", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await markFourSeconds(opened);
        await page.getByRole("checkbox", { name: "Yard" }).check();
        const session = await page.context().newCDPSession(page);
        await session.send("Network.enable");
        await session.send("Network.emulateNetworkConditions", SLOW_LINK);
        await opened.button("Make file").click();
        const [gate, yard] = [fileOf(opened, "Gate"), fileOf(opened, "Yard")];
        const done = async () => Number(await gate.getByRole("progressbar").getAttribute("value"));
        await expect.poll(done).toBeGreaterThan(0);
        await yard.getByText("It waits for the file before it.").waitFor();
        await opened.shot("export-progress");
        await yard.getByRole("button", { name: "Cancel" }).click();
        await yard.getByText("Cancelled.").waitFor();
        await gate.getByRole("button", { name: "Cancel" }).click();
        await gate.getByText("Cancelled.").waitFor();
        await session.send("Network.emulateNetworkConditions", { ...SLOW_LINK, downloadThroughput: -1 });
        const download = page.waitForEvent("download");
        await yard.getByRole("button", { name: "Try again" }).click();
        expect((await download).suggestedFilename()).toMatch(/^Yard .*\.mp4$/);
        await yard.getByText("Saved.").waitFor();
        await gate.getByText("Cancelled.").waitFor();
      }));

    it("have an end and a beginning that are dragged on the timeline, by a pointer and by keys", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await markFourSeconds(opened);
        const [from, to] = ["Beginning", "End"].map((name) => page.getByRole("slider", { name }));
        if (from === undefined || to === undefined) throw new Error("no handles");
        const momentAt = async (handle: Locator) => Number(await handle.getAttribute("aria-valuenow"));
        const before = await momentAt(from);
        await from.focus();
        await opened.press("ArrowLeft", "ArrowLeft");
        await expect.poll(() => momentAt(from)).toBeLessThan(before);
        const end = await momentAt(to);
        // Four seconds of some hours are less than a pixel: the grips hang on either side.
        // The timeline may be drawn anew between the look and the press: a hand that missed takes it again.
        await expect
          .poll(async () => {
            await dragged(page, to, { at: (width) => width / 2, by: -100 });
            return await momentAt(to);
          })
          .toBeLessThan(end);
        // The end does not come before the beginning.
        expect((await momentAt(to)) - (await momentAt(from))).toBe(1000);
        await expect
          .poll(async () => {
            await dragged(page, from, { at: () => 10, by: -100 });
            return (await momentAt(to)) - (await momentAt(from));
          })
          .toBeGreaterThan(60_000);
        await opened.shot("export-handles");
      }));
  });
}
