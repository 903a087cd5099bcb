import { asObject, type JsonObject } from '../../core/text/json.js';
import { quote, skipString } from '../../core/text/json-scalars.js';
import { memberBytes, membersOf, withMembers } from '../../core/text/json-splice.js';
import { quoted } from '../../core/text/printable.js';
import { maxInputs } from '../../mcp/eras.js';
import { protocolBroken } from '../../mcp/failures.js';
import { hostRefusedInput } from '../failures.js';
import type { HostSide } from './host-side.js';
import { jsonText, type Members, type MessageText, objectIn, resultMember, stringIn } from './message-text.js';

/** The capability that a host declares for each question. */
const capabilityFor: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

interface Asking {
  readonly server: string;
  readonly host: HostSide;
  /** What the host has declared. */
  readonly capabilities: JsonObject;
}

/**
 * Has a host of the older era respond to what a result of the newer one asks, one question after the other.
 * @returns The members of the repeated request; undefined once the request has ended
 * @throws Failure `protocol_broken` for what was not offered, `not_translated` where the host cannot respond
 */
export async function askInputs(
  asking: Asking,
  result: MessageText,
  signal: AbortSignal,
): Promise<Members | undefined> {
  const { server } = asking;
  const requestState = resultMember(result, 'requestState');
  const inputs = resultMember(result, 'inputRequests');
  if (requestState !== undefined && requestState[0] !== quote) {
    throw protocolBroken(server, 'the state of its question is no text');
  }
  if (inputs === undefined && requestState === undefined) throw protocolBroken(server, 'it asks, and says not what');
  if (inputs === undefined) return { requestState, inputResponses: undefined };
  const members = [...membersOf(inputs, 0)];
  if (members.length > maxInputs) throw protocolBroken(server, `it asks ${members.length} things at a time`);
  const responses: Uint8Array[] = [];
  for (const { at, valueAt, end } of members) {
    const response = await askOne(asking, inputs.subarray(valueAt, end), signal);
    if (response === undefined) return undefined;
    responses.push(Buffer.concat([inputs.subarray(at, skipString(inputs, at)), Buffer.from(':'), response]));
  }
  const listed = responses.flatMap((text, at) => (at === 0 ? [text] : [Buffer.from(','), text]));
  const inputResponses = Buffer.concat([Buffer.from('{'), ...listed, Buffer.from('}')]);
  return { requestState, inputResponses };
}

async function askOne(
  { server, host, capabilities }: Asking,
  request: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const method = stringIn(memberBytes(request, 0, 'method')) ?? '';
  const params = memberBytes(request, 0, 'params');
  const mode = stringIn(params && memberBytes(params, 0, 'mode'));
  if (!isOffered(capabilities, method, mode)) {
    throw protocolBroken(server, `it asks for ${quoted(method, 80)}, which was not offered`);
  }
  const response = await host.ask(
    method,
    { params: mode === 'url' && params ? withElicitationId(params) : params },
    signal,
  );
  if (response === undefined) return undefined;
  const { text, message } = response;
  if (message.kind === 'result') return memberBytes(text, 0, 'result') ?? jsonText({});
  throw hostRefusedInput(method, objectIn(text.subarray(message.errorAt, message.errorEnd))['message']);
}

/** @param mode Of an elicitation: `form` where it names none */
function isOffered(capabilities: JsonObject, method: string, mode: string | undefined): boolean {
  const name = Object.hasOwn(capabilityFor, method) ? capabilityFor[method] : undefined;
  const offered = name === undefined ? undefined : asObject(capabilities[name]);
  if (offered === undefined || name !== 'elicitation') return offered !== undefined;
  const hasModes = offered['form'] !== undefined || offered['url'] !== undefined;
  return (mode ?? 'form') === 'form' ? !hasModes || offered['form'] !== undefined : offered[mode ?? ''] !== undefined;
}

/** The older era knows a page by an identifier, which the newer one has not. */
function withElicitationId(params: Uint8Array): Uint8Array {
  const elicitationId = memberBytes(params, 0, 'elicitationId') ?? jsonText(crypto.randomUUID());
  return withMembers(params, 0, { elicitationId });
}
