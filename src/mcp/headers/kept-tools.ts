import { asObject, parseObject, stringField } from '../../core/text/json.js';
import { skipSpace, skipValue } from '../../core/text/json-scan.js';
import { elementSpans, listOf, memberAt } from '../../core/text/json-splice.js';
import { brokenHeaderMark } from './header-marks.js';

const limits = { maxDepth: 200, maxKeys: 1_000_000 } as const;

/**
 * A response to `tools/list` without the tools whose marks for headers break the rules, each of which is reported
 * (2026-07-28, server/tools). The very bytes that came where there is none; one that marks nothing is not taken apart.
 */
export function withoutBrokenTools(response: Uint8Array, leftOut: (tool: string, why: string) => void): Uint8Array {
  const { buffer, byteOffset, byteLength } = response;
  if (!Buffer.from(buffer, byteOffset, byteLength).includes('"x-mcp-header"')) return response;
  const tools = asObject(parseObject(response, limits)?.['result'])?.['tools'];
  if (!Array.isArray(tools)) return response;
  const reasons = tools.map((tool) => brokenHeaderMark(asObject(tool) ?? {}));
  if (reasons.every((why) => why === undefined)) return response;
  for (const [at, why] of reasons.entries()) {
    if (why !== undefined) leftOut(stringField(asObject(tools[at]) ?? {}, 'name') ?? '', why);
  }
  const listAt = memberAt(response, memberAt(response, skipSpace(response, 0), 'result'), 'tools');
  const kept = elementSpans(response, listAt).filter((_, at) => reasons[at] === undefined);
  const list = listOf(kept.map(([from, to]) => response.subarray(from, to)));
  return Buffer.concat([response.subarray(0, listAt), list, response.subarray(skipValue(response, listAt))]);
}
