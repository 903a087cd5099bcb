import { exitCode, type Failure, type Remedy, type Situation } from './failure.js';
import { defaultAccount } from './records.js';
import { namedServer } from './resource.js';
import { shellWord } from './text/printable.js';

/** A stored login, or one to be made. */
export interface LoginMeant {
  readonly name?: string | undefined;
  /** Canonical, or as typed. */
  readonly server: string;
  /** Undefined: the default one. */
  readonly account?: string | undefined;
  readonly grant?: 'client_credentials' | undefined;
  /** From `--scope`. */
  readonly askedScopes?: readonly string[] | undefined;
  /** Its name once it is made. */
  readonly newName?: string | undefined;
  /** Options typed, which a remedy's command repeats. */
  readonly given?: readonly GivenOption[] | undefined;
}

/** A login being made, with the options typed. */
export type LoginAsked = LoginMeant & { readonly given: readonly GivenOption[] | undefined };

/** An option of `login` as typed; never a secret. */
export interface GivenOption {
  /** With its value, quoted for the user's shell. */
  readonly text: string;
  /** A remedy with one of these options leaves this one out. */
  readonly yieldsTo: readonly string[];
}

/** A login's name, else its server and any account but the default one. Quoted for the user's shell. */
export function loginArgument({ name, server, account = defaultAccount }: LoginMeant): string {
  if (name !== undefined) return shellWord(name);
  return `${shellWord(server)}${account === defaultAccount ? '' : ` --account ${shellWord(account)}`}`;
}

/** The command that makes this login. @param options Further words, already quoted. */
export function loginCommand(login: LoginMeant, ...options: readonly string[]): string {
  const grant = login.grant === undefined ? [] : ['--client-credentials'];
  const name = login.newName === undefined ? [] : [`--name ${shellWord(login.newName)}`];
  const asked = options.includes('--scope') ? [] : (login.askedScopes ?? []);
  const scope = asked.length === 0 ? [] : [`--scope ${shellWord(asked.join(' '))}`];
  const given = givenWith(login, options);
  return ['postern login', loginArgument(login), ...name, ...grant, ...scope, ...given, ...options].join(' ');
}

/** The options typed, without those that `options` replace. */
function givenWith({ given = [] }: LoginMeant, options: readonly string[]): readonly string[] {
  const named = options.map((option) => option.split(' ', 1)[0] ?? '');
  return given.filter(({ yieldsTo }) => !named.some((name) => yieldsTo.includes(name))).map(({ text }) => text);
}

/** The remedy for a missing login; if no user is present, the ways that need none. */
export function runLogin(login: LoginMeant, ...options: readonly string[]): Remedy {
  return (situation) => waysOfJob(login, situation) ?? `Run: ${loginCommand(login, ...options)}`;
}

/** How to get this login without a user; undefined if one is present. */
export function waysOfJob({ server }: LoginMeant, { job }: Situation): string | undefined {
  if (job === undefined) return undefined;
  const option = job === 'takes a client' ? ' add --client-credentials,' : '';
  const run = `postern login ${shellWord(namedServer(server))} --client-credentials`;
  return `Without a user, set POSTERN_TOKEN,${option} or run: ${run}. See: postern help machines`;
}

/** Failures caused by a server, besides broken rules. */
const theirs: ReadonlySet<string> = new Set([
  ...['server_failed', 'registration_refused', 'grant_refused', 'invalid_client', 'invalid_target', 'token_refused'],
  ...['tls_failed', 'http_failed'],
]);

/** Failures that only a login shows. */
const seenByLogin: ReadonlySet<string> = new Set([
  ...['registration_refused', 'registration_unusable', 'callback_unusable', 'grant_refused', 'invalid_client'],
  ...['invalid_target', 'token_unusable', 'token_type_unusable', 'token_refused'],
]);

/** The remedy; if a server caused the failure, with the command that finds out why. @param server Its URL or the login's name. */
export function remedyAt(failure: Failure, server: string | undefined, situation?: Situation): string {
  const remedy = situation === undefined ? failure.remedy : failure.remedyIn(situation);
  const isTheirs = failure.exit === exitCode.serverBreaksRules || theirs.has(failure.code);
  if (server === undefined || !isTheirs || failure.detail.leads === true) return remedy;
  const how = seenByLogin.has(failure.code) ? ' --login' : '';
  const named = shellWord(server.includes('://') ? namedServer(server) : server);
  return `${remedy} To find out why: postern doctor ${named}${how}`;
}
