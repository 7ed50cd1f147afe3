/**
 * box: the machine that the recorder runs on, as its owner cares for it: disks, network, versions. Each part has its door, so
 * that nobody loads what it does not use.
 *
 * Belongs here: `storage/` (the disks), `network/` (interfaces, name and time zone), `update/` (new versions of the whole system), and
 * their keepers with root rights. Does not belong here: what a volume is (`archive`), how disks and machine are (`health`), HTTP (`owner`).
 */
export {};
