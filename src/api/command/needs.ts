import type { ArchiveNeeds } from "../archive/index.js";
import type { ChannelNeeds } from "../channel/index.js";
import type { EventNeeds } from "../event/index.js";

/** What the questions of /command work with: each is answered by the topic it is about. */
export type CommandNeeds = ArchiveNeeds & ChannelNeeds & EventNeeds;
