import type { ChosenRedirectUri } from '../core/configuration/redirect-uri.js';
import type { Failure } from '../core/failure.js';
import type { GivenOption, LoginAsked } from '../core/login-command.js';
import type { CorePorts } from '../core/ports.js';
import type { BrowserChoice, LoginRecord, RegistrationRecord, RegistrationWay, StoreKind } from '../core/records.js';
import type { Secret, SecretHeader } from '../core/secret.js';
import type { Look } from '../core/text/look.js';
import type { HttpPorts } from '../http/request.js';
import type { AuthorizationParameters, PageWishes } from '../oauth/authorization-request.js';
import type { ClientAuthentication } from '../oauth/client-authentication.js';
import type { Discovery } from '../oauth/discover.js';
import type { ProofChoice } from '../oauth/dpop/offer.js';
import type { Proofs } from '../oauth/dpop/proofs.js';
import type { AssertionSource } from '../stores/assertions.js';
import type { StorePorts } from '../stores/ports.js';
import type { BrowserAvailability } from './browser/browser-availability.js';
import type { CallbackListener } from './browser/callback-listener.js';
import type { Browser } from './browser/open-browser.js';
import type { CallbackAddress } from './browser/open-server.js';
import type { LoginConsent } from './browser/page.js';

/** A login that is to be made: for what, and as which client. Each step takes what it uses of it. */
export interface LoginRequest {
  /** The server's canonical URL. */
  readonly server: string;
  readonly account: string;
  readonly name?: string | undefined;
  /** What it is called where it has no name yet, with a number behind it where that is another login's. */
  readonly baseName?: string | undefined;
  readonly scopes: WantedScopes;
  readonly issuer?: string | undefined;
  /** It was typed, and is not what a variable says: then it counts at a server that names none, too. */
  readonly issuerIsTyped?: boolean | undefined;
  /** `--legacy`: a server without metadata is taken for one of 2025-03-26. A login that was made so is made so again. */
  readonly legacy?: boolean | undefined;
  /** `--resource`, or null for `--no-resource`: kept with the login. Undefined: as before, else the server's own. */
  readonly resource?: string | null | undefined;
  /** `--authorization-param`, NAME=VALUE: kept with the login. Undefined: unchanged. */
  readonly parameters?: readonly string[] | undefined;
  /** `--dpop`, `--no-dpop`: kept with the login. Undefined: as before, else where the server asks for it. */
  readonly dpop?: ProofChoice | undefined;
  /** `--no-headers`: those that are kept with the login are forgotten. */
  readonly dropsHeaders?: boolean | undefined;
  readonly client: ClientOptions;
  /** `--idp`; undefined: that of the login which it replaces, if it has one. */
  readonly provider?: GivenProvider | undefined;
  /** Chosen for this login and those after it; undefined: as before. */
  readonly browser?: BrowserChoice | undefined;
  /** Where its secrets are to be; undefined: where they were. */
  readonly store?: StoreKind | undefined;
  /** What a person has typed for it; undefined: another command makes it. */
  readonly given?: readonly GivenOption[] | undefined;
  readonly signal: AbortSignal;
}

interface WantedScopes {
  /** `--scope`: instead of what the server asks for. */
  readonly named: readonly string[] | undefined;
  /** To keep: those held, at a step-up. */
  readonly held: readonly string[];
}

/** What is said of the client beforehand. */
export interface ClientOptions {
  readonly way?: RegistrationWay | undefined;
  readonly given?: PreregisteredClient | undefined;
  readonly configured?: readonly PreregisteredClient[];
  readonly metadataUrl?: string | undefined;
  /** `--client-name`: what this program is called where it registers itself. */
  readonly name?: string | undefined;
}

export interface GivenAssertion {
  readonly source: AssertionSource;
  /** Undefined: the issuer's identifier. */
  readonly audience: string | undefined;
  /** Undefined: what the metadata offers. */
  readonly use: 'client' | 'grant' | undefined;
}

export interface GivenProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret?: Secret | undefined;
  /** Absolute; undefined: somebody logs in there. */
  readonly tokenFile?: string | undefined;
}

export interface PreregisteredClient {
  readonly clientId: string;
  readonly secret?: Secret | undefined;
  readonly key?: Secret;
  /** What a platform signs for it stands in for a secret. */
  readonly assertion?: GivenAssertion;
  /** The issuer it is registered at; undefined if not given. */
  readonly issuer?: string | undefined;
  /** The redirect URI registered for it, when its port is fixed. */
  readonly redirectUri?: string | undefined;
}

export interface IdentifiedClient extends ClientAuthentication {
  readonly way: RegistrationWay;
  readonly isKept?: boolean;
}

export interface PersonOptions {
  readonly mode: 'browser' | 'no-browser';
  /** Why nobody may be asked, of a login that may need nobody. */
  readonly nobody?: Failure | undefined;
  readonly availability: BrowserAvailability;
  readonly redirectPort?: number | undefined;
  /** `--redirect-uri`: for this login, and kept for those after it at the same issuer. */
  readonly redirectUri?: ChosenRedirectUri | undefined;
  /** Of the configuration, where nothing else says a port. */
  readonly usualPort?: number | undefined;
  /** `--listen-address`: the address of the container at which the callback comes in. */
  readonly listenAddress?: string | undefined;
  /** Names the program that wants this login; undefined: a person types it, at a terminal. */
  readonly caller: (() => string) | undefined;
  /** Rejects when another login serves; looked at while the user is waited for. */
  readonly overtaken?: (signal: AbortSignal) => Promise<never>;
  readonly timeoutMs: number;
  /** Of the terminal that the person reads; undefined: there is none. */
  readonly look?: Look | undefined;
}

export interface PersonLogin extends LoginRequest {
  readonly person: PersonOptions;
  readonly page?: PageWishes | undefined;
}

/** A login of which is known where and for what, and not yet as which client. */
export interface BegunLogin<Request extends LoginRequest = LoginRequest> {
  readonly request: Request;
  /** The world, its store being the one that this login goes into. */
  readonly ports: LoginPorts;
  readonly meant: LoginAsked;
  readonly held: LoginRecord | undefined;
  readonly discovery: Discovery;
  /** What was registered at this issuer before, the newest first. */
  readonly kept: readonly RegistrationRecord[];
  /** What this program is called where it registers itself, by choice of the person, now or before. */
  readonly clientName: string | undefined;
  readonly preregistered: PreregisteredClient | undefined;
  readonly redirectUri: ChosenRedirectUri | undefined;
  /** What the user has to agree to on a page of ours first; undefined: the user typed the login, or knows server and issuer. */
  readonly consent?: LoginConsent | undefined;
  readonly scopes: readonly string[];
  /** What is added to its authorization request, by a person, now or before. */
  readonly added: AuthorizationParameters;
  /** Of the key that its tokens are bound to, another one for each login; undefined: they are Bearer tokens. */
  readonly dpop: Proofs | undefined;
  /** What a person said of that, now or before. */
  readonly dpopChoice: ProofChoice | undefined;
  /** What the server gets with each request, beside the token. */
  readonly headers: readonly SecretHeader[];
  /** What there was never a login with; at a step-up, the scopes that are asked for on top. */
  readonly isNew: {
    readonly server: boolean;
    readonly issuer: boolean;
    /** Another account of this server, or provider, has a login. */
    readonly account: boolean;
    readonly scopes: readonly string[];
  };
}

export interface LoginPorts extends CorePorts, HttpPorts, StorePorts {
  readonly browser: Browser;
  readonly listeners: {
    /** @throws Failure `port_in_use`, `port_refused`, `listen_address_refused` */
    listen(at: CallbackAddress & Pick<ChosenRedirectUri, 'path'>): Promise<CallbackListener>;
  };
}
