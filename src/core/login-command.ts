import { exitCode, type Failure } from './failure.js';
import { defaultAccount } from './records.js';
import { namedServer } from './resource.js';
import { shellWord } from './text/printable.js';

/** What says which login is meant: one that is there, or one that is yet to be made. */
export interface LoginMeant {
  readonly name?: string | undefined;
  /** Canonical, or what a person typed. */
  readonly server: string;
  /** Undefined: none was given, so the default one. */
  readonly account?: string | undefined;
  readonly grant?: 'client_credentials' | undefined;
  /** Those that it was made with by `--scope`. */
  readonly askedScopes?: readonly string[] | undefined;
  /** The name that it is to get: no command knows the login by it yet. */
  readonly newName?: string | undefined;
  /** Options that it was asked for with, and that are kept only once it has worked; each with its value, quoted. */
  readonly given?: readonly string[] | undefined;
}

/**
 * How a command of ours names a login: by its name where it has one, else by its server, with `--account` where
 * that is not the default one. Quoted for the person's shell.
 */
export function loginArgument({ name, server, account = defaultAccount }: LoginMeant): string {
  if (name !== undefined) return shellWord(name);
  return `${shellWord(server)}${account === defaultAccount ? '' : ` --account ${shellWord(account)}`}`;
}

/**
 * The command that makes this login, or makes it again. Every remedy that tells a person to log in takes it from here,
 * so that no other login is refreshed.
 * @param options Further words, quoted already.
 */
export function loginCommand(login: LoginMeant, ...options: readonly string[]): string {
  const grant = login.grant === undefined ? [] : ['--client-credentials'];
  const name = login.newName === undefined ? [] : [`--name ${shellWord(login.newName)}`];
  const asked = options.includes('--scope') ? [] : (login.askedScopes ?? []);
  const scope = asked.length === 0 ? [] : [`--scope ${shellWord(asked.join(' '))}`];
  const given = (login.given ?? []).filter((one) => !options.some((other) => isReplacedBy(one, other)));
  return ['postern login', loginArgument(login), ...name, ...grant, ...scope, ...given, ...options].join(' ');
}

/** Codes of what a server or an authorization server has caused, beside those of broken rules. */
const theirs: ReadonlySet<string> = new Set([
  ...['server_failed', 'registration_refused', 'grant_refused', 'invalid_client', 'invalid_target', 'token_refused'],
  ...['tls_failed', 'http_failed'],
]);

/** What shows only when somebody logs in. */
const seenByLogin: ReadonlySet<string> = new Set([
  ...['registration_refused', 'registration_unusable', 'callback_unusable', 'grant_refused', 'invalid_client'],
  ...['invalid_target', 'token_unusable', 'token_type_unusable', 'token_refused'],
]);

/**
 * The failure, with the command that says more where a server or an authorization server has caused it.
 * @param server Its URL, or the name of the login.
 */
export function withDoctor(failure: Failure, server: string): Failure {
  const isTheirs = failure.exit === exitCode.serverBreaksRules || theirs.has(failure.code);
  // One command at a time: a remedy that has one is the way out.
  if (!isTheirs || failure.remedy.includes('postern ')) return failure;
  const how = seenByLogin.has(failure.code) ? ' --login' : '';
  return failure.withRemedy(
    `${failure.remedy} Who can mend it: postern doctor ${shellWord(server.includes('://') ? namedServer(server) : server)}${how}`,
  );
}

/** Both options of the redirect address say the same thing. */
function isReplacedBy(given: string, option: string): boolean {
  const [name = ''] = given.split(' ', 1);
  return option === name || (name.startsWith('--redirect-') && option.startsWith('--redirect-'));
}
