/**
 * What a hub and a box speak. Each tells the newest that it knows, and uses what both know. 1: requests, identities and what a box says of
 * itself; whoever tells none speaks it. 2: notes of one box to another too.
 */
export const PROTOCOL = 2;
export const NOTES_SINCE = 2;
/** With which a hub tells its own. */
export const PROTOCOL_HEADER = "nvrd-protocol";
