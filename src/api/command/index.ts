/**
 * api/command: GET and POST /command: questions that a parameter `type` names.
 *
 * Belongs here: which types there are, and the clock's answer.
 * Does not belong here: what else is answered (its own topic: archive, channel, event).
 */
export { COMMAND_ROUTES } from "./command.js";
export type { CommandNeeds } from "./needs.js";
