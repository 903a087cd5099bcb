import { openBrace } from '../../core/text/json-scan.js';
import { elementSpans, listOf, memberBytes, withMembers } from '../../core/text/json-splice.js';
import { changed, type MessageText, resultMember, stringIn } from './message-text.js';

/**
 * A response as the older era has it, where structured content is an object: a list of tools with other schemas would be
 * refused as a whole. The text of such content stands in the result, too.
 */
export function olderForm(response: MessageText, method: string): Uint8Array {
  const { text, message } = response;
  if (method === 'tools/call') {
    const structured = resultMember(response, 'structuredContent');
    if (structured === undefined || structured[0] === openBrace) return text;
    return changed(text, { result: withMembers(text, message.resultAt, { structuredContent: undefined }) });
  }
  const tools = method === 'tools/list' ? resultMember(response, 'tools') : undefined;
  if (tools === undefined) return text;
  const given = elementSpans(tools, 0).map(([from, to]) => tools.subarray(from, to));
  const kept = given.map((tool) => (hasOtherSchema(tool) ? withMembers(tool, 0, { outputSchema: undefined }) : tool));
  if (kept.every((tool, at) => tool === given[at])) return text;
  return changed(text, { result: withMembers(text, message.resultAt, { tools: listOf(kept) }) });
}

function hasOtherSchema(tool: Uint8Array): boolean {
  const schema = memberBytes(tool, 0, 'outputSchema');
  return schema !== undefined && stringIn(memberBytes(schema, 0, 'type')) !== 'object';
}
