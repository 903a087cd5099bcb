import type { KeysToRegister } from '../../flows/login/made-keys.js';
import type { Leftover } from '../../flows/strays.js';
import { printable } from '../../primitives/printable.js';
import { shellWord } from '../../primitives/quoting.js';
import type { ClientKeyRecord } from '../../primitives/records.js';
import { byFailure } from './by-failure.js';
import { storeInWords } from './login-words.js';

/** What a person does with the public half of a new key. `login`: the words of the login that is to use it, as typed. */
export function newKeyLines(made: KeysToRegister, login: readonly string[]): readonly string[] {
  const { issuer, clientId, keys, store } = made;
  return [
    `Made a key for the client ${clientId}; its private half is in ${storeInWords(store)}.`,
    `Register what was printed (a JWK Set) for it at ${issuer}, with the method private_key_jwt.`,
    ...(keys.length > 1
      ? [`The first key is the new one; the other ${keys.length - 1} can go once a login has worked with it.`]
      : []),
    `Then run: postern login ${login.map(shellWord).join(' ')} --client-credentials --client-id ${shellWord(clientId)}`,
  ].map((line) => printable(line, 1000));
}

/** A key made here, for a person; nothing secret. */
export function clientKeyLines(record: ClientKeyRecord): readonly string[] {
  const { clientId, issuer, algorithm, keyId, madeAt, store } = record;
  const where = issuer === undefined ? 'for its client metadata document' : `at ${issuer}`;
  const made = new Date(madeAt).toISOString().slice(0, 10);
  return [
    `client key of ${clientId} ${where}`,
    `  key         ${algorithm}, ${keyId}, made ${made}`,
    `  stored in   ${storeInWords(store)}`,
  ].map((line) => printable(line, 1000));
}

export function clientKeyJson(record: ClientKeyRecord): Readonly<Record<string, unknown>> {
  const { clientId, issuer, algorithm, keyId, madeAt, store } = record;
  return {
    clientId,
    issuer: issuer ?? null,
    algorithm,
    keyId,
    madeAt: new Date(madeAt).toISOString(),
    store,
  };
}

/** What a store did not give up. */
export function leftoverLines(left: readonly Leftover[]): readonly string[] {
  const stores = [...new Set(left.map(({ item }) => item.store))];
  return stores.flatMap((store) => {
    const groups = byFailure(left.filter(({ item }) => item.store === store));
    return groups.flatMap((alike) => {
      const [{ failure }] = alike;
      const many = `${alike.length} secrets without a login are`;
      const what = alike.length === 1 ? 'a secret without a login is' : many;
      return [
        `Note: ${what} left in ${storeInWords(store)} and could not be removed. ${failure.message}`,
        `      ${failure.remedy} Then run: postern status`,
      ];
    });
  });
}
