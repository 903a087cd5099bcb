import { camelCase, type LooseArguments, type OptionSpec } from '../../core/command.js';
import { isFailure } from '../../core/failure.js';
import { type GivenOption, givenWith } from '../../core/login-command.js';
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
 * A failure of what knows no login (a store), whose remedy says `postern login SERVER`: with the server that was named,
 * and what was typed for it. An address that should not be shown stays as it is.
 */
export function withLoginTyped(
  error: unknown,
  args: LooseArguments & { readonly server: string },
  env: Readonly<Record<string, string | undefined>>,
): unknown {
  if (!isFailure(error) || !error.remedy.includes(loginSomewhere)) return error;
  const { server, account, name } = args;
  const shown = server.length > 200 || visibleUrl(server) !== server ? 'SERVER' : shellWord(server);
  const which = [
    ...(account === undefined || account === 'default' ? [] : [`--account ${shellWord(String(account))}`]),
    ...(name === undefined ? [] : [`--name ${shellWord(String(name))}`]),
  ];
  const given = givenOptions(args, env);
  const remedy = error.remedy.replace(toLogIn, (_, named?: string) => {
    const options = named === undefined ? [] : [named.trim()];
    return ['postern login', shown, ...which, ...givenWith({ server, given }, options), ...options].join(' ');
  });
  return error.withRemedy(remedy);
}

const loginSomewhere = 'postern login SERVER';

/** With the one option that such a remedy may name. */
const toLogIn = new RegExp(`${loginSomewhere}( --[a-z-]+ [a-z]+)?`, 'g');
