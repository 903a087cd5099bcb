import { formatCannotCarry } from '../../errors/credential.js';
import { argumentRefused } from '../../errors/usage.js';
import { ownVariable, readTokenVariable, type TokenForm, tokenIn } from '../../primitives/token-variable.js';
import { type Granted, tokenText } from './plain.js';

export const shells = ['sh', 'fish', 'pwsh', 'dotenv', 'json'] as const;
export type Shell = (typeof shells)[number];

/** One variable that is to be set, and what to. */
export interface Variable {
  readonly name: string;
  readonly holds: TokenForm;
}

/**
 * `NAME`, or `NAME,header` as `exec` has it, or `NAME,value` for what stands after `Authorization: `. Without any:
 * POSTERN_ACCESS_TOKEN.
 * @throws Failure `usage`
 */
export function readVariables(given: readonly string[]): readonly Variable[] {
  const variables = (given.length === 0 ? [ownVariable] : given).map((text): Variable => {
    if (!/^[A-Z_][A-Z0-9_]*(?:,(?:header|value))?$/.test(text)) {
      throw argumentRefused('--var', 'it is a name of A-Z, 0-9 and _, perhaps followed by ,header or ,value');
    }
    const read = readTokenVariable(text);
    if (!read.ok) {
      throw argumentRefused('--var', read.problem);
    }
    const { name, holds } = read.variable;
    return { name, holds };
  });
  if (new Set(variables.map(({ name }) => name)).size < variables.length) {
    throw argumentRefused('--var', 'the same name is given twice');
  }
  return variables;
}

/** Assignments for a shell, a `.env` file, or one JSON object. @throws Failure `output_unusable` */
export function environmentOutput(granted: Granted, shell: Shell, variables: readonly Variable[]): string {
  const token = tokenText('env', granted);
  const pairs = variables.map(({ name, holds }) => [name, tokenIn(holds, token)] as const);
  if (shell === 'json') {
    return `${JSON.stringify(Object.fromEntries(pairs))}\n`;
  }
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
 * Bare where every reader agrees (a shell, too, which people give such files to), else in single quotes, which none of
 * them looks into. In double ones a shell runs what stands in `$(…)`, so a quote in the value is refused.
 */
function dotenvValue(value: string): string {
  // A shell puts a home folder in the place of a tilde at the start of a value, or of a part of it.
  if (/^(?!~)(?:(?<![:=])~|[A-Za-z0-9._+/=:@%,-])+$/.test(value)) {
    return value;
  }
  if (/['\\]/.test(value)) {
    throw formatCannotCarry(
      'env --shell dotenv',
      'it holds a quote, which no .env file has a safe way to write',
    );
  }
  return `'${value}'`;
}
