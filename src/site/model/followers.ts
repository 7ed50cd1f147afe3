import type { Site } from "./model.js";
import type { SiteChange } from "./site-change.js";

/**
 * Who follows a change of the configuration, and in which order. A follower names its place in this list, so the order in
 * which parts are made or started says nothing. Two of one place follow in the order they came.
 */
export const FOLLOWER_ORDER = [
  // First: nothing that those below tell reaches a viewer under the rights before the change.
  "rights",
  // Before all that raise events: what they tell goes to the targets that are configured now.
  "alarms",
  // Makes and ends streams, and asks devices: those below take both as they are now.
  "cameras",
  // Records the streams that there are.
  "recording",
  // Looks at streams, and reports to what decides on recording.
  "motion",
  // Listens to devices that are known, and forgets motion of channels that are recorded no more.
  "camera-events",
  // Lets go of cameras that are gone: nobody waits for that.
  "ptz",
  // Changes its port in its own time.
  "rtsp-outlet",
  // Last: the change is told when all above act on it, and the streams that are watched are those that there are.
  "events",
] as const;

export type FollowerPlace = (typeof FOLLOWER_ORDER)[number];

export type SiteListener = (site: Site, previous: Site, change: SiteChange) => void;

interface Follower {
  readonly place: FollowerPlace;
  readonly listener: SiteListener;
}

/** The followers of a configuration, kept in the order of `FOLLOWER_ORDER`. */
export class Followers {
  readonly #followers: Follower[] = [];

  add(place: FollowerPlace, listener: SiteListener): void {
    const rank = FOLLOWER_ORDER.indexOf(place);
    const after = this.#followers.findIndex((other) => FOLLOWER_ORDER.indexOf(other.place) > rank);
    this.#followers.splice(after === -1 ? this.#followers.length : after, 0, { place, listener });
  }

  /** Calls each in its turn; one that throws keeps no other from following. */
  tell(
    [site, previous, change]: Parameters<SiteListener>,
    onFault: (error: unknown, place: FollowerPlace) => void,
  ): void {
    for (const { place, listener } of this.#followers) {
      try {
        listener(site, previous, change);
      } catch (error) {
        onFault(error, place);
      }
    }
  }
}
