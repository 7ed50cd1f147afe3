import type { Site } from "./model.js";
import type { SiteChange } from "./site-change.js";

/**
 * The order in which followers get a change of the configuration. A follower names its place in this list, so the order in
 * which parts are created or started does not matter. Followers with the same place are called in the order of registration.
 */
export const FOLLOWER_ORDER = [
  // First: whom the former directory knew is nobody before the rights below are looked at again.
  "directory",
  // Then they, so that nothing reported by the followers below reaches a viewer with the old rights.
  "rights",
  // Before all that raise events, so that events go to the new targets.
  "alarms",
  // Before them too: what a user may not see any more is not sent.
  "pushes",
  // Creates and ends streams, and asks devices; the followers below use both.
  "cameras",
  // Records the present streams.
  "recording",
  // Analyzes streams, and reports to the recording decision.
  "motion",
  // Looks at the present streams.
  "objects",
  // Subscribes to known devices, and clears motion of channels that are no longer recorded.
  "camera-events",
  // Ends what lasts at deleted cameras.
  "findings",
  // Releases deleted cameras; no other follower depends on it.
  "ptz",
  "talk",
  // Runs what the present scenarios say, with the cameras and the recording of the same configuration.
  "scenarios",
  // Looks at the cameras of the same configuration.
  "analysis",
  // Changes its port asynchronously.
  "rtsp-outlet",
  "onvif-passwords",
  // Is a device for the users whose passwords are known.
  "onvif-device",
  // Removes the file with root's generated password; no other follower depends on it.
  "root-password",
  // Other recorders that cameras name are targets, before these are followed.
  "replicas",
  // Sends what is recorded; a channel that was deleted is not sent any more.
  "away",
  // Publishes at the broker of the new settings.
  "broker",
  // Sends to the service of the new settings; no other follower depends on it.
  "monitoring",
  // Last: the change is reported after all above have applied it, and the present streams are watched.
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

  /** Calls all followers in order, even if one throws. */
  notify(
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
