/**
 * Adds RTSP cameras to the nvrd of this machine as root: `node add-cameras.mjs PASSWORD URL...`. For systems that only a
 * shell reaches. Prints the channels' ids.
 */
import { createHash } from "node:crypto";

const [password = "", ...urls] = process.argv.slice(2);
const base = "http://127.0.0.1:8080";
const login = `login=root&password=${createHash("md5").update(password).digest("hex")}&responsetype=json`;

async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${base}${path}?${login}`, options);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return await answer.json();
}

const { SenderId } = await ask("/configex");
const manufacturers = await ask("/configure/devicemanufacturers");
const models = manufacturers.flatMap((entry) => entry.DeviceModels);
const model = models.find((entry) => entry.Name === "RTSP/RTP device");
const cameras = urls.map((url, at) => ({
  Name: `Camera ${at}`,
  ServerBindingsSettings: { OwnerServerId: SenderId },
  ConnectionSettings: {
    ModelId: model.Id,
    Hostname: url,
    StreamSettings: { MainStreamSettings: { VideoFormat: "H264" } },
  },
  ArchiveSettings: { ArchivingDisabled: false, ArchivingMode: "AlwaysOn" },
}));
const { CreatedObjectsIds } = await ask("/configure/channels", cameras);
console.log(CreatedObjectsIds.join(" "));
