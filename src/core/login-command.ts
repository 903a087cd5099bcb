import { exitCode, type Failure, type Remedy, type Situation } from './failure.js';
import { defaultAccount } from './records.js';
import { namedServer } from './resource.js';
import { shellWord } from './text/printable.js';

/** A login that is stored, or to be made. */
export interface LoginMeant {
  readonly name?: string | undefined;
  /** Canonical, or what a person typed. */
  readonly server: string;
  /** Undefined: none was given, so the default one. */
  readonly account?: string | undefined;
  readonly grant?: 'client_credentials' | undefined;
  /** Those that it was made with by `--scope`. */
  readonly askedScopes?: readonly string[] | undefined;
  /** The name that it is to get. */
  readonly newName?: string | undefined;
  /** Options typed for it, which a remedy's command repeats. */
  readonly given?: readonly GivenOption[] | undefined;
}

/** A login that is being made, and what was typed for it. */
export type LoginAsked = LoginMeant & { readonly given: readonly GivenOption[] | undefined };

/** An option of `login` as it was typed; never a secret. */
export interface GivenOption {
  /** With its value, quoted for the person's shell. */
  readonly text: string;
  /** A remedy that names one of these options does without this one. */
  readonly yieldsTo: readonly string[];
}

/** A login's name, else its server and the account where that is not the default one. Quoted for the user's shell. */
export function loginArgument({ name, server, account = defaultAccount }: LoginMeant): string {
  if (name !== undefined) return shellWord(name);
  return `${shellWord(server)}${account === defaultAccount ? '' : ` --account ${shellWord(account)}`}`;
}

/** The command that makes this login, or makes it again. @param options Further words, quoted already. */
export function loginCommand(login: LoginMeant, ...options: readonly string[]): string {
  const grant = login.grant === undefined ? [] : ['--client-credentials'];
  const name = login.newName === undefined ? [] : [`--name ${shellWord(login.newName)}`];
  const asked = options.includes('--scope') ? [] : (login.askedScopes ?? []);
  const scope = asked.length === 0 ? [] : [`--scope ${shellWord(asked.join(' '))}`];
  const given = givenWith(login, options);
  return ['postern login', loginArgument(login), ...name, ...grant, ...scope, ...given, ...options].join(' ');
}

/** What was typed, without what these options replace. */
function givenWith({ given = [] }: LoginMeant, options: readonly string[]): readonly string[] {
  const named = options.map((option) => option.split(' ', 1)[0] ?? '');
  return given.filter(({ yieldsTo }) => !named.some((name) => yieldsTo.includes(name))).map(({ text }) => text);
}

/** The remedy for a missing login; without a user at hand, the ways that need none. */
export function runLogin(login: LoginMeant, ...options: readonly string[]): Remedy {
  return (situation) => waysOfJob(login, situation) ?? `Run: ${loginCommand(login, ...options)}`;
}

/** How to get this login without a user; undefined: a user is at hand. */
export function waysOfJob({ server }: LoginMeant, { job }: Situation): string | undefined {
  if (job === undefined) return undefined;
  const option = job === 'takes a client' ? ' add --client-credentials,' : '';
  const run = `postern login ${shellWord(namedServer(server))} --client-credentials`;
  return `Without a user, set POSTERN_TOKEN,${option} or run: ${run}. See: postern help machines`;
}

/** Failures that a server causes, besides broken rules. */
const theirs: ReadonlySet<string> = new Set([
  ...['server_failed', 'registration_refused', 'grant_refused', 'invalid_client', 'invalid_target', 'token_refused'],
  ...['tls_failed', 'http_failed'],
]);

/** Failures that only show during a login. */
const seenByLogin: ReadonlySet<string> = new Set([
  ...['registration_refused', 'registration_unusable', 'callback_unusable', 'grant_refused', 'invalid_client'],
  ...['invalid_target', 'token_unusable', 'token_type_unusable', 'token_refused'],
]);

/** The remedy; where a server has caused the failure, with the command that finds out why. @param server Its URL or login's name. */
export function remedyAt(failure: Failure, server: string | undefined, situation?: Situation): string {
  const remedy = situation === undefined ? failure.remedy : failure.remedyIn(situation);
  const isTheirs = failure.exit === exitCode.serverBreaksRules || theirs.has(failure.code);
  if (server === undefined || !isTheirs || failure.detail.leads === true) return remedy;
  const how = seenByLogin.has(failure.code) ? ' --login' : '';
  const named = shellWord(server.includes('://') ? namedServer(server) : server);
  return `${remedy} To find out why: postern doctor ${named}${how}`;
}
