import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { channelNameOf, raiseArchiveAct } from "../../src/route/index.js";

type Context = Parameters<typeof raiseArchiveAct>[0];
type PlaceContext = Parameters<typeof channelNameOf>[0];

it("an act on recordings is an event of the user, with the channel and the comment", () => {
  const raised: unknown[] = [];
  const context = {
    needs: { events: { raise: (event: unknown) => raised.push(event) } },
    principal: { user: { id: "u", name: "guard" } },
  } as unknown as Context;
  raiseArchiveAct(context, "archiveDeleted", { channelId: "c", channelName: "Gate", comment: "a day" });
  expect(raised).toEqual([
    {
      ...{ typeId: EVENT_TYPES.archiveDeleted.id, channelId: "c", channelName: "Gate", comment: "a day" },
      initiator: { type: 1, id: "u", name: "guard" },
    },
  ]);
});

it.each([
  ["the configuration's", "c", "Gate"],
  ["the last one of a camera that was removed", "former", "Old gate"],
  ["empty where nobody knows it", "unknown", ""],
])("a channel's name is %s", (_what, id, name) => {
  const recordedName = (of: string) =>
    of === "former" ? "Old gate" : of === "c" ? "Former name" : undefined;
  const needs = { site: { current: { cameras: [{ id: "c", name: "Gate" }] } }, archive: { recordedName } };
  expect(channelNameOf({ needs } as unknown as PlaceContext, id)).toBe(name);
});
