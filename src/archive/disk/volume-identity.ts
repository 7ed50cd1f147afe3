/** A volume's identity file, read and written in the volume's own thread. */
import { join } from "node:path";
import { BYTES_PER_MB } from "../../base/index.js";
import { spaceOf } from "../segment/volume-space.js";
import { carriedIdentity } from "./carried-identity.js";
import { type Disk, errorCodeOf, syncDirectory } from "./disk.js";
import type { IdentifyRequest, IdentifyResult } from "./volume-messages.js";
import { fileSystemOf, IDENTITY_FILE, isInFstab, isMountPoint } from "./volume-mount.js";

export const VOLUME_FORMAT_VERSION = 1;
const PROBE_FILE = "probe";
const IDENTITY_BYTES_MAX = 4096;
const SEGMENT_FILE_PATTERN = /^[0-9a-f]{14}\.seg$/;
const GUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What a fresh file system may hold and still counts as empty. */
const EMPTY_ENTRIES = new Set(["lost+found"]);

type RefusalCode = "VOLUME_REFUSED" | "VOLUME_GIVEN_UP" | "FORMAT_NEWER";

/** Why a directory is refused as a volume; `code` is one of the error catalogue. */
export class VolumeRefusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = "VolumeRefusal";
    this.code = code;
  }
}

/**
 * Opens a directory as a volume: the known one, or a new one if the path was never seen and is empty. Nothing is written into a
 * directory that is refused, so an empty mount point stays empty.
 */
export function identifyVolume(disk: Disk, directory: string, request: IdentifyRequest): IdentifyResult {
  const mounted = isMountPoint(disk, directory);
  if (!mounted) refuseUnmounted(disk, directory, request);
  const entries = listDirectory(disk, directory, request);
  const { identity, isCarried } = identityOf(disk, directory, { entries, request });
  const freshId = identity === undefined ? freshIdOf(directory, entries, request) : undefined;
  if (identity !== undefined) refuseOther(directory, identity, request);
  else refuseWithoutRoom(disk, directory, request);
  for (const name of ["open", "streams"]) {
    if (!entries.includes(name)) disk.mkdirSync(join(directory, name), { recursive: true });
  }
  const volumeId = identity ?? freshId ?? "";
  if (freshId !== undefined || isCarried) writeIdentity(disk, directory, { volumeId, nowUs: request.nowUs });
  if (request.probes) probe(disk, directory);
  return {
    volumeId,
    created: freshId !== undefined,
    identityWasLost: isCarried,
    openFiles: disk
      .readdirSync(join(directory, "open"))
      .filter((name) => SEGMENT_FILE_PATTERN.test(name))
      .sort(),
    space: spaceOf(disk.statfsSync(directory)),
    place: { ...fileSystemOf(disk, directory), volumeId },
    mounted,
  };
}

/**
 * The identity of a directory: by its file, or where that is damaged or gone, by what its segments carry. That counts as the file
 * does, which is written again. A look that changes nothing takes the file alone.
 */
function identityOf(
  disk: Disk,
  directory: string,
  { entries, request }: { readonly entries: readonly string[]; readonly request: IdentifyRequest },
): { readonly identity: string | undefined; readonly isCarried: boolean } {
  try {
    if (entries.includes(IDENTITY_FILE)) return { identity: readIdentity(disk, directory), isCarried: false };
    const identity = request.probes ? carriedIdentity(disk, directory) : undefined;
    return { identity, isCarried: identity !== undefined };
  } catch (error) {
    const isDamaged = error instanceof VolumeRefusal && error.code === "VOLUME_REFUSED";
    const identity = isDamaged && request.probes ? carriedIdentity(disk, directory) : undefined;
    if (identity === undefined) throw error;
    return { identity, isCarried: true };
  }
}

/** Distinguishes a directory whose disk is not mounted from one on the system disk. Throws where it has to be a mount point. */
function refuseUnmounted(disk: Disk, directory: string, request: IdentifyRequest): void {
  const { knownId } = request;
  if (request.mustBeMounted) throw unmounted(directory, "the setting says that it has to be one");
  if (request.wasMounted && knownId === undefined)
    throw unmounted(directory, "a disk of its own was mounted there");
  if (request.wasMounted) throw unmounted(directory, `volume ${knownId} is a disk of its own`);
  if (knownId === undefined && isInFstab(disk, directory)) throw unmounted(directory, "/etc/fstab names it");
}

function unmounted(directory: string, why: string): VolumeRefusal {
  return new VolumeRefusal(
    "VOLUME_REFUSED",
    `${directory} is no mount point, and ${why}: is its disk mounted?`,
  );
}

/** Throws unless the identity found is the expected one, or may be accepted as found. */
function refuseOther(directory: string, identity: string, request: IdentifyRequest): void {
  const { knownId, freshId, ownIds, returningIds = [], givenUpIds = [], takesUnknown } = request;
  if (returningIds.includes(identity)) return;
  if (givenUpIds.includes(identity) && !takesUnknown) {
    throw new VolumeRefusal(
      "VOLUME_GIVEN_UP",
      `${directory} holds volume ${identity}, which was given up and has not been away since`,
    );
  }
  // Disks that have changed places are all there: what each holds is played, wherever it is mounted.
  if (knownId !== undefined && identity !== knownId && !ownIds.includes(identity)) {
    throw new VolumeRefusal(
      "VOLUME_REFUSED",
      `${directory} holds volume ${identity}, but volume ${knownId} belongs there`,
    );
  }
  if (knownId === undefined && !takesUnknown && identity !== freshId && !ownIds.includes(identity)) {
    throw new VolumeRefusal(
      "VOLUME_REFUSED",
      `${directory} holds volume ${identity}, which is not one of this recorder`,
    );
  }
}

/** Throws where a new volume would have no room: each recording would be deleted as soon as it is written. */
function refuseWithoutRoom(disk: Disk, directory: string, { reserve }: IdentifyRequest): void {
  if (reserve === undefined) return;
  const { bavail, blocks, bsize } = disk.statfsSync(directory);
  const freeBytes = bavail * bsize;
  const reserveBytes = Math.min(reserve.bytes, (blocks * bsize * reserve.percent) / 100);
  if (freeBytes > reserveBytes) return;
  const figures = `${megabytes(reserveBytes)} are to stay free (reserveBytes), and ${megabytes(freeBytes)} are free`;
  throw new VolumeRefusal(
    "VOLUME_REFUSED",
    `${directory} has no room for recordings: ${figures}; lower the reserve, or make room`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / BYTES_PER_MB)} MB`;
}

/** Writes, syncs and removes a file: a read-only or failing disk is detected before streams are assigned to it. */
function probe(disk: Disk, directory: string): void {
  const path = join(directory, "open", PROBE_FILE);
  try {
    // A service that was killed while it created the volume may have left names that are not on the disk yet.
    syncDirectory(disk, directory);
    const fd = disk.openSync(path, "w", 0o640);
    try {
      disk.writeSync(fd, "probe");
      disk.fdatasyncSync(fd);
    } finally {
      disk.closeSync(fd);
    }
  } catch (error) {
    const code = errorCodeOf(error);
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error; // retention will free space on a full disk
  }
  removeProbe(disk, path);
}

function removeProbe(disk: Disk, path: string): void {
  try {
    disk.unlinkSync(path);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error; // on a full disk it could not even be made
  }
}

function listDirectory(disk: Disk, directory: string, request: IdentifyRequest): string[] {
  try {
    return disk.readdirSync(directory);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
    if (request.knownId !== undefined) {
      throw new VolumeRefusal(
        "VOLUME_REFUSED",
        `${directory} is missing; volume ${request.knownId} belongs there`,
      );
    }
    if (request.freshId === undefined) throw noVolume(directory);
    disk.mkdirSync(directory, { recursive: true });
    return [];
  }
}

/** The id for a fresh volume. Throws where none may be made. */
function freshIdOf(directory: string, entries: readonly string[], request: IdentifyRequest): string {
  if (request.knownId !== undefined) {
    const where = `${directory} has no ${IDENTITY_FILE}`;
    throw new VolumeRefusal(
      "VOLUME_REFUSED",
      `${where}; volume ${request.knownId} belongs there: is it mounted?`,
    );
  }
  // A power cut while a fresh volume was made leaves its two directories, or the unfinished identity, behind.
  const foreign = entries.filter((name) => !EMPTY_ENTRIES.has(name) && !OWN_UNFINISHED.has(name));
  if (foreign.length > 0) {
    throw new VolumeRefusal(
      "VOLUME_REFUSED",
      `${directory} is neither a volume nor empty: it holds ${foreign[0]}`,
    );
  }
  if (request.freshId === undefined) throw noVolume(directory);
  return request.freshId;
}

function noVolume(directory: string): VolumeRefusal {
  return new VolumeRefusal("VOLUME_REFUSED", `${directory} holds no volume`);
}

const OWN_UNFINISHED = new Set(["open", "streams", `${IDENTITY_FILE}.new`]);

function readIdentity(disk: Disk, directory: string): string {
  const path = join(directory, IDENTITY_FILE);
  if (disk.statSync(path).size > IDENTITY_BYTES_MAX) {
    throw new VolumeRefusal("VOLUME_REFUSED", `${path} is longer than ${IDENTITY_BYTES_MAX} bytes`);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(disk.readFileSync(path, "utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new VolumeRefusal("VOLUME_REFUSED", `${path} is damaged: ${error.message}`);
  }
  const { volumeId, formatVersion } = (parsed ?? {}) as Record<string, unknown>;
  if (typeof formatVersion !== "number" || typeof volumeId !== "string" || !GUID_PATTERN.test(volumeId)) {
    throw new VolumeRefusal("VOLUME_REFUSED", `${path} names no volume`);
  }
  if (formatVersion > VOLUME_FORMAT_VERSION) {
    throw new VolumeRefusal("FORMAT_NEWER", `${directory} has volume format ${formatVersion}`);
  }
  return volumeId;
}

function writeIdentity(disk: Disk, directory: string, identity: { volumeId: string; nowUs: number }): void {
  const path = join(directory, IDENTITY_FILE);
  const created = new Date(Math.floor(identity.nowUs / 1000)).toISOString();
  const text = `${JSON.stringify({ formatVersion: VOLUME_FORMAT_VERSION, volumeId: identity.volumeId, created }, null, 2)}\n`;
  const fd = disk.openSync(`${path}.new`, "w", 0o640);
  try {
    disk.writeSync(fd, text);
    disk.fsyncSync(fd);
  } finally {
    disk.closeSync(fd);
  }
  disk.renameSync(`${path}.new`, path);
  syncDirectory(disk, directory);
}
