import { argumentRefused } from '../../core/failures.js';
import { formatCannotCarry } from '../failures.js';
import { type Granted, tokenIn, tokenText } from './plain.js';

export type Shell = 'sh' | 'fish' | 'pwsh' | 'dotenv' | 'json';

/** A variable that is to be set. */
export interface TokenVariable {
  readonly name: string;
  /** The name of a login or a server's URL; undefined: the server that the command names. */
  readonly server: string | undefined;
  /** The token, the whole header, or the header's value alone. */
  readonly holds: 'token' | 'header' | 'value';
}

/** The variable of a command's own server, where no other is named. */
export const ownVariable = 'POSTERN_ACCESS_TOKEN';

/** The values of `--var` of `credential env`: `NAME`, `NAME,header` or `NAME,value`. @throws Failure `usage` */
export function readVariables(typed: readonly string[]): readonly TokenVariable[] {
  const help = 'postern credential --help';
  if (!typed.every((text) => /^[A-Z_][A-Z0-9_]*(?:,(?:header|value))?$/.test(text))) {
    throw argumentRefused('--var', 'it is a name of A-Z, 0-9 and _, perhaps followed by ,header or ,value', help);
  }
  return readTokenVariables(typed.length === 0 ? [ownVariable] : typed, help);
}

/** Assignments for a shell, a `.env` file, or one JSON object. @throws Failure `output_unusable` */
export function environmentOutput(granted: Granted, shell: Shell, variables: readonly TokenVariable[]): string {
  const token = tokenText('env', granted);
  const pairs = variables.map(({ name, holds }) => [name, tokenIn(holds, token)] as const);
  if (shell === 'json') return `${JSON.stringify(Object.fromEntries(pairs))}\n`;
  return pairs.map(([name, value]) => `${assign[shell](name, value)}\n`).join('');
}

const assign: Readonly<Record<Exclude<Shell, 'json'>, (name: string, value: string) => string>> = {
  sh: (name, value) => `export ${name}='${value.replaceAll("'", "'\\''")}'`,
  // In single quotes fish reads \\ and \' and nothing else.
  fish: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, '\\$&')}'`,
  // PowerShell takes each of these five for a single quote.
  pwsh: (name, value) => `$env:${name} = '${value.replace(/['\u2018-\u201b]/g, '$&$&')}'`,
  dotenv: (name, value) => `${name}=${dotenvValue(value)}`,
};

/**
 * Bare where every reader agrees (a shell, too, which people give such files to), else in single quotes, in which none of
 * them replaces anything. In double ones a shell runs `$(…)`, so a quote in the value is refused.
 */
function dotenvValue(value: string): string {
  // A shell replaces a tilde at the start of a value, or of a part of it, by a home folder.
  if (/^(?!~)(?:(?<![:=])~|[A-Za-z0-9._+/=:@%,-])+$/.test(value)) return value;
  if (/['\\]/.test(value)) {
    throw formatCannotCarry('env --shell dotenv', 'it holds a quote, which no .env file has a safe way to write');
  }
  return `'${value}'`;
}

/**
 * Variables that programs, shells, loaders and interpreters act on. What a token is, a server chooses: as one of these
 * it could name a file to load, a program to run or a proxy to go through. Of their families, the names that hold a
 * credential and nothing else are let through.
 */
const actedOn = new RegExp(
  `^(?:${[
    'PATH|PATHEXT|HOME|SHELL|IFS|ENV|PS4|CDPATH|PWD|USER|LOGNAME|TERM|TERMCAP|TERMINFO|TMPDIR|TEMP|TMP|LANG|LANGUAGE',
    'EDITOR|VISUAL|PAGER|LESS|LESSOPEN|LESSCLOSE|BROWSER|MANPAGER|DISPLAY|XAUTHORITY|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS',
    'SHELLOPTS|BASHOPTS|ZDOTDIR|FPATH|INPUTRC|(?:GNU)?MAKEFLAGS|MFLAGS|MAKEFILES|CC|CXX|CPP|LD|VIMINIT|EXINIT|SUDO_.*',
    'KUBECONFIG|AWS_.*_FILE|DOCKER_(?:CONFIG|HOST|CONTEXT)|TF_CLI_.*|ANSIBLE_.*|(?:MAVEN|GRADLE|JAVA|JVM|SBT|ANT)_OPTS',
    'COMSPEC|SYSTEMROOT|SYSTEMDRIVE|WINDIR|APPDATA|LOCALAPPDATA|PROGRAMDATA|USERPROFILE|PSMODULEPATH|PROMPT_COMMAND',
    'LD_.*|DYLD_.*|LC_.*|BASH_.*|GCONV_PATH|NLSPATH|LOCPATH|MALLOC_.*|GLIBC_TUNABLES|XDG_.*|DBUS_.*|PROXYCHAINS_.*',
    'NODE_(?!AUTH_TOKEN$).*|NPM_CONFIG_.*|DENO_(?!DEPLOY_TOKEN$).*|BUN_(?!CONFIG_TOKEN$).*|PYTHON.*|PERL.*|RUBY.*',
    'GEM_(?!HOST_API_KEY$).*|BUNDLE_.*|LUA_.*|PHP.*|GOFLAGS|GOPROXY|GOENV',
    'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|DOTNET_.*|CORECLR_.*|COR_.*|RUSTC.*',
    'CARGO_(?!REGISTRY_TOKEN$|REGISTRIES_[A-Z0-9_]+_TOKEN$).*',
    'GIT_(?!.*TOKEN).*|SSH_.*|GPG_.*|GNUPGHOME|OPENSSL_.*|SSL_.*|CURL_.*|NETRC|WGETRC|(?:.*_)?PROXY|POSTERN_.*',
  ].join('|')})$`,
  'i',
);

/** The values of `--var`: `NAME`, `NAME=server`, each perhaps followed by `,header` or `,value`. @throws Failure `usage` */
export function readTokenVariables(typed: readonly string[], help: string): readonly TokenVariable[] {
  const variables = typed.map((text) => readTokenVariable(text, help));
  const repeated = variables.find(({ name }, at) => variables.findIndex((other) => other.name === name) !== at);
  if (repeated !== undefined) throw argumentRefused('--var', `${repeated.name} was given twice`, help);
  return variables;
}

function readTokenVariable(text: string, help: string): TokenVariable {
  const [, name = '', server, form] = /^([^=,]*)(?:=(.+?))?(?:,(header|value))?$/s.exec(text) ?? [];
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) {
    const why = 'it is NAME=server, the name of letters, digits and “_”, perhaps followed by “,header” or “,value”';
    throw argumentRefused('--var', why, help);
  }
  if (name !== ownVariable && actedOn.test(name)) {
    const why = `programs act on ${name}, and what a token says the server decides; choose another name`;
    throw argumentRefused('--var', why, help);
  }
  return { name, server, holds: form === 'header' || form === 'value' ? form : 'token' };
}
