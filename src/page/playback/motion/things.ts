import { signal } from "@preact/signals";
import type { Finding, Findings } from "../../../contract/answer/index.js";
import type { LinkTo, Queries } from "../../../contract/query/index.js";
import { addressOf } from "../../state/address.js";
import { requestJson } from "../../state/request.js";
import { foundSpans } from "../watch/model.js";
import type { Box } from "./box.js";
import { searchedSpan } from "./search.js";

/** What is looked for beside motion. */
export const THINGS = ["person", "vehicle", "plate", "face", "object"] as const;
export type Thing = (typeof THINGS)[number];

/** As `/api/findings` names the kinds. */
const KINDS: Readonly<Record<Thing, string>> = {
  ...{ person: "person", vehicle: "vehicle", plate: "plate", face: "face" },
  object: "animal,package,objectLeft,objectTaken,other",
};

/** The recorder itself sees none of these: a camera or an analyser has to report them. */
const READ_BY_OTHERS: ReadonlySet<Thing> = new Set(["plate", "face"]);

/** At least so long is the mark of a thing on the timeline. */
const MARK_MS = 1000;

export type { Finding };

type AskedFindings = LinkTo<Queries["/api/findings"]>;

interface ThingSearch {
  readonly channel: string;
  readonly query: AskedFindings;
  /** The newest first. */
  readonly found: readonly Finding[];
  /** Where the next page begins; null: all was searched. */
  readonly next: string | null;
  readonly runs: boolean;
  readonly thing: Thing;
  /** False: such a thing was never reported at this camera. */
  readonly isRead: boolean;
}

/** The search that runs, or ended last. */
export const thingSearch = signal<ThingSearch | undefined>(undefined);

/** Begins a search in what the timeline shows; `text` is a part of a plate's number or of a face's name. */
export async function findThings(channel: string, region: Box, thing: Thing, text: string): Promise<void> {
  const { from, to } = searchedSpan();
  const isWhole = region.width === 1 && region.height === 1;
  const query: AskedFindings = {
    ...{ channelids: channel, kinds: KINDS[thing], limit: 24 },
    ...{ starttime: new Date(from).toISOString(), endtime: new Date(to).toISOString() },
    ...(isWhole ? {} : region),
    ...(text.trim() === "" ? {} : { [thing === "plate" ? "number" : "name"]: text.trim() }),
  };
  foundSpans.value = undefined;
  await read({ channel, query, found: [], next: null, runs: true, thing, isRead: true });
}

/** Goes on where the page before has ended. */
export async function findMore(): Promise<void> {
  const search = thingSearch.peek();
  if (search !== undefined && search.next !== null && !search.runs) await read({ ...search, runs: true });
}

/** Whether somebody may read things of these kinds at the cameras: one was found at any time, or not all is known yet. */
async function mayBeRead({ channelids, kinds }: AskedFindings): Promise<boolean> {
  const answer = await requestJson<Findings>(addressOf("/api/findings", { channelids, kinds, limit: 1 }));
  return answer.Findings.length > 0 || !answer.IsComplete;
}

/** Reads until something more is found: a page may be empty and have a next one. */
async function read(begun: ThingSearch): Promise<void> {
  let search = begun;
  thingSearch.value = search;
  const before = search.found.length;
  try {
    do {
      const { query, next } = search;
      const address = addressOf("/api/findings", { ...query, before: next ?? undefined });
      const answer = await requestJson<Findings>(address);
      // Another search has begun.
      if (thingSearch.peek() !== search) return;
      const found = [...search.found, ...answer.Findings];
      search = { ...search, found, next: answer.Next };
      thingSearch.value = search;
    } while (search.next !== null && search.found.length === before);
    if (search.found.length === 0 && READ_BY_OTHERS.has(search.thing)) {
      const isRead = await mayBeRead(search.query);
      if (thingSearch.peek() !== search) return;
      search = { ...search, isRead };
      thingSearch.value = search;
    }
  } finally {
    if (thingSearch.peek() === search) thingSearch.value = { ...search, runs: false };
  }
  const spans = search.found.map(({ Begin, End }) => {
    const from = Date.parse(Begin);
    return { from, to: Math.max(from + MARK_MS, End === null ? from : Date.parse(End)) };
  });
  foundSpans.value = { channel: search.channel, spans };
}
