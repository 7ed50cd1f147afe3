import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Log, SystemClock } from "./base/index.js";
import { rtspCamera } from "./camera/index.js";
import { type DemoCamera, DemoCameras } from "./demo/index.js";
import { Service } from "./main.js";
import type { Settings } from "./settings.js";
import type { Camera, Site } from "./site/index.js";
import type { Stoppable } from "./supervise.js";

/** Marks a demo camera in the configuration, so that the next demo finds it again. */
const DESCRIPTION_PREFIX = "Built-in demo camera: ";

/** Starts the service with the built-in cameras and says on standard output where to look. */
export async function runDemo(settings: Settings, log: Log): Promise<Stoppable> {
  const cameras = new DemoCameras({ clock: new SystemClock(), log, listen: "127.0.0.1", port: 0 });
  const shown = await cameras.start();
  const service = new Service(settings, log, {
    announce: () => undefined, // it is part of the welcome
    prepareSite: (site) => withDemoCameras(site, shown),
  });
  try {
    await service.start();
  } catch (error) {
    await service.stop();
    await cameras.stop();
    throw error;
  }
  process.stdout.write(await welcome(service, settings, shown));
  return {
    failure: service.failure,
    stop: async () => {
      await service.stop();
      await cameras.stop();
    },
  };
}

/** The demo's RTSP port changes from start to start: cameras of an earlier demo get their new address. */
function withDemoCameras(site: Site, shown: readonly DemoCamera[]): Site {
  let next = site;
  for (const demo of shown) {
    const known = next.cameras.find((camera) => isDemoCamera(camera, demo));
    next = known === undefined ? withNewCamera(next, demo) : withAddress(next, known, demo.url);
  }
  return next;
}

function isDemoCamera(camera: Camera, demo: DemoCamera): boolean {
  return camera.name === demo.name && camera.description.startsWith(DESCRIPTION_PREFIX);
}

function withNewCamera(site: Site, demo: DemoCamera): Site {
  const description = `${DESCRIPTION_PREFIX}${demo.description}`;
  const camera = rtspCamera({ name: demo.name, description, url: demo.url, format: demo.format }, site);
  const root = site.rootSecurityObject;
  return {
    ...site,
    cameras: [...site.cameras, camera],
    rootSecurityObject: { ...root, channelIds: [...root.channelIds, camera.id] },
  };
}

function withAddress(site: Site, camera: Camera, url: string): Site {
  const changed = { ...camera, connection: { ...camera.connection, hostname: url } };
  return { ...site, cameras: site.cameras.map((other) => (other.id === camera.id ? changed : other)) };
}

/** A few lines: what runs, where to look, and who to be. */
async function welcome(service: Service, settings: Settings, shown: readonly DemoCamera[]): Promise<string> {
  const { httpPort, httpsPort, passwordFile, passwordFromEnvironment } = service.addresses;
  const password = passwordFromEnvironment ? process.env.NVRD_ROOT_PASSWORD : await passwordIn(passwordFile);
  const known = password !== undefined;
  const md5 = createHash("md5")
    .update(password ?? "")
    .digest("hex");
  const base = `http://127.0.0.1:${httpPort}`;
  const credentials = `login=root&password=${known ? md5 : "MD5-OF-THE-PASSWORD"}`;
  // channelnum counts over all cameras of the site, and a site may have had some before its first demo.
  const { cameras } = service.site.current;
  const numberOf = (demo: DemoCamera) => cameras.findIndex((camera) => isDemoCamera(camera, demo));
  const [first, mjpeg] = ["H264", "MJPEG"].map((format) => shown.find((demo) => demo.format === format));
  const videoOf = (demo: DemoCamera | undefined) =>
    `${base}/video?channelnum=${demo === undefined ? 0 : numberOf(demo)}&${credentials}`;
  const names = shown.map((demo) => `${numberOf(demo)} ${demo.name}`).join(", ");
  const busy = httpPort === settings.httpPort ? "" : ` (port ${settings.httpPort} was not to be had)`;
  return [
    "",
    `nvrd demo: ${shown.length} cameras are being recorded into ${settings.dataDir}`,
    `  Cameras        ${names}`,
    `  HTTP, HTTPS    ${base}${busy}${httpsPort === 0 ? "" : `, https://127.0.0.1:${httpsPort}`}`,
    `  Login          root${known ? `, password ${password} (its MD5 goes on the wire: ${md5})` : ", with the password it has"}`,
    `  Configuration  ${base}/configex?${credentials}`,
    `  In a browser   ${videoOf(mjpeg)}`,
    `  In a player    curl -sN '${videoOf(first)}' | node scripts/video-parts.mjs | ffplay -`,
    "  Stop           Ctrl-C",
    "",
    "",
  ].join("\n");
}

async function passwordIn(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : (await readFile(file, "utf8")).trim();
}
