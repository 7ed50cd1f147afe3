import { describe, expect, it } from "vitest";
import { EMPTY_GUID } from "../../../src/base/index.js";
import { EVENTS_BURST_MAX } from "../../../src/compat/event/event-rate.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { GATE_ID, guardsGroup, rights, STORE_ID } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const RAISE = "/command?type=GenerateExternalEvent";

const api = forEachTest(() => startApi({ clock: new SimulatedClock() }));

const call = (query: string, credentials = ROOT_QUERY, method = "GET"): Promise<Response> =>
  fetch(api.url(`${RAISE}&${credentials}&${query}`), { method });

describe("/command?type=generateexternalevent", () => {
  it.each(["GET", "POST"])("raises an event of an external system by %s", async (method) => {
    const query = `ChannelId=${GATE_ID}&systemname=${encodeURIComponent("Касса 4")}&information=Drawer+opened`;
    const response = await call(`${query}&accept=application/json`, ROOT_QUERY, method);
    expect([response.status, await response.json()]).toEqual([
      200,
      { EventId: EVENT_TYPES.externalEvent.id, ChannelId: GATE_ID },
    ]);
    expect(api.events.raised).toMatchObject([
      {
        typeId: EVENT_TYPES.externalEvent.id,
        channelId: GATE_ID,
        channelName: "Gate",
        comment: "Drawer opened",
        description: "Event of an external system",
        initiator: { type: 8, name: "ExternalEvent" },
        fields: { SystemName: "Касса 4", Information: "Drawer opened" },
      },
    ]);
  });

  it("raises one that is tied to no channel where none is named", async () => {
    expect((await call("systemname=Till&channelid=")).status).toBe(200);
    expect(api.events.raised[0]).toMatchObject({ channelId: EMPTY_GUID, comment: "" });
  });

  it("does nothing on HEAD", async () => {
    expect((await call("systemname=Till", ROOT_QUERY, "HEAD")).status).toBe(200);
    expect(api.events.raised).toEqual([]);
  });

  it.each([
    [400, "information=x"],
    [400, `systemname=${"x".repeat(257)}`],
    [400, `systemname=x&information=${"x".repeat(1001)}`],
    [400, "systemname=x%0d%0ay"],
    [400, "systemname=x&channelid=gate"],
    [404, "systemname=x&channelid=99999999-0000-0000-0000-000000000001"],
  ])("answers %i and raises nothing for %s", async (status, query) => {
    expect((await call(query)).status).toBe(status);
    expect(api.events.raised).toEqual([]);
  });

  it("is for users with the right to add events, at channels they may see", async () => {
    const guard = (CanAccessEditingAnalystPluginsInClient: boolean): Promise<unknown> =>
      api.site.change((site) => ({
        ...site,
        groups: site.groups.map((group) =>
          group.seniorAdministrators
            ? group
            : guardsGroup({
                rights: rights({ CanConfigure: false, CanAccessEditingAnalystPluginsInClient }),
              }),
        ),
      }));
    await guard(false);
    expect((await call("systemname=x", "login=guard")).status).toBe(403);
    await guard(true);
    expect((await call("systemname=x", "login=guard")).status).toBe(200);
    expect((await call(`systemname=x&channelid=${STORE_ID}`, "login=guard")).status).toBe(404);
  });

  it("is held to the rate of added events", async () => {
    const events = Array.from({ length: EVENTS_BURST_MAX }, () => ({
      EventId: EVENT_TYPES.plateRecognized.id,
      ChannelId: GATE_ID,
    }));
    const added = await fetch(api.url(`/api/events?${ROOT_QUERY}`), {
      method: "POST",
      body: JSON.stringify(events),
    });
    expect(added.status).toBe(200);
    expect((await call("systemname=x")).status).toBe(429);
  });
});
