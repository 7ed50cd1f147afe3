/** Width and height of a JPEG, of its frame header (ITU-T T.81, B.2.2); throws when it is none. */
export function jpegSize(jpeg: Buffer): { readonly width: number; readonly height: number } {
  let at = 2;
  while (at + 9 < jpeg.length) {
    if (jpeg[at] !== 0xff) throw new Error(`no marker at byte ${at} of the JPEG`);
    const marker = jpeg[at + 1] ?? 0;
    if (marker === 0xc0 || marker === 0xc2)
      return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) };
    at += 2 + jpeg.readUInt16BE(at + 2);
  }
  throw new Error("the JPEG has no frame header");
}

/** JPEGs as many clients find them: from FF D8 to the next FF D9, whatever lies between. */
export function scanJpegs(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (
    let at = bytes.indexOf("\xff\xd8", 0, "latin1");
    at >= 0;
    at = bytes.indexOf("\xff\xd8", at, "latin1")
  ) {
    const end = bytes.indexOf("\xff\xd9", at, "latin1");
    if (end < 0) break;
    found.push(bytes.subarray(at, end + 2));
    at = end + 2;
  }
  return found;
}
