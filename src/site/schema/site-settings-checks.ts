import type { Guid } from "../../base/index.js";
import { MAP_FOLDER_DEPTH_MAX, MAP_FOLDERS_MAX, MAP_LOCATIONS_MAX } from "../../contract/index.js";
import type { Site } from "../model/model.js";
import type { MapFolder } from "../model/site-settings.js";
import { duplicates, foldName, unknownChannels } from "./check-parts.js";

/** Contradictions between views, locations, scenarios, monitoring and the rest of the configuration; empty if none. */
export function settingsProblems(site: Site): string[] {
  return [
    ...viewProblems(site),
    ...mapProblems(site.mapLocations),
    ...scenarioProblems(site),
    ...monitoringProblems(site),
    ...alarmProblems(site),
    ...awayProblems(site),
    ...analyserProblems(site),
  ];
}

function viewProblems(site: Site): string[] {
  const groupIds = new Set(site.groups.map((group) => group.id));
  const problems = site.views.flatMap((view, index) => {
    const groups: readonly Guid[] = view.groupIds === "all" ? [] : view.groupIds;
    return [
      ...unknownChannels(site, view.channelIds).map(
        (id) => `views[${index}].channelIds: no channel has the id ${id}`,
      ),
      ...groups
        .filter((id) => !groupIds.has(id))
        .map((id) => `views[${index}].groupIds: no group has the id ${id}`),
      ...duplicates(groups).map((id) => `views[${index}].groupIds: the group ${id} is named twice`),
    ];
  });
  const names = duplicates(site.views.map((view) => foldName(view.name)));
  return [...problems, ...names.map((name) => `two views have the name ${name}`)];
}

function mapProblems(root: MapFolder): string[] {
  const folders = mapFolders(root);
  const locations = folders.reduce((count, folder) => count + folder.locations.length, 0);
  const problems: string[] = [];
  if (locations > MAP_LOCATIONS_MAX) problems.push(`mapLocations: more than ${MAP_LOCATIONS_MAX} locations`);
  if (folders.length - 1 > MAP_FOLDERS_MAX)
    problems.push(`mapLocations: more than ${MAP_FOLDERS_MAX} folders`);
  if (mapDepth(root) > MAP_FOLDER_DEPTH_MAX)
    problems.push(`mapLocations: more than ${MAP_FOLDER_DEPTH_MAX} levels`);
  return problems;
}

function scenarioProblems(site: Site): string[] {
  return site.userScenarios.flatMap(({ channelIds, actions = [], starts = [] }, index) => {
    const at = `userScenarios[${index}]`;
    const named = actions.flatMap(({ channelId }) => channelId ?? []);
    return [
      ...unknownChannels(site, channelIds).map((id) => `${at}.channelIds: no channel has the id ${id}`),
      ...duplicates(channelIds).map((id) => `${at}.channelIds: the channel ${id} is named twice`),
      ...unknownChannels(site, named).map((id) => `${at}.actions: no channel has the id ${id}`),
      ...starts
        .flatMap((start) => duplicates<string>(start.kind === "event" ? start.eventTypeIds : start.days))
        .map((twice) => `${at}.starts: ${twice} is named twice`),
    ];
  });
}

function monitoringProblems(site: Site): string[] {
  const { serverIds, proxyServerId } = site.monitoring;
  const ids = proxyServerId === null ? serverIds : [...serverIds, proxyServerId];
  const problems = ids
    .filter((id) => id !== site.server.id)
    .map((id) => `monitoring: no server has the id ${id}`);
  return [...problems, ...duplicates(serverIds).map((id) => `monitoring: the server ${id} is named twice`)];
}

function alarmProblems(site: Site): string[] {
  const problems = site.alarmTargets.flatMap(({ channelIds, events }, index) => {
    const at = `alarmTargets[${index}]`;
    const channels = channelIds === "all" ? [] : channelIds;
    const types = typeof events === "string" ? [] : events;
    return [
      ...unknownChannels(site, channels).map((id) => `${at}.channelIds: no channel has the id ${id}`),
      ...duplicates(channels).map((id) => `${at}.channelIds: the channel ${id} is named twice`),
      ...duplicates(types).map((id) => `${at}.events: the type ${id} is named twice`),
    ];
  });
  const ids = duplicates(site.alarmTargets.map((target) => target.id));
  const names = duplicates(site.alarmTargets.map((target) => foldName(target.name)));
  return [
    ...problems,
    ...ids.map((id) => `two alarm targets have the id ${id}`),
    ...names.map((name) => `two alarm targets have the name ${name}`),
  ];
}

function awayProblems(site: Site): string[] {
  const { awayTargets } = site;
  const ids = duplicates(awayTargets.map(({ id }) => id));
  const names = duplicates(awayTargets.map(({ name }) => foldName(name)));
  const places = duplicates(
    awayTargets.map(({ endpoint, bucket, prefix }) => `${new URL(endpoint).href}${bucket}/${prefix}`),
  );
  const channels = awayTargets.flatMap(({ cameras }, index) => {
    const named = cameras.map(({ channelId }) => channelId);
    const at = `awayTargets[${index}].cameras`;
    return [
      ...unknownChannels(site, named).map((id) => `${at}: no channel has the id ${id}`),
      ...duplicates(named).map((id) => `${at}: the channel ${id} is named twice`),
    ];
  });
  return [
    ...channels,
    ...ids.map((id) => `two away targets have the id ${id}`),
    ...names.map((name) => `two away targets have the name ${name}`),
    ...places.map((place) => `two away targets are at ${place}`),
  ];
}

function analyserProblems(site: Site): string[] {
  const problems = site.analysers.flatMap(({ source }, index) => {
    const named =
      source.kind === "frigate"
        ? source.cameras.map(({ channelId }) => channelId)
        : source.channelIds === "all"
          ? []
          : source.channelIds;
    const names = source.kind === "frigate" ? source.cameras.map(({ name }) => name) : [];
    const at = `analysers[${index}].source`;
    return [
      ...unknownChannels(site, named).map((id) => `${at}: no channel has the id ${id}`),
      ...duplicates(named).map((id) => `${at}: the channel ${id} is named twice`),
      ...duplicates(names).map((name) => `${at}.cameras: ${name} is named twice`),
    ];
  });
  const ids = duplicates(site.analysers.map(({ id }) => id));
  const names = duplicates(site.analysers.map(({ name }) => foldName(name)));
  return [
    ...problems,
    ...ids.map((id) => `two analysers have the id ${id}`),
    ...names.map((name) => `two analysers have the name ${name}`),
  ];
}

function mapFolders(root: MapFolder): MapFolder[] {
  return [root, ...root.folders.flatMap(mapFolders)];
}

function mapDepth(folder: MapFolder): number {
  return Math.max(0, ...folder.folders.map((child) => 1 + mapDepth(child)));
}
