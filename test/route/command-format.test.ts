import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GATE_ID, STORE_ID, YARD_ID } from "../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

let api: ApiHarness;

beforeAll(async () => {
  api = await startApi({ clock: new SimulatedClock(NINE_US) });
  api.archive.record({ channelId: YARD_ID, streamType: "Main" }, archivedFrames(50));
});
afterAll(() => api.stop());

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const XML = '<?xml version="1.0" encoding="utf-8"?>\r\n<string>21.11.2026 09:00:00</string>';
const JSON_TEXT = '"21.11.2026 09:00:00"';
const preamble = (body: string): string =>
  `Timestamp: 21.11.2026 09:00:00\r\nError code: 0\r\nMessage: \r\nBody-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const FORMS: Readonly<Record<string, { readonly body: Buffer; readonly type: string }>> = {
  "bare XML": { body: Buffer.concat([BOM, Buffer.from(XML)]), type: "application/xml; charset=utf-8" },
  "bare JSON": { body: Buffer.concat([BOM, Buffer.from(JSON_TEXT)]), type: "application/json" },
  "XML behind lines": { body: Buffer.from(preamble(XML)), type: "text/plain; charset=utf-8" },
  "JSON behind lines": { body: Buffer.from(preamble(JSON_TEXT)), type: "text/plain; charset=utf-8" },
};

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const AXIOS = "application/json, text/plain, */*";

describe("the form of a /command answer, byte for byte", () => {
  it.each([
    ["no format", "", "*/*", "XML behind lines"],
    ["responsetype=json", "&responsetype=json", "*/*", "JSON behind lines"],
    ["ResponseType=XML", "&ResponseType=XML", "text/html", "XML behind lines"],
    ["an empty responsetype", "&responsetype=", "application/json", "bare JSON"],
    ["accept=application/xml", "&accept=application/xml", "*/*", "bare XML"],
    ["accept=application/json", "&accept=application%2Fjson", "*/*", "bare JSON"],
    ["Accept=Application/JSON", "&Accept=Application/JSON", "*/*", "bare JSON"],
    ["the parameter before the header", "&accept=application/json", "application/xml", "bare JSON"],
    ["a parameter that names nothing", "&accept=*/*", "application/json", "bare JSON"],
    ["responsetype before accept", "&responsetype=json&accept=application/xml", "*/*", "bare JSON"],
    ["responsetype before the header", "&responsetype=xml", "application/json", "bare XML"],
    ["the header application/json", "", "application/json", "bare JSON"],
    ["a header with a parameter", "", "application/json;charset=utf-8", "bare JSON"],
    ["a browser's header", "", BROWSER, "bare XML"],
    ["a script's header", "", AXIOS, "bare JSON"],
    ["the greater weight of two", "", "application/xml;q=0.5, application/json;q=0.9", "bare JSON"],
    ["equal weights, XML first", "", "application/xml, application/json", "bare XML"],
    ["equal weights, JSON first", "", "application/json, text/json, application/xml, text/xml", "bare XML"],
    ["equal weights below 1", "", "application/json;q=0.5, application/xml;q=0.5", "bare XML"],
    ["JSON and XML that is not wanted", "", "application/json, application/xml;q=0", "bare JSON"],
    ["wildcards alone", "", "application/*, */*;q=0.1", "XML behind lines"],
    ["a wildcard of greater weight", "", "*/*, application/json;q=0.2", "bare JSON"],
    ["equal weights with blanks", "", "application/json ; q=0.9 ,application/xml ; Q=0.9", "bare XML"],
    [
      "weights behind other parameters",
      "",
      "application/json;charset=utf-8;q=0.4, application/xml;q=0.5",
      "bare XML",
    ],
    ["XML of text and JSON", "", "text/xml, application/json;q=0.1", "bare JSON"],
    ["weights beyond 1", "", "application/json;q=9, application/xml", "bare XML"],
    ["a weight of nothing", "", "application/json;q=0, text/plain", "XML behind lines"],
    ["text/xml, which names neither", "", "text/xml", "XML behind lines"],
    ["a header that is no list of types", "", ";;q=,,/", "XML behind lines"],
  ])("with %s", async (_what, query, accept, form) => {
    const response = await api.get(`/command?type=gettime${query}`, { Accept: accept });
    expect(response.status).toBe(200);
    const body = Buffer.from(await response.arrayBuffer());
    expect(body.toString()).toBe(FORMS[form]?.body.toString());
    expect(body).toEqual(FORMS[form]?.body);
    expect(response.headers.get("content-type")).toBe(FORMS[form]?.type);
  });

  it("with an unknown responsetype is refused", async () => {
    const response = await api.get("/command?type=gettime&responsetype=csv&accept=application/json");
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("use xml, json")]);
  });
});

describe("a POST to /command", () => {
  it.each([
    ["a form", "type=findarchive&responsetype=json", "application/x-www-form-urlencoded"],
    ["JSON", '{"type":"findarchive"}', "application/json"],
    ["what is no JSON", "{", "application/json"],
    ["nothing", "", "text/plain"],
  ])("ignores a body of %s", async (_what, body, type) => {
    const url = api.url(`/command?type=gettime&${ROOT_QUERY}`);
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { "Content-Type": type, Accept: "*/*" },
    });
    expect([response.status, await response.text()]).toEqual([
      200,
      FORMS["XML behind lines"]?.body.toString(),
    ]);
  });
});

describe("the type of a /command", () => {
  it.each(["gettime", "GetTime", "GETTIME", "%20gettime"])("may be written %s", async (type) => {
    expect((await api.get(`/command?type=${type}`)).status).toBe(200);
  });

  it.each(["", "type=", "type=stopall", "type=%0d%0a<x>"])(
    "that is no known one (%s) is told those that are",
    async (query) => {
      const response = await api.get(`/command?${query}`);
      expect(response.status).toBe(400);
      expect(await response.text()).toMatch(
        /^Error code: 400\r\nMessage: [^\r\n]*findarchive, gettime, getprofiles, getchannelsstates, getallregisteredevents[^\r\n]*\r\n$/,
      );
    },
  );

  it("is read when a path has two slashes and a query begins with ?&", async () => {
    expect((await fetch(api.url(`//command??&type=gettime&${ROOT_QUERY}&is_ajax=true`))).status).toBe(200);
  });
});

describe("findarchive", () => {
  const find = async (channel: string, time: string, credentials = ROOT_QUERY): Promise<[number, string]> => {
    const query = `type=findarchive&channelid=${channel}&searchTime=${time}&accept=application/json`;
    const response = await fetch(api.url(`/command?${credentials}&${query}`));
    return [response.status, (await response.text()).replace(/^\ufeff/, "")];
  };
  const FOUND = '{"HasArchive":true,"NearestFrameTimestamp":"2026-11-21T09:00:00.0000000Z"}';
  const NONE = '{"HasArchive":false,"NearestFrameTimestamp":null}';

  const years = ["2026", "26"];
  const separators = [".", "-"];
  const blanks = ["%20", "+", "%2B"];
  const spellings = separators.flatMap((mark) => [
    ...years.map((year) => ["21", "11", year].join(mark)),
    ["2026", "11", "21"].join(mark),
  ]);
  it.each(spellings.flatMap((day) => blanks.map((blank) => `${day}${blank}09:00:00`)))(
    "finds %s",
    async (time) => expect(await find(YARD_ID, time)).toEqual([200, FOUND]),
  );

  it.each([
    "21.11.2026+9:0:0",
    "21/11/2026+09:00:00",
    "21.11.2026+09%3A00%3A00.25",
    "21.11.2026+09:00:00.1234567",
  ])("finds %s too", async (time) => expect(await find(YARD_ID, time)).toEqual([200, FOUND]));

  it.each([
    ["before the recording", "21.11.2026+08:59:59.999"],
    ["behind its end", "21.11.2026+09:00:02"],
    ["in the far future", "01.01.2222+23:59:59"],
    ["at the beginning of all times", "01.01.0001+00:00:00"],
  ])("finds nothing %s", async (_what, time) => expect(await find(YARD_ID, time)).toEqual([200, NONE]));

  it("has XML without the timestamp where there is none", async () => {
    const query = `type=findarchive&channelid=${GATE_ID}&searchtime=21.11.2026+09:00:00&accept=application/xml`;
    const text = await (await api.get(`/command?${query}`)).text();
    expect(text.split("\r\n").slice(1)).toEqual([
      "<CheckArchiveResult>",
      "  <HasArchive>false</HasArchive>",
      "</CheckArchiveResult>",
    ]);
  });

  it("of a channel that is hidden answers as of one that does not exist", async () => {
    const unknown = "22222222-0000-4000-8000-0000000000ff";
    const [status, text] = await find(STORE_ID, "21.11.2026+09:00:00", "login=guard");
    expect(status).toBe(404);
    expect([404, text.replace(STORE_ID, unknown)]).toEqual(
      await find(unknown, "21.11.2026+09:00:00", "login=guard"),
    );
  });

  it.each([
    ["no channelid", "searchtime=21.11.2026+09:00:00", /channelid.* is missing/],
    ["no searchtime", `channelid=${YARD_ID}`, /searchtime.* is missing/],
    ["a time with a T", `channelid=${YARD_ID}&searchtime=21.11.2026T09:00:00`, /dd\.MM\.yyyy HH:mm:ss/],
    ["a channelid that is none", "channelid=gate&searchtime=21.11.2026+09:00:00", /is not a GUID/],
  ])("with %s is refused", async (_what, query, text) => {
    const response = await api.get(`/command?type=findarchive&${query}`);
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(text)]);
  });
});
