import { asObject, type JsonObject, parseJson, stringField, stringListField } from '../primitives/json.js';
import { problemOfKeySet } from './authorization-server/client-keys.js';
import type { SandboxClient } from './options.js';

/** Members of a client's metadata (RFC 7591 section 2) that the sandbox knows what to do with. */
const texts = ['client_id', 'client_secret', 'client_name', 'token_endpoint_auth_method', 'scope'] as const;
const lists = ['redirect_uris', 'grant_types'] as const;
const methods = [undefined, 'none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/**
 * The clients in a file: one object of client metadata with its `client_id`, or a list of them.
 * @throws RangeError with what is wrong
 */
export function readClients(bytes: Uint8Array): readonly SandboxClient[] {
  const parsed = parseJson(bytes, { maxDepth: 8 });
  if (!parsed.ok) throw new RangeError('The file of clients is not JSON');
  const values = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  return values.map((value) => clientOf(asObject(value)));
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
    throw new RangeError(
      `The client ${id} has a member ${wrong} that is not known here, or not formed as it must be`,
    );
  }
  if (!methods.includes(stringField(object, 'token_endpoint_auth_method'))) {
    throw new RangeError(
      `The client ${id} has a token_endpoint_auth_method that is none of ${methods.slice(1).join(', ')}`,
    );
  }
  const { jwks } = object;
  const problem = jwks === undefined ? undefined : problemOfKeySet(jwks);
  if (problem !== undefined) throw new RangeError(`The client ${id} ${problem}`);
  const plain = JSON.parse(JSON.stringify(object)) as SandboxClient;
  return { ...plain, redirect_uris: stringListField(object, 'redirect_uris') ?? [] };
}
