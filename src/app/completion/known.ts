import type { LoginRecord, ProviderRecord } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import type { ToolList, ToolParameter } from '../../stores/ports.js';
import type { Known } from './complete.js';
import type { Offer } from './tables.js';

/** Methods that `call` takes for a tool's name. */
const methods: readonly Offer[] = [
  ['tools/list', 'the tools'],
  ['resources/list', 'the resources'],
  ['resources/read', 'one resource'],
  ['resources/templates/list', 'the templates of resources'],
  ['prompts/list', 'the prompts'],
  ['prompts/get', 'one prompt'],
];

/**
 * What the files of this machine say of logins and their tools. What a server said is made printable; a name of a tool that
 * is not as it stands is not offered.
 */
export function knownFrom(
  logins: readonly LoginRecord[],
  toolsOf: (login: LoginRecord) => ToolList | undefined,
  providers: readonly Pick<ProviderRecord, 'issuer'>[] = [],
): Known {
  const meant = (word: string | undefined) => logins.filter(({ name, server }) => word === name || word === server);
  const toolsFor = (word: string | undefined) => meant(word).flatMap((login) => toolsOf(login)?.tools ?? []);
  return {
    logins: () => [
      ...logins.flatMap(({ name, server }): readonly Offer[] =>
        name === undefined ? [] : [[name, printable(server, 100)]],
      ),
      ...logins.map(({ server, name }): Offer => [server, name ?? 'a login without a name']),
    ],
    accounts: (word) =>
      (word === undefined ? logins : meant(word))
        .filter(({ account }) => isOneLine(account))
        .map(({ account, server }): Offer => [account, printable(server, 100)]),
    issuers: () => issuersOf(logins),
    providers: () => issuersOf(providers),
    tools: (word) => [
      ...toolsFor(word)
        .filter(({ name }) => isPlain(name))
        .map(({ name, description }): Offer => [name, lineOf(description)]),
      ...methods,
    ],
    parameters: (word, tool, typed) => {
      const parameters = toolsFor(word).find(({ name }) => name === tool)?.parameters ?? [];
      const plain = parameters.filter(({ name }) => isPlain(name));
      const named = plain.find(({ name }) => typed.startsWith(`${name}=`));
      if (named !== undefined) return valuesOf(named).map((value): Offer => [`${named.name}=${value}`, '']);
      return plain.map(({ name, description }): Offer => [`${name}=`, lineOf(description)]);
    },
  };
}

function issuersOf(records: readonly { readonly issuer: string }[]): readonly Offer[] {
  return records.filter(({ issuer }) => isPlain(issuer)).map(({ issuer }): Offer => [issuer, '']);
}

function valuesOf({ types, choices }: ToolParameter): readonly string[] {
  if (choices !== undefined) return choices.filter((one) => typeof one === 'string').filter(isPlain);
  return types.includes('boolean') ? ['true', 'false'] : [];
}

/** Nor is what reads as an option, or as a line for the shell's script. */
function isPlain(text: string): boolean {
  return isOneLine(text) && !/\s/.test(text);
}

function isOneLine(text: string): boolean {
  return text !== '' && printable(text, 200) === text && !/^[-:\s]/.test(text);
}

function lineOf(text: string): string {
  return printable(text.split('\n', 1)[0] ?? '', 100);
}
