/**
 * api/configuration: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */
export { ConfigurationAnswers } from "./configuration-answers.js";
export { CONFIGURE_ROUTES } from "./configure-routes.js";
export { CHANGE_PARAMETERS, changedIds, PASSWORD_DESCRIPTION } from "./describe-administration.js";
export { CONFIGEX_DESCRIPTION, OPENAPI_DESCRIPTION } from "./describe-configex.js";
export { getConfigex } from "./get-configex.js";
export type { ConfigurationNeeds } from "./needs.js";
