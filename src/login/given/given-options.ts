import { camelCase, type LooseArguments, type OptionSpec } from '../../core/command.js';
import type { Situation } from '../../core/failure.js';
import { type GivenOption, loginCommand } from '../../core/login-command.js';
import { visibleUrl } from '../../core/resource.js';
import { shellWord } from '../../core/text/printable.js';
import { loginTable } from '../login.options.js';

/** What says which login is made, or makes something else; the command of a remedy names its login in its own way. */
export const notRepeated: readonly string[] = [
  ...['from', 'all', 'expired', 'yes', 'name', 'account'],
  ...['generate-key', 'key-algorithm'],
];

/** What else takes the place of an option, beside those that contradict it. */
const replacedBy: Readonly<Record<string, readonly string[]>> = {
  device: ['no-browser'],
  'no-browser': ['device'],
  registration: ['client-id'],
};

/**
 * The options that a person has typed for this login, as the command of a remedy has them again. What a variable says,
 * or nobody has said, is the same the next time.
 * @param args Of `login`, by their names in code.
 */
export function givenOptions(
  args: LooseArguments,
  env: Readonly<Record<string, string | undefined>>,
): readonly GivenOption[] {
  return loginTable.options
    .filter(({ name }) => !notRepeated.includes(name))
    .flatMap((option) => asTyped(option, args, env));
}

function asTyped(
  option: OptionSpec,
  args: LooseArguments,
  env: Readonly<Record<string, string | undefined>>,
): readonly GivenOption[] {
  const { name, needs = [] } = option;
  const value = args[camelCase(name)];
  const isUsual = 'default' in option && value === option.default;
  if (value === undefined || value === false || isUsual) return [];
  if (option.env !== undefined && String(value) === env[option.env]) return [];
  const yieldsTo = [name, ...[name, ...needs].flatMap(contradicting), ...(replacedBy[name] ?? [])].map(
    (other) => `--${other}`,
  );
  const values = [value].flat();
  const texts = values.map((one) => (one === true ? `--${name}` : `--${name} ${shellWord(String(one))}`));
  return texts.map((text) => ({ text, yieldsTo }));
}

/** Options that this one cannot stand beside, whichever of the two says so. */
function contradicting(name: string): readonly string[] {
  const options: readonly OptionSpec[] = loginTable.options;
  return options.flatMap((other) => {
    if (other.name === name) return other.excludes ?? [];
    return other.excludes?.includes(name) === true ? [other.name] : [];
  });
}

/**
 * What a remedy repeats of a command line: the server, and what was typed for its login. An address that should not be
 * shown is not repeated.
 */
export function situationOf(args: LooseArguments, env: Readonly<Record<string, string | undefined>>): Situation {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const [word = '', account, name] = [args['server'], args['account'], args['name']].map(text);
  const isShown = word !== '' && word.length <= 200 && visibleUrl(word) === word;
  const server = isShown ? word : 'SERVER';
  const login = { server, account, newName: name, given: givenOptions(args, env) };
  return { server: shellWord(server), logIn: (...options) => loginCommand(login, ...options) };
}
