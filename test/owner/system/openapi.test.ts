import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Query } from "../../../src/http/query.js";
import { ApiRequest } from "../../../src/http/request.js";
import { documentedStatuses, openApiDocument } from "../../../src/owner/system/openapi.js";
import { ROUTES } from "../../../src/service/api/routes.js";
import { GATE_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, liveFrame } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { pageFolder } from "../../support/api/page-folder.js";
import { type RouteRequest, routeRequests } from "../../support/api/route-requests.js";

let api: ApiHarness;

beforeEach(async () => {
  api = await startApi({ settings: { page: { folder: await pageFolder() } }, hasSavedFile: true });
  await api.site.change((site) => ({ ...site, fileLinksEnabled: true }));
  for (const channelId of [GATE_ID, YARD_ID, STORE_ID])
    api.archive.record({ channelId, streamType: "Main" }, archivedFrames(2));
  for (const channelId of [GATE_ID, YARD_ID]) {
    api.streams.live(channelId).setState({ state: "active" });
    api.streams.live(channelId).publish(liveFrame(0, { key: true }));
  }
});

afterEach(async () => {
  vi.restoreAllMocks();
  await api.stop();
});

async function ask({ method, path, body }: RouteRequest, more = ""): Promise<Response> {
  const url = api.url(`${path}${path.includes("?") ? "&" : "?"}${ROOT_QUERY}${more}`);
  return await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

describe("GET /openapi.json", () => {
  it("is valid OpenAPI 3.1", async () => {
    const document = (await (await api.get("/openapi.json")).json()) as Record<string, unknown>;
    const validator = new Validator();
    const result = await validator.validate(document);
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("has exactly the routes of the router's table, with all their path values", async () => {
    const { paths } = (await (await api.get("/openapi.json")).json()) as {
      paths: Record<
        string,
        Record<string, { operationId: string; parameters: { in: string; name: string }[] }>
      >;
    };
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted());
    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, describe: description } of ROUTES) {
      const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      expect(Object.keys(description.pathValues ?? {}), path).toEqual(names);
    }
  });

  it("has every route under a topic that it describes", () => {
    const { tags } = openApiDocument(ROUTES, { version: "0" }) as { tags: { name: string }[] };
    const topics = tags.map(({ name }) => name);
    for (const { path, describe: description } of ROUTES) expect(topics, path).toContain(description.topic);
  });

  it("has examples of answers that are as described", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    const shown = ROUTES.flatMap(({ path, describe: { answer } }) =>
      answer.example === undefined ? [] : [{ path, answer }],
    );
    expect(shown).not.toEqual([]);
    for (const { path, answer } of shown) {
      const check = ajv.compile(answer.content["application/json"] ?? {});
      expect([check(answer.example), check.errors], path).toEqual([true, null]);
    }
  });

  it("is refused without credentials", async () => {
    expect((await fetch(api.url("/openapi.json"))).status).toBe(401);
  });
});

/** What every request may carry; the type of a body is described with the body. */
const COMMON = new Set([
  ...["login", "password", "usertype", "authorization", "origin", "host", "content-type"],
  // The language in which it is refused.
  "accept-language",
]);

/** Reads its body by the reader that `/exportarchive` has for its query. */
const READS_BODY_AS_QUERY = new Set(["POST /api/tasks"]);

describe("a route", () => {
  const requests = routeRequests();

  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s describes the parameters it reads, and no other",
    async (title, route) => {
      const queryNames = vi.spyOn(Query.prototype, "get");
      const headerNames = vi.spyOn(ApiRequest.prototype, "header");
      for (const request of requests) if (request.route === route) await (await ask(request)).arrayBuffer();
      const asked = (calls: readonly (readonly [string])[]) =>
        [...new Set(calls.map(([name]) => name))].filter((name) => !COMMON.has(name)).toSorted();
      const described = (place: string) =>
        (route.describe.parameters ?? [])
          .filter((parameter) => parameter.in === place)
          .map(({ name }) => name.toLowerCase())
          .toSorted();
      if (!READS_BODY_AS_QUERY.has(title)) expect(asked(queryNames.mock.calls)).toEqual(described("query"));
      expect(asked(headerNames.mock.calls)).toEqual(described("header"));
    },
  );

  it("answers each of its requests with a status and a JSON body that are described", async () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    const documents = openApiDocument(ROUTES, { version: "0" });
    expect(documents).toBeDefined();
    for (const request of requests) {
      const { route, method, path } = request;
      const title = `${method} ${path}`;
      const isBoth = "application/xml" in route.describe.answer.content;
      const response = await ask(request, isBoth ? "&responsetype=json&accept=application/json" : "");
      const text = (await response.text()).replace(/^\ufeff/, "");
      expect(documentedStatuses(route), title).toContain(response.status);
      const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
      if (response.status !== 200) continue;
      expect(Object.keys(route.describe.answer.content), title).toContain(type);
      if (type !== "application/json" || text === "" || method === "HEAD") continue;
      const check = ajv.compile(route.describe.answer.content[type] ?? {});
      expect([check(JSON.parse(text)), check.errors], title).toEqual([true, null]);
    }
  });
});
