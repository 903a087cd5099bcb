import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { parseScope, scopesMissing } from '../core/scope.js';
import { asObject, parseJson, stringField } from '../core/text/json.js';
import { printable } from '../core/text/printable.js';
import type { OutboundRequest } from '../http/request.js';
import { bearerChallenge } from '../oauth/challenge.js';
import type { StorePorts } from '../stores/ports.js';
import { stepUpDeclined } from './request-failures.js';

/**
 * Asks the person whether this login may ask for more scope, and shows which. A no holds for an hour for that server
 * and scope, in every process: nobody is asked again and again until the answer suits the server.
 * @throws Failure `step_up_declined`; the signal's reason
 */
export async function askStepUp(
  ports: Pick<CorePorts, 'terminal'> & Pick<StorePorts, 'attempts'>,
  request: {
    readonly login: LoginRecord;
    /** What the server wants, whether held or not. */
    readonly scopes: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { terminal, attempts } = ports;
  const { login, signal } = request;
  const added = scopesMissing(login.scopes, request.scopes);
  const names = added.map((scope) => `declined ${login.server} ${scope}`);
  const taken: string[] = [];
  const forget = async () => {
    for (const name of taken) await attempts.forget(name);
  };
  for (const name of names) {
    if (!(await attempts.take(name, 1))) {
      await forget();
      throw stepUpDeclined(login, added, 'earlier');
    }
    taken.push(name);
  }
  terminal.tell(`${printable(login.server)} wants more scope for this: ${printable(added.join(' '))}`);
  const answer = await terminal
    .ask('Ask the authorization server for it, in the browser? [y/N] ', { hidden: false, signal })
    .catch(async (error: unknown) => {
      await forget(); // interrupted: that is no answer
      throw error;
    });
  if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) {
    throw stepUpDeclined(login, added, 'now');
  }
  await forget();
}

/**
 * What a request does, for counting step-ups by resource and operation (rule 5.6): the HTTP method and the path, and
 * of a JSON-RPC message its method and the tool, prompt or resource, whatever the arguments.
 */
export function operationOf(request: Pick<OutboundRequest, 'method' | 'url' | 'body'>): string {
  const http = `${request.method} ${new URL(request.url).pathname}`;
  const { body } = request;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const parsed = bytes instanceof Uint8Array ? parseJson(bytes) : undefined;
  const message = parsed?.ok ? asObject(parsed.value) : undefined;
  const method = message === undefined ? undefined : stringField(message, 'method');
  if (message === undefined || method === undefined) {
    return http;
  }
  const params = asObject(message['params']) ?? {};
  const what = stringField(params, 'name') ?? stringField(params, 'uri') ?? '';
  return `${http} ${method} ${what}`.trim();
}

export interface WantedScope {
  readonly scopes: readonly string[];
  readonly said: string;
}

/** The scopes that the challenges of a 403 ask for; undefined when it is a plain refusal (RFC 6750 section 3.1). */
export function wantedScope(challenges: readonly string[]): WantedScope | undefined {
  const challenge = bearerChallenge(challenges);
  if (
    challenge.kind !== 'bearer' ||
    challenge.error !== 'insufficient_scope' ||
    challenge.scope === undefined
  ) {
    return undefined;
  }
  const parsed = parseScope(challenge.scope);
  return parsed.ok && parsed.scopes.length > 0
    ? { scopes: parsed.scopes, said: challenge.errorDescription ?? '' }
    : undefined;
}
