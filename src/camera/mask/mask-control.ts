import { type Clock, type Guid, NvrdError } from "../../base/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import type { CameraDevices } from "../device/camera-devices.js";
import { channelNumberOf } from "../device/channel-number.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { connectionOf } from "../device/stream-address.js";
import { withDevice } from "../device/with-device.js";
import { MaskDevice, type MaskOffer, type MaskPoint, newMaskType, type PrivacyMask } from "./mask-device.js";

const CALL_MS_MAX = 5_000;

/** What a camera hides, and what it takes. */
export interface MaskState {
  readonly offer: MaskOffer;
  readonly masks: readonly PrivacyMask[];
}

/** A mask as it is to be. */
export interface WantedMask {
  /** Undefined: a new one. */
  readonly token: string | undefined;
  readonly points: readonly MaskPoint[];
  readonly isEnabled: boolean;
}

/** The privacy masks of cameras. */
export interface Masks {
  /** Rejects with NvrdError: NOT_SUPPORTED, NOT_AVAILABLE, TOO_MANY_REQUESTS while the camera is being asked. */
  of(channelId: Guid, signal: AbortSignal): Promise<MaskState>;
  /**
   * Makes the camera's masks those of the list, and resolves with what it has then. Rejects as `of`, with CONFLICT where the list has
   * a mask that is not there any more, and BAD_REQUEST for what the camera does not take; nothing was changed then.
   */
  replace(channelId: Guid, wanted: readonly WantedMask[], signal: AbortSignal): Promise<MaskState>;
}

interface MaskControlOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly devices: Pick<CameraDevices, "described" | "knowledge" | "acceptsKey">;
  readonly budgets: LoginBudgets;
  readonly clock: Clock;
}

/** The masks of ONVIF cameras: one request at a time to each of them. */
export class MaskControl implements Masks {
  readonly #options: MaskControlOptions;
  readonly #busy = new Set<Guid>();

  constructor(options: MaskControlOptions) {
    this.#options = options;
  }

  async of(channelId: Guid, signal: AbortSignal): Promise<MaskState> {
    return await this.#withDevice(channelId, signal, (device) => stateOf(device, signal));
  }

  async replace(channelId: Guid, wanted: readonly WantedMask[], signal: AbortSignal): Promise<MaskState> {
    return await this.#withDevice(channelId, signal, async (device) => {
      const before = await stateOf(device, signal);
      requireTaken(wanted, before);
      const kept = new Map(wanted.map((mask) => [mask.token, mask]));
      // What is hidden stays hidden as long as it can: masks go last, unless there is no room for new ones before.
      for (const mask of before.masks) {
        const after = kept.get(mask.token);
        if (after !== undefined && !isSame(mask, after))
          await device.set({ ...mask, points: after.points, isEnabled: after.isEnabled }, signal);
      }
      const gone = before.masks.filter(({ token }) => !kept.has(token));
      const added = wanted.filter(({ token }) => token === undefined);
      const room = before.offer.masksMax - before.masks.length;
      const first = gone.slice(0, Math.max(0, added.length - room));
      for (const { token } of first) await device.remove(token, signal);
      for (const { points, isEnabled } of added)
        await device.create({ points, isEnabled, type: newMaskType(before.offer), color: {} }, signal);
      for (const { token } of gone.slice(first.length)) await device.remove(token, signal);
      return await stateOf(device, signal);
    });
  }

  async #withDevice<T>(
    channelId: Guid,
    signal: AbortSignal,
    work: (device: MaskDevice) => Promise<T>,
  ): Promise<T> {
    const camera = this.#camera(channelId);
    if (this.#busy.has(channelId))
      throw new NvrdError("TOO_MANY_REQUESTS", "the camera's masks are being read or changed", {
        retryAfterMs: CALL_MS_MAX,
      });
    this.#busy.add(channelId);
    try {
      const asked = { camera, callTimeoutMs: CALL_MS_MAX, signal };
      return await withDevice(this.#options, asked, (client, description) =>
        work(new MaskDevice(client, description, channelNumberOf(camera))),
      );
    } finally {
      this.#busy.delete(channelId);
    }
  }

  #camera(channelId: Guid): Camera {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined || camera.disabled)
      throw new NvrdError("NOT_AVAILABLE", "the channel is switched off", { hint: "" });
    if (connectionOf(camera) === "onvif") return camera;
    throw new NvrdError("NOT_SUPPORTED", "only ONVIF cameras have privacy masks that are set here", {
      hint: "draw them on the camera's own page",
    });
  }
}

async function stateOf(device: MaskDevice, signal: AbortSignal): Promise<MaskState> {
  const offer = await device.offer(signal);
  return { offer, masks: await device.masks(signal) };
}

/** Throws NvrdError CONFLICT or BAD_REQUEST. */
function requireTaken(wanted: readonly WantedMask[], { offer, masks }: MaskState): void {
  const known = new Set(masks.map(({ token }) => token));
  const tokens = wanted.flatMap(({ token }) => token ?? []);
  if (new Set(tokens).size < tokens.length || tokens.some((token) => !known.has(token)))
    throw new NvrdError("CONFLICT", "the camera has other masks meanwhile", {
      hint: "read them again, and repeat the change",
    });
  const { masksMax, pointsMax, isRectangleOnly } = offer;
  if (wanted.length > masksMax)
    throw new NvrdError("BAD_REQUEST", `the camera takes at most ${masksMax} masks`, { hint: "remove one" });
  for (const { token, points } of wanted) {
    const before = masks.find((mask) => mask.token === token);
    if (before !== undefined && isAlike(before.points, points)) continue;
    if (points.length < 3 || points.length > pointsMax)
      throw new NvrdError("BAD_REQUEST", `the camera takes masks of 3 to ${pointsMax} corners`, { hint: "" });
    if (isRectangleOnly && !isRectangle(points))
      throw new NvrdError("BAD_REQUEST", "the camera takes rectangles alone", { hint: "draw a rectangle" });
  }
}

function isSame(mask: PrivacyMask, wanted: WantedMask): boolean {
  return mask.isEnabled === wanted.isEnabled && isAlike(mask.points, wanted.points);
}

function isAlike(points: readonly MaskPoint[], others: readonly MaskPoint[]): boolean {
  return (
    points.length === others.length &&
    points.every(({ x, y }, at) => x === others[at]?.x && y === others[at]?.y)
  );
}

function isRectangle(points: readonly MaskPoint[]): boolean {
  const [xs, ys] = [new Set(points.map(({ x }) => x)), new Set(points.map(({ y }) => y))];
  return points.length === 4 && xs.size === 2 && ys.size === 2;
}
