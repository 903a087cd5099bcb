const section = { address: 0x1000, inFile: 0x200, length: 0x200 } as const;

/** Where things stand in the section: the export directory first. */
const table = { functions: 0x40, names: 0x48, ordinals: 0x50, texts: 0x60 } as const;

/**
 * A 64-bit Windows library without code: its one export is another library's function (PE format, "Export Forwarder").
 * @param forward As in `advapi32.SystemFunction036`.
 */
export function forwardingDll(library: string, exported: string, forward: string): Buffer {
  const bytes = Buffer.alloc(section.inFile + section.length);
  const [texts, end] = [new Map<string, number>(), { at: table.texts as number }];
  for (const text of [library, exported, forward]) {
    texts.set(text, section.address + end.at);
    end.at += bytes.write(`${text}\0`, section.inFile + end.at, 'latin1');
  }
  writeHeaders(bytes, end.at);
  const set = (at: number, value: number) => bytes.writeUInt32LE(value, section.inFile + at);
  set(12, texts.get(library) ?? 0);
  for (const at of [16, 20, 24]) set(at, 1); // the first ordinal, one function, one name
  set(28, section.address + table.functions);
  set(32, section.address + table.names);
  set(36, section.address + table.ordinals);
  set(table.functions, texts.get(forward) ?? 0);
  set(table.names, texts.get(exported) ?? 0);
  return bytes;
}

function writeHeaders(bytes: Buffer, exportsEnd: number): void {
  const pe = 0x40;
  bytes.write('MZ', 0, 'latin1');
  bytes.writeUInt32LE(pe, 0x3c);
  bytes.write('PE', pe, 'latin1');
  const file = pe + 4;
  bytes.writeUInt16LE(0x8664, file); // x64
  bytes.writeUInt16LE(1, file + 2); // one section
  bytes.writeUInt16LE(240, file + 16);
  bytes.writeUInt16LE(0x2022, file + 18); // executable image, large addresses, a library
  const optional = file + 20;
  bytes.writeUInt16LE(0x20b, optional);
  bytes.writeBigUInt64LE(0x1_8000_0000n, optional + 24);
  const words = [
    [8, section.length],
    [20, section.address],
    [32, 0x1000],
    [36, 0x200],
    [56, 0x2000],
    [60, 0x200],
    [108, 16],
    [112, section.address],
    [116, exportsEnd],
  ] as const;
  for (const [at, value] of words) bytes.writeUInt32LE(value, optional + at);
  for (const at of [40, 48]) bytes.writeUInt16LE(6, optional + at); // versions of the system and the subsystem
  bytes.writeUInt16LE(3, optional + 68); // console
  const header = optional + 240;
  bytes.write('.edata', header, 'latin1');
  bytes.writeUInt32LE(section.length, header + 8);
  bytes.writeUInt32LE(section.address, header + 12);
  bytes.writeUInt32LE(section.length, header + 16);
  bytes.writeUInt32LE(section.inFile, header + 20);
  bytes.writeUInt32LE(0x4000_0040, header + 36); // initialized data, readable
}
