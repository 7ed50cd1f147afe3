import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { Partners } from "../../../src/fleet/index.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { until } from "../../support/base/until.js";
import { PartnerBench } from "../../support/fleet/partner-bench.js";
import { freePorts } from "../../support/service/background-process.js";
import { silentLog } from "../../support/site/site-samples.js";

const OWN_ID = "00000001-0000-4000-8000-0000000000bb";
const bench = forEachTest(() => PartnerBench.start());

type Asked = { readonly method?: string; readonly body?: object };

async function ask(api: ApiHarness, path: string, { method = "GET", body }: Asked = {}) {
  const answer = await fetch(api.url(`${path}?${ROOT_QUERY}`), {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, answer: (await answer.json()) as Record<string, unknown> };
}

async function apiWithPartners() {
  const [port = 0] = await freePorts(1);
  const partners = new Partners({
    ...{ dataDir: bench.path("own"), listen: "127.0.0.1", port, clock: bench.clock, log: silentLog },
    own: () => ({ id: OWN_ID, name: "Own", version: "1", httpPort: 80, httpsPort: 0 }),
  });
  const control = {
    servers: [],
    ...{ states: () => partners.states(), makeCode: () => partners.makeCode() },
    ...{ join: (code: string) => partners.join(code), leave: (id: string) => partners.leave(id) },
    get problem() {
      return partners.problem;
    },
  };
  const api = await startApi({ partners: control });
  return { api, partners };
}

describe("/api/fleet/partners", () => {
  it("makes a code, lists who came with it, and ends the partnership", async () => {
    const { api, partners } = await apiWithPartners();
    try {
      const other = await bench.box("other");
      const { answer: made } = await ask(api, "/api/fleet/partners/code", { method: "POST" });
      expect(api.events.raised.at(-1)).toMatchObject({ typeId: EVENT_TYPES.partnerCodeMade.id });
      await other.partners.join(String(made.Code));
      await until("it is heard", () => partners.state(other.id)?.isConnected === true, {
        seen: () => partners.states(),
      });

      const { answer: listed } = await ask(api, "/api/fleet/partners");
      expect(listed).toMatchObject({
        Problem: null,
        Partners: [
          {
            Id: other.id,
            Name: "other",
            Hosts: ["127.0.0.1"],
            IsConnected: true,
            Owner: null,
            Reserve: null,
            Problem: null,
            Detail: null,
          },
        ],
      });
      expect(JSON.stringify(listed)).not.toMatch(/certificate|key/i);

      const path = `/api/fleet/partners/${other.id}`;
      const { answer: left } = await ask(api, path, { method: "DELETE" });
      expect(left).toEqual({ Partners: [], Problem: null, StandIn: null });
      expect((await ask(api, path, { method: "DELETE" })).status).toBe(404);
    } finally {
      await partners.stop();
      await api.stop();
    }
  });

  it("takes a code of another recorder, and nothing else", async () => {
    const { api, partners } = await apiWithPartners();
    try {
      const other = await bench.box("other");
      const join = async (Code: string) =>
        (await ask(api, "/api/fleet/partners", { method: "POST", body: { Code } })).status;

      expect(await join("nvrd-hub://192.0.2.1:7443/x/y")).toBe(400);
      const { code } = await other.partners.makeCode();
      expect(await join(` ${code}\n`)).toBe(200);
      expect(await join(code)).toBe(409);
      expect(partners.states().map(({ id }) => id)).toEqual([other.id]);
    } finally {
      await partners.stop();
      await api.stop();
    }
  });
});
