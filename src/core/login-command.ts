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
  /** Options that a person has typed for it: the command that a remedy names has them again. */
  readonly given?: readonly GivenOption[] | undefined;
}

/** A login that is being made: whoever has it in hand says what was typed for it, or that nothing was. */
export type LoginAsked = LoginMeant & { readonly given: readonly GivenOption[] | undefined };

/** An option of `login` as it was typed; a file by its path, and never a secret. */
export interface GivenOption {
  /** With its value, quoted for the person's shell. */
  readonly text: string;
  /** A remedy that names one of these options does without this one. */
  readonly yieldsTo: readonly string[];
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
  const given = givenWith(login, options);
  return ['postern login', loginArgument(login), ...name, ...grant, ...scope, ...given, ...options].join(' ');
}

/** What was typed for the login, but for what these options take the place of. */
export function givenWith({ given = [] }: LoginMeant, options: readonly string[]): readonly string[] {
  const named = options.map((option) => option.split(' ', 1)[0] ?? '');
  return given.filter(({ yieldsTo }) => !named.some((name) => yieldsTo.includes(name))).map(({ text }) => text);
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
