/**
 * owner/link: links to files of recordings for people without a login.
 *
 * Belongs here: the list of links, their passwords and bounds, the endpoints of users, the small page that strangers get.
 * Does not belong here: the files themselves (`owner/file`), links to moments for users (the page).
 */
import type { Route } from "../../route/index.js";
import type { LinkNeeds } from "./link-door.js";
import { LINK_ROUTES } from "./links.js";
import { SHARED_ROUTES } from "./shared.js";

export { FILE_LINKS_KIND, FileLinks } from "./file-links.js";
export type { LinkNeeds } from "./link-door.js";
export { LinkDoor } from "./link-door.js";
export { withoutLink } from "./shared.js";

export const FILE_LINK_ROUTES: readonly Route<LinkNeeds>[] = [...LINK_ROUTES, ...SHARED_ROUTES];
