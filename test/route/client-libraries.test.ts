import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GATE_ID, ROOT_MD5, YARD_ID } from "../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { RawClient } from "../support/http/raw-http.js";

/** Programs' HTTP libraries against the API: the requests they make, and what they read out of the answers. */

const run = promisify(execFile);
const RUN_TIMEOUT_MS = 30_000;

let api: ApiHarness;
let clock: SimulatedClock;

beforeEach(async () => {
  clock = new SimulatedClock(NINE_US);
  api = await startApi({ clock });
  api.archive.record({ channelId: YARD_ID, streamType: "Main" }, archivedFrames(50));
});

afterEach(() => api.stop());

/** Runs a script with the service's URL and root's password as arguments; answers its output. */
async function script(command: string, ...args: readonly string[]): Promise<string> {
  const all = [...args, api.url(""), ROOT_MD5, YARD_ID];
  const { stdout } = await run(command, all, { timeout: RUN_TIMEOUT_MS });
  return stdout.trim();
}

const FRAGMENTS = `fromtime=21.11.2026%2000:00:00&totime=01.01.2222%2023:59:59&responsetype=json`;

describe("Python", () => {
  it("http.client keeps a connection for several requests, and reads a chunked answer", async () => {
    const text = await script(
      "python3",
      "-c",
      `
import base64, http.client, json, sys
url, md5, channel = sys.argv[1:]
connection = http.client.HTTPConnection(url.split('//')[1], timeout=10)
headers = {'Authorization': 'Basic ' + base64.b64encode(f'root:{md5}'.encode()).decode()}
connection.request('GET', f'/archivefragments?channelid={channel}&${FRAGMENTS}', headers=headers)
fragments = json.loads(connection.getresponse().read())
socket = connection.sock
connection.request('POST', '/archive_events', body='{"searchLimitCount": 5}', headers=headers)
events = json.loads(connection.getresponse().read())
connection.request('GET', '/nothing', headers=headers)
missing = connection.getresponse()
print(len(fragments['Fragments']), events, missing.status, missing.read().decode().splitlines()[0], connection.sock is socket)
`,
    );
    expect(text).toBe("1 [] 404 Error code: 404 True");
  });

  it("urllib sends Basic only after the 401's challenge, and reads XML with its byte order mark", async () => {
    const text = await script(
      "python3",
      "-c",
      `
import sys, urllib.request, xml.etree.ElementTree as tree
url, md5, channel = sys.argv[1:]
passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
passwords.add_password(None, url, 'root', md5)
opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))
request = urllib.request.Request(f'{url}/command?type=gettime', headers={'Accept': 'application/xml'})
body = opener.open(request, timeout=10).read()
print(body[:3].hex(), tree.fromstring(body.decode('utf-8-sig')).text)
`,
    );
    expect(text).toBe("efbbbf 21.11.2026 09:00:00");
  });

  it("urllib3 reads each event as soon as it is sent", async () => {
    const reading = script(
      "python3",
      "-c",
      `
import json, sys, urllib3
url, md5, channel = sys.argv[1:]
http = urllib3.PoolManager(headers=urllib3.make_headers(basic_auth=f'root:{md5}'))
answer = http.request('GET', f'{url}/event', preload_content=False, timeout=10)
for count, chunk in enumerate(answer.stream()):
    if count == 0 or not chunk.strip(): continue
    print(json.loads(chunk.decode())['Comment'])
    break
`,
    );
    const timer = setInterval(() => clock.advance(200_000), 20);
    try {
      expect(await reading).toBe("KeepAlive");
    } finally {
      clearInterval(timer);
    }
  });
});

describe("PHP", () => {
  it("file_get_contents with HTTP/1.1 reads JSON that json_decode takes, and errors' statuses", async () => {
    const text = await script(
      "php",
      "-r",
      `
[$_, $url, $md5, $channel] = $argv;
$context = stream_context_create(['http' => [
  'protocol_version' => 1.1, 'ignore_errors' => true, 'timeout' => 10,
  'header' => ['Connection: close', 'Authorization: Basic ' . base64_encode("root:$md5")]]]);
$site = json_decode(file_get_contents("$url/configex?responsetype=json", false, $context), true, 512, JSON_THROW_ON_ERROR);
$fragments = json_decode(file_get_contents("$url/archivefragments?channelid=$channel&${FRAGMENTS}", false, $context));
file_get_contents("$url/nothing", false, $context);
echo count($site['Channels']), ' ', count($fragments->Fragments), ' ', $http_response_header[0];
`,
    );
    expect(text).toBe("3 1 HTTP/1.1 404 Not Found");
  });

  it("sends POST with a form's content type, as it does by default, and the body is read as JSON", async () => {
    const text = await script(
      "php",
      "-r",
      `
[$_, $url, $md5] = $argv;
$context = stream_context_create(['http' => ['protocol_version' => 1.1, 'method' => 'POST', 'timeout' => 10,
  'header' => "Connection: close\\r\\nContent-type: application/x-www-form-urlencoded", 'content' => '{"searchLimitCount":3}']]);
echo file_get_contents("$url/archive_events?login=root&password=$md5", false, $context);
`,
    );
    expect(text).toBe("[]");
  });
});

describe("Node's fetch", () => {
  it("reads both formats and what errors say", async () => {
    const xml = await api.get("/configex");
    expect([xml.headers.get("content-type"), (await xml.text()).startsWith("<?xml ")]).toEqual([
      "application/xml; charset=utf-8",
      true,
    ]);
    const json = (await (await api.get("/configex?responseType=JSON")).json()) as { Channels: unknown[] };
    expect(json.Channels).toHaveLength(3);
    const refused = await fetch(api.url("/configure/channels"));
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="nvrd"']);
    expect(await refused.json()).toEqual({ ErrorMessage: expect.stringContaining("no credentials") });
  });
});

/** What HttpClient and WebRequest of .NET put on the wire. */
describe("a .NET program", () => {
  const lines = (...all: readonly string[]): string => `${all.join("\r\n")}\r\n\r\n`;

  async function exchange(
    client: RawClient,
    bytes: string,
    enough: (text: string) => boolean,
  ): Promise<string> {
    client.send(bytes);
    await until("the answer", () => client.closed || enough(client.text), RUN_TIMEOUT_MS);
    return client.text;
  }

  const basic = `Authorization: Basic ${Buffer.from(`root:${ROOT_MD5}`).toString("base64")}`;

  it("sends credentials only when it is asked for them, on the same connection", async () => {
    const client = new RawClient(api.port);
    const request = (...more: string[]) =>
      lines("GET /configex?responsetype=json HTTP/1.1", "Host: nvr:8080", "Connection: Keep-Alive", ...more);
    await exchange(client, request(), (text) => text.includes("no credentials"));
    expect(client.text).toMatch(/\r\nWWW-Authenticate: Basic realm="nvrd"\r\n/);
    await exchange(client, request(basic), (text) => text.includes('"UseTimeZones"'));
    expect(client.closed).toBe(false);
    client.destroy();
  });

  it("posts in chunks after 100-continue, with a byte order mark before the JSON", async () => {
    const client = new RawClient(api.port);
    const head = lines(
      "POST /archive_events HTTP/1.1",
      "Content-Type: application/json; charset=utf-8",
      basic,
      "Host: nvr:8080",
      "Transfer-Encoding: chunked",
      "Expect: 100-continue",
    );
    await exchange(client, head, (text) => text.startsWith("HTTP/1.1 100 Continue\r\n"));
    const body = '\xef\xbb\xbf{"searchLimitCount":3}';
    const chunk = `${body.length.toString(16).toUpperCase()}\r\n${body}\r\n0\r\n\r\n`;
    const text = await exchange(client, chunk, (all) => all.includes("0\r\n\r\n") || all.endsWith("[]"));
    expect(text).toContain("HTTP/1.1 200 OK\r\n");
    client.destroy();
  });

  it("writes blanks as %20 and braces around GUIDs as they are", async () => {
    const client = new RawClient(api.port);
    const path = `/archivefragments?channelid={${GATE_ID}}&fromtime=21.11.2026%2000%3A00%3A00&totime=22.11.2026%200:00:00`;
    const text = await exchange(
      client,
      lines(`GET ${path}&${ROOT_QUERY} HTTP/1.1`, "Host: nvr:8080"),
      (all) => all.includes("</ArchiveFragmentsList>") || all.includes("Error code"),
    );
    expect(text).toContain("<ArchiveFragmentsList");
    client.destroy();
  });
});
