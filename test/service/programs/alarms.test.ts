import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { Service } from "../../support/service/service.js";

interface Alarm {
  readonly Server: { readonly Name: string };
  readonly Events: readonly { readonly EventType: string; readonly ChannelName: string }[];
}

let directory: TemporaryDirectory;
let receiver: Server;
/** What the receiver took. */
const alarms: Alarm[] = [];
let status = 200;

beforeAll(async () => {
  directory = new TemporaryDirectory("service-alarms");
  receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      if (status === 200) alarms.push(JSON.parse(body) as Alarm);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});

afterAll(() => {
  receiver?.closeAllConnections();
  receiver?.close();
  directory?.remove();
});

const delivered = (): string[] =>
  alarms.flatMap(({ Events }) => Events.map(({ EventType, ChannelName }) => `${EventType} ${ChannelName}`));

it("a lost camera is reported, and what could not be reported is reported by the next run", async () => {
  const dataDir = directory.join("data");
  let service = await Service.start({ dataDir });
  const source = await PacedSource.start(1, SMALL_CLIP);
  const { port } = receiver.address() as AddressInfo;
  const target = {
    Name: "Chat",
    Kind: "Webhook",
    Webhook: { Url: `http://127.0.0.1:${port}/`, Secret: "key" },
  };
  await service.json("/configure/alarms", { method: "POST", body: [target] });
  const [gateId] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
  await expect.poll(async () => (await service.fragments(gateId ?? "")).length).toBeGreaterThan(0);
  await source.stop();
  await expect.poll(delivered).toContain("cameraLost Gate");

  status = 503;
  await service.json("/configure/alarms", {
    method: "PUT",
    body: [
      { Id: (await service.json<{ Id: string }[]>("/configure/alarms"))[0]?.Id, Events: "ErrorsAndAlarms" },
    ],
  });
  const wrong = await fetch(`http://127.0.0.1:${service.httpPort}/configex?login=nobody&password=x`);
  expect(wrong.status).toBe(401);
  await expect
    .poll(async () => (await service.json<{ IsFailing: boolean }[]>("/api/alarms"))[0]?.IsFailing)
    .toBe(true);
  await service.stop();
  expect(delivered().join()).not.toContain("loginFailed");
  status = 200;
  service = await Service.start({ dataDir });
  await expect.poll(delivered).toContain("loginFailed ");
  await service.stop();
});
