import { asObject, type JsonObject, parseJson, stringField, stringListField } from '../core/text/json.js';
import { isAcceptable, problemOfKeySet } from './authorization-server/client-rules.js';
import { deviceGrant } from './authorization-server/device-flow.js';
import { allScopes } from './authorization-server/scopes.js';
import type { SandboxClient } from './options.js';

/** Members of a client's metadata (RFC 7591 section 2) that the sandbox knows what to do with. */
const texts = [
  ...(['client_id', 'client_secret', 'client_name', 'token_endpoint_auth_method', 'scope', 'workload'] as const),
  ...(['company', 'company_secret'] as const),
];

const lists = ['redirect_uris', 'grant_types'] as const;

const grants = ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant];

const methods = [undefined, 'none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/**
 * The clients in a file: one object of client metadata with its `client_id`, or a list of them.
 * @throws RangeError with what is wrong
 */
export function readClients(bytes: Uint8Array): readonly SandboxClient[] {
  const parsed = parseJson(bytes, { maxDepth: 8 });
  if (!parsed.ok) throw new RangeError('The file of clients is not JSON');
  const values = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  const clients = values.map((value) => clientOf(asObject(value)));
  const ids = clients.map(({ client_id }) => client_id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new RangeError(`The client ${twice} is in the file twice`);
  return clients;
}

function clientOf(object: JsonObject | undefined): SandboxClient {
  const id = object && stringField(object, 'client_id');
  if (object === undefined || id === undefined || !/^[\x21-\x7e]{1,200}$/.test(id)) {
    throw new RangeError('A client in the file has no client_id of 1 to 200 printable characters');
  }
  const known: readonly string[] = [...texts, ...lists, 'jwks'];
  const wrong = Object.keys(object).find(
    (name) =>
      !known.includes(name) ||
      (texts.some((text) => text === name) && stringField(object, name) === undefined) ||
      (lists.some((list) => list === name) && stringListField(object, name) === undefined),
  );
  if (wrong !== undefined) {
    throw new RangeError(`The client ${id} has a member ${wrong} that is not known here, or not formed as it must be`);
  }
  if (!methods.includes(stringField(object, 'token_endpoint_auth_method'))) {
    throw new RangeError(
      `The client ${id} has a token_endpoint_auth_method that is none of ${methods.slice(1).join(', ')}`,
    );
  }
  const { jwks } = object;
  const problem = jwks === undefined ? undefined : problemOfKeySet(jwks);
  if (problem !== undefined) throw new RangeError(`The client ${id} ${problem}`);
  const unknown = problemOfValues(object);
  if (unknown !== undefined) throw new RangeError(`The client ${id} ${unknown}`);
  const plain = JSON.parse(JSON.stringify(object)) as SandboxClient;
  return { ...plain, redirect_uris: stringListField(object, 'redirect_uris') ?? [] };
}

/** What the authorization server would find out at the client's first request only. Finishes "The client …". */
function problemOfValues(object: JsonObject): string | undefined {
  const method = stringField(object, 'token_endpoint_auth_method');
  if (method === 'private_key_jwt' && object['jwks'] === undefined) return 'has the method private_key_jwt and no jwks';
  if (method?.startsWith('client_secret') && object['client_secret'] === undefined) {
    return `has the method ${method} and no client_secret`;
  }
  const grant = stringListField(object, 'grant_types')?.find((name) => !grants.includes(name));
  if (grant !== undefined) return `has a grant type that is none of ${grants.join(', ')}`;
  const scope = (stringField(object, 'scope') ?? '').split(' ').find((word) => !isKnown(word));
  if (scope !== undefined) return `has a scope that is none of ${allScopes.join(', ')}`;
  const uris = stringListField(object, 'redirect_uris') ?? [];
  return uris.every(isAcceptable) ? undefined : 'has a redirect URI that is neither https nor http on loopback';
}

function isKnown(scope: string): boolean {
  return scope === '' || allScopes.includes(scope);
}
