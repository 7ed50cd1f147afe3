import type { Guid } from "../../base/index.js";
import type { Analyser } from "../model/analyser.js";
import type { SecurityObject, Site } from "../model/model.js";

/** The configuration without these cameras, which are also removed from folders, groups, views, user scenarios, alarms, away targets and analysers. */
export function withoutCameras(site: Site, ids: readonly Guid[]): Site {
  const gone = new Set(ids);
  const rest = (channelIds: readonly Guid[]) =>
    channelIds.some((id) => gone.has(id)) ? channelIds.filter((id) => !gone.has(id)) : channelIds;
  const folder = (node: SecurityObject): SecurityObject => ({
    ...node,
    children: node.children.map(folder),
    channelIds: rest(node.channelIds),
  });
  return {
    ...site,
    cameras: site.cameras.filter((camera) => !gone.has(camera.id)),
    rootSecurityObject: folder(site.rootSecurityObject),
    groups: site.groups.map((group) => {
      const { realtimeChannels: realtime, archiveChannels: archive } = group;
      return changed(group, {
        realtimeChannels: realtime === "all" ? realtime : rest(realtime),
        archiveChannels: archive === "all" ? archive : rest(archive),
      });
    }),
    views: site.views.map((view) => changed(view, { channelIds: rest(view.channelIds) })),
    userScenarios: site.userScenarios.map(({ actions, ...scenario }) => ({
      ...scenario,
      channelIds: rest(scenario.channelIds),
      ...(actions === undefined
        ? {}
        : { actions: actions.filter(({ channelId }) => channelId === null || !gone.has(channelId)) }),
    })),
    awayTargets: site.awayTargets.map((target) => ({
      ...target,
      cameras: target.cameras.filter(({ channelId }) => !gone.has(channelId)),
    })),
    analysers: site.analysers.map((analyser) => ({
      ...analyser,
      source: sourceWithout(analyser.source, gone),
    })),
    alarmTargets: site.alarmTargets.map((target) => ({
      ...target,
      channelIds: target.channelIds === "all" ? "all" : rest(target.channelIds),
    })),
  };
}

/** The very same object where nothing of it changes: it is not looked at again. */
function changed<T extends object>(object: T, members: Partial<T>): T {
  const isSame = Object.entries(members).every(([name, value]) => Reflect.get(object, name) === value);
  return isSame ? object : { ...object, ...members };
}

function sourceWithout(source: Analyser["source"], gone: ReadonlySet<Guid>): Analyser["source"] {
  if (source.kind === "frigate")
    return { ...source, cameras: source.cameras.filter(({ channelId }) => !gone.has(channelId)) };
  if (source.channelIds === "all") return source;
  return { ...source, channelIds: source.channelIds.filter((id) => !gone.has(id)) };
}
