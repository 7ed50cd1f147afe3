import {
  type ChildProcess,
  type ChildProcessByStdio,
  type ForkOptions,
  fork,
  type SpawnOptionsWithStdioTuple,
  type StdioNull,
  type StdioPipe,
  spawn,
} from "node:child_process";
import type { Readable, Writable } from "node:stream";

type Both = SpawnOptionsWithStdioTuple<StdioNull, StdioPipe, StdioPipe>;
type Servant = SpawnOptionsWithStdioTuple<StdioPipe, StdioPipe, StdioPipe>;
type OutputAlone = SpawnOptionsWithStdioTuple<StdioNull, StdioPipe, StdioNull>;

/**
 * Starts a program whose output is read. Throws where it cannot be started for want of file descriptors or memory; another reason
 * (there is no such program) comes as its event `error`. Node's own call returns a program without pipes where descriptors lack, and
 * its event ends the process of who did not come to listen to it.
 */
export function startProgram(
  program: string,
  args: readonly string[],
  options: Both,
): ChildProcessByStdio<null, Readable, Readable>;
export function startProgram(
  program: string,
  args: readonly string[],
  options: OutputAlone,
): ChildProcessByStdio<null, Readable, null>;
export function startProgram(
  program: string,
  args: readonly string[],
  options: Both | OutputAlone,
): ChildProcessByStdio<null, Readable, Readable | null> {
  return withPipes(program, spawn(program, [...args], options as Both));
}

/** The same for a program that is written to as well. */
export function startServant(
  program: string,
  args: readonly string[],
  options: Servant,
): ChildProcessByStdio<Writable, Readable, Readable> {
  return withPipes(program, spawn(program, [...args], options));
}

/** The same for a script of Node that is sent messages. */
export function startScript(script: string, options: ForkOptions): ChildProcess {
  return withPipes(script, fork(script, [], options));
}

function withPipes<Program extends ChildProcess>(name: string, program: Program): Program {
  program.on("error", () => undefined);
  // Without descriptors there are not even the places of the pipes, whatever the types say.
  if ((program as { readonly stdio?: unknown }).stdio === undefined)
    throw new Error(`${name} cannot be started: too many files are open`);
  return program;
}
