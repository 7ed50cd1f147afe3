import type { Principal } from "../../../src/access/index.js";
import type { Guid } from "../../../src/base/index.js";
import type { ConfigurationView } from "../../../src/compat/configuration/configuration-description.js";
import type { Site, UserGroup } from "../../../src/site/index.js";
import { sampleSite } from "./api-fakes.js";

/** A principal of one of the site's groups, that of the senior administrators unless another is named. */
export function principalOf(site: Site, groupId?: Guid): Principal {
  const group = site.groups.find((candidate) =>
    groupId === undefined ? candidate.seniorAdministrators : candidate.id === groupId,
  );
  const [user] = site.users;
  if (group === undefined || user === undefined) throw new Error("no such group");
  const may = (channels: UserGroup["realtimeChannels"]) => (id: Guid) =>
    !group.rights.IsAllForbidden && (channels === "all" || channels.includes(id));
  const [mayWatchRealtime, mayWatchArchive] = [may(group.realtimeChannels), may(group.archiveChannels)];
  const maySee = (id: Guid): boolean => mayWatchRealtime(id) || mayWatchArchive(id);
  return { user, group, mayWatchRealtime, mayWatchArchive, maySee };
}

/** What /configex is made from: the sample site as its administrator sees it, on a server with every port. */
export function configurationView(change: Partial<ConfigurationView> = {}): ConfigurationView {
  const site = change.site ?? sampleSite();
  return {
    site,
    principal: principalOf(site),
    version: "0.1.0",
    productType: "Ultra",
    reach: { address: "192.0.2.10", httpPort: 8080, httpsPort: 18080, rtspPort: 554 },
    servedPaths: new Set(["/configex", "/command", "/archivefragments"]),
    timeZoneOffsetHours: 0,
    partners: [],
    ...change,
  };
}
