import type { awayPlan, ObjectOf } from "../../../contract/index.js";
import { numberOf } from "./typed.js";

/** What goes of a camera. */
export interface Plan extends Omit<ObjectOf<typeof awayPlan>, "SecondsBefore" | "SecondsAfter"> {
  /** Around events; what is typed may be no number. */
  readonly SecondsBefore: number | string | null;
  readonly SecondsAfter: number | string | null;
}

export interface CameraPlan extends Plan {
  readonly ChannelId: string;
}

/** A plan, and the cameras that have it in place of the target's own. */
export interface CameraPlans {
  readonly plan: Plan;
  readonly cameras: ReadonlySet<string>;
}

/** Cameras with the same plan are together. */
export function plansOf(cameras: readonly CameraPlan[]): readonly CameraPlans[] {
  const byPlan = new Map<string, { readonly plan: Plan; readonly cameras: Set<string> }>();
  for (const { ChannelId, ...plan } of cameras) {
    const name = JSON.stringify(plan);
    const known = byPlan.get(name) ?? { plan, cameras: new Set() };
    byPlan.set(name, known);
    known.cameras.add(ChannelId);
  }
  return [...byPlan.values()];
}

export function camerasOf(plans: readonly CameraPlans[]): readonly CameraPlan[] {
  return plans.flatMap(({ plan, cameras }) =>
    [...cameras].map((ChannelId) => ({ ChannelId, ...plan, ...secondsOf(plan) })),
  );
}

/** The seconds of a plan as they were typed. */
export function secondsOf({
  SecondsBefore,
  SecondsAfter,
}: Plan): Pick<Plan, "SecondsBefore" | "SecondsAfter"> {
  return {
    SecondsBefore: numberOf(`${SecondsBefore ?? ""}`),
    SecondsAfter: numberOf(`${SecondsAfter ?? ""}`),
  };
}

/** One of the plans is changed; a camera has one plan, the one that it was given last. */
export function withPlan(
  plans: readonly CameraPlans[],
  at: number,
  changed: CameraPlans,
): readonly CameraPlans[] {
  return plans.map((other, index) =>
    index === at
      ? changed
      : { ...other, cameras: new Set([...other.cameras].filter((id) => !changed.cameras.has(id))) },
  );
}
