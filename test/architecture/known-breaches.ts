/**
 * What is still to be mended, by what has to be done for it; listed on 2026-11-22, when the rooms were moved into.
 * Nothing new is added here.
 */
export const knownBreaches: Readonly<Record<string, readonly string[]>> = {
  'files were folded, and what they share is to find its place': [
    'src/core: circle of folders: src/core src/http src/mcp',
    'src/core/text/json-strings.ts: outside its room: ../../mcp/json-scalars.js',
    'src/core/text/json.ts: outside its room: ../../mcp/json-scalars.js',
    'src/core/text/json.ts: outside its room: ../../mcp/json-scan.js',
    'src/credential/call.ts: circle of folders: src/credential/call.ts src/credential/formats',
    'src/sandbox/authorization-server: circle of folders: src/sandbox/authorization-server src/sandbox/upstream',
  ],
};
