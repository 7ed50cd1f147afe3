import type { ArchiveNeeds } from "../archive/index.js";
import type { ChannelNeeds } from "../channel/index.js";
import type { EventNeeds } from "../event/index.js";
import type { ScenarioNeeds } from "../scenario/index.js";

/** The needs of the queries of /command; each is answered by its topic. */
export type CommandNeeds = ArchiveNeeds & ChannelNeeds & EventNeeds & ScenarioNeeds;
