/** How near a server is, by its resolved addresses: public < private < loopback. A server may not name a nearer one. */
export type Zone = 'public' | 'private' | 'loopback';

/** The kinds of store for secrets. */
export type StoreKind = 'keychain' | 'file' | 'memory' | 'environment' | `helper:${string}` | SharedKind;

/** A store that several machines share, by the address of its engine. */
export type SharedKind = `redis:${string}`;

/** How this client identified itself to an authorization server. */
export type RegistrationWay = 'preregistered' | 'metadata' | 'dynamic' | 'ask';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** Tokens for a user or for the client itself (RFC 6749 sections 4.1 and 4.4), or a company's provider vouches for the user (RFC 7523). */
export type Grant = 'authorization_code' | 'client_credentials' | 'id_jag';

/**
 * The public part of a login. Its secrets are in the store's item `key`, and so are the endpoints that secrets are sent to:
 * another program could change this file.
 */
export interface LoginRecord {
  /** Store key: a hash of (server, resource, issuer, client identifier, account). */
  readonly key: string;
  /** Short name from `--name`. */
  readonly name?: string;
  /** The server's canonical URL as the user typed it; tokens attach only at or below it. */
  readonly server: string;
  /** `resource` exactly as the protected resource metadata spells it. */
  readonly resource: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly account: string;
  /** Who logged in, according to the authorization server: shown, never trusted. */
  readonly identity?: string;
  /** The same by claim. */
  readonly person?: PersonClaims;
  /** The user chose it among the accounts of its server: used when none is named. */
  readonly preferred?: boolean;
  readonly scopes: readonly string[];
  /** From `--scope`, and added by step-up; absent if the server chose. */
  readonly askedScopes?: readonly string[];
  /** Milliseconds since 1970; null if the authorization server did not say. */
  readonly expiresAt: number | null;
  readonly obtainedAt: number;
  readonly refreshable: boolean;
  /** When the refresh token ends if unused, and when the authorization ends; absent if unknown. Milliseconds since 1970. */
  readonly refreshExpiresAt?: number;
  readonly authorizationExpiresAt?: number;
  readonly store: StoreKind;
  /** Another store that may still hold its secrets after an unfinished move. */
  readonly leftIn?: StoreKind;
  readonly zone: Zone;
  readonly registration: RegistrationWay;
  /** Set for the client's own login, which requests a new token instead of refreshing. Absent for a user's. */
  readonly grant?: 'client_credentials';
  /** The source of the platform's token for this login; in full in the store's item. */
  readonly assertion?: AssertionRecord;
  /** Whether its tokens are bound to a key (RFC 9449). `demanded` and `never` (`--dpop`, `--no-dpop`) also hold for its next login. */
  readonly dpop?: 'bound' | 'demanded' | 'never';
  /** The only scheme its server accepts: `dpop` as stated at the login, `bearer` as learned with a bound token. */
  readonly schemeTaken?: 'bearer' | 'dpop';
  /** The company's provider that vouches for this login; it has a client of its own there. */
  readonly provider?: ProviderReference;
  /** The refresh token was refused for good: a new login is needed. */
  readonly dead?: boolean;
  /** The error code and description at that time, cleaned and cut; never trusted. */
  readonly refusal?: string;
  /** Its secret has disappeared from its store: a new login is needed. */
  readonly gone?: boolean;
  /** `obtainedAt` of an access token that was refused although it seemed valid: refresh it before use. */
  readonly refusedToken?: number;
  /** Made, by the user's choice, at a server that publishes no metadata; so is its next login. */
  readonly legacy?: boolean;
  /** `--resource`, or null for `--no-resource`: sent instead of `resource`, also at its next login. */
  readonly requestedResource?: string | null;
  /** Each `--authorization-param` as typed; sent at its next login, too. */
  readonly authorizationParams?: readonly string[];
  /** `--client-name`: the name this program registers under for this login. */
  readonly clientName?: string;
  /** Names of the extra headers for the server; their values are in the store's item. */
  readonly headerNames?: readonly string[];
  /** Warnings from the login; `status` repeats them. */
  readonly warnings?: readonly string[];
  /** Increases with each login of this key, so that an older writer notices. */
  readonly generation: number;
  /** The browser for its login pages; absent for the default one. */
  readonly browser?: BrowserChoice;
}

/** Identifies a login at a company's provider, together with the account of the server's login. */
export interface ProviderReference {
  readonly issuer: string;
  readonly clientId: string;
  /** The ID token comes from this file; there is no login at the provider. */
  readonly tokenFile?: string;
}

/** A login at a company's provider (OpenID Connect): `server` is its issuer; its ID token goes only to that provider. */
export type ProviderRecord = LoginRecord;

/** What a machine's own login is made with. Shown; a variable is hidden from programs that we start. */
export interface AssertionRecord {
  readonly from: 'file' | 'variable' | 'command';
  /** The path, the variable's name, or the path of the program. */
  readonly name: string;
  readonly use: 'client' | 'grant';
}

/** Claims of the ID token of a login (OpenID Connect Core 1.0, section 5.1), printable and cut: shown, never trusted. */
export interface PersonClaims {
  readonly sub: string;
  /** `preferred_username`, else `name`. */
  readonly name?: string;
  readonly email?: string;
}

/** A browser that the user chose: a known name or an absolute path, and perhaps a profile. */
export interface BrowserChoice {
  readonly program: string;
  readonly profile?: string;
}

/** A client registration kept for one issuer; its secret, if any, is the store's item `key`. */
export interface RegistrationRecord {
  readonly key: string;
  readonly issuer: string;
  readonly clientId: string;
  /** `metadata`: the issuer accepted our document, with this redirect URI; nothing was registered. */
  readonly way: RegistrationWay;
  readonly authMethod: ClientAuthMethod;
  readonly hasSecret: boolean;
  /** Where its secret is; absent for the keychain. */
  readonly store?: StoreKind;
  /** Another store that may still hold it after an unfinished move. */
  readonly leftIn?: StoreKind;
  /** The redirect URI registered (its port may vary on loopback, RFC 8252 section 7.3). */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Whether it was registered for device logins (RFC 8628), too; absent if not requested, or registered by hand. */
  readonly device?: boolean;
  /** The name it registered under (`--client-name`). */
  readonly clientName?: string;
  /** Milliseconds since 1970; null: never. */
  readonly secretExpiresAt: number | null;
}

/** A private key for one client's `private_key_jwt`; the key itself is the store's item `key`. */
export interface ClientKeyRecord {
  readonly key: string;
  /** Where it is registered; absent if its public half is in a client ID metadata document, for any issuer. */
  readonly issuer?: string;
  readonly clientId: string;
  /** Its thumbprint, `kid` in the public half. */
  readonly keyId: string;
  readonly algorithm: 'ES256' | 'RS256';
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly store: StoreKind;
  /** Another store that may still hold it after an unfinished move. */
  readonly leftIn?: StoreKind;
}

/** A store item without a record: it was being written or removed when the program was killed. */
export interface StoredItem {
  readonly key: string;
  readonly store: StoreKind;
}

export interface IndexDocument {
  readonly version: 1;
  readonly logins: readonly LoginRecord[];
  readonly registrations: readonly RegistrationRecord[];
  /** Oldest first. */
  readonly clientKeys?: readonly ClientKeyRecord[];
  /** Logins at companies' providers. */
  readonly providers?: readonly ProviderRecord[];
  readonly orphans?: readonly StoredItem[];
  /** Forgotten logins whose tokens are still to be revoked; `key` is the item with the token. */
  readonly pendingRevocations?: readonly LoginRecord[];
  /** Former names of logins, latest last. */
  readonly pastNames?: readonly PastName[];
  /** The protocol era of each server, most recently checked last. */
  readonly eras?: readonly ServerEra[];
  /** `WWW-Authenticate` of servers whose metadata nothing else names, most recent last. */
  readonly challenges?: readonly { readonly server: string; readonly lines: readonly string[] }[];
  /** At most one for each issuer, latest last. */
  readonly redirectUris?: readonly IssuerRedirectUri[];
}

/** The redirect URI that the user chose for an authorization server. */
export interface IssuerRedirectUri {
  readonly issuer: string;
  /** Without a port: any free one. */
  readonly redirectUri: string;
}

/** The protocol era that a server speaks. */
export interface ServerEra {
  /** As `LoginRecord.server`. */
  readonly server: string;
  readonly era: 'newer' | 'older';
  /** Milliseconds since 1970. */
  readonly checkedAt: number;
}

/** A name of a login that was removed or renamed. */
export interface PastName {
  readonly name: string;
  /** Hash of the server. */
  readonly of: string;
}

/** A failed request for a credential by another program. Holds no secret. */
export interface FormatFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** As `postern credential` names it. */
  readonly format: string;
  /** Scheme, host and port of the server; '' if it is unknown. */
  readonly origin: string;
  /** The failure's code. */
  readonly code: string;
}

/** The account of a login without `--account`. */
export const defaultAccount = 'default';

/** The part after the colon completes a program's name: no path, no option. */
const helperPattern = /^helper:[a-z0-9][a-z0-9._-]{0,62}$/;

/** The address of an engine, optionally with a namespace; never with a name or password. Opening it checks the rest. */
const sharedPattern =
  /^redis:(?:rediss?:\/\/[^\s@/?#]{1,260}(?:\/[a-z0-9][a-z0-9._-]{0,62})?|unix:\/[\x21-\x3f\x41-\x7e]{1,106})$/;

export function isSharedKind(text: string): text is SharedKind {
  return sharedPattern.test(text);
}

export function isStoreKind(text: string): text is StoreKind {
  return text === 'keychain' || text === 'file' || text === 'memory' || helperPattern.test(text) || isSharedKind(text);
}

/** Whether `--store` accepts it: memory ends with the process. */
export function isStoreChoice(text: string): text is StoreKind {
  return isStoreKind(text) && text !== 'memory';
}

export const storeChoices = 'keychain, file, helper:NAME or redis:URL';

/** Why `--store` refuses it, as the end of a sentence. Quotes nothing: an address may hold a password. */
export function whyNoStore(text: string): string {
  if (text === 'memory') {
    return `a login in memory would be gone when this command ends. For one command alone: postern call, request or bridge with --store memory. A login that stays takes ${storeChoices}`;
  }
  if (!text.startsWith('redis:')) return `it is none of ${storeChoices}`;
  if (text.includes('@')) {
    return 'an address with a name or password can be read by everybody here; write NAME:PASSWORD into a file of mode 600, and name that in POSTERN_ENGINE_CREDENTIALS_FILE';
  }
  return 'after redis: comes rediss://HOST:PORT, redis://127.0.0.1:PORT or unix:/PATH, the first two with /NAMESPACE after it where you want one';
}

/** A store in words. */
export function storeInWords(kind: StoreKind): string {
  switch (kind) {
    case 'keychain':
      return 'the keychain';
    case 'file':
      return 'a sealed file (--store file)';
    case 'environment':
      return 'the environment (POSTERN_TOKEN)';
    case 'memory':
      return 'memory, for this process only';
    default:
      return isSharedKind(kind)
        ? `Redis, shared by several machines (--store ${kind})`
        : `docker-credential-${kind.slice('helper:'.length)} (--store ${kind})`;
  }
}

/** The members that are not undefined, for optional members. */
export function defined<Members extends object>(
  members: Members,
): { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as ReturnType<typeof defined<Members>>;
}
