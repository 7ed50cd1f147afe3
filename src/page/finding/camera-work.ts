import { signal } from "@preact/signals";
import type { TaskObject } from "../../contract/answer/index.js";
import { sayError } from "../control/notice.js";
import { followTask, startTask } from "../state/tasks.js";
import { change, type Found, found, noteAdded, noteRead, noteScanned } from "./found-cameras.js";

/** What the recorder does for the list of cameras: it goes on when the page is closed, the list does not. */
export const isScanning = signal(false);
export const isAdding = signal(false);
/** The last search by an address found nothing. */
export const foundNothing = signal(false);

let end = new AbortController();

/** Looks for cameras, everywhere or at an address; those that show themselves without a login are read at once. */
export async function scan(address?: string): Promise<void> {
  if (isScanning.value) return;
  isScanning.value = true;
  foundNothing.value = false;
  try {
    const { Id } = await startTask("Scan", address === undefined ? {} : { Address: address });
    let count = 0;
    await followTask<"Scan">(
      Id,
      ({ Result, Error: reason }) => {
        const devices = Result?.Devices ?? [];
        count = devices.length;
        noteScanned(devices);
        readOpen();
        if (reason !== null) sayError(new Error(reason));
      },
      end.signal,
    );
    foundNothing.value = count === 0 && address !== undefined;
  } catch (error) {
    if (!end.signal.aborted) sayError(error);
  } finally {
    isScanning.value = false;
  }
}

/** Ends following: the step is left. */
export function stopFollowing(): void {
  end.abort();
  end = new AbortController();
}

/** Reads cameras with one login, and takes a picture of each. */
export async function tryLogin(cameras: readonly Found[], login: string, password: string): Promise<void> {
  for (const { address } of cameras) change(address, { isReading: true, login, password });
  const Devices = cameras.map(({ address, name }) => ({ Address: address, Name: name }));
  try {
    const { Id } = await startTask("ReadCameras", { Devices, Login: login, Password: password });
    await followTask<"ReadCameras">(Id, ({ Result }) => noteRead(Result?.Cameras ?? []), end.signal);
  } catch (error) {
    if (!end.signal.aborted) sayError(error);
  } finally {
    for (const { address } of cameras) change(address, { isReading: false });
  }
}

/** Adds cameras, with the logins that they took. */
export function addCameras(cameras: readonly Found[]): Promise<void> {
  const Devices = cameras.map(({ address, identity, name, login, password }) => ({
    ...{ Address: address, Name: name, Login: login, Password: password },
    ...(identity === "" ? {} : { Identity: identity }),
  }));
  return add({ Devices });
}

/** Adds the cameras of a table. */
export function addTable(csv: string, login: string, password: string): Promise<void> {
  return add({ Csv: csv, Login: login, Password: password });
}

async function add(body: object): Promise<void> {
  isAdding.value = true;
  try {
    const { Id } = await startTask("AddCameras", body);
    const onTask = ({ Result, Error: reason }: TaskObject<"AddCameras">): void => {
      noteAdded(Result?.Cameras ?? []);
      if (reason !== null) sayError(new Error(reason));
    };
    await followTask<"AddCameras">(Id, onTask, end.signal);
  } catch (error) {
    if (!end.signal.aborted) sayError(error);
  } finally {
    isAdding.value = false;
  }
}

/** Cameras that show their streams to everybody need no login: their pictures come by themselves. */
function readOpen(): void {
  const open = found.value.filter(
    ({ isOpen, isAdded, isReading, result }) => isOpen && !isAdded && !isReading && result === undefined,
  );
  if (open.length > 0) void tryLogin(open, "", "");
}
