import { type IndexDocument, isStoreKind } from '../../core/records.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../../core/text/json.js';

export type IndexText =
  | { readonly ok: true; readonly document: IndexDocument }
  | { readonly ok: false; readonly problem: 'newer' }
  /** `why` names the member, never its value. */
  | { readonly ok: false; readonly problem: 'corrupt'; readonly why: string };

type Check = (value: JsonValue | undefined) => boolean;

/**
 * Judges the text of the index. Another program, or a slip of a hand, may have changed it, so every member is
 * checked; members that are not known are kept.
 */
export function parseIndex(bytes: Uint8Array): IndexText {
  const parsed = parseJson(bytes, { maxDepth: 8, maxKeys: 400_000 });
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object === undefined) return { ok: false, problem: 'corrupt', why: parsed.ok ? 'not an object' : parsed.problem };
  const version = object['version'];
  if (typeof version === 'number' && Number.isSafeInteger(version) && version > 1) {
    return { ok: false, problem: 'newer' };
  }
  if (version !== 1) return { ok: false, problem: 'corrupt', why: 'version' };
  const why =
    listProblem(object, 'logins', login) ??
    listProblem(object, 'registrations', registration) ??
    optionalListProblem(object, 'clientKeys', clientKey) ??
    optionalListProblem(object, 'strays', stray);
  return why === undefined
    ? { ok: true, document: object as unknown as IndexDocument }
    : { ok: false, problem: 'corrupt', why };
}

function listProblem(object: JsonObject, name: string, checks: Readonly<Record<string, Check>>): string | undefined {
  const list = object[name];
  if (!Array.isArray(list)) return name;
  for (const [index, value] of list.entries()) {
    const record = asObject(value);
    const wrong = Object.keys(checks).find((member) => !checks[member]?.(record?.[member]));
    if (wrong !== undefined) return `${name}[${index}].${wrong}`;
  }
  return undefined;
}

function optionalListProblem(
  object: JsonObject,
  name: string,
  checks: Readonly<Record<string, Check>>,
): string | undefined {
  return object[name] === undefined ? undefined : listProblem(object, name, checks);
}

const isText: Check = (value) => typeof value === 'string';

const isWhole: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isFlag: Check = (value) => typeof value === 'boolean';

const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);

const isKey: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const isStore: Check = (value) => typeof value === 'string' && isStoreKind(value);

const isTime: Check = (value) => value === null || isWhole(value);

const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);

const login: Readonly<Record<string, Check>> = {
  key: isKey,
  name: maybe(isText),
  server: isText,
  resource: isText,
  issuer: isText,
  clientId: isText,
  account: isText,
  identity: maybe(isText),
  scopes: isTexts,
  askedScopes: maybe(isTexts),
  expiresAt: isTime,
  obtainedAt: isWhole,
  refreshable: isFlag,
  store: isStore,
  leftIn: maybe(isStore),
  zone: oneOf('public', 'private', 'loopback'),
  registration: oneOf('preregistered', 'metadata', 'dynamic', 'ask'),
  grant: maybe(oneOf('client_credentials')),
  dead: maybe(isFlag),
  gone: maybe(isFlag),
  shared: maybe(isFlag),
  refusedToken: maybe(isWhole),
  warnings: maybe(isTexts),
  generation: isWhole,
  wish: maybe(isText),
};

const registration: Readonly<Record<string, Check>> = {
  key: isKey,
  issuer: isText,
  clientId: isText,
  way: oneOf('preregistered', 'metadata', 'dynamic', 'ask'),
  authMethod: oneOf('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'),
  hasSecret: isFlag,
  store: maybe(isStore),
  leftIn: maybe(isStore),
  redirectUri: isText,
  scopes: isTexts,
  device: maybe(isFlag),
  doubted: maybe(isFlag),
  secretExpiresAt: isTime,
};

const clientKey: Readonly<Record<string, Check>> = {
  key: isKey,
  issuer: maybe(isText),
  clientId: isText,
  keyId: isText,
  algorithm: oneOf('ES256', 'RS256'),
  madeAt: isWhole,
  store: isStore,
  leftIn: maybe(isStore),
};

const stray: Readonly<Record<string, Check>> = { key: isKey, store: isStore };
