import { asObject, type JsonObject, stringField } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { brokenHeaderMark } from '../../mcp/headers/header-marks.js';

/**
 * A list of tools without those whose header marks break the rules (2026-07-28, server/tools): they must not be used.
 * @param warn Takes a line for each that is left out: its name and why.
 */
export function withoutBrokenTools(list: JsonObject, warn: (line: string) => void): JsonObject {
  const { tools } = list;
  if (!Array.isArray(tools)) return list;
  const kept = tools.filter((tool) => {
    const reason = brokenHeaderMark(asObject(tool) ?? {});
    if (reason === undefined) return true;
    warn(`warning  The tool ${quoted(stringField(asObject(tool) ?? {}, 'name') ?? '', 80)} is left out: ${reason}.`);
    return false;
  });
  return kept.length === tools.length ? list : { ...list, tools: kept };
}
