import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { Sessions, SiteAccess } from "../../../access/index.js";
import { Archive, NoSegments } from "../../../archive/index.js";
import { BucketReader } from "../../../away/index.js";
import { type Clock, endsWithin, type Guid, type Log, NvrdError, stopInOrder } from "../../../base/index.js";
import { LastingFindings } from "../../../finding/index.js";
import {
  type HandedStorage,
  isServedOffSite,
  STAND_INS_MAX,
  type StandInApi,
  storageTarget,
} from "../../../fleet/index.js";
import { socketAddress } from "../../../host/control/index.js";
import type { ApiServer, ApiServerOptions } from "../../api/index.js";
import { NoEvents } from "./no-events.js";
import { StandInSite } from "./stand-in-site.js";

/** In the data directory: sockets and caches, nothing that is missed. */
const FOLDER = ["hub", "stand-ins"] as const;
const FOLDER_MODE = 0o700;
const SOCKET_NAME = "api.sock";
/** Of all that are open. */
const DETAIL_BYTES_MAX = 128 * 1024 * 1024;
/** For the first list of the storage; whoever asks then is answered that it is not known yet. */
const LOOK_MS_MAX = 8000;

const WITHOUT_BUCKET = /^\/api\/session$/;

const NOT_CONNECTED =
  "the recorder is not connected to this hub: of it there is what it has sent to off-site storage";

export interface StandInOptions {
  readonly dataDir: string;
  /** Bytes of the storage that are kept on the disk, of all that are open. */
  readonly cacheBytesMax: number;
  readonly api: () => ApiServer | undefined;
  /** What the hub knows of a recorder's channels, by the recorder's own ids. */
  readonly channelsOf: (id: Guid) => readonly { readonly id: Guid; readonly name: string }[];
  readonly clock: Clock;
  readonly log: Log;
}

interface Box {
  readonly id: Guid;
  readonly name: string;
  readonly storage: HandedStorage;
}

/** Removes what stand-ins of a former run have left. */
export async function removeStandIns(dataDir: string): Promise<void> {
  await rm(path.join(dataDir, ...FOLDER), { recursive: true, force: true });
}

/** Opens an API that has the recordings of a silent recorder from its off-site storage. Rejects with NvrdError NOT_AVAILABLE. */
export async function openStandIn(options: StandInOptions, { id, name, storage }: Box): Promise<StandInApi> {
  const { dataDir, cacheBytesMax, api: own, channelsOf, clock } = options;
  const api = own();
  if (api === undefined) throw new NvrdError("NOT_AVAILABLE", "the hub is still starting");
  const directory = path.join(dataDir, ...FOLDER, id);
  await mkdir(directory, { recursive: true, mode: FOLDER_MODE });
  const log = options.log.child({ part: "stand-in", box: id });
  const site = new StandInSite({ id, name }, channelsOf(id), clock.nowUs());
  const reader = new BucketReader({
    ...{ target: storageTarget(storage), identity: storage.identity, isOne: true, clock, log },
    ...{ cacheDirectory: directory, cacheBytesMax: Math.floor(cacheBytesMax / STAND_INS_MAX) },
    detailBytesMax: Math.floor(DETAIL_BYTES_MAX / STAND_INS_MAX),
    onChange: () => site.show(reader.boxes),
  });
  const archive = new Archive({ dataDir: directory, volumes: [], index: new NoSegments(), clock, log });
  await archive.start();
  archive.setAway([reader.recordings]);
  reader.start();
  const access = new SiteAccess({ site, clock, log });
  access.useHub(() => ({ hub: "hub", ceiling: "Look", mayUpdate: false }));
  const parts = {
    ...{ site, revisions: site, archive, access, sessions: new Sessions({ site, clock, log }) },
    ...{ streams: { stream: () => undefined, absence: NOT_CONNECTED }, events: new NoEvents() },
    ...{ findings: reader.findings, lasting: new LastingFindings(clock) },
    ...{ boxes: () => undefined, refusal: refusalOf(reader), oidc: undefined },
  } satisfies Parameters<ApiServer["beside"]>[0];
  const server = api.beside(parts, directory);
  const address = socketAddress(directory, SOCKET_NAME);
  const door = await server.openHubDoor(address.path);
  await endsWithin(reader.firstLook, { clock, ms: LOOK_MS_MAX });
  return {
    socketPath: address.path,
    stop: async () => {
      const ending = [
        { name: "the door", stop: () => door.stop() },
        { name: "its API", stop: () => server.stop() },
        { name: "its storage", stop: () => reader.stop() },
        { name: "its archive", stop: () => archive.stop() },
      ];
      await stopInOrder(ending, log).finally(() => address.close());
    },
  };
}

/** Only what is recorded is answered, and only where it is known what that is. */
function refusalOf(reader: BucketReader): NonNullable<ApiServerOptions["refusal"]> {
  return ({ path: asked, changes }) => {
    if (changes || !isServedOffSite(asked))
      return new NvrdError("NOT_AVAILABLE", NOT_CONNECTED, { hint: "see GET /api/boxes" });
    return WITHOUT_BUCKET.test(asked) ? undefined : reader.fault;
  };
}
