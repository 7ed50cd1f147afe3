import { createServer, type Server } from "node:http";
import { type Guid, SystemClock } from "../../../src/base/index.js";
import { readCode } from "../../../src/fleet/join/code.js";
import { joinHub } from "../../../src/fleet/join/enrolment-client.js";
import type { LinkTarget } from "../../../src/fleet/link/link-messages.js";
import { LinkWork } from "../../../src/fleet/link/link-work.js";
import type { TemporaryDirectory } from "../base/temporary-directory.js";

export const CHANNELS_OF_BOX = 16;

/** Figures of a hub's boxes that are as of real ones. */
const FIGURES = {
  ...{ cameras: CHANNELS_OF_BOX, camerasLost: 0, volumes: 1, volumesAtFault: 0, daysLeft: 21 },
  ...{ problemCount: 0, problems: [] },
};

interface CrowdBox {
  readonly id: Guid;
  readonly api: Server;
  readonly target: LinkTarget;
  work: LinkWork | undefined;
}

/**
 * Many boxes in one process, as a hub sees them: each with its own certificate, both its connections, and an API that says its
 * configuration. All come from one address, as boxes behind one router do.
 */
export class BoxCrowd {
  readonly #clock = new SystemClock();
  readonly #directory: TemporaryDirectory;
  readonly #boxes: CrowdBox[] = [];
  /** How often a box has asked the hub for a connection that it did not get. */
  refusals = 0;
  /** Connections that are open: the number of the box and what it is for. */
  readonly #open = new Set<string>();

  constructor(directory: TemporaryDirectory) {
    this.#directory = directory;
  }

  get ids(): readonly Guid[] {
    return this.#boxes.map(({ id }) => id);
  }

  /** Connections that are open now: two of each box. */
  get connections(): number {
    return this.#open.size;
  }

  /** Another box joins the hub of a code. */
  async join(code: string): Promise<void> {
    const read = readCode("hub", code);
    if (read === undefined) throw new Error(`no code: ${code}`);
    const number = this.#boxes.length;
    const id = idOf(0, number);
    const { hub, own } = await joinHub(read, { id, name: `Site ${number}`, clock: this.#clock });
    const socketPath = this.#directory.join(`b${number}`);
    const text = JSON.stringify(configuration(number));
    const api = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
      response.end(text);
    });
    await new Promise<void>((resolve) => api.listen(socketPath, resolve));
    const target = { places: [hub], authority: hub.authority, ...own, boxId: id, socketPath };
    this.#boxes.push({ id, api, target, work: undefined });
  }

  start(): void {
    for (const [number, box] of this.#boxes.entries()) {
      const work = new LinkWork({
        clock: this.#clock,
        post: (message) => {
          if (message.kind !== "state") return;
          const {
            role,
            state: { isConnected },
          } = message;
          const name = `${number} ${role}`;
          if (isConnected) this.#open.add(name);
          else if (!this.#open.delete(name)) this.refusals += 1;
        },
      });
      box.work = work;
      const about = {
        ...{ name: `Site ${number}`, version: "1.0.0", health: "recording", figures: FIGURES, revision: 1 },
      };
      work.take({ kind: "about", about });
      work.take({ kind: "start", target: box.target });
    }
  }

  async stop(): Promise<void> {
    for (const { work, api } of this.#boxes) {
      work?.take({ kind: "stop" });
      api.close();
      api.closeAllConnections();
    }
  }
}

function idOf(kind: number, number: number): Guid {
  return `0000000${kind}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** What a box answers to `GET /configex?responsetype=json`. */
function configuration(number: number): object {
  const ids = Array.from({ length: CHANNELS_OF_BOX }, (_, at) => idOf(1, number * CHANNELS_OF_BOX + at));
  return {
    RevNum: 1,
    Channels: ids.map((Id, at) => ({
      ...{
        Id,
        Name: `Camera ${at} of site ${number}`,
        Description: "",
        DeviceInfo: "Hikvision DS-2CD2143G2",
      },
      ...{ AttachedToServer: idOf(0, number), IsDisabled: false, IsSoundOn: false, IsArchivingEnabled: true },
      ...{ IsSoundArchivingEnabled: false, AllowedRealtime: true, AllowedArchive: true, IsPtzOn: false },
      ...{ IsTransmitSoundOn: false, ArchiveMode: "AlwaysOn", ArchiveStreamType: "Main" },
      ...{ ArchiveVideoFormat: "H264", ArchiveRotationMode: "None", IsFaceRecOn: false },
      ...{ IsPeopleCountingOn: false, IsObjectCountingOn: false, TimeZoneOffset: 0 },
      Streams: ["Main", "Alternative"].map((StreamType) => ({
        ...{ StreamType, StreamFormat: "H264", RotationMode: "None" },
      })),
      ...{ UserScenarios: [], GeoPosition: null },
    })),
    RootSecObject: { Id: idOf(2, number), Name: null, ChildSecObjects: [], ChildChannels: ids },
  };
}
