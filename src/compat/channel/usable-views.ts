import type { Principal } from "../../access/index.js";
import type { Guid } from "../../base/index.js";
import { visibleCameras } from "../../player/index.js";
import type { Site, View } from "../../site/index.js";

/** A view, with null in place of the cameras that the user may not see, so that the others keep their tiles. */
export interface UsableView {
  readonly view: View;
  readonly channelIds: readonly (Guid | null)[];
}

/** The views that the user may use and that hold a camera it may see. */
export function usableViews(site: Site, principal: Principal): readonly UsableView[] {
  const visible = new Set(visibleCameras(site, principal).map((camera) => camera.id));
  return site.views
    .filter((view) => mayUse(principal, view) && view.channelIds.some((id) => visible.has(id)))
    .map((view) => ({ view, channelIds: view.channelIds.map((id) => (visible.has(id) ? id : null)) }));
}

function mayUse({ group }: Principal, view: View): boolean {
  return group.seniorAdministrators || view.groupIds === "all" || view.groupIds.includes(group.id);
}
