import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { GATE_ID, ROOT_MD5 } from "../../support/api/api-fakes.js";
import { apiByClock } from "../../support/api/api-harness.js";

const { api } = apiByClock();

const make = (body: object) =>
  fetch(api.url(`/api/channels/${GATE_ID}/bookmarks?login=root&password=${ROOT_MD5}`), {
    method: "POST",
    body: JSON.stringify(body),
  });

it("is an event of its moment, with its name and who made it", async () => {
  const answer = await make({ Time: "2023-11-21T09:00:00Z", Name: " the blue van " });
  expect(answer.status).toBe(200);
  const { Timestamp, ChannelId } = (await answer.json()) as Record<string, unknown>;
  expect([Timestamp, ChannelId]).toEqual(["2023-11-21T09:00:00.0000000Z", GATE_ID]);
  expect(api.events.raised.at(-1)).toMatchObject({
    ...{ typeId: EVENT_TYPES.bookmark.id, comment: "the blue van", channelId: GATE_ID },
    ...{ timeUs: Date.UTC(2023, 10, 21, 9) * 1000, initiator: { type: 1, name: "root" } },
  });
});

it("is refused for a moment whose events are not kept: it would be deleted at once", async () => {
  api.events.keptSinceUs = Date.UTC(2023, 10, 21) * 1000;
  const answer = await make({ Time: "2023-11-20T09:00:00Z", Name: "van" });
  expect([answer.status, await answer.text()]).toEqual([
    409,
    expect.stringContaining("Time: is too long ago: events from before 2023-11-21 "),
  ]);
  api.events.keptSinceUs = 0;
});

it.each([
  [{ Time: "2023-11-21T09:00:00Z" }, 400, /Name: is missing/],
  [{ Time: "2023-11-21T09:00:00Z", Name: "x".repeat(201) }, 400, /Name/],
  [{ Time: "soon", Name: "van" }, 400, /Time: is not a time/],
  [{ Time: "2999-01-01T00:00:00Z", Name: "van" }, 409, /Time: is in the future/],
])("%j is refused with %i", async (body, status, fault) => {
  const answer = await make(body);
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(fault)]);
});
