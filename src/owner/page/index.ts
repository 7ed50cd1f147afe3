/**
 * owner/page: the files of the browser's page.
 *
 * Belongs here: reading what the build has made, and serving it.
 * Does not belong here: the page itself (`src/page/`), its build (`scripts/page.mjs`).
 */
export { PAGE_ROUTES, pageFile } from "./get-page.js";
export type { PageNeeds } from "./page-files.js";
export { PAGE_FOLDER, PageFiles } from "./page-files.js";
export { isPagePath, pageErrorHeaders, pageHeaders } from "./page-headers.js";
