import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ITEM_GAP_MS } from "../../../src/compat/event/event-listener.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { RawClient } from "../../support/http/raw-http.js";

/** An item of these tests is shorter, with the keep-alives of minutes behind it. */
const TAIL_BYTES_MAX = 40_000;

let api: ApiHarness;
const children: ChildProcess[] = [];

beforeEach(async () => {
  api = await startApi();
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await api.stop();
});

let clock: ManualClock;

/** Starts the API anew on a clock that stands. */
async function withoutKeepAlives(): Promise<void> {
  await api.stop();
  clock = new ManualClock();
  api = await startApi({ clock });
}

function python(script: string, ...args: readonly string[]): () => string {
  const child = spawn("python3", ["-c", script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  return () => output;
}

const motion = (comment: string): unknown =>
  api.events.raise({ typeId: EVENT_TYPES.motionDetected.id, channelId: GATE_ID, comment });

/** An event after a pause: on a clock that stands the gap before it would not end. */
function motionLater(comment: string): void {
  clock.advance(ITEM_GAP_MS);
  motion(comment);
}

describe("programs that read /event get each item as soon as it is sent:", () => {
  // No keep-alive comes that could push an item out.
  beforeEach(withoutKeepAlives);

  it("Python's urllib3, chunk by chunk", async () => {
    const output = python(
      `
import json, sys, urllib3
answer = urllib3.PoolManager().request('GET', sys.argv[1], preload_content=False)
print('listening', answer.headers['Content-Type'], flush=True)
for chunk in answer.read_chunked():
    text = chunk.decode('utf-8')
    if text == '\\r\\n': continue
    assert text.startswith('\\r\\n{\\r\\n\\t"EventId" : '), text
    print(json.loads(text)['Comment'], flush=True)
`,
      api.url(`/event?${ROOT_QUERY}`),
    );
    await until("it has the head before any event", () => output().includes("listening application/json"), {
      timeoutMs: 20_000,
      seen: output,
    });
    for (const comment of ["first", "second", "third"]) {
      motionLater(comment);
      await until(`it has printed ${comment}`, () => output().includes(comment), { seen: output });
    }
  });

  it("Python, line by line", async () => {
    const output = python(
      `
import sys, urllib.request
answer = urllib.request.urlopen(sys.argv[1])
print('listening', flush=True)
item = ''
for line in answer:
    item += line.decode('utf-8')
    if line == b'}':
        raise SystemExit('the line end is missing')
    if line == b'}\\r\\n':
        for part in item.split('\\r\\n'):
            if part.startswith('\\t"Comment" : '): print(part.split('"')[3], flush=True)
        item = ''
`,
      api.url(`/event?${ROOT_QUERY}`),
    );
    await until("it listens", () => output().includes("listening"), { seen: output });
    for (const comment of ["first", "second", "third"]) {
      motionLater(comment);
      await until(`it has printed ${comment}`, () => output().includes(comment), { seen: output });
    }
  });

  it("Node's fetch, by the blank line before each item", async () => {
    const response = await fetch(api.url(`/event?${ROOT_QUERY}`));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const seen: string[] = [];
    for (const comment of ["first", "second", "third"]) {
      motionLater(comment);
      while (!seen.includes(comment)) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
        if (done) throw new Error("the answer ended");
        text += value;
        for (let end = text.indexOf("\r\n}\r\n"); end >= 0; end = text.indexOf("\r\n}\r\n")) {
          seen.push((JSON.parse(text.slice(0, end + 3)) as { Comment: string }).Comment);
          text = text.slice(end + 5);
        }
      }
    }
    await reader?.cancel();
    expect(seen.filter((comment) => comment !== "KeepAlive")).toEqual(["first", "second", "third"]);
    await until("nobody listens", () => api.events.listeners === 0);
  });
});

describe("two events of one POST come in two reads, which programs take for two items:", () => {
  const post = async (): Promise<void> => {
    const plate = { EventId: EVENT_TYPES.plateRecognized.id, ChannelId: GATE_ID };
    const body = JSON.stringify([
      { ...plate, plateText: "A123BC77" },
      { ...plate, plateText: "B456DE50" },
    ]);
    expect((await fetch(api.url(`/api/events?${ROOT_QUERY}`), { method: "POST", body })).status).toBe(200);
  };
  const FILTER = `filter=${EVENT_TYPES.plateRecognized.id}`;

  it("Python with a socket", async () => {
    const output = python(
      `
import re, socket, sys
reader = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
reader.sendall(f'GET {sys.argv[2]} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'.encode())
while True:
    text = reader.recv(4096).decode()
    if 'HTTP/1.1 200' in text: print('listening', flush=True)
    found = re.search('"plateText" : "(.*?)"', text)
    if found: print(found.group(1), flush=True)
`,
      String(api.port),
      `/event?${ROOT_QUERY}&${FILTER}`,
    );
    await until("it listens", () => output().includes("listening"), { timeoutMs: 20_000, seen: output });
    await post();
    await until("it has both", () => output().includes("A123BC77\nB456DE50"), { seen: output });
  });

  it("Node's fetch", async () => {
    const response = await fetch(api.url(`/event?${ROOT_QUERY}&${FILTER}`));
    const reader = response.body?.getReader();
    await post();
    const plates: string[] = [];
    while (plates.length < 2) {
      const text = Buffer.from((await reader?.read())?.value ?? []).toString("utf8");
      const found = /"plateText" : "(.*?)"/.exec(text)?.[1];
      if (found !== undefined) plates.push(found);
    }
    await reader?.cancel();
    expect(plates).toEqual(["A123BC77", "B456DE50"]);
  });
});

it("a connection lives without events: a keep-alive a second", async () => {
  const client = new RawClient(api.port);
  client.get(`/event?${ROOT_QUERY}`);
  await until("two of them", () => client.text.split('"KeepAlive"\r\n}').length === 3, {
    seen: () => client.text.split('"KeepAlive"\r\n}').length,
  });
  client.destroy();
});

it("a hundred listeners and 400 events cost one formatting an event, and every listener gets all", async () => {
  const listeners = Array.from({ length: 100 }, () => new RawClient(api.port));
  for (const client of listeners) client.get(`/event?${ROOT_QUERY}&filter=${EVENT_TYPES.motionDetected.id}`);
  await until("all listen", () => api.server.eventCounts.listeners === 100);
  const fields = { Zoneid: "1" };
  const events = 400;
  const cpuBefore = process.cpuUsage();
  for (let index = 0; index < events; index++) {
    api.events.raise({
      typeId: EVENT_TYPES.motionDetected.id,
      channelId: GATE_ID,
      comment: `#${index}.`,
      fields,
    });
    // As they come from a busy site: a few in a turn of the loop, never more than the clients are behind.
    if (index % 5 === 4) await new Promise((resolve) => setImmediate(resolve));
    if (index % 200 === 199) await until("all have these", () => allHave(listeners, `#${index}.`));
  }
  const cpu = process.cpuUsage(cpuBefore);
  expect(api.server.eventCounts).toEqual({ listeners: 100, formatted: events, dropped: 0 });
  for (const client of [listeners[0], listeners[99]]) {
    const found = [...(client?.text ?? "").matchAll(/"Comment" : "#(\d+)\."/g)].map((match) =>
      Number(match[1]),
    );
    expect(found).toEqual(Array.from({ length: events }, (_, index) => index));
  }
  for (const client of listeners) client.destroy();
  // Server and clients together, 40,000 items: far from it on any machine, unless work grows with the listeners.
  expect((cpu.user + cpu.system) / 1e6).toBeLessThan(12);
});

/** Whether each client has `text` near the end of what came. */
function allHave(listeners: readonly RawClient[], text: string): boolean {
  return listeners.every((client) => client.bytes.subarray(-TAIL_BYTES_MAX).includes(text));
}
