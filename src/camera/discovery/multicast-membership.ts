import type { Socket } from "node:dgram";

/**
 * Joins a group on an interface. False: the socket is a member there already, as it is by another address of that interface.
 *
 * The kernel drops a membership together with its interface without a report; one that comes back under the same name is
 * another one to it. What was joined already and can be joined again was therefore lost.
 */
export function joinGroup(socket: Socket, group: string, multicastInterface: string): boolean {
  try {
    socket.addMembership(group, multicastInterface);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return false;
    throw error;
  }
}

/** Whether the socket is still a member where it has joined. */
export function isStillMember(socket: Socket, group: string, multicastInterface: string): boolean {
  try {
    return !joinGroup(socket, group, multicastInterface);
  } catch {
    // The interface is gone, or the socket has as many lost memberships as it may have (igmp_max_memberships).
    return false;
  }
}
