import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NvrdError } from "../../src/base/index.js";
import type { OidcControl } from "../../src/owner/index.js";
import { type ApiHarness, startApi } from "../support/api/api-harness.js";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";

const browser = new PageBrowser();
let api: ApiHarness;
/** A provider that sends the browser straight back, and vouches for nobody. */
const oidc: OidcControl = {
  label: "Example",
  begin: () =>
    Promise.resolve({ url: api.url("/api/session/oidc/return?code=1&state=2"), ticket: "a-ticket" }),
  finish: () => Promise.reject(new NvrdError("UNAUTHORIZED", "nobody", { hint: "" })),
};

beforeAll(async () => {
  api = await startApi({ oidc, settings: { page: { folder: join(REPOSITORY_ROOT, "build", "page") } } });
});

afterAll(async () => {
  await browser.close();
  await api?.stop();
});

describe.skipIf(noBrowser !== undefined)(`the login at a provider${notHere(noBrowser)}`, () => {
  it("is offered beside the form, and says once that nobody was logged in", () =>
    browser.visit(api.url(""), {}, async (visit) => {
      await visit.page.getByRole("link", { name: "Log in with Example" }).click();

      await visit.page.getByText(/^You were not logged in: the provider refused/).waitFor();
      expect(new URL(visit.page.url()).search).toBe("");
      expect(await visit.violations()).toEqual([]);
    }));
});
