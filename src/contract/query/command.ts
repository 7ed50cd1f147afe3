import { choice, id, meaning, needed } from "../kinds/kinds.js";
import { EVENT_COMMENT_LENGTH_MAX } from "../resource/text-lengths.js";
import { lineOf, moment, type Parameters, words } from "./parameters.js";
import { formatQuery, streamType } from "./viewing.js";

/** The queries of /command, and what they need besides. */

export const COMMAND_TYPES = [
  "findarchive",
  "gettime",
  "getprofiles",
  "getchannelsstates",
  "getallregisteredevents",
  "generateexternalevent",
  "runuserscenario",
] as const;
export type CommandType = (typeof COMMAND_TYPES)[number];

const SYSTEM_NAME_LENGTH_MAX = 256;

/** Each type uses some of them, and takes no notice of the others. */
export const commandQuery = {
  type: meaning("The type of the query.", needed(choice(...COMMAND_TYPES))),
  channelid: meaning(
    "`findarchive`: the channel, required. `generateexternalevent`: the channel, if it is about one. `runuserscenario`: the channel for which it runs; when left out, all of the scenario's.",
    id,
  ),
  scenarioid: meaning("`runuserscenario`: the scenario, required there.", id),
  confirmed: meaning(
    "`runuserscenario`: true, where the scenario needs a confirmation and the person has given it.",
    choice("true", "false"),
  ),
  systemname: meaning(
    `\`generateexternalevent\`: the external system's name, at most ${SYSTEM_NAME_LENGTH_MAX} characters. Required there.`,
    { ...lineOf(SYSTEM_NAME_LENGTH_MAX), isFilled: true },
  ),
  information: meaning(
    `\`generateexternalevent\`: what happened, at most ${EVENT_COMMENT_LENGTH_MAX} characters.`,
    lineOf(EVENT_COMMENT_LENGTH_MAX),
  ),
  searchtime: meaning("`findarchive`: the moment. Required there.", moment),
  streamtype: meaning("`findarchive`: the stream. When left out: the one that is recorded now.", streamType),
  ...formatQuery,
  accept: meaning(
    "`application/xml` or `application/json`: the format, and no lines before it. Others say nothing.",
    words(Number.POSITIVE_INFINITY),
  ),
} as const satisfies Parameters;
