/**
 * api/configuration: the configuration beside cameras: /configex and /configure/*.
 *
 * Belongs here: groups, users, security objects, views, alarms, server settings; the whole as /configex tells it.
 * Does not belong here: cameras (`camera`), checking and keeping it (`site`).
 */
export { ConfigurationAnswers, REMEMBERED_ANSWER_BYTES_MAX } from "./configuration-answers.js";
export { CONFIGURE_ROUTES } from "./configure-routes.js";
export { CONFIGEX_DESCRIPTION, OPENAPI_DESCRIPTION } from "./describe-configex.js";
export { getConfigex } from "./get-configex.js";
export type { ConfigurationNeeds } from "./needs.js";
