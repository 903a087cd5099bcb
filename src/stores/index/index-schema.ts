import { type IndexDocument, isStoreKind, type LoginRecord } from '../../core/records.js';
import { asObject, type JsonObject, parseJson } from '../../core/text/json.js';
import {
  type Check,
  type Checks,
  isAuthMethod,
  isFlag,
  isText,
  isTextOrNone,
  isTexts,
  isTime,
  isWhole,
  maybe,
  objectOf,
  oneOf,
  wrongMember,
} from '../checks.js';

export type IndexText =
  | { readonly ok: true; readonly document: IndexDocument }
  | { readonly ok: false; readonly problem: 'newer' }
  /** `why` names the member, never its value. */
  | { readonly ok: false; readonly problem: 'corrupt'; readonly why: string };

/**
 * Validates the text of the index. Another program, or a slip of a hand, may have changed it, so every member is
 * checked; members that are not known are kept.
 */
export function parseIndex(bytes: Uint8Array): IndexText {
  const parsed = parseJson(bytes, { maxDepth: 8, maxKeys: 400_000 });
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object === undefined) return { ok: false, problem: 'corrupt', why: parsed.ok ? 'not an object' : parsed.problem };
  const version = object['version'];
  if (Number.isSafeInteger(version) && Number(version) > 1) return { ok: false, problem: 'newer' };
  const why = version === 1 ? problemIn(object) : 'version';
  if (why !== undefined) return { ok: false, problem: 'corrupt', why };
  return { ok: true, document: object as unknown as IndexDocument };
}

export function indexText(document: IndexDocument): string {
  return `${JSON.stringify(document, null, 1)}\n`;
}

function problemIn(object: JsonObject): string | undefined {
  for (const [name, { checks, isOptional }] of Object.entries(lists)) {
    const list = object[name];
    if (list === undefined && isOptional) continue;
    if (!Array.isArray(list)) return name;
    for (const [index, value] of list.entries()) {
      const wrong = wrongMember(asObject(value), checks);
      if (wrong !== undefined) return `${name}[${index}].${wrong}`;
    }
  }
  return undefined;
}

const isKey: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const isStore: Check = (value) => typeof value === 'string' && isStoreKind(value);

const isWay = oneOf('preregistered', 'metadata', 'dynamic', 'ask');

const isPerson = objectOf({ sub: isText, name: maybe(isText), email: maybe(isText) });

const isBrowser = objectOf({ program: isText, profile: maybe(isText) });

const isAssertion = objectOf({
  from: oneOf('file', 'variable', 'command'),
  name: isText,
  use: oneOf('client', 'grant'),
});

const isProvider = objectOf({ issuer: isText, clientId: isText, tokenFile: maybe(isText) });

const login: Checks = {
  key: isKey,
  name: maybe(isText),
  server: isText,
  resource: isText,
  issuer: isText,
  clientId: isText,
  account: isText,
  identity: maybe(isText),
  person: maybe(isPerson),
  preferred: maybe(isFlag),
  scopes: isTexts,
  askedScopes: maybe(isTexts),
  expiresAt: isTime,
  obtainedAt: isWhole,
  refreshable: isFlag,
  refreshExpiresAt: maybe(isWhole),
  authorizationExpiresAt: maybe(isWhole),
  store: isStore,
  leftIn: maybe(isStore),
  zone: oneOf('public', 'private', 'loopback'),
  registration: isWay,
  grant: maybe(oneOf('client_credentials')),
  assertion: maybe(isAssertion),
  provider: maybe(isProvider),
  dead: maybe(isFlag),
  refusal: maybe(isText),
  gone: maybe(isFlag),
  legacy: maybe(isFlag),
  requestedResource: maybe(isTextOrNone),
  authorizationParams: maybe(isTexts),
  dpop: maybe(oneOf('bound', 'demanded', 'never')),
  schemeTaken: maybe(oneOf('bearer', 'dpop')),
  clientName: maybe(isText),
  headerNames: maybe(isTexts),
  refusedToken: maybe(isWhole),
  warnings: maybe(isTexts),
  generation: isWhole,
  browser: maybe(isBrowser),
};

/** Is it a whole record of a login, as it stands in the index? */
export function isLoginRecord(record: object): record is LoginRecord {
  return wrongMember(record as JsonObject, login) === undefined;
}

const registration: Checks = {
  key: isKey,
  issuer: isText,
  clientId: isText,
  way: isWay,
  authMethod: isAuthMethod,
  hasSecret: isFlag,
  store: maybe(isStore),
  leftIn: maybe(isStore),
  redirectUri: isText,
  scopes: isTexts,
  device: maybe(isFlag),
  clientName: maybe(isText),
  secretExpiresAt: isTime,
};

const clientKey: Checks = {
  key: isKey,
  issuer: maybe(isText),
  clientId: isText,
  keyId: isText,
  algorithm: oneOf('ES256', 'RS256'),
  madeAt: isWhole,
  store: isStore,
  leftIn: maybe(isStore),
};

const lists: Readonly<Record<string, { readonly checks: Checks; readonly isOptional: boolean }>> = {
  logins: { checks: login, isOptional: false },
  registrations: { checks: registration, isOptional: false },
  clientKeys: { checks: clientKey, isOptional: true },
  providers: { checks: login, isOptional: true },
  pendingRevocations: { checks: login, isOptional: true },
  orphans: { checks: { key: isKey, store: isStore }, isOptional: true },
  pastNames: { checks: { name: isText, of: isText }, isOptional: true },
  redirectUris: { checks: { issuer: isText, redirectUri: isText }, isOptional: true },
  challenges: { checks: { server: isText, lines: isTexts }, isOptional: true },
  eras: { checks: { server: isText, era: oneOf('newer', 'older'), checkedAt: isWhole }, isOptional: true },
};
