import { afterEach, describe, expect, it } from "vitest";
import type { AnsweringThread } from "../../src/base/index.js";
import { HERE_BYTES_MAX, JsonBodies, type JsonReply, parseJsonBody } from "../../src/route/body/json-body.js";
import { BODY_MEMBERS_MAX, OBJECT_MEMBERS_MAX } from "../../src/route/body/json-text.js";
import { OPEN_BODY_BYTES_MAX } from "../../src/route/endpoint/route-table.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../support/api/api-harness.js";

const members = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",");
const MANY_MEMBERS = `{${members(89_999)}}`;

const read = (text: string): unknown => parseJsonBody(Buffer.from(text));

describe("a body of JSON", () => {
  it("with an object of too many members is refused", () => {
    expect(() => read(MANY_MEMBERS)).toThrow(`more than ${OBJECT_MEMBERS_MAX} members`);
    expect(() => read(`[{"a":{${members(OBJECT_MEMBERS_MAX + 1)}}}]`)).toThrow("more than");
    expect(read(`{${members(OBJECT_MEMBERS_MAX)}}`)).toHaveProperty("k1023", 1);
  });

  it("with too many members in all is refused, in lists and objects alike", () => {
    expect(() => read(`[${"1,".repeat(BODY_MEMBERS_MAX)}1]`)).toThrow(
      `more than ${BODY_MEMBERS_MAX} members`,
    );
    expect(() => read(`[${"{},".repeat(BODY_MEMBERS_MAX)}{}]`)).toThrow("more than");
    expect(read(`[${"1,".repeat(40_000)}1]`)).toHaveLength(40_001);
  });

  it("is refused for its members before it is known to be JSON", () => {
    expect(() => read(`${MANY_MEMBERS.slice(0, -1)},,]`)).toThrow("members");
  });

  it("with commas and brackets in texts has no more members for that", () => {
    const text = ',{[\\"'.repeat(BODY_MEMBERS_MAX);
    expect(read(`{"a":"${text}"}`)).toEqual(JSON.parse(`{"a":"${text}"}`));
  });
});

describe("a large body of JSON", () => {
  const large = (): Buffer => Buffer.from(`{"a":"${"x".repeat(HERE_BYTES_MAX)}"}`);

  it("is parsed by the other thread, and what it found is given", async () => {
    const sent: Uint8Array[] = [];
    let reply: (reply: JsonReply | undefined) => void = () => undefined;
    const thread: AnsweringThread<{ bytes: Uint8Array }, JsonReply> = {
      post: ({ bytes }) => sent.push(bytes),
      onReply: (listener) => {
        reply = listener;
      },
      end: () => undefined,
    };
    const bodies = new JsonBodies(() => thread);
    const body = large();
    expect(bodies.isLarge(body)).toBe(true);
    const parsed = bodies.parse(body);
    await until("the thread has the body", () => sent.length === 1);
    reply({ value: { from: "there" } });
    await parsed;
    expect(bodies.isLarge(body)).toBe(false);
    expect(parseJsonBody(body)).toEqual({ from: "there" });
  });

  it("is refused where the thread ends without having read it", async () => {
    let reply: (reply: JsonReply | undefined) => void = () => undefined;
    const bodies = new JsonBodies(() => ({
      post: () => setImmediate(() => reply(undefined)),
      onReply: (listener) => {
        reply = listener;
      },
      end: () => undefined,
    }));
    const body = large();
    await expect(bodies.parse(body)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });

  it("has the same value and the same refusals as a small one", async () => {
    const bodies = new JsonBodies();
    const [right, wrong] = [large(), Buffer.from(`{"a":1,"A":2,"b":"${"x".repeat(HERE_BYTES_MAX)}"}`)];
    await Promise.all([bodies.parse(right), bodies.parse(wrong)]);
    expect(parseJsonBody(right)).toEqual(JSON.parse(right.toString()));
    expect(() => parseJsonBody(wrong)).toThrow("a: says otherwise than A");
  });
});

describe("over HTTP", () => {
  let api: ApiHarness;
  afterEach(() => api.stop());
  const send = (path: string, body: string): Promise<Response> =>
    fetch(api.url(path), { method: "POST", body });

  it("a body for everybody takes some kilobytes, whatever the path", async () => {
    api = await startApi();
    for (const path of ["/api/session", "/api/network/confirm", "/there-is-none"]) {
      const answer = await send(path, MANY_MEMBERS);
      expect([path, answer.status]).toEqual([path, 413]);
      expect(await answer.text()).toContain(`larger than ${OPEN_BODY_BYTES_MAX} bytes`);
    }
  });

  it("a user's body of many members is refused by its count", async () => {
    api = await startApi();
    const answer = await send(`/configure/channels?${ROOT_QUERY}`, `[${MANY_MEMBERS}]`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(`more than ${OBJECT_MEMBERS_MAX} members`);
  });
});
