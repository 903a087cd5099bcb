import type { AssertionOptions } from '../../core/ports.js';
import { argumentRefused } from '../../core/usage-failures.js';
import { type AssertionSource, fileSource, isVariableName, readCommand } from '../../stores/assertions/source.js';
import type { GivenAssertion } from '../ports.js';
import { assertionOptionAlone, assertionUnbound, assertionWithoutClient } from './failures.js';

/** What of a command line, and of the environment, says that a platform's token stands in for a secret. */
export interface AssertionArguments extends AssertionOptions {
  readonly clientId: string | undefined;
  readonly clientCredentials: boolean;
  readonly authorizationServer: string | undefined;
}

const help = 'postern login --help';

const sources = ['assertionFile', 'assertionEnv', 'assertionCommand'] as const;

/** The typed ones alone. */
export function namesAssertion(args: AssertionOptions): boolean {
  return sources.some((name) => args[name] !== undefined);
}

/** Whether what is typed of it goes together. @throws Failure `usage` */
export function checkAssertionOptions(args: AssertionArguments): void {
  if (namesAssertion(args) && args.clientId === undefined) throw assertionWithoutClient();
  // Where no audience says whom it is for, a person does.
  if (args.assertionAudience !== undefined && args.authorizationServer === undefined) throw assertionUnbound();
  sourceOf(args);
}

/** What options name, else what variables do; a command is typed, and nothing else names one. @throws Failure `usage` */
export function readAssertion(
  args: AssertionArguments,
  env: Readonly<Record<string, string | undefined>>,
  others: { readonly hasProof: boolean },
): GivenAssertion | undefined {
  const set = (name: string) => env[name] || undefined;
  const isByVariable = args.clientCredentials && !namesAssertion(args) && !others.hasProof;
  const named: AssertionArguments = isByVariable
    ? { ...args, assertionFile: set('POSTERN_ASSERTION_FILE'), assertionEnv: set('POSTERN_ASSERTION_ENV') }
    : args;
  if (!namesAssertion(named) && args.assertionAudience === undefined && args.assertionAs === undefined)
    return undefined;
  const audience = named.assertionAudience ?? set('POSTERN_ASSERTION_AUDIENCE');
  const whole = {
    ...named,
    assertionAudience: audience,
    assertionAs: named.assertionAs ?? useOf(set('POSTERN_ASSERTION_AS')),
  };
  checkAssertionOptions(whole);
  const source = sourceOf(whole);
  if (source === undefined) throw assertionOptionAlone();
  return { source, audience, use: whole.assertionAs };
}

function useOf(text: string | undefined): 'client' | 'grant' | undefined {
  if (text === undefined || text === 'client' || text === 'grant') return text;
  throw argumentRefused('POSTERN_ASSERTION_AS', 'it is “grant” or “client”', help);
}

function sourceOf({ assertionFile, assertionEnv, assertionCommand }: AssertionOptions): AssertionSource | undefined {
  if (assertionFile !== undefined) {
    if (assertionFile === '' || assertionFile === '-') {
      throw argumentRefused('--assertion-file', 'it is read anew for each token, so it has to be a file', help);
    }
    return fileSource(assertionFile);
  }
  if (assertionEnv !== undefined) {
    if (isVariableName(assertionEnv)) return { from: 'variable', name: assertionEnv };
    throw argumentRefused('--assertion-env', 'it is the name of a variable, not what is in it', help);
  }
  if (assertionCommand === undefined) return undefined;
  const read = readCommand(assertionCommand);
  if (!read.ok) throw argumentRefused('--assertion-command', read.why, help);
  return { from: 'command', words: read.words };
}
