import { isAllForbidden, type Principal } from "../../access/index.js";
import { GROUP_RIGHTS, type hubUser, type ValueOf } from "../../contract/index.js";

/** A user of this hub, as its recorders are told. */
export function hubUserOf(principal: Principal, address: string): ValueOf<typeof hubUser> {
  const { user, group } = principal;
  return {
    ...{ Id: user.id, Name: user.name, Group: group.name, IsAdministrator: group.seniorAdministrators },
    Rights: GROUP_RIGHTS.filter((right) =>
      right === "IsAllForbidden" ? isAllForbidden(principal) : group.rights[right],
    ),
    Realtime: group.realtimeChannels === "all",
    Archive: group.archiveChannels === "all",
    Address: address,
  };
}
