import { afterEach, beforeEach, expect, it } from "vitest";
import type { View } from "../../../src/site/index.js";
import { GATE_ID, GUARDS_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";

let api: ApiHarness;

const view = (number: number, name: string, change: Partial<View> = {}): View => ({
  id: `88888888-0000-4000-8000-00000000000${number}`,
  name,
  channelIds: [GATE_ID, YARD_ID],
  gridType: "GridType4",
  groupIds: "all",
  ...change,
});

beforeEach(async () => {
  api = await startApi();
  await api.site.change((site) => ({
    ...site,
    views: [
      view(1, "Yard & <gate>"),
      view(2, "Guards'", { groupIds: [GUARDS_ID] }),
      view(3, "Not theirs", { groupIds: [] }),
      view(4, "Store", { channelIds: [STORE_ID] }),
      view(5, "Mixed", { channelIds: [STORE_ID, YARD_ID] }),
      view(6, "Empty", { channelIds: [] }),
    ],
  }));
});

afterEach(() => api.stop());

async function names(credentials: string): Promise<string[]> {
  const response = await fetch(api.url(`/command?${credentials}&type=getprofiles&accept=application/json`));
  const text = await response.text();
  return (JSON.parse(text.replace(/^\ufeff/, "")) as { Name: string }[]).map((profile) => profile.Name);
}

it("a user gets the views it may use that hold a camera it may watch", async () => {
  expect(await names("login=guard")).toEqual(["Yard & <gate>", "Guards'", "Mixed"]);
});

it("a senior administrator gets every view with a camera", async () => {
  expect(await names(ROOT_QUERY)).toEqual(["Yard & <gate>", "Guards'", "Not theirs", "Store", "Mixed"]);
});

it("in XML the root is ArrayOfMapInfo of MapInfo", async () => {
  const text = await (await api.get("/command?type=getprofiles&accept=application/xml")).text();
  expect(text).toContain(
    "<ArrayOfMapInfo>\r\n  <MapInfo>\r\n    <Id>88888888-0000-4000-8000-000000000001</Id>\r\n" +
      "    <Name>Yard &amp; &lt;gate&gt;</Name>\r\n  </MapInfo>\r\n",
  );
});

it("/api/views has their tiles; a camera that the user may not see leaves its tile empty", async () => {
  const response = await fetch(api.url("/api/views?login=guard"));
  const views = (await response.json()) as { Name: string; GridType: string; ChannelIds: unknown }[];
  expect(views.map(({ Name }) => Name)).toEqual(["Yard & <gate>", "Guards'", "Mixed"]);
  expect(views[2]).toEqual({
    Id: "88888888-0000-4000-8000-000000000005",
    Name: "Mixed",
    GridType: "GridType4",
    ChannelIds: [null, YARD_ID],
    IsFilled: false,
    RotationSeconds: 0,
  });
});

it("without any view the list is empty", async () => {
  await api.site.change((site) => ({ ...site, views: [] }));
  expect(await names(ROOT_QUERY)).toEqual([]);
});
