/**
 * compat/command: GET and POST /command: queries selected by the parameter `type`.
 *
 * Belongs here: which types there are, and the clock's answer.
 * Does not belong here: the other answers (their own topics: archive, channel, event).
 */

export type { CommandNeeds } from "./command.js";
export { COMMAND_ROUTES } from "./command.js";
