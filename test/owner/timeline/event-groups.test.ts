import { expect, it } from "vitest";
import { EVENT_KINDS, type EventKind, seenTypes } from "../../../src/event/index.js";
import { groupOf } from "../../../src/owner/timeline/event-groups.js";

it("each kind of what cameras tell is marked once on the timeline: where it begins", () => {
  const ended = new Map<EventKind, string | undefined>();
  for (const kind of EVENT_KINDS) {
    const [began, end] = seenTypes(kind);
    expect([kind, groupOf(began)]).toEqual([kind, expect.stringMatching(/^(?:analytics|alarm)$/)]);
    ended.set(kind, groupOf(end));
  }
  const counted = [...ended].filter(([, group]) => group !== undefined);
  // As before there were kinds.
  expect(counted.map(([kind]) => kind)).toEqual(["tampering", "input", "rule"]);
});
