import { signal } from "@preact/signals";
import type { MotionSearch } from "../../../contract/answer/index.js";
import { sayError } from "../../control/notice.js";
import { recorderNow } from "../../state/recorder-time.js";
import { RequestError, requestJson } from "../../state/request.js";
import { lengthOf, type Span } from "../timeline/span.js";
import { foundSpans, shownSpan } from "../watch/model.js";
import type { Box } from "./box.js";

/** How often the service is asked how far it is. */
const ASKED_MS = 1000;
/** Longest time that the service searches. */
const SPAN_MAX_MS = 31 * 86_400_000;

/** Ends the question that is under way. */
let asking = new AbortController();

/** The search that runs, or ended last. */
export const motionSearch = signal<MotionSearch | undefined>(undefined);

export function isSearching(search: MotionSearch | undefined): search is MotionSearch {
  return search?.State === "waiting" || search?.State === "running";
}

/** What the timeline shows, up to now. */
export function searchedSpan(): Span {
  const to = Math.floor(Math.min(shownSpan.value.to, recorderNow()));
  const length = Math.min(lengthOf({ from: shownSpan.value.from, to }), SPAN_MAX_MS);
  return { from: Math.floor(to - length), to };
}

/** Begins a search; what the last one found is gone. */
export async function startSearch(channel: string, region: Box, sensitivity: number): Promise<void> {
  const { from, to } = searchedSpan();
  const { left, top, width, height } = region;
  foundSpans.value = undefined;
  take(
    await requestJson<MotionSearch>("/api/motionsearch", {
      method: "POST",
      body: {
        Channel: channel,
        From: from,
        To: to,
        Region: [{ Left: left, Top: top, Width: width, Height: height }],
        Sensitivity: sensitivity,
        // Events of the detector say where motion began, and not who came by later.
        Pictures: true,
      },
    }),
  );
}

/** Ends the search; what it found up to then stays here. */
export async function stopSearch(): Promise<void> {
  const search = motionSearch.peek();
  if (!isSearching(search)) return;
  // The recorder forgets the search: a question that arrived later would be refused.
  asking.abort();
  asking = new AbortController();
  try {
    take(await requestJson<MotionSearch>(`/api/motionsearch/${search.Id}`, { method: "DELETE" }));
  } catch (error) {
    if (!isGone(error)) {
      followLater(search.Id);
      throw error;
    }
    endHere(search);
  }
}

/** The recorder has forgotten the search, as it does when it is started anew. */
function isGone(error: unknown): boolean {
  return error instanceof RequestError && error.status === 404;
}

function endHere(search: MotionSearch): void {
  motionSearch.value = { ...search, State: "cancelled" };
}

/** Shows how far it is, and asks again while it runs. */
function take(search: MotionSearch): void {
  motionSearch.value = search;
  const spans = search.Spans.map(({ From, To }) => ({ from: From, to: To }));
  foundSpans.value = { channel: search.ChannelId, spans };
  if (isSearching(search)) followLater(search.Id);
}

function followLater(id: string): void {
  const { signal } = asking;
  setTimeout(() => void follow(id, signal), ASKED_MS);
}

async function follow(id: string, signal: AbortSignal): Promise<void> {
  const isThis = () => !signal.aborted && motionSearch.peek()?.Id === id && isSearching(motionSearch.peek());
  if (!isThis()) return;
  try {
    const search = await requestJson<MotionSearch>(`/api/motionsearch/${id}`, { signal });
    if (isThis()) take(search);
  } catch (error) {
    const search = motionSearch.peek();
    if (search === undefined || !isThis()) return;
    if (error instanceof RequestError && error.status === 0) followLater(id);
    else {
      if (!isGone(error)) sayError(error);
      endHere(search);
    }
  }
}
