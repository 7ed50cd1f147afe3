import { forAllTests } from "../base/for-tests.js";
import { PageBrowser } from "./page-browser.js";
import { PageService, type PageServiceOptions } from "./page-service.js";

/** A browser and a recorder with its page for all tests of the file. */
export function pageForAllTests(options: PageServiceOptions = {}): {
  readonly browser: PageBrowser;
  readonly recorder: PageService;
} {
  const recorder = forAllTests(() => PageService.start(options));
  return { browser: forAllTests(() => new PageBrowser()), recorder };
}
