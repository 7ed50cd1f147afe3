/** The options that bin/nvrd's first line gives to Node: one place says them. */
export function nodeFlags(program) {
  const flags = /^#!\/usr\/bin\/env -S .*?\bnode (.*)$/m.exec(program)?.[1];
  if (flags === undefined) throw new Error("bin/nvrd: its first line names no options of node");
  return flags;
}
