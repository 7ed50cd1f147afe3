import { expect, it } from "vitest";
import type { UserGroup } from "../../../src/site/index.js";
import { changeGuards, GATE_ID, ROOT_MD5, rights, YARD_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { expectGolden } from "../../support/api/golden.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { cameraHealth, healthFigures, streamHealth } from "../../support/health/health-figures.js";

const api = forEachTest(() => startApi());

async function asGuard(path: string, change: Partial<UserGroup>): Promise<Response> {
  await changeGuards(api.site, change);
  return await fetch(api.url(`${path}?login=guard`));
}

interface Health {
  readonly State: string;
  readonly Summary: string;
  readonly Problems: readonly { Code: string; ChannelId: string | null }[];
  readonly Cameras: { readonly Configured: number; readonly List: readonly { Name: string }[] };
}

it("GET /api/health tells a recorder that is well", async () => {
  const response = await api.get("/api/health");
  expect(response.headers.get("content-type")).toBe("application/json");
  const golden = new URL("../../support/golden/health.json.txt", import.meta.url);
  await expectGolden(golden, Buffer.from(JSON.stringify(await response.json(), undefined, 2)));
});

it("what is wrong is reported with status 200, worst first, and what to do", async () => {
  const lost = streamHealth({ state: "lost", cause: "unreachable", reason: "nothing answers" });
  const gate = cameraHealth(GATE_ID, "Gate", { isConnected: false, isRecording: false, streams: [lost] });
  api.monitoring.current = healthFigures({ cameras: [gate], faultyCameras: new Set([GATE_ID]) });
  const response = await api.get("/api/health");
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    State: "error",
    Summary: "0 of 1 recording, 50 days left; camera Gate does not answer: nothing answers",
    Problems: [{ Code: "camera-lost", Severity: "error", ChannelId: GATE_ID, Action: expect.any(String) }],
  });
});

it("a user sees the channels of the group, and problems of no other", async () => {
  const lost = { isConnected: false, isRecording: false };
  api.monitoring.current = healthFigures({
    cameras: [cameraHealth(GATE_ID, "Gate", lost), cameraHealth(YARD_ID, "Yard")],
    faultyCameras: new Set([GATE_ID]),
  });
  const change = { realtimeChannels: [], archiveChannels: [YARD_ID] };
  const health = (await (await asGuard("/api/health", change)).json()) as Health;
  expect(health).toMatchObject({ State: "ok", Summary: "1 of 1 recording, 50 days left", Problems: [] });
  expect(health.Cameras.List.map(({ Name }) => Name)).toEqual(["Yard"]);
  const metrics = await (await asGuard("/metrics", change)).text();
  expect(metrics).toContain(`channel="${YARD_ID}"`);
  expect(metrics).not.toContain(GATE_ID);
  expect(metrics).toContain('nvrd_cameras{state="configured"} 1');
  expect(metrics).toContain('nvrd_problems{severity="error"} 0');
});

it("a group without rights, whose archive channels are all, sees every camera and no picture of Main", async () => {
  const none = Object.fromEntries(
    Object.keys(rights()).map((right) => [right, false]),
  ) as UserGroup["rights"];
  const change = { rights: none, realtimeChannels: [], archiveChannels: "all" as const };
  const health = (await (await asGuard("/api/health", change)).json()) as Health;
  expect(health.Cameras.Configured).toBe(3);
  expect((await asGuard("/metrics", change)).status).toBe(200);
  const video = (query: string) => fetch(api.url(`/video?login=guard&channelid=${GATE_ID}${query}`));
  expect((await video("")).status).toBe(403);
  expect((await video("&streamtype=alternative")).status).toBe(403);
  expect((await video("&mode=archive&starttime=21.11.2026+09:00:00")).status).toBe(403);
});

it("GET /metrics is Prometheus' text, and counts what was asked by route and status", async () => {
  for (const path of ["/configex", "/configex", "/nothing/at/all", "/nothing"])
    await (await api.get(path)).arrayBuffer();
  await (await fetch(api.url("/configex"))).arrayBuffer();
  await (await fetch(api.url(`/api/channels/${GATE_ID}?login=root&password=${ROOT_MD5}`))).arrayBuffer();
  const counted = api.server.figures().requests;
  expect(counted).toContainEqual({ method: "GET", route: "/configex", status: 200, count: 2 });
  expect(counted).toContainEqual({ method: "GET", route: "/configex", status: 401, count: 1 });
  expect(counted).toContainEqual({ method: "GET", route: "/api/channels/{id}", status: 200, count: 1 });
  expect(counted).toContainEqual({ method: "other", route: "other", status: 404, count: 2 });
  const response = await api.get("/metrics");
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.text()).toContain(
    'nvrd_http_requests_total{method="GET",route="/video",status="200"} 7',
  );
});

it("stills that are kept are counted too", async () => {
  const before = api.server.figures().requests.length;
  for (let count = 0; count < 3; count++) await (await api.get(`/site?channelid=${GATE_ID}`)).arrayBuffer();
  const counted = api.server.figures().requests.filter(({ route }) => route === "/site");
  expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  expect(api.server.figures().requests.length).toBeLessThanOrEqual(before + 2);
});

it("GET /api/support is a file for senior administrators, whatever the licence", async () => {
  const free = await startApi({ settings: { productType: "Free" } });
  try {
    const response = await free.get("/api/support");
    expect([response.status, await response.text()]).toEqual([200, "a bundle"]);
    expect(response.headers.get("content-type")).toBe("application/gzip");
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename="nvrd-support-\d{4}-\d\d-\d\d\.tar\.gz"$/,
    );
  } finally {
    await free.stop();
  }
});

it("GET /api/support is 403 for a user with every right and channel, 401 without credentials", async () => {
  const all = { rights: rights(), realtimeChannels: "all" as const, archiveChannels: "all" as const };
  const refused = await asGuard("/api/support", all);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toEqual({ ErrorMessage: expect.stringContaining("senior administrators") });
  expect((await fetch(api.url("/api/support"))).status).toBe(401);
});
