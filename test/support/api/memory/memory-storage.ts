import type { MoveState } from "../../../../src/archive/move/volume-moves.js";
import { NvrdError } from "../../../../src/base/value/errors.js";
import type { Guid } from "../../../../src/base/value/guid.js";
import type {
  FormatRequest,
  StorageControl,
  StorageList,
  StorageUser,
  StorageWork,
} from "../../../../src/box/storage/storage-types.js";

export const STORED_VOLUME_ID = "99999999-0000-4000-8000-000000000001";
export const STORED_VOLUME_PATH = "/srv/nvrd-0a1b2c3d";

/** One disk with a volume on it, and an empty one; notes what it is asked for. */
export class MemoryStorage implements StorageControl {
  readonly asked: unknown[] = [];
  /** What the next request is refused with. */
  refusal: NvrdError | undefined;
  #work: StorageWork | undefined;

  get work(): StorageWork | undefined {
    return this.#work;
  }

  async list(): Promise<StorageList> {
    const volume = {
      ...({
        directory: STORED_VOLUME_PATH,
        volumeId: STORED_VOLUME_ID,
        state: "in use",
        reason: "",
      } as const),
      ...{ totalBytes: 4e12, freeBytes: 1e12, usedBytes: 2.9e12, allowedBytes: 3.8e12 },
      ...{ emptyUs: undefined, projectedYearBytes: 24e12, workloadTbPerYear: 180 },
    };
    const disk = {
      model: "WDC WD40PURX",
      bytes: 4e12,
      isRotational: true,
      isSystemDisk: false,
      health: undefined,
    };
    const content = { name: "sda", type: "ext4", label: "nvrd-0a1b2c3d", mountPoint: STORED_VOLUME_PATH };
    return {
      disks: [
        { ...disk, device: "/dev/sda", serial: "WD-1", contents: [content], volumes: [volume] },
        { ...disk, device: "/dev/sdb", serial: "WD-2", contents: [], volumes: [] },
      ],
      otherVolumes: [],
      work: this.#work,
      problem: undefined,
    };
  }

  move: MoveState | undefined;

  async beginMove(directory: string, by: StorageUser): Promise<MoveState> {
    this.#note({ move: directory, by });
    const progress = { moved: 3, movedBytes: 3e9, left: 9, leftBytes: 9e9 };
    const ends = { endedUs: undefined, result: undefined, problem: undefined };
    const startedUs = 1_795_251_600_000_000;
    this.move = { directory, by: by ?? null, state: "running", startedUs, progress, ...ends };
    return this.move;
  }

  cancelMove(): void {
    this.#note({ cancelMove: true });
    if (this.move !== undefined) this.move = { ...this.move, state: "cancelled" };
  }

  async format(request: FormatRequest, by: StorageUser): Promise<StorageWork> {
    return this.#begin("format", { request, by }, request.device);
  }

  async replace(directory: string, request: FormatRequest, by: StorageUser): Promise<StorageWork> {
    return this.#begin("replace", { directory, request, by }, request.device);
  }

  async adopt(directory: string, confirm: string | undefined, by: StorageUser): Promise<Guid> {
    this.#note({ adopt: directory, confirm, by });
    return STORED_VOLUME_ID;
  }

  async retire(directory: string, retired: boolean, by: StorageUser): Promise<void> {
    this.#note({ retire: directory, retired, by });
  }

  async forget(directory: string, confirm: string, by: StorageUser): Promise<void> {
    this.#note({ forget: directory, confirm, by });
  }

  #begin(action: StorageWork["action"], asked: unknown, device: string): StorageWork {
    this.#note(asked);
    const times = { startedUs: 1_795_251_600_000_000, endedUs: undefined };
    const rest = { problem: undefined, directory: undefined };
    this.#work = { action, by: undefined, device, state: "running", step: "formatting", ...times, ...rest };
    return this.#work;
  }

  #note(asked: unknown): void {
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal instanceof NvrdError) throw refusal;
    this.asked.push(asked);
  }
}
