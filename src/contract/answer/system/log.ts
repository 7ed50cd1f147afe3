import {
  choice,
  flag,
  group,
  id,
  listOf,
  meaning,
  nullable,
  text,
  time,
  type ValueOf,
} from "../../kinds/kinds.js";

/** The service's own log: `/api/system/log`. */

/** How bad a line is, the least first. */
export const LOG_LEVELS = ["Debug", "Information", "Warning", "Error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Most lines of an answer. */
export const LOG_LINES_MAX = 1000;
/** Longest text that is looked for. */
export const LOG_TEXT_LENGTH_MAX = 200;

export const log = group({
  Source: meaning(
    "`Journal`: the system's journal, which goes back over restarts. `Memory`: the newest lines of this run; so it is where the service does not write to the journal, or may not read it.",
    choice("Journal", "Memory"),
  ),
  HasMore: meaning("There are older lines, or older ones were not looked at.", flag),
  Lines: meaning(
    "The newest first.",
    listOf(
      group({
        Time: time,
        Level: choice(...LOG_LEVELS),
        Text: meaning("The message, and what goes with it in brackets.", text),
        ChannelId: meaning("The camera that it names; null if it names none.", nullable(id)),
      }),
    ),
  ),
});
export type ServiceLog = ValueOf<typeof log>;
