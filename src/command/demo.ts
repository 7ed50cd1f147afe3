import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Log, type LogRing, SystemClock } from "../base/index.js";
import { deviceHostname, ONVIF_MODEL, RTSP_MODEL } from "../camera/index.js";
import { type DemoCamera, DemoCameras } from "../demo/index.js";
import { DeviceAddition } from "../owner/index.js";
import { type ReportingService, Service, type ServiceAddresses } from "../service/index.js";
import { createDeviceService } from "../service/shared/index.js";
import type { Settings } from "../settings/index.js";
import { type Camera, cameraOptions, DEFAULT_OBJECTS, type Site } from "../site/index.js";

/** Prefix of the description of a demo camera in the configuration. */
const DESCRIPTION_PREFIX = "Built-in demo camera: ";

/** Duration of the scan for the demo cameras: they run on this machine and answer within half a second. */
const SCAN_SECONDS = 1;
const LISTEN = "127.0.0.1";

export interface DemoOptions {
  readonly log: Log;
  readonly logLines: LogRing;
  /** The cameras answer, and are not added; root must choose a password: as it is out of the box. */
  readonly isFresh: boolean;
}

/** Starts the service with the built-in cameras and prints the addresses on standard output. */
export async function startDemo(
  settings: Settings,
  { log, logLines, isFresh }: DemoOptions,
): Promise<ReportingService & Pick<Service, "site">> {
  const cameras = new DemoCameras({ clock: new SystemClock(), log, listen: LISTEN, port: 0 });
  let shown: readonly DemoCamera[] = [];
  const service = new Service(settings, log, {
    logLines,
    announce: () => undefined, // it is part of the welcome text
    keepsFirstPassword: !isFresh, // so that the welcome text is true at the next start too
    prepareSite: async (site) => {
      shown = await cameras.start(site.server.id);
      return isFresh ? (current) => current : await findAndAdd(site, shown, log);
    },
  });
  try {
    await service.start();
  } catch (error) {
    await service.stop();
    await cameras.stop();
    throw error;
  }
  process.stdout.write(
    isFresh ? await freshWelcome(service, settings) : await welcome(service, settings, shown),
  );
  return {
    failure: service.failure,
    restart: service.restart,
    site: service.site,
    get healthSummary() {
      return service.healthSummary;
    },
    stuckReason: () => service.stuckReason(),
    stop: async () => {
      await service.stop();
      await cameras.stop();
    },
  };
}

/**
 * Finds the demo cameras by discovery and reads them over ONVIF, like `POST /configure/discovery/add`. Cameras of an earlier
 * demo are recognized by their identity; their ports have changed.
 */
async function findAndAdd(site: Site, shown: readonly DemoCamera[], log: Log): Promise<(site: Site) => Site> {
  const { discovery, devices } = createDeviceService({ clock: new SystemClock(), log });
  try {
    const found = await devices.scan({ interface: LISTEN, timeoutSeconds: SCAN_SECONDS });
    const addresses = new Map(found.map((device) => [device.identity, deviceHostname(device)]));
    for (const { name, identity, address } of shown) {
      if (addresses.has(identity)) continue;
      log.warn({ camera: name, address }, "discovery did not find a demo camera: using its known address");
      addresses.set(identity, address);
    }
    const requests = shown.map(({ name, identity }) => ({
      address: addresses.get(identity) ?? "",
      identity,
      name,
      login: "",
      password: "",
      channelNumbers: undefined,
    }));
    const defaults = {
      soundReceivingEnabled: true,
      ptzEnabled: undefined,
      archivingMode: undefined,
      parentId: site.rootSecurityObject.id,
    };
    const before = withIdentities(site, shown);
    const addition = await DeviceAddition.read(requests, { site: before, devices, defaults });
    return (current) => {
      const known = withIdentities(current, shown);
      const added = withObjects(addition.addTo(known), known);
      const next = withPlaces(added, shown, addresses);
      for (const { name, result, reason } of addition.outcomes) {
        if (result !== "Added" && result !== "AlreadyAdded")
          log.error({ camera: name, result, reason }, "a demo camera cannot be added");
      }
      return next;
    };
  } finally {
    await discovery.stop();
  }
}

/** Converts demo cameras of an older version without ONVIF into the present ones, so that they keep their recordings. */
function withIdentities(site: Site, shown: readonly DemoCamera[]): Site {
  const cameras = site.cameras.map((camera): Camera => {
    const { connection, description, name } = camera;
    const demo = shown.find((one) => one.name === name);
    const isOld = connection.modelId === RTSP_MODEL.id && description.startsWith(DESCRIPTION_PREFIX);
    if (demo === undefined || !isOld) return camera;
    const { identity: deviceIdentity } = demo;
    return {
      ...camera,
      connection: { ...connection, modelId: ONVIF_MODEL.id, deviceIdentity, findStreams: true },
    };
  });
  return { ...site, cameras };
}

/** Looks for objects at cameras that were not there before, on small machines too: a demo has few cameras. */
function withObjects(site: Site, before: Site): Site {
  const isKnown = ({ id }: Camera): boolean => before.cameras.some((camera) => camera.id === id);
  const cameras = site.cameras.map((camera): Camera => {
    if (isKnown(camera)) return camera;
    const kept = cameraOptions(camera);
    const analyze = { ...kept.analyze, objects: { ...DEFAULT_OBJECTS, mode: "On" as const } };
    return { ...camera, kept: { ...kept, analyze } };
  });
  return { ...site, cameras };
}

/** Sets the present address and description of each demo camera. */
function withPlaces(site: Site, shown: readonly DemoCamera[], addresses: ReadonlyMap<string, string>): Site {
  const cameras = site.cameras.map((camera): Camera => {
    const demo = shown.find((one) => isDemoCamera(camera, one));
    if (demo === undefined) return camera;
    const hostname = addresses.get(demo.identity) ?? camera.connection.hostname;
    const description = `${DESCRIPTION_PREFIX}${demo.description}`;
    return { ...camera, description, connection: { ...camera.connection, hostname } };
  });
  return { ...site, cameras };
}

function isDemoCamera({ connection }: Camera, { identity }: DemoCamera): boolean {
  return connection.deviceIdentity === identity;
}

/** A few lines: the page's address and the login first, then what is running, and the addresses for programs. */
async function welcome(service: Service, settings: Settings, shown: readonly DemoCamera[]): Promise<string> {
  const { httpPort, httpsPort, rtspPort } = service.addresses;
  const password = await shownPassword(service.addresses);
  const known = password !== undefined;
  const md5 = createHash("md5")
    .update(password ?? "")
    .digest("hex");
  const base = `http://127.0.0.1:${httpPort}`;
  const credentials = `login=root&password=${known ? md5 : "MD5-OF-THE-PASSWORD"}`;
  // channelnum counts all cameras of the site, and a site may have had cameras before its first demo.
  const { cameras } = service.site.current;
  const numberOf = (demo: DemoCamera) => cameras.findIndex((camera) => isDemoCamera(camera, demo));
  const first = shown.find((demo) => demo.format === "H264");
  const channel = `channelnum=${first === undefined ? 0 : numberOf(first)}&${credentials}`;
  const names = shown.map((demo) => `${numberOf(demo)} ${demo.name}`).join(", ");
  const busy = httpPort === settings.httpPort ? "" : ` (port ${settings.httpPort} was not available)`;
  return [
    "",
    `nvrd demo: open ${base}/ in a browser${busy}`,
    `  Log in         as root, ${known ? `password ${password}` : "with the password it has"}`,
    `  Cameras        ${names}; they are being recorded into ${settings.dataDir}`,
    ...(httpsPort === 0 ? [] : [`  Over HTTPS     https://127.0.0.1:${httpsPort}/`]),
    "",
    ...(known ? [`  Programs       send the password's MD5: ${md5}`] : []),
    `  Configuration  ${base}/configex?${credentials}`,
    `  Moving JPEGs   ${base}/mobile?withcontenttype=true&${channel}`,
    `  A still        ${base}/site?resolutionx=640&${channel}`,
    `  In a player    curl -fsSN '${base}/video?${channel}' | ${videoParts()} | ffplay -`,
    ...(rtspPort === 0 ? [] : [`  Over RTSP      ffplay 'rtsp://127.0.0.1:${rtspPort}/rtsp?${channel}'`]),
    "  Stop           Ctrl-C",
    "",
    "",
  ].join("\n");
}

/** The same for a demo of the first run. */
async function freshWelcome({ addresses }: Service, settings: Settings): Promise<string> {
  const { httpPort } = addresses;
  const password = await shownPassword(addresses);
  return [
    "",
    `nvrd demo: open http://127.0.0.1:${httpPort}/ in a browser`,
    `  Log in         as root, password ${password ?? "as it was set"}: the first run begins`,
    "  Cameras        four answer the search; they need no login",
    `  Data           ${settings.dataDir}, removed at the end`,
    "  Stop           Ctrl-C",
    "",
    "",
  ].join("\n");
}

/** Root's password where it is known: from the environment, or from the file with the generated one. */
export async function shownPassword({
  isPasswordFromEnvironment,
  passwordFile,
}: ServiceAddresses): Promise<string | undefined> {
  return (await isPasswordFromEnvironment())
    ? process.env.NVRD_ROOT_PASSWORD
    : await passwordIn(passwordFile);
}

/** Takes the framing off /video: a script of the checkout; the Debian package brings it as a program. */
function videoParts(): string {
  const script = "scripts/video-parts.mjs";
  return existsSync(new URL(`../../${script}`, import.meta.url)) ? `node ${script}` : "nvrd-video-parts";
}

async function passwordIn(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : (await readFile(file, "utf8")).trim();
}
